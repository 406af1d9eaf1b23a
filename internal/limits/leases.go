package limits

import (
	"context"
	"time"

	"almoner/internal/value"
)

// LeaseSize is the number of requests a process takes from the shared count at a time. Processes together count at most
// their number times LeaseSize too many.
const LeaseSize = 25

// leasePatience is how long a request waits for a lease; leasePause how long a process counts alone after a failure.
const (
	leasePatience = 2 * time.Second
	leasePause    = 5 * time.Second
)

// Lease is a number of requests of one identity that a process may admit by itself.
type Lease struct {
	Count int           // requests granted; 0: the identity has used up its window
	Slot  int64         // where the lease is booked; kept to give the unused part back
	Life  time.Duration // how long after it was asked for the lease may be used
	Wait  time.Duration // with Count 0: how long until there is room
}

// Leases is the count of requests that several processes share.
type Leases interface {
	// Take gives back what is left of an earlier lease (its Count may be 0) and takes a new one.
	Take(ctx context.Context, id value.GUID, back Lease) (Lease, error)
	// Nodes is the number of processes that lately shared the count, this one included.
	Nodes() int
}
