package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/value"
)

// The rows every database has. Their ids are the same everywhere, so that samples made with the same arguments are too.
var (
	RootUnit          = schema.MetadataID("businessunit", "root")
	DefaultTeam       = schema.MetadataID("team", "default")
	SystemUser        = schema.MetadataID("systemuser", "SYSTEM")
	AdministratorUser = schema.MetadataID("systemuser", "administrator")

	administratorClient   = schema.MetadataID("application", "administrator")
	administratorTemplate = value.MustGUID("627090ff-40a3-4053-8790-584edc5be201")
)

// The built-in roles.
const (
	RoleAdministrator = "System Administrator"
	RoleIntegration   = "Integration"
	RoleReader        = "Reader"
)

const administratorName = "Almoner Administrator"

var errNotBootstrapped = errors.New("the database has no organization yet")

// Bootstrap makes sure a migrated database has an organization, its root business unit and team, the base currency, the
// SYSTEM user, the built-in administrator application, the built-in roles, a privilege for every right on every table,
// and a signing key. It may run any number of times, in several processes at once; later runs add the privileges of
// tables that are new to the model, and grant them to the built-in roles.
func Bootstrap(ctx context.Context, s store.Store, m *schema.Model, now time.Time, cfg *settings.Settings) error {
	r := NewRegistry(s, m, func() time.Time { return now })
	var err error
	for range 5 {
		err = s.Write(ctx, func(tx store.Tx) error { return r.bootstrap(ctx, tx, cfg) })
		if fault.As(err).Code != fault.DuplicateRecord {
			break
		}
		// Another process was faster; what it made is there now.
	}
	if err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	return NewRegistry(s, m, nil).RenewKeys(ctx)
}

func (r *Registry) bootstrap(ctx context.Context, tx store.Tx, cfg *settings.Settings) error {
	w, err := newWriter(ctx, tx, r.model, r.now(), value.GUID{})
	if err != nil {
		return err
	}
	orgs, err := find(ctx, tx, &query.Link{Table: r.model.Table("organization")}, nil)
	if err != nil {
		return err
	}
	if len(orgs) == 0 {
		if err := r.foundations(ctx, w, cfg); err != nil {
			return err
		}
	}
	w.by = SystemUser
	return r.privileges(ctx, w)
}

// foundations makes the rows that everything else refers to, in the order in which they refer to each other.
func (r *Registry) foundations(ctx context.Context, w *writer, cfg *settings.Settings) error {
	if err := w.insert(ctx, "businessunit", RootUnit, values{"name": value.Text("Foundation"), "isdisabled": value.Bool(false)}); err != nil {
		return err
	}
	w.by = SystemUser
	steps := []func(context.Context, *writer, *settings.Settings) error{
		r.systemUser, r.unitActors, r.organization, r.administrator, r.defaultTeam, r.builtinRoles,
	}
	for _, step := range steps {
		if err := step(ctx, w, cfg); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) systemUser(ctx context.Context, w *writer, _ *settings.Settings) error {
	return w.insert(ctx, "systemuser", SystemUser, values{
		"fullname": value.Text("SYSTEM"), "lastname": value.Text("SYSTEM"), "accessmode": value.Int(3),
		"isdisabled": value.Bool(true), "businessunitid": value.ID(RootUnit),
	})
}

// unitActors completes the root unit, which was there before any user.
func (r *Registry) unitActors(ctx context.Context, w *writer, _ *settings.Settings) error {
	return w.update(ctx, "businessunit", RootUnit, values{"createdby": value.ID(SystemUser)})
}

func (r *Registry) organization(ctx context.Context, w *writer, cfg *settings.Settings) error {
	currency := currencyOf(cfg.BaseCurrency)
	id := schema.MetadataID("transactioncurrency", currency.code)
	err := w.insert(ctx, "transactioncurrency", id, values{
		"currencyname": value.Text(currency.name), "isocurrencycode": value.Text(currency.code),
		"currencysymbol": value.Text(currency.symbol), "exchangerate": value.Decimal(1e10, 10), "currencyprecision": value.Int(2),
	})
	if err != nil {
		return err
	}
	start := time.Date(w.now.Year(), time.Month(cfg.YearStartMonth), 1, 0, 0, 0, 0, time.UTC)
	return w.insert(ctx, "organization", value.NewGUID(w.now), values{
		"name": value.Text("Foundation"), "basecurrencyid": value.ID(id), "languagecode": value.Int(english), "localeid": value.Int(english),
		"fiscalcalendarstart":        value.Time(start.Unix()),
		"expirechangetrackingindays": value.Int(int64(cfg.ChangesRetention / (24 * time.Hour))),
	})
}

func (r *Registry) administrator(ctx context.Context, w *writer, _ *settings.Settings) error {
	return w.insert(ctx, "systemuser", AdministratorUser, values{
		"fullname": value.Text(administratorName), "lastname": value.Text(administratorName), "accessmode": value.Int(nonInteractive),
		"isdisabled": value.Bool(false), "applicationid": value.ID(administratorClient), "businessunitid": value.ID(RootUnit),
	})
}

func (r *Registry) defaultTeam(ctx context.Context, w *writer, _ *settings.Settings) error {
	return w.insert(ctx, "team", DefaultTeam, values{
		"name": value.Text("Foundation"), "teamtype": value.Int(0), "isdefault": value.Bool(true),
		"businessunitid": value.ID(RootUnit), "administratorid": value.ID(AdministratorUser),
	})
}

func (r *Registry) builtinRoles(ctx context.Context, w *writer, _ *settings.Settings) error {
	for _, b := range builtins {
		template := value.Null
		if b.name == RoleAdministrator {
			template = value.ID(administratorTemplate)
		}
		if err := insertRole(ctx, w, roleID(b.name), b.name, template, nil); err != nil {
			return err
		}
	}
	return w.insert(ctx, "systemuserroles", schema.MetadataID("systemuserroles", "administrator"), values{
		"systemuserid": value.ID(AdministratorUser), "roleid": value.ID(roleID(RoleAdministrator)),
	})
}

// privileges adds the privileges that the database does not have yet and grants them to the built-in roles. Those it has
// are left as they are: what an administrator changed stays changed.
func (r *Registry) privileges(ctx context.Context, w *writer) error {
	rows, err := find(ctx, w.tx, &query.Link{Table: r.model.Table("privilege")}, nil)
	if err != nil {
		return err
	}
	have := map[value.GUID]bool{}
	for _, row := range rows {
		have[row.ID] = true
	}
	added := false
	for _, p := range CatalogOf(r.model).All() {
		if have[p.ID] {
			continue
		}
		added = true
		if err := addPrivilege(ctx, w, p); err != nil {
			return err
		}
	}
	if !added {
		return nil
	}
	return BumpSecurity(ctx, w.tx, r.model)
}

func addPrivilege(ctx context.Context, w *writer, p *Privilege) error {
	err := w.insert(ctx, "privilege", p.ID, values{
		"name": value.Text(p.Name), "accessright": value.Int(p.accessBit()),
		"canbebasic": value.Bool(p.Allows(Basic)), "canbelocal": value.Bool(p.Allows(Local)),
		"canbedeep": value.Bool(p.Allows(Deep)), "canbeglobal": value.Bool(p.Allows(Global)),
	})
	if err != nil {
		return err
	}
	for _, b := range builtins {
		if d := b.grants(p); d > None {
			if err := grantPrivilege(ctx, w, roleID(b.name), nil, Grant{p.ID, d}); err != nil {
				return err
			}
		}
	}
	return nil
}

func roleID(name string) value.GUID { return schema.MetadataID("role", name) }
