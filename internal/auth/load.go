package auth

import (
	"context"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// loader reads accounts from one snapshot of the database.
type loader struct {
	ctx   context.Context
	src   store.Reader
	model *schema.Model
}

var userColumns = []string{"isdisabled", "accessmode", "applicationid", "businessunitid"}

// callerOf returns the caller that a user or team would be.
func callerOf(ctx context.Context, src store.Reader, m *schema.Model, principal *query.Row) (*Caller, error) {
	l := &loader{ctx, src, m}
	if principal.Table.Name == "team" {
		a, err := l.team(principal.ID)
		if err != nil {
			return nil, err
		}
		return NewCaller(m, a), nil
	}
	a, err := l.account("systemuserid", principal.ID)
	if err != nil {
		return nil, err
	}
	if a == nil {
		a = &Account{User: principal.ID}
	}
	return NewCaller(m, a), nil
}

// account reads the user in whose row a column holds an id; nil when there is none.
func (l *loader) account(column string, id value.GUID) (*Account, error) {
	users, err := findBy(l.ctx, l.src, l.model.Table("systemuser"), column, value.ID(id), userColumns...)
	if err != nil || len(users) == 0 {
		return nil, err
	}
	user := users[0]
	a := &Account{
		User:        user.ID,
		Application: user.Value("applicationid").ID(),
		Disabled:    user.Value("isdisabled").Bool(),
		AccessMode:  int(user.Value("accessmode").Int()),
		Unit:        user.Value("businessunitid").ID(),
	}
	if a.Revision, err = revision(l.ctx, l.src, l.model); err != nil {
		return nil, err
	}
	if err := l.organization(a); err != nil {
		return nil, err
	}
	if err := l.reports(a); err != nil {
		return nil, err
	}
	return a, l.roles(a)
}

// team reads a team as if it were a user: what it may do by itself.
func (l *loader) team(id value.GUID) (*Account, error) {
	a := &Account{User: id}
	teams, err := findBy(l.ctx, l.src, l.model.Table("team"), "teamid", value.ID(id), "businessunitid")
	if err != nil || len(teams) == 0 {
		return a, err
	}
	a.Unit = teams[0].Value("businessunitid").ID()
	if err := l.organization(a); err != nil {
		return nil, err
	}
	links, err := findBy(l.ctx, l.src, l.model.Table("teamroles"), "teamid", value.ID(id), "roleid")
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		a.Roles = append(a.Roles, HeldRole{Role: link.Value("roleid").ID(), Direct: true, Unit: a.Unit})
	}
	return a, l.grants(a)
}

// organization reads the organization and the tree of business units.
func (l *loader) organization(a *Account) error {
	orgs, err := find(l.ctx, l.src, &query.Link{Table: l.model.Table("organization")}, nil)
	if err != nil {
		return err
	}
	if len(orgs) > 0 {
		a.Organization = orgs[0].ID
	}
	units, err := find(l.ctx, l.src, &query.Link{Table: l.model.Table("businessunit")}, nil, "parentbusinessunitid")
	if err != nil {
		return err
	}
	a.Parents = map[value.GUID]value.GUID{}
	for _, u := range units {
		a.Parents[u.ID] = u.Value("parentbusinessunitid").ID()
	}
	return nil
}

// reports walks down the manager hierarchy, level by level; a loop in the data is walked once.
func (l *loader) reports(a *Account) error {
	level := []value.GUID{a.User}
	seen := map[value.GUID]bool{a.User: true}
	for len(level) > 0 {
		users, err := findAmong(l.ctx, l.src, l.model.Table("systemuser"), "parentsystemuserid", level)
		if err != nil {
			return err
		}
		level = nil
		for _, u := range users {
			if !seen[u.ID] {
				seen[u.ID] = true
				level = append(level, u.ID)
			}
		}
		a.Reports = append(a.Reports, level...)
	}
	return nil
}

// roles reads the teams of a user and the roles held directly and through them.
func (l *loader) roles(a *Account) error {
	direct, err := findBy(l.ctx, l.src, l.model.Table("systemuserroles"), "systemuserid", value.ID(a.User), "roleid")
	if err != nil {
		return err
	}
	for _, link := range direct {
		a.Roles = append(a.Roles, HeldRole{Role: link.Value("roleid").ID(), Direct: true, Unit: a.Unit})
	}
	memberships, err := findBy(l.ctx, l.src, l.model.Table("teammembership"), "systemuserid", value.ID(a.User), "teamid")
	if err != nil {
		return err
	}
	for _, m := range memberships {
		a.Teams = append(a.Teams, m.Value("teamid").ID())
	}
	if err := l.teamRoles(a); err != nil {
		return err
	}
	return l.grants(a)
}

func (l *loader) teamRoles(a *Account) error {
	teams, err := findAmong(l.ctx, l.src, l.model.Table("team"), "teamid", a.Teams, "businessunitid")
	if err != nil {
		return err
	}
	units := map[value.GUID]value.GUID{}
	for _, t := range teams {
		units[t.ID] = t.Value("businessunitid").ID()
	}
	links, err := findAmong(l.ctx, l.src, l.model.Table("teamroles"), "teamid", a.Teams, "teamid", "roleid")
	if err != nil {
		return err
	}
	for _, link := range links {
		a.Roles = append(a.Roles, HeldRole{Role: link.Value("roleid").ID(), Unit: units[link.Value("teamid").ID()]})
	}
	return nil
}

// grants fills the held roles with what they grant.
func (l *loader) grants(a *Account) error {
	var ids []value.GUID
	for _, r := range a.Roles {
		if !slices.Contains(ids, r.Role) {
			ids = append(ids, r.Role)
		}
	}
	roles, err := findAmong(l.ctx, l.src, l.model.Table("role"), "roleid", ids, "roletemplateid")
	if err != nil {
		return err
	}
	admin := map[value.GUID]bool{}
	for _, r := range roles {
		admin[r.ID] = r.Value("roletemplateid").ID() == administratorTemplate
	}
	links, err := findAmong(l.ctx, l.src, l.model.Table("roleprivileges"), "roleid", ids, "roleid", "privilegeid", "privilegedepthmask")
	if err != nil {
		return err
	}
	granted := map[value.GUID][]Grant{}
	for _, link := range links {
		role := link.Value("roleid").ID()
		granted[role] = append(granted[role], Grant{link.Value("privilegeid").ID(), depthOfMask(link.Value("privilegedepthmask").Int())})
	}
	for i := range a.Roles {
		r := &a.Roles[i]
		r.Admin, r.Grants = admin[r.Role], granted[r.Role]
	}
	return nil
}
