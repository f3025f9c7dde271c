#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of each decoder its fuzz target reaches from what is committed.

  fuzz_coverage.py [--only TARGET[,TARGET]] [--found DIR] [--lines FILE] [--least 80]

Builds the preset `cover`, replays fuzz/corpus/TARGET (and DIR/TARGET: what a fuzzer found since) and
prints the share of lines that ran in each group of files of fuzz/decoders.txt. A group below --least
percent fails. With --lines, also the lines of that source file that did not run. The last line is
"N passed, N failed".
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "cover")
VERSION = "-14"


def load_groups():
    """fuzz/decoders.txt: target | what is decoded | files, in the order of the file."""
    groups = []
    for line in open(os.path.join(ROOT, "fuzz", "decoders.txt"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            target, what, files = (x.strip() for x in line.split("|"))
            groups.append((target, what, [os.path.join(ROOT, "src", x) for x in files.split()]))
    return groups


def build(targets):
    subprocess.run(["cmake", "--preset", "cover"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "-j", str(os.cpu_count()), "--target", *targets],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def replay(target, found):
    """Runs the target over its inputs; returns the merged profile, or None where it ended badly."""
    folder = os.path.join(BUILD, "profiles")
    os.makedirs(folder, exist_ok=True)
    raw, merged = (os.path.join(folder, f"{target}.{x}") for x in ("raw", "merged"))
    inputs = [os.path.join(ROOT, "fuzz", "corpus", target)]
    if found and os.path.isdir(os.path.join(found, target)):
        inputs.append(os.path.join(found, target))
    run = subprocess.run([os.path.join(BUILD, "fuzz", target), *inputs], capture_output=True, text=True,
                         env={**os.environ, "LLVM_PROFILE_FILE": raw})
    if run.returncode != 0:
        print(run.stdout + run.stderr)
        return None
    subprocess.run([f"llvm-profdata{VERSION}", "merge", "-sparse", "-o", merged, raw], check=True)
    return merged


def measure(target, profile):
    """{source file: (lines, lines that ran)}"""
    out = subprocess.run([f"llvm-cov{VERSION}", "export", "-summary-only", f"-instr-profile={profile}",
                          os.path.join(BUILD, "fuzz", target)], capture_output=True, text=True, check=True)
    return {os.path.realpath(x["filename"]): (x["summary"]["lines"]["count"], x["summary"]["lines"]["covered"])
            for x in json.loads(out.stdout)["data"][0]["files"]}


def show_lines(target, profile, file):
    out = subprocess.run([f"llvm-cov{VERSION}", "show", f"-instr-profile={profile}",
                          os.path.join(BUILD, "fuzz", target)], capture_output=True, text=True, check=True)
    wanted = os.path.join(ROOT, "src", file) + ":"
    for section in out.stdout.split("\n\n"):  # one a file, its name first
        name, _, lines = section.lstrip().partition("\n")
        for number, ran, text in (x.split("|", 2) for x in lines.split("\n") if x.count("|") > 1):
            if name == wanted and ran.strip() == "0":
                print(f"    {number.strip():>5} {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--found")
    parser.add_argument("--lines")
    parser.add_argument("--least", type=float, default=80)
    parser.add_argument("--no-build", action="store_true")
    args = parser.parse_args()
    groups = load_groups()
    if args.only:
        groups = [x for x in groups if x[0] in args.only.split(",")]
    targets = list(dict.fromkeys(x[0] for x in groups))
    if not args.no_build:
        build(targets)
    passed = failed = 0
    for target in targets:
        profile = replay(target, args.found)
        lines = measure(target, profile) if profile else {}
        for _, what, files in (x for x in groups if x[0] == target):
            count = sum(lines.get(x, (0, 0))[0] for x in files)
            ran = sum(lines.get(x, (0, 0))[1] for x in files)
            missing = [x for x in files if x not in lines]
            share = 100 * ran / count if count else 0
            good = share >= args.least and not missing
            passed, failed = passed + good, failed + (not good)
            each = ", ".join(f"{os.path.basename(x)} {100 * lines[x][1] / lines[x][0]:.0f}"
                             for x in files if x in lines)
            print(f"{'ok    ' if good else 'FAILED'} {target}: {what}: {share:.1f} % of {count} lines ({each})"
                  + "".join(f"; no {os.path.relpath(x, ROOT)}" for x in missing), flush=True)
        if profile and args.lines:
            show_lines(target, profile, args.lines)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
