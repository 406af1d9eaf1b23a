package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// RoleInfo is a role as commands show it.
type RoleInfo struct {
	ID     value.GUID
	Name   string
	Grants []NamedGrant // in order of name; nil in a list of roles
}

// NamedGrant is a privilege of a role with its name.
type NamedGrant struct {
	Privilege string
	Depth     Depth
}

// ParseGrant reads PRIVILEGE:DEPTH, such as prvReadsvc_gift:global. An unknown privilege or a depth it cannot have is wrong
// usage.
func ParseGrant(c *Catalog, text string) (Grant, error) {
	name, depth, ok := strings.Cut(text, ":")
	if !ok {
		return Grant{}, usage("%q is not of the form PRIVILEGE:DEPTH", text)
	}
	p := c.ByName(name)
	if p == nil {
		return Grant{}, usage("there is no privilege named %q", name)
	}
	for d := Basic; d <= Global; d++ {
		if !strings.EqualFold(depth, d.String()) {
			continue
		}
		if !p.Allows(d) {
			return Grant{}, usage("%s cannot be granted at depth %s, only at %s", p.Name, strings.ToLower(depth), strings.ToLower(p.depths()))
		}
		return Grant{p.ID, d}, nil
	}
	return Grant{}, usage("%q is not a depth; use basic, local, deep or global", depth)
}

// CreateRole makes a role of the given grants, each PRIVILEGE:DEPTH, and returns its id. Names of roles are unique.
func (r *Registry) CreateRole(ctx context.Context, name string, grants []string) (value.GUID, error) {
	name, err := checkName("role", name, 100)
	if err != nil {
		return value.GUID{}, err
	}
	parsed, err := r.parseGrants(grants)
	if err != nil {
		return value.GUID{}, err
	}
	id := value.NewGUID(r.now())
	err = r.write(ctx, func(w *writer) error {
		taken, err := findBy(ctx, w.tx, r.model.Table("role"), "name", value.Text(name))
		if err != nil || len(taken) > 0 {
			return firstError(err, fmt.Errorf("a role named %q exists already", name))
		}
		return insertRole(ctx, w, id, name, value.Null, parsed)
	})
	return id, err
}

// parseGrants reads grants; of one privilege given twice the greater depth counts.
func (r *Registry) parseGrants(texts []string) ([]Grant, error) {
	var out []Grant
	for _, text := range texts {
		g, err := ParseGrant(CatalogOf(r.model), text)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(out, func(o Grant) bool { return o.Privilege == g.Privilege }); i >= 0 {
			out[i].Depth = max(out[i].Depth, g.Depth)
			continue
		}
		out = append(out, g)
	}
	return out, nil
}

func insertRole(ctx context.Context, w *writer, id value.GUID, name string, template value.Value, grants []Grant) error {
	err := w.insert(ctx, "role", id, values{
		"name": value.Text(name), "businessunitid": value.ID(RootUnit), "parentrootroleid": value.ID(id), "roletemplateid": template,
	})
	if err != nil {
		return err
	}
	for _, g := range grants {
		if err := grantPrivilege(ctx, w, id, nil, g); err != nil {
			return err
		}
	}
	return nil
}

// ListRoles lists the roles in order of name, without their grants.
func (r *Registry) ListRoles(ctx context.Context) ([]RoleInfo, error) {
	roles, err := find(ctx, r.store, &query.Link{Table: r.model.Table("role")}, nil, "name")
	var out []RoleInfo
	for _, role := range roles {
		out = append(out, RoleInfo{ID: role.ID, Name: role.Value("name").Text()})
	}
	slices.SortFunc(out, func(a, b RoleInfo) int { return strings.Compare(value.Fold(a.Name), value.Fold(b.Name)) })
	return out, err
}

// ShowRole returns a role with what it grants.
func (r *Registry) ShowRole(ctx context.Context, name string) (*RoleInfo, error) {
	var info *RoleInfo
	err := r.store.View(ctx, func(src store.Reader) error {
		roles, err := findBy(ctx, src, r.model.Table("role"), "name", value.Text(name), "name")
		if err != nil || len(roles) == 0 {
			return firstError(err, fmt.Errorf("there is no role named %q", name))
		}
		info = &RoleInfo{ID: roles[0].ID, Name: roles[0].Value("name").Text()}
		held, err := roleGrants(ctx, src, r.model, info.ID)
		if err != nil {
			return err
		}
		for _, p := range CatalogOf(r.model).All() {
			if link := held[p.ID]; link != nil {
				info.Grants = append(info.Grants, NamedGrant{p.Name, depthOfMask(link.Value("privilegedepthmask").Int())})
			}
		}
		return nil
	})
	return info, err
}
