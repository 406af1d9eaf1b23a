package synctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// keys are the tables the tests write, with their keys.
var keys = map[string]string{
	"contacts": "contactid", "svc_donors": "svc_donorid", "svc_gifts": "svc_giftid", "svc_giftpayments": "svc_giftpaymentid",
	"svc_funds": "svc_fundid", "lists": "listid", "listmembers": "listmemberid",
}

// smallPages asks for pages small enough that rows change between them.
const smallPages = "odata.maxpagesize=7"

// mirror is a table as a reader has put it together from what it pulled: the JSON of each row by id.
type mirror struct {
	client *client
	set    string
	rows   map[string]string
	link   string // of the next pull; "" before the first
	pulls  int

	between func() // called between two pages, if not nil
}

func newMirror(c *client, set string) *mirror {
	return &mirror{client: c, set: set, rows: map[string]string{}}
}

// pull reads the table, or what has changed since the last pull, page by page.
func (m *mirror) pull() error {
	target, prefer := m.link, smallPages
	if target == "" {
		target, prefer = m.set, smallPages+",odata.track-changes"
	}
	for m.pulls++; ; {
		a := m.client.persist("GET", target, "", "Prefer", prefer)
		if a.status != 200 {
			return fmt.Errorf("%s: %s", target, a)
		}
		p, err := readPage(a.body)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		for _, raw := range p.Value {
			if err := m.apply(raw); err != nil {
				return err
			}
		}
		switch {
		case p.Next != "" && p.Delta == "" && len(p.Value) == 7:
			target = p.Next
			if m.between != nil {
				m.between()
			}
		case p.Next == "" && p.Delta != "":
			m.link = p.Delta
			return nil
		default:
			return fmt.Errorf("%s: a page of %d entries with next link %q and delta link %q", target, len(p.Value), p.Next, p.Delta)
		}
	}
}

// apply takes over one entry of a page: a row or a removal.
func (m *mirror) apply(raw json.RawMessage) error {
	var entry map[string]any
	if err := json.Unmarshal(raw, &entry); err != nil {
		return err
	}
	if context, gone := entry["@odata.context"].(string); gone {
		if !strings.HasSuffix(context, "$metadata#"+m.set+"/$deletedEntity") || entry["reason"] != "deleted" {
			return fmt.Errorf("%s: a strange entry %s", m.set, raw)
		}
		delete(m.rows, entry["id"].(string))
		return nil
	}
	m.rows[entry[keys[m.set]].(string)] = string(raw)
	return nil
}

// member returns a text member of an entry, "gone" for a removal.
func member(t testing.TB, raw json.RawMessage, name string) string {
	t.Helper()
	var entry map[string]any
	if err := json.Unmarshal(raw, &entry); err != nil {
		t.Fatal(err)
	}
	if entry["reason"] != nil {
		return "gone"
	}
	text, _ := entry[name].(string)
	return text
}

// readAll reads a table as it is now.
func readAll(c *client, set string) (map[string]string, error) {
	whole := newMirror(c, set)
	return whole.rows, whole.pull()
}

// compareMirror fails the test when a mirror is not the table.
func compareMirror(t *testing.T, name string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	var wrong []string
	for id, row := range want {
		if mirrored, ok := got[id]; !ok {
			wrong = append(wrong, "missing "+row)
		} else if mirrored != row {
			wrong = append(wrong, "stale "+mirrored+"\n  now "+row)
		}
	}
	for id := range got {
		if _, ok := want[id]; !ok {
			wrong = append(wrong, "undeleted "+id)
		}
	}
	slices.Sort(wrong)
	t.Errorf("%s: %d of %d rows are wrong, the first:\n%s", name, len(wrong), len(want), wrong[0])
}
