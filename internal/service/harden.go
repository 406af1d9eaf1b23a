package service

import "net/http"

// The values of the headers every answer carries. They are shared: nobody changes a header's values in place.
var (
	noSniff    = []string{"nosniff"}
	noFrame    = []string{"DENY"}
	noReferrer = []string{"no-referrer"}
	onlyTLS    = []string{"max-age=31536000"}
)

// harden puts on what every door answers with: nothing is to be taken for another type, framed, or named to other sites, and a client
// that came by TLS is to come so again.
func harden(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniff
	h["X-Frame-Options"] = noFrame
	h["Referrer-Policy"] = noReferrer
	if r.TLS != nil {
		h["Strict-Transport-Security"] = onlyTLS
	}
}
