#!/bin/sh
# Starts three replicas and the engine that keeps the order of their changes, and ends all of them with Ctrl-C.
# NATS_PORT, HTTP_PORTS, API_PORTS and BACKLOT (the command) may be set.
set -eu
cd "$(dirname "$0")"
nats="${NATS_PORT:-4222}"
http="${HTTP_PORTS:-8081 8082 8083}"
api="${API_PORTS:-9091 9092 9093}"
command -v nats-server >/dev/null || {
  echo 'this example needs nats-server: apt-get install nats-server' >&2
  exit 1
}
folder="$(mktemp -d)"
pids=''
end() {
  trap - EXIT INT TERM
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill $pids 2>/dev/null || true
  wait || true
  rm -rf "$folder"
}
trap end EXIT
trap 'end; exit 0' INT TERM

nats-server -a 127.0.0.1 -p "$nats" -js -sd "$folder/store" -l "$folder/nats.log" &
pids="$!"
until grep -q 'Server is ready' "$folder/nats.log" 2>/dev/null; do
  kill -0 "$pids" 2>/dev/null || { cat "$folder/nats.log" >&2; exit 1; }
  sleep 0.1
done

number=1
for port in $http; do
  # shellcheck disable=SC2086
  set -- $api
  shift "$((number - 1))"
  # shellcheck disable=SC2086
  ${BACKLOT:-backlot} start --only http --quiet --http-port "$port" --api-port "$1" \
    --cluster "nats://127.0.0.1:$nats" --cluster-name example --replica "r$number" &
  pids="$pids $!"
  replicas="${replicas:-} $!"
  number="$((number + 1))"
done
# One that cannot start, or ends, ends the others.
for replica in $replicas; do wait "$replica"; done
