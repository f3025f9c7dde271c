#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# avro.sh [arguments of avro_peers.py]: Avro against fastavro, with the Python of lake/install.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/lake/install.sh"
home=${PEERS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/frazil-peers}/lake
exec "$home/py/bin/python" "$here/avro_peers.py" "$@"
