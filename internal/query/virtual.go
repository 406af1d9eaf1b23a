package query

import (
	"fmt"
	"strconv"
	"strings"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// Virtual columns are never stored; each names the derivation that yields it (rule M24). The derivations are:
//
//	giving_year_k    a donor's giving k giving years ago, from donoryear
//	fund_giving_k    a fund's giving k giving years ago, from fundyear
//	spendable        what a fund may spend now
//	portal_spendable the same, null where the portal must not show it
//	self             the row's own key under another name
//	typename:x       the logical name of the table lookup x points at
//
// A name that ends in _base is the same amount in the base currency.

const baseSuffix = "_base"

// derive returns the expression a virtual column stands for. Of a row that an outer join did not find it is null.
func (r *resolver) derive(ref Ref) (Expr, error) {
	e, err := r.derivation(ref)
	if err != nil {
		return nil, err
	}
	if _, plain := e.(Ref); plain || !mayBeAbsent(ref.Link) {
		return e, nil
	}
	there := Cond{Left: Ref{ref.Link, ref.Link.Table.Key}, Op: OpNotNull}
	return when(there, e, Literal{value.Null}), nil
}

func (r *resolver) derivation(ref Ref) (Expr, error) {
	name, base := strings.CutSuffix(ref.Column.Virtual, baseSuffix)
	if name == "self" {
		return Ref{ref.Link, ref.Link.Table.Key}, nil
	}
	if lookup, ok := strings.CutPrefix(name, typeNamePrefix); ok {
		return typeName(Ref{ref.Link, ref.Link.Table.MustColumn(lookup)}), nil
	}
	row := derivedRow{resolver: r, link: ref.Link}
	if k, ok := yearsAgo(name, "giving_year_"); ok {
		return row.yearSum("donoryear", "donor", "amount", k, base), nil
	}
	if k, ok := yearsAgo(name, "fund_giving_"); ok {
		return row.yearSum("fundyear", "fund", "giving", k, base), nil
	}
	switch name {
	case "spendable":
		return row.spendable(base), nil
	case "portal_spendable":
		hidden := Equal(ref.Link, row.column("svc_hidespendablebalanceinportalfund"), value.Bool(true))
		return when(Not{hidden}, row.spendable(base), Literal{value.Null}), nil
	default:
		return nil, fmt.Errorf("query: no derivation %q for column %s.%s", ref.Column.Virtual, ref.Column.Table.Name, ref.Column.Name)
	}
}

func yearsAgo(name, prefix string) (int, bool) {
	number, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	k, err := strconv.Atoi(number)
	return k, err == nil
}

// mayBeAbsent tells whether a source can lack a row that its query returns all the same.
func mayBeAbsent(l *Link) bool {
	for ; l != nil; l = l.Parent {
		if l.Kind == Outer {
			return true
		}
	}
	return false
}

// derivedRow builds the expressions of one row's virtual columns.
type derivedRow struct {
	*resolver
	link *Link
}

func (d derivedRow) column(name string) *schema.Column { return d.link.Table.MustColumn(name) }

func (d derivedRow) ref(name string) Ref { return Ref{d.link, d.column(name)} }

// rate is the row's exchange rate; a row without one is in the base currency.
func (d derivedRow) rate() Expr { return rateOf(d.link) }

func rateOf(l *Link) Expr {
	rate := l.Table.MustColumn("exchangerate")
	one := int64(1)
	for range rate.Scale {
		one *= 10
	}
	return call(FnCoalesce, Ref{l, rate}, Literal{value.Decimal(one, rate.Scale)})
}

// yearSum is the row's sum of one giving year from a side table, as the exact sum of base values or, when base is false, in the row's own
// currency; 0 where it has none. Beside a sum the side table keeps the part of it that came in the row's own currency, in that currency
// and in base currency: it counts as it is, and only the rest is converted.
func (d derivedRow) yearSum(table, key, sum string, ago int, base bool) Expr {
	side := d.Model.Table(table)
	source := &Link{Table: side, Parent: d.link, From: side.MustColumn(key), To: d.link.Table.Key}
	year := int64(d.FiscalYear(d.Day(d.Now)) - ago)
	column := func(name string) Expr { return asMoney(Ref{source, side.MustColumn(name)}) }
	pick := column(sum)
	if !base {
		rest := call(FnSub, pick, orZero(column(sum+"ownbase")))
		pick = call(FnAdd, orZero(column(sum+"own")), call(FnFromBase, rest, d.rate()))
	}
	return orZero(&Scalar{Source: source, Where: Equal(source, side.MustColumn("year"), value.Int(year)), Pick: pick})
}

// spendable is what the fund may spend now (rules M13, M27): an endowed fund its allotment, unless passed on, and what others
// pass on to it, less grants paid this year; any other fund its net assets and what is passed on to it; less grants
// pending in both cases, and never below zero.
func (d derivedRow) spendable(base bool) Expr {
	keeps := Cond{Left: d.ref("svc_alternatespendablefund"), Op: OpNull}
	own := when(keeps, orZero(asMoney(d.ref("x_allotment"))), zero())
	paid := d.yearSum("fundyear", "fund", "grantspaid", 0, false)
	endowed := Equal(d.link, d.column("svc_endowed"), value.Bool(true))
	source := when(endowed, call(FnSub, own, paid), orZero(d.ref("svc_netassets")))
	amount := call(FnSub, call(FnAdd, source, d.received()), orZero(d.ref("svc_grantspending")))
	amount = call(FnGreatest, amount, zero())
	if base {
		return call(FnToBase, amount, d.rate())
	}
	return amount
}

// received is the sum of the allotments other funds pass on to this one. Amounts in the fund's own currency are added as
// they are, others by their base value.
func (d derivedRow) received() Expr {
	same := d.passedOn(true, func(_ *Link, allotment Expr) Expr { return allotment })
	foreign := d.passedOn(false, func(source *Link, allotment Expr) Expr { return call(FnToBase, allotment, rateOf(source)) })
	return call(FnAdd, same, call(FnFromBase, foreign, d.rate()))
}

// passedOn sums an amount over the active endowed funds that pass their allotment on to this one and that share its
// currency, or do not.
func (d derivedRow) passedOn(sameCurrency bool, amount func(*Link, Expr) Expr) Expr {
	t := d.link.Table
	source := &Link{Table: t, Parent: d.link, From: d.column("svc_alternatespendablefund"), To: t.Key}
	currency := t.MustColumn("transactioncurrencyid")
	var shared Filter = Or{
		Cond{Ref{source, currency}, OpEq, []Expr{Ref{d.link, currency}}},
		And{Cond{Left: Ref{source, currency}, Op: OpNull}, Cond{Left: Ref{d.link, currency}, Op: OpNull}},
	}
	if !sameCurrency {
		shared = Not{shared}
	}
	return orZero(&Scalar{
		Source: source,
		Where: And{
			Equal(source, t.MustColumn("svc_endowed"), value.Bool(true)),
			Equal(source, t.MustColumn("statecode"), value.Int(0)),
			shared,
		},
		Pick: amount(source, asMoney(Ref{source, t.MustColumn("x_allotment")})),
		Agg:  AggSum,
	})
}

func call(fn Fn, args ...Expr) Expr { return Call{Fn: fn, Args: args} }

func when(f Filter, then, otherwise Expr) Expr { return call(FnIf, Test{f}, then, otherwise) }

func zero() Expr { return Literal{value.Money(0)} }

func orZero(e Expr) Expr { return call(FnCoalesce, e, zero()) }

// asMoney reads a column of minor units as money.
func asMoney(ref Ref) Expr {
	if ref.Column.Type.Kind() == value.KindMoney {
		return ref
	}
	return call(FnMoney, ref)
}
