package query

import (
	"time"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// ResolveContext is everything about the caller and the moment that a query may depend on.
type ResolveContext struct {
	Model        *schema.Model  // holds the side tables virtual columns are derived from
	Now          int64          // seconds; one moment for the whole request
	Zone         *time.Location // the organization's time zone; nil is UTC
	StartMonth   int            // month the organization's years begin with
	User         value.GUID
	BusinessUnit value.GUID
	Teams        []value.GUID // teams of User
	Reports      []value.GUID // users below User in the manager hierarchy
	Language     int          // locale of User
}

// Resolve rewrites, in place and everywhere in the tree, what depends on caller, clock or derivation, so that a store sees
// plain operators over stored columns alone: operators on the caller become comparisons with ids, date operators become
// ranges, now() becomes a moment, and virtual columns become the expressions they stand for.
func Resolve(q *Query, ctx ResolveContext) error {
	r := &resolver{ResolveContext: ctx, Calendar: Calendar{Zone: ctx.Zone, StartMonth: ctx.StartMonth}}
	// Conditions come first: those on a virtual column may have a better form than its expression.
	conditions := Rewriter{Filter: r.condition}
	if err := conditions.Rewrite(q); err != nil {
		return err
	}
	columns := Rewriter{Expr: r.expr}
	return columns.Rewrite(q)
}

type resolver struct {
	ResolveContext
	Calendar
}

// expr replaces the clock and virtual columns.
func (r *resolver) expr(e Expr) (Expr, error) {
	switch e := e.(type) {
	case Call:
		if e.Fn == FnNow {
			return Literal{value.Time(r.Now)}, nil
		}
	case Ref:
		if !e.Column.Stored() {
			return r.derive(e)
		}
	}
	return e, nil
}

// condition replaces an operator that depends on caller or clock.
func (r *resolver) condition(f Filter) (Filter, error) {
	c, ok := f.(Cond)
	switch {
	case !ok:
		return f, nil
	case c.Op >= OpOn:
		return r.dateCondition(c)
	case c.Op >= OpEqualUserID:
		return r.callerCondition(c)
	default:
		return typeNameCondition(c), nil
	}
}

// callerCondition compares with what the caller is.
func (r *resolver) callerCondition(c Cond) (Filter, error) {
	if c.Op == OpEqualUserLanguage {
		if KindOf(c.Left) != value.KindInt {
			return nil, unfit(c, "an integer column")
		}
		return Cond{c.Left, OpEq, []Expr{Literal{value.Int(int64(r.Language))}}}, nil
	}
	if KindOf(c.Left) != value.KindID {
		return nil, unfit(c, "a column that holds an id")
	}
	switch c.Op {
	case OpEqualUserID:
		return oneOf(c.Left, r.User), nil
	case OpNotEqualUserID:
		return Cond{c.Left, OpNe, []Expr{Literal{value.ID(r.User)}}}, nil
	case OpEqualBusinessID:
		return oneOf(c.Left, r.BusinessUnit), nil
	case OpNotEqualBusinessID:
		return Cond{c.Left, OpNe, []Expr{Literal{value.ID(r.BusinessUnit)}}}, nil
	case OpEqualUserTeams:
		return oneOf(c.Left, r.Teams...), nil
	case OpEqualUserOrUserTeams:
		return oneOf(c.Left, ids(r.User, r.Teams)...), nil
	case OpEqualUserOrUserHierarchy:
		return oneOf(c.Left, ids(r.User, r.Reports)...), nil
	default:
		return oneOf(c.Left, ids(r.User, r.Reports, r.Teams)...), nil
	}
}

func ids(user value.GUID, more ...[]value.GUID) []value.GUID {
	all := []value.GUID{user}
	for _, m := range more {
		all = append(all, m...)
	}
	return all
}

// oneOf is the condition that an expression is among ids; none holds for nobody.
func oneOf(left Expr, ids ...value.GUID) Filter {
	if len(ids) == 0 {
		return Const(false)
	}
	args := make([]Expr, len(ids))
	for i, id := range ids {
		args[i] = Literal{value.ID(id)}
	}
	if len(ids) == 1 {
		return Cond{left, OpEq, args}
	}
	return Cond{left, OpIn, args}
}

// unfit says that an operator cannot be used on what it was used on.
func unfit(c Cond, want string) error {
	ref, ok := c.Left.(Ref)
	if !ok {
		return fault.New(fault.OperatorUnfit, "The operator '%s' needs %s.", c.Op, want)
	}
	return fault.New(fault.OperatorUnfit, "The operator '%s' needs %s; '%s' is of type %s.", c.Op, want, ref.Column.Name, ref.Column.Type).
		At(ref.Column.Table.Name, "column "+ref.Column.Name)
}
