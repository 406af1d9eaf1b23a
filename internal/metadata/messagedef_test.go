package metadata

import (
	"slices"
	"testing"
)

// TestMessageFilters asks what clients ask before they use a bulk message.
func TestMessageFilters(t *testing.T) {
	s := service(t)
	asked := `sdkmessagefilters?$select=sdkmessagefilterid&$expand=sdkmessageid($select=name)&$filter=`
	for filter, want := range map[string]int{
		`primaryobjecttypecode eq 'svc_gift' and sdkmessageid/name eq 'CreateMultiple'`:  1,
		`primaryobjecttypecode eq 'svc_gift' and sdkmessageid/name eq 'UpdateMultiple'`:  1,
		`primaryobjecttypecode eq 'svc_gift' and sdkmessageid/name eq 'UpsertMultiple'`:  0,
		`primaryobjecttypecode eq 'contact' and sdkmessageid/name eq 'UpsertMultiple'`:   1,
		`primaryobjecttypecode eq 'svc_fund' and sdkmessageid/name eq 'Assign'`:          0,
		`primaryobjecttypecode eq 'audit' and sdkmessageid/name eq 'CreateMultiple'`:     0,
		`primaryobjecttypecode eq 'listmember' and sdkmessageid/name eq 'Create'`:        1,
		`primaryobjecttypecode eq 'listmember' and contains(sdkmessageid/name,'Update')`: 0,
		`primaryobjecttypecode eq 'nosuch'`:                                              0,
	} {
		if got := len(rows(t, answer(t, s, asked+filter))); got != want {
			t.Errorf("%s: %d filters, want %d", filter, got, want)
		}
	}
	row := rows(t, answer(t, s, asked+`primaryobjecttypecode eq 'svc_gift' and sdkmessageid/name eq 'CreateMultiple'`))[0]
	message := row["sdkmessageid"].(map[string]any)
	if message["name"] != "CreateMultiple" {
		t.Errorf("the filter leads to %v", message["name"])
	}
	all := rows(t, answer(t, s, `sdkmessages?$select=name`))
	if i := slices.IndexFunc(all, func(m map[string]any) bool { return m["name"] == "CreateMultiple" }); all[i]["sdkmessageid"] != message["sdkmessageid"] {
		t.Errorf("the expanded message has the key %v, the message itself %v", message["sdkmessageid"], all[i]["sdkmessageid"])
	}
}
