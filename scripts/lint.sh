#!/usr/bin/env bash
# Formatting, vet and pinned linters, a scan for secrets, and known vulnerabilities where their database can be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOSEC=github.com/securego/gosec/v2/cmd/gosec@v2.29.0
GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.8.0

unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
  printf 'not gofmt-ed:\n%s\n' "$unformatted" >&2
  exit 1
fi
go vet ./...
go run "$STATICCHECK" ./...
# G104: what is given up is closed without asking how; G115: conversions between integer sizes are bounded where they matter; G304: commands
# open the files they are told to. Packages that exist for tests alone run programs and roll dice on purpose.
go run "$GOSEC" -quiet -exclude=G104,G115,G304 -exclude-dir=bench -exclude-dir=clients -exclude-dir=internal/pgtest -exclude-dir=internal/wiretest \
  -exclude-dir=internal/programtest -exclude-dir=internal/store/storetest -exclude-dir=internal/rules/rulestest ./...

# Private keys, cloud keys and bearer tokens do not belong into a repository. Tests make theirs at run time.
if git grep -nIE -e '-----BEGIN (RSA |EC |OPENSSH )?PRIVATE KEY' -e 'AKIA[0-9A-Z]{16}' -e 'eyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.' -- ':!clients/package-lock.json' ':!scripts/lint.sh'; then
  echo 'the lines above look like secrets' >&2
  exit 1
fi

if ! go run "$GOVULNCHECK" ./... > /tmp/govulncheck.$$ 2>&1; then
  if grep -qE 'dial tcp|no such host|connection refused|fetching vulnerabilities|Forbidden|proxyconnect' /tmp/govulncheck.$$; then
    echo 'govulncheck: its database cannot be reached here; skipped' >&2
  else
    cat /tmp/govulncheck.$$ >&2
    rm -f /tmp/govulncheck.$$
    exit 1
  fi
fi
rm -f /tmp/govulncheck.$$
