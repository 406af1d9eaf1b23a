package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// TreeTotals are the totals of a fund with everything below it, in cents of base currency.
type TreeTotals struct {
	Funds                                                         int
	NetAssets, GiftsPaid, GiftsPending, GrantsPaid, GrantsPending int64
}

// FundTree adds up a fund and its descendants. Every fund counts once, however links run, and the walk ends at depth 32.
func FundTree(env Env, root value.GUID) (TreeTotals, error) {
	var sum TreeTotals
	t := env.Model().Table("svc_fund")
	row, err := env.Row(t, root)
	if err != nil {
		return sum, err
	}
	if row == nil {
		return sum, fault.NotFound(t.Name, root.String())
	}
	seen := map[value.GUID]bool{root: true}
	level := []*query.Row{row}
	columns := columnsOf(t, withBase(t, []string{"svc_netassets", "svc_giftspaid", "svc_giftspending", "svc_grantspaid", "svc_grantspending"}, nil))
	for depth := 0; len(level) > 0 && depth < maxDepth; depth++ {
		var next []*query.Row
		for _, r := range level {
			sum.add(r)
			children, err := env.Find(t, []query.Assign{set(t, "svc_parent", value.ID(r.ID))}, columns)
			if err != nil {
				return sum, err
			}
			for _, child := range children {
				if !seen[child.ID] {
					seen[child.ID] = true
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return sum, nil
}

func (s *TreeTotals) add(r *query.Row) {
	s.Funds++
	s.NetAssets += baseOf(r, "svc_netassets")
	s.GiftsPaid += baseOf(r, "svc_giftspaid")
	s.GiftsPending += baseOf(r, "svc_giftspending")
	s.GrantsPaid += baseOf(r, "svc_grantspaid")
	s.GrantsPending += baseOf(r, "svc_grantspending")
}
