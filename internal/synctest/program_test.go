package synctest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"almoner/internal/pgtest"
)

var seed = flag.Uint64("seed", 0, "seed of the random tests; 0 draws one")

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	os.RemoveAll(filepath.Dir(binary.path))
	os.Exit(code)
}

// newSeed returns the seed of a run and prints it, so that the run can be made again.
func newSeed(t *testing.T) uint64 {
	n := *seed
	if n == 0 {
		n = rand.Uint64()
	}
	t.Logf("run it again with -seed %d", n)
	return n
}

// binary is the program, built once for all tests.
var binary struct {
	once sync.Once
	path string
	err  error
}

func program(t testing.TB) string {
	t.Helper()
	binary.once.Do(func() {
		// Looking at the sources tells go test that its verdict depends on them too.
		if _, err := filepath.Glob("../../cmd/almoner/*.go"); err != nil {
			binary.err = err
			return
		}
		dir, err := os.MkdirTemp("", "almoner-synctest-")
		if err != nil {
			binary.err = err
			return
		}
		binary.path = filepath.Join(dir, "almoner")
		if out, err := exec.Command("go", "build", "-o", binary.path, "almoner/cmd/almoner").CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// eachDatabase runs a test on both stores, each time with a database that has all tables and is served by nobody.
func eachDatabase(t *testing.T, test func(t *testing.T, db string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, newPostgres(t)) })
}

func newSQLite(t testing.TB) string {
	db := filepath.Join(t.TempDir(), "sync.db")
	run(t, db, "token")
	return db
}

func newPostgres(t testing.TB) string {
	db := pgtest.DSN(t)
	run(t, db, "token")
	return db
}

// run runs a subcommand on a database and returns what it prints.
func run(t testing.TB, db string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), append(args, "--db", db)...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("almoner %s: %v\n%s%s", strings.Join(args, " "), err, out.Bytes(), complaint.Bytes())
	}
	return strings.TrimSpace(out.String())
}

// node is one process of the service. It can be killed and started again under the same address.
type node struct {
	db      string
	addr    string
	command *exec.Cmd
	log     *bytes.Buffer
}

// startNode serves a database until the test ends.
func startNode(t testing.TB, db string) *node {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{db: db, addr: listener.Addr().String()}
	listener.Close()
	n.start(t)
	t.Cleanup(func() {
		n.kill()
		if t.Failed() {
			t.Logf("%s said at last:\n%s", n.addr, n.log.Bytes())
		}
	})
	return n
}

func (n *node) origin() string { return "http://" + n.addr }

// start starts the process and waits until it listens. It dies with the process of the test.
func (n *node) start(t testing.TB) {
	t.Helper()
	cmd := exec.Command(program(t), "serve", "--db", n.db, "--addr", n.addr,
		"--set", "limits.requests=0", "--set", "limits.concurrency=0", "--set", "limits.execution=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	n.log = &bytes.Buffer{}
	cmd.Stderr = n.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "listening on ") {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("almoner serve said %q: %v\n%s", line, err, n.log.Bytes())
	}
	n.command = cmd
}

// kill ends the process without warning.
func (n *node) kill() {
	_ = n.command.Process.Kill() // fails only when it has ended already
	_ = n.command.Wait()         // reports the kill
}

// tick is a short wait between two looks at something.
func tick() <-chan time.Time { return time.After(10 * time.Millisecond) }
