package auth

import (
	"context"
	"slices"
	"strings"
	"time"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// keptNames is how many base URLs the database remembers.
const keptNames = 64

// Trust returns the keys and names of the built-in issuer.
func (r *Registry) Trust(ctx context.Context) (*Trust, error) {
	trust := &Trust{}
	err := r.store.View(ctx, func(src store.Reader) error {
		orgs, err := find(ctx, src, &query.Link{Table: r.model.Table("organization")}, nil)
		if err != nil {
			return err
		}
		if len(orgs) == 0 {
			return errNotBootstrapped
		}
		trust.Organization = orgs[0].ID
		if trust.Keys, err = r.keys(ctx, src); err != nil {
			return err
		}
		trust.Names, err = r.names(ctx, src)
		return err
	})
	return trust, err
}

// keys reads the signing keys, newest first.
func (r *Registry) keys(ctx context.Context, src store.Reader) ([]StoredKey, error) {
	rows, err := find(ctx, src, &query.Link{Table: r.model.Table("signingkey")}, nil, "kid", "key", "createdon", "retired")
	var out []StoredKey
	for _, row := range rows {
		out = append(out, StoredKey{
			KID: row.Value("kid").Text(), PEM: row.Value("key").Text(),
			Created: time.Unix(row.Value("createdon").Int(), 0), Retired: row.Value("retired").Bool(),
		})
	}
	slices.SortFunc(out, func(a, b StoredKey) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.KID, b.KID)
	})
	return out, err
}

// names reads the base URLs, latest announced first.
func (r *Registry) names(ctx context.Context, src store.Reader) ([]string, error) {
	rows, err := find(ctx, src, &query.Link{Table: r.model.Table("issuername")}, nil, "name", "seenon")
	slices.SortFunc(rows, func(a, b *query.Row) int { return int(b.Value("seenon").Int() - a.Value("seenon").Int()) })
	var out []string
	for _, row := range rows {
		out = append(out, row.Value("name").Text())
	}
	return out, err
}

// Announce tells all processes on the database that this one issues tokens under a base URL.
func (r *Registry) Announce(ctx context.Context, baseURL string) error {
	return r.store.Write(ctx, func(tx store.Tx) error {
		w, err := newWriter(ctx, tx, r.model, r.now(), SystemUser)
		if err != nil {
			return err
		}
		if err := w.put(ctx, "issuername", values{"name": value.Text(baseURL), "seenon": value.Time(r.now().Unix())}); err != nil {
			return err
		}
		names, err := r.names(ctx, tx)
		if err != nil || len(names) <= keptNames {
			return err
		}
		t := r.model.Table("issuername")
		for _, name := range names[keptNames:] {
			if err := tx.Remove(ctx, t, values{"name": value.Text(name)}.assigns(t)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RenewKeys makes a new signing key when the present one is old, and lets old ones go. Several processes may do it at once.
func (r *Registry) RenewKeys(ctx context.Context) error { return r.renewKeys(ctx, keyLife) }

// RotateKeys makes a new signing key at once. It begins to sign after an hour; tokens of the one before stay good.
func (r *Registry) RotateKeys(ctx context.Context) error { return r.renewKeys(ctx, 0) }

func (r *Registry) renewKeys(ctx context.Context, life time.Duration) error {
	keys, err := r.keys(ctx, r.store)
	if err != nil {
		return err
	}
	var fresh StoredKey
	if r.needsKey(keys, life) {
		if fresh, err = newStoredKey(r.now()); err != nil {
			return err
		}
	} else if len(r.stale(keys)) == 0 {
		return nil
	}
	return r.store.Write(ctx, func(tx store.Tx) error {
		if _, err := lockOrganization(ctx, tx, r.model); err != nil {
			return err
		}
		w, err := newWriter(ctx, tx, r.model, r.now(), SystemUser)
		if err != nil {
			return err
		}
		keys, err := r.keys(ctx, tx)
		if err != nil {
			return err
		}
		if fresh.KID != "" && r.needsKey(keys, life) {
			if err := putKey(ctx, w, fresh); err != nil {
				return err
			}
		}
		return r.retireKeys(ctx, w, r.stale(keys))
	})
}

func (r *Registry) needsKey(keys []StoredKey, life time.Duration) bool {
	return len(keys) == 0 || keys[0].Retired || r.now().Sub(keys[0].Created) >= life
}

// staleKey is a key that signs no more, and whether every token it signed has ended.
type staleKey struct {
	StoredKey
	forget bool
}

// stale lists the keys whose successor has been signing for some time, as far as something is to be done about them.
func (r *Registry) stale(keys []StoredKey) []staleKey {
	var out []staleKey
	for i := 1; i < len(keys); i++ {
		age := r.now().Sub(keys[i-1].Created) - keyLead
		if age > keyForget || age > keyRetire && !keys[i].Retired {
			out = append(out, staleKey{keys[i], age > keyForget})
		}
	}
	return out
}

func (r *Registry) retireKeys(ctx context.Context, w *writer, keys []staleKey) error {
	t := r.model.Table("signingkey")
	for _, k := range keys {
		if k.forget {
			if err := w.tx.Remove(ctx, t, values{"kid": value.Text(k.KID)}.assigns(t)); err != nil {
				return err
			}
			continue
		}
		retired, err := k.retire()
		if err != nil {
			return err
		}
		if err := putKey(ctx, w, retired); err != nil {
			return err
		}
	}
	return nil
}

func putKey(ctx context.Context, w *writer, k StoredKey) error {
	return w.put(ctx, "signingkey", values{
		"kid": value.Text(k.KID), "key": value.Text(k.PEM), "createdon": value.Time(k.Created.Unix()), "retired": value.Bool(k.Retired),
	})
}
