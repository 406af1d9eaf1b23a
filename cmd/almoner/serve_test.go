package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almoner/internal/settings"
)

// Beyond this machine the service speaks TLS, or stands behind somebody who does.
func TestRefusesToServeInTheClear(t *testing.T) {
	for _, try := range []struct {
		addr, cert, key string
		proxy, ok       bool
	}{
		{addr: "127.0.0.1:0", ok: true},
		{addr: "[::1]:0", ok: true},
		{addr: "localhost:0", ok: true},
		{addr: ":8080"},
		{addr: "0.0.0.0:8080"},
		{addr: "192.0.2.1:8080"},
		{addr: "almoner.example:8080"},
		{addr: "0.0.0.0:8080", cert: "c", key: "k", ok: true},
		{addr: "0.0.0.0:8080", cert: "c"},
		{addr: "127.0.0.1:0", key: "k"},
		{addr: "0.0.0.0:8080", proxy: true, ok: true},
		{addr: "8080"},
	} {
		s := settings.Default()
		s.Addr, s.TLSCert, s.TLSKey, s.BehindProxy = try.addr, try.cert, try.key, try.proxy
		if err := checkAddress(s); (err == nil) != try.ok {
			t.Errorf("%+v: %v", try, err)
		}
	}
	file := filepath.Join(t.TempDir(), "a.db")
	if status := run(t.Context(), []string{"serve", "--db", file, "--addr", "0.0.0.0:0"}); status != exitUsage {
		t.Errorf("serving everybody in the clear ends with %d", status)
	}
}

// certificate makes a self-signed certificate for this machine.
func certificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, content []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	roots = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", private), roots
}

// started runs serve on a free port until the test ends, and returns host and port.
func started(t *testing.T, args ...string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--db", filepath.Join(t.TempDir(), "a.db"), "--addr", address}, args...))
	}()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != exitDone {
			t.Errorf("serve ended with %d", status)
		}
	})
	for range 600 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the service does not listen")
	return ""
}

// TLS works, from version 1.2 on, and asks clients to come back by it.
func TestServesTLS(t *testing.T) {
	cert, key, roots := certificate(t)
	address := started(t, "--tls-cert", cert, "--tls-key", key)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	resp, err := client.Get("https://" + address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	old := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	if c, err := tls.Dial("tcp", address, old); err == nil {
		c.Close()
		t.Error("TLS 1.1 is spoken")
	}
	if resp, err := http.Get("http://" + address + "/healthz"); err == nil {
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("plain HTTP is answered on the port of TLS")
		}
	}
}

// A URL that is too long reaches the Web API, which refuses whoever has no token like everybody else.
func TestLongURLsReachTheWebAPI(t *testing.T) {
	resp, err := http.Get("http://" + started(t) + "/api/data/v9.2/contacts?$filter=" + strings.Repeat("x", 134_000))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		t.Errorf("a long URL is answered %s with %s", resp.Status, resp.Header.Get("Content-Type"))
	}
}

// Headers are bounded in size and time before anybody is known.
func TestHeadersAreBounded(t *testing.T) {
	server := newServer(nil, (&database{}).logger())
	if server.ReadHeaderTimeout <= 0 || server.IdleTimeout <= 0 || server.MaxHeaderBytes <= 0 {
		t.Errorf("no bounds: %+v", server)
	}
	address := started(t)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n\r\n", strings.Repeat("x", 2<<20))
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("long headers are answered %s", resp.Status)
	}
}
