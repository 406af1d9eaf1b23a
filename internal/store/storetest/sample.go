package storetest

import (
	"context"
	"encoding/binary"
	"math/rand"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// dataset is rows of the suite's tables, in an order in which foreign keys hold.
type dataset struct {
	model  *schema.Model
	items  *schema.Table
	groups *schema.Table
	rows   []*query.Row
}

// randomRows makes groups and items with few different values, so that comparisons often meet.
func randomRows(rnd *rand.Rand, m *schema.Model, groups, items int) *dataset {
	d := &dataset{model: m, items: m.Table("tst_item"), groups: m.Table("tst_group")}
	for range groups {
		d.add(rnd, d.groups)
	}
	for range items {
		d.add(rnd, d.items)
	}
	return d
}

// add makes one row with some columns null.
func (d *dataset) add(rnd *rand.Rand, t *schema.Table) {
	row := query.NewRow(t, randomID(rnd))
	row.Set(t.Key, value.ID(row.ID))
	for _, c := range t.Columns {
		if c == t.Key || c.System || !c.Stored() || c.BaseOf != nil {
			continue
		}
		v := value.Null
		if rnd.Intn(5) > 0 {
			v = d.random(rnd, c)
		}
		row.Set(c, v)
	}
	d.rows = append(d.rows, row)
}

// random draws a value for a column; lookups point at rows made before.
func (d *dataset) random(rnd *rand.Rand, c *schema.Column) value.Value {
	if c.Type == schema.TypeLookup {
		return d.randomTarget(rnd, c)
	}
	if c.Type == schema.TypeMultiChoice {
		return value.Text(pick(rnd, multiChoices))
	}
	if c.Type == schema.TypeChoice {
		return value.Int(int64(rnd.Intn(5) + 1))
	}
	v := randomValue(rnd, c.Type.Kind())
	if c.Type.Kind() == value.KindDecimal {
		n := v.Int()
		for i := v.Scale(); i < c.Scale; i++ {
			n *= 10
		}
		return value.Decimal(n, c.Scale)
	}
	return v
}

func (d *dataset) randomTarget(rnd *rand.Rand, c *schema.Column) value.Value {
	target := pick(rnd, c.Targets)
	var found []*query.Row
	for _, row := range d.rows {
		if row.Table == target {
			found = append(found, row)
		}
	}
	switch {
	case len(found) == 0:
		return value.Null
	case c.Polymorphic():
		return value.Ref(pick(rnd, found).ID, target.TypeCode)
	default:
		return value.ID(pick(rnd, found).ID)
	}
}

var multiChoices = []string{"1", "2", "12", "21", "1,2", "1,12,21", "2,12"}

var texts = []string{
	"a", "A", "Ab", "abc", "ABC ", "abd", "Ärger", "arger", "ÁBC", "zoë", "Zoe", "ø", "o", "10% off", "10_off", "[x]", "x-y", "x^y", "]", "back\\slash",
	"Ann Lee", "ann  lee", " lead", "straße", "STRASSE", "naïve café", "emoji 🎁", "日本", "*star?", "new\nline", "O'Neil", "ab%", "\U0010FFFF", "ａ",
}

var patterns = []string{
	"a%", "%b%", "_b_", "[a-c]%", "[^a-c]%", "%[%]%", "%[_]%", "a", "", "%", "[[]x]", "%[^a-z0-9]%", "%[-]%", "%[]", "[^]%", "%off", "10%", "Ä%", "%é%", "[x",
	"_", "__", "%[*?]%", "%[\\]%", "%[a-z] [a-z]%", "%[^-^]%", "ab[c-d]", "abc ", "%🎁", "%[^🎁]", "%[日]%",
}

// randomValue draws a value of a kind; numbers of different kinds often have the same worth.
func randomValue(rnd *rand.Rand, kind value.Kind) value.Value {
	small := int64(rnd.Intn(13) - 4)
	switch kind {
	case value.KindBool:
		return value.Bool(rnd.Intn(2) == 1)
	case value.KindInt:
		return value.Int(small)
	case value.KindMoney:
		return value.Money(small*50 + pick(rnd, []int64{0, 0, 0, 1, 49}))
	case value.KindDecimal:
		return value.Decimal(small*500+pick(rnd, []int64{0, 0, 1}), 3)
	case value.KindFloat:
		return value.Float(float64(small) / 2)
	case value.KindDate:
		return value.Date(19700 + 45*small)
	case value.KindTime:
		return value.Time((19700+45*small)*value.SecondsPerDay + pick(rnd, []int64{0, 0, 1, 43200, 86399}))
	case value.KindID:
		return value.ID(value.GUID{15: byte(rnd.Intn(3))})
	default:
		return value.Text(pick(rnd, texts))
	}
}

func randomID(rnd *rand.Rand) value.GUID {
	var g value.GUID
	binary.BigEndian.PutUint64(g[:], rnd.Uint64())
	binary.BigEndian.PutUint64(g[8:], rnd.Uint64())
	return g
}

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.Intn(len(list))] }

// insert writes all rows into a store.
func (d *dataset) insert(ctx context.Context, s store.Store) error {
	return s.Write(ctx, func(tx store.Tx) error {
		for _, row := range d.rows {
			if err := tx.Insert(ctx, row.Table, row.ID, row.Diff(nil)); err != nil {
				return err
			}
		}
		return nil
	})
}

// evaluator is the naive evaluator over the rows.
func (d *dataset) evaluator() *Evaluator {
	ev := &Evaluator{Rows: map[*schema.Table][]*query.Row{}}
	for _, row := range d.rows {
		ev.Rows[row.Table] = append(ev.Rows[row.Table], row)
	}
	return ev
}
