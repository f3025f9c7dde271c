#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged copies of the fixtures' files through tests/tools/hostile.c, format by format.

  damaged_files.py [--all] [--dev] [--only FORMAT]

Without --all a slice: 5 cuts, 20 changes and some extremes of the smaller files. With it each file
is cut at 100 places, changed 1,000 times, and has its numbers set to extremes. --dev takes the build
with sanitizers. The last line is "N passed, N failed", of files.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURES = os.environ.get("FRAZIL_FIXTURES", os.path.join(ROOT, "..", "shared", "fixtures"))
AT_ONCE = 100  # files a process

# format: (folders, names, how large at most: a slice, all; every n-th number of a slice, of all)
KIB = 1024
FORMATS = {
    "parquet": (["apache-parquet-testing", "apache-iceberg", "apache-iceberg-go", "Snowflake-Labs-pg_lake"],
                ["*.parquet"], 200 * KIB, 2000 * KIB, 1499, 29),
    "avro": (["apache-avro", "apache-iceberg"], ["*.avro"], 100 * KIB, 2000 * KIB, 499, 7),
    "manifest": (["spark-iceberg", "apache-iceberg"], ["*-m*.avro", "*manifest*.avro"], 20 * KIB, 2000 * KIB, 997, 29),
    "manifest-list": (["spark-iceberg", "apache-iceberg"], ["snap-*.avro", "*list*.avro"], 20 * KIB, 2000 * KIB, 997, 29),
    "puffin": (["."], ["*.puffin", "*.stats"], 100 * KIB, 2000 * KIB, 1, 1),
    "metadata": (["."], ["*.metadata.json"], 20 * KIB, 2000 * KIB, 97, 11),
    "csv": (["vega-vega-datasets"], ["*.csv"], 20 * KIB, 500 * KIB, 499, 211),
    "json": (["vega-vega-datasets", "nexmark", "flink-streaming"], ["*.json", "*.ndjson"], 20 * KIB, 300 * KIB, 499, 211),
}


def files_of(folders, names, size_max):
    found = set()
    for folder in folders:
        for name in names:
            found.update(glob.glob(os.path.join(FIXTURES, folder, "**", name), recursive=True))
    return sorted(x for x in found if os.path.isfile(x) and 0 < os.path.getsize(x) <= size_max)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--dev", action="store_true")
    parser.add_argument("--only")
    args = parser.parse_args()
    tool = os.path.join(ROOT, "build", "dev" if args.dev else "release", "tests", "hostile")
    passed = failed = 0
    for name, (folders, patterns, small, large, slice_step, step) in FORMATS.items():
        if args.only and args.only != name:
            continue
        files = files_of(folders, patterns, large if args.all else small)
        if not args.all:
            files = files[::max(1, len(files) // 40)] if name != "parquet" else files
        damage = ["100", "1000", str(step)] if args.all else ["5", "20", str(slice_step)]
        sums = [0, 0, 0, 0, 0, 0]
        for at in range(0, len(files), AT_ONCE):
            run = subprocess.run([tool, name, *damage, *files[at:at + AT_ONCE]], capture_output=True, text=True,
                                 errors="replace")
            counts = re.search(r"(\d+) damaged files read, (\d+) ended in an error \((\d+) .* at most (\d+) MiB", run.stdout)
            result = re.search(r"(\d+) passed, (\d+) failed", run.stdout)
            if run.returncode != 0:
                print(run.stdout + run.stderr[-5000:])
            if counts is None or result is None:
                failed += 1
                continue
            sums = [a + int(b) for a, b in zip(sums[:3], counts.groups()[:3])] + [max(sums[3], int(counts[4])),
                    sums[4] + int(result[1]), sums[5] + int(result[2])]
        passed, failed = passed + sums[4], failed + sums[5]
        print(f"{name}: {len(files)} files, {sums[0]:,} damaged copies, {sums[1]:,} refused ({sums[2]} without a place), "
              f"at most {sums[3]} MiB; {sums[5]} failed", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
