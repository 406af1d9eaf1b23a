package securitytest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/service"
	"almoner/internal/settings"
)

// provider is an identity provider on this machine: discovery, and a key set that changes.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []any
	issuer string // what its discovery document says it is
	down   bool
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	p.issuer = p.URL
	t.Cleanup(p.Close)
	return p
}

func (p *provider) answer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.down:
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/.well-known/openid-configuration":
		_, _ = w.Write([]byte(text(map[string]any{"issuer": p.issuer, "jwks_uri": p.URL + "/keys"})))
	case r.URL.Path == "/keys":
		_, _ = w.Write([]byte(text(map[string]any{"keys": p.keys})))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// publish replaces the key set.
func (p *provider) publish(keys ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

const audience = "api://almoner"

// trusting starts a world that takes the tokens of some providers.
func trusting(t *testing.T, providers ...*provider) *world {
	return newWorld(t, openSQLite(t), func(o *service.Options) {
		for _, p := range providers {
			o.Settings.Issuers = append(o.Settings.Issuers, settings.Issuer{Issuer: p.URL, Audience: audience})
		}
	})
}

// claimsOf is what a provider's token for a client says.
func claimsOf(p *provider, client string) map[string]any {
	at := time.Now().Unix()
	return map[string]any{"iss": p.URL, "aud": audience, "azp": client, "idtyp": "app", "iat": at, "nbf": at, "exp": at + 3600}
}

// Tokens of a trusted provider are taken by its keys and algorithms alone.
func TestExternalIssuer(t *testing.T) {
	p := newProvider(t)
	w := trusting(t, p)
	_, c := w.newApp("Partner", auth.RoleReader)
	client := c.ClientID.String()
	keys := newKeys(t, "RS256", "ES256", "ES512", "RS256", "EdDSA")
	rsa, ec, ec512, thief, ed := keys[0], keys[1], keys[2], keys[3], keys[4]
	p.publish(rsa.named("rsa"), ec.named("ec"), ec512.named("ec512"), ed.named("ed"))
	sign := func(alg, kid string, key any, edit func(map[string]any)) order {
		claims := claimsOf(p, client)
		if edit != nil {
			edit(claims)
		}
		return order{"alg": alg, "key": key, "header": map[string]any{"kid": kid, "typ": "JWT"}, "claims": claims}
	}
	at := time.Now().Unix()
	set := func(name string, v any) func(map[string]any) { return func(m map[string]any) { m[name] = v } }
	tries := []struct {
		name, code string
		status     int
		o          order
	}{
		{"RS256", "", 200, sign("RS256", "rsa", rsa.Private, nil)},
		{"PS256", "", 200, sign("PS256", "rsa", rsa.Private, nil)},
		{"ES256", "", 200, sign("ES256", "ec", ec.Private, nil)},
		{"algorithm that is not allowed", "0x8004a100", 401, sign("ES512", "ec512", ec512.Private, nil)},
		{"another one", "0x8004a100", 401, sign("EdDSA", "ed", ed.Private, nil)},
		{"HMAC with its public key", "0x8004a100", 401, sign("HS256", "rsa", rsa.Public, nil)},
		{"unsigned", "0x8004a100", 401, sign("none", "rsa", "", nil)},
		{"signed by a stranger", "0x8004a100", 401, sign("RS256", "rsa", thief.Private, nil)},
		{"the wrong key of the right set", "0x8004a100", 401, sign("RS256", "ec", rsa.Private, nil)},
		{"other audience", "0x8004a100", 401, sign("RS256", "rsa", rsa.Private, set("aud", "api://other"))},
		{"other issuer", "0x8004a100", 401, sign("RS256", "rsa", rsa.Private, set("iss", "https://elsewhere.example"))},
		{"as if from the service itself", "0x8004a100", 401, sign("RS256", "rsa", rsa.Private, set("iss", w.origin))},
		{"ended", "0x8004a101", 401, sign("RS256", "rsa", rsa.Private, set("exp", at-11))},
		{"not begun", "0x8004a100", 401, sign("RS256", "rsa", rsa.Private, set("nbf", at+180))},
		{"a person's", "0x8004a100", 401, sign("RS256", "rsa", rsa.Private, set("idtyp", "user"))},
		{"a client nobody knows", "0x80072560", 403, sign("RS256", "rsa", rsa.Private, set("azp", newID()))},
	}
	var orders []order
	for _, try := range tries {
		orders = append(orders, try.o)
	}
	for i, token := range signAll(t, orders) {
		a := caller{w: w, token: token}.get("WhoAmI")
		if try := tries[i]; a.status != try.status || a.fault().Code != try.code {
			t.Errorf("%s: %d %s, want %d %s", try.name, a.status, a.body, try.status, try.code)
		}
	}
}

// A provider changes its keys while the service runs: the new one is found by its name, at most once in ten seconds.
func TestExternalIssuerRotates(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := trusting(t, p)
	_, c := w.newApp("Partner", auth.RoleReader)
	keys := newKeys(t, "RS256", "RS256")
	p.publish(keys[0].named("old"))
	token := func(kid string, key keyPair) order {
		return order{"alg": "RS256", "key": key.Private, "header": map[string]any{"kid": kid}, "claims": claimsOf(p, c.ClientID.String())}
	}
	tokens := signAll(t, []order{token("old", keys[0]), token("new", keys[1])})
	old, fresh := caller{w: w, token: tokens[0]}, caller{w: w, token: tokens[1]}
	old.get("WhoAmI").must(t, http.StatusOK)
	fresh.get("WhoAmI").must(t, http.StatusUnauthorized)
	p.publish(keys[0].named("old"), keys[1].named("new"))
	eventually(t, "the provider's new key is known", func() bool {
		old.get("WhoAmI").must(t, http.StatusOK)
		return fresh.get("WhoAmI").ok()
	})
}

// A provider that says it is another one, or does not answer, lets nobody in; the service's own tokens are not touched by it.
func TestExternalIssuerFails(t *testing.T) {
	forged, down := newProvider(t), newProvider(t)
	forged.issuer, down.down = "https://login.example", true
	w := trusting(t, forged, down)
	_, c := w.newApp("Partner", auth.RoleReader)
	key := newKeys(t, "RS256")[0]
	forged.publish(key.named("k"))
	var orders []order
	for _, p := range []*provider{forged, down} {
		orders = append(orders, order{"alg": "RS256", "key": key.Private, "header": map[string]any{"kid": "k"}, "claims": claimsOf(p, c.ClientID.String())})
	}
	for _, token := range signAll(t, orders) {
		a := caller{w: w, token: token}.get("WhoAmI").must(t, http.StatusServiceUnavailable)
		if a.header.Get("Retry-After") == "" || strings.Contains(a.body, forged.URL) || strings.Contains(a.body, down.URL) {
			t.Errorf("%v %s", a.header, a.body)
		}
	}
	w.admin.get("WhoAmI").must(t, http.StatusOK)
}
