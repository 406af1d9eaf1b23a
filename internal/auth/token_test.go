package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"almoner/internal/fault"
)

func TestOwnTokenIsTaken(t *testing.T) {
	s := newSite(t)
	token := jwtOf(s.header(), s.claims(), rs256(s.key().private))
	p, err := s.Authenticate(t.Context(), "bearer  "+token)
	if err != nil {
		t.Fatal(err)
	}
	if p.Client != testClient || p.Issuer != siteURL || !p.Expires.Equal(s.clock.Add(time.Hour)) {
		t.Errorf("principal %+v", p)
	}
}

func TestMissingToken(t *testing.T) {
	s := newSite(t)
	for _, header := range []string{"", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Negotiate x"} {
		_, err := s.Authenticate(t.Context(), header)
		if f := fault.As(err); f.Code != fault.RequestIsNotAuthenticated || f.Status != 401 {
			t.Errorf("%q: %v", header, err)
		}
	}
}

func TestForgedTokens(t *testing.T) {
	s := newSite(t)
	key := s.key()
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	header, claims := s.header(), s.claims()
	publicDER, _ := x509.MarshalPKIXPublicKey(key.public)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: pemPublic, Bytes: publicDER})
	jwk := map[string]any{
		"kty": "RSA", "kid": key.kid, "n": base64.RawURLEncoding.EncodeToString(stranger.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(stranger.E)).Bytes()),
	}
	sign, forge := rs256(key.private), rs256(stranger)
	none := func([]byte) []byte { return nil }
	good := jwtOf(header, claims, sign)
	parts := strings.Split(good, ".")
	admin := segment(with(claims, "client_id", guid(77).String()))

	for name, token := range map[string]string{
		"alg none":                jwtOf(with(header, "alg", "none"), claims, none),
		"alg None":                jwtOf(with(header, "alg", "None"), claims, none),
		"no signature":            parts[0] + "." + parts[1] + ".",
		"other claims":            parts[0] + "." + admin + "." + parts[2],
		"HMAC with public PEM":    jwtOf(with(header, "alg", "HS256"), claims, hs256(publicPEM)),
		"HMAC with public DER":    jwtOf(with(header, "alg", "HS256"), claims, hs256(publicDER)),
		"HMAC with modulus":       jwtOf(with(header, "alg", "HS256"), claims, hs256(key.public.N.Bytes())),
		"stranger's key":          jwtOf(header, claims, forge),
		"embedded jwk":            jwtOf(with(header, "jwk", jwk), claims, forge),
		"embedded jwk, no kid":    jwtOf(with(header, "jwk", jwk, "kid", nil), claims, forge),
		"jku":                     jwtOf(with(header, "jku", "http://127.0.0.1:1/keys", "kid", "theirs"), claims, forge),
		"x5u":                     jwtOf(with(header, "x5u", "http://127.0.0.1:1/cert"), claims, forge),
		"unknown kid":             jwtOf(with(header, "kid", "other"), claims, sign),
		"kid as path":             jwtOf(with(header, "kid", "../../dev/null"), claims, sign),
		"unknown crit":            jwtOf(with(header, "crit", []string{"b64"}, "b64", false), claims, sign),
		"ID token":                jwtOf(with(header, "typ", "JWT"), claims, sign),
		"other algorithm":         jwtOf(with(header, "alg", "RS512"), claims, sign),
		"wrong audience":          jwtOf(header, with(claims, "aud", "http://elsewhere"), sign),
		"audience is only URL":    jwtOf(header, with(claims, "aud", siteURL), sign),
		"no audience":             jwtOf(header, with(claims, "aud", nil), sign),
		"wrong issuer":            jwtOf(header, with(claims, "iss", "http://elsewhere"), sign),
		"no issuer":               jwtOf(header, with(claims, "iss", nil), sign),
		"no end":                  jwtOf(header, with(claims, "exp", nil), sign),
		"not yet valid":           jwtOf(header, with(claims, "nbf", s.clock.Add(61*time.Second).Unix()), sign),
		"no client":               jwtOf(header, with(claims, "client_id", nil), sign),
		"client is no GUID":       jwtOf(header, with(claims, "client_id", "me@example.org"), sign),
		"two clients":             jwtOf(header, with(claims, "azp", guid(77).String()), sign),
		"token of a person":       jwtOf(header, with(claims, "idtyp", "user"), sign),
		"claims are no object":    parts[0] + "." + segment([]int{1}) + "." + parts[2],
		"too long":                jwtOf(header, with(claims, "pad", strings.Repeat("x", maxTokenBytes)), sign),
		"not a token":             "abc",
		"JSON serialization":      `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
		"signature in other form": parts[0] + "." + parts[1] + "." + parts[2] + "==",
	} {
		if code := s.refused(token); code != fault.InvalidAuthTicket {
			t.Errorf("%s: code %v, want %v", name, code, fault.InvalidAuthTicket)
		}
	}
	if code := s.refused(good); code != 0 {
		t.Errorf("the good token is refused: %v", code)
	}
}

func TestTokenLife(t *testing.T) {
	s := newSite(t)
	end := s.clock.Add(time.Hour)
	token := jwtOf(s.header(), s.claims(), rs256(s.key().private))
	for _, test := range []struct {
		at   time.Time
		want fault.Code
	}{
		{s.clock.Add(-60 * time.Second), 0},
		{s.clock, 0},
		{end, 0},
		{end.Add(10 * time.Second), 0},
		{end.Add(11 * time.Second), fault.ExpiredAuthTicket},
		{end.Add(time.Hour), fault.ExpiredAuthTicket},
	} {
		s.clock = test.at
		if code := s.refused(token); code != test.want {
			t.Errorf("at %v from its end: code %v, want %v", test.at.Sub(end), code, test.want)
		}
	}
}

func TestKnownTokenEndsOnTime(t *testing.T) {
	s := newSite(t)
	token := jwtOf(s.header(), with(s.claims(), "exp", s.clock.Add(time.Minute).Unix()), rs256(s.key().private))
	if code := s.refused(token); code != 0 {
		t.Fatal(code)
	}
	s.clock = s.clock.Add(70*time.Second + time.Nanosecond)
	if code := s.refused(token); code != fault.ExpiredAuthTicket {
		t.Errorf("code %v, want %v", code, fault.ExpiredAuthTicket)
	}
}

func TestWithdrawnKeyStopsKnownTokens(t *testing.T) {
	s := newSite(t)
	token := jwtOf(s.header(), s.claims(), rs256(s.key().private))
	if code := s.refused(token); code != 0 {
		t.Fatal(code)
	}
	s.dir.change(func() { s.dir.trust.Keys = []StoredKey{sharedKeys()[1]} })
	s.clock = s.clock.Add(tokenRecheck)
	if code := s.refused(token); code != fault.InvalidAuthTicket {
		t.Errorf("code %v, want %v", code, fault.InvalidAuthTicket)
	}
}

// TestKeyRotation serves tokens while the key changes: before, during and after, none is refused.
func TestKeyRotation(t *testing.T) {
	s := newSite(t)
	oldToken, err := s.mintFor(t.Context(), s.dir.accounts[Lookup{ByApplication, testClient}])
	if err != nil {
		t.Fatal(err)
	}
	next := sharedKeys()[1]
	next.Created = s.clock
	s.dir.change(func() { s.dir.trust.Keys = []StoredKey{next, sharedKeys()[0]} })

	// Another process may sign with the new key before this one has read it.
	newKey, _ := next.parse()
	early := jwtOf(with(s.header(), "kid", newKey.kid), s.claims(), rs256(newKey.private))
	s.clock = s.clock.Add(2 * time.Second)
	for name, token := range map[string]string{"old": oldToken, "new": early} {
		if code := s.refused(token); code != 0 {
			t.Errorf("%s token refused: %v", name, code)
		}
	}
	for _, test := range []struct {
		after time.Duration
		kid   string
	}{{time.Minute, sharedKeys()[0].KID}, {keyLead, next.KID}} {
		s.clock = next.Created.Add(test.after)
		key, err := s.ring.signer(t.Context())
		if err != nil || key.kid != test.kid {
			t.Errorf("%v after the change the wrong key signs (%v)", test.after, err)
		}
	}
	retired, err := sharedKeys()[0].retire()
	if err != nil || strings.Contains(retired.PEM, "PRIVATE") {
		t.Fatalf("retired key: %v", err)
	}
	s.dir.change(func() { s.dir.trust.Keys = []StoredKey{next, retired} })
	s.clock = next.Created.Add(10 * time.Minute)
	if code := s.refused(oldToken); code != 0 {
		t.Errorf("token of the retired key refused: %v", code)
	}
}

func TestTokensOfOtherNodes(t *testing.T) {
	s := newSite(t)
	other := "http://10.0.0.2:9000"
	token := jwtOf(s.header(), with(s.claims(), "iss", other, "aud", []string{other, urn(testOrganization)}), rs256(s.key().private))
	if code := s.refused(token); code != fault.InvalidAuthTicket {
		t.Errorf("unannounced node: code %v", code)
	}
	s.dir.change(func() { s.dir.trust.Names = []string{other} })
	if code := s.refused(token); code != 0 {
		t.Errorf("announced node: code %v", code)
	}
}

func TestDatabaseOutageIsNoRefusal(t *testing.T) {
	s := newSite(t)
	token := jwtOf(s.header(), s.claims(), rs256(s.key().private))
	s.dir.down = errDown
	_, err := s.Authenticate(t.Context(), "Bearer "+token)
	if f := fault.As(err); f.Status != 503 || f.Retry < 1 {
		t.Errorf("status %d retry %d, want 503 with a wait", f.Status, f.Retry)
	}
}
