#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The round trip matrix of file formats: type x nesting x encoding x codec x page version x nulls, both ways.

  formats_matrix.py [--only PART] [--full] [--spark] [--keep DIR]

arrow    Parquet files of pyarrow with its options varied, read by us
times    the same with timestamps as INT96 and coerced; few rows and none
duck     Parquet files of DuckDB with its options varied, read by us
written  Parquet files of ours with our options varied, read by pyarrow and DuckDB
spark    (with --spark) Parquet files of Spark with its options varied, read by us; files of ours, read by Spark
text     CSV, JSON and Avro of others read by us, and ours read by others
bytes    what conditions on one leaf and lookups read of a file and of an Iceberg table, as counted and as strace
         saw it

Every file is read whole, equal to what its writer has, and then under one condition after another on each
column (matrix/conditions.py); EXPLAIN ANALYZE must show that row groups were left out wherever statistics,
bloom filters or dictionaries rule them out. FRAZIL is the program. The last line is "N passed, N failed".
"""
import argparse
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "lake"), os.path.join(HERE, "matrix")]
import judge  # noqa: E402

if __name__ == "__main__":
    judge.own_python(os.path.abspath(__file__))
import bytes_read  # noqa: E402
import columns  # noqa: E402
import parquet_others  # noqa: E402
import parquet_read  # noqa: E402
import parquet_spark  # noqa: E402
import parquet_write  # noqa: E402
import text_files  # noqa: E402

SHOWN_MAX = 60


class Report:
    def __init__(self):
        self.counts, self.failed, self.part = {}, 0, ""

    def __call__(self, name, problem):
        good, bad = self.counts.get(self.part, (0, 0))
        self.counts[self.part] = (good + (not problem), bad + bool(problem))
        if problem:
            self.failed += 1
            if self.failed <= SHOWN_MAX:
                print(f"FAILED {self.part}: {name}: {problem}"[:900], flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    folder = os.path.abspath(options.keep or tempfile.mkdtemp(prefix="formats-matrix-"))
    os.makedirs(folder, exist_ok=True)
    report = Report()
    rows = parquet_read.Rows(columns.all_columns(1000 if options.full else 500))
    parts = {"arrow": lambda: parquet_read.run_arrow(report, folder, rows, options.full),
             "times": lambda: parquet_others.run_times(report, folder, rows),
             "duck": lambda: parquet_others.run_duck(report, folder, rows, options.full),
             "written": lambda: parquet_write.run(report, folder, rows, options.full),
             "text": lambda: text_files.run(report, folder, options.full),
             "bytes": lambda: bytes_read.run(report, folder, options.full)}
    if options.spark:
        parts["spark"] = lambda: parquet_spark.run(report, folder, rows)
    for name, part in parts.items():
        if options.only and name not in options.only:
            continue
        report.part, began = name, time.process_time()
        part()
        print(f"  {name}: {report.counts.get(name)}, {time.process_time() - began:.1f} s here", flush=True)
    if not options.keep:
        shutil.rmtree(folder)
    passed = sum(good for good, _ in report.counts.values())
    print(f"{passed} passed, {report.failed} failed")
    return 1 if report.failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
