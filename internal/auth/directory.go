package auth

import (
	"context"
	"time"

	"almoner/internal/value"
)

// Directory is what authentication asks of the database. Nothing it returns is remembered by it.
type Directory interface {
	// Revision is the counter that moves with every change of the security data.
	Revision(ctx context.Context) (int64, error)
	// Account reads one user from one snapshot; nil when there is none.
	Account(ctx context.Context, by Lookup) (*Account, error)
	// SecretHash returns the hash of an application's secret; "" when it has none.
	SecretHash(ctx context.Context, client value.GUID) (string, error)
	// Trust returns the keys and names of the built-in issuer.
	Trust(ctx context.Context) (*Trust, error)
	// RenewKeys makes a new signing key when the present one is old, and lets old ones go.
	RenewKeys(ctx context.Context) error
}

// Lookup says by what a user is looked for.
type Lookup struct {
	By LookupKind
	ID value.GUID
}

// LookupKind is a column by which users are found.
type LookupKind uint8

// The ways to find a user: by client id, by systemuserid, by the identity provider's object id.
const (
	ByApplication LookupKind = iota
	ByUser
	ByObject
)

var lookupColumns = [...]string{"applicationid", "systemuserid", "azureactivedirectoryobjectid"}

// Trust is what makes a token one of our own.
type Trust struct {
	Organization value.GUID
	Keys         []StoredKey // newest first
	Names        []string    // base URLs under which processes on this database issue tokens, latest first
}

// StoredKey is a signing key as the database has it.
type StoredKey struct {
	KID     string
	PEM     string // private, or public when retired
	Created time.Time
	Retired bool
}
