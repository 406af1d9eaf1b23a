package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/sync/singleflight"

	"almoner/internal/fault"
	"almoner/internal/schema"
)

// Options are what an Authenticator is made of.
type Options struct {
	Directory Directory
	Model     *schema.Model
	BaseURL   string        // under which this process issues tokens, without a slash at the end
	TokenTTL  time.Duration // life of the tokens it issues
	Issuers   []External
	Client    *http.Client // for external issuers; nil for a plain one
	Now       func() time.Time
	Log       *slog.Logger
}

// Sizes and lives of the caches.
const (
	cachedTokens  = 20000
	cachedCallers = 20000
	tokenRecheck  = 5 * time.Minute // after which a known token is verified again, so that withdrawn keys count
	pollPause     = time.Second
	pollPatience  = 4 * time.Second // after which callers are not believed any more without a look at the database
	renewPause    = time.Hour
)

// Authenticator turns bearer tokens into callers and issues tokens to applications.
type Authenticator struct {
	directory Directory
	model     *schema.Model
	baseURL   string
	ttl       time.Duration
	now       func() time.Time
	log       *slog.Logger
	ring      *ring
	external  map[string]*externalIssuer
	secrets   *secrets
	tokens    *cache[[sha256.Size]byte, verified]
	callers   *cache[Lookup, known]
	loads     singleflight.Group
	revision  atomic.Int64 // last one seen by the poll
	polled    atomic.Int64 // when that was, in nanoseconds since 1970
}

// verified is a token that passed, and until when it need not be looked at again.
type verified struct {
	principal Principal
	until     time.Time
}

// known is a caller as of a revision of the security data.
type known struct {
	caller   *Caller
	revision int64
}

// New makes an authenticator. Run must be running for its caches to be of use.
func New(o Options) (*Authenticator, error) {
	a := &Authenticator{
		directory: o.Directory, model: o.Model, baseURL: strings.TrimSuffix(o.BaseURL, "/"), ttl: o.TokenTTL, now: o.Now, log: o.Log,
		external: map[string]*externalIssuer{}, secrets: newSecrets(),
		tokens: newCache[[sha256.Size]byte, verified](cachedTokens), callers: newCache[Lookup, known](cachedCallers),
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.log == nil {
		a.log = slog.Default()
	}
	if a.ttl <= 0 || a.ttl > MaxTokenTTL {
		return nil, fmt.Errorf("the life of a token must be between 1s and %s, not %s", MaxTokenTTL, a.ttl)
	}
	a.ring = &ring{directory: o.Directory, now: a.now}
	fetch := newFetcher(o.Client)
	for _, x := range o.Issuers {
		issuer, err := newExternal(x, fetch, a.now)
		if err != nil {
			return nil, err
		}
		if a.external[x.Issuer] != nil || x.Issuer == a.baseURL {
			return nil, fmt.Errorf("auth.issuers: %q is named twice", x.Issuer)
		}
		a.external[x.Issuer] = issuer
	}
	return a, nil
}

// Run watches the database for changes of the security data and renews signing keys, until ctx ends.
func (a *Authenticator) Run(ctx context.Context) {
	poll := time.NewTicker(pollPause)
	defer poll.Stop()
	renew := time.NewTicker(renewPause)
	defer renew.Stop()
	for {
		if err := a.Poll(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("security data cannot be read", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		case <-renew.C:
			if err := a.directory.RenewKeys(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("signing keys cannot be renewed", "error", err)
			}
		}
	}
}

// Poll looks once whether the security data changed. Whoever changed it may call it to see the effect at once.
func (a *Authenticator) Poll(ctx context.Context) error {
	at := a.now()
	ctx, cancel := context.WithTimeout(ctx, pollPatience)
	defer cancel()
	revision, err := a.directory.Revision(ctx)
	if err != nil {
		return err
	}
	a.revision.Store(revision)
	a.polled.Store(at.UnixNano())
	return nil
}

// Authenticate verifies the bearer token of an Authorization header. Every refusal is a 401 fault; an issuer or database
// that cannot be asked is a 503.
func (a *Authenticator) Authenticate(ctx context.Context, header string) (Principal, error) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return Principal{}, fault.New(fault.RequestIsNotAuthenticated, "The request is not authenticated: it carries no bearer token.")
	}
	sum := digest(token)
	now := a.now()
	if v, ok := a.tokens.get(sum); ok && now.Before(v.until) {
		return v.principal, nil
	}
	p, err := a.verify(ctx, token, now)
	if err != nil {
		a.tokens.remove(sum)
		return Principal{}, err
	}
	until := p.Expires.Add(expirySkew)
	if recheck := now.Add(tokenRecheck); recheck.Before(until) {
		until = recheck
	}
	a.tokens.put(sum, verified{p, until})
	return p, nil
}

// digest is what a token is known by in the cache. Tokens of the usual length are copied to no new memory.
func digest(token string) [sha256.Size]byte {
	var room [2048]byte
	return sha256.Sum256(append(room[:0], token...))
}

func (a *Authenticator) verify(ctx context.Context, text string, now time.Time) (Principal, error) {
	token, err := parseToken(text)
	if err != nil {
		return Principal{}, err
	}
	issuer, err := claimedIssuer(token)
	if err != nil {
		return Principal{}, err
	}
	var c *claims
	if x := a.external[issuer]; x != nil {
		c, err = x.verify(ctx, token, now)
	} else {
		c, err = a.verifyOwn(ctx, token, now)
	}
	if err != nil {
		return Principal{}, err
	}
	client, err := c.client()
	if err != nil {
		return Principal{}, err
	}
	return Principal{Client: client, Issuer: c.Issuer, Expires: c.Expiry.Time()}, nil
}

// verifyOwn checks a token of the built-in issuer, whichever process on this database made it.
func (a *Authenticator) verifyOwn(ctx context.Context, token *jwt.JSONWebToken, now time.Time) (*claims, error) {
	header := token.Headers[0]
	if header.Algorithm != string(signingAlgorithm) || headerType(header) != tokenType {
		return nil, invalidToken("it is not an access token of this service")
	}
	key, err := a.ring.verifying(ctx, header.KeyID)
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, invalidToken("its issuer or key is unknown")
	}
	var c claims
	if err := token.Claims(key, &c); err != nil {
		return nil, brokenToken(err, "its signature does not hold")
	}
	if c.Issuer != a.baseURL {
		if ok, err := a.ring.knows(ctx, c.Issuer); err != nil || !ok {
			return nil, firstError(err, invalidToken("its issuer is unknown"))
		}
	}
	organization, err := a.ring.organizationID(ctx)
	if err != nil {
		return nil, err
	}
	return &c, c.check(now, urn(organization))
}
