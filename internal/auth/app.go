package auth

import (
	"context"
	"fmt"
	"time"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Credentials are what an application signs in with. The secret is known only here and to who receives it.
type Credentials struct {
	ClientID     value.GUID
	ClientSecret string
	SystemUserID value.GUID
}

// App is an application user as commands show it.
type App struct {
	Name         string
	ClientID     value.GUID
	SystemUserID value.GUID
	Disabled     bool
	Roles        []string
}

// CreateApp registers an application user with roles. Names of applications are unique.
func (r *Registry) CreateApp(ctx context.Context, name string, roles []string) (Credentials, error) {
	name, err := checkName("application", name, 200)
	if err != nil {
		return Credentials{}, err
	}
	now := r.now()
	secret, hash := newSecret()
	c := Credentials{ClientID: value.NewGUID(now), ClientSecret: secret, SystemUserID: value.NewGUID(now)}
	err = r.write(ctx, func(w *writer) error {
		if taken, err := r.app(ctx, w.tx, name); err != nil || taken != nil {
			return firstError(err, fmt.Errorf("an application named %q exists already", name))
		}
		err := r.insertUser(ctx, w, c.SystemUserID, roles, values{
			"fullname": value.Text(name), "lastname": value.Text(name), "accessmode": value.Int(nonInteractive),
			"applicationid": value.ID(c.ClientID),
		})
		if err != nil {
			return err
		}
		return putSecret(ctx, w, c.ClientID, hash)
	})
	return c, err
}

// RotateApp gives an application a new secret; the old one stops working.
func (r *Registry) RotateApp(ctx context.Context, name string) (Credentials, error) {
	secret, hash := newSecret()
	c := Credentials{ClientSecret: secret}
	err := r.write(ctx, func(w *writer) error {
		app, err := r.mustApp(ctx, w.tx, name)
		if err != nil {
			return err
		}
		c.ClientID, c.SystemUserID = app.Value("applicationid").ID(), app.ID
		return putSecret(ctx, w, c.ClientID, hash)
	})
	return c, err
}

// DisableApp ends an application's access. The built-in administrator stays: without it nobody could undo anything.
func (r *Registry) DisableApp(ctx context.Context, name string) error {
	return r.write(ctx, func(w *writer) error {
		app, err := r.mustApp(ctx, w.tx, name)
		if err != nil {
			return err
		}
		if app.ID == AdministratorUser {
			return usage("the built-in administrator application cannot be disabled")
		}
		return w.update(ctx, "systemuser", app.ID, values{"isdisabled": value.Bool(true)})
	})
}

// ListApps lists the application users in the order they were made.
func (r *Registry) ListApps(ctx context.Context) ([]App, error) {
	var out []App
	err := r.store.View(ctx, func(src store.Reader) error {
		t := r.model.Table("systemuser")
		root := &query.Link{Table: t}
		where := query.Cond{Left: query.Ref{Link: root, Column: t.MustColumn("applicationid")}, Op: query.OpNotNull}
		users, err := find(ctx, src, root, where, "fullname", "applicationid", "isdisabled")
		if err != nil {
			return err
		}
		out = nil
		for _, u := range users {
			app := App{Name: u.Value("fullname").Text(), ClientID: u.Value("applicationid").ID(), SystemUserID: u.ID, Disabled: u.Value("isdisabled").Bool()}
			if app.Roles, err = r.rolesOf(ctx, src, u.ID); err != nil {
				return err
			}
			out = append(out, app)
		}
		return nil
	})
	return out, err
}

// IssueToken makes a bearer token for an application, for the built-in administrator when name is "".
func (r *Registry) IssueToken(ctx context.Context, name string, ttl time.Duration) (string, error) {
	if ttl < time.Second || ttl > MaxTokenTTL {
		return "", usage("the life of a token must be between 1s and %s", MaxTokenTTL)
	}
	var app *query.Row
	var err error
	if name == "" {
		app, err = r.store.Get(ctx, r.model.Table("systemuser"), AdministratorUser, nil)
		if err == nil && app == nil {
			err = errNotBootstrapped
		}
	} else {
		app, err = r.mustApp(ctx, r.store, name)
	}
	if err != nil {
		return "", err
	}
	if app.Value("isdisabled").Bool() {
		return "", fmt.Errorf("the application %q is disabled", app.Value("fullname").Text())
	}
	return r.issue(ctx, app.Value("applicationid").ID(), app.ID, ttl)
}

func (r *Registry) issue(ctx context.Context, client, user value.GUID, ttl time.Duration) (string, error) {
	trust, err := r.Trust(ctx)
	if err != nil {
		return "", err
	}
	key, err := (&ring{directory: r, now: r.now}).signer(ctx)
	if err != nil {
		return "", err
	}
	name := urn(trust.Organization)
	f := facts{issuer: name, resource: name, urn: name, client: client, user: user, tenant: trust.Organization, now: r.now(), ttl: ttl}
	if len(trust.Names) > 0 {
		f.issuer, f.resource = trust.Names[0], trust.Names[0]
	}
	return mint(key, f)
}

// app finds an application user by name; nil when there is none.
func (r *Registry) app(ctx context.Context, src store.Reader, name string) (*query.Row, error) {
	users, err := findBy(ctx, src, r.model.Table("systemuser"), "fullname", value.Text(name), "fullname", "applicationid", "isdisabled")
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		if !u.Value("applicationid").IsNull() {
			return u, nil
		}
	}
	return nil, nil
}

func (r *Registry) mustApp(ctx context.Context, src store.Reader, name string) (*query.Row, error) {
	app, err := r.app(ctx, src, name)
	if err == nil && app == nil {
		err = fmt.Errorf("there is no application named %q", name)
	}
	return app, err
}

func (r *Registry) rolesOf(ctx context.Context, src store.Reader, user value.GUID) ([]string, error) {
	links, err := findBy(ctx, src, r.model.Table("systemuserroles"), "systemuserid", value.ID(user), "roleid")
	if err != nil {
		return nil, err
	}
	var ids []value.GUID
	for _, l := range links {
		ids = append(ids, l.Value("roleid").ID())
	}
	roles, err := findAmong(ctx, src, r.model.Table("role"), "roleid", ids, "name")
	var names []string
	for _, role := range roles {
		names = append(names, role.Value("name").Text())
	}
	return names, err
}

func putSecret(ctx context.Context, w *writer, client value.GUID, hash string) error {
	return w.put(ctx, "clientsecret", values{
		"applicationid": value.ID(client), "hash": value.Text(hash), "createdon": value.Time(w.now.Unix()),
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// nonInteractive is the access mode of application users.
const nonInteractive = 4
