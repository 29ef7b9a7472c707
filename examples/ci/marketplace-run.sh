#!/bin/sh
# Starts a conformance run on the marketplace, waits for it, writes junit.xml, and fails if the
# platform is not conformant. It needs curl and jq. Set:
#
#   MARKETPLACE       the marketplace's API, such as https://marketplace.example/api/v1
#   INTEGRATION_ID    your platform there
#   PARTNER_EMAIL, PARTNER_PASSWORD   your account; the password is a secret of your CI
#   SCOPE             full (default), or read_only to hold and book nothing
#
# It exits with 0 if no rule is broken, 1 if some are, and 3 if the run could not judge the platform.
set -eu
: "${MARKETPLACE:?}" "${INTEGRATION_ID:?}" "${PARTNER_EMAIL:?}" "${PARTNER_PASSWORD:?}"
runs="$MARKETPLACE/partner-integrations/$INTEGRATION_ID/conformance-runs"

login=$(jq -n '{email: env.PARTNER_EMAIL, password: env.PARTNER_PASSWORD}' |
  curl -sS --fail-with-body "$MARKETPLACE/auth/login" -H 'Content-Type: application/json' -d @-)
token=$(echo "$login" | jq -r .data.access_token)
ask() { curl -sS --fail-with-body -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"; }

# One run at a time can be under way: a 409 names the other one. This script then waits for it.
while :; do
  answer=$(curl -sS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "{\"scope\": \"${SCOPE:-full}\"}" "$runs")
  run=$(echo "$answer" | jq -r '.data.run_id // empty')
  [ -z "$run" ] || break
  other=$(echo "$answer" | jq -r '.run_id // empty')
  [ -n "$other" ] || { echo "the run was not started: $(echo "$answer" | jq -r .message)" >&2; exit 3; }
  echo "waiting for another run: $other"
  sleep 10
done

while :; do
  found=$(ask "$runs/$run")
  case $(echo "$found" | jq -r .data.state) in finished | failed) break ;; esac
  sleep 5
done
ask "$runs/$run/junit.xml" >junit.xml || rm -f junit.xml # a failed run has none
echo "$found" | jq -r '.data.findings[] | "\(.outcome) \(.rule): \(.message)\n  fix: \(.fix)"'
verdict=$(echo "$found" | jq -r '.data.verdict // .data.reason')
echo "verdict: $verdict"
# A read_only run judges a part of the rules, so its best verdict is partial.
case $verdict in conformant | partial) exit 0 ;; nonconformant) exit 1 ;; *) exit 3 ;; esac
