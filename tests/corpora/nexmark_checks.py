#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the Nexmark queries run: no column is flattened, and with little memory they spill.

  nexmark_checks.py DIR [-- COMMAND]

EXPLAIN ANALYZE of each query must count 0 flattened columns (data/column.h). Queries with much state
are run again with memory.limit = 2 mb: the spill file must not be empty, and the rows must be Flink's.
COMMAND is `$FRAZIL sql --format typed --keep-going -f -`. The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys
import tempfile
from types import SimpleNamespace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import streaming_runner as runner  # noqa: E402

QUERIES = "q0 q1 q2 q3 q4 q5 q7 q8 q10 q14 q15 q16 q17 q20 q21 q22 q23".split()
SPILLING = "q4 q16 q20 q23".split()
BASE = {"execution.runtime-mode": "streaming", "table.local-time-zone": "UTC",
        "parallelism.default": "1", "pipeline.auto-watermark-interval": "0 ms"}


def figures(folder, query, options):
    """What EXPLAIN ANALYZE counts, by name; a text where it fails."""
    def read(name):
        return open(os.path.join(folder, "queries", name), encoding="utf-8").read()
    ddl = read("ddl.sql").replace("${EVENTS}", "file://" + options.events).replace(
        "${SIDE_INPUT}", "file://" + os.path.abspath(os.path.join(folder, "side_input.csv")))
    explain = "EXPLAIN ANALYZE " + runner.statements(read(query + ".sql"))[0]
    block, _ = runner.run(options.command, runner.statements(ddl) + [explain], options.settings,
                          options.timeout)
    if block[0] in ("error", "ok"):
        return f"{block[0]} {block[1]}: {block[2]}"
    return {name: int(n) for name, n in
            re.findall(r"(columns flattened|spill file): (\d+)", block[2][0][0])}


def main():
    argv, command = sys.argv[1:], [os.environ.get("FRAZIL", "frazil"), "sql", "--format", "typed",
                                   "--keep-going", "-f", "-"]
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    folder = argv[0]
    command = [os.path.abspath(x) if os.path.exists(x) else x for x in command]
    index = {}
    for line in open(os.path.join(folder, "answers", "INDEX.tsv"), encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        index[fields[0]] = (fields[1], fields[-1])
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="nexmark-") as scratch:
        packed = [f for f in os.listdir(folder) if f.endswith(".ndjson.zst")][0]
        events = os.path.join(scratch, "events.ndjson")
        subprocess.run(["zstd", "-dqf", os.path.join(folder, packed), "-o", events], check=True)
        checks = [(q, False) for q in QUERIES] + [(q, True) for q in SPILLING]
        for query, is_small in checks:
            settings = dict(BASE, **({"memory.limit": "2 mb"} if is_small else {}))
            options = SimpleNamespace(command=command, settings=settings, timeout=120,
                                      events=events, no_types=False)
            got = figures(folder, query, options)
            if isinstance(got, str):
                why = got
            elif is_small:
                why = runner.run_nexmark(folder, query, options, index) if got["spill file"] > 0 \
                    else "nothing was spilled"
            else:
                why = None if got["columns flattened"] == 0 else f"{got['columns flattened']} flattened"
            name = query + (" in 2 mb" if is_small else "")
            print(f"FAILED {name}: {why}" if why else f"ok {name}", flush=True)
            passed, failed = passed + (why is None), failed + (why is not None)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
