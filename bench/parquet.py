#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet write and read against DuckDB, one thread each, CPU seconds of the whole process.

    parquet.py [--rows N] [--codec zstd] [--level 1,3] [--runs 3] [--compact]

Alternates runs of ours and DuckDB's on the same nine columns. DuckDB reads the rows into memory before
its clock starts, writes with its defaults and the same codec and level, and reads by an aggregate that
needs every value.
"""
import argparse
import json
import statistics
import sys

import report

DUCK = r"""
import duckdb, json, os, resource, sys
action, source, target, codec, level = sys.argv[1:6]
c = duckdb.connect()
c.execute("SET threads = 1")
c.execute("SET enable_progress_bar = false")
c.execute("SET TimeZone = 'UTC'")
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
if action == "write":
    c.execute(f"CREATE TABLE t AS SELECT * FROM '{source}'")
    more = f", COMPRESSION_LEVEL {level}" if codec == "zstd" else ""
    start = cpu()
    c.execute(f"COPY t TO '{target}' (FORMAT parquet, COMPRESSION {codec}{more})")
    print(json.dumps({"cpu_s": cpu() - start, "bytes": os.path.getsize(target)}))
else:
    start = cpu()
    r = c.execute(f"SELECT count(*), sum(id), sum(epoch_us(ts)), sum(user_id), sum(strlen(url)), "
                  f"sum(strlen(host)), (sum(amount) * 100)::HUGEINT, count(*) FILTER (lat > 0), "
                  f"count(*) FILTER (lon > 0), sum(status) FROM '{source}'").fetchone()
    print(json.dumps({"cpu_s": cpu() - start, "rows": r[0], "sums": [int(v) % 2**64 for v in r[1:]]}))
"""


def run(command):
    return json.loads(report.run(command).out)


def measure(a, level, folder, rows):
    ours = {"write": [], "read": [], "read_theirs": []}
    duck = {"write": [], "read": [], "read_theirs": []}
    bench, python = report.program("bench_parquet"), report.judges_python()
    mine, theirs = folder.file("ours.parquet"), folder.file("duck.parquet")
    codec = a.codec
    write = [bench, "write", mine, str(a.rows), codec, level] + (["compact"] if a.compact else [])
    for _ in range(a.runs):
        ours["write"].append(run(write))
        duck["write"].append(run([python, "-c", DUCK, "write", mine, theirs, codec, level]))
        for name, path in (("read", mine), ("read_theirs", theirs)):
            ours[name].append(run([bench, "read", path]))
            duck[name].append(run([python, "-c", DUCK, "read", path, "", codec, level]))
    for left, right in zip(ours["read"] + ours["read_theirs"], duck["read"] + duck["read_theirs"]):
        rows.right("rows", (left["rows"], left["sums"]) == (right["rows"], right["sums"]),
                   f"{left} {right}")
    return ours, duck


# Rows of another file, each value by itself: no dictionaries of the source help ours.
PLAIN = r"""
import pyarrow.parquet as pq, sys
pq.write_table(pq.read_table(sys.argv[1]), sys.argv[2], use_dictionary=False, compression="NONE",
               row_group_size=1 << 20)
"""

SUMS = r"""
import duckdb, sys
c = duckdb.connect()
sums = [c.execute(f"SELECT count(*), sum(hash(t)::HUGEINT) FROM '{path}' AS t").fetchall() for path in sys.argv[1:]]
sys.exit(0 if all(s == sums[0] for s in sums) else 1)
"""


def make_tables(a, folder):
    """lineitem and weblog as plain files; their paths by name."""
    script = (f"import sys; sys.path.insert(0, {report.HERE!r})\n"
              "import duckdb, parquet_files as f\n"
              "c = duckdb.connect()\n"
              f"f.make_lineitem(c, {a.rows // 4}); f.make_weblog(c, {a.rows // 2})\n"
              "for t in ('lineitem', 'weblog'):\n"
              "    c.execute(f\"COPY {t} TO '{sys.argv[1]}/{t}.parquet' (FORMAT parquet)\")\n")
    python = report.judges_python()
    report.run([python, "-c", script, folder.path])
    for name in ("lineitem", "weblog"):
        report.run([python, "-c", PLAIN, folder.file(f"{name}.parquet"), folder.file(f"{name}_plain.parquet")])
    return {name: folder.file(f"{name}_plain.parquet") for name in ("lineitem", "weblog")}


def measure_tables(a, rows):
    bench, python = report.program("bench_parquet"), report.judges_python()
    with report.Folder() as folder:
        for name, plain in make_tables(a, folder).items():
            for level in a.level.split(","):
                mine, theirs = folder.file("ours.parquet"), folder.file("duck.parquet")
                ours, duck = [], []
                for _ in range(a.runs):
                    ours.append(run([bench, "rewrite", plain, mine, a.codec, level]))
                    duck.append(run([python, "-c", DUCK, "write", plain, theirs, a.codec, level]))
                same = report.run([python, "-c", SUMS, plain, mine, theirs], check=False).code == 0
                rows.right("rows", same, f"{name}, level {level}")
                speeds = [ours[0]["rows"] / statistics.median(r["cpu_s"] for r in side) / 1e6
                          for side in (ours, duck)]
                title = f"Parquet, {name}, {a.codec}-{level}"
                rows.at_least(f"{title}: write, x DuckDB", speeds[0] / speeds[1], 3,
                              f"{a.runs} runs each, ours {speeds[0]:.2f}, DuckDB {speeds[1]:.2f} "
                              "M rows a CPU-second")
                sizes = ours[0]["bytes"], duck[0]["bytes"]
                rows.at_most(f"{title}: size, x DuckDB", sizes[0] / sizes[1], 1.03,
                             f"{sizes[0]} and {sizes[1]} bytes")


def report_level(a, level, rows, ours, duck):
    def ratio(what):
        speeds = [a.rows / statistics.median(r["cpu_s"] for r in side[what]) / 1e6
                  for side in (ours, duck)]
        how = f"{a.runs} runs each, ours {speeds[0]:.2f}, DuckDB {speeds[1]:.2f} M rows a CPU-second"
        return speeds[0] / speeds[1], how
    name = f"Parquet, 9 columns, {a.codec}-{level}"
    rows.at_least(f"{name}: write, x DuckDB", ratio("write")[0], 3, ratio("write")[1])
    sizes = ours["write"][0]["bytes"], duck["write"][0]["bytes"]
    rows.at_most(f"{name}: size, x DuckDB", sizes[0] / sizes[1], 1.03, f"{sizes[0]} and {sizes[1]} bytes")
    rows.at_least(f"{name}: decode our file, x DuckDB", ratio("read")[0], 1.2, ratio("read")[1])
    rows.at_least(f"{name}: decode DuckDB's file, x DuckDB", ratio("read_theirs")[0], 1.2,
                  ratio("read_theirs")[1])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=2000000)
    p.add_argument("--codec", default="zstd")
    p.add_argument("--level", default="1,3", help="one, or several with commas")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--compact", action="store_true")
    a = p.parse_args()
    rows = report.Rows()
    for level in a.level.split(","):
        with report.Folder() as folder:
            ours, duck = measure(a, level, folder, rows)
        report_level(a, level, rows, ours, duck)
    if not a.compact:
        measure_tables(a, rows)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
