package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
	"almoner/tables"
)

// gifts is a wide table as the service fills it: a dozen of its columns set.
func gifts(b *testing.B) (*schema.Table, []query.Assign) {
	b.Helper()
	model, err := tables.Model()
	if err != nil {
		b.Fatal(err)
	}
	t := model.Table("svc_gift")
	var set []query.Assign
	for _, c := range t.StoredColumns() {
		if len(set) == 24 {
			break
		}
		switch {
		case c.Type == schema.TypeMoney:
			set = append(set, query.Assign{Column: c, Value: value.Money(12_345)})
		case c.Type == schema.TypeString:
			set = append(set, query.Assign{Column: c, Value: value.Text("A gift of the usual kind")})
		case c.Type == schema.TypeDateTime:
			set = append(set, query.Assign{Column: c, Value: value.Time(1_700_000_000)})
		}
	}
	return t, set
}

func BenchmarkInsert(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db := fresh(b, Options{})
			t, set := gifts(b)
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						db.mustWrite(b, func(tx store.Tx) error {
							if _, err := tx.NextVersion(context.Background()); err != nil {
								return err
							}
							return tx.Insert(context.Background(), t, value.NewGUID(time.Now()), set)
						})
					}
				})
			}
			wg.Wait()
		})
	}
}

func BenchmarkBulkInsert(b *testing.B) {
	db := fresh(b, Options{})
	t, set := gifts(b)
	b.ReportAllocs()
	b.ResetTimer()
	insertMany(b, db, t, set, b.N)
}

func insertMany(b *testing.B, db *database, t *schema.Table, set []query.Assign, n int) {
	b.Helper()
	err := db.Bulk(context.Background(), func(tx store.Tx) error {
		for range n {
			if err := tx.Insert(context.Background(), t, value.NewGUID(time.Now()), set); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkPage5000(b *testing.B) {
	db := fresh(b, Options{})
	t, set := gifts(b)
	insertMany(b, db, t, set, 6000)
	q := selection(t, t.StoredColumns())
	q.Order = []query.Order{{Expr: query.Ref{Link: q.Root, Column: t.Key}}}
	q.Page.Size = 5000
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r, err := db.Read(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		rows := 0
		for ; r.Next(); rows++ {
			readAll(r, q)
		}
		if r.Err() != nil || rows != 5000 {
			b.Fatal(rows, r.Err())
		}
	}
}

// readAll looks at every cell of a row as an encoder would.
func readAll(r query.Rows, q *query.Query) {
	at := 0
	for i := range q.Select.Outputs {
		o := &q.Select.Outputs[i]
		if !r.Null(at) {
			switch o.Column.Type.Kind() {
			case value.KindText, value.KindID:
				_ = r.Bytes(at)
			case value.KindFloat:
				_ = r.Float(at)
			default:
				_ = r.Int(at)
			}
		}
		at += o.Cells()
	}
}

func BenchmarkGet(b *testing.B) {
	db := fresh(b, Options{})
	t, set := gifts(b)
	key := value.NewGUID(time.Now())
	insertMany(b, db, t, set, 1000)
	db.mustWrite(b, func(tx store.Tx) error { return tx.Insert(context.Background(), t, key, set) })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if row, err := db.Get(ctx, t, key, nil); err != nil || row == nil {
			b.Fatal(row, err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	file := filepath.Join(b.TempDir(), "a.db")
	reopen(b, file, Options{})
	b.ResetTimer()
	for range b.N {
		db, err := openFile(file, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
