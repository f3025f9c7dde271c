#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of a tier and adds up what they say.

  run.py test|judge|bench|soak [--only NAME[,NAME]] [--list]

A suite is a command that prints "N passed, N failed[, N skipped]" last (unit tests: cmocka's own
summary). Its output is in build/logs/NAME.log; of a suite that failed the end is shown. The last
line is the sum. TESTING.md says what each tier is for.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIXTURES = os.environ.get("FRAZIL_FIXTURES", os.path.join(ROOT, "..", "shared", "fixtures"))
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")
CMOCKA = re.compile(r"\[  PASSED  \] (\d+) test")
CMOCKA_FAILED = re.compile(r"\[  FAILED  \] (\d+) test|(\d+) FAILED TEST")


class Suite:
    def __init__(self, name, tiers, command, timeout=1200):
        self.name, self.tiers, self.command, self.timeout = name, tiers.split(), command, timeout


def load_suites():
    """tests/suites.txt: name | tiers | seconds | command."""
    suites = []
    for line in open(os.path.join(ROOT, "tests", "suites.txt"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            name, tiers, seconds, command = (x.strip() for x in line.split("|", 3))
            suites.append(Suite(name, tiers, command, int(seconds)))
    return suites


def environment():
    env = dict(os.environ)
    env["FRAZIL"] = os.path.join(ROOT, "build", "release", "frazil")
    env["FRAZIL_DEV"] = os.path.join(ROOT, "build", "dev", "frazil")
    env["FRAZIL_FIXTURES"] = os.path.abspath(FIXTURES)
    env["ASAN_OPTIONS"] = "detect_leaks=1:abort_on_error=0"
    return env


def run(name, command, timeout, shell):
    log = os.path.join(ROOT, "build", "logs", name.replace("/", "-") + ".log")
    started = time.monotonic()
    with open(log, "wb") as out:
        try:
            process = subprocess.Popen(command, shell=shell, cwd=ROOT, env=environment(), stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                       start_new_session=True)
            code = process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            code = "timeout"
    text = open(log, encoding="utf-8", errors="replace").read()
    return code, text, time.monotonic() - started, log


def judge_unit(name, code, text):
    if name.startswith("fuzz/"):  # a corpus is replayed: it ends well or not
        return (1, 0, 0) if code == 0 else (0, 1, 0)
    passed = sum(int(n) for n in CMOCKA.findall(text))
    failed = sum(int(a or b) for a, b in CMOCKA_FAILED.findall(text)[:1])
    if code != 0 and failed == 0:
        failed = 1
    return passed, failed, len(re.findall(r"\[  SKIPPED \] \d+ test", text))


def judge_suite(code, text):
    found = SUMMARY.findall(text)
    if not found:
        return 0, 1, 0
    passed, failed, skipped = (int(x or 0) for x in found[-1])
    return passed, max(failed, 1 if code != 0 else 0), skipped


def tail(text, lines=25):
    return "\n".join("    " + x for x in text.rstrip().split("\n")[-lines:])


def unit_tests(folder):
    out = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, capture_output=True, text=True)
    for test in json.loads(out.stdout or "{}").get("tests", []):
        yield test["name"], test["command"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tier", choices=["test", "judge", "bench", "soak"])
    parser.add_argument("--only")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    only = args.only.split(",") if args.only else None
    os.makedirs(os.path.join(ROOT, "build", "logs"), exist_ok=True)
    suites = [s for s in load_suites() if args.tier in s.tiers and (not only or s.name in only)]
    if args.list:
        print("\n".join(s.name for s in suites))
        return 0
    totals = [0, 0, 0]

    def account(name, counts, seconds, text, log):
        passed, failed, skipped = counts
        if skipped and os.path.isdir(FIXTURES):  # what a skipped test wanted is here
            failed, skipped = failed + skipped, 0
        for i, n in enumerate((passed, failed, skipped)):
            totals[i] += n
        state = "ok    " if failed == 0 else "FAILED"
        print(f"{state} {name}: {passed} passed, {failed} failed, {skipped} skipped"
              f" ({seconds:.0f} s)", flush=True)
        if failed:
            print(tail(text) + f"\n    whole output: {log}", flush=True)

    if args.tier == "test" and (not only or "unit" in only):
        tests = list(unit_tests(os.path.join(ROOT, "build", "dev")))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, _), (code, text, seconds, log) in zip(
                    tests, pool.map(lambda t: run(t[0], t[1], 300, False), tests)):
                account(name, judge_unit(name, code, text), seconds, text, log)
    for suite in suites:
        code, text, seconds, log = run(suite.name, suite.command, suite.timeout, True)
        counts = judge_suite(code, text)
        if code == "timeout":
            counts = (counts[0], max(1, counts[1]), counts[2])
            text += f"\nno end after {suite.timeout} s"
        account(suite.name, counts, seconds, text, log)
        if args.tier in ("bench", "judge", "soak"):
            print(tail(text, 60))
    print(f"{totals[0]} passed, {totals[1]} failed" + (f", {totals[2]} skipped" if totals[2] else ""))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
