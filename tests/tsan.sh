#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that runs on more than one thread, under ThreadSanitizer: unit tests, streaming queries on
# four workers, pipelines that are killed and restored. A race ends its program with code 66.
set -e
cd "$(dirname "$0")/.."
make --no-print-directory tsan >/dev/null
export FRAZIL="$PWD/build/tsan/frazil" FRAZIL_DEV="$PWD/build/tsan/frazil"
export TSAN_OPTIONS="exitcode=66 log_path=$PWD/build/tsan/race"
rm -f build/tsan/race.*
failed=0
passed=0
count() { # count COMMAND...: runs it, adds up its last line
    last=$("$@" 2>&1 | tee /dev/stderr | grep -Eo '[0-9]+ passed, [0-9]+ failed' | tail -1)
    passed=$((passed + ${last%% passed*}))
    last=${last#*, }
    failed=$((failed + ${last%% failed*}))
}
if ctest --test-dir build/tsan -LE fuzz --output-on-failure; then
    passed=$((passed + $(ctest --test-dir build/tsan -LE fuzz -N | sed -n 's/^Total Tests: //p')))
else
    failed=$((failed + 1))
fi
count python3 tests/corpora/run_cases.py --config p4 tests/corpora/flink-streaming tests/corpora/flink-streaming-more
count python3 tests/corpora/random_cases.py --seeds 1-60 --config p4
count python3 tests/e2e/kill_test.py --source files --kills 10 --seed 5
if ls build/tsan/race.* >/dev/null 2>&1; then
    cat build/tsan/race.*
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
