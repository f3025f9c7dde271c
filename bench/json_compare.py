#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON records into columns against DuckDB, one thread each, the same file of 10 fields a record.

    json_compare.py BENCH_JSON [--mib 128] [--runs 3]

Alternates runs. Ours decodes all ten columns from memory, DuckDB's read_json reads the file (from the page
cache) with the same columns and an aggregate that needs each of them. CPU seconds of the decoding
thread, and of DuckDB's process after its start. Prints a JSON line with medians and the ratio, whose
gate is 2.5.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

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
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("bench_json")
    p.add_argument("--mib", type=int, default=128)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--python", default=sys.executable)
    a = p.parse_args()
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "records.ndjson")
        subprocess.run([a.bench_json, "--write", path, str(a.mib)], check=True)
        size = os.path.getsize(path)
        for _ in range(a.runs):
            out = subprocess.run([a.bench_json, str(a.mib), "3"], check=True, capture_output=True, text=True)
            ours.append(float(re.search(r"best ([0-9.]+)", out.stdout).group(1)))
            out = subprocess.run([a.python, "-c", DUCK, path], check=True, capture_output=True, text=True)
            answer = json.loads(out.stdout)
            theirs.append(size / answer["cpu_s"] / 1e9)
        rows = sum(1 for _ in open(path, "rb"))
        if rows != answer["rows"]:
            sys.exit(f"{answer['rows']} rows, expected {rows}")
    result = {"bench": "json", "gb_s": round(statistics.median(ours), 3),
              "duckdb_gb_s": round(statistics.median(theirs), 3)}
    result["ratio"] = round(result["gb_s"] / result["duckdb_gb_s"], 2)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
