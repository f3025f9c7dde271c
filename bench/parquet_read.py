#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet read: whole files and filtered ones against DuckDB and pyarrow, CPU seconds on one core.

    parquet_read.py [--orders N] [--rows N] [--runs 3] [--only decode|filter]

The files (parquet_files.py) are written by DuckDB with each codec. Ours decodes to batches and sums them,
DuckDB aggregates every column, pyarrow decodes to Arrow batches; runs alternate. A filtered read takes
the rows of which one column is below a bound, by a column in the file's order and by one in none.
"""
import argparse
import json
import statistics
import sys

import report

report.own_python(__file__)

import duckdb  # pylint: disable=wrong-import-position

import parquet_files  # pylint: disable=wrong-import-position

CPU = r"""
import resource, sys
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
"""

DUCK = CPU + r"""
import duckdb, json
path, where = sys.argv[1:3]
c = duckdb.connect()
c.execute("SET threads = 1")
c.execute("SET enable_progress_bar = false")
asked = ["count(*)"]
for name, kind, *_ in c.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall():
    asked.append(f"sum(strlen({name}))" if kind == "VARCHAR" else
                 f"max({name})" if kind in ("DATE", "TIMESTAMP") else
                 f"count(*) FILTER ({name} > 0)" if kind == "DOUBLE" else f"sum({name})")
start = cpu()
rows = c.execute(f"SELECT {', '.join(asked)} FROM '{path}' {where}").fetchone()[0]
print(json.dumps({"cpu_s": cpu() - start, "rows": rows}))
"""

ARROW = CPU + r"""
import json
import pyarrow as pa, pyarrow.parquet as pq
pa.set_cpu_count(1)
pa.set_io_thread_count(1)
file = pq.ParquetFile(sys.argv[1], memory_map=True, pre_buffer=False)
start = cpu()
rows = sum(b.num_rows for b in file.iter_batches(batch_size=65536, use_threads=False))
print(json.dumps({"cpu_s": cpu() - start, "rows": rows}))
"""


def alternate(commands, runs):
    """For each command the results of its runs, one of each after the other."""
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, out in zip(commands, results):
            out.append(json.loads(report.run(command).out))
    return results


def seconds(results):
    return statistics.median(r["cpu_s"] for r in results)


def make_files(folder, a):
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    parquet_files.make_lineitem(connection, a.orders)
    parquet_files.make_weblog(connection, a.rows)
    for table in ("lineitem", "weblog"):
        for codec in ("zstd", "snappy", "uncompressed"):
            path = folder.file(f"{table}_{codec}.parquet")
            connection.execute(f"COPY {table} TO '{path}' (FORMAT parquet, COMPRESSION {codec})")
            yield table, codec, path


def decode(table, codec, path, a, rows):
    bench, python = report.program("bench_parquet"), report.judges_python()
    ours, bare, duck, arrow = alternate(
        [[bench, "read", path], [bench, "unpack", path], [python, "-c", DUCK, path, ""],
         [python, "-c", ARROW, path]], a.runs)
    rows.right("rows", ours[0]["rows"] == duck[0]["rows"] == arrow[0]["rows"], f"{ours[0]['rows']}")
    best = min(seconds(duck), seconds(arrow))
    name = f"Parquet decode, {table}, {codec}"
    how = (f"{a.runs} runs, {ours[0]['rows']} rows: ours {seconds(ours):.3f} s, DuckDB "
           f"{seconds(duck):.3f} s, pyarrow {seconds(arrow):.3f} s")
    rows.at_least(f"{name}, x the better of DuckDB and pyarrow", best / seconds(ours), 1.3, how)
    if codec == "zstd":
        rows.at_least(f"{name}, of the speed of decompression alone",
                      seconds(bare) / seconds(ours), 0.6, f"pages alone {seconds(bare):.3f} s")


def filtered(codec, path, a, rows):
    bench, python = report.program("bench_parquet"), report.judges_python()
    top = {"l_orderkey": a.orders * 4, "l_partkey": max(a.orders * 2 // 15, 1000)}
    for column, order in (("l_orderkey", "sorted"), ("l_partkey", "unsorted")):
        for share in (0.0001, 0.01, 0.3):
            bound = int(top[column] * share) + 1
            ours, duck = alternate(
                [[bench, "read", path, f"{column}:{bound}"],
                 [python, "-c", DUCK, path, f"WHERE {column} < {bound}"]], a.runs)
            rows.right("rows", ours[0]["rows"] == duck[0]["rows"], f"{ours[0]} {duck[0]}")
            rows.at_least(f"Parquet filtered, {codec}, {share:.2%} {order}, x DuckDB",
                          seconds(duck) / seconds(ours), 1.5,
                          f"{a.runs} runs, {ours[0]['rows']} rows: ours {seconds(ours):.4f} s, "
                          f"DuckDB {seconds(duck):.4f} s")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--orders", type=int, default=600000)
    p.add_argument("--rows", type=int, default=2000000)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--only", choices=("decode", "filter"))
    a = p.parse_args()
    rows = report.Rows()
    with report.Folder() as folder:
        for table, codec, path in make_files(folder, a):
            if a.only != "filter":
                decode(table, codec, path, a, rows)
            if a.only != "decode" and table == "lineitem":
                filtered(codec, path, a, rows)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
