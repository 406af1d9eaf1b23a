package securitytest

import (
	"bytes"
	"regexp"
	"sync"
	"testing"
)

// logbook keeps what the service logs, at debug level, and knows what must never be in it.
type logbook struct {
	mu      sync.Mutex
	text    bytes.Buffer
	secrets []string
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// secret names a text that must not be logged.
func (l *logbook) secret(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets = append(l.secrets, text)
}

// keyMaterial is what keys and secrets look like at rest, and any token.
var keyMaterial = regexp.MustCompile(`PRIVATE KEY|\$argon2|eyJ[A-Za-z0-9_-]{10,}\.|Bearer |Basic [A-Za-z0-9]`)

// check fails the test when a secret was logged.
func (l *logbook) check(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.secrets {
		if bytes.Contains(l.text.Bytes(), []byte(s)) {
			t.Errorf("the log holds the secret %.12s…", s)
		}
	}
	if found := keyMaterial.Find(l.text.Bytes()); found != nil {
		t.Errorf("the log holds key material: %s", found)
	}
}
