// Package pgtest gives tests a PostgreSQL of their own: a private cluster started from the machine's binaries in a temporary
// folder, and in it a fresh database for each test. Nothing outside the folder is touched and no process is left behind.
//
// The packages of one test run share a cluster when the variable ALMONER_TEST_PG names it, which is what cmd/pgcluster
// arranges; without it each test process starts one.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// folderPrefix begins the name of every cluster's folder; the number of the process that made it follows.
const folderPrefix = "almoner-pg-"

const (
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
	maxSocket  = 90 // longest socket folder: the kernel allows 107 bytes for the whole path
)

// Cluster is a running PostgreSQL server. It listens on a socket inside its folder and nowhere else, and trusts whoever may
// open that socket.
type Cluster struct {
	dir    string
	server *exec.Cmd
	ended  chan struct{} // closed when the server has ended
	err    error         // how it ended; read after ended
}

// Start makes a cluster in a temporary folder and waits until it answers. The cluster does not survive a power cut
// (fsync=off): a test that asks for more passes settings such as "fsync=on", which win. The server ends with this process
// even if Stop is never called.
func Start(settings ...string) (*Cluster, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	owner, err := serverUser()
	if err != nil {
		return nil, err
	}
	dir, err := makeFolder(owner)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, ended: make(chan struct{})}
	if err := c.launch(bin, owner, settings); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) launch(bin string, owner *syscall.Credential, settings []string) error {
	init := c.command(owner, filepath.Join(bin, "initdb"), "--pgdata="+c.data(), "--username=postgres", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		close(c.ended)
		return fmt.Errorf("pgtest: initdb: %w\n%s", err, out)
	}
	started := make(chan error, 1)
	go c.run(c.command(owner, filepath.Join(bin, "postgres"), c.arguments(settings)...), started)
	if err := <-started; err != nil {
		return fmt.Errorf("pgtest: start postgres: %w", err)
	}
	return c.await()
}

// run starts the server and waits for its end. The kernel ties the server's life to the thread that started it, so the
// goroutine keeps its thread.
func (c *Cluster) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer close(c.ended)
	log, err := os.Create(c.log())
	if err == nil {
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log
		c.server = cmd
		err = cmd.Start()
	}
	started <- err
	if err == nil {
		c.err = cmd.Wait()
	}
}

func (c *Cluster) command(owner *syscall.Credential, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	return cmd
}

func (c *Cluster) arguments(settings []string) []string {
	all := append([]string{
		"listen_addresses=", "unix_socket_directories=" + c.dir, "port=5432", "max_connections=300", "shared_buffers=64MB",
		"fsync=off", "full_page_writes=off", "max_wal_size=512MB", "timezone=UTC", "log_timezone=UTC",
	}, settings...)
	args := []string{"-D", c.data()}
	for _, s := range all {
		args = append(args, "-c", s)
	}
	return args
}

// await returns when the server answers.
func (c *Cluster) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.DSN())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.ended:
			return fmt.Errorf("pgtest: postgres ended: %v\n%s", c.err, c.tail())
		case <-ctx.Done():
			return fmt.Errorf("pgtest: postgres does not answer: %w\n%s", err, c.tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// DSN names the cluster's administrative database, for its superuser.
func (c *Cluster) DSN() string {
	return "postgres://postgres@/postgres?" + url.Values{"host": {c.dir}, "port": {"5432"}}.Encode()
}

// Stop ends the server and removes its folder.
func (c *Cluster) Stop() error {
	var err error
	if c.server != nil && c.server.Process != nil {
		err = c.end()
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

func (c *Cluster) end() error {
	_ = c.server.Process.Signal(syscall.SIGINT) // fails only when the server has ended already
	select {
	case <-c.ended:
		return nil
	case <-time.After(stopLimit):
		_ = c.server.Process.Signal(syscall.SIGQUIT)
		<-c.ended
		return errors.New("pgtest: postgres did not stop in time and was ended")
	}
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }
func (c *Cluster) log() string  { return filepath.Join(c.dir, "server.log") }

// tail returns the end of the server's log.
func (c *Cluster) tail() string {
	text, err := os.ReadFile(c.log())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// makeFolder makes the cluster's folder, owned by the server's user.
func makeFolder(owner *syscall.Credential) (string, error) {
	parent := os.TempDir()
	if len(parent) > maxSocket-len("/almoner-pg-0123456789-0123456789") {
		parent = "/tmp"
	}
	sweep(parent)
	dir, err := os.MkdirTemp(parent, folderPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", err
	}
	if owner != nil {
		err = os.Chown(dir, int(owner.Uid), int(owner.Gid))
	}
	if strings.ContainsAny(dir, ",'") {
		err = fmt.Errorf("pgtest: folder name %q cannot hold a socket", dir)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// sweep removes the folders of processes that ended without stopping their cluster.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*-*"))
	for _, dir := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), folderPrefix), "-")
		n, err := strconv.Atoi(pid)
		if err == nil && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			os.RemoveAll(dir) // fails where the folder is another user's
		}
	}
}
