#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet write and read against DuckDB, one thread each, CPU seconds of the whole process.

    parquet.py BENCH_PARQUET [--rows N] [--codec zstd] [--level 1] [--runs 3] [--compact]

Alternates runs of ours and DuckDB's on the same nine columns and prints a JSON line with the medians
and the ratios. DuckDB reads the rows into memory before its clock starts, writes with its defaults
and the same codec and level, and reads by an aggregate that needs every value.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

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
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[:3]}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--rows", type=int, default=2000000)
    parser.add_argument("--codec", default="zstd")
    parser.add_argument("--level", default="1")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--compact", action="store_true")
    arguments = parser.parse_args()
    codec, level = arguments.codec, arguments.level
    ours = {"write": [], "read": []}
    duck = {"write": [], "read": [], "read_theirs": []}
    ours["read_theirs"] = []
    with tempfile.TemporaryDirectory() as folder:
        a, b = os.path.join(folder, "ours.parquet"), os.path.join(folder, "duck.parquet")
        write = [arguments.bench, "write", a, str(arguments.rows), codec, level]
        write += ["compact"] if arguments.compact else []
        for _ in range(arguments.runs):
            ours["write"].append(run(write))
            duck["write"].append(run([sys.executable, "-c", DUCK, "write", a, b, codec, level]))
            ours["read"].append(run([arguments.bench, "read", a]))
            duck["read"].append(run([sys.executable, "-c", DUCK, "read", a, "", codec, level]))
            ours["read_theirs"].append(run([arguments.bench, "read", b]))
            duck["read_theirs"].append(run([sys.executable, "-c", DUCK, "read", b, "", codec,
                                            level]))
    for left, right in zip(ours["read"] + ours["read_theirs"], duck["read"] + duck["read_theirs"]):
        if (left["rows"], left["sums"]) != (right["rows"], right["sums"]):
            sys.exit(f"rows differ: {left} {right}")

    def speed(results):
        return arguments.rows / statistics.median(r["cpu_s"] for r in results) / 1e6
    out = {"rows": arguments.rows, "codec": f"{codec}-{level}", "compact": arguments.compact}
    for what in ("write", "read", "read_theirs"):
        out[what] = {"ours_M_rows_cpu_s": round(speed(ours[what]), 2),
                     "duckdb_M_rows_cpu_s": round(speed(duck[what]), 2),
                     "ratio": round(speed(ours[what]) / speed(duck[what]), 2)}
    out["size"] = {"ours": ours["write"][0]["bytes"], "duckdb": duck["write"][0]["bytes"],
                   "ratio": round(ours["write"][0]["bytes"] / duck["write"][0]["bytes"], 3)}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
