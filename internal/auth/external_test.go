package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/fault"
)

// provider is an identity provider with keys that tests change.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []map[string]any
	issuer string // in its discovery document
	down   bool
	asked  atomic.Int32 // fetches of the key set
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"issuer": p.issuer, "jwks_uri": p.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.asked.Add(1)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"keys": p.keys})
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"keys":[` + strings.Repeat(" ", maxDocument) + `]}`))
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, "/keys", http.StatusFound) })
	p.Server = httptest.NewServer(mux)
	p.issuer = p.URL
	t.Cleanup(p.Close)
	return p
}

func (p *provider) set(keys ...map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func rsaJWK(kid string, k *rsa.PublicKey) map[string]any {
	return map[string]any{"kty": "RSA", "use": "sig", "kid": kid, "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())}
}

func ecJWK(kid string, k *ecdsa.PublicKey) map[string]any {
	point, err := k.Bytes() // 4, x, y
	if err != nil {
		panic(err)
	}
	return map[string]any{"kty": "EC", "crv": "P-256", "kid": kid, "x": b64(point[1:33]), "y": b64(point[33:])}
}

func (s *site) externalClaims(p *provider) map[string]any {
	return map[string]any{
		"iss": p.URL, "aud": "https://almoner.example", "appid": strings.ToUpper(testClient.String()), "azp": testClient.String(),
		"exp": s.clock.Add(time.Hour).Unix(), "nbf": s.clock.Unix(),
	}
}

func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestExternalIssuer(t *testing.T) {
	p := newProvider(t)
	s := newSite(t, External{Issuer: p.URL, Audience: "https://almoner.example"})
	ec, stranger := ecKey(t), ecKey(t)
	own := s.key()
	p.set(ecJWK("e1", &ec.PublicKey), rsaJWK("r1", own.public), map[string]any{"kty": "oct", "kid": "o1", "k": b64([]byte("secret"))},
		map[string]any{"kty": "strange", "kid": "s1"}, with(ecJWK("enc", &stranger.PublicKey), "use", "enc"), with(rsaJWK("ps", own.public), "alg", "PS256"))
	es := map[string]any{"alg": "ES256", "typ": "JWT", "kid": "e1"}
	claims := s.externalClaims(p)

	for name, token := range map[string]string{
		"ES256":        jwtOf(es, claims, es256(ec)),
		"RS256":        jwtOf(with(es, "alg", "RS256", "kid", "r1"), claims, rs256(own.private)),
		"no typ":       jwtOf(with(es, "typ", nil), claims, es256(ec)),
		"no kid":       jwtOf(with(es, "kid", nil), claims, es256(ec)),
		"aud in list":  jwtOf(es, with(claims, "aud", []string{"x", "https://almoner.example"}), es256(ec)),
		"access token": jwtOf(with(es, "typ", "application/at+jwt"), claims, es256(ec)),
	} {
		if code := s.refused(token); code != 0 {
			t.Errorf("%s refused: %v", name, code)
		}
	}
	for name, token := range map[string]string{
		"stranger's key":        jwtOf(es, claims, es256(stranger)),
		"stranger, no kid":      jwtOf(with(es, "kid", nil), claims, es256(stranger)),
		"our key in their name": jwtOf(with(es, "alg", "RS256", "kid", own.kid), claims, rs256(own.private)),
		"their key in our name": jwtOf(s.header(), with(s.claims(), "iss", siteURL), es256(ec)),
		"wrong audience":        jwtOf(es, with(claims, "aud", siteURL), es256(ec)),
		"our audience":          jwtOf(es, with(claims, "aud", urn(testOrganization)), es256(ec)),
		"HMAC by oct key":       jwtOf(with(es, "alg", "HS256", "kid", "o1"), claims, hs256([]byte("secret"))),
		"key for encryption":    jwtOf(with(es, "kid", "enc"), claims, es256(stranger)),
		"key of other alg":      jwtOf(with(es, "alg", "RS256", "kid", "ps"), claims, rs256(own.private)),
		"algorithm not allowed": jwtOf(with(es, "alg", "RS384", "kid", "r1"), claims, rs256(own.private)),
		"logout token":          jwtOf(with(es, "typ", "logout+jwt"), claims, es256(ec)),
		"unconfigured issuer":   jwtOf(es, with(claims, "iss", p.URL+"/other"), es256(ec)),
		"two clients":           jwtOf(es, with(claims, "azp", guid(50).String()), es256(ec)),
	} {
		if code := s.refused(token); code != fault.InvalidAuthTicket {
			t.Errorf("%s: code %v, want %v", name, code, fault.InvalidAuthTicket)
		}
	}
	if code := s.refused(jwtOf(es, with(claims, "exp", s.clock.Add(-11*time.Second).Unix()), es256(ec))); code != fault.ExpiredAuthTicket {
		t.Errorf("expired: code %v", code)
	}
}

func TestExternalKeyRotation(t *testing.T) {
	p := newProvider(t)
	s := newSite(t, External{Issuer: p.URL, Audience: "https://almoner.example"})
	first, second := ecKey(t), ecKey(t)
	p.set(ecJWK("k1", &first.PublicKey))
	token := func(kid string, key *ecdsa.PrivateKey, jti string) string {
		return jwtOf(map[string]any{"alg": "ES256", "kid": kid}, with(s.externalClaims(p), "jti", jti), es256(key))
	}
	if code := s.refused(token("k1", first, "a")); code != 0 {
		t.Fatalf("first key refused: %v", code)
	}
	p.set(ecJWK("k1", &first.PublicKey), ecJWK("k2", &second.PublicKey))
	s.clock = s.clock.Add(keysPause)
	if code := s.refused(token("k2", second, "b")); code != 0 {
		t.Errorf("second key refused: %v", code)
	}
	if code := s.refused(token("k1", first, "c")); code != 0 {
		t.Errorf("first key refused after the change: %v", code)
	}
	p.set(ecJWK("k2", &second.PublicKey))
	s.clock = s.clock.Add(keysLife + time.Second)
	if code := s.refused(token("k1", first, "d")); code != fault.InvalidAuthTicket {
		t.Errorf("withdrawn key: code %v", code)
	}
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	s.clock = s.clock.Add(2 * keysLife)
	if code := s.refused(token("k2", second, "e")); code != 0 {
		t.Errorf("known key refused while the provider is down: %v", code)
	}
}

func TestUnknownKidsDoNotFloodTheProvider(t *testing.T) {
	p := newProvider(t)
	s := newSite(t, External{Issuer: p.URL, Audience: "https://almoner.example", JWKSURI: p.URL + "/keys"})
	key := ecKey(t)
	p.set(ecJWK("k1", &key.PublicKey))
	for i := range 100 {
		header := map[string]any{"alg": "ES256", "kid": "x" + string(rune('a'+i))}
		if code := s.refused(jwtOf(header, s.externalClaims(p), es256(key))); code != fault.InvalidAuthTicket {
			t.Fatalf("code %v", code)
		}
	}
	if n := p.asked.Load(); n != 1 {
		t.Errorf("the provider was asked %d times, want once", n)
	}
}

func TestProviderTrouble(t *testing.T) {
	p := newProvider(t)
	key := ecKey(t)
	p.set(ecJWK("k1", &key.PublicKey))
	for name, test := range map[string]struct {
		external External
		prepare  func()
	}{
		"down":             {External{Issuer: p.URL, JWKSURI: p.URL + "/keys"}, func() { p.down = true }},
		"too large":        {External{Issuer: p.URL, JWKSURI: p.URL + "/large"}, func() {}},
		"redirect":         {External{Issuer: p.URL, JWKSURI: p.URL + "/moved"}, func() {}},
		"foreign document": {External{Issuer: p.URL}, func() { p.issuer = "https://evil.example" }},
	} {
		test.external.Audience = "https://almoner.example"
		s := newSite(t, test.external)
		p.down, p.issuer = false, p.URL
		test.prepare()
		token := jwtOf(map[string]any{"alg": "ES256", "kid": "k1"}, s.externalClaims(p), es256(key))
		_, err := s.Authenticate(t.Context(), "Bearer "+token)
		if f := fault.As(err); f.Status != 503 || f.Retry < 1 {
			t.Errorf("%s: %v with status %d, want 503", name, err, f.Status)
		}
	}
}

func TestIssuerSettingsAreChecked(t *testing.T) {
	for name, x := range map[string]External{
		"no audience":       {Issuer: "https://login.example"},
		"in the clear":      {Issuer: "http://login.example", Audience: "a"},
		"keys in the clear": {Issuer: "https://login.example", Audience: "a", JWKSURI: "http://login.example/keys"},
		"symmetric":         {Issuer: "https://login.example", Audience: "a", Algorithms: []string{"HS256"}},
		"none":              {Issuer: "https://login.example", Audience: "a", Algorithms: []string{"none"}},
		"our own name":      {Issuer: siteURL, Audience: "a"},
	} {
		_, err := New(Options{Directory: &fakeDirectory{}, Model: testModel(t), BaseURL: siteURL, TokenTTL: time.Hour, Issuers: []External{x}})
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
