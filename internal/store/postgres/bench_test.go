package postgres

import (
	"testing"

	"almoner/internal/store"
	"almoner/internal/value"
)

func BenchmarkPage(b *testing.B) {
	s := openTest(b, Options{})
	insertDepartments(b, s, 5000)
	for b.Loop() {
		rows, err := s.Read(b.Context(), allDepartments(s, 5000))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n += len(rows.Bytes(1))
		}
		rows.Close()
		if n != 5000 {
			b.Fatal(n, rows.Err())
		}
	}
}

// BenchmarkPageDriver is the same page from the driver itself: the least it can cost.
func BenchmarkPageDriver(b *testing.B) {
	s := openTest(b, Options{})
	insertDepartments(b, s, 5000)
	for b.Loop() {
		rows, err := s.pool.Query(b.Context(), "SELECT svc_departmentid, svc_departmentname FROM svc_department ORDER BY svc_departmentid LIMIT 5000")
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n += len(rows.RawValues()[1])
		}
		if n != 5000 {
			b.Fatal(n, rows.Err())
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := openTest(b, Options{})
	id := insertDepartments(b, s, 1)[0]
	for b.Loop() {
		if row, err := s.Get(b.Context(), departments(s), id, nil); err != nil || row == nil {
			b.Fatal(row, err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	s := openTest(b, Options{})
	parent := insertDepartments(b, s, 1)[0]
	for b.Loop() {
		err := s.Write(b.Context(), func(tx store.Tx) error {
			if _, err := tx.GetLocked(b.Context(), departments(s), parent, nil); err != nil {
				return err
			}
			version, err := tx.NextVersion(b.Context())
			if err != nil {
				return err
			}
			set := append(named(departments(s), "new"), assign(departments(s), "versionnumber", value.Int(version))...)
			if err := tx.Insert(b.Context(), departments(s), newID(), set); err != nil {
				return err
			}
			return tx.Update(b.Context(), departments(s), parent, set)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
