package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

func TestViewHoldsSeveralCursors(t *testing.T) {
	s := openTest(t, Options{})
	ids := insertDepartments(t, s, 40)
	err := s.View(t.Context(), func(r store.Reader) error {
		outer, err := r.Read(t.Context(), allDepartments(s, 0))
		if err != nil {
			return err
		}
		defer outer.Close()
		for i := range ids {
			if !outer.Next() {
				t.Fatalf("row %d is missing: %v", i, outer.Err())
			}
			inner, err := r.Read(t.Context(), allDepartments(s, 3))
			if err != nil {
				return err
			}
			if got := value.GUID(outer.Bytes(0)); got != ids[i] {
				t.Errorf("row %d changed under the reader: %v", i, got)
			}
			if !inner.Next() || value.GUID(inner.Bytes(0)) != ids[0] {
				t.Errorf("inner cursor: %v", inner.Err())
			}
			if i%2 == 0 { // the others are left open
				inner.Close()
			}
		}
		if outer.Next() {
			t.Error("a row too many")
		}
		return outer.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestViewSeesOneSnapshot(t *testing.T) {
	s := openTest(t, Options{})
	insertDepartments(t, s, 1)
	err := s.View(t.Context(), func(r store.Reader) error {
		before, err := r.Count(t.Context(), allDepartments(s, 0))
		if err != nil {
			return err
		}
		mustWrite(t, s, func(tx store.Tx) error {
			return tx.Insert(t.Context(), departments(s), newID(), named(departments(s), "late"))
		})
		after, err := r.Count(t.Context(), allDepartments(s, 0))
		if before != 1 || after != 1 {
			t.Errorf("counted %d, then %d", before, after)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCloseFreesTheConnection(t *testing.T) {
	s := openTest(t, Options{MaxConns: 1})
	insertDepartments(t, s, 10)
	endless := statement{sql: "SELECT generate_series(1, 1000000000000)::text"}
	for _, cut := range []struct {
		name string
		stop func(query.Rows, context.CancelFunc)
	}{
		{"closed", func(r query.Rows, _ context.CancelFunc) { r.Close() }},
		{"cancelled", func(r query.Rows, cancel context.CancelFunc) {
			cancel()
			for r.Next() {
			}
			if r.Err() == nil {
				t.Error("a cancelled read ended without an error")
			}
		}},
	} {
		t.Run(cut.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			rows, err := s.readOnce(ctx, reading{statements: []statement{endless}})
			if err != nil {
				t.Fatal(err)
			}
			if !rows.Next() || string(rows.Bytes(0)) != "1" {
				t.Fatalf("no first row: %v", rows.Err())
			}
			cut.stop(rows, cancel)
			if n, err := s.Count(t.Context(), allDepartments(s, 0)); err != nil || n != 10 {
				t.Errorf("the only connection: %d, %v", n, err)
			}
		})
	}
}

func TestViewLeftInTheMiddle(t *testing.T) {
	s := openTest(t, Options{MaxConns: 1})
	err := s.View(t.Context(), func(r store.Reader) error {
		_, err := r.(*session).rows(t.Context(), []statement{{sql: "SELECT generate_series(1, 1000000000000)::text"}}, 0, []query.CellClass{query.BytesCell})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Count(t.Context(), allDepartments(s, 0)); err != nil {
		t.Error(err)
	}
}

func TestStatementTimeout(t *testing.T) {
	s := openTest(t, Options{StatementTimeout: 50 * time.Millisecond})
	_, err := s.readOnce(t.Context(), reading{statements: []statement{{sql: "SELECT pg_sleep(600)"}}})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.QueryTimeout {
		t.Fatalf("got %v", err)
	}
	if _, err := s.Count(t.Context(), allDepartments(s, 0)); err != nil {
		t.Error(err)
	}
}

func TestStatementsRunInTurn(t *testing.T) {
	s := openTest(t, Options{})
	statements := []statement{
		{sql: "SELECT 1::int2 AS n UNION ALL SELECT 2 ORDER BY n"},
		{sql: "SELECT 3::int8"},
		{sql: "SELECT n FROM generate_series(4, 9) AS n"},
	}
	for size, want := range map[int][]int64{0: {1, 2, 3, 4, 5, 6, 7, 8, 9}, 2: {1, 2}, 3: {1, 2, 3}, 5: {1, 2, 3, 4, 5}} {
		rows, err := s.readOnce(t.Context(), reading{statements: statements, size: size})
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for rows.Next() {
			got = append(got, rows.Int(0))
		}
		if rows.Err() != nil || len(got) != len(want) || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("size %d: %v, %v", size, got, rows.Err())
		}
		rows.Close()
	}
}

func TestCells(t *testing.T) {
	s := openTest(t, Options{})
	rows, err := s.readOnce(t.Context(), reading{statements: []statement{{
		sql:  `SELECT true, (-2)::int2, (-3)::int4, (-4)::int8, 1.5::float8, 7::int8, 'é'::text, $1::uuid, NULL::int8, ''::text`,
		args: []any{[16]byte{15: 9}},
	}}, size: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	for i, want := range []int64{1, -2, -3, -4} {
		if rows.Int(i) != want {
			t.Errorf("cell %d: %d", i, rows.Int(i))
		}
	}
	if rows.Float(4) != 1.5 || rows.Float(5) != 7 {
		t.Errorf("floats %v, %v", rows.Float(4), rows.Float(5))
	}
	if string(rows.Bytes(6)) != "é" || value.GUID(rows.Bytes(7)) != (value.GUID{15: 9}) {
		t.Errorf("bytes %q, %x", rows.Bytes(6), rows.Bytes(7))
	}
	if !rows.Null(8) || rows.Null(9) || rows.Int(8) != 0 {
		t.Error("null and empty text are mixed up")
	}
}
