package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"almoner/internal/value"
)

// maxForm is the longest token request taken, formPatience how long it may take to arrive.
const (
	maxForm      = 64 << 10
	formPatience = 10 * time.Second
)

// oauthError is a refusal of the token endpoint (RFC 6749, section 5.2).
type oauthError struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func refuse(code, description string) *oauthError {
	status := http.StatusBadRequest
	if code == "invalid_client" {
		status = http.StatusUnauthorized
	}
	return &oauthError{status, code, description}
}

// TokenHandler serves the token endpoint: the client-credentials grant, with the client's id and secret in the form or in
// HTTP Basic. Paths that end in /oauth2/token answer in the platform's older form.
func (a *Authenticator) TokenHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Pragma", "no-cache")
		if req.Method != http.MethodPost {
			h.Set("Allow", http.MethodPost)
			writeJSON(w, http.StatusMethodNotAllowed, &oauthError{Code: "invalid_request", Description: "The token endpoint takes POST."})
			return
		}
		// Nobody has said yet who they are: a body that does not come is not waited for.
		limit := http.NewResponseController(w)
		_ = limit.SetReadDeadline(time.Now().Add(formPatience)) // recorders have none
		answer, err := a.grant(req)
		_ = limit.SetReadDeadline(time.Time{})
		var refusal *oauthError
		switch {
		case err == nil:
			writeJSON(w, http.StatusOK, answer)
		case errors.As(err, &refusal):
			if refusal.status == http.StatusUnauthorized {
				h.Set("WWW-Authenticate", `Basic realm="almoner"`)
			}
			writeJSON(w, refusal.status, refusal)
		default:
			a.log.Error("token endpoint", "error", err)
			h.Set("Retry-After", "1")
			writeJSON(w, http.StatusServiceUnavailable, &oauthError{Code: "temporarily_unavailable", Description: "Try again later."})
		}
	})
}

// grant answers one token request.
func (a *Authenticator) grant(req *http.Request) (map[string]any, error) {
	form, err := readForm(req)
	if err != nil {
		return nil, err
	}
	client, secret, err := credentials(req, form)
	if err != nil {
		return nil, err
	}
	switch form.Get("grant_type") {
	case "client_credentials":
	case "":
		return nil, refuse("invalid_request", "The parameter grant_type is missing.")
	default:
		return nil, refuse("unsupported_grant_type", "Only the grant type client_credentials is supported.")
	}
	account, err := a.signIn(req.Context(), client, secret)
	if err != nil {
		return nil, err
	}
	if !validScope(form.Get("scope")) {
		return nil, refuse("invalid_scope", "The parameter scope is malformed.")
	}
	token, err := a.mintFor(req.Context(), account)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.TrimSuffix(req.URL.Path, "/"), "/oauth2/token") {
		return a.olderAnswer(token), nil
	}
	seconds := int64(a.ttl / time.Second)
	return map[string]any{
		"token_type": "Bearer", "expires_in": seconds, "ext_expires_in": seconds, "access_token": token, "scope": a.baseURL + "/.default",
	}, nil
}

func (a *Authenticator) olderAnswer(token string) map[string]any {
	now := a.now()
	seconds := strconv.FormatInt(int64(a.ttl/time.Second), 10)
	return map[string]any{
		"token_type": "Bearer", "expires_in": seconds, "ext_expires_in": seconds, "access_token": token, "resource": a.baseURL,
		"expires_on": strconv.FormatInt(now.Add(a.ttl).Unix(), 10), "not_before": strconv.FormatInt(now.Unix(), 10),
	}
}

// signIn checks a client's secret and that its user may act at all.
func (a *Authenticator) signIn(ctx context.Context, client value.GUID, secret string) (*Account, error) {
	hash, err := a.directory.SecretHash(ctx, client)
	if err != nil {
		return nil, err
	}
	ok, err := a.secrets.verify(ctx, client, hash, secret)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, refuse("invalid_client", "The client id or the client secret is wrong.")
	}
	account, err := a.directory.Account(ctx, Lookup{ByApplication, client})
	if err != nil {
		return nil, err
	}
	if account == nil || account.Disabled {
		return nil, refuse("unauthorized_client", "The application is disabled.")
	}
	return account, nil
}

func (a *Authenticator) mintFor(ctx context.Context, account *Account) (string, error) {
	key, err := a.ring.signer(ctx)
	if err != nil {
		return "", err
	}
	return mint(key, facts{
		issuer: a.baseURL, resource: a.baseURL, urn: urn(account.Organization), client: account.Application, user: account.User,
		tenant: account.Organization, now: a.now(), ttl: a.ttl,
	})
}

// readForm reads the parameters from the body alone; one given twice is refused.
func readForm(req *http.Request) (url.Values, error) {
	media, _, _ := strings.Cut(req.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded") {
		return nil, refuse("invalid_request", "The body must be application/x-www-form-urlencoded.")
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxForm+1))
	if err != nil || len(body) > maxForm {
		return nil, refuse("invalid_request", "The body is cut off or too long.")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, refuse("invalid_request", "The body is not a form.")
	}
	for name, vs := range form {
		if len(vs) > 1 {
			return nil, refuse("invalid_request", "The parameter "+strconv.Quote(name)+" is given twice.")
		}
	}
	return form, nil
}

// credentials finds the client's id and secret, in exactly one of the two places.
func credentials(req *http.Request, form url.Values) (client value.GUID, secret string, err error) {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if header := req.Header.Get("Authorization"); header != "" {
		basicID, basicSecret, ok := basicAuth(req)
		if !ok {
			return client, "", refuse("invalid_client", "The Authorization header is not HTTP Basic.")
		}
		if secret != "" || id != "" && !strings.EqualFold(id, basicID) {
			return client, "", refuse("invalid_request", "The client authenticates in more than one way.")
		}
		id, secret = basicID, basicSecret
	}
	if form.Has("client_assertion") {
		return client, "", refuse("invalid_client", "Client assertions are not supported; use a client secret.")
	}
	if id == "" || secret == "" {
		return client, "", refuse("invalid_client", "The client id or the client secret is missing.")
	}
	if client, err = value.ParseGUID(id); err != nil {
		return client, "", refuse("invalid_client", "The client id or the client secret is wrong.")
	}
	return client, secret, nil
}

// basicAuth reads HTTP Basic with both parts form-encoded, as OAuth 2.0 has it.
func basicAuth(req *http.Request) (id, secret string, ok bool) {
	rawID, rawSecret, ok := req.BasicAuth()
	if !ok {
		return "", "", false
	}
	id, idErr := url.QueryUnescape(rawID)
	secret, secretErr := url.QueryUnescape(rawSecret)
	return id, secret, idErr == nil && secretErr == nil
}

// validScope tells whether a scope is well formed. Which one is asked for does not matter: the answer names the one there is.
func validScope(scope string) bool {
	return !strings.ContainsFunc(scope, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c > '~' })
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A failed write means the client is gone; there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(body)
}
