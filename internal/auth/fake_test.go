package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// fakeDirectory is a directory in memory.
type fakeDirectory struct {
	mu       sync.Mutex
	revision int64
	accounts map[Lookup]*Account
	hashes   map[value.GUID]string
	trust    Trust
	down     error
	reads    int // of accounts
}

func (f *fakeDirectory) Revision(context.Context) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision, f.down
}

func (f *fakeDirectory) Account(_ context.Context, by Lookup) (*Account, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	a := f.accounts[by]
	if a == nil || f.down != nil {
		return nil, f.down
	}
	copied := *a
	copied.Revision = f.revision
	return &copied, nil
}

func (f *fakeDirectory) SecretHash(_ context.Context, client value.GUID) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hashes[client], f.down
}

func (f *fakeDirectory) Trust(context.Context) (*Trust, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	trust := f.trust
	return &trust, f.down
}

func (f *fakeDirectory) RenewKeys(context.Context) error { return nil }

// change alters the directory as a committed transaction would.
func (f *fakeDirectory) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	f.revision++
}

// guid makes a GUID that is easy to tell from others.
func guid(n byte) value.GUID { return value.GUID{0: n, 15: n} }

var (
	testOrganization = guid(1)
	testClient       = guid(2)
	testUser         = guid(3)
)

// sharedKeys are made once: making RSA keys is slow.
var sharedKeys = sync.OnceValue(func() (keys [2]StoredKey) {
	for i := range keys {
		k, err := newStoredKey(time.Unix(1_700_000_000, 0))
		if err != nil {
			panic(err)
		}
		keys[i] = k
	}
	return keys
})

// site is an authenticator over a fake directory with a clock that tests move.
type site struct {
	t   *testing.T
	dir *fakeDirectory
	*Authenticator
	clock time.Time
}

const siteURL = "http://127.0.0.1:8080"

func newSite(t *testing.T, issuers ...External) *site {
	t.Helper()
	s := &site{t: t, clock: time.Unix(1_800_000_000, 0)}
	s.dir = &fakeDirectory{
		revision: 1,
		accounts: map[Lookup]*Account{},
		hashes:   map[value.GUID]string{},
		trust:    Trust{Organization: testOrganization, Keys: []StoredKey{sharedKeys()[0]}},
	}
	s.addAccount(testUser, testClient, HeldRole{Role: guid(9), Admin: true, Direct: true})
	var err error
	s.Authenticator, err = New(Options{
		Directory: s.dir, Model: testModel(t), BaseURL: siteURL, TokenTTL: time.Hour, Issuers: issuers,
		Now: func() time.Time { return s.clock },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.poll()
	return s
}

func (s *site) addAccount(user, client value.GUID, roles ...HeldRole) *Account {
	a := &Account{
		Organization: testOrganization, User: user, Application: client, AccessMode: nonInteractive, Unit: RootUnit,
		Parents: map[value.GUID]value.GUID{RootUnit: {}}, Roles: roles,
	}
	s.dir.accounts[Lookup{ByUser, user}] = a
	if !client.IsZero() {
		s.dir.accounts[Lookup{ByApplication, client}] = a
	}
	return a
}

func (s *site) poll() {
	s.t.Helper()
	if err := s.Poll(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// key is the private key the site signs with.
func (s *site) key() *signingKey {
	s.t.Helper()
	k, err := s.dir.trust.Keys[0].parse()
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

// claims are those of a token the site would issue now.
func (s *site) claims() map[string]any {
	return map[string]any{
		"iss": siteURL, "aud": []string{siteURL, urn(testOrganization)}, "sub": testClient.String(), "client_id": testClient.String(),
		"exp": s.clock.Add(time.Hour).Unix(), "nbf": s.clock.Unix(), "iat": s.clock.Unix(),
	}
}

func (s *site) header() map[string]any {
	return map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": s.key().kid}
}

// refused authenticates with a token and returns the refusal's code.
func (s *site) refused(token string) fault.Code {
	s.t.Helper()
	_, err := s.Authenticate(s.t.Context(), "Bearer "+token)
	if err == nil {
		return 0
	}
	f := fault.As(err)
	if f.Status != 401 {
		s.t.Errorf("refused with status %d: %v", f.Status, err)
	}
	return f.Code
}

// segment encodes one part of a JWT by hand.
func segment(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// jwtOf puts a token together and signs it with sign, which gets the signing input.
func jwtOf(header, claims map[string]any, sign func([]byte) []byte) string {
	input := segment(header) + "." + segment(claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(input)))
}

func rs256(key *rsa.PrivateKey) func([]byte) []byte {
	return func(input []byte) []byte {
		sum := sha256.Sum256(input)
		sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			panic(err)
		}
		return sig
	}
}

func es256(key *ecdsa.PrivateKey) func([]byte) []byte {
	return func(input []byte) []byte {
		sum := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			panic(err)
		}
		sig := make([]byte, 64)
		r.FillBytes(sig[:32])
		s.FillBytes(sig[32:])
		return sig
	}
}

func hs256(secret []byte) func([]byte) []byte {
	return func(input []byte) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write(input)
		return h.Sum(nil)
	}
}

// with returns a copy of a map with some entries changed; a nil value removes one.
func with(m map[string]any, changes ...any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == nil {
			delete(out, changes[i].(string))
		} else {
			out[changes[i].(string)] = changes[i+1]
		}
	}
	return out
}

var errDown = errors.New("the database is down")
