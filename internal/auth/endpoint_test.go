package auth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"almoner/internal/value"
)

// ask posts to the token endpoint and returns status, answer and headers.
func (s *site) ask(path string, form url.Values, edit func(*http.Request)) (int, map[string]any, http.Header) {
	s.t.Helper()
	req := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	if edit != nil {
		edit(req)
	}
	w := httptest.NewRecorder()
	s.TokenHandler().ServeHTTP(w, req)
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		s.t.Fatalf("answer %q: %v", w.Body, err)
	}
	return w.Code, answer, w.Header()
}

func signInForm(secret string) url.Values {
	return url.Values{
		"grant_type": {"client_credentials"}, "client_id": {testClient.String()}, "client_secret": {secret}, "scope": {siteURL + "/.default"},
	}
}

func (s *site) withSecret() string {
	secret, hash := newSecret()
	s.dir.hashes[testClient] = hash
	return secret
}

func TestTokenEndpoint(t *testing.T) {
	s := newSite(t)
	secret := s.withSecret()
	basic := func(req *http.Request) {
		req.SetBasicAuth(url.QueryEscape(testClient.String()), url.QueryEscape(secret))
	}
	for name, test := range map[string]struct {
		path string
		form url.Values
		edit func(*http.Request)
	}{
		"form":        {"/oauth2/v2.0/token", signInForm(secret), nil},
		"with tenant": {"/contoso/oauth2/v2.0/token", signInForm(secret), nil},
		"basic":       {"/oauth2/v2.0/token", url.Values{"grant_type": {"client_credentials"}}, basic},
		"basic and id": {"/oauth2/v2.0/token",
			url.Values{"grant_type": {"client_credentials"}, "client_id": {testClient.String()}}, basic},
	} {
		status, answer, header := s.ask(test.path, test.form, test.edit)
		if status != 200 || answer["token_type"] != "Bearer" || answer["expires_in"] != 3600.0 {
			t.Fatalf("%s: %d %v", name, status, answer)
		}
		if header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the answer may be cached", name)
		}
		p, err := s.Authenticate(t.Context(), "Bearer "+answer["access_token"].(string))
		if err != nil || p.Client != testClient {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	status, answer, _ := s.ask("/contoso/oauth2/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {testClient.String()}, "client_secret": {secret}, "resource": {siteURL},
	}, nil)
	if status != 200 || answer["expires_in"] != "3600" || answer["resource"] != siteURL || answer["expires_on"] == nil {
		t.Errorf("older form: %d %v", status, answer)
	}
}

// TestIssuedTokenFollowsTheProfile reads an issued token with the published keys, as somebody else would (RFC 9068).
func TestIssuedTokenFollowsTheProfile(t *testing.T) {
	s := newSite(t)
	_, answer, _ := s.ask("/oauth2/v2.0/token", signInForm(s.withSecret()), nil)
	w := httptest.NewRecorder()
	s.KeysHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/jwks.json", nil))
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil || len(set.Keys) != 1 || !set.Keys[0].IsPublic() {
		t.Fatalf("key set %s: %v", w.Body, err)
	}
	if strings.Contains(w.Body.String(), `"d"`) {
		t.Fatal("the key set holds a private key")
	}
	token, err := jwt.ParseSigned(answer["access_token"].(string), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	if typ := token.Headers[0].ExtraHeaders[jose.HeaderType]; typ != "at+jwt" || token.Headers[0].KeyID != set.Keys[0].KeyID {
		t.Errorf("header %+v", token.Headers[0])
	}
	claims := map[string]any{}
	if err := token.Claims(set.Keys[0].Key, &claims); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"iss", "exp", "aud", "sub", "client_id", "iat", "jti"} {
		if claims[name] == nil {
			t.Errorf("claim %s is missing", name)
		}
	}
	if claims["iss"] != siteURL || claims["sub"] != testClient.String() || claims["oid"] != testUser.String() {
		t.Errorf("claims %v", claims)
	}
}

func TestTokenEndpointRefuses(t *testing.T) {
	s := newSite(t)
	secret := s.withSecret()
	disabled, unknown := guid(61), guid(62)
	s.addAccount(guid(60), disabled, HeldRole{Role: guid(9), Direct: true}).Disabled = true
	s.dir.hashes[disabled] = s.dir.hashes[testClient]
	form := func(changes ...string) url.Values {
		f := signInForm(secret)
		for i := 0; i < len(changes); i += 2 {
			f.Set(changes[i], changes[i+1])
			if changes[i+1] == "" {
				f.Del(changes[i])
			}
		}
		return f
	}
	twice := form()
	twice.Add("scope", "again")
	for name, test := range map[string]struct {
		form   url.Values
		edit   func(*http.Request)
		status int
		code   string
	}{
		"wrong secret":     {form("client_secret", "x"), nil, 401, "invalid_client"},
		"no secret":        {form("client_secret", ""), nil, 401, "invalid_client"},
		"no client":        {form("client_id", ""), nil, 401, "invalid_client"},
		"client no GUID":   {form("client_id", "admin"), nil, 401, "invalid_client"},
		"unknown client":   {form("client_id", unknown.String()), nil, 401, "invalid_client"},
		"disabled":         {form("client_id", disabled.String()), nil, 400, "unauthorized_client"},
		"no grant type":    {form("grant_type", ""), nil, 400, "invalid_request"},
		"other grant type": {form("grant_type", "password"), nil, 400, "unsupported_grant_type"},
		"bad scope":        {form("scope", "a\"b"), nil, 400, "invalid_scope"},
		"twice":            {twice, nil, 400, "invalid_request"},
		"assertion":        {form("client_secret", "", "client_assertion", "ey"), nil, 401, "invalid_client"},
		"two ways":         {form(), func(req *http.Request) { req.SetBasicAuth(testClient.String(), secret) }, 400, "invalid_request"},
		"bearer":           {form("client_secret", ""), func(req *http.Request) { req.Header.Set("Authorization", "Bearer x") }, 401, "invalid_client"},
		"JSON":             {form(), func(req *http.Request) { req.Header.Set("Content-Type", "application/json") }, 400, "invalid_request"},
		"too long":         {form("pad", strings.Repeat("x", maxForm)), nil, 400, "invalid_request"},
		"long secret":      {form("client_secret", strings.Repeat("x", maxSecretBytes+1)), nil, 401, "invalid_client"},
	} {
		status, answer, header := s.ask("/oauth2/v2.0/token", test.form, test.edit)
		if status != test.status || answer["error"] != test.code || answer["error_description"] == "" {
			t.Errorf("%s: %d %v, want %d %s", name, status, answer, test.status, test.code)
		}
		if status == 401 && header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no challenge", name)
		}
	}
	status, _, header := s.ask("/oauth2/v2.0/token", form(), func(req *http.Request) { req.Method = http.MethodGet })
	if status != 405 || header.Get("Allow") != "POST" {
		t.Errorf("GET: %d, Allow %q", status, header.Get("Allow"))
	}
	s.dir.down = errDown
	if status, answer, header := s.ask("/oauth2/v2.0/token", form(), nil); status != 503 || header.Get("Retry-After") == "" {
		t.Errorf("database down: %d %v", status, answer)
	}
}

func TestDiscovery(t *testing.T) {
	s := newSite(t)
	w := httptest.NewRecorder()
	s.DiscoveryHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/openid-configuration", nil))
	var doc map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["issuer"] != siteURL || doc["jwks_uri"] != siteURL+"/.well-known/jwks.json" || doc["token_endpoint"] != siteURL+"/oauth2/v2.0/token" {
		t.Errorf("document %v", doc)
	}
	w = httptest.NewRecorder()
	s.KeysHandler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/.well-known/jwks.json", nil))
	if w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
}

// TestServicesTrustEachOther has one service take another's tokens by discovery alone.
func TestServicesTrustEachOther(t *testing.T) {
	issuing := newSite(t)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	issuing.baseURL = server.URL
	mux.Handle("/.well-known/openid-configuration", issuing.DiscoveryHandler())
	mux.Handle("/.well-known/jwks.json", issuing.KeysHandler())

	trusting := newSite(t, External{Issuer: server.URL, Audience: server.URL})
	trusting.dir.trust = Trust{Organization: guid(200), Keys: []StoredKey{sharedKeys()[1]}}
	_, answer, _ := issuing.ask("/oauth2/v2.0/token", signInForm(issuing.withSecret()), nil)
	if p, err := trusting.Authenticate(t.Context(), "Bearer "+answer["access_token"].(string)); err != nil || p.Client != testClient {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestSecretsAreCheckedSlowlyOnce(t *testing.T) {
	s := newSecrets()
	client := guid(5)
	secret, hash := newSecret()
	if strings.Contains(hash, secret) || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash %q", hash)
	}
	check := func(hash, secret string, want bool) {
		t.Helper()
		if ok, err := s.verify(t.Context(), client, hash, secret); err != nil || ok != want {
			t.Errorf("verify says %v, %v, want %v", ok, err, want)
		}
	}
	check(hash, secret, true)
	for range cap(s.slots) {
		s.slots <- struct{}{} // no slow check can run now
	}
	check(hash, secret, true)
	for range cap(s.slots) {
		<-s.slots
	}
	check(hash, secret+"x", false)
	check("", secret, false)
	rotated, newHash := newSecret()
	check(newHash, secret, false)
	check(newHash, rotated, true)
}

func TestSlowChecksAreBounded(t *testing.T) {
	s := newSecrets()
	s.waiting.Store(maxWaiting)
	if _, err := s.verify(t.Context(), value.GUID{}, "", "x"); err != errBusy {
		t.Errorf("error %v, want %v", err, errBusy)
	}
}

func BenchmarkAuthenticateKnownToken(b *testing.B) {
	dir := &fakeDirectory{trust: Trust{Organization: testOrganization, Keys: []StoredKey{sharedKeys()[0]}}, accounts: map[Lookup]*Account{}}
	account := &Account{User: testUser, Application: testClient, Organization: testOrganization, Roles: []HeldRole{{Role: guid(1), Admin: true, Direct: true}}}
	dir.accounts[Lookup{ByApplication, testClient}] = account
	a, err := New(Options{Directory: dir, Model: testModel(b), BaseURL: siteURL, TokenTTL: MaxTokenTTL})
	if err != nil {
		b.Fatal(err)
	}
	token, err := a.mintFor(b.Context(), account)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if a.now().UnixNano()-a.polled.Load() > int64(pollPause) {
			if err := a.Poll(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		p, err := a.Authenticate(b.Context(), "Bearer "+token)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := a.Caller(b.Context(), p, Impersonation{}); err != nil {
			b.Fatal(err)
		}
	}
}
