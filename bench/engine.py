#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TUMBLE and GROUP BY with updates over 1 M shuffled keys, batches from memory, P = 2 with an exchange,
a checkpoint a second.

    engine.py [--rows N] [--keys N] [--runs 3]
"""
import argparse
import re
import statistics
import sys

import report

BOUNDS = {"tumble": 15, "group": 8}
NAMES = {"tumble": "TUMBLE COUNT+SUM", "group": "streaming GROUP BY with updates"}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=100000000)
    p.add_argument("--keys", type=int, default=1000000)
    p.add_argument("--runs", type=int, default=3)
    a = p.parse_args()
    rows = report.Rows()
    rates = {"tumble": [], "group": []}
    for _ in range(a.runs):
        for what, found in rates.items():
            with report.Folder() as folder:
                out = report.run([report.program("bench_engine"), what, str(a.rows), str(a.keys), "2",
                                  folder.file("checkpoints")]).out
            found.append(float(re.search(r"Mrows/cpu-s=([0-9.]+)", out).group(1)))
            rows.right("checkpoints", int(re.search(r"checkpoints=(\d+)", out).group(1)) >= 1, out)
    for what, found in rates.items():
        rows.at_least(f"{NAMES[what]}, M rows a CPU-second", statistics.median(found), BOUNDS[what],
                      f"{a.rows / 1e6:g} M rows, {a.keys / 1e6:g} M keys, P = 2, totals checked, runs "
                      f"{found}")
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
