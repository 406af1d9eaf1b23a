package servicetest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almoner/internal/engine"
	"almoner/internal/servicetest"
)

// house is a department, a fund and a donor to write gifts for.
type house struct {
	*servicetest.Server
	t           *testing.T
	fund, donor string
}

func newHouse(t *testing.T, s *servicetest.Server) *house {
	t.Helper()
	h := &house{Server: s, t: t}
	h.Create(t, "svc_departments", `{"svc_departmentname":"Programs","svc_isdefault":true}`)
	h.fund = h.Create(t, "svc_funds", `{"svc_fundname":"River","svc_fundclass":730850001,"svc_fundtype":730850003}`)
	h.donor = h.Create(t, "svc_donors", `{"svc_formaldefault":"Ann Lee"}`)
	return h
}

// give makes a one-off gift and returns its id.
func (h *house) give(date, amount string, header ...string) string {
	h.t.Helper()
	return h.Create(h.t, "svc_gifts", fmt.Sprintf(`{"svc_giftdate":%q,"svc_amount1":%s,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`,
		date, amount, h.donor, h.fund), header...)
}

// want compares columns of a row, given as text in one line.
func (h *house) want(path, want string, columns ...string) {
	h.t.Helper()
	if got := h.Columns(h.t, path, columns...); got != want {
		h.t.Errorf("%s of %s are %s, want %s", strings.Join(columns, ", "), path, got, want)
	}
}

// deltaLink reads a whole table and returns the link to its changes.
func (h *house) deltaLink(set, column string) string {
	h.t.Helper()
	link, _ := h.Get(h.t, "/"+set+"?$select="+column)["@odata.deltaLink"].(string)
	return link
}

// changes pulls a delta and returns the ids of the rows in it.
func (h *house) changes(link, key string) []string {
	h.t.Helper()
	var ids []string
	for _, row := range h.Get(h.t, link)["value"].([]any) {
		ids = append(ids, fmt.Sprint(row.(map[string]any)[key]))
	}
	return ids
}

// TestYearTurnsWhileNothingRuns starts a service after the year has turned: the touch still comes, by decision M25.
func TestYearTurnsWhileNothingRuns(t *testing.T) {
	t.Parallel()
	db := servicetest.OnSQLite(t)
	var link, donor string
	t.Run("before", func(t *testing.T) {
		h := newHouse(t, db.Serve(t))
		h.give("2021-05-05", "70")
		donor = h.donor
		servicetest.Eventually(t, "the current year counts as touched", func() bool { return h.Stored(t, "rollover.year") == "2026" })
		link = h.deltaLink("svc_donors", "svc_formaldefault")
	})
	db.Clock.Set(time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC))
	db.Set(t, "changes.retention", "8760h")
	h := &house{Server: db.Serve(t), t: t}
	servicetest.Eventually(t, "the touch", func() bool { return h.Stored(t, "rollover.year") == "2027" })
	_, token, _ := strings.Cut(link, "/api/data/v9.2")
	if ids := h.changes(token, "svc_donorid"); len(ids) != 1 || ids[0] != donor {
		t.Errorf("the delta holds %v, want %s", ids, donor)
	}
	h.want("/svc_donors("+donor+")", "0.00", "svc_totalgiving5yearsago")
}

// TestNoTouchWithoutSetting leaves change tracking alone when rollover.touch is off; the columns turn all the same.
func TestNoTouchWithoutSetting(t *testing.T) {
	t.Parallel()
	db := servicetest.OnSQLite(t)
	db.Set(t, "rollover.touch", "false")
	db.Clock.Set(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
	h := newHouse(t, db.Serve(t))
	h.give("2026-05-05", "70")
	servicetest.Eventually(t, "the current year counts as touched", func() bool { return h.Stored(t, "rollover.year") == "2026" })
	link := h.deltaLink("svc_donors", "svc_formaldefault")
	db.Clock.Set(time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC))
	servicetest.Eventually(t, "the new year is noted", func() bool { return h.Stored(t, "rollover.year") == "2027" })
	if ids := h.changes(link, "svc_donorid"); len(ids) != 0 {
		t.Errorf("the delta holds %v", ids)
	}
	h.want("/svc_donors("+h.donor+")", "0.00 70.00", "svc_totalgivingthisyear", "svc_totalgivinglastyear")
}

// TestQuarterEnds keeps the net assets of quarter ends and averages them when spend.method asks for it.
func TestQuarterEnds(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		db.Set(t, "spend.method", "avg12q")
		s := db.Serve(t)
		h := newHouse(t, s)
		fund := "/svc_funds(" + h.fund + ")"
		h.Must(t, "PATCH", fund, `{"svc_endowed":true,"svc_spendpercent":5,"svc_netassets":1000}`)
		h.want(fund, "50.00", "svc_spendable")
		servicetest.Eventually(t, "the last quarter counts as kept", func() bool { return h.Stored(t, "rollover.quarter") == "2026-03-31" })

		db.Clock.Set(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))
		servicetest.Eventually(t, "the second quarter is kept", func() bool { return h.Stored(t, "rollover.quarter") == "2026-06-30" })
		h.Must(t, "PATCH", fund, `{"svc_netassets":3000}`)
		h.want(fund, "50.00", "svc_spendable") // 5 percent of the one quarter end there is

		db.Clock.Set(time.Date(2026, 9, 30, 0, 0, 0, 0, time.UTC))
		link := h.deltaLink("svc_funds", "svc_fundname")
		db.Clock.Set(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
		servicetest.Eventually(t, "the third quarter is kept", func() bool { return h.Stored(t, "rollover.quarter") == "2026-09-30" })
		h.want(fund, "100.00", "svc_spendable") // 5 percent of (1000 + 3000) / 2
		if ids := h.changes(link, "svc_fundid"); len(ids) != 1 || ids[0] != h.fund {
			t.Errorf("the delta holds %v, want the fund whose spendable amount has changed", ids)
		}
		h.CheckBooks(t)
	})
}

// change changes a setting while the service runs and waits until totals have been made anew.
func (h *house) change(db *servicetest.Database, name, text string) {
	h.t.Helper()
	db.Set(h.t, name, text)
	db.Mark(h.t, engine.RecalcPending, "yes")
	servicetest.Eventually(h.t, "the recalculation", func() bool { return h.Stored(h.t, engine.RecalcPending) == "" })
}

// TestChangedSettingRecalculates changes what counts as giving while a service runs: totals follow by themselves.
func TestChangedSettingRecalculates(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		h := newHouse(t, db.Serve(t))
		h.Create(t, "svc_gifts", fmt.Sprintf(`{"svc_giftdate":"2026-01-01","svc_gifttype":730850001,"svc_amount1":100,
			"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, h.donor, h.fund))
		donor := "/svc_donors(" + h.donor + ")"
		h.want(donor, "0.00", "svc_totalgivingthisyear")
		link := h.deltaLink("svc_donors", "svc_formaldefault")
		h.change(db, "giving.pledge_basis", "commitment")
		h.want(donor, "100.00", "svc_totalgivingthisyear")
		if ids := h.changes(link, "svc_donorid"); len(ids) != 1 {
			t.Errorf("the delta holds %v", ids)
		}
		h.CheckBooks(t)
	})
}

// TestChangedYearMovesGifts lets the giving year begin in July while a service runs: gifts change years, and the store cuts fiscal years
// anew.
func TestChangedYearMovesGifts(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		h := newHouse(t, db.Serve(t))
		h.give("2026-06-30", "1")
		h.give("2025-07-01", "20")
		donor, years := "/svc_donors("+h.donor+")", []string{"svc_totalgivingthisyear", "svc_totalgivinglastyear"}
		fiscal := "/svc_gifts?$select=svc_giftnum&$filter=Microsoft.Dynamics.CRM.ThisFiscalYear(PropertyName='svc_giftdate')"
		h.want(donor, "1.00 20.00", years...)
		if n := len(h.Get(t, fiscal)["value"].([]any)); n != 1 {
			t.Errorf("%d gifts are of this calendar year", n)
		}
		h.change(db, "year.start_month", "7")
		h.want(donor, "21.00 0.00", years...)
		if n := len(h.Get(t, fiscal)["value"].([]any)); n != 2 {
			t.Errorf("%d gifts are of the year from July", n)
		}
		h.CheckBooks(t)
	})
}

// TestDerivedChangesLeaveModifiedAlone lets a payment of tomorrow move totals: version and delta move, modifiedon and modifiedby do not.
func TestDerivedChangesLeaveModifiedAlone(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		s := db.Serve(t)
		h := newHouse(t, s)
		gift := h.give("2026-01-01", "50")
		rows := []string{"/svc_donors(" + h.donor + ")", "/svc_funds(" + h.fund + ")", "/svc_gifts(" + gift + ")"}
		columns := []string{"modifiedon", "_modifiedby_value"}
		var before []string
		for _, path := range rows {
			before = append(before, h.Columns(t, path, columns...))
		}
		link := h.deltaLink("svc_donors", "svc_formaldefault")
		db.Clock.Set(servicetest.Noon.Add(24 * time.Hour))
		clerk := s.As(t, "Clerk", "Integration")
		clerk.Create(t, "svc_giftpayments", fmt.Sprintf(`{"svc_amount":-20,"svc_GiftNumber@odata.bind":"/svc_gifts(%s)"}`, gift))
		h.want(rows[0], "30.00", "svc_totalgivingthisyear")
		for i, path := range rows {
			h.want(path, before[i], columns...)
		}
		if ids := h.changes(link, "svc_donorid"); len(ids) != 1 || ids[0] != h.donor {
			t.Errorf("the delta holds %v", ids)
		}
		clerk.Must(t, "PATCH", rows[0], `{"svc_sortby":"lee"}`)
		if h.Columns(t, rows[0], columns...) == before[0] {
			t.Error("a client's own write left modifiedon and modifiedby alone")
		}
	})
}
