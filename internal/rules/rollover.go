package rules

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// YearTouch is how far the touching of donors and funds has come after a giving year turned. The zero YearTouch is the start.
type YearTouch struct {
	Donors value.GUID // last donor touched
	Funds  value.GUID // last fund touched
	Stage  int        // 0 donors, 1 funds, 2 done
}

// Done tells whether all have been touched.
func (y YearTouch) Done() bool { return y.Stage >= 2 }

// How many giving years before the current one a shift of the year columns can be seen in.
const (
	donorYearsShown = 6
	fundYearsShown  = 2
)

// TouchYear moves the versions of the next few donors, then funds, whose year columns show something else since a giving year
// began, so that delta readers fetch them. Call it, each time in a transaction of its own, until it is done; doing a batch
// again does no harm.
func TouchYear(env Env, year int, from YearTouch) (YearTouch, error) {
	t := findTables(env.Model())
	switch from.Stage {
	case 0:
		last, more, err := touchParents(env, t.donorYear, t.donor, "donor", year-donorYearsShown, year, from.Donors)
		from.Donors = last
		if !more {
			from.Stage = 1
		}
		return from, err
	case 1:
		last, more, err := touchParents(env, t.fundYear, t.fund, "fund", year-fundYearsShown, year, from.Funds)
		from.Funds = last
		if !more {
			from.Stage = 2
		}
		return from, err
	default:
		return from, nil
	}
}

// touchParents touches the parents of sums in a window of years that come after an id.
func touchParents(env Env, sums, parents *schema.Table, name string, low, high int, after value.GUID) (last value.GUID, more bool, err error) {
	where := []condition{compare(sums, "year", query.OpGe, value.Int(int64(low))), compare(sums, "year", query.OpLe, value.Int(int64(high)))}
	var position []value.Value
	if !after.IsZero() {
		position = []value.Value{value.ID(after), value.Int(int64(high))}
	}
	rows, err := readRows(env, sums, []string{name, "year"}, where, []string{name, "year"}, position, batchSize)
	if err != nil {
		return after, false, err
	}
	last = after
	for _, r := range rows {
		id := r.Value(name).ID()
		if id == last {
			continue
		}
		if err := env.Touch(parents, id); err != nil {
			return last, false, err
		}
		last = id
	}
	return last, len(rows) == batchSize, nil
}
