package rules

import (
	"almoner/internal/query"
)

// Stage says on which writes a rule runs.
type Stage uint8

// The stages. A rule with no stage has no step of its own: it holds through the sums made when a transaction is settled.
const (
	OnCreate Stage = 1 << iota
	OnUpdate
	OnDelete

	OnSave = OnCreate | OnUpdate
)

// Rule is one named piece of the foundation's logic.
type Rule struct {
	Name    string // as a refusal's trace names it: gift.splits
	Table   string // logical name; "" for every table
	On      Stage
	Text    string // one sentence for an accountant
	Example string // the rule at work
	Do      func(*Books, *Write) error
}

// All lists every rule in the order in which they run: those for every table that open a write, those of single tables, and
// those for every table that close it.
var All = concat(
	openingRules, giftRules, paymentRules, feeRules, requestRules, disbursementRules, fundRules, donorRules, listRules,
	contactRules, ledgerRules, interfundRules, currencyRules, closingRules, bookRules,
)

func concat(lists ...[]Rule) []Rule {
	var out []Rule
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// opening, closing and byTable are All arranged for running.
var (
	opening = steps(openingRules)
	closing = steps(closingRules)
	byTable = func() map[string][]*Rule {
		m := map[string][]*Rule{}
		for i := range All {
			if r := &All[i]; r.Table != "" && r.Do != nil {
				m[r.Table] = append(m[r.Table], r)
			}
		}
		return m
	}()
)

func steps(rules []Rule) []*Rule {
	var out []*Rule
	for i := range rules {
		if rules[i].Do != nil {
			out = append(out, &rules[i])
		}
	}
	return out
}

// stageOf returns the stage of a kind of write.
func stageOf(kind query.ChangeKind) Stage {
	switch kind {
	case query.Create:
		return OnCreate
	case query.Update:
		return OnUpdate
	default:
		return OnDelete
	}
}

// runRules runs the rules of a list that concern the write.
func (b *Books) runRules(list []*Rule, w *Write) error {
	stage := stageOf(w.Kind)
	for _, r := range list {
		if r.On&stage == 0 {
			continue
		}
		if err := r.Do(b, w); err != nil {
			return err
		}
	}
	return nil
}
