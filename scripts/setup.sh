#!/usr/bin/env bash
# Brings what the tests need beyond Go and make: PostgreSQL binaries, xmllint, strace, Node.js with npm. Installs missing Debian
# packages when it may, else says exactly what to install.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || missing+=(postgresql)
command -v xmllint >/dev/null || missing+=(libxml2-utils)
command -v strace >/dev/null || missing+=(strace)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing: ${missing[*]}" >&2
    export DEBIAN_FRONTEND=noninteractive
    # A server cluster of the machine's own is not wanted: only the binaries are.
    mkdir -p /etc/postgresql-common
    [ -f /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
    apt-get update -qq >&2
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
  else
    echo "please install these packages and run again: ${missing[*]}" >&2
    [ "${CI:-}" = true ] && exit 1
  fi
fi

if [ -f clients/package-lock.json ] && command -v npm >/dev/null; then
  if [ ! -d clients/node_modules ] || [ clients/package-lock.json -nt clients/node_modules/.package-lock.json ]; then
    (cd clients && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >&2)
  fi
fi
