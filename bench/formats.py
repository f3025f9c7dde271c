#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CSV and Avro into columns against DuckDB and fastavro, one thread each, the same files.

    formats.py [--rows 1000000] [--runs 3]

Alternates runs. Ours decodes all columns from memory, those that it finds in the file by itself;
DuckDB's read_csv and read_avro read the file (from the page cache) with an aggregate that needs each
column, its CSV columns declared; fastavro makes its rows. CPU seconds of the decoding thread, and of
the peers' processes after their start. JSON: json_compare.py.
"""
import argparse
import json
import os
import statistics
import sys

import report

MAKE = r"""
import duckdb, fastavro, random, sys
rows, csv, avro, wide = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
c = duckdb.connect()
c.execute("SELECT setseed(0.5)")
q = f'''SELECT i AS id, (random() * 5000000)::BIGINT AS user_id,
    'https://shop.example.com/item/' || (random() * 16000000)::BIGINT AS url,
    (random() * 16000)::DECIMAL(10, 2) AS amount, round(random() * 180 - 90, 6) AS lat,
    random() < 0.5 AS active,
    ['DE', 'FR', 'United Kingdom', 'IT', 'Switzerland'][1 + (i % 5)] AS country,
    ['Mozilla/5.0 (X11; Linux x86_64)', 'curl/7.88.1', 'Mozilla/5.0 (iPhone; CPU)'][1 + (i % 3)] AS agent,
    TIMESTAMP '2024-03-05 00:00:00' + to_milliseconds(i) AS ts,
    DATE '2023-11-01' + (i % 30)::INT AS created FROM range({rows}) t(i)'''
c.execute(f"COPY ({q}) TO '{csv}' (HEADER)")
random.seed(1)
four = fastavro.parse_schema({"type": "record", "name": "r", "fields": [
    {"name": "id", "type": "long"}, {"name": "v", "type": "double"}, {"name": "s", "type": "string"},
    {"name": "o", "type": ["null", "long"]}]})
with open(avro, "wb") as out:
    fastavro.writer(out, four, ({"id": i, "v": i * 0.5, "s": f"name{i % 1000}",
        "o": None if i % 7 == 0 else random.randint(0, 10**6)} for i in range(rows)), codec="null")
ten = fastavro.parse_schema({"type": "record", "name": "r", "fields": [
    {"name": n, "type": t} for n, t in [("id", "long"), ("user_id", "long"), ("url", "string"),
    ("amount", "double"), ("lat", "double"), ("active", "boolean"), ("country", "string"),
    ("agent", ["null", "string"]), ("ts", {"type": "long", "logicalType": "timestamp-millis"}),
    ("created", {"type": "int", "logicalType": "date"})]]})
names = [f["name"] for f in ten["fields"]]
values = c.execute(f"SELECT * REPLACE (amount::DOUBLE AS amount, epoch_ms(ts) AS ts, "
                   f"created - DATE '1970-01-01' AS created) FROM ({q})")
def wide_rows():
    while batch := values.fetchmany(10000):
        for row in batch:
            yield dict(zip(names, row))
with open(wide, "wb") as out:
    fastavro.writer(out, ten, wide_rows(), codec="deflate")
"""

DUCK = r"""
import duckdb, glob, json, os, resource, sys
c = duckdb.connect(config={"allow_unsigned_extensions": "true"})
c.execute("SET threads = 1")
c.execute("SET enable_progress_bar = false")
if sys.argv[1] == "avro":
    site = os.path.dirname(os.path.dirname(duckdb.__file__))
    c.execute("LOAD '%s'" % glob.glob(site + "/duckdb_extension_avro/extensions/*/*.duckdb_extension")[0])
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
start = cpu()
r = c.execute(sys.argv[2]).fetchone()
print(json.dumps({"cpu_s": cpu() - start, "rows": r[0]}))
"""

FASTAVRO = r"""
import fastavro, json, resource, sys
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
start = cpu()
with open(sys.argv[1], "rb") as source:
    rows = sum(1 for _ in fastavro.reader(source))
print(json.dumps({"cpu_s": cpu() - start, "rows": rows}))
"""

CSV_QUERY = """SELECT count(*), sum(id), sum(user_id), sum(strlen(url)), sum(amount),
    count(*) FILTER (lat > 0), count(*) FILTER (active), sum(strlen(country)), sum(strlen(agent)),
    epoch_us(max(ts)), max(created) FROM read_csv('{path}', header = true, columns = {{id: 'BIGINT',
    user_id: 'BIGINT', url: 'VARCHAR', amount: 'DOUBLE', lat: 'DOUBLE', active: 'BOOLEAN',
    country: 'VARCHAR', agent: 'VARCHAR', ts: 'TIMESTAMP', created: 'DATE'}})"""
FOUR_QUERY = "SELECT count(*), sum(id), sum(v), sum(strlen(s)), sum(o) FROM read_avro('{path}')"
TEN_QUERY = """SELECT count(*), sum(id), sum(user_id), sum(strlen(url)), sum(amount),
    count(*) FILTER (lat > 0), count(*) FILTER (active), sum(strlen(country)), sum(strlen(agent)),
    max(ts), max(created) FROM read_avro('{path}')"""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=1000000)
    p.add_argument("--runs", type=int, default=3)
    a = p.parse_args()
    python, ours_program = report.judges_python(), report.program("bench_formats")
    rows = report.Rows()
    with report.Folder() as folder:
        csv, avro, wide = (folder.file(n) for n in ("x.csv", "four.avro", "ten.avro"))
        report.run([python, "-c", MAKE, str(a.rows), csv, avro, wide])

        def ours(path):
            return json.loads(report.run([ours_program, path, "3"]).out)

        def duck(kind, query, path):
            return json.loads(report.run([python, "-c", DUCK, kind, query.format(path=path)]).out)

        def fast(path):
            return json.loads(report.run([python, "-c", FASTAVRO, path]).out)

        def compare(what, path, peers):
            taken = {"ours": []}
            for _ in range(a.runs):
                taken["ours"].append(ours(path))
                for name, peer in peers.items():
                    taken.setdefault(name, []).append(peer())
            for name, answers in taken.items():
                rows.right(f"{what}: rows of {name}", answers[-1]["rows"] == a.rows,
                           f"{answers[-1]['rows']}, expected {a.rows}")
            seconds = {n: statistics.median(x["cpu_s"] for x in t) for n, t in taken.items()}
            how = f"{a.runs} runs each, {a.rows} rows, CPU seconds " + ", ".join(
                f"{n} {s:.3f}" for n, s in seconds.items())
            return seconds, how

        seconds, how = compare("CSV", csv, {"DuckDB": lambda: duck("csv", CSV_QUERY, csv)})
        rows.at_least("CSV to 10 columns, GB/s a core",
                      os.path.getsize(csv) / seconds["ours"] / 1e9, 0.8, how)
        rows.at_least("CSV to 10 columns, x DuckDB", seconds["DuckDB"] / seconds["ours"], 3, how)
        for what, path, query, least in (("4", avro, FOUR_QUERY, 15), ("10", wide, TEN_QUERY, 2)):
            seconds, how = compare(f"Avro, {what} columns", path, {
                "DuckDB": lambda: duck("avro", query, path), "fastavro": lambda: fast(path)})
            rows.at_least(f"Avro to {what} columns, M rows/s a core",
                          a.rows / seconds["ours"] / 1e6, least, how)
            rows.at_least(f"Avro to {what} columns, x DuckDB",
                          seconds["DuckDB"] / seconds["ours"], 3, how)
            rows.at_least(f"Avro to {what} columns, x fastavro",
                          seconds["fastavro"] / seconds["ours"], 3, how)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
