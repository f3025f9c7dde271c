#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and shows the main job on the embedded defaults: a stream goes into
# two Iceberg tables, is killed with kill -9 and goes on where it was, while queries are answered.
set -euo pipefail
cd "$(dirname "$0")"
tools/install.sh build
cmake --preset release >/dev/null
cmake --build build/release -j "$(nproc)" --target frazil -- --quiet
frazil=$PWD/build/release/frazil
script=$PWD/examples/bids.sql
work=$(mktemp -d)
pipeline=
trap 'if [ -n "$pipeline" ]; then kill "$pipeline" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
cd "$work"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
ask() { echo "frazil> $1"; "$frazil" sql --format table -e "$1"; }
count() { "$frazil" sql --format csv -e "SELECT COUNT(*) FROM raw_bids" 2>/dev/null | tail -n 1; }
wait_for() { # rows: until the table holds that many
  for _ in $(seq 200); do
    rows=$(count || true)
    [ "${rows:-0}" -ge "$1" ] 2>/dev/null && return
    sleep 0.1
  done
  echo "demo.sh: no rows after 20 s; the pipeline said:" >&2
  cat log >&2
  exit 1
}

say "A pipeline: 1,500,000 events at 100,000 a second into two Iceberg tables"
sed -n '/^EXECUTE/,$p' "$script"
"$frazil" run -q "$script" 2>log &
pipeline=$!
wait_for 1
say "While it runs, a second process asks the same tables"
ask "SELECT channel, COUNT(*) AS bids, MAX(price) AS highest FROM raw_bids GROUP BY channel ORDER BY bids DESC LIMIT 4"
wait_for 500000
say "kill -9, in the middle of everything"
kill -9 "$pipeline"
wait "$pipeline" 2>/dev/null || true
pipeline=
echo "rows committed so far: $(count)"
say "Started again, it goes on where it was"
"$frazil" run -q "$script" 2>>log
grep resumed log
say "Every bid once: 1,500,000 events are 1,380,000 bids"
ask "SELECT COUNT(*) AS bids, COUNT(DISTINCT auction) AS auctions, SUM(price) AS volume FROM raw_bids"
ask "SELECT SUM(bids) AS counted_in_windows FROM per_second"
[ "$(count)" = 1380000 ] || { echo "demo.sh: rows are missing or doubled" >&2; exit 1; }
windows=$("$frazil" sql --format csv -e "SELECT SUM(bids) FROM per_second" | tail -n 1)
[ "$windows" = 1380000 ] || { echo "demo.sh: windows do not add up: $windows" >&2; exit 1; }
say "The tables are plain Iceberg (catalog.db and warehouse/ in frazil-data)"
find frazil-data -name '*.metadata.json' | sort | tail -n 2
echo
echo "This demo's data is removed now; README.md has the lines for PyIceberg, DuckDB and Spark."
