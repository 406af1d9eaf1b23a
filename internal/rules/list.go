package rules

import (
	"maps"
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

var listRules = []Rule{
	{
		Name: "list.kind", Table: "list", On: OnSave, Do: (*Books).checkList,
		Text:    "A static list has members and no query, a dynamic one a valid query on its member table and no lock.",
		Example: "A query on a static list is refused, and so is one on gifts for a list of contacts.",
	},
	{
		Name: "list.members", Table: "list", On: OnSave, Do: (*Books).checkMemberCode,
		Text:    "createdfromcode is one of the integers the setting list.membertype has for accounts, contacts and leads.",
		Example: "With list.membertype = platform 1, 2 and 4 pass and 3 is refused; else 2, 3 and 4 pass.",
	},
	{
		Name: "list.count", Table: "list", On: OnSave, Do: (*Books).setMemberCount,
		Text:    "membercount of a static list is the number of its members; that of a dynamic list is empty until it has been counted.",
		Example: "A new static list has 0 members; a dynamic one none known.",
	},
	{
		Name: "member.list", Table: "listmember", On: OnCreate | OnDelete, Do: (*Books).checkMember,
		Text:    "Members are added to and removed from static lists that are active and unlocked, and are rows of the list's member table.",
		Example: "Adding a contact to a locked list is refused, and so is adding an account to a list of contacts.",
	},
	{
		Name: "member.name", Table: "listmember", On: OnCreate, Do: (*Books).nameMember,
		Text:    "A list member carries the name of its row.",
		Example: "The membership of Ann Lee is named Ann Lee.",
	},
}

// memberTables are the tables createdfromcode stands for, by the setting list.membertype.
var memberTables = map[settings.MemberCodes]map[int64]string{
	settings.MembersSeed:     {2: "account", 3: "lead", 4: "contact"},
	settings.MembersPlatform: {1: "account", 2: "contact", 4: "lead"},
}

// MemberTable returns the table whose rows are members of a list; nil for a list without a known createdfromcode.
func MemberTable(m *schema.Model, s *settings.Settings, list *query.Row) *schema.Table {
	return m.Table(memberTables[s.ListMembertype][list.Value("createdfromcode").Int()])
}

func (b *Books) checkList(w *Write) error {
	r := w.New
	text := r.Value("query")
	if !r.Value("type").Bool() {
		if !text.IsNull() {
			return fault.New(fault.ListQueryOnStatic, "A static list cannot have a query.").At("list", "rule list.kind", "column query")
		}
		return nil
	}
	if r.Value("lockstatus").Bool() {
		return fault.New(fault.ListLockOnDynamic, "A dynamic list cannot be locked.").At("list", "rule list.kind", "column lockstatus")
	}
	member := MemberTable(b.env.Model(), b.settings, r)
	if text.IsNull() || member == nil || !w.Changed("query") {
		return nil
	}
	return fault.In(b.env.ParseListQuery(text.Text(), member), "rule list.kind")
}

func (b *Books) checkMemberCode(w *Write) error {
	code := w.New.Value("createdfromcode")
	tables := memberTables[b.settings.ListMembertype]
	if code.IsNull() || !w.Changed("createdfromcode") || tables[code.Int()] != "" {
		return nil
	}
	return fault.Option("list", "createdfromcode", code.Int(), slices.Sorted(maps.Keys(tables))).At("list", "rule list.members", "column createdfromcode")
}

func (b *Books) setMemberCount(w *Write) error {
	dynamic := w.New.Value("type").Bool()
	switch {
	case w.Old == nil && !dynamic:
		w.New.Put("membercount", value.Int(0))
	case dynamic && w.Changed("query"):
		w.New.Put("membercount", value.Null)
	}
	return nil
}

func (b *Books) checkMember(w *Write) error {
	r := w.Row()
	if b.leaving[r.Value("entityid").ID()] || b.leaving[r.Value("listid").ID()] {
		return nil // the membership ends because its list or its member does
	}
	list, err := b.rowOf(r, "listid")
	if err != nil || list == nil {
		return err
	}
	if err := MayChangeMembers(list); err != nil {
		return err
	}
	table := MemberTable(b.env.Model(), b.settings, list)
	if w.New != nil && (table == nil || r.Value("entityid").TypeCode() != table.TypeCode) {
		return fault.New(fault.ListWrongMember, "The member %s is not of the member table of the list %s.", r.Value("entityid"), list.ID).
			At("listmember", "rule member.list", "column entityid")
	}
	return nil
}

// MayChangeMembers refuses a list that is dynamic, locked or inactive. Messages call it too, so that they answer so even when
// nothing would change.
func MayChangeMembers(list *query.Row) error {
	switch {
	case list.Value("type").Bool():
		return fault.New(fault.ListDynamic, "Members cannot be added to or removed from the dynamic list %s.", list.ID).At("list", "rule member.list", "column type")
	case list.Value("lockstatus").Bool():
		return fault.New(fault.ListLocked, "The list %s is locked.", list.ID).At("list", "rule member.list", "column lockstatus")
	case !isActive(list):
		return fault.New(fault.ObjectInactive, "The list %s is inactive.", list.ID).At("list", "rule member.list", "column statecode")
	default:
		return nil
	}
}

func (b *Books) nameMember(w *Write) error {
	row, err := b.rowOf(w.New, "entityid")
	if err != nil || row == nil || row.Table.Title == nil {
		return err
	}
	c := w.New.Table.MustColumn("name")
	if title := row.Get(row.Table.Title); !title.IsNull() {
		w.New.Set(c, value.Text(cut(title.Text(), c)))
	}
	return nil
}

// afterMember counts members that came or went.
func (b *Books) afterMember(w *Write) error {
	id := w.Row().Value("listid").ID()
	switch w.Kind {
	case query.Create:
		b.lists[id]++
	case query.Delete:
		b.lists[id]--
	}
	return nil
}

// settleLists applies the differences to the member counts of static lists.
func (b *Books) settleLists() error {
	for _, id := range sortedIDs(b.lists) {
		if b.lists[id] == 0 {
			continue
		}
		row, err := b.env.Lock(b.tables.list, id)
		if err != nil {
			return err
		}
		if row == nil || row.Value("type").Bool() {
			continue
		}
		count := value.Int(row.Value("membercount").Int() + b.lists[id])
		if err := b.env.Derive(b.tables.list, id, []query.Assign{set(b.tables.list, "membercount", count)}); err != nil {
			return err
		}
	}
	return nil
}
