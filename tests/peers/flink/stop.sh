#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stops the cluster that start.sh started in DIR (its own three processes only).
#
#   stop.sh DIR
set -euo pipefail
[[ $# -eq 1 ]] || { echo "usage: stop.sh DIR" >&2; exit 2; }
dir=$(cd "$1" && pwd)
[[ -f $dir/env ]] || { echo "stop.sh: not running: $dir" >&2; exit 0; }
pids=()
while IFS='=' read -r key value; do
    case $key in JM_PID | TM_PID | GATEWAY_PID) pids+=("$value") ;; esac
done <"$dir/env"

ours() { # a pid of ours still alive?
    local cmd
    cmd=$({ tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null) || return 1
    [[ $cmd == *"$dir/log/"* ]]
}
for pid in "${pids[@]}"; do
    if ours "$pid"; then kill "$pid" 2>/dev/null || true; fi
done
for _ in $(seq 1 100); do
    alive=0
    for pid in "${pids[@]}"; do if ours "$pid"; then alive=1; fi; done
    [[ $alive -eq 0 ]] && break
    sleep 0.1
done
for pid in "${pids[@]}"; do
    if ours "$pid"; then kill -9 "$pid" 2>/dev/null || true; fi
done
rm -f "$dir/env"
