package securitytest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/auth"
)

// tokenDoor asks for a token over a real connection.
func tokenDoor(t *testing.T, address string, form url.Values, edit func(*http.Request)) (status int, header http.Header, body map[string]any) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if edit != nil {
		edit(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatalf("%s: %s", address, raw)
	}
	return resp.StatusCode, resp.Header, body
}

func grantForm(c auth.Credentials) url.Values {
	return url.Values{"grant_type": {"client_credentials"}, "client_id": {c.ClientID.String()}, "client_secret": {c.ClientSecret}}
}

// An application signs in by form and by HTTP Basic; its token opens the Web API and holds for another implementation too.
func TestTokensHoldElsewhere(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	_, c := w.newApp("Desk", auth.RoleIntegration)
	address := w.listen()
	basic := func(r *http.Request) { r.SetBasicAuth(c.ClientID.String(), url.QueryEscape(c.ClientSecret)) }
	plain := url.Values{"grant_type": {"client_credentials"}, "scope": {w.origin + "/.default"}}
	var tokens []string
	for _, try := range []struct {
		path string
		form url.Values
		edit func(*http.Request)
	}{
		{"/oauth2/v2.0/token", grantForm(c), nil}, {"/oauth2/v2.0/token", plain, basic}, {"/some-tenant/oauth2/v2.0/token", plain, basic}, {"/some-tenant/oauth2/token", grantForm(c), nil},
	} {
		status, header, body := tokenDoor(t, address+try.path, try.form, try.edit)
		token, _ := body["access_token"].(string)
		if status != http.StatusOK || body["token_type"] != "Bearer" || token == "" || body["expires_in"] == nil {
			t.Fatalf("%s: %d %v", try.path, status, body)
		}
		if header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the token may be cached: %q", try.path, header.Get("Cache-Control"))
		}
		w.log.secret(token)
		tokens = append(tokens, token)
		who := caller{w: w, token: token}.get("WhoAmI").must(t, http.StatusOK).decode(t)
		if who["UserId"] != c.SystemUserID.String() {
			t.Errorf("%s: the token is %v's", try.path, who["UserId"])
		}
	}
	verifyElsewhere(t, w, tokens[0], c)
}

// verifyElsewhere finds the keys by discovery and lets Node check the token.
func verifyElsewhere(t *testing.T, w *world, token string, c auth.Credentials) {
	t.Helper()
	discovery := caller{w: w}.to(http.MethodGet, "/.well-known/openid-configuration", "").must(t, http.StatusOK).decode(t)
	keysAt := strings.TrimPrefix(discovery["jwks_uri"].(string), w.origin)
	set := caller{w: w}.to(http.MethodGet, keysAt, "").must(t, http.StatusOK)
	if strings.Contains(set.body, `"d":`) || strings.Contains(set.body, `"p":`) {
		t.Fatal("the key set holds private keys")
	}
	var verified struct {
		Valid          bool
		Header, Claims map[string]any
	}
	node(t, []order{{"do": "verify", "token": token, "keys": set.decode(t)["keys"]}}, &verified)
	if !verified.Valid || verified.Claims["iss"] != discovery["issuer"] || verified.Claims["appid"] != c.ClientID.String() || verified.Header["typ"] != "at+jwt" {
		t.Errorf("Node says of the token: %+v", verified)
	}
}

// Refusals of the token endpoint are those of RFC 6749, section 5.2, and tell nothing about which part was wrong.
func TestTokenEndpointRefuses(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	_, c := w.newApp("Desk", auth.RoleIntegration)
	_, gone := w.newApp("Gone", auth.RoleIntegration)
	if err := w.registry.DisableApp(t.Context(), "Gone"); err != nil {
		t.Fatal(err)
	}
	w.poll()
	address := w.listen() + "/oauth2/v2.0/token"
	with := func(pairs ...string) url.Values {
		form := maps.Clone(grantForm(c))
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return form
	}
	basic := func(id, secret string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(id, secret) }
	}
	for name, try := range map[string]struct {
		form   url.Values
		edit   func(*http.Request)
		status int
		code   string
	}{
		"no grant type":         {with("grant_type", ""), nil, 400, "invalid_request"},
		"other grant type":      {with("grant_type", "password"), nil, 400, "unsupported_grant_type"},
		"wrong secret":          {with("client_secret", "wrong"), nil, 401, "invalid_client"},
		"wrong secret by Basic": {url.Values{"grant_type": {"client_credentials"}}, basic(c.ClientID.String(), "wrong"), 401, "invalid_client"},
		"unknown client":        {with("client_id", newID()), nil, 401, "invalid_client"},
		"client is no GUID":     {with("client_id", "' or 1=1"), nil, 401, "invalid_client"},
		"no credentials":        {url.Values{"grant_type": {"client_credentials"}}, nil, 401, "invalid_client"},
		"both ways at once":     {grantForm(c), basic(c.ClientID.String(), c.ClientSecret), 400, "invalid_request"},
		"parameter twice":       {url.Values{"grant_type": {"client_credentials", "client_credentials"}}, nil, 400, "invalid_request"},
		"malformed scope":       {with("scope", "a\"b"), nil, 400, "invalid_scope"},
		"JSON":                  {grantForm(c), func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, 400, "invalid_request"},
		"too long":              {with("scope", strings.Repeat("x", 70<<10)), nil, 400, "invalid_request"},
		"disabled application":  {grantForm(gone), nil, 400, "unauthorized_client"},
	} {
		t.Run(name, func(t *testing.T) {
			status, header, body := tokenDoor(t, address, try.form, try.edit)
			if status != try.status || body["error"] != try.code || body["error_description"] == "" || body["access_token"] != nil {
				t.Errorf("%d %v, want %d %s", status, body, try.status, try.code)
			}
			if (header.Get("WWW-Authenticate") != "") != (status == http.StatusUnauthorized) {
				t.Errorf("WWW-Authenticate: %q", header.Get("WWW-Authenticate"))
			}
		})
	}
	caller{w: w}.to(http.MethodGet, "/oauth2/v2.0/token", "").must(t, http.StatusMethodNotAllowed)
}

// forger makes tokens like the service's own.
type forger struct {
	w      *world
	stored auth.StoredKey
	client string
	claims map[string]any
}

func newForger(t *testing.T, w *world) *forger {
	t.Helper()
	_, c := w.newApp("Desk", auth.RoleIntegration)
	trust, err := w.registry.Trust(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Unix()
	return &forger{w: w, stored: trust.Keys[0], client: c.ClientID.String(), claims: map[string]any{
		"iss": w.origin, "aud": []string{w.origin, "urn:almoner:organization:" + trust.Organization.String()}, "sub": c.ClientID.String(),
		"client_id": c.ClientID.String(), "appid": c.ClientID.String(), "azp": c.ClientID.String(), "idtyp": "app",
		"iat": at, "nbf": at, "exp": at + 3600,
	}}
}

// token orders a token with other claims and headers than the usual ones; a nil value takes one away.
func (f *forger) token(alg string, key any, header, claims map[string]any) order {
	merge := func(base, over map[string]any) map[string]any {
		out := maps.Clone(base)
		maps.Copy(out, over)
		maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
		return out
	}
	return order{
		"alg": alg, "key": key, "header": merge(map[string]any{"kid": f.stored.KID, "typ": "at+jwt"}, header), "claims": merge(f.claims, claims),
	}
}

// Every forgery is refused before anything is routed; what is right is taken.
func TestForgedTokens(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	f := newForger(t, w)
	own := f.stored.PEM
	thief := newKeys(t, "RS256", "ES256")
	var fetched atomic.Int32
	lure := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		_, _ = rw.Write([]byte(text(map[string]any{"keys": []any{thief[0].named(f.stored.KID)}})))
	}))
	defer lure.Close()
	set := caller{w: w}.to(http.MethodGet, "/.well-known/jwks.json", "").decode(t)["keys"].([]any)[0]
	at := time.Now().Unix()
	m := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	const bad, expired = "0x8004a100", "0x8004a101"
	tries := []struct {
		name string
		code string // "" for a token that is taken
		o    order
	}{
		{"as the service makes it", "", f.token("RS256", own, nil, nil)},
		{"ended five seconds ago", "", f.token("RS256", own, nil, m("exp", at-5))},
		{"begins in half a minute", "", f.token("RS256", own, nil, m("nbf", at+30))},
		{"ended eleven seconds ago", expired, f.token("RS256", own, nil, m("exp", at-11))},
		{"begins in three minutes", bad, f.token("RS256", own, nil, m("nbf", at+180))},
		{"no end", bad, f.token("RS256", own, nil, m("exp", nil))},
		{"unsigned", bad, f.token("none", "", nil, nil)},
		{"HMAC with the public key as PEM", bad, f.token("HS256", own, nil, nil)},
		{"HMAC with the public key as JWK", bad, f.token("HS256", set, nil, nil)},
		{"PS256 by the right key", bad, f.token("PS256", own, nil, nil)},
		{"signed by a stranger", bad, f.token("RS256", thief[0].Private, nil, nil)},
		{"signed by a stranger's curve", bad, f.token("ES256", thief[1].Private, nil, nil)},
		{"brings its own key", bad, f.token("RS256", thief[0].Private, m("jwk", thief[0].Public), nil)},
		{"brings its own key under its own name", bad, f.token("RS256", thief[0].Private, m("jwk", thief[0].Public, "kid", "mine"), nil)},
		{"says where its key is", bad, f.token("RS256", thief[0].Private, m("jku", lure.URL, "x5u", lure.URL), nil)},
		{"unknown key", bad, f.token("RS256", own, m("kid", "unknown"), nil)},
		{"key id that is a path", bad, f.token("RS256", own, m("kid", "../../etc/passwd"), nil)},
		{"no key id", bad, f.token("RS256", own, m("kid", nil), nil)},
		{"critical header", bad, f.token("RS256", own, m("crit", []string{"exp"}), nil)},
		{"other type", bad, f.token("RS256", own, m("typ", "JWT"), nil)},
		{"other audience", bad, f.token("RS256", own, nil, m("aud", "https://elsewhere.example"))},
		{"no audience", bad, f.token("RS256", own, nil, m("aud", nil))},
		{"other issuer", bad, f.token("RS256", own, nil, m("iss", "https://elsewhere.example"))},
		{"a person's token", bad, f.token("RS256", own, nil, m("idtyp", "user"))},
		{"names two clients", bad, f.token("RS256", own, nil, m("azp", newID()))},
		{"names no client", bad, f.token("RS256", own, nil, m("azp", nil, "appid", nil, "client_id", nil))},
	}
	var orders []order
	for _, try := range tries {
		orders = append(orders, try.o)
	}
	for i, token := range signAll(t, orders) {
		t.Run(tries[i].name, func(t *testing.T) {
			w.log.secret(token)
			f.judge(t, token, tries[i].code)
		})
	}
	if fetched.Load() > 0 {
		t.Error("a key was fetched from where a token said")
	}
}

// judge uses a token at several doors.
func (f *forger) judge(t *testing.T, token, code string) {
	c := caller{w: f.w, token: token}
	if code == "" {
		c.get("WhoAmI").must(t, http.StatusOK)
		return
	}
	for _, url := range []string{"/api/data/v9.2/WhoAmI", "/api/data/v9.2/nosuchset", "/api/data/v1.0/x", "/api/data/v9.2/$metadata", "/openapi.json"} {
		a := c.to(http.MethodGet, url, "")
		if url != "/openapi.json" {
			a.refused(t, http.StatusUnauthorized, code, "")
		}
		challenge := a.must(t, http.StatusUnauthorized).header.Get("WWW-Authenticate")
		if !strings.Contains(challenge, "authorization_uri=") || !strings.Contains(challenge, "resource_id=") {
			t.Errorf("%s: WWW-Authenticate: %q", url, challenge)
		}
	}
}

// What is no token at all is refused like the rest.
func TestBrokenTokens(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	good := w.admin.token
	head, rest, _ := strings.Cut(good, ".")
	body, sig, _ := strings.Cut(rest, ".")
	for name, header := range map[string]string{
		"nothing": "", "a word": "Bearer x", "Basic": "Basic eDp5", "no scheme": good, "two parts": "Bearer " + head + "." + body,
		"empty signature": "Bearer " + head + "." + body + ".", "changed body": "Bearer " + head + ".A" + body + "." + sig,
		"changed signature": "Bearer " + head + "." + body + ".A" + sig[1:], "twice": "Bearer " + good + "." + good,
		"JSON": `Bearer {"payload":"` + body + `","protected":"` + head + `","signature":"` + sig + `"}`, "long": "Bearer " + strings.Repeat("x", 60000),
	} {
		a := caller{w: w}.get("WhoAmI", "Authorization", header)
		if a.must(t, http.StatusUnauthorized); a.fault().Code == "" {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	caller{w: w}.get("WhoAmI").refused(t, http.StatusUnauthorized, "0x80044302", "not authenticated")
	for _, url := range []string{"/healthz", "/readyz", "/console/", "/console/main.mjs", "/.well-known/jwks.json", "/.well-known/openid-configuration"} {
		caller{w: w}.to(http.MethodGet, url, "").must(t, http.StatusOK)
	}
}

// A new key is published before it signs; tokens of the old one stay good throughout.
func TestKeysRotateWithoutDowntime(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	f := newForger(t, w)
	if err := w.registry.RotateKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	trust, err := w.registry.Trust(t.Context())
	if err != nil || len(trust.Keys) != 2 {
		t.Fatalf("%d keys: %v", len(trust.Keys), err)
	}
	fresh := trust.Keys[0]
	token := signAll(t, []order{f.token("RS256", fresh.PEM, map[string]any{"kid": fresh.KID}, nil)})[0]
	eventually(t, "the new key is known", func() bool {
		w.admin.get("WhoAmI").must(t, http.StatusOK)
		return caller{w: w, token: token}.get("WhoAmI").ok()
	})
	set := caller{w: w}.to(http.MethodGet, "/.well-known/jwks.json", "").decode(t)["keys"].([]any)
	if len(set) != 2 {
		t.Errorf("%d keys are published", len(set))
	}
	w.app("").get("WhoAmI").must(t, http.StatusOK)
}

// eventually waits for what the running service does by itself.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	began := time.Now()
	for !done() {
		if time.Since(began) > time.Minute {
			t.Fatalf("%s: not after a minute", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("%s after %s", what, time.Since(began).Round(time.Millisecond))
}
