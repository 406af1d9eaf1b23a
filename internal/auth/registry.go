package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Registry keeps the accounts of a database: it is the Directory over a store, and what the commands do with applications,
// users and roles.
type Registry struct {
	store store.Store
	model *schema.Model
	now   func() time.Time
}

var _ Directory = (*Registry)(nil)

// NewRegistry makes a registry over an open store. The clock is the machine's; nil means time.Now.
func NewRegistry(s store.Store, m *schema.Model, now func() time.Time) *Registry {
	if now == nil {
		now = time.Now
	}
	return &Registry{store: s, model: m, now: now}
}

// UsageError is a mistake in what a command was told: an unknown name, an impossible depth.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Revision is the counter that moves with every change of the security data.
func (r *Registry) Revision(ctx context.Context) (int64, error) {
	return revision(ctx, r.store, r.model)
}

// Account reads one user from one snapshot; nil when there is none.
func (r *Registry) Account(ctx context.Context, by Lookup) (*Account, error) {
	var a *Account
	err := r.store.View(ctx, func(src store.Reader) (err error) {
		l := &loader{ctx, src, r.model}
		a, err = l.account(lookupColumns[by.By], by.ID)
		return err
	})
	return a, err
}

// SecretHash returns the hash of an application's secret; "" when it has none.
func (r *Registry) SecretHash(ctx context.Context, client value.GUID) (string, error) {
	rows, err := findBy(ctx, r.store, r.model.Table("clientsecret"), "applicationid", value.ID(client), "hash")
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Value("hash").Text(), nil
}

// write runs a change of the security data as the service itself and marks it.
func (r *Registry) write(ctx context.Context, do func(*writer) error) error {
	return r.store.Write(ctx, func(tx store.Tx) error {
		if _, err := lockOrganization(ctx, tx, r.model); err != nil {
			return err
		}
		w, err := newWriter(ctx, tx, r.model, r.now(), SystemUser)
		if err != nil {
			return err
		}
		if err := do(w); err != nil {
			return err
		}
		return BumpSecurity(ctx, tx, r.model)
	})
}

// lockOrganization makes changes of the registry wait for each other; it returns the organization's row.
func lockOrganization(ctx context.Context, tx store.Tx, m *schema.Model) (*query.Row, error) {
	t := m.Table("organization")
	orgs, err := find(ctx, tx, &query.Link{Table: t}, nil)
	if err != nil {
		return nil, err
	}
	if len(orgs) == 0 {
		return nil, errNotBootstrapped
	}
	return tx.GetLocked(ctx, t, orgs[0].ID, []*schema.Column{t.Key})
}

// CreateUser registers a person who can be acted for and returns the systemuserid.
func (r *Registry) CreateUser(ctx context.Context, name string, roles []string) (value.GUID, error) {
	name, err := checkName("user", name, 200)
	if err != nil {
		return value.GUID{}, err
	}
	id := value.NewGUID(r.now())
	err = r.write(ctx, func(w *writer) error {
		first, last := "", name
		if i := strings.LastIndexByte(name, ' '); i > 0 {
			first, last = strings.TrimSpace(name[:i]), name[i+1:]
		}
		return r.insertUser(ctx, w, id, roles, values{
			"fullname": value.Text(name), "firstname": textOrNull(first), "lastname": value.Text(last), "accessmode": value.Int(0),
		})
	})
	return id, err
}

// insertUser adds a user of the root business unit with roles.
func (r *Registry) insertUser(ctx context.Context, w *writer, id value.GUID, roles []string, vs values) error {
	ids, err := r.roleIDs(ctx, w.tx, roles)
	if err != nil {
		return err
	}
	vs["businessunitid"] = value.ID(RootUnit)
	vs["isdisabled"] = value.Bool(false)
	if err := w.insert(ctx, "systemuser", id, vs); err != nil {
		return err
	}
	for _, role := range ids {
		if err := w.insert(ctx, "systemuserroles", value.NewGUID(w.now), values{"systemuserid": value.ID(id), "roleid": value.ID(role)}); err != nil {
			return err
		}
	}
	return nil
}

// roleIDs finds roles by name, each once; an unknown one is wrong usage.
func (r *Registry) roleIDs(ctx context.Context, src store.Reader, names []string) ([]value.GUID, error) {
	var ids []value.GUID
	for _, name := range names {
		roles, err := findBy(ctx, src, r.model.Table("role"), "name", value.Text(name))
		if err != nil {
			return nil, err
		}
		if len(roles) == 0 {
			return nil, usage("there is no role named %q", name)
		}
		if !slices.Contains(ids, roles[0].ID) {
			ids = append(ids, roles[0].ID)
		}
	}
	return ids, nil
}

func checkName(kind, name string, longest int) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > longest || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }) {
		return "", usage("the name of a %s must have 1 to %d bytes and no control characters", kind, longest)
	}
	return name, nil
}

func textOrNull(s string) value.Value {
	if s == "" {
		return value.Null
	}
	return value.Text(s)
}
