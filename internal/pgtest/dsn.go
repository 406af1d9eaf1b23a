package pgtest

import (
	"fmt"
	"net/url"
	"strings"
)

// withDatabase returns a URL-style DSN with another database name.
func withDatabase(dsn, name string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return "", fmt.Errorf("pgtest: %s must be a postgres:// URL", Variable)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// databaseName returns the database a URL-style DSN names.
func databaseName(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Path, "/")
}
