package auth

import (
	"context"
	"crypto/rsa"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// ring is the built-in issuer's keys and names in memory. A key it does not know makes it look in the database, at most once
// in ringPause; what it knows it reads again after ringLife.
type ring struct {
	directory Directory
	now       func() time.Time

	mu           sync.Mutex
	organization value.GUID
	keys         []*signingKey // newest first
	names        []string
	loaded       time.Time
}

const (
	ringPause    = time.Second
	ringLife     = time.Minute
	ringPatience = 5 * time.Second
)

var errNoKey = errors.New("the database holds no signing key")

// verifying returns the key of an id; nil when there is none.
func (r *ring) verifying(ctx context.Context, kid string) (*rsa.PublicKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx, ringLife); err != nil {
		return nil, err
	}
	key := r.find(kid)
	if key == nil {
		if err := r.refresh(ctx, ringPause); err != nil {
			return nil, err
		}
		key = r.find(kid)
	}
	if key == nil {
		return nil, nil
	}
	return key.public, nil
}

func (r *ring) find(kid string) *signingKey {
	i := slices.IndexFunc(r.keys, func(k *signingKey) bool { return k.kid == kid })
	if i < 0 {
		return nil
	}
	return r.keys[i]
}

// signer returns the key to sign with now.
func (r *ring) signer(ctx context.Context) (*signingKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx, ringLife); err != nil {
		return nil, err
	}
	if k := chooseSigner(r.keys, r.now()); k != nil {
		return k, nil
	}
	return nil, errNoKey
}

// knows tells whether a process on this database issues tokens under a name, which a token with a good signature gave.
func (r *ring) knows(ctx context.Context, name string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx, ringLife); err != nil {
		return false, err
	}
	if name == urn(r.organization) || slices.Contains(r.names, name) {
		return true, nil
	}
	// Only our own processes can have signed the token, so nobody can make us look too often.
	if err := r.refresh(ctx, 0); err != nil {
		return false, err
	}
	return slices.Contains(r.names, name), nil
}

// organizationID returns the organization's id.
func (r *ring) organizationID(ctx context.Context) (value.GUID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.refresh(ctx, ringLife)
	return r.organization, err
}

// keySet returns the public keys for publication.
func (r *ring) keySet(ctx context.Context) (jose.JSONWebKeySet, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	if err := r.refresh(ctx, ringLife); err != nil {
		return set, err
	}
	for _, k := range r.keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: k.public, KeyID: k.kid, Algorithm: string(signingAlgorithm), Use: "sig"})
	}
	return set, nil
}

// refresh reads keys and names again unless that was done less than age ago. Called with mu held.
func (r *ring) refresh(ctx context.Context, age time.Duration) error {
	now := r.now()
	if since := now.Sub(r.loaded); !r.loaded.IsZero() && since >= 0 && since < age {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ringPatience)
	defer cancel()
	trust, err := r.directory.Trust(ctx)
	if err != nil {
		return fault.Unavailable(err, 1)
	}
	keys := make([]*signingKey, 0, len(trust.Keys))
	for _, stored := range trust.Keys {
		key, err := stored.parse()
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	r.keys, r.names, r.organization, r.loaded = keys, trust.Names, trust.Organization, now
	return nil
}

// urn is the name of an organization that no URL changes: every token of the built-in issuer has it among its audiences.
func urn(organization value.GUID) string { return "urn:almoner:organization:" + organization.String() }
