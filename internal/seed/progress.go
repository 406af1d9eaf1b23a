package seed

// progress adds up how far a sample is. Making and writing count by rows; the recalculation looks at every parent once more.
type progress struct {
	tell           func(done, total int64)
	written, total int64
}

func newProgress(o Options) *progress {
	s := o.Size
	rows := s.Gifts + s.GiftPayments + s.RequestPayments*4/3 + s.Donors*3 + s.Funds
	parents := s.Gifts + s.RequestPayments/3 + s.Donors + s.Funds
	p := &progress{tell: o.Progress, total: int64(rows + parents)}
	if p.tell == nil {
		p.tell = func(int64, int64) {}
	}
	return p
}

// wrote counts rows that are in the database.
func (p *progress) wrote(rows int) {
	p.written += int64(rows)
	p.tell(p.written, max(p.total, p.written))
}

// recalculated counts rows the recalculation has looked at.
func (p *progress) recalculated(rows int64) { p.tell(p.written+rows, max(p.total, p.written+rows)) }
