#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, runs the tests. The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")"
tools/install.sh build test fuzz
for preset in release dev; do
  cmake --preset $preset >/dev/null
  cmake --build build/$preset -j "$(nproc)" -- --quiet
done
exec python3 tests/run.py test "$@"
