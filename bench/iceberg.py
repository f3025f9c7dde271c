#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commits of one small file on a real disk, thousands of open partitions within a budget, and the plan
of a table with a million data files.

    iceberg.py [--commits 1000] [--partitions 2000] [--mib 4096] [--files 1000000]
               [--only commit|partitions|plan] [--quick]
"""
import argparse
import glob
import json
import os
import re
import sqlite3
import sys

import report

COLUMNS = [{"id": 1, "name": "id", "required": False, "type": "long"},
           {"id": 2, "name": "p", "required": False, "type": "int"},
           {"id": 3, "name": "payload", "required": False, "type": "string"}]


def tool():
    build = os.environ.get("FRAZIL_BUILD") or os.path.join(report.ROOT, "build", "release")
    path = os.path.join(build, "tests", "iceberg_tool")
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is not built (make release)")
    return path


def create(folder, partitions):
    spec = folder.file("spec.json", json.dumps({
        "columns": COLUMNS, "partitions": partitions, "properties": {}, "format-version": 2}))
    place = [folder.file("catalog.db"), "file://" + folder.file("warehouse"), "default", "t"]
    report.run([tool(), "create", *place, spec])
    return place


def summary(folder):
    """Of the current snapshot, from the files alone."""
    with sqlite3.connect(folder.file("catalog.db")) as db:
        location = db.execute("SELECT metadata_location FROM iceberg_tables").fetchone()[0]
    with open(location.removeprefix("file://"), encoding="utf-8") as f:
        table = json.load(f)
    return next(s for s in table["snapshots"]
                if s["snapshot-id"] == table["current-snapshot-id"])["summary"]


def commit(rows, count):
    with report.Folder() as folder:
        place = create(folder, [])
        out = report.run([tool(), "commits", *place, str(count)]).out
        total = int(summary(folder)["total-records"])
    rows.right("rows committed", total == count * 100, f"{total}")
    found = re.search(r"fsyncs (\d+)\+(\d+) p50 ([\d.]+) ms p99 ([\d.]+) ms, bare fsync p50 ([\d.]+) ms "
                      r"p99 ([\d.]+) ms", out)
    fsyncs = int(found[1]) + int(found[2])
    p50, p99, bare50, bare99 = (float(found[i]) for i in range(3, 7))
    how = f"{count} commits; p50 {p50} ms, p99 {p99} ms; bare fsync p50 {bare50}, p99 {bare99} ms"
    rows.at_most("commit of one file: fsyncs", fsyncs, 10, how)
    rows.at_most("commit of one file: p99 / (fsyncs x p99 of a bare fsync)", p99 / (fsyncs * bare99), 1.5,
                 how)


def partitions(rows, count, mib):
    with report.Folder() as folder:
        place = create(folder, [{"transform": "identity", "column": "p"}])
        done = report.run([tool(), "scatter", *place, str(count), str(mib), f"memory={256 << 20}"])
        files = len(glob.glob(folder.file("warehouse") + "/**/*.parquet", recursive=True))
        said = summary(folder)
    written = int(re.search(r"rows (\d+)", done.out)[1])
    rows.right("rows committed", int(said["added-records"]) == written, f"{said}")
    rows.right("files committed", int(said["added-data-files"]) == files, f"{said} {files}")
    how = (f"{mib} MiB of shuffled rows into {count} partitions, one commit, {written} rows; "
           f"{done.cpu:.0f} s of CPU")
    rows.at_most(f"{count} open partitions: files", files, count * 1.1, how)
    rows.at_most(f"{count} open partitions: process peak over the 256 MiB budget, MiB",
                 done.peak / (1 << 20) - 256, 64, how)


def plan(rows, files):
    """Cold: nothing of the table is in this process (its manifests are in the page cache). `filtered`
    asks for a value of a column that ascends with the files, `scattered` of one that does not."""
    bench = report.program("bench_plan")
    with report.Folder() as folder:
        report.run([bench, "make", folder.file("wh"), str(files)])
        out = report.run([bench, "plan", folder.file("wh"), "7"]).out
    figures = {k: re.search(pattern, out) for k, pattern in {
        "files": r"^files (\d+)", "cold": r"cold ([\d.]+) ms, cpu ([\d.]+)", "cached": r"cached ([\d.]+)",
        "filtered": r"filtered ([\d.]+) ms, first ([\d.]+) ms, files (\d+)",
        "scattered": r"scattered ([\d.]+) ms, first ([\d.]+) ms, files (\d+)",
        "peak": r"peak (\d+)"}.items()}
    rows.right("files planned", int(figures["files"][1]) == files, out)
    rows.right("files left by the filters",
               1 <= int(figures["filtered"][3]) <= 3 and 1 <= int(figures["scattered"][3]) <= 3, out)
    cold, cpu = float(figures["cold"][1]), float(figures["cold"][2])
    how = f"{files} data files, 20 columns of statistics; {cpu:.0f} ms of CPU; " \
          f"first with a filter {figures['filtered'][2]} ms"
    rows.at_most("plan, cold, 2 threads, s", cold / 1000, 2, how)
    rows.at_most("plan, cold, CPU of both threads, s", cpu / 1000, 4, how)
    rows.at_most("plan, cached, ms", float(figures["cached"][1]), 60, how)
    rows.at_most("plan, cached, selective filter, ms", float(figures["filtered"][1]), 20, how)
    rows.at_most("plan, cached, filter on a scattered column, ms", float(figures["scattered"][1]), 20, how)
    rows.at_most("plan, process peak, GiB", int(figures["peak"][1]) / (1 << 20), 1, how)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--commits", type=int, default=1000)
    p.add_argument("--partitions", type=int, default=2000)
    p.add_argument("--mib", type=int, default=4096)
    p.add_argument("--files", type=int, default=1000000)
    p.add_argument("--only", default="commit,partitions,plan")
    p.add_argument("--quick", action="store_true", help="100 commits, 512 MiB, 50,000 files")
    a = p.parse_args()
    if a.quick:
        a.commits, a.mib, a.files = 100, 512, 50000
    rows = report.Rows()
    if "commit" in a.only:
        commit(rows, a.commits)
    if "partitions" in a.only:
        partitions(rows, a.partitions, a.mib)
    if "plan" in a.only:
        plan(rows, a.files)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
