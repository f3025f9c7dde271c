#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faulty statements: refused where Flink refuses them, with these very messages.

  run_errors.py [--update] [-- COMMAND]        (COMMAND: `$FRAZIL sql`)

flink-errors/errors.ndjson has what Flink says of each statement; flink-errors/base.sql are the
tables that all of them see; flink-errors/expected.txt is what we say, place and hint included. A
statement that Flink refuses must be refused, unless flink-errors/ours.txt says why it runs here.
--update writes expected.txt anew: read the difference. The last line is `N passed, N failed`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flink-errors")


def read(name):
    return open(os.path.join(HERE, name), encoding="utf-8").read()


def answer(command, case):
    """What the last statement of a case says: '' where it runs. Setup that fails is an answer too."""
    with tempfile.TemporaryDirectory() as folder:
        script = "".join(s + ";\n" for s in BASE + case["ddl"])
        setup = os.path.join(folder, "setup.sql")
        open(setup, "w", encoding="utf-8").write(script)
        args = command + ["--streaming", "--set", "table.local-time-zone=UTC", "--set", "parallelism.default=1",
                          "--data", os.path.join(folder, "data")]
        first = subprocess.run(args + ["-f", setup], capture_output=True, text=True, cwd=folder)
        if first.returncode != 0:
            return "in the setup: " + first.stderr
        try:
            second = subprocess.run(args + ["-e", case["sql"]], capture_output=True, text=True,
                                    cwd=folder, timeout=60)
        except subprocess.TimeoutExpired:
            return "no answer in 60 s\n"
        if second.returncode not in (0, 1):
            return f"exit code {second.returncode}\n" + second.stderr
        return second.stderr if second.returncode == 1 else ""


def main():
    global BASE
    argv, command = sys.argv[1:], [os.environ.get("FRAZIL", "frazil"), "sql"]
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    command = [os.path.abspath(x) if os.path.exists(x) else x for x in command]
    BASE = [s.strip() for s in read("base.sql").split(";\n") if s.strip()]
    cases = [json.loads(line) for line in read("errors.ndjson").split("\n") if line]
    ours = dict(line.split("\t", 1) for line in read("ours.txt").split("\n")
                if line and not line.startswith("#"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = dict(zip([c["name"] for c in cases],
                           pool.map(lambda c: answer(command, c), cases)))
    path = os.path.join(HERE, "expected.txt")
    if "--update" in argv:
        with open(path, "w", encoding="utf-8") as out:
            for case in cases:
                out.write(f"=== {case['name']}\n{case['sql']}\n--- \n{answers[case['name']]}\n")
    expected = {}
    for part in re.split(r"(?m)^=== ", read("expected.txt"))[1:]:
        name, rest = part.split("\n", 1)
        expected[name] = rest.split("\n--- \n", 1)[1][:-1]
    bad = 0
    for case in cases:
        name, got = case["name"], answers[case["name"]]
        why = None
        if "ok" not in case and got == "" and name not in ours:
            why = f"it runs; Flink says: {case.get('root')}"
        elif name in ours and got != "":
            why = f"ours.txt says it runs ({ours[name]}): {got}"
        elif got != expected.get(name):
            why = f"another message:\n{got}\nexpected:\n{expected.get(name)}"
        bad += why is not None
        if why:
            print(f"FAILED {name}: {case['sql']}\n  {why}")
    print(f"{len(cases) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
