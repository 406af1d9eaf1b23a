package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/argon2"

	"almoner/internal/value"
)

// Cost of a secret's hash (argon2id).
const (
	argonMemory  = 19 * 1024 // KiB
	argonTime    = 2
	argonThreads = 1
	saltBytes    = 16
	hashBytes    = 32
	secretBytes  = 32
)

// Bounds of secret checking.
const (
	maxSecretBytes = 1024
	maxWaiting     = 64    // requests waiting for a slow check
	knownSecrets   = 10000 // secrets whose slow check is remembered
)

var (
	errBusy      = errors.New("too many secrets are being checked")
	errSecretRow = errors.New("the stored hash of a secret cannot be read")
)

// newSecret makes a secret of 256 random bits and its hash.
func newSecret() (secret, hash string) {
	secret = base64.RawURLEncoding.EncodeToString(randomBytes(secretBytes))
	return secret, hashSecret(secret)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic(err) // the kernel's random source never fails
	}
	return b
}

// hashSecret returns the hash with everything needed to check it again.
func hashSecret(secret string) string {
	salt := randomBytes(saltBytes)
	sum := argon2.IDKey([]byte(secret), salt, argonTime, argonMemory, argonThreads, hashBytes)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		enc.EncodeToString(salt), enc.EncodeToString(sum))
}

// matches checks a secret against a stored hash, slowly.
func matches(hash, secret string) (bool, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errSecretRow
	}
	var memory, passes uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil {
		return false, errSecretRow
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, wantErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || wantErr != nil || len(want) == 0 || passes == 0 || threads == 0 || memory > 4*argonMemory {
		return false, errSecretRow
	}
	got := argon2.IDKey([]byte(secret), salt, passes, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// secrets checks client secrets. A secret is checked slowly once; afterwards a keyed fast hash of it, together with the
// stored hash it was checked against, is enough. Slow checks run a few at a time.
type secrets struct {
	key     []byte // of the fast hash; lives as long as the process
	slots   chan struct{}
	waiting atomic.Int64
	known   *cache[value.GUID, [sha256.Size]byte]
}

// nobody is checked against when a client is unknown, so that it takes as long.
var nobody = sync.OnceValue(func() string { return hashSecret("nobody's secret") })

func newSecrets() *secrets {
	return &secrets{
		key:   randomBytes(32),
		slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		known: newCache[value.GUID, [sha256.Size]byte](knownSecrets),
	}
}

// verify tells whether secret is the one whose hash is stored for a client. An empty hash is that of an unknown client.
func (s *secrets) verify(ctx context.Context, client value.GUID, hash, secret string) (bool, error) {
	if len(secret) > maxSecretBytes {
		return false, nil
	}
	tag := s.tag(client, hash, secret)
	if seen, ok := s.known.get(client); ok && hash != "" && hmac.Equal(seen[:], tag[:]) {
		return true, nil
	}
	ok, err := s.slow(ctx, hash, secret)
	if ok && err == nil {
		s.known.put(client, tag)
	}
	return ok, err
}

func (s *secrets) slow(ctx context.Context, hash, secret string) (bool, error) {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return false, errBusy
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-s.slots }()
	if hash == "" {
		_, err := matches(nobody(), secret)
		return false, err
	}
	return matches(hash, secret)
}

func (s *secrets) tag(client value.GUID, hash, secret string) (tag [sha256.Size]byte) {
	h := hmac.New(sha256.New, s.key)
	h.Write(client[:])
	h.Write([]byte(hash))
	h.Write([]byte{0})
	h.Write([]byte(secret))
	h.Sum(tag[:0])
	return tag
}
