package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
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
	p.cmd.Stderr = os.Stderr
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
	return nil, fmt.Errorf("%s did not start", name)
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
	if p.store.postgres {
		ticks += postgresTicks()
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

// postgresTicks adds up all PostgreSQL processes of the machine: the bench's own cluster is the only one at work.
func postgresTicks() int64 {
	var sum int64
	files, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return 0
	}
	for _, file := range files {
		name, err := os.ReadFile(file)
		if err != nil || strings.TrimSpace(string(name)) != "postgres" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil {
			sum += processTicks(pid)
		}
	}
	return sum
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
