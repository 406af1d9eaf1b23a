#!/usr/bin/env bash
# Serves a small sample foundation on this machine and shows how to talk to it.
set -euo pipefail
bin=$1
db=${ALMONER_DB:-almoner.db}
addr=${ALMONER_ADDR:-127.0.0.1:8080}

case $db in
  postgres://*|postgresql://*) ;;
  *) [ -e "${db#sqlite:}" ] || "$bin" seed --db "$db" --size small ;;
esac

"$bin" serve --db "$db" --addr "$addr" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true' EXIT INT TERM
for _ in $(seq 100); do
  (exec 3<>"/dev/tcp/${addr%:*}/${addr##*:}") 2>/dev/null && break
  kill -0 $server 2>/dev/null || exit 1
  sleep 0.1
done
token=$("$bin" token --db "$db" --ttl 8h)
base="http://$addr/api/data/v9.2"
cat <<EOF

Base URL   $base
Token      $token
Console    http://$addr/console/ (takes the token)

Try:
curl -H "Authorization: Bearer $token" "$base/svc_gifts?\\\$select=svc_giftnum,svc_totalgift&\\\$top=3"

Ctrl-C stops it.
EOF
wait $server
