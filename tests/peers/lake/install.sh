#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Python judges of Iceberg tables (requirements.txt) into PEERS_HOME/lake/py. A second
# run does nothing unless a pin has changed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${PEERS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/frazil-peers}/lake
venv=$home/py
stamp=$home/.stamp-python
mkdir -p "$home"

now=$(sha256sum <"$here/requirements.txt" | cut -d' ' -f1)
if [[ -f $stamp && $(cat "$stamp") == "$now" && -x $venv/bin/python ]]; then
  exit 0
fi
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
printf '%s\n' "$now" >"$stamp"
