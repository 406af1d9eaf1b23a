package auth

import (
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// Bounds of bearer tokens. Whose clock: the machine's, never the service's.
const (
	maxTokenBytes = 16 << 10
	expirySkew    = 10 * time.Second // how long after its end a token is still taken
	notBeforeSkew = 60 * time.Second // how long before its beginning
	// MaxTokenTTL is the longest life of a token the built-in issuer makes.
	MaxTokenTTL = 31 * 24 * time.Hour
)

// tokenType is the typ header of access tokens (RFC 9068).
const tokenType = "at+jwt"

// Principal is who a verified token speaks for.
type Principal struct {
	Client  value.GUID // the application user's client id
	Issuer  string
	Expires time.Time
}

// claims are what is read of a token and, beside the registered ones, what the platform's tokens carry.
type claims struct {
	jwt.Claims
	ClientID string `json:"client_id,omitempty"`
	AppID    string `json:"appid,omitempty"`
	AZP      string `json:"azp,omitempty"`
	ObjectID string `json:"oid,omitempty"`
	TenantID string `json:"tid,omitempty"`
	IDType   string `json:"idtyp,omitempty"`
	Version  string `json:"ver,omitempty"`
}

// facts are what a new token says.
type facts struct {
	issuer, resource, urn string
	client, user, tenant  value.GUID
	now                   time.Time
	ttl                   time.Duration
}

// mint signs an access token.
func mint(key *signingKey, f facts) (string, error) {
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: signingAlgorithm, Key: jose.JSONWebKey{Key: key.private, KeyID: key.kid}},
		(&jose.SignerOptions{}).WithType(tokenType))
	if err != nil {
		return "", err
	}
	client := f.client.String()
	audience := jwt.Audience{f.urn}
	if f.resource != f.urn {
		audience = jwt.Audience{f.resource, f.urn}
	}
	return jwt.Signed(signer).Claims(claims{
		Claims: jwt.Claims{
			Issuer: f.issuer, Subject: client, Audience: audience, ID: value.NewGUID(f.now).String(),
			IssuedAt: jwt.NewNumericDate(f.now), NotBefore: jwt.NewNumericDate(f.now), Expiry: jwt.NewNumericDate(f.now.Add(f.ttl)),
		},
		ClientID: client, AppID: client, AZP: client, ObjectID: f.user.String(), TenantID: f.tenant.String(), IDType: "app", Version: "2.0",
	}).Serialize()
}

// knownAlgorithms are those any issuer may be allowed; which of them a token may use is its issuer's matter.
var knownAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// parseToken takes a token apart without believing any of it. Keys and key addresses in its header are never looked at.
func parseToken(text string) (*jwt.JSONWebToken, error) {
	if len(text) > maxTokenBytes {
		return nil, invalidToken("it is longer than %d bytes", maxTokenBytes)
	}
	token, err := jwt.ParseSigned(text, knownAlgorithms)
	if err != nil || len(token.Headers) != 1 {
		return nil, brokenToken(err, "it is not a signed JWT")
	}
	return token, nil
}

// claimedIssuer reads who a token says it is from, only to choose who checks it.
func claimedIssuer(token *jwt.JSONWebToken) (string, error) {
	var c struct {
		Issuer string `json:"iss"`
	}
	if err := token.UnsafeClaimsWithoutVerification(&c); err != nil {
		return "", brokenToken(err, "its claims are not JSON")
	}
	return c.Issuer, nil
}

// headerType returns the typ header in lower case and without its media type prefix.
func headerType(h jose.Header) string {
	typ, _ := h.ExtraHeaders[jose.HeaderType].(string)
	return strings.TrimPrefix(strings.ToLower(typ), "application/")
}

// check looks at the claims of a token whose signature holds.
func (c *claims) check(now time.Time, audience string) error {
	if !c.Audience.Contains(audience) {
		return invalidToken("its audience is another")
	}
	if c.Expiry == nil {
		return invalidToken("it has no end")
	}
	if now.After(c.Expiry.Time().Add(expirySkew)) {
		return fault.New(fault.ExpiredAuthTicket, "The authentication token has expired.")
	}
	if c.NotBefore != nil && now.Add(notBeforeSkew).Before(c.NotBefore.Time()) {
		return invalidToken("it is not valid yet")
	}
	if c.IDType != "" && c.IDType != "app" {
		return invalidToken("it was not issued to an application")
	}
	return nil
}

// client returns the one client id the token carries under any of its names.
func (c *claims) client() (value.GUID, error) {
	var found string
	for _, id := range []string{c.ClientID, c.AZP, c.AppID} {
		switch {
		case id == "":
		case found != "" && !strings.EqualFold(id, found):
			return value.GUID{}, invalidToken("it names two clients")
		default:
			found = id
		}
	}
	id, err := value.ParseGUID(found)
	if err != nil {
		return id, invalidToken("it names no client id")
	}
	return id, nil
}

// invalidToken refuses a token for a reason.
func invalidToken(format string, args ...any) *fault.Error { return brokenToken(nil, format, args...) }

// brokenToken is invalidToken with a cause for the log.
func brokenToken(cause error, format string, args ...any) *fault.Error {
	return fault.Wrap(cause, fault.InvalidAuthTicket, "The authentication token did not pass validation: "+format+".", args...)
}
