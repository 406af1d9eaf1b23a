// Package fetchxml reads FetchXML. Parse turns text into a syntax tree without looking at the model, Bind turns the syntax
// tree into a query.Query, and Print turns a query of that shape back into text. The package also makes and reads the
// cookies FetchXML pages with. Everything a client can get wrong ends here as a *fault.Error with the platform's code.
package fetchxml

// Fetch is the syntax of a whole query. Attributes that change nothing (no-lock, latematerialize, version and the like) are
// checked and dropped.
type Fetch struct {
	Entity         *Source
	Top            int    // most rows; 0: not given
	Count          int    // rows of a page; 0: not given
	Page           int    // number of the page from 1; 0: not given
	Cookie         string // paging-cookie as sent
	ReturnTotal    bool
	Aggregate      bool
	AggregateLimit int // 0: not given
	Distinct       bool
	RawOrder       bool // useraworderby: choices sort by number
}

// Source is what entity and link-entity have in common.
type Source struct {
	Name          string
	AllAttributes bool
	NoAttributes  bool
	Attributes    []Attribute
	Orders        []Order
	Filters       []*Filter
	Links         []*Link
}

// Link is a link-entity.
type Link struct {
	Source
	From  string // column of the linked table
	To    string // column of the parent
	Alias string
	Type  string // one of linkTypes
}

// Attribute is a column asked for.
type Attribute struct {
	Name         string
	Alias        string
	Aggregate    string // "" or one of aggregates
	GroupBy      bool
	Distinct     bool
	DateGrouping string // "" or one of dateGroupings
	RowAggregate bool   // rowaggregate="CountChildren"
}

// Order is one sort key.
type Order struct {
	Attribute  string
	Alias      string
	EntityName string
	Descending bool
}

// Filter joins conditions, filters and row-testing links by and, or by or.
type Filter struct {
	Or         bool
	Conditions []Condition
	Filters    []*Filter
	Links      []*Link
}

// Condition is one comparison.
type Condition struct {
	Attribute  string
	EntityName string
	Operator   string
	ValueOf    string
	Values     []string
}
