package engine

import (
	"context"
	"strconv"

	"almoner/internal/rules"
)

// Stored marks of how far the calendar has been followed.
const (
	yearTouched = "rollover.year"
	quarterKept = "rollover.quarter"
)

// turnYear bumps donors and funds whose year columns read differently since a giving year began. A new database counts its current
// year as touched.
func (e *Engine) turnYear(ctx context.Context) error {
	stored, err := e.storedSettings(ctx)
	if err != nil {
		return err
	}
	year := rules.GivingYear(e.Now(), e.Settings())
	last, unknown := strconv.Atoi(stored[yearTouched])
	if unknown == nil && year <= last {
		return nil
	}
	if unknown == nil && e.Settings().RolloverTouch {
		if err := e.touchYear(ctx, year); err != nil {
			return err
		}
	}
	return e.own().Write(ctx, func(x *Tx) error { return x.storeSetting(yearTouched, strconv.Itoa(year)) })
}

// touchYear touches all donors and funds a new giving year concerns, in batches.
func (e *Engine) touchYear(ctx context.Context, year int) error {
	e.log.Info("a giving year has begun; touching donors and funds", "year", year)
	for at := (rules.YearTouch{}); !at.Done(); {
		var reached rules.YearTouch
		err := e.own().Write(ctx, func(x *Tx) (err error) {
			reached, err = rules.TouchYear(env{x}, year, at)
			return err
		})
		if err != nil {
			return err
		}
		at = reached
	}
	return nil
}

// keepQuarter keeps the funds' net assets at the end of each quarter, whatever the spending method is now: averages look back twelve
// quarters. A new database counts the quarter that ended last as kept, for it has no balances of that day.
func (e *Engine) keepQuarter(ctx context.Context) error {
	stored, err := e.storedSettings(ctx)
	if err != nil {
		return err
	}
	quarter := rules.LastQuarter(e.Now(), e.Settings()).String()
	last := stored[quarterKept]
	if last != "" && quarter <= last {
		return nil
	}
	return e.own().Write(ctx, func(x *Tx) error {
		if last != "" {
			if err := rules.SnapshotQuarter(env{x}); err != nil {
				return err
			}
		}
		return x.storeSetting(quarterKept, quarter)
	})
}
