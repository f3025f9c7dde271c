#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a Kafka broker (pom.xml) and a Python client into PEERS_HOME/kafka. A second run does
# nothing unless a pin has changed. Needs a JDK 17, Maven and python3 with venv.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${PEERS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/frazil-peers}/kafka
client=confluent-kafka==2.16.1
now="$client $(sha256sum <"$here/pom.xml" | cut -d' ' -f1)"

mkdir -p "$home"
exec 9>"$home/.lock"
flock 9 # a second install waits here and then finds the work done
[[ "$(cat "$home/.stamp" 2>/dev/null || true)" == "$now" ]] && exit 0
rm -rf "$home/.stamp" "$home/libs.new"
mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies \
  -DincludeScope=runtime -DoutputDirectory="$home/libs.new" >&2
rm -rf "$home/libs"
mv "$home/libs.new" "$home/libs"
[[ -x $home/venv/bin/python ]] || python3 -m venv "$home/venv"
"$home/venv/bin/pip" install -q --disable-pip-version-check "$client" >&2
printf '%s\n' "$now" >"$home/.stamp"
