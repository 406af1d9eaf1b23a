package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// The tests below run this test binary again as another process that writes to a file: one that is killed, one whose
// syncs fail, one that may not write any further. The role is given in the environment.
const (
	roleVariable = "ALMONER_SQLITE_TEST_ROLE"
	fileVariable = "ALMONER_SQLITE_TEST_FILE"
)

func TestMain(m *testing.M) {
	roles := map[string]func(*database) error{"crash": writeUntilKilled, "sync": writeThroughFailures, "limit": writeIntoLimit}
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	db, err := openFile(os.Getenv(fileVariable), Options{Serve: true})
	if err == nil {
		err = roles[role](db)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process makes a command that runs this binary in a role, under another program if one is given.
func process(t *testing.T, role, file string, under ...string) *exec.Cmd {
	t.Helper()
	args := append(under, os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, fileVariable+"="+file)
	cmd.Stderr = os.Stderr
	return cmd
}

// parts is how many rows each transaction of a process writes.
const parts = 3

// addParts writes the rows of transaction n, each with a text that takes some room.
func (db *database) addParts(ctx context.Context, n int) error {
	return db.Write(ctx, func(tx store.Tx) error {
		if _, err := tx.NextVersion(ctx); err != nil {
			return err
		}
		for i := range parts {
			set := append(db.name(fmt.Sprint(n)), query.Assign{Column: db.department.Column("svc_description"), Value: value.Text(strings.Repeat("x", 300*i))})
			if err := tx.Insert(ctx, db.department, id(n*parts+i), set); err != nil {
				return err
			}
		}
		return nil
	})
}

// partsOf counts the rows of transaction n.
func (db *database) partsOf(t *testing.T, n int) (found int) {
	t.Helper()
	for i := range parts {
		row, err := db.Get(context.Background(), db.department, id(n*parts+i), nil)
		if err != nil {
			t.Fatal(err)
		}
		if row != nil {
			found++
		}
	}
	return found
}

// writeUntilKilled writes from several goroutines and prints the number of each transaction that was acknowledged.
func writeUntilKilled(db *database) error {
	base, err := db.Watermark(context.Background())
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make(chan error, 4)
	for w := range 4 {
		wg.Go(func() {
			for n := int(base)*10 + w; ; n += 4 {
				if err := db.addParts(context.Background(), n); err != nil {
					errs <- err
					return
				}
				fmt.Println(n)
			}
		})
	}
	wg.Wait()
	return <-errs
}

func TestNothingAcknowledgedIsLostWhenKilled(t *testing.T) {
	file := emptyFile(t)
	acknowledged := map[int]bool{}
	for range 3 {
		for _, n := range killed(t, file, 60) {
			acknowledged[n] = true
		}
	}
	db := reopen(t, file, Options{})
	for n := range acknowledged {
		if db.partsOf(t, n) != parts {
			t.Errorf("transaction %d was acknowledged and is not there", n)
		}
	}
	if n := db.count(t, db); n%parts != 0 || n < int64(len(acknowledged)*parts) {
		t.Errorf("%d rows: a transaction is half there", n)
	}
	if w, err := db.Watermark(context.Background()); err != nil || w < int64(len(acknowledged)) {
		t.Errorf("watermark %d after %d transactions, %v", w, len(acknowledged), err)
	}
	raw(t, file, "PRAGMA integrity_check")
}

// killed runs a writing process, kills it when it has acknowledged some transactions and returns all it acknowledged.
func killed(t *testing.T, file string, after int) (acknowledged []int) {
	t.Helper()
	cmd := process(t, "crash", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			continue // the last line may be cut
		}
		acknowledged = append(acknowledged, n)
		if len(acknowledged) == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(acknowledged) < after {
		t.Fatalf("the process ended by itself after %d transactions: %v", len(acknowledged), err)
	}
	return acknowledged
}

// attempt writes transaction n and prints how it was answered.
func attempt(db *database, n int) {
	err := db.addParts(context.Background(), n)
	switch {
	case err == nil:
		fmt.Println(n, "written")
	case fault.As(err).Status == 503 && fault.As(err).Retry > 0:
		fmt.Println(n, "refused")
	default:
		fmt.Println(n, err)
	}
}

// writeThroughFailures writes before, while and after its parent lets every sync fail.
func writeThroughFailures(db *database) error {
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prSetPtracer, ^uintptr(0), 0); e != 0 && e != syscall.EINVAL {
		return e // EINVAL: this kernel does not ask
	}
	parent := bufio.NewReader(os.Stdin)
	attempt(db, 0)
	if err := waitFor(parent); err != nil {
		return err
	}
	attempt(db, 1)
	attempt(db, 2)
	if err := waitFor(parent); err != nil {
		return err
	}
	time.Sleep(reopenPause)
	attempt(db, 3)
	return db.Close()
}

// prSetPtracer lets a process say who may trace it.
const prSetPtracer = 0x59616d61

// waitFor tells the parent process that it is its turn, and waits for its answer.
func waitFor(parent *bufio.Reader) error {
	fmt.Println("your turn")
	_, err := parent.ReadString('\n')
	return err
}

// writeIntoLimit writes, forbids the process to make files longer, writes, lifts the limit and writes again.
func writeIntoLimit(db *database) error {
	signal.Ignore(syscall.SIGXFSZ)
	attempt(db, 0)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	log, err := os.Stat(db.file + "-wal")
	if err != nil {
		return err
	}
	limit := old
	limit.Cur = uint64(log.Size())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	attempt(db, 1)
	attempt(db, 2)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	time.Sleep(reopenPause)
	attempt(db, 3)
	return db.Close()
}

// verify compares what a process was answered with what is in the file.
func verify(t *testing.T, answers, file string) (written, refused []int) {
	t.Helper()
	db := reopen(t, file, Options{})
	for line := range strings.Lines(answers) {
		var n int
		var answer string
		if _, err := fmt.Sscan(line, &n, &answer); err != nil {
			continue
		}
		found := db.partsOf(t, n)
		switch {
		case answer == "written" && found == parts:
			written = append(written, n)
		case answer == "refused" && found == 0:
			refused = append(refused, n)
		default:
			t.Errorf("transaction %d: %s; %d of its %d rows are there", n, line, found, parts)
		}
	}
	return written, refused
}

func TestFailedWriteStopsWritesUntilReopened(t *testing.T) {
	file := emptyFile(t)
	out, err := process(t, "limit", file).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	written, refused := verify(t, string(out), file)
	if got := fmt.Sprint(written, refused); got != "[0 3] [1 2]" {
		t.Errorf("written and refused: %s", got)
	}
}

func TestFailedSyncStopsWritesUntilReopened(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("this test lets syncs fail with strace: apt-get install strace")
	}
	file := emptyFile(t)
	cmd := process(t, "sync", file)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var answers strings.Builder
	lines := bufio.NewScanner(out)
	turn := 0
	var tracer *exec.Cmd
	for lines.Scan() {
		if lines.Text() != "your turn" {
			answers.WriteString(lines.Text() + "\n")
			continue
		}
		if turn++; turn == 1 {
			tracer = failSyncs(t, strace, cmd.Process.Pid)
		} else {
			detach(t, tracer, cmd.Process.Pid)
		}
		if _, err := in.Write([]byte("go\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	written, refused := verify(t, answers.String(), file)
	if got := fmt.Sprint(written, refused); got != "[0 3] [1 2]" {
		t.Errorf("written and refused: %s", got)
	}
}

// failSyncs makes every sync of a process fail from now on.
func failSyncs(t *testing.T, strace string, pid int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(strace, "-f", "-p", fmt.Sprint(pid), "-o", os.DevNull,
		"-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:error=EIO")
	report, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(report)
	for said.Scan() {
		if strings.Contains(said.Text(), "attached") {
			go func() { _, _ = io.Copy(io.Discard, report) }()
			return cmd
		}
	}
	t.Fatalf("strace did not attach: %v", cmd.Wait())
	return nil
}

// detach lets syncs work again.
func detach(t *testing.T, tracer *exec.Cmd, pid int) {
	t.Helper()
	if err := tracer.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = tracer.Wait() // it ends by the signal
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || !strings.Contains(string(status), "TracerPid:\t0\n") {
		t.Fatalf("strace did not detach: %v", err)
	}
}
