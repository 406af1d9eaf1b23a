package webapi

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// gate is a client that reads nothing until it is opened.
type gate struct {
	open chan struct{}
	got  bytes.Buffer
	fail error
}

func (g *gate) Write(p []byte) (int, error) {
	if g.got.Len() > 0 {
		<-g.open
	}
	if g.fail != nil {
		return 0, g.fail
	}
	return g.got.Write(p)
}

// page hands n pieces of distinct content to a relay the way a listing does.
func page(w io.Writer, n int) ([]byte, error) {
	out := newChunks(w)
	defer out.close()
	var want []byte
	b := out.empty()
	for i := range n {
		piece := bytes.Repeat([]byte{byte('a' + i%26)}, flushAt)
		want = append(want, piece...)
		var err error
		if b, err = out.flush(append(b, piece...)); err != nil {
			return want, err
		}
	}
	return want, nil
}

func TestStalledClientHoldsNothingUp(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	way := newRelay(g)
	want, err := page(way, 60) // returns although the client reads nothing
	if err != nil {
		t.Fatal(err)
	}
	if way.spool == nil || way.spool.file == nil {
		t.Fatal("the rest of the page was not spooled")
	}
	close(g.open)
	if err := way.finish(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g.got.Bytes(), want) {
		t.Errorf("the client got %d bytes in another order than %d were sent", g.got.Len(), len(want))
	}
}

func TestReadingClientGetsEverythingInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 50} {
		g := &gate{open: make(chan struct{})}
		close(g.open)
		way := newRelay(g)
		want, err := page(way, n)
		if err == nil {
			err = way.finish()
		}
		if err != nil || !bytes.Equal(g.got.Bytes(), want) {
			t.Errorf("%d pieces: %v, %d bytes of %d", n, err, g.got.Len(), len(want))
		}
	}
}

func TestBrokenClientEndsThePage(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	way := newRelay(g)
	if _, err := page(way, 1); err != nil {
		t.Fatal(err)
	}
	g.fail = errors.New("connection reset")
	_, err := page(way, 50)
	if err == nil {
		err = way.finish()
	}
	if err == nil {
		t.Error("nobody noticed that the client is gone")
	}
	way.abandon()
}
