package clients_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// build compiles the program and returns its path.
func build(t *testing.T) string {
	t.Helper()
	watch(t, "../cmd", "../internal", "../tables", "odata2ts")
	program := filepath.Join(t.TempDir(), "almoner")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/almoner").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// watch looks at every file below some folders: go test keeps a result only while the files the test looked at stay as they
// were, and knows nothing of what the compiler and the clients read.
func watch(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// service is the program serving one database.
type service struct {
	t       *testing.T
	program string
	db      string
	origin  string // scheme and host
}

// start serves a fresh database until the test ends. The service must then stop cleanly and must not have logged an error.
func start(t *testing.T, program, db string) *service {
	t.Helper()
	s := &service{t: t, program: program, db: db}
	serve := exec.Command(program, "serve", "--db", db, "--addr", "127.0.0.1:0")
	var log bytes.Buffer
	serve.Stderr = &log
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	origin, ready := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM) // fails only when the service has ended already
		if err := serve.Wait(); err != nil || strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("the service ended with %v and logged\n%s", err, log.String())
		}
	})
	if !ready {
		t.Fatalf("almoner serve said %q", line)
	}
	s.origin = origin
	return s
}

// token returns a bearer token of the administrator.
func (s *service) token() string { return strings.TrimSpace(string(s.command("token"))) }

// createUser registers a person and returns the id.
func (s *service) createUser(name, role string) string {
	var user struct{ SystemUserID string }
	s.decode(s.command("user", "create", name, "--role", role), &user)
	return user.SystemUserID
}

// credentials are what an application signs in with.
type credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// createApp registers an application.
func (s *service) createApp(name, role string) (c credentials) {
	s.decode(s.command("app", "create", name, "--role", role), &c)
	return c
}

// command runs a subcommand of the program on the service's database and returns its standard output.
func (s *service) command(args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command(s.program, append(args, "--db", s.db)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("almoner %s: %v\n%s", strings.Join(args, " "), err, complaint.String())
	}
	return out
}

func (s *service) decode(text []byte, into any) {
	s.t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		s.t.Fatalf("%v in %s", err, text)
	}
}
