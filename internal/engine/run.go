package engine

import (
	"context"
	"time"
)

// Run does what must happen beside the requests, until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			e.ForgetCurrencies()
		}
	}
}
