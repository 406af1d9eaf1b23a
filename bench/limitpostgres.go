package main

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresLimit reads and writes through a plain pool with binary cells.
type postgresLimit struct{ pool *pgxpool.Pool }

func openPostgresLimit(dsn string) (*postgresLimit, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.RuntimeParams["jit"] = "off"
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	return &postgresLimit{pool}, err
}

// postgresCells reads binary cells of the current row.
type postgresCells [][]byte

func (c postgresCells) null(i int) bool { return c[i] == nil }
func (c postgresCells) int(i int) int64 {
	switch b := c[i]; len(b) {
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	default:
		return 0
	}
}
func (c postgresCells) float(i int) float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(c[i]))
}
func (c postgresCells) bytes(i int) []byte { return c[i] }

func (l *postgresLimit) read(ctx context.Context, sql string, id []byte, row func(cells) error) error {
	var args []any
	if id != nil {
		args = []any{[16]byte(id)}
	}
	rows, err := l.pool.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(postgresCells(rows.RawValues())); err != nil {
			return err
		}
	}
	return rows.Err()
}

var numberedInsert = insertSQL(func(i int) string { return "$" + strconv.Itoa(i) })

func (l *postgresLimit) insert(ctx context.Context, gifts []newGift) error {
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, g := range gifts {
			values := giftValues(g)
			for j, v := range values {
				if b, ok := v.([]byte); ok {
					values[j] = [16]byte(b)
				}
			}
			batch.Queue(numberedInsert, values...)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}
