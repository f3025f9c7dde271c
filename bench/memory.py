#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A streaming GROUP BY whose state is four times its budget.

    memory.py [--budget 512] [--quick]

Random keys, most of them new; a run without a budget says how large the state is. Totals are checked in
both runs (bench_engine.c).
"""
import argparse
import re
import sys

import report

ROWS_A_MIB = 3000000 / 218  # of state, two workers


def group(folder, count, mib):
    done = report.run([report.program("bench_engine"), "group", str(count), str(4 * count), "2",
                       folder.file("checkpoints"), str(mib)])
    return done, int(re.search(r" state=(\d+)", done.out)[1]) / (1 << 20)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--budget", type=int, default=512, help="MiB")
    p.add_argument("--quick", action="store_true", help="64 MiB")
    a = p.parse_args()
    budget = 64 if a.quick else a.budget
    count = int(ROWS_A_MIB * budget * 4.4) // 2 * 2
    rows = report.Rows()
    with report.Folder() as folder:
        free, state = group(folder, count, 0)
    with report.Folder() as folder:
        done, _ = group(folder, count, budget)
    how = (f"streaming GROUP BY, {count} rows, {4 * count} keys to draw from, P = 2, a checkpoint each 10 s; "
           f"totals checked; {done.wall:.0f} s, {done.cpu:.0f} s of CPU (in memory {free.cpu:.0f})")
    rows.at_least("state beyond memory: state / budget", state / budget, 4, how)
    rows.at_most("state beyond memory: process peak over the budget, MiB",
                 done.peak / (1 << 20) - budget, 64, f"budget {budget} MiB; {how}")
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
