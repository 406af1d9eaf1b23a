package auth

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// External is an identity provider whose tokens are taken. A token maps to the application user whose client id it carries.
type External struct {
	Issuer     string
	Audience   string
	JWKSURI    string   // "" to find it by discovery
	Algorithms []string // allowed signature algorithms; nil for RS256, PS256 and ES256
}

var defaultAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256}

// externalTypes are the typ headers of access tokens that identity providers use.
var externalTypes = []string{"", "jwt", tokenType}

// externalIssuer verifies tokens of one identity provider.
type externalIssuer struct {
	External
	algorithms []jose.SignatureAlgorithm
	keys       *remoteKeys
}

func newExternal(x External, f *fetcher, now func() time.Time) (*externalIssuer, error) {
	if x.Issuer == "" || x.Audience == "" {
		return nil, fmt.Errorf("auth.issuers: issuer and audience are required, got %q and %q", x.Issuer, x.Audience)
	}
	for _, address := range []string{x.Issuer, x.JWKSURI} {
		if err := checkAddress(address); address != "" && err != nil {
			return nil, fmt.Errorf("auth.issuers: %w", err)
		}
	}
	out := &externalIssuer{External: x, algorithms: defaultAlgorithms}
	if x.Algorithms != nil {
		out.algorithms = nil
	}
	for _, name := range x.Algorithms {
		if !slices.Contains(knownAlgorithms, jose.SignatureAlgorithm(name)) {
			return nil, fmt.Errorf("auth.issuers: %q is not a signature algorithm for tokens", name)
		}
		out.algorithms = append(out.algorithms, jose.SignatureAlgorithm(name))
	}
	out.keys = &remoteKeys{issuer: x.Issuer, address: x.JWKSURI, fetcher: f, now: now}
	return out, nil
}

// checkAddress demands TLS except on this machine: keys fetched in the clear could be anybody's.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is not a URL", address)
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback) {
		return fmt.Errorf("%q must begin with https://", address)
	}
	return nil
}

// verify checks signature and claims of a token that says it is from this issuer.
func (x *externalIssuer) verify(ctx context.Context, token *jwt.JSONWebToken, now time.Time) (*claims, error) {
	header := token.Headers[0]
	if !slices.Contains(x.algorithms, jose.SignatureAlgorithm(header.Algorithm)) {
		return nil, invalidToken("its algorithm is not allowed for its issuer")
	}
	if !slices.Contains(externalTypes, headerType(header)) {
		return nil, invalidToken("it is not an access token")
	}
	keys, err := x.keys.find(ctx, header.KeyID)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		var c claims
		if err := token.Claims(key.Key, &c); err == nil {
			return &c, c.check(now, x.Audience)
		}
	}
	return nil, invalidToken("its signature does not hold")
}
