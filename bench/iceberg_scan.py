#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iceberg scans with deletes, beside DuckDB and Spark in one run, one core each.

    iceberg_scan.py [--rows 5000000] [--runs 3] [--quick] [--keep FOLDER]

Spark writes the tables: without deletes; with 5 % position deletes; with 5 % deletion vectors; with
equality deletes of a fifth of the rows (its Java API commits them, PyArrow writes their file). Each
engine then answers the same query over all columns, runs alternating, and the answers must agree;
of a thousandth and of a third of the rows as well, but for those with equality deletes.
CPU is that of the whole process for us, of the query alone for the others. --keep FOLDER: tables
are made there once and found again.
"""
import argparse
import glob
import math
import os
import sys
import tempfile
import time

import report

if __name__ == "__main__":
    report.own_python(__file__)
PEERS = os.path.join(report.ROOT, "tests", "peers", "lake")
sys.path.insert(0, PEERS)

TABLES = ("plain", "positions", "vectors", "equality")
CONDITIONS = ("", "k = 7", "k < 300")  # in no order: no row group or page is left out
QUERY = "SELECT COUNT(*), SUM(id), SUM(CAST(k AS BIGINT)), SUM(CHAR_LENGTH(s)), SUM(v), MAX(ts) FROM {table}"


# ---- tables ----

def write_keys(path, rows):
    """Every fifth id, in no order, as a file of equality deletes."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    ids = pa.array(range(3, rows, 5), pa.int64())
    order = pc.sort_indices(pc.bit_wise_xor(pc.multiply(ids, 2654435761), 0x5bd1e995))
    schema = pa.schema([pa.field("id", pa.int64(), True, {"PARQUET:field_id": "1"})])
    pq.write_table(pa.table([ids.take(order)], schema), path, compression="zstd")
    return len(ids)


def add_equality_deletes(spark, name, rows):
    jvm = spark._jvm
    table = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    path = table.location().removeprefix("file:") + "/data/keys.parquet"
    count = write_keys(path, rows)
    ids = spark.sparkContext._gateway.new_array(jvm.int, 1)
    ids[0] = 1
    file = (jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(table.spec())
            .ofEqualityDeletes(ids).withPath("file:" + path).withFormat("PARQUET")
            .withFileSizeInBytes(os.path.getsize(path)).withRecordCount(count).build())
    table.newRowDelta().addDeletes(file).commit()


def make_tables(spark, rows):
    for name in TABLES:
        version = 3 if name == "vectors" else 2
        spark.sql(f"CREATE TABLE lake.d.{name} (id bigint, k int, v double, s string, ts timestamp) "
                  f"USING iceberg TBLPROPERTIES ('format-version'='{version}', "
                  "'write.delete.mode'='merge-on-read', 'write.parquet.compression-codec'='zstd')")
        spark.sql(f"INSERT INTO lake.d.{name} SELECT /*+ REPARTITION(4) */ id, "
                  "CAST(pmod(hash(id), 1000) AS int), CAST(hash(id, 1) AS double) / 1000, "
                  "concat('name-', pmod(hash(id, 2), 10000)), "
                  "timestamp_seconds(1700000000 + id) "
                  f"FROM range({rows})")
    for name in ("positions", "vectors"):
        spark.sql(f"DELETE FROM lake.d.{name} WHERE pmod(hash(id, 3), 20) = 7")
    add_equality_deletes(spark, "lake.d.equality", rows)


def metadata(folder, name):
    found = glob.glob(f"{folder}/d/{name}/metadata/v*.metadata.json")
    return max(found, key=lambda path: int(os.path.basename(path)[1:].split(".")[0]))


# ---- engines: each gives (row, CPU seconds) ----

def query_of(table, condition):
    return QUERY.format(table=table) + (f" WHERE {condition}" if condition else "")


def by_us(path, condition):
    query = query_of(f"ICEBERG_TABLE('{path}')", condition)
    done = report.run([report.program("frazil"), "sql", "--format", "csv", "-e",
                       f"SET 'parallelism.default' = '1'; SET 'table.local-time-zone' = 'UTC'; {query}"])
    row = done.out.strip().splitlines()[-1].split(",")
    return row, done.cpu


DUCKDB = """
import sys, time
sys.path.insert(0, sys.argv[2])
import judge
con = judge.duck()
con.execute("SET threads = 1; SET TimeZone = 'UTC'")
start = time.process_time()
row = con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({sys.argv[1]})").fetchone()
print(time.process_time() - start)
print("\\t".join(str(x) for x in row))
"""


def by_duckdb(path, condition):
    query = query_of(f"iceberg_scan('{path}')", condition).replace("CHAR_LENGTH", "LENGTH")
    done = report.run([sys.executable, "-c", DUCKDB, query, PEERS])
    cpu, row = done.out.strip().splitlines()[-2:]  # a progress bar may come before
    return row.split("\t"), float(cpu)


def cpu_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def by_spark(spark, name):
    java = spark.sparkContext._gateway.proc.pid  # the launcher's: it execs Java
    start = cpu_of(java)
    row = spark.sql(QUERY.format(table=f"lake.d.{name}")).collect()[0]
    return [str(x) for x in row], cpu_of(java) - start


def same(ours, theirs):
    """Counts and sums exactly, sums of doubles nearly, times to the second."""
    return (ours[:4] == theirs[:4] and ours[5][:19] == theirs[5][:19] and
            math.isclose(float(ours[4]), float(theirs[4]), rel_tol=1e-9))


# ---- measures ----

def bound_of(rows, is_quick):
    """A few rows say nothing about speed: then the answers are checked alone."""
    return (lambda measure, figure, bound, how: rows.told(measure, figure, how)) if is_quick \
        else rows.at_least


def compare(rows, tell, folder, name, condition, runs, spark, count):
    """With DuckDB; equality deletes with Spark, since DuckDB makes a filter of every key and does
    not come to an end with a million of them."""
    cpu, other, bound = {}, "duckdb", 1.2
    measured = f"{name}, {condition}" if condition else name
    if name == "equality":
        other, bound = "spark", 10
    for _ in range(runs):
        ours, seconds = by_us(metadata(folder, name), condition)
        cpu.setdefault("us", []).append(seconds)
        theirs, seconds = by_spark(spark, name) if other == "spark" else \
            by_duckdb(metadata(folder, name), condition)
        cpu.setdefault(other, []).append(seconds)
        rows.right(f"{measured}: the answer is that of {other}", same(ours, theirs), f"{ours} {theirs}")
    best = {who: min(values) for who, values in cpu.items()}
    how = ", ".join(f"{who} {seconds:.2f} s" for who, seconds in best.items()) + \
        f" of CPU, best of {runs}; {count} rows, 5 columns, one core"
    tell(f"Iceberg scan, {measured}: x {other}", best[other] / best["us"], bound, how)


def start_spark(folder):
    import judge
    return judge.spark_session([f"lake=hadoop:{folder}"], memory="3g", cores=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="200,000 rows, one run")
    parser.add_argument("--keep")
    parser.add_argument("--only", help="one of " + ", ".join(TABLES))
    args = parser.parse_args()
    count = 200_000 if args.quick else args.rows
    runs = 1 if args.quick else args.runs
    rows = report.Rows()
    with tempfile.TemporaryDirectory(prefix="iceberg-scan-") as scratch:
        folder = os.path.abspath(args.keep or scratch)
        names = [name for name in TABLES if args.only in (None, name)]
        spark = None
        if not glob.glob(f"{folder}/d/equality/metadata/v3*") or "equality" in names:
            spark = start_spark(folder)
        if not glob.glob(f"{folder}/d/equality/metadata/v3*"):
            make_tables(spark, count)
        for name in names:
            for condition in CONDITIONS if name != "equality" else ("",):
                compare(rows, bound_of(rows, args.quick), folder, name, condition, runs, spark,
                        count)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
