package engine

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// signer makes and checks the opaque tokens of next links and delta links. Its key lives in the database, so that every node
// accepts what another one handed out.
type signer struct{ key []byte }

const tokenKeyName = "token.key"

// openSigner reads the key, making one on a new database. When two nodes make one at once, the first one stored counts.
func openSigner(ctx context.Context, st store.Store, m *schema.Model) (*signer, error) {
	t := m.Table("setting")
	for {
		key, err := readTokenKey(ctx, st, t)
		if err != nil {
			return nil, err
		}
		if key != nil {
			return &signer{key}, nil
		}
		fresh := make([]byte, 32)
		if _, err := rand.Read(fresh); err != nil {
			return nil, err
		}
		err = st.Write(ctx, func(tx store.Tx) error {
			if existing, err := readTokenKey(ctx, tx, t); err != nil || existing != nil {
				return err
			}
			return tx.Put(ctx, t, []query.Assign{
				assign(t, "name", value.Text(tokenKeyName)), assign(t, "value", value.Text(base64.StdEncoding.EncodeToString(fresh))),
			})
		})
		if err != nil {
			return nil, err
		}
	}
}

func readTokenKey(ctx context.Context, r store.Reader, t *schema.Table) ([]byte, error) {
	root := &query.Link{Table: t}
	q := &query.Query{Root: root, Where: query.Equal(root, t.MustColumn("name"), value.Text(tokenKeyName))}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.MustColumn("value")})}
	rows, err := r.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	return base64.StdEncoding.DecodeString(string(rows.Bytes(0)))
}

// seal turns a token's content into URL-safe text bound to a purpose: the query or table it may be used with.
func (s *signer) seal(purpose string, content any) string {
	body, err := json.Marshal(content)
	if err != nil {
		panic(err) // tokens are structs of plain fields
	}
	return base64.RawURLEncoding.EncodeToString(append(s.mac(purpose, body), body...))
}

// open checks a token and reads its content.
func (s *signer) open(purpose, token string, content any) error {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < macSize {
		return errToken
	}
	if !hmac.Equal(raw[:macSize], s.mac(purpose, raw[macSize:])) {
		return errToken
	}
	return json.Unmarshal(raw[macSize:], content)
}

const macSize = 16

var errToken = errors.New("token does not belong to this query")

func (s *signer) mac(purpose string, body []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(purpose))
	h.Write([]byte{0})
	h.Write(body)
	return h.Sum(nil)[:macSize]
}

// pageToken is the content of a $skiptoken: where the next page begins and what remains of the whole.
type pageToken struct {
	Page     int      `json:"p"`           // number of the page it leads to, from 2
	Size     int      `json:"s"`           // rows per page
	Left     int      `json:"l,omitempty"` // rows left of $top; 0: no bound
	Position []string `json:"k,omitempty"` // encoded sort values
	Offset   int      `json:"o,omitempty"` // rows before the page, where they have no position
	Until    int64    `json:"w,omitempty"` // tracked reads: the watermark fixed on the first page
	Began    int64    `json:"b,omitempty"` // tracked reads: when the first page was read
	Removed  bool     `json:"r,omitempty"` // delta pages: the rows are through, removals follow
}

// Cursor is a place in a paged read.
type Cursor struct {
	Page     int
	Size     int
	Left     int
	Position *query.Position // nil: the page begins after Offset rows
	Offset   int
	Until    int64
	Began    int64
	Removed  bool
}

// SealCursor makes the $skiptoken for a cursor. purpose is the query it belongs to.
func (e *Engine) SealCursor(purpose string, c Cursor) string {
	t := pageToken{Page: c.Page, Size: c.Size, Left: c.Left, Offset: c.Offset, Until: c.Until, Began: c.Began, Removed: c.Removed}
	if c.Position != nil {
		for _, v := range c.Position.Values {
			t.Position = append(t.Position, encodeValue(v))
		}
	}
	return e.tokens.seal("page "+purpose, t)
}

// OpenCursor reads a $skiptoken back; a token of another query is refused.
func (e *Engine) OpenCursor(purpose, token string) (Cursor, error) {
	var t pageToken
	if err := e.tokens.open("page "+purpose, token, &t); err != nil {
		return Cursor{}, fault.Wrap(err, fault.BadRequest, "The $skiptoken is malformed or does not belong to this query.")
	}
	c := Cursor{Page: t.Page, Size: t.Size, Left: t.Left, Offset: t.Offset, Until: t.Until, Began: t.Began, Removed: t.Removed}
	if len(t.Position) > 0 {
		c.Position = &query.Position{}
	}
	for _, s := range t.Position {
		v, err := decodeValue(s)
		if err != nil {
			return Cursor{}, fault.Wrap(err, fault.BadRequest, "The $skiptoken is malformed or does not belong to this query.")
		}
		c.Position.Values = append(c.Position.Values, v)
	}
	return c, nil
}
