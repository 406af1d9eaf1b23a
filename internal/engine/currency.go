package engine

import (
	"context"
	"sync"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// currencies keeps the symbols of currencies for formatted values. A currency that is not known yet is looked up.
type currencies struct {
	mu      sync.RWMutex
	symbols map[value.GUID]string
}

// Symbol returns the symbol of a currency; the base currency's for the zero id.
func (e *Engine) Symbol(ctx context.Context, id value.GUID) string {
	e.currencies.mu.RLock()
	symbol, ok := e.currencies.symbols[id]
	e.currencies.mu.RUnlock()
	if ok {
		return symbol
	}
	if err := e.loadCurrencies(ctx); err != nil {
		e.log.Error("cannot read currencies", "error", err)
		return ""
	}
	e.currencies.mu.RLock()
	defer e.currencies.mu.RUnlock()
	return e.currencies.symbols[id]
}

// ForgetCurrencies makes the next formatted value read the symbols again.
func (e *Engine) ForgetCurrencies() {
	e.currencies.mu.Lock()
	e.currencies.symbols = nil
	e.currencies.mu.Unlock()
}

func (e *Engine) loadCurrencies(ctx context.Context) error {
	t := e.columns.currency
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key, t.MustColumn("currencysymbol"), t.MustColumn("isocurrencycode")})}
	rows, err := e.store.Read(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	symbols := map[value.GUID]string{}
	base := e.Settings().BaseCurrency
	for rows.Next() {
		symbol := string(rows.Bytes(1))
		symbols[value.GUID(rows.Bytes(0))] = symbol
		if string(rows.Bytes(2)) == base {
			symbols[value.GUID{}] = symbol
		}
	}
	e.currencies.mu.Lock()
	e.currencies.symbols = symbols
	e.currencies.mu.Unlock()
	return rows.Err()
}

// base returns the row of the base currency as it was found first; nil when there is none. It is kept for good: the base currency
// cannot be deleted, and neither its code nor its rate can change.
func (e *Engine) base(ctx context.Context) (*query.Row, error) {
	code := e.Settings().BaseCurrency
	if known := e.baseCurrency.Load(); known != nil && known.Value("isocurrencycode").Text() == code {
		return known, nil
	}
	t := e.columns.currency
	read := func(q *query.Query) (query.Rows, error) { return e.store.Read(context.WithoutCancel(ctx), q) }
	rows, err := findRows(read, t, []query.Assign{assign(t, "isocurrencycode", value.Text(code))}, nil)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	e.baseCurrency.Store(rows[0])
	return rows[0], nil
}
