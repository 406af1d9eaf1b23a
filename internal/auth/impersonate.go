package auth

import (
	"context"
	"fmt"
	"net/http"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// Impersonation is what a request says about whom it acts for; nil where a header is absent.
type Impersonation struct {
	CallerID *string // MSCRMCallerID: a systemuserid
	ObjectID *string // CallerObjectId: the user's id at the identity provider
}

// ImpersonationOf reads the headers of a request.
func ImpersonationOf(h http.Header) Impersonation {
	return Impersonation{CallerID: headerValue(h, "MSCRMCallerID"), ObjectID: headerValue(h, "CallerObjectId")}
}

func headerValue(h http.Header, name string) *string {
	if vs := h.Values(name); len(vs) > 0 {
		return &vs[0]
	}
	return nil
}

// Caller returns the identity a request of a principal runs under. Users that are unknown, disabled or without roles are
// refused with 403, malformed impersonation headers with 400.
func (a *Authenticator) Caller(ctx context.Context, p Principal, im Impersonation) (*Caller, error) {
	real, err := a.caller(ctx, Lookup{ByApplication, p.Client})
	if err != nil {
		return nil, err
	}
	if real == nil {
		return nil, fault.New(fault.UserNotMember, "The user is not a member of the organization: no application user has the client id %s.", p.Client)
	}
	if err := usableCaller(real); err != nil {
		return nil, err
	}
	lookups, err := im.lookups()
	if err != nil || len(lookups) == 0 {
		return real, err
	}
	return a.actFor(ctx, real, lookups)
}

// lookups reads the headers' values; the object id comes first.
func (im Impersonation) lookups() ([]Lookup, error) {
	var out []Lookup
	for _, h := range []struct {
		value *string
		name  string
		by    LookupKind
	}{{im.ObjectID, "CallerObjectId", ByObject}, {im.CallerID, "MSCRMCallerID", ByUser}} {
		if h.value == nil {
			continue
		}
		id, err := value.ParseGUID(*h.value)
		if err != nil {
			return nil, fault.New(fault.CallerIDInvalid, "The caller id for impersonation is invalid: the header %s must hold a GUID.", h.name)
		}
		out = append(out, Lookup{h.by, id})
	}
	return out, nil
}

// actFor returns the caller under which real acts for the one user all lookups name. Who names themselves does not
// impersonate.
func (a *Authenticator) actFor(ctx context.Context, real *Caller, lookups []Lookup) (*Caller, error) {
	var user *Caller
	for _, by := range lookups {
		if by.By == ByUser && by.ID == real.User {
			continue
		}
		found, err := a.caller(ctx, by)
		if err != nil {
			return nil, err
		}
		switch {
		case found == nil && !real.own.actsFor:
			return nil, real.own.missing(ActOnBehalf, "")
		case found == nil:
			return nil, fault.New(fault.ObjectDoesNotExist, "Entity 'systemuser' With Id = %s Does Not Exist", by.ID).WithStatus(http.StatusForbidden)
		case user != nil && user.User != found.User:
			return nil, fault.New(fault.CallerIDInvalid, "The caller id for impersonation is invalid: CallerObjectId and MSCRMCallerID name different users.")
		}
		user = found
	}
	if user == nil || user.User == real.User {
		return real, nil
	}
	if !real.own.actsFor {
		return nil, real.own.missing(ActOnBehalf, "")
	}
	if err := usableCaller(user); err != nil {
		return nil, err
	}
	return onBehalf(real, user), nil
}

// usableCaller refuses users who may do nothing at all.
func usableCaller(c *Caller) error {
	switch {
	case c.disabled:
		return fault.New(fault.UserDisabled, "The user (Id=%s) is disabled.", c.User)
	case c.Roles == 0:
		return fault.New(fault.UserHasNoRoles, "The user (Id=%s) has not been assigned any roles.", c.User)
	}
	return nil
}

// caller returns who a user would be as a caller; nil when there is no such user. What is known is used as long as the
// poll vouches for it; an unknown user is looked for in the database every time, so that a new one works at once.
func (a *Authenticator) caller(ctx context.Context, by Lookup) (*Caller, error) {
	if k, ok := a.callers.get(by); ok && a.vouched(k) {
		return k.caller, nil
	}
	loaded, err, _ := a.loads.Do(fmt.Sprint(by.By, by.ID), func() (any, error) {
		account, err := a.directory.Account(context.WithoutCancel(ctx), by)
		if err != nil || account == nil {
			return (*Caller)(nil), err
		}
		c := NewCaller(a.model, account)
		a.callers.put(by, known{c, account.Revision})
		return c, nil
	})
	if err != nil {
		return nil, fault.Unavailable(err, 1)
	}
	return loaded.(*Caller), nil
}

// vouched tells whether a known caller may still be believed: nothing changed since, as of a recent look.
func (a *Authenticator) vouched(k known) bool {
	age := a.now().UnixNano() - a.polled.Load()
	return k.revision >= a.revision.Load() && age >= 0 && age < int64(pollPatience)
}
