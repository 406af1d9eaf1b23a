package storetest

import (
	"errors"
	"math"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// fullRow has a value in every column of an item.
func (s *suite) fullRow() set {
	return set{
		"tst_name": value.Text("Zoë Ångström "), "tst_note": value.Text("plain"), "tst_memo": value.Text("two\nlines, 日本 🎁"),
		"tst_count": value.Int(-7), "tst_big": value.Int(math.MaxInt64), "tst_amount": value.Money(-123456789012345),
		"tst_rate": value.Decimal(8999999990000000001, 10), "tst_ratio": value.Decimal(-1, 3), "tst_weight": value.Float(0.1),
		"tst_flag": value.Bool(true), "tst_kind": value.Int(3), "tst_kinds": value.Text("1,12"), "tst_day": value.Date(value.MinDate),
		"tst_moment": value.Time(-6857222400), "tst_token": value.ID(id(77)), "tst_group": value.ID(id(1)),
		"tst_about": value.Ref(id(1), s.parents.TypeCode),
	}
}

func (s *suite) roundTrip() {
	s.add(s.parents, 1, set{"tst_title": value.Text("G")})
	full := s.fullRow()
	s.add(s.items, 1, full)
	s.add(s.items, 2, nil)
	row, err := s.Get(s.t.Context(), s.items, id(1), nil)
	s.must(err)
	for name, want := range full {
		if got := row.Value(name); got != want {
			s.t.Errorf("%s came back as %v %v, want %v", name, got.Kind(), got, want)
		}
	}
	s.agree("all columns", from(s.items, "tst_name", "tst_memo", "tst_big", "tst_amount", "tst_rate", "tst_weight", "tst_flag", "tst_day", "tst_moment",
		"tst_token", "tst_group", "tst_about"))
	if empty, err := s.Get(s.t.Context(), s.items, id(2), nil); err != nil || !empty.Value("tst_about").IsNull() || !empty.Value("tst_name").IsNull() {
		s.t.Errorf("a row of nulls came back as %v, %v", empty, err)
	}
	if none, err := s.Get(s.t.Context(), s.items, id(3), nil); none != nil || err != nil {
		s.t.Errorf("a row that is not there came back as %v, %v", none, err)
	}
	s.change()
}

// change updates and deletes what roundTrip has stored.
func (s *suite) change() {
	ctx := s.t.Context()
	s.write(func(tx store.Tx) error {
		if err := tx.Update(ctx, s.items, id(1), assigns(s.items, set{"tst_name": value.Text("O"), "tst_about": value.Null, "tst_amount": value.Null})); err != nil {
			return err
		}
		return tx.Delete(ctx, s.items, id(2))
	})
	row, err := s.Get(ctx, s.items, id(1), nil)
	s.must(err)
	if row.Value("tst_name").Text() != "O" || !row.Value("tst_about").IsNull() || !row.Value("tst_amount").IsNull() || row.Value("tst_count").Int() != -7 {
		s.t.Errorf("after the update the row is %v", row)
	}
	if gone, err := s.Get(ctx, s.items, id(2), nil); gone != nil || err != nil {
		s.t.Errorf("a deleted row came back as %v, %v", gone, err)
	}
	q := from(s.items)
	q.Where = query.Equal(q.Root, s.items.MustColumn("tst_name"), value.Text("ö"))
	if got := s.all(s, q); len(got) != 1 {
		s.t.Errorf("the new name is found %d times by its fold", len(got))
	}
}

func (s *suite) duplicate() {
	s.add(s.items, 1, nil)
	err := s.Write(s.t.Context(), func(tx store.Tx) error { return tx.Insert(s.t.Context(), s.items, id(1), nil) })
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.DuplicateRecord {
		s.t.Errorf("a second row with the same key: %v", err)
	}
}

func (s *suite) rollback() {
	stop := errors.New("stop")
	err := s.Write(s.t.Context(), func(tx store.Tx) error {
		if err := tx.Insert(s.t.Context(), s.items, id(1), nil); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		s.t.Errorf("the transaction ended with %v", err)
	}
	if n, err := s.Count(s.t.Context(), from(s.items)); n != 0 || err != nil {
		s.t.Errorf("%d rows are left, %v", n, err)
	}
}

func (s *suite) ownWrites() {
	ctx := s.t.Context()
	s.write(func(tx store.Tx) error {
		if err := tx.Insert(ctx, s.items, id(1), assigns(s.items, set{"tst_name": value.Text("new")})); err != nil {
			return err
		}
		row, err := tx.GetLocked(ctx, s.items, id(1), nil)
		if err != nil || row == nil || row.Value("tst_name").Text() != "new" {
			s.t.Errorf("inside the transaction the row is %v, %v", row, err)
		}
		if got := s.all(tx, from(s.items, "tst_name")); len(got) != 1 || !strings.HasSuffix(got[0], `"new"`) {
			s.t.Errorf("inside the transaction the rows are %q", got)
		}
		if missing, err := tx.GetLocked(ctx, s.items, id(2), nil); missing != nil || err != nil {
			s.t.Errorf("a row that is not there was locked: %v, %v", missing, err)
		}
		return nil
	})
}

// composite works on a hidden table with a composite key.
func (s *suite) composite() {
	ctx, years := s.t.Context(), s.model.Table("donoryear")
	key := func(donor, year int) []query.Assign {
		return assigns(years, set{"donor": value.ID(id(donor)), "year": value.Int(int64(year))})
	}
	amount := func(n int64) []query.Assign { return assigns(years, set{"amount": value.Int(n)}) }
	s.write(func(tx store.Tx) error {
		return errors.Join(
			tx.Put(ctx, years, append(key(1, 2023), amount(5)...)),
			tx.Put(ctx, years, append(key(1, 2023), amount(7)...)),
			tx.Put(ctx, years, key(1, 2022)),
			tx.Add(ctx, years, key(1, 2022), amount(3)),
			tx.Add(ctx, years, key(1, 2024), amount(10)),
			tx.Add(ctx, years, key(1, 2024), amount(-4)),
			tx.Put(ctx, years, append(key(2, 2024), amount(1)...)),
			tx.Remove(ctx, years, assigns(years, set{"donor": value.ID(id(2))})))
	})
	q := from(years, "year", "amount")
	q.Order = []query.Order{{Expr: col(q, "year")}}
	if got := strings.Join(s.all(s, q), ", "); got != "2022 3, 2023 7, 2024 6" {
		s.t.Errorf("the table holds %s", got)
	}
	s.write(func(tx store.Tx) error { return tx.Remove(ctx, years, nil) })
	if n, err := s.Count(ctx, q); n != 3 || err != nil {
		s.t.Errorf("removing by no value left %d rows (%v)", n, err)
	}
}

func (s *suite) counters() {
	ctx := s.t.Context()
	var got []int64
	for range 3 {
		var n, other int64
		s.write(func(tx store.Tx) (err error) {
			if n, err = tx.NextNumber(ctx, "gift"); err != nil {
				return err
			}
			other, err = tx.NextNumber(ctx, "other")
			return err
		})
		got = append(got, n, other)
	}
	for i, n := range got {
		if want := int64(i/2 + 1); n < want || i < 2 && n != 1 || i >= 2 && n <= got[i-2] {
			s.t.Errorf("numbers are %v", got)
		}
	}
}

func (s *suite) versions() {
	ctx := s.t.Context()
	last := int64(0)
	for range 3 {
		var drawn []int64
		s.write(func(tx store.Tx) error {
			drawn = nil
			for range 2 {
				v, err := tx.NextVersion(ctx)
				if err != nil {
					return err
				}
				drawn = append(drawn, v)
			}
			return tx.Touch(ctx)
		})
		for _, v := range drawn {
			if v <= last {
				s.t.Errorf("version %d follows %d", v, last)
			}
			last = v
		}
	}
	if w, err := s.Watermark(ctx); err != nil || w < last {
		s.t.Errorf("the watermark is %d (%v), version %d has been answered", w, err, last)
	}
}
