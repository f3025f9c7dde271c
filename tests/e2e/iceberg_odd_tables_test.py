#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables of kinds that are seldom met, read whole, in every state, and under filters.

  iceberg_odd_tables_test.py [--only NAME,NAME] [--home DIR]

corpora/odd-iceberg.tar.xz holds tables that tests/peers/odd_tables/make.py wrote by Spark, by Iceberg's
Java API and by hand, with the rows that Spark reads back (or, where it cannot read them, the rows that
were written): the current ones, those of every snapshot, branch and tag, and the ids of rows (v3).

Each table is read once more for each of its columns: the column alone, its COUNT, MIN and MAX, and the
rows of several predicates, whose answers are computed here from the rows of the whole table. What
metadata, bounds, page indexes and bloom filters leave out must not change them.

The last line is "N passed, N failed".
"""
import argparse
import collections
import decimal
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile

from harness import differ, rows_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FRAZIL = os.environ.get("FRAZIL", os.path.join(ROOT, "build", "release", "frazil"))
MARK = '{"mark":'


def ask_all(statements, timeout=300):
    """Rows of each statement, run by one process; None where a statement failed."""
    script = "SET 'table.local-time-zone' = 'UTC';\n"
    script += "".join(f"SELECT {i} AS mark;\n{sql};\n" for i, sql in enumerate(statements))
    done = subprocess.run([FRAZIL, "sql", "--format", "canonical", "--keep-going", "-f", "-"], input=script.encode(),
                          capture_output=True, timeout=timeout)
    answers, at = [collections.Counter() for _ in statements], -1
    for line in done.stdout.decode("utf-8").split("\n")[:-1]:
        if line.startswith(MARK):
            at = int(line[len(MARK):-1])
        else:
            answers[at][line] += 1
    return answers, done.stderr.decode("utf-8", "replace")


def cases(folder, meta):
    name = os.path.basename(folder)
    table = f"ICEBERG_TABLE('{os.path.join(folder, meta['metadata'])}')"
    yield name, f"SELECT * FROM {table}", meta["expected"]["file"]
    for snapshot in meta.get("snapshots", []):
        number = snapshot["snapshot-id"]
        yield f"{name}@{number}", f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF {number}", snapshot["file"]
    for ref in meta.get("refs", []):
        text = ref["name"].replace("'", "''")
        yield f"{name}@{ref['name']}", f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF '{text}'", ref["file"]
    written = read_metadata(os.path.join(folder, meta["metadata"]))
    files = {snapshot["snapshot-id"]: snapshot["file"] for snapshot in meta.get("snapshots", [])}
    moments = {entry["timestamp-ms"]: entry["snapshot-id"] for entry in written.get("snapshot-log") or []}
    for moment, number in moments.items():
        if number in files:
            yield f"{name} at {moment}", f"SELECT * FROM {table} FOR SYSTEM_TIME AS OF TO_TIMESTAMP_LTZ({moment}, 3)", files[number]
    for extra, columns in (("lineage", "_row_id, _last_updated_sequence_number, *"), ("places", "_spec_id, _pos, _partition, *")):
        if os.path.exists(os.path.join(folder, "expected", extra + ".ndjson")):
            yield f"{name}@{extra}", f"SELECT {columns} FROM {table}", f"expected/{extra}.ndjson"


# ---- columns, and values of them

def read_metadata(path):
    import gzip
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def schema_of(metadata):
    if "schemas" not in metadata:
        return metadata["schema"]
    return next(s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"])


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def leaves(fields, path=()):
    """Columns of primitive types, also inside structs: their path and type."""
    for x in fields:
        if isinstance(x["type"], str):
            yield (*path, x["name"]), x["type"]
        elif x["type"]["type"] == "struct":
            yield from leaves(x["type"]["fields"], (*path, x["name"]))
        elif not path:
            yield (x["name"],), x["type"]["type"]


def at(row, path):
    for step in path:
        if row is None:
            return None
        row = row[step]
    return row


def value(kind, shown):
    """What a canonical value compares as."""
    if shown is None:
        return None
    if kind.startswith("decimal"):
        return decimal.Decimal(shown)
    return order_of(float(shown)) if kind in ("float", "double") else shown


def order_of(number):
    """NaN equals NaN and is above all, as for Flink; both zeros are equal."""
    return (1, 0.0) if math.isnan(number) else (0, number)


def literal(kind, shown):
    if kind in ("int", "long", "boolean"):
        return str(shown).upper()
    if kind in ("float", "double"):
        return f"CAST('{shown!r}' AS {kind.upper()})" if isinstance(shown, float) else None
    if kind.startswith("decimal"):
        return f"CAST('{shown}' AS {kind.upper()})"
    if kind in ("string", "uuid"):
        return "'" + shown.replace("'", "''") + "'"
    if kind in ("binary",) or kind.startswith("fixed"):
        return f"x'{shown}'"
    if kind == "date":
        return f"DATE '{shown}'" if shown[0] not in "+-" else None
    if kind == "time":
        return f"CAST('{shown}' AS TIME(6))"
    if kind.startswith("timestamptz"):
        return f"CAST(TIMESTAMP '{shown[:-6].replace('T', ' ')}' AS TIMESTAMP_LTZ({9 if kind.endswith('ns') else 6}))"
    if kind.startswith("timestamp"):
        return f"TIMESTAMP '{shown.replace('T', ' ')}'"
    return None


def predicates(path, kind, rows):
    """SQL conditions on one column with a function of its value that says the same."""
    name = ".".join(quoted(step) for step in path)
    yield f"{name} IS NULL", lambda v: v is None
    yield f"{name} IS NOT NULL", lambda v: v is not None
    shown = sorted({at(row, path) for row in rows if not isinstance(at(row, path), (list, dict))} - {None}, key=str) if ":" not in kind else []
    shown = [s for s in shown if s not in ("NaN", "Infinity", "-Infinity") or kind not in ("float", "double")]
    if kind == "boolean":
        yield name, lambda v: v is True
        yield f"NOT {name}", lambda v: v is False
        return
    for s in {shown[0], shown[len(shown) // 2], shown[-1]} if shown else ():
        text, v0 = literal(kind, s), value(kind, s)
        if text is None:
            return
        yield f"{name} = {text}", lambda v, v0=v0: v is not None and v == v0
        if kind == "uuid" or kind.startswith("fixed"):
            continue
        order = (lambda v: bytes.fromhex(v)) if kind == "binary" else (lambda v: v.encode()) if kind == "string" else (lambda v: v)
        yield f"{name} > {text}", lambda v, v0=v0, order=order: v is not None and order(v) > order(v0)
        yield f"{name} <= {text}", lambda v, v0=v0, order=order: v is not None and order(v) <= order(v0)
        yield f"{name} <> {text}", lambda v, v0=v0: v is not None and v != v0
        yield f"{name} IN ({text}, {literal(kind, shown[0])})", lambda v, v0=v0, v1=value(kind, shown[0]): v is not None and v in (v0, v1)
        yield f"NOT ({name} >= {text})", lambda v, v0=v0, order=order: v is not None and (order(v) < order(v0))
    if kind == "string" and shown and shown[-1]:
        start = shown[-1][:1]
        if start not in "%_\\":
            text = literal(kind, start + "%")
            yield f"{name} LIKE {text}", lambda v: v is not None and v.startswith(start)
            yield f"{name} NOT LIKE {text}", lambda v: v is not None and not v.startswith(start)


ORDERED = ("int", "long", "date", "string", "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")


def figures(path, kind, rows):
    """COUNT, MIN and MAX of a column, where its order is that of its texts or numbers."""
    name = ".".join(quoted(step) for step in path)
    known = [value(kind, at(row, path)) for row in rows if at(row, path) is not None]
    yield f"COUNT({name}) AS n, COUNT(*) AS m", {"n": len(known), "m": len(rows)}
    if kind in ORDERED and known:
        key = (lambda v: v.encode()) if kind == "string" else None
        yield f"MIN({name}) AS lo, MAX({name}) AS hi", {"lo": min(known, key=key), "hi": max(known, key=key)}


def column_queries(folder, meta):
    """(name, query, wanted rows) of every column of the table."""
    path = os.path.join(folder, meta["metadata"])
    table = f"ICEBERG_TABLE('{path}') AS t"
    fields = schema_of(read_metadata(path))["fields"]
    if len(fields) > 100:
        fields = fields[:4] + fields[-3:]
    extra, columns = "expected/lineage.ndjson", "_row_id, _last_updated_sequence_number, *"
    if not os.path.exists(os.path.join(folder, extra)):
        extra, columns = meta["expected"]["file"], "*"
    texts = list(rows_of(os.path.join(folder, extra)).elements())
    rows = [json.loads(text) for text in texts]
    for name, select, condition, want in column_predicates(fields, rows, texts):
        if condition is None:
            yield name, f"SELECT {select} FROM {table}", want
        else:
            yield name, f"SELECT {columns} FROM {table} WHERE {condition}", want


def column_predicates(fields, rows, texts):
    """(name, figures, None, line) and (name, None, condition, lines) of every column that has an order or equality."""
    for column, kind in leaves(fields):
        name = ".".join(column)[:40]
        if kind in ("variant", "unknown") or kind.startswith("geo"):
            continue
        for sql, wanted in figures(column, kind, rows) if kind in ORDERED else ():
            yield name, sql, None, collections.Counter([json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))])
        if kind in ("list", "map"):
            kind += ":"
        for sql, holds in predicates(column, kind, rows):
            want = collections.Counter(text for text, row in zip(texts, rows) if holds(value(kind, at(row, column))))
            yield f"{name} {sql[:60]}", None, sql, want


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--home", help="the tables, not packed")
    arguments = parser.parse_args()
    only = arguments.only.split(",") if arguments.only else None
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        home = arguments.home
        if not home:
            with tarfile.open(os.path.join(ROOT, "tests", "corpora", "odd-iceberg.tar.xz")) as archive:
                archive.extractall(temporary)  # ours; Debian's tarfile has no filters yet
            home = os.path.join(temporary, "odd-iceberg")
        for name in sorted(os.listdir(home)):
            folder = os.path.abspath(os.path.join(home, name))
            if only and name not in only:
                continue
            with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
                meta = json.load(file)
            asked = [(case, sql, rows_of(os.path.join(folder, file))) for case, sql, file in cases(folder, meta)]
            asked += [(f"{name}: {case}", sql, want) for case, sql, want in column_queries(folder, meta)]
            answers, said = ask_all([sql for _, sql, _ in asked])
            for (case, sql, want), got in zip(asked, answers):
                problem = differ(got, want)
                passed += not problem
                failed += bool(problem)
                if problem:
                    print(f"FAIL {case}: {problem}\n    {sql[:400]}", flush=True)
            if said:
                print(f"{name} said: {said[:1500]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
