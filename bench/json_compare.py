#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON records into columns against DuckDB, one thread each, the same file of 10 fields a record.

    json_compare.py [--mib 128] [--runs 3]

Alternates runs. Ours decodes all ten columns from memory, DuckDB's read_json reads the file (from the page
cache) with the same columns and an aggregate that needs each of them. CPU seconds of the decoding
thread, and of DuckDB's process after its start.
"""
import argparse
import json
import os
import re
import statistics
import sys

import report

DUCK = r"""
import duckdb, json, resource, sys
c = duckdb.connect()
c.execute("SET threads = 1")
c.execute("SET enable_progress_bar = false")
c.execute("SET TimeZone = 'UTC'")
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
start = cpu()
r = c.execute("SELECT count(*), sum(id), sum(user_id), sum(strlen(url)), sum(amount), "
              "count(*) FILTER (lat > 0), count(*) FILTER (active), sum(strlen(country)), "
              "sum(strlen(agent)), epoch_us(max(ts)), epoch_us(max(created)) FROM read_json('" + sys.argv[1] + "', "
              "format = 'newline_delimited', columns = {id: 'BIGINT', user_id: 'BIGINT', "
              "url: 'VARCHAR', amount: 'DECIMAL(10, 2)', lat: 'DOUBLE', active: 'BOOLEAN', "
              "country: 'VARCHAR', agent: 'VARCHAR', ts: 'TIMESTAMP', created: 'TIMESTAMPTZ'})").fetchone()
print(json.dumps({"cpu_s": cpu() - start, "rows": r[0], "amount": str(r[4])}))
"""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mib", type=int, default=128)
    p.add_argument("--runs", type=int, default=3)
    a = p.parse_args()
    python, ours_program = report.judges_python(), report.program("bench_json")
    rows = report.Rows()
    ours, theirs = [], []
    with report.Folder() as folder:
        path = folder.file("records.ndjson")
        report.run([ours_program, "--write", path, str(a.mib)])
        size = os.path.getsize(path)
        for _ in range(a.runs):
            out = report.run([ours_program, str(a.mib), "3"]).out
            ours.append(float(re.search(r"best ([0-9.]+)", out).group(1)))
            answer = json.loads(report.run([python, "-c", DUCK, path]).out)
            theirs.append(size / answer["cpu_s"] / 1e9)
        counted = sum(1 for _ in open(path, "rb"))
    rows.right("rows", counted == answer["rows"], f"{answer['rows']}, expected {counted}")
    best, duck = statistics.median(ours), statistics.median(theirs)
    how = f"{a.runs} runs each, {a.mib} MiB: ours {ours}, DuckDB {[round(x, 3) for x in theirs]} GB/s"
    rows.at_least("JSON to columns, GB/s a core", best, 0.8, how)
    rows.at_least("JSON to columns, x DuckDB", best / duck, 2.5, how)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
