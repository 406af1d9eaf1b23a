package auth

import (
	"context"
	"errors"
	"net/http"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// DiscoveryHandler serves the metadata of the built-in issuer (OpenID Connect Discovery, RFC 8414).
func (a *Authenticator) DiscoveryHandler() http.Handler {
	document := map[string]any{
		"issuer":                                a.baseURL,
		"authorization_endpoint":                a.baseURL + "/oauth2/authorize",
		"token_endpoint":                        a.baseURL + "/oauth2/v2.0/token",
		"jwks_uri":                              a.baseURL + "/.well-known/jwks.json",
		"grant_types_supported":                 []string{"client_credentials"},
		"response_types_supported":              []string{"token"},
		"scopes_supported":                      []string{a.baseURL + "/.default"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{string(signingAlgorithm)},
		"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
	}
	return readOnly(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=300")
		writeJSON(w, http.StatusOK, document)
	})
}

// KeysHandler serves the public keys of the built-in issuer.
func (a *Authenticator) KeysHandler() http.Handler {
	return readOnly(func(w http.ResponseWriter, req *http.Request) {
		set, err := a.ring.keySet(req.Context())
		if err != nil {
			a.log.Error("key set", "error", err)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=300")
		writeJSON(w, http.StatusOK, set)
	})
}

func readOnly(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		serve(w, req)
	})
}

// Challenge is the WWW-Authenticate header of a 401: where to get a token and for what, in the form the platform's clients
// parse. base is the URL the client used, without a slash at the end.
func (a *Authenticator) Challenge(ctx context.Context, base string, err error) string {
	tenant, lookupErr := a.ring.organizationID(ctx)
	if lookupErr != nil {
		tenant = value.GUID{}
	}
	text := "Bearer authorization_uri=" + base + "/" + tenant.String() + "/oauth2/authorize, resource_id=" + base + "/"
	var f *fault.Error
	if errors.As(err, &f) && (f.Code == fault.InvalidAuthTicket || f.Code == fault.ExpiredAuthTicket) {
		text += ", error=invalid_token"
	}
	return text
}
