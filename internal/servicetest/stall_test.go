package servicetest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"almoner/internal/query"
	"almoner/internal/servicetest"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
)

const (
	statementLimit = 2 * time.Minute  // ends what a broken service would leave running; far beyond the patience of Eventually
	answerLimit    = 20 * time.Second // less than a client may stall before it is cut off, which would also close its statement
	pageRows       = 4999
	leastPage      = 16 << 20 // bytes no pair of socket buffers takes
)

// eachNarrow runs a test once on each store; on SQLite everybody reads through one connection.
func eachNarrow(t *testing.T, test func(t *testing.T, db *servicetest.Database)) {
	t.Parallel()
	year := query.Calendar{StartMonth: 1}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, servicetest.OnSQLiteWith(t, sqlite.Options{Calendar: year, Readers: 1, StatementTimeout: statementLimit}))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, servicetest.OnPostgreSQLWith(t, postgres.Options{Calendar: year, StatementTimeout: statementLimit}))
	})
}

// TestStalledClientHoldsNoSnapshot asks for a large page and stops reading it. Others write and read as ever, the database is soon rid
// of the statement, and the client still gets its page as it was when it asked.
func TestStalledClientHoldsNoSnapshot(t *testing.T) {
	eachNarrow(t, func(t *testing.T, db *servicetest.Database) {
		h := newHouse(t, db.Start(t, servicetest.Log(t)))
		h.giveMany(pageRows + 1)
		const page = "/svc_gifts?$top=4999"
		want := h.Must(t, "GET", page, "").Body
		rows := giftsOf(t, want)
		if len(rows) != pageRows || len(want) < leastPage {
			t.Fatalf("the page has %d rows in %d bytes", len(rows), len(want))
		}
		slow := dialSlowly(t, h.Client)
		slow.ask(page)
		resp := slow.head() // the snapshot is there, and nobody reads the page

		h.promptly("PATCH", "/svc_gifts("+rows[0]+")", `{"svc_purpose":"changed while somebody reads"}`)
		h.promptly("PATCH", "/svc_gifts("+rows[pageRows-1]+")", `{"svc_purpose":"changed while somebody reads"}`)
		h.promptly("DELETE", "/svc_gifts("+rows[pageRows-2]+")", "")
		servicetest.Within(t, answerLimit, "the statement of a stalled client is closed", func() bool { return !db.SnapshotHeld(t) })
		h.promptly("GET", "/svc_funds("+h.fund+")", "")

		got, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("after %d bytes of %d: %v", len(got), len(want), err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("the client got %d rows in %d bytes, not the page as it was when it asked", len(giftsOf(t, got)), len(got))
		}
		if bytes.Equal(h.Must(t, "GET", page, "").Body, want) {
			t.Error("the writes cannot be seen afterwards either")
		}
	})
}

// TestDisconnectEndsTheStatement asks for what takes hours and hangs up. The database stops working on it, and the connection serves
// the next reader.
func TestDisconnectEndsTheStatement(t *testing.T) {
	eachNarrow(t, func(t *testing.T, db *servicetest.Database) {
		h := newHouse(t, db.Start(t, servicetest.Log(t)))
		h.createMany("contacts", 200, func(i int) string { return fmt.Sprintf(`{"lastname":"Reader %d"}`, i) })
		gone := dialSlowly(t, h.Client)
		gone.ask("/contacts?fetchXml=" + url.QueryEscape(endlessFetch))
		looks := 0 // in a row that found something under way; reading who the caller is takes less than five
		servicetest.Eventually(t, "the statement runs", func() bool {
			if looks++; !db.SnapshotHeld(t) {
				looks = 0
			}
			return looks == 5
		})
		gone.hangUp()
		servicetest.Eventually(t, "the statement of a client that is gone is ended", func() bool { return !db.SnapshotHeld(t) })
		h.promptly("GET", "/svc_funds("+h.fund+")", "")
	})
}

// endlessFetch pairs every contact with every other four times over and looks for a name nobody has, in a way that leaves no table out.
var endlessFetch = func() string {
	var links, names strings.Builder
	for _, alias := range []string{"b", "c", "d", "e"} {
		fmt.Fprintf(&links, `<link-entity name="contact" from="statecode" to="statecode" alias=%q/>`, alias)
		fmt.Fprintf(&names, `<condition entityname=%q attribute="lastname" operator="eq" value="Nobody"/>`, alias)
	}
	return `<fetch><entity name="contact"><attribute name="lastname"/>` + links.String() + `<filter type="or">` + names.String() + `</filter></entity></fetch>`
}()

// giveMany makes wide gifts.
func (h *house) giveMany(n int) {
	h.t.Helper()
	text := strings.Repeat("In memory of all who came before. ", 40)
	h.createMany("svc_gifts", n, func(i int) string {
		return fmt.Sprintf(`{"svc_giftdate":"2026-01-01","svc_amount1":%d,"svc_memorialcomment":%q,
			"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, i+1, text, h.donor, h.fund)
	})
}

// createMany makes n rows of a table, the ith of the members row gives.
func (h *house) createMany(set string, n int, row func(i int) string) {
	h.t.Helper()
	kind := "Microsoft.Dynamics.CRM." + strings.TrimSuffix(set, "s")
	for from := 0; from < n; from += 1000 {
		var targets []string
		for i := from; i < min(n, from+1000); i++ {
			targets = append(targets, `{"@odata.type":"`+kind+`",`+row(i)[1:])
		}
		h.Must(h.t, "POST", "/"+set+"/Microsoft.Dynamics.CRM.CreateMultiple", `{"Targets":[`+strings.Join(targets, ",")+`]}`, deferred)
	}
}

// promptly calls the service and gives up after a while, which fails the test as an error does.
func (h *house) promptly(method, path, body string) {
	h.t.Helper()
	ctx, stop := context.WithTimeout(h.t.Context(), answerLimit)
	defer stop()
	a, err := h.Call(ctx, method, path, body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	if a.Status >= 400 {
		h.t.Fatalf("%s %s answered %d: %s", method, path, a.Status, a.Body)
	}
}

// giftsOf returns the ids of a page of gifts, in its order.
func giftsOf(t *testing.T, page []byte) []string {
	t.Helper()
	var body struct {
		Value []struct {
			ID string `json:"svc_giftid"`
		}
	}
	if err := json.Unmarshal(page, &body); err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(body.Value))
	for i, row := range body.Value {
		ids[i] = row.ID
	}
	return ids
}

// slowClient speaks HTTP on one connection, as fast as its test reads; next to nothing is read ahead.
type slowClient struct {
	t     *testing.T
	conn  net.Conn
	in    *bufio.Reader
	token string
}

func dialSlowly(t *testing.T, as *servicetest.Client) *slowClient {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var refused error
		err := raw.Control(func(fd uintptr) {
			// Small segments keep the server's own buffer below the first piece of a page.
			refused = errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 1024),
				syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 500))
		})
		return errors.Join(err, refused)
	}}
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(as.Origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &slowClient{t: t, conn: conn, in: bufio.NewReaderSize(conn, 512), token: as.Token}
}

// ask sends a GET of a path below the Web API.
func (c *slowClient) ask(path string) {
	c.t.Helper()
	_, err := fmt.Fprintf(c.conn, "GET /api/data/v9.2%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, c.conn.RemoteAddr(), c.token)
	if err != nil {
		c.t.Fatal(err)
	}
}

// head reads the answer up to its body.
func (c *slowClient) head() *http.Response {
	c.t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		c.t.Fatalf("answered %s: %s", resp.Status, text)
	}
	return resp
}

// hangUp closes the connection.
func (c *slowClient) hangUp() {
	c.t.Helper()
	if err := c.conn.Close(); err != nil {
		c.t.Error(err)
	}
}
