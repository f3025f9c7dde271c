#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets, each for a time, and keeps what they find.

  fuzz_run.py [--seconds 600] [--jobs N] [--only TARGET[,TARGET]] [--no-build]
  fuzz_run.py --merge [--only TARGET[,TARGET]]

Builds the preset `fuzz` (clang, ASan and UBSan). Each target begins with fuzz/corpus/TARGET and what
earlier runs found; what it finds stays in build/fuzz/found/TARGET, an input that breaks it in
build/fuzz/broken/TARGET-*, with the log beside it. To see it again:

    build/fuzz/fuzz/TARGET build/fuzz/broken/TARGET-crash-…

--merge adds to fuzz/corpus/TARGET the found inputs that reach what the committed ones do not. The
last line is "N passed, N failed".
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "fuzz")
CORPUS = os.path.join(ROOT, "fuzz", "corpus")
FOUND, BROKEN = os.path.join(BUILD, "found"), os.path.join(BUILD, "broken")
INPUT_MAX = 1500  # bytes of an input that is merged: each run of the tests replays them
LIMITS = ["-rss_limit_mb=2048", "-timeout=30", "-malloc_limit_mb=1024"]


def all_targets():
    return sorted(x[:-2] for x in os.listdir(os.path.join(ROOT, "fuzz")) if re.fullmatch(r"fuzz_\w+\.c", x))


def build(targets):
    subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "-j", str(os.cpu_count()), "--target", *targets],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def corpora(target):
    """Its own and those that fuzz/CMakeLists.txt names behind it."""
    text = open(os.path.join(ROOT, "fuzz", "CMakeLists.txt"), encoding="utf-8").read()
    line = re.search(rf"^\s+{target}:\w+((?::\w+)*)", text, re.M)
    return [os.path.join(CORPUS, x) for x in [target, *line[1].split(":")[1:]]]


def run(target, seconds):
    found = os.path.join(FOUND, target)
    os.makedirs(found, exist_ok=True)
    before = len(os.listdir(found))
    log = os.path.join(BROKEN, target + ".log")
    words = os.path.join(ROOT, "fuzz", "words", target + ".txt")
    command = [os.path.join(BUILD, "fuzz", target), f"-max_total_time={seconds}", *LIMITS, "-print_final_stats=1",
               f"-artifact_prefix={os.path.join(BROKEN, target)}-",
               *([f"-dict={words}"] if os.path.exists(words) else []), found, *corpora(target)]
    with open(log, "wb") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
    text = open(log, encoding="utf-8", errors="replace").read()
    runs = re.findall(r"stat::number_of_executed_units: (\d+)", text)
    reached = re.findall(r"cov: (\d+)", text)
    good = code == 0 and runs
    print(f"{'ok    ' if good else 'FAILED'} {target}: {int(runs[-1]) if runs else 0:,} runs in {seconds} s, "
          f"{len(os.listdir(found)) - before} new inputs, {reached[-1] if reached else '?'} edges", flush=True)
    if not good:
        print("\n".join("    " + x for x in text.rstrip().split("\n")[-30:]), flush=True)
    return good


def merge(target):
    corpus, found = os.path.join(CORPUS, target), os.path.join(FOUND, target)
    os.makedirs(corpus, exist_ok=True)
    before = len(os.listdir(corpus))
    if os.path.isdir(found):
        with tempfile.TemporaryDirectory() as small:  # libFuzzer would merge their first bytes
            for name in os.listdir(found):
                if os.path.getsize(os.path.join(found, name)) <= INPUT_MAX:
                    shutil.copy(os.path.join(found, name), small)
            subprocess.run([os.path.join(BUILD, "fuzz", target), "-merge=1", *LIMITS, corpus, small],
                           check=True, capture_output=True)
    print(f"{target}: {len(os.listdir(corpus)) - before} inputs more", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only")
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--no-build", action="store_true")
    args = parser.parse_args()
    targets = args.only.split(",") if args.only else all_targets()
    os.makedirs(BROKEN, exist_ok=True)
    if not args.no_build:
        build(targets)
    if args.merge:
        for target in targets:
            merge(target)
        return 0
    with ThreadPoolExecutor(args.jobs) as pool:
        passed = sum(pool.map(lambda x: bool(run(x, args.seconds)), targets))
    print(f"{passed} passed, {len(targets) - passed} failed")
    return 0 if passed == len(targets) else 1


if __name__ == "__main__":
    sys.exit(main())
