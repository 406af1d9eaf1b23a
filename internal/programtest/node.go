package programtest

import (
	"bufio"
	"bytes"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Node is one process of a service. It can be killed and started again under the same address.
type Node struct {
	db      Database
	addr    string
	flags   []string
	command *exec.Cmd
	log     *bytes.Buffer
}

// Serve serves the database by one process until the test ends, without protection limits. Flags are those of almoner serve.
func (d Database) Serve(t testing.TB, flags ...string) *Node {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{db: d, addr: listener.Addr().String(), flags: flags}
	listener.Close()
	n.Start(t)
	t.Cleanup(func() {
		n.Kill()
		if t.Failed() {
			t.Logf("%s said at last:\n%s", n.addr, n.log.Bytes())
		}
	})
	return n
}

// Origin is the scheme and host of the process.
func (n *Node) Origin() string { return "http://" + n.addr }

// Start starts the process after Kill and waits until it listens. It dies with the process of the test.
func (n *Node) Start(t testing.TB) {
	t.Helper()
	args := []string{"serve", "--db", string(n.db), "--addr", n.addr,
		"--set", "limits.requests=0", "--set", "limits.concurrency=0", "--set", "limits.execution=0"}
	cmd := exec.Command(program(t), append(args, n.flags...)...)
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

// Kill ends the process without warning.
func (n *Node) Kill() {
	_ = n.command.Process.Kill() // fails only when it has ended already
	_ = n.command.Wait()         // reports the kill
}
