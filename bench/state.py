#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a large state: 1 % of the rows updated at random in each epoch.

    state.py [--mib 1024] [--epochs 200] [--quick]
"""
import argparse
import json
import sys

import report


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mib", type=int, default=1024)
    p.add_argument("--epochs", type=int, default=200)
    p.add_argument("--quick", action="store_true", help="128 MiB, 50 epochs")
    a = p.parse_args()
    if a.quick:
        a.mib, a.epochs = 128, 50
    rows = report.Rows()
    with report.Folder() as folder:
        out = json.loads(report.run([report.program("bench_state"), str(a.mib), str(a.epochs), "1",
                                     folder.file("segments")]).out)
    rows.right("the restored table equals the one that was written", out["equal"])
    state, gib = out["state_bytes"], out["state_bytes"] / (1 << 30)
    how = f"{a.mib} MiB of rows, {a.epochs} epochs of 1 %, merges included"
    rows.at_most("checkpoints: bytes written / bytes of the rows changed",
                 out["written_bytes"] / out["changed_bytes"], 3, how)
    rows.at_most("checkpoints: p99 of a batch during one / without", out["p99_during_us"] /
                 out["p99_quiet_us"], 2, f"{how}; {out['p99_during_us']} and {out['p99_quiet_us']} us of "
                 f"CPU for 2,048 rows, slice included; {out['batches_during']} batches")
    rows.at_most("restore: bytes read / state", out["restore_bytes"] / state, 1.5, how)
    rows.told("restore: CPU seconds a GiB", out["restore_cpu_s"] / gib,
              f"{out['restore_s']} s of wall time for {gib:.2f} GiB")
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
