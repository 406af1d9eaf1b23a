package metadata

import (
	"slices"

	"almoner/internal/messages"
	"almoner/internal/schema"
)

// Clients ask these sets whether a table takes a message before they call it.
const (
	rootMessages = "sdkmessages"
	rootFilters  = "sdkmessagefilters"
)

// messageName is a message as sdkmessages lists it.
type messageName string

var messageShape = complete(&shape{name: "sdkmessage", entity: true, key: "sdkmessageid", own: []member{
	get("sdkmessageid", edmGuid, func(m messageName) any { return schema.MetadataID("sdkmessage", string(m)) }),
	get("name", edmString, func(m messageName) any { return string(m) }),
}})

// messageFilter says that a table takes a message.
type messageFilter struct {
	table   *schema.Table
	message messageName
}

var filterShape = complete(&shape{name: "sdkmessagefilter", entity: true, key: "sdkmessagefilterid", own: []member{
	get("sdkmessagefilterid", edmGuid, func(f messageFilter) any {
		return schema.MetadataID("sdkmessagefilter", f.table.Name, string(f.message))
	}),
	get("primaryobjecttypecode", edmString, func(f messageFilter) any { return f.table.Name }),
	one("sdkmessageid", messageShape, func(f messageFilter) any { return element{messageShape, f.message} }).leading(rootMessages),
}})

// plainMessages are those behind reads and writes of rows.
var plainMessages = []messageName{"Create", "Retrieve", "RetrieveMultiple", "Update", "Delete"}

// upserted are the tables whose rows may be created by an update (decision 3).
var upserted = []string{"account", "contact"}

// messageNames lists what a table takes, plain messages first.
func (s *Service) messageNames(t *schema.Table) []messageName {
	names := slices.Clone(plainMessages)
	switch {
	case t.ReadOnly:
		names = []messageName{"Retrieve", "RetrieveMultiple"}
	case !t.Updatable():
		names = []messageName{"Create", "Retrieve", "RetrieveMultiple", "Delete"}
	}
	if slices.Contains(upserted, t.Name) {
		names = append(names, "Upsert")
	}
	for _, m := range s.messages {
		if takes(t, m) && !slices.Contains(names, messageName(m.Name)) {
			names = append(names, messageName(m.Name))
		}
	}
	return names
}

func takes(t *schema.Table, m *messages.Message) bool {
	switch {
	case m.Binding == messages.Unbound || t.ReadOnly && !m.Function:
		return false
	case m.Name == "UpdateMultiple":
		return t.Updatable()
	case m.Name == "UpsertMultiple":
		return slices.Contains(upserted, t.Name)
	case m.Name == "Assign":
		return t.Owner == schema.UserOwned
	case m.Name == "SetState":
		return t.Column("statecode") != nil
	default:
		return m.Tables == nil || slices.Contains(m.Tables, t.Name)
	}
}

func (s *Service) filterElements() []element {
	var out []element
	for _, t := range s.tables {
		for _, name := range s.messageNames(t) {
			out = append(out, element{filterShape, messageFilter{t, name}})
		}
	}
	return out
}

func (s *Service) messageElements() []element {
	var out []element
	seen := map[messageName]bool{}
	for _, e := range s.filterElements() {
		if name := e.of.(messageFilter).message; !seen[name] {
			seen[name] = true
			out = append(out, element{messageShape, name})
		}
	}
	return out
}
