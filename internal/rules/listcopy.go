package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// CopyToStatic makes the empty static list that CopyDynamicListToStatic fills. Lock it with LockList once its members are in.
func CopyToStatic(env Env, list *query.Row) (value.GUID, error) {
	t := list.Table
	if !list.Value("type").Bool() {
		return value.GUID{}, fault.New(fault.ListCopyStatic, "The list %s is static and cannot be copied as a dynamic one.", list.ID).
			At("list", "rule list.kind", "column type")
	}
	return env.Create(t, []query.Assign{
		set(t, "listname", list.Value("listname")), set(t, "purpose", list.Value("purpose")), set(t, "type", value.Bool(false)),
		set(t, "createdfromcode", list.Value("createdfromcode")), set(t, "description", list.Value("description")),
	})
}

// LockList keeps clients from changing the members of a list.
func LockList(env Env, id value.GUID) error {
	t := env.Model().Table("list")
	return env.Update(t, id, []query.Assign{set(t, "lockstatus", value.Bool(true))})
}
