package postgres

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// texts lists the statements a queue becomes, each with the number of its writes.
func texts(q *queue) (sql []string, writes []int) {
	batch, works := q.batch(sqlgen.NewWriter(sqlgen.Postgres))
	for i, st := range batch.QueuedQueries {
		sql, writes = append(sql, st.SQL), append(writes, len(works[i]))
	}
	return sql, writes
}

func TestWritesThatFollowEachOtherAreJoined(t *testing.T) {
	model := testModel(t)
	department, years := model.Table("svc_department"), model.Table("tally")
	insert := func(i int, pairs ...any) *work {
		return &work{kind: inserts, table: department, id: value.GUID{15: byte(i)}, set: assign(department, pairs...)}
	}
	update := func(i int, pairs ...any) *work {
		w := insert(i, pairs...)
		w.kind = updates
		return w
	}
	add := func(word string, total int64) *work {
		return &work{kind: adds, table: years, set: assign(years, "word", value.Text(word), "year", value.Int(2024)), sums: assign(years, "total", value.Int(total))}
	}
	name, code := value.Text("D"), value.Text("C")
	for _, test := range []struct {
		name   string
		works  []*work
		writes []int
	}{
		{"inserts of unlike columns", []*work{insert(1, "svc_departmentname", name), insert(2, "svc_departmentname", name, "svc_note", code)}, []int{2}},
		{"updates of like columns", []*work{update(1, "svc_departmentname", name), update(2, "svc_departmentname", code)}, []int{2}},
		{"updates of unlike columns", []*work{update(1, "svc_departmentname", name), update(2, "svc_note", code)}, []int{1, 1}},
		{"one row twice", []*work{update(1, "svc_departmentname", name), update(1, "svc_departmentname", code)}, []int{1, 1}},
		{"other writes between", []*work{insert(1), update(1, "svc_departmentname", name), insert(2)}, []int{1, 1, 1}},
		{"additions to several rows", []*work{add("a", 5), add("b", 5), add("c", 5)}, []int{3}},
		{"additions to one row", []*work{add("a", 5), add("a", 5)}, []int{1, 1}},
		{"many", slices.Collect(func(yield func(*work) bool) {
			for i := range 39 {
				if !yield(insert(i, "svc_departmentname", name)) {
					return
				}
			}
		}), []int{16, 16, 4, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var q queue
			for _, w := range test.works {
				q.write(w)
			}
			if sql, writes := texts(&q); !slices.Equal(writes, test.writes) {
				t.Errorf("%v writes, want %v:\n%s", writes, test.writes, strings.Join(sql, "\n"))
			}
		})
	}
}

// What is joined is written as it would be one by one.
func TestJoinedWritesReachTheirRows(t *testing.T) {
	s := openTest(t, Options{})
	table, n := departments(s), 21
	id := func(i int) value.GUID { return value.GUID{0: 7, 15: byte(i)} }
	mustWrite(t, s, func(tx store.Tx) error {
		for i := range n {
			set := named(table, "new")
			if i%2 > 0 {
				set = append(set, assign(table, "svc_note", value.Text(strconv.Itoa(i)))...)
			}
			if err := tx.Insert(t.Context(), table, id(i), set); err != nil {
				return err
			}
		}
		for i := range n {
			if err := tx.Update(t.Context(), table, id(i), named(table, "changed "+id(i).String())); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range n {
		row, err := s.Get(t.Context(), table, id(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		code := ""
		if i%2 > 0 {
			code = strconv.Itoa(i)
		}
		if row.Value("svc_departmentname").Text() != "changed "+id(i).String() || row.Value("svc_note").Text() != code {
			t.Errorf("row %d is %q, %q", i, row.Value("svc_departmentname"), row.Value("svc_note"))
		}
	}
}

// A refusal names the row it is for, wherever among the joined ones it stands.
func TestTheRefusedRowIsNamed(t *testing.T) {
	s := openTest(t, Options{})
	table := departments(s)
	taken := insertDepartments(t, s, 1)[0]
	nowhere := value.GUID{0: 9}
	insertAll := func(rows map[value.GUID][]query.Assign, order ...value.GUID) error {
		return s.Write(t.Context(), func(tx store.Tx) error {
			for _, id := range order {
				if err := tx.Insert(t.Context(), table, id, rows[id]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	a, b, c := newID(), newID(), newID()
	plain := named(table, "D")
	err := insertAll(map[value.GUID][]query.Assign{a: plain, taken: plain, b: plain}, a, taken, b)
	if f := wantFault(t, err, fault.DuplicateRecord); !strings.Contains(strings.Join(f.Trace, " "), taken.String()) {
		t.Errorf("a taken key is refused as %v at %v", f, f.Trace)
	}
	dangling := append(named(table, "D"), assign(table, "svc_parentdepartment", value.ID(nowhere))...)
	err = insertAll(map[value.GUID][]query.Assign{a: plain, b: dangling, c: plain}, a, b, c)
	if f := wantFault(t, err, fault.ObjectDoesNotExist); !strings.Contains(f.Error(), nowhere.String()) {
		t.Errorf("a lookup to nowhere is refused as %v", f)
	}
}

// Rows asked for together come in the order of their keys, whatever runs they are read in; one that is not there is nil.
func TestRowsAskedForTogether(t *testing.T) {
	s := openTest(t, Options{})
	table := departments(s)
	ids := insertDepartments(t, s, 4)
	keys := []query.Key{{Table: table, ID: ids[1]}, {Table: table, ID: ids[3]}, {Table: table, ID: newID()}, {Table: table, ID: ids[2]}, {Table: table, ID: ids[0]}}
	for locked := range len(keys) + 1 {
		var sizes []int
		for run := range runs(keys, locked) {
			sizes = append(sizes, len(run))
		}
		mustWrite(t, s, func(tx store.Tx) error {
			rows, err := tx.GetMany(t.Context(), keys, locked)
			if err != nil {
				return err
			}
			for i, row := range rows {
				if (row == nil) != (i == 2) || row != nil && row.ID != keys[i].ID {
					t.Errorf("%d locked, in runs of %v: row %d is %v", locked, sizes, i, row)
				}
			}
			return nil
		})
	}
}
