package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"almoner/internal/fault"
)

// Bounds of what is fetched from an identity provider.
const (
	maxDocument  = 256 << 10
	maxKeys      = 100
	fetchTimeout = 5 * time.Second
	keysPause    = 10 * time.Second // between two fetches, whatever kids tokens name
	keysLife     = time.Hour        // after which keys are fetched again, so that withdrawn ones go
	keysStale    = 24 * time.Hour   // for which known keys are used while the provider does not answer
)

// remoteKeys is the key set of one identity provider. It is fetched when a token names a key that is not in it, and
// regularly, but never more than once in keysPause.
type remoteKeys struct {
	issuer  string
	address string // "" until discovered
	fetcher *fetcher
	now     func() time.Time

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time // last success
	tried   time.Time
	failure error // of the last try
}

// find returns the keys of an id, all of them for a token that names none.
func (r *remoteKeys) find(ctx context.Context, kid string) ([]jose.JSONWebKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if now.Sub(r.fetched) > keysLife {
		r.refresh(ctx, now)
	}
	if found := r.known(kid, now); len(found) > 0 {
		return found, nil
	}
	r.refresh(ctx, now)
	if found := r.known(kid, now); len(found) > 0 {
		return found, nil
	}
	if r.failure != nil {
		return nil, fault.Unavailable(fmt.Errorf("keys of %s: %w", r.issuer, r.failure), int(keysPause/time.Second))
	}
	return nil, invalidToken("its key is not one of its issuer's")
}

func (r *remoteKeys) known(kid string, now time.Time) []jose.JSONWebKey {
	if now.Sub(r.fetched) > keysStale {
		return nil
	}
	if kid == "" {
		return r.keys
	}
	var out []jose.JSONWebKey
	for _, k := range r.keys {
		if k.KeyID == kid {
			out = append(out, k)
		}
	}
	return out
}

// refresh fetches the key set unless that was tried a moment ago. Called with mu held: one fetch serves all who wait.
func (r *remoteKeys) refresh(ctx context.Context, now time.Time) {
	if since := now.Sub(r.tried); !r.tried.IsZero() && since >= 0 && since < keysPause {
		return
	}
	r.tried = now
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*fetchTimeout)
	defer cancel()
	keys, err := r.fetch(ctx)
	if r.failure = err; err == nil {
		r.keys, r.fetched = keys, now
	}
}

func (r *remoteKeys) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	address := r.address
	if address == "" {
		found, err := r.fetcher.discover(ctx, r.issuer)
		if err != nil {
			return nil, err
		}
		address = found
	}
	return r.fetcher.keySet(ctx, address)
}

// fetcher reads documents of identity providers.
type fetcher struct{ client *http.Client }

// newFetcher copies a client (nil: a plain one) with a time limit and without redirects: where keys come from is
// configured, not told by an answer.
func newFetcher(client *http.Client) *fetcher {
	var c http.Client
	if client != nil {
		c = *client
	}
	c.Timeout = fetchTimeout
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("redirects are not followed") }
	return &fetcher{&c}
}

// discover asks an issuer where its keys are. The document must be the issuer's own.
func (f *fetcher) discover(ctx context.Context, issuer string) (string, error) {
	var doc struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := f.get(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", &doc); err != nil {
		return "", err
	}
	if doc.Issuer != issuer {
		return "", fmt.Errorf("the discovery document of %s is that of %q", issuer, doc.Issuer)
	}
	return doc.JWKSURI, checkAddress(doc.JWKSURI)
}

// keySet reads the public signing keys of a set; keys of a kind we do not use are passed over.
func (f *fetcher) keySet(ctx context.Context, address string) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := f.get(ctx, address, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("%s holds more than %d keys", address, maxKeys)
	}
	var out []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if err := json.Unmarshal(raw, &k); err == nil && usable(&k) {
			out = append(out, k)
		}
	}
	return out, nil
}

// usable tells whether a key is public, meant for signatures and strong enough.
func usable(k *jose.JSONWebKey) bool {
	if !k.IsPublic() || !k.Valid() || k.Use != "" && k.Use != "sig" {
		return false
	}
	rsaKey, isRSA := k.Key.(*rsa.PublicKey)
	return !isRSA || rsaKey.N.BitLen() >= keyBits
}

func (f *fetcher) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return err
	}
	if len(body) > maxDocument {
		return fmt.Errorf("%s is larger than %d bytes", address, maxDocument)
	}
	return json.Unmarshal(body, into)
}
