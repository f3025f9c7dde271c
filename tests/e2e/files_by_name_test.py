#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files as tables, both ways: queries over files by their names give what DuckDB gives for the same
queries over the same files; what INSERT INTO 'file' writes is read back by DuckDB, pyarrow and
fastavro.

  files_by_name_test.py [--keep DIR]

FRAZIL is the program, FRAZIL_FIXTURES the fixtures (vega-vega-datasets). The files are made here, by
DuckDB, pyarrow and fastavro. The last line is "N passed, N failed".
"""
import argparse
import csv
import datetime
import decimal
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "peers", "lake"))
import judge  # noqa: E402

if __name__ == "__main__":
    judge.own_python(os.path.abspath(__file__))
import duckdb  # noqa: E402
import fastavro  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

FRAZIL = os.environ.get("FRAZIL", os.path.join(ROOT, "build", "release", "frazil"))
FIXTURES = os.environ.get("FRAZIL_FIXTURES", os.path.join(ROOT, "..", "shared", "fixtures"))
VEGA = os.path.join(FIXTURES, "vega-vega-datasets")
passed, failed = 0, 0

# Columns that DuckDB reads as another type, by design: (file, column) -> why.
DIFFERENT = {
    ("github.csv", "time"): "2015/01/01 01:00:00 is text here: the slashes are no form of SQL's",
    ("movies.json", "Title"): "texts and numbers in one column: text here, JSON there",
}


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED {name}\n  {str(detail)[:1500]}", flush=True)


def run(sql, *options):
    """(rows as dicts, or None; what went to stderr)."""
    command = [FRAZIL, "sql", "--data", "data", "--format", "ndjson", *options]
    for statement in [sql] if isinstance(sql, str) else sql:
        command += ["-e", statement]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return None, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def plain(value):
    """One form for the values of all."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        text = value.strftime("%Y-%m-%d %H:%M:%S.%f")
        return plain(text)
    if isinstance(value, (datetime.date, datetime.time)):
        return plain(str(value))
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return float(f"{float(value):.12g}")
    if isinstance(value, (bytes, bytearray)):
        import base64
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, str):
        looks = len(value) > 8 and value[2:3] + value[4:5] in (":-", "-:") or value[10:11] == " "
        if looks and "." in value and value.rstrip("Z").rsplit(".", 1)[1].isdigit():
            value = value.rstrip("Z").rstrip("0").rstrip(".")
        return value.rstrip("Z") if looks else value
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)


def rows_of(relation):
    return [dict(zip(relation.columns, row)) for row in relation.fetchall()]


def ordered(rows):
    return sorted((json.dumps([plain(v) for v in row.values()]) for row in rows))


def same(name, ours, theirs, keep_order=False):
    a = [[plain(v) for v in row.values()] for row in ours]
    b = [[plain(v) for v in row.values()] for row in theirs]
    if not keep_order:
        a, b = sorted(a, key=json.dumps), sorted(b, key=json.dumps)
    if a == b:
        return check(name, True)
    at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    check(name, False, f"{len(a)} rows, {len(b)} expected; row {at}: "
                       f"{a[at] if at < len(a) else None} != {b[at] if at < len(b) else None}")


def compare(sql, theirs=None, name=None):
    """The same query here and in DuckDB."""
    ours, errors = run(sql)
    if ours is None:
        return check(name or sql, False, errors)
    same(name or sql, ours, rows_of(duckdb.sql(theirs or sql)))


def fails(sql, *texts):
    rows, errors = run(sql)
    check(f"error of {sql}", rows is None and all(t in errors for t in texts),
          f"wanted {texts}, got {errors!r} rows {rows!r:.200}")


# The files ----------------------------------------------------------------------------------------

def make_files():
    c = duckdb.connect()
    c.execute("""create table t as select i as id, (i % 10)::int as k, 'name ' || (i % 1000) as name,
        i * 1.5 as d, date '2020-01-01' + (i % 1000)::int as d1,
        timestamp '2020-01-01 00:00:00' + interval (i) second as ts,
        case when i % 7 = 0 then null else (i % 100)::decimal(10, 2) end as amount,
        [i, i + 1] as l, {'a': i, 'b': 'x' || i} as s from range(200000) r(i)""")
    c.execute("copy t to 'big.parquet' (format parquet, row_group_size 20000)")
    c.execute("copy (select * exclude (l, s) from t) to 'big.csv' (header)")
    c.execute("copy (select * exclude (l, s) from t limit 1000) to 'one.csv.gz' (header)")
    c.execute("copy (select * exclude (l, s) from t limit 1000) to 'one.csv.zst' (header, compression zstd)")
    c.execute("copy (select * exclude (l, s) from t limit 1000) to 'one.tsv' (header, delimiter '\t')")
    c.execute("copy (select * exclude (l, s) from t limit 1000) to 'semi.csv' (header, delimiter ';')")
    c.execute("copy (select * from t limit 5000) to 'many.ndjson' (format json)")
    c.execute("copy (select * from t limit 500) to 'array.json' (format json, array true)")
    c.execute("""copy (select *, id % 3 as p, case when id % 2 = 0 then 'a b' else 'ä/c' end as q
                 from t limit 1000) to 'hive' (format parquet, partition_by (p, q))""")
    c.execute("""copy (select id, name, d1 as day, id % 5 as month from t limit 1000) to 'hivecsv'
                 (format csv, header, partition_by (month))""")
    os.makedirs("parts/deep/er")
    for n in range(4):
        c.execute(f"copy (select * from t where id % 4 = {n} and id < 4000) to 'parts/{n}.parquet'")
    c.execute("copy (select * from t where id >= 4000 and id < 4500) to 'parts/deep/er/x.pq' (format parquet)")
    os.rename("parts/deep/er/x.pq", "parts/deep/er/x.parquet")
    with open("pretty.json", "w") as out:
        for i in range(300):
            out.write(json.dumps({"id": i, "s": {"a": [i, 2], "t": "}{\"" * (i % 3)}}, indent=2) + "\n")
    make_unions(c)
    make_avro()
    make_odd_names(c)


def make_unions(c):
    os.makedirs("union")
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]}), "union/1.parquet")
    pq.write_table(pa.table({"c": [1.5, 2.5], "a": pa.array([3, 2**40], pa.int64())}), "union/2.parquet")
    os.makedirs("unioncsv")
    open("unioncsv/1.csv", "w").write("a,b\n1,x\n2,y\n")
    open("unioncsv/2.csv", "w").write("a,b\n3,z\n4.5,w\n")
    os.makedirs("unionjson")
    open("unionjson/1.json", "w").write('{"a":1,"b":"x"}\n{"a":2}\n')
    open("unionjson/2.json", "w").write('{"c":true,"a":2.5}\n')
    os.makedirs("clash")
    pq.write_table(pa.table({"a": [1]}), "clash/1.parquet")
    pq.write_table(pa.table({"a": ["x"]}), "clash/2.parquet")


def make_avro():
    schema = {"type": "record", "name": "r", "fields": [
        {"name": "id", "type": "long"}, {"name": "name", "type": ["null", "string"]},
        {"name": "d", "type": "double"}, {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "l", "type": {"type": "array", "items": "int"}}]}
    rows = [{"id": i, "name": None if i % 5 == 0 else f"n{i}", "d": i / 4,
             "day": datetime.date(2024, 1, 1) + datetime.timedelta(i % 60), "l": [i, i * 2]}
            for i in range(3000)]
    with open("x.avro", "wb") as out:
        fastavro.writer(out, schema, rows, codec="deflate")
    return rows


def make_odd_names(c):
    c.execute("copy (select 7 as id) to 'it''s a b.parquet'")
    c.execute("copy (select 8 as id) to 'a[1].parquet' (format parquet)")
    open("empty.csv", "w").close()
    open("empty.json", "w").close()
    open("header.csv", "w").write("id,name\n")
    pq.write_table(pa.table({"id": pa.array([], pa.int64()), "name": pa.array([], pa.string())}),
                   "empty.parquet")
    open("quoted.csv", "w").write('id,"the, name"\n1,"a\nb"\n2,"say ""hi"""\n3,\n')


# Reading ------------------------------------------------------------------------------------------

def test_queries():
    compare("SELECT * FROM 'one.csv.gz'")
    compare("SELECT * FROM 'one.csv.zst'")
    compare("SELECT * FROM 'one.tsv'", "select * from read_csv('one.tsv')")
    compare("SELECT * FROM 'semi.csv'")
    compare("SELECT * FROM 'array.json'")
    compare("SELECT * FROM 'pretty.json'")
    compare("SELECT id, k, name, d1, ts, amount, l, s FROM 'many.ndjson' WHERE id > 4990")
    for file in ("big.parquet", "big.csv"):
        compare(f"SELECT COUNT(*) AS n, SUM(id) AS s, COUNT(DISTINCT id) AS u, MIN(name) AS a, "
                f"MAX(ts) AS b, COUNT(amount) AS c FROM '{file}'")
        compare(f"SELECT k, COUNT(*) AS n, MAX(d) AS m FROM '{file}' WHERE id >= 150000 GROUP BY k")
        compare(f"SELECT id, name, ts FROM '{file}' WHERE id = 123456")
    compare("SELECT * FROM 'big.parquet' WHERE id BETWEEN 19990 AND 20010")
    compare("SELECT * FROM 'parts/*.parquet'")
    compare("SELECT * FROM 'parts/[02].parquet'")
    compare("SELECT * FROM 'parts/?.parquet' WHERE s.a < 100")
    compare("SELECT COUNT(*) AS n, SUM(id) AS s FROM 'parts/**/*.parquet'")
    compare("SELECT COUNT(*) AS n, SUM(id) AS s FROM 'parts'",
            "SELECT COUNT(*) AS n, SUM(id) AS s FROM 'parts/**/*.parquet'")
    compare("SELECT * FROM 'it''s a b.parquet'")
    compare("SELECT * FROM 'a[1].parquet'", "SELECT 8 AS id")
    compare("SELECT * FROM 'quoted.csv'")
    compare("SELECT big.id, o.name FROM 'big.parquet' JOIN 'one.csv.gz' AS o ON big.id = o.id "
            "WHERE big.id < 10")
    rows, errors = run("SELECT id FROM 'big.csv' LIMIT 5")
    check("LIMIT gives the first rows", rows == [{"id": i} for i in range(5)], rows)


def test_partitions():
    compare("SELECT p, q, COUNT(*) AS n, SUM(id) AS s FROM 'hive' GROUP BY p, q",
            "SELECT p, q, COUNT(*) AS n, SUM(id) AS s FROM 'hive/**/*.parquet' GROUP BY p, q")
    compare("SELECT * FROM 'hive/**/*.parquet' WHERE p = 1 AND q = 'a b'")
    compare("SELECT * FROM 'hivecsv/*/*.csv' WHERE `month` = 3",
            "SELECT * FROM 'hivecsv/*/*.csv' WHERE month = 3")
    rows, _ = run("DESCRIBE 'hive'")
    check("types of partition columns",
          [(r["name"], r["type"]) for r in rows[-2:]] == [("p", "BIGINT"), ("q", "STRING")], rows)
    rows, _ = run("SELECT DISTINCT `file.name` AS f FROM 'parts/*.parquet'")
    check("file.name", sorted(r["f"] for r in rows) == [f"{i}.parquet" for i in range(4)], rows)
    rows, _ = run("SELECT `file.size` AS f FROM 'x.avro' LIMIT 1")
    check("file.size", rows == [{"f": os.path.getsize("x.avro")}], rows)


def test_unions():
    for kind in ("parquet", "csv", "json"):
        folder = "union" if kind == "parquet" else "union" + kind
        reader = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}[kind]
        columns = "a, b, c" if kind != "csv" else "a, b"
        compare(f"SELECT {columns} FROM '{folder}/*.{kind}'",
                f"SELECT {columns} FROM {reader}('{folder}/*.{kind}', union_by_name=true)")
    os.makedirs("headers")
    open("headers/1.csv", "w").write("a,b\n1,x\n2,y\n")
    open("headers/2.csv", "w").write("b,c,a\nz,7,2.5\n")
    compare("SELECT a, b, c FROM 'headers/*.csv'",
            "SELECT a, b, c FROM read_csv('headers/*.csv', union_by_name=true)")
    fails("SELECT * FROM 'clash/*.parquet'", "'a'", "2.parquet", "BIGINT", "STRING")


def test_vega():
    for file in sorted(os.listdir(VEGA)):
        path = os.path.join(VEGA, file)
        ours, errors = run(f"SELECT * FROM '{path}'")
        if ours is None:
            check(file, False, errors)
            continue
        theirs = rows_of(duckdb.sql(f"select * from '{path}'"))
        check(f"{file}: names and rows", len(ours) == len(theirs) and list(ours[0]) == list(theirs[0]))
        for column in theirs[0]:
            if (file, column) not in DIFFERENT:
                same(f"{file}, {column}", [{column: r[column]} for r in ours],
                     [{column: r[column]} for r in theirs], keep_order=True)


def test_avro():
    with open("x.avro", "rb") as file:
        same("x.avro", run("SELECT * FROM 'x.avro'")[0], list(fastavro.reader(file)))
    rows, _ = run("SELECT COUNT(*) AS n, SUM(id) AS s FROM 'x.avro' WHERE name IS NULL")
    check("a condition on Avro", rows == [{"n": 600, "s": sum(range(0, 3000, 5))}], rows)


def test_empty():
    for file, columns in (("empty.parquet", ["id", "name"]), ("header.csv", ["id", "name"])):
        rows, errors = run(f"DESCRIBE '{file}'")
        check(f"columns of {file}", rows is not None and [r["name"] for r in rows] == columns, errors)
        rows, errors = run(f"SELECT COUNT(*) AS n FROM '{file}'")
        check(f"rows of {file}", rows == [{"n": 0}], errors)
    fails("SELECT * FROM 'empty.csv'", "empty.csv")


def test_odd_headers():
    open("odd.csv", "w").write("a, b, a,\n1, 2.5, 3,x\n")
    rows, errors = run("SELECT * FROM 'odd.csv'")
    check("blanks, repetitions and nothing in a header",
          rows == [{"a": 1, "b": 2.5, "a_1": 3, "f3": "x"}], errors or rows)


def test_errors():
    fails("SELECT * FROM 'bug.parquet'", "1:15: error: there is no file 'bug.parquet'",
          "did you mean 'big.parquet'?")
    fails("SELECT * FROM 'hiwe/x.parquet'", "did you mean 'hive/x.parquet'?")
    fails("SELECT * FROM 'nothing/*.parquet'", "no file matches 'nothing/*.parquet'")
    fails("SELECT idd FROM 'big.parquet'", "column 'idd' does not exist in 'big'", "did you mean 'id'?")
    fails("SELECT * FROM '*.*'", "format")
    open("noise.parquet", "wb").write(b"PAR1" + os.urandom(100))
    fails("SELECT * FROM 'noise.parquet'", "noise.parquet")
    open("broken.csv", "w").write("id,v\n" + "".join(f"{i},{i}\n" for i in range(30000)) + "x,1\n")
    fails("SELECT SUM(id) FROM 'broken.csv'", "broken.csv, line 30002", "'id'", "'x'")
    open("unknown.dat", "w").write("id;v\n1;2\n")
    fails("SELECT * FROM 'unknown.dat'", "OPTIONS('format' = 'csv')")
    rows, errors = run("SELECT * FROM 'unknown.dat' /*+ OPTIONS('format' = 'csv') */")
    check("a format by option", rows == [{"id": 1, "v": 2}], errors or rows)
    rows, errors = run("DESCRIBE 'unknown.dat' /*+ OPTIONS('format' = 'csv', 'csv.header' = 'false') */")
    check("DESCRIBE with options", rows is not None and [r["type"] for r in rows] == ["STRING"] * 2, errors or rows)


def test_explain():
    rows, errors = run("EXPLAIN ANALYZE SELECT SUM(id), MAX(name) FROM 'big.parquet' WHERE id >= 190000")
    text = rows[0]["result"] if rows else errors
    check("row groups are left out", "files 1 of 1, row groups 1 of 10" in text, text)
    rows, errors = run("EXPLAIN ANALYZE SELECT COUNT(*) FROM 'big.parquet'")
    text = rows[0]["result"] if rows else errors
    check("COUNT(*) reads no page", "pages" not in text and "bytes 0 of" in text, text)
    rows, errors = run("EXPLAIN ANALYZE SELECT SUM(id) FROM 'hive' WHERE p = 1 AND q = 'a b'")
    text = rows[0]["result"] if rows else errors
    check("partitions are left out", "files 1 of 6" in text, text)


def test_many():
    os.makedirs("many")
    for i in range(3000):
        with open(f"many/{i:05}.csv", "w") as out:
            out.write(f"id,v\n{i},x{i}\n")
    began = time.time()
    rows, errors = run("SELECT COUNT(*) AS n, SUM(id) AS s, COUNT(DISTINCT `file.name`) AS f FROM 'many/*.csv'")
    check("3,000 files", rows == [{"n": 3000, "s": 2999 * 1500, "f": 3000}], errors or rows)
    check("3,000 files in time", time.time() - began < 60, time.time() - began)


def test_parts():
    """Files that several instances read at once: records over the borders, quotes over many lines."""
    rows, size, number = [], 0, 0
    while size < 36 << 20:
        text = ("plain %d" % number, 'lines\n\n"of" %d, x\n' % number, '"' * (number % 5), "")[number % 4]
        text = 'a,"\n' * 700000 if number in (300000, 600000) else text
        rows.append((number, text))
        size += len(text) + 14
        number += 1
    with open("parts.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "t"])
        writer.writerows(rows)
    with open("parts.ndjson", "w") as out:
        for row in rows:
            out.write(json.dumps({"id": row[0], "t": row[1]}) + "\n" * (1 + row[0] % 3 // 2))
    wanted = [{"n": len(rows), "u": len(rows), "s": sum(r[0] for r in rows),
               "l": sum(len(r[1]) for r in rows)}]
    for file in ("parts.csv", "parts.ndjson"):
        for parallelism in (1, 2, 5):
            got, errors = run([f"SET 'parallelism.default' = '{parallelism}'",
                               "SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS u, SUM(id) AS s, "
                               f"SUM(CHAR_LENGTH(COALESCE(t, ''))) AS l FROM '{file}'"])
            check(f"{file} in parts, parallelism {parallelism}", got == wanted, errors or (got, wanted))


def test_tables():
    made = ("CREATE TEMPORARY TABLE h (id BIGINT, name STRING, q STRING, p INT, f STRING METADATA FROM "
            "'file.name' VIRTUAL) PARTITIONED BY (p, q) WITH ('connector' = 'filesystem', 'path' = 'hive', "
            "'format' = 'parquet')")
    rows, errors = run([made, "SELECT p, q, COUNT(*) AS n, SUM(id) AS s FROM h GROUP BY p, q"])
    same("PARTITIONED BY", rows or [], rows_of(duckdb.sql(
        "SELECT p, q, COUNT(*) AS n, SUM(id) AS s FROM 'hive/**/*.parquet' GROUP BY p, q")))
    made = ("CREATE TEMPORARY TABLE b (name STRING, id BIGINT, missing INT) WITH ('connector' = 'filesystem', "
            "'path' = 'big.csv', 'format' = 'csv', 'csv.header' = 'true')")
    rows, errors = run([made, "SELECT SUM(id) AS s, MAX(name) AS n, COUNT(missing) AS m FROM b"])
    check("csv.header", rows == [{"s": 199999 * 100000, "n": "name 999", "m": 0}], errors or rows)


def test_restores():
    """Pipelines over Parquet and Avro, stopped and started again in the middle of files."""
    script = ("CREATE TEMPORARY TABLE src (id BIGINT, name STRING) WITH ('connector' = 'filesystem', "
              "'path' = '{path}', 'format' = '{format}');\n"
              "CREATE TABLE IF NOT EXISTS {table} (id BIGINT, name STRING);\n"
              "INSERT INTO {table} SELECT id, name FROM src WHERE id >= 1000;\n")
    for kind, path, rows in (("parquet", "big.parquet", 200000), ("avro", "x.avro", 3000)):
        table = "restored_" + kind
        with open(f"{table}.sql", "w") as out:
            out.write(script.format(path=path, format=kind, table=table))
        for batches in ("7", "5", "0"):
            options = [] if batches == "0" else ["--set", f"debug.stop-after-batches={batches}",
                                                 "--set", "debug.batch-rows=300"]
            subprocess.run([FRAZIL, "run", "-q", "--data", "data", *options, f"{table}.sql"],
                           capture_output=True, timeout=200)
        got, errors = run(f"SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS u, MIN(id) AS a FROM {table}")
        check(f"{kind} restored", got == [{"n": rows - 1000, "u": rows - 1000, "a": 1000}], errors or got)


# Writing ------------------------------------------------------------------------------------------

def visible(folder="."):
    return sorted(n for n in os.listdir(folder) if not n.startswith("."))


def test_export_parquet():
    rows, errors = run("INSERT INTO 'out.parquet' SELECT * FROM 'big.parquet'")
    check("export", rows is not None, errors)
    same("out.parquet", rows_of(duckdb.sql("select * from 'out.parquet' where id < 2000")),
         rows_of(duckdb.sql("select * from 'big.parquet' where id < 2000")))
    n = duckdb.sql("select count(*) from (select * from 'out.parquet' except all "
                   "select * from 'big.parquet')").fetchone()[0]
    check("out.parquet, all rows", n == 0 and pq.read_metadata("out.parquet").num_rows == 200000, n)
    check("pyarrow", pq.read_table("out.parquet").column("ts").type == pa.timestamp("us"))
    before = open("out.parquet", "rb").read()
    fails("INSERT INTO 'out.parquet' SELECT 1", "is there already", "INSERT OVERWRITE")
    check("refused, untouched", open("out.parquet", "rb").read() == before)
    run("INSERT OVERWRITE 'out.parquet' SELECT 5 AS five")
    check("overwritten", duckdb.sql("select * from 'out.parquet'").fetchall() == [(5,)])
    run("INSERT INTO 'none.parquet' SELECT id, name FROM 'big.parquet' WHERE id < 0")
    table = pq.read_table("none.parquet")
    check("no rows, but columns", table.num_rows == 0 and table.column_names == ["id", "name"])
    fails("INSERT INTO 'fails.parquet' SELECT 1 / (id - 150000) FROM 'big.parquet'", "division by zero")
    check("nothing is left of what failed", not [n for n in os.listdir(".") if "fails" in n])


def test_export_text():
    """Each kind of file, read back by others and by ourselves."""
    query = "SELECT id, name, d, d1, ts, amount FROM 'big.parquet' WHERE id < 20000"
    theirs = rows_of(duckdb.sql(query))
    for name in ("t.csv", "t.csv.gz", "t.csv.zst", "t.tsv", "t.ndjson", "t.ndjson.gz", "t.json", "t.jsonl.zst"):
        rows, errors = run(f"INSERT INTO '{name}' {query}")
        check(f"write {name}", rows is not None, errors)
        if rows is not None:
            reader = f"read_csv('{name}')" if ".csv" in name or ".tsv" in name else f"read_json('{name}')"
            same(f"DuckDB reads {name}", rows_of(duckdb.sql(f"select * from {reader}")), theirs)
            compare(f"SELECT * FROM '{name}'", query, name=f"{name} read back")
    with gzip.open("t.csv.gz", "rt") as file:
        check("gzip", file.readline() == "id,name,d,d1,ts,amount\n")
    rows, errors = run(f"INSERT INTO 't.avro' {query}")
    check("write t.avro", rows is not None, errors)
    if rows is not None:
        with open("t.avro", "rb") as file:
            same("fastavro reads t.avro", list(fastavro.reader(file)), theirs)
        compare("SELECT * FROM 't.avro'", query, name="t.avro read back")
    rows, errors = run("INSERT INTO 'odd.csv' SELECT * FROM (VALUES (1, 'a,b'), (2, 'say \"hi\"'), "
                       "(3, CAST(NULL AS STRING)), (4, U&'l\\000Ane')) AS t (id, t)")
    check("odd.csv", errors == "" and rows_of(duckdb.sql("select * from 'odd.csv'")) ==
          [{"id": 1, "t": "a,b"}, {"id": 2, "t": 'say "hi"'}, {"id": 3, "t": None}, {"id": 4, "t": "l\nne"}],
          errors or open("odd.csv").read())
    rows, errors = run("INSERT INTO 'dialect.txt' /*+ OPTIONS('format' = 'csv', 'csv.field-delimiter' = ';', "
                       "'csv.header' = 'false') */ VALUES (1, 'a;b')")
    check("options", open("dialect.txt").read() == '1;"a;b"\n', errors)
    run("INSERT INTO 'csvdir/' /*+ OPTIONS('format' = 'csv') */ SELECT id FROM 'big.parquet' WHERE id < 100")
    check("a directory of CSV", duckdb.sql("select sum(id) from 'csvdir/*.csv'").fetchone() == (4950,))
    rows, errors = run("INSERT INTO 'nested.ndjson' SELECT id, l, s FROM 'big.parquet' WHERE id < 50")
    compare("SELECT * FROM 'nested.ndjson'", "SELECT id, l, s FROM 'big.parquet' WHERE id < 50")
    fails("INSERT INTO 'nested.csv' SELECT MAP['a', 1] AS m", "MAP")


def test_export_directory():
    run("INSERT INTO 'dir/' SELECT id, k FROM 'big.parquet'")
    check("a directory", duckdb.sql("select count(*), sum(id) from 'dir/*.parquet'").fetchone()
          == (200000, 199999 * 100000), visible("dir"))
    fails("INSERT INTO 'dir/' SELECT 1", "is there already")
    run("INSERT OVERWRITE 'dir/' SELECT id FROM 'big.parquet' WHERE id < 10")
    check("a directory overwritten", run("SELECT SUM(id) AS s FROM 'dir'")[0] == [{"s": 45}])
    open("dir/notes.txt", "w").write("mine")
    fails("INSERT OVERWRITE 'dir/' SELECT 1", "notes.txt")
    check("other files are kept", os.path.exists("dir/notes.txt"))
    made = ("CREATE TEMPORARY TABLE t (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = 'tdir', "
            "'format' = 'parquet')")
    rows, errors = run([made, "INSERT INTO t VALUES (1, 'x')", "INSERT INTO t VALUES (2, 'y')",
                        "SELECT * FROM t"])
    same("a table takes files", rows or [], [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    rows, errors = run([made, "INSERT OVERWRITE t VALUES (3, 'z')", "SELECT * FROM t"])
    check("a table overwritten", rows == [{"a": 3, "b": "z"}], errors or rows)


def test_export_killed():
    """Killed in the middle, nothing is there; nothing visible is left."""
    for delay in (0.02, 0.05, 0.1, 0.2):
        process = subprocess.Popen([FRAZIL, "sql", "--data", "data", "-e",
                                    "INSERT INTO 'killed.parquet' SELECT a.* FROM 'big.parquet' a "
                                    "JOIN 'big.parquet' b ON a.id = b.id"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        whole = os.path.exists("killed.parquet")
        good = not whole or pq.read_metadata("killed.parquet").num_rows == 200000
        check(f"killed after {delay} s", good)
        if whole:
            os.remove("killed.parquet")
    check("what is left is hidden", not [n for n in visible() if "killed" in n], visible())


def test_export_errors():
    fails("INSERT INTO 'missing/x.parquet' SELECT 1", "there is no directory")
    fails("INSERT INTO 'x.unknown' SELECT 1", "does not say a format")
    fails("INSERT INTO 'x.parquet' SELECT NULL AS n", "'n'")
    fails("INSERT INTO 'x.parquet' (a) SELECT 1", "no list of columns")
    fails(["SET 'execution.runtime-mode' = 'streaming'", "INSERT INTO 'x.parquet' SELECT 1"],
          "streaming", "batch")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="frazil-files-")
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    duckdb.sql("set preserve_insertion_order = true")
    try:
        make_files()
        for name, test in sorted(globals().items()):
            if name.startswith("test_"):
                test()
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
