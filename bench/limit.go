package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"almoner/internal/schema"
	"almoner/internal/value"
	"almoner/tables"
)

// The limit: what a handler costs that does nothing but run one fixed statement and write its cells. No parsing, no identity, no rules,
// no log. Its SQL is put together once, at the start.

// cells is one result row as the limit's drivers hand it out.
type cells interface {
	null(i int) bool
	int(i int) int64
	float(i int) float64
	bytes(i int) []byte
}

// newGift is all the limit is told of a gift: the ids of its donor and its fund.
type newGift struct{ donor, fund []byte }

// engine is a driver under the limit: it runs a prepared read, and inserts gifts in one transaction.
type engine interface {
	read(ctx context.Context, sql string, id []byte, row func(cells) error) error
	insert(ctx context.Context, gifts []newGift) error
}

// column is one cell to be written.
type column struct {
	key  []byte
	kind value.Kind
	sc   int
}

// limitServer holds the fixed statements and shapes.
type limitServer struct {
	db                            engine
	all, short, fund, contact     []column
	point, list, page, narrow     string
	pointHead, listHead, pageHead string
	narrowHead                    string
	linked                        []column
	fetch, members                string
}

// serveLimit serves the hand-written handlers on a database until it is killed.
func serveLimit(dsn string) error {
	m, err := tables.Model()
	if err != nil {
		return err
	}
	s := &limitServer{}
	if strings.HasPrefix(dsn, "postgres") {
		s.db, err = openPostgresLimit(dsn)
	} else {
		s.db, err = openSQLiteLimit(dsn)
	}
	if err != nil {
		return err
	}
	s.build(m, strings.HasPrefix(dsn, "postgres"))
	mux := http.NewServeMux()
	mux.HandleFunc("/point", s.servePoint)
	mux.HandleFunc("/list", s.serveList)
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, s.page, s.pageHead, s.all) })
	mux.HandleFunc("/narrow", func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, s.narrow, s.narrowHead, s.short) })
	mux.HandleFunc("/fetch", func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, s.fetch, "contacts", s.linked) })
	mux.HandleFunc("/members", func(w http.ResponseWriter, r *http.Request) {
		s.servePage(w, r, s.members, "contacts(fullname)", s.contact)
	})
	mux.HandleFunc("/create", s.serveCreate)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	return http.Serve(listener, mux) //nolint:gosec // a measuring stick on loopback needs no timeouts
}

// build writes the statements and keys down once.
func (s *limitServer) build(m *schema.Model, postgres bool) {
	gift := m.Table("svc_gift")
	param := "?1"
	if postgres {
		param = "$1"
	}
	var names []string
	for _, c := range gift.Columns {
		if c.Hidden || !c.Stored() {
			continue
		}
		names = append(names, `g."`+c.Name+`"`)
		s.all = append(s.all, columnOf(c.Wire, c))
	}
	everything := strings.Join(names, ",") + `,g."versionnumber"`
	var short []string
	for _, name := range append(strings.Split(listColumns, ","), "transactioncurrencyid", "svc_giftid") {
		c := gift.MustColumn(name)
		short = append(short, `g."`+name+`"`)
		s.short = append(s.short, columnOf(c.Wire, c))
	}
	few := strings.Join(short, ",") + `,g."versionnumber"`
	fund, contact := m.Table("svc_fund"), m.Table("contact")
	s.fund = []column{columnOf("svc_fundname", fund.MustColumn("svc_fundname")), columnOf("svc_fundid", fund.Key)}
	s.contact = []column{columnOf("fullname", contact.MustColumn("fullname")), columnOf("contactid", contact.Key)}
	s.point = `SELECT ` + everything + ` FROM "svc_gift" g WHERE g."svc_giftid"=` + param
	s.page = `SELECT ` + everything + ` FROM "svc_gift" g ORDER BY g."svc_giftid" LIMIT 4999`
	s.narrow = `SELECT ` + few + ` FROM "svc_gift" g ORDER BY g."svc_giftid" LIMIT 4999`
	s.list = `SELECT ` + few + `,f."svc_fundname",f."svc_fundid",f."versionnumber",c."fullname",c."contactid",c."versionnumber"` +
		` FROM "svc_gift" g LEFT JOIN "svc_fund" f ON f."svc_fundid"=g."svc_fund1" LEFT JOIN "contact" c ON c."contactid"=g."svc_primarydonorcontact"` +
		` WHERE g."svc_donor"=` + param + ` AND g."statecode"=0 ORDER BY g."svc_giftdate" DESC NULLS LAST, g."svc_giftid" LIMIT 50`
	donor := m.Table("svc_donor")
	s.linked = append(s.contact[:2:2], columnOf("d.svc_formaldefault", donor.MustColumn("svc_formaldefault")), columnOf("g.svc_giftnum", gift.MustColumn("svc_giftnum")))
	s.fetch = `SELECT c."fullname",c."contactid",d."svc_formaldefault",g."svc_giftnum",c."versionnumber" FROM "contact" c` +
		` JOIN "svc_donor" d ON d."svc_primarycontact"=c."contactid" JOIN "svc_gift" g ON g."svc_donor"=d."svc_donorid" AND g."svc_totalgift">=100000` +
		` WHERE c."statecode"=0 ORDER BY c."contactid",d."svc_donorid",g."svc_giftid" LIMIT 50`
	s.members = `SELECT c."fullname",c."contactid",c."versionnumber" FROM "contact" c WHERE c."statecode"=0 AND EXISTS (SELECT 1 FROM "svc_donor" d` +
		` JOIN "svc_gift" g ON g."svc_donor"=d."svc_donorid" AND g."svc_totalgift">=100000 WHERE d."svc_primarycontact"=c."contactid")` +
		` ORDER BY c."contactid" LIMIT 50`
	s.pointHead = "svc_gifts/$entity"
	s.pageHead = "svc_gifts"
	s.narrowHead = "svc_gifts(" + listColumns + ")"
	s.listHead = "svc_gifts(" + listColumns + ",svc_Fund1(svc_fundname),svc_PrimaryDonorContact(fullname))"
}

func columnOf(wire string, c *schema.Column) column {
	return column{[]byte(`"` + wire + `":`), c.Type.Kind(), c.Scale}
}

func head(b []byte, r *http.Request, fragment string) []byte {
	b = append(b, `{"@odata.context":"http://`...)
	b = append(append(b, r.Host...), `/api/data/v9.2/$metadata#`...)
	return append(append(b, fragment...), `",`...)
}

// object appends the cells from at on as JSON with the version that follows them.
func object(b []byte, cols []column, row cells, at int) []byte {
	b = append(b, `"@odata.etag":"W/\"`...)
	b = append(strconv.AppendInt(b, row.int(at+len(cols)), 10), `\"",`...)
	return members(b, cols, row, at)
}

// members appends cells and closes their object.
func members(b []byte, cols []column, row cells, at int) []byte {
	for i := range cols {
		b = append(b, cols[i].key...)
		b = append(appendJSON(b, &cols[i], row, at+i), ',')
	}
	b[len(b)-1] = '}'
	return b
}

func appendJSON(b []byte, c *column, row cells, i int) []byte {
	if row.null(i) {
		return append(b, "null"...)
	}
	switch c.kind {
	case value.KindBool:
		return strconv.AppendBool(b, row.int(i) != 0)
	case value.KindInt:
		return strconv.AppendInt(b, row.int(i), 10)
	case value.KindMoney:
		return value.AppendDecimal(b, row.int(i), 2)
	case value.KindDecimal:
		return value.AppendDecimal(b, row.int(i), c.sc)
	case value.KindFloat:
		return value.AppendFloat(b, row.float(i))
	case value.KindID:
		return append(value.GUID(row.bytes(i)).Append(append(b, '"')), '"')
	case value.KindDate:
		return append(value.AppendDate(append(b, '"'), row.int(i)), '"')
	case value.KindTime:
		return append(value.AppendTime(append(b, '"'), row.int(i)), '"')
	default:
		return append(append(append(b, '"'), row.bytes(i)...), '"')
	}
}

func idOf(r *http.Request, name string) []byte {
	id, err := value.ParseGUID(r.URL.Query().Get(name))
	if err != nil {
		return nil
	}
	return id[:]
}

func (s *limitServer) servePoint(w http.ResponseWriter, r *http.Request) {
	b := make([]byte, 0, 6<<10)
	err := s.db.read(r.Context(), s.point, idOf(r, "id"), func(row cells) error {
		b = object(head(b, r, s.pointHead), s.all, row, 0)
		return nil
	})
	finish(w, b, err)
}

func (s *limitServer) serveList(w http.ResponseWriter, r *http.Request) {
	b := append(head(make([]byte, 0, 32<<10), r, s.listHead), `"value":[`...)
	n := 0
	err := s.db.read(r.Context(), s.list, idOf(r, "id"), func(row cells) error {
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = object(append(b, '{'), s.short, row, 0)
		b = b[:len(b)-1]
		at := len(s.short) + 1
		b = related(append(b, `,"svc_Fund1":`...), s.fund, row, at)
		at += len(s.fund) + 1
		b = append(related(append(b, `,"svc_PrimaryDonorContact":`...), s.contact, row, at), '}')
		return nil
	})
	finish(w, append(b, "]}"...), err)
}

func related(b []byte, cols []column, row cells, at int) []byte {
	if row.null(at + len(cols) - 1) {
		return append(b, "null"...)
	}
	return members(append(b, '{'), cols, row, at)
}

func (s *limitServer) servePage(w http.ResponseWriter, r *http.Request, sql, fragment string, cols []column) {
	w.Header().Set("Content-Type", "application/json")
	b := append(head(make([]byte, 0, 64<<10), r, fragment), `"value":[`...)
	n := 0
	err := s.db.read(r.Context(), sql, nil, func(row cells) error {
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = object(append(b, '{'), cols, row, 0)
		if len(b) < 48<<10 {
			return nil
		}
		_, err := w.Write(b)
		b = b[:0]
		return err
	})
	if err == nil {
		_, err = w.Write(append(b, "]}"...))
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// serveCreate makes gifts for the pairs of donor and fund whose ids are in the body, in one transaction.
func (s *limitServer) serveCreate(w http.ResponseWriter, r *http.Request) {
	const size = len(value.GUID{})
	body, err := io.ReadAll(r.Body)
	var gifts []newGift
	for pair := range slices.Chunk(body, 2*size) {
		gifts = append(gifts, newGift{pair[:size], pair[size:]})
	}
	if err == nil {
		err = s.db.insert(r.Context(), gifts)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func finish(w http.ResponseWriter, b []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b)
}

// giftColumns are the columns the limit fills when it inserts a gift: as many as the service does.
var giftColumns = []string{
	"svc_giftid", "svc_giftnum", "svc_giftnum_f", "svc_giftdate", "svc_gifttype", "svc_amount1", "svc_amount1_base", "svc_totalgift", "svc_totalgift_base",
	"svc_paid", "svc_paid_base", "svc_balance", "svc_balance_base", "svc_feeamounttotal", "svc_feeamounttotal_base", "svc_donor", "svc_fund1",
	"svc_giftrange", "createdon", "modifiedon", "statecode", "statuscode", "versionnumber", "exchangerate", "x_value", "x_counted",
	"ownerid", "ownerid_t", "owninguser", "owningbusinessunit", "createdby", "modifiedby", "transactioncurrencyid",
}

// insertSQL is the statement of a gift's insert with the dialect's parameters.
func insertSQL(param func(i int) string) string {
	var names, params []string
	for i, c := range giftColumns {
		names = append(names, `"`+c+`"`)
		params = append(params, param(i+1))
	}
	return `INSERT INTO "svc_gift" (` + strings.Join(names, ",") + `) VALUES (` + strings.Join(params, ",") + `)`
}

// owner stands for the ids of users and units a gift carries.
var owner = make([]byte, 16)

// made counts the gifts of this process; it numbers them.
var made atomic.Int64

// giftValues are a gift's values in the order of giftColumns.
func giftValues(g newGift) []any {
	now, n := time.Now(), made.Add(1)
	id := value.NewGUID(now)
	cents, seconds := (10+n%500)*100+25, now.Unix()
	num := "L-" + strconv.FormatInt(n, 10)
	return []any{
		id[:], num, strings.ToLower(num), seconds / value.SecondsPerDay, int64(730850000), cents, cents, cents, cents, cents, cents, int64(0), int64(0), int64(0), int64(0),
		g.donor, g.fund, int64(730850001), seconds, seconds, int64(0), int64(1), n, int64(10_000_000_000), cents, int64(1),
		owner, int64(8), owner, owner, owner, owner, owner,
	}
}
