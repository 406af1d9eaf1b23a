package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// process is a server under measurement.
type process struct {
	cmd    *exec.Cmd
	origin string
	store  database
}

// start runs a server and waits for its "listening on" line.
func start(store database, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), store: store}
	complaints := &bytes.Buffer{} // slow queries, mostly
	p.cmd.Stderr = complaints
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if origin, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			p.origin = origin
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s did not start: %s", name, complaints)
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// ticksPerSecond is the unit of CPU times in /proc on Linux.
const ticksPerSecond = 100

// cpu is the CPU time the server has used so far; on PostgreSQL its backends' too, which serve nobody else meanwhile.
func (p *process) cpu() time.Duration {
	ticks := processTicks(p.cmd.Process.Pid)
	if p.store.postmaster > 0 {
		ticks += postgresTicks(p.store.postmaster)
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

// processTicks reads user and system time of a process, its threads included.
func processTicks(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return user + system
}

// postgresTicks adds up the processes of the cluster whose postmaster is given.
func postgresTicks(postmaster int) int64 {
	sum := processTicks(postmaster)
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && parentOf(pid) == postmaster {
			sum += processTicks(pid)
		}
	}
	return sum
}

// parentOf reads the parent of a process.
func parentOf(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// findPostmaster asks a cluster for the process its backends come from.
func findPostmaster(dsn string) (int, error) {
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.Background())
	var backend int
	if err := conn.QueryRow(context.Background(), "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return 0, err
	}
	return parentOf(backend), nil
}

// watchMemory notes the highest anonymous memory of the server until the function it returns is called.
func (p *process) watchMemory(peak *float64) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			*peak = max(*peak, p.anonymous())
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-ended }
}

// anonymous is the server's anonymous memory in megabytes.
func (p *process) anonymous() float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	return 0
}
