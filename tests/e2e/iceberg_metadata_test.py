#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Metadata tables (t$snapshots, t.files, ...) against PyIceberg's inspect and, with --spark, against
Spark: the same columns, types and rows, over the same tables.

    iceberg_metadata_test.py [--spark] [--keep DIR]

Tables: one of PyIceberg (partition evolution, deleted files, a tag, nested and all primitive types),
one of ours, an empty one; with --spark also one of Spark with position deletes and branches, and one
of format v3 with deletion vectors. The last line is "N passed, N failed".
"""
import argparse
import datetime
import decimal
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from harness import Checks, Folder, sql  # noqa: E402

if __name__ == "__main__":
    harness.own_python(__file__)
import canon  # noqa: E402
import judge  # noqa: E402
import pyarrow as pa  # noqa: E402
from pyiceberg.catalog.sql import SqlCatalog  # noqa: E402
from pyiceberg.transforms import (BucketTransform, DayTransform, MonthTransform,  # noqa: E402
                                  TruncateTransform)

KINDS = ["history", "metadata_log_entries", "snapshots", "entries", "files", "data_files",
         "delete_files", "manifests", "partitions", "refs", "all_data_files", "all_delete_files",
         "all_files", "all_manifests"]
# What PyIceberg 0.12 shows otherwise than Java, which is followed here.
PYICEBERG = {
    # Bounds that are not there are NULL in PyIceberg, and the text "null" in Java.
    "manifests": "bounds", "all_manifests": "bounds",
}


def arrow(first, count):
    days = [datetime.date(2024, 1 + i % 3, 1 + i) for i in range(count)]
    return pa.table({
        "id": pa.array(range(first, first + count), pa.int64()),
        "i": pa.array([None if i == 1 else -i for i in range(count)], pa.int32()),
        "s": pa.array([None if i == 2 else f"s{i:03d}é" for i in range(count)]),
        "d": pa.array([None if i == 3 else days[i] for i in range(count)]),
        "ts": pa.array([datetime.datetime(2024, 1, 1 + i, 3, 4, 5, 600) for i in range(count)],
                       pa.timestamp("us")),
        "tz": pa.array([datetime.datetime(2024, 2, 1 + i) for i in range(count)],
                       pa.timestamp("us", "UTC")),
        "f": pa.array([1.5 * i for i in range(count)], pa.float32()),
        "x": pa.array([float("nan") if i == 0 else -i / 3 for i in range(count)]),
        "dec": pa.array([decimal.Decimal(f"{i}.25") for i in range(count)], pa.decimal128(9, 2)),
        "big": pa.array([decimal.Decimal(i) for i in range(count)], pa.decimal128(38, 10)),
        "b": pa.array([i % 2 == 0 for i in range(count)]),
        "bin": pa.array([bytes([i, 255]) for i in range(count)]),
        "st": pa.array([{"a": i, "b": {"c": str(i)}} for i in range(count)],
                       pa.struct([("a", pa.int64()), ("b", pa.struct([("c", pa.string())]))])),
        "li": pa.array([[i, i + 1] for i in range(count)], pa.list_(pa.int64())),
        "m": pa.array([[("k", i)] for i in range(count)], pa.map_(pa.string(), pa.int64())),
    })


def make_pyiceberg(folder):
    catalog = SqlCatalog("py", uri="sqlite:///" + folder.file("py.db"),
                         warehouse="file://" + folder.file("warehouse"))
    catalog.create_namespace("db")
    table = catalog.create_table("db.evolved", schema=arrow(0, 1).schema)
    table.append(arrow(0, 6))
    with table.update_spec() as update:
        update.add_field("d", MonthTransform(), "dm")
        update.add_field("s", TruncateTransform(2), "s2")
    table.append(arrow(10, 6))
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "mid").commit()
    with table.update_spec() as update:
        update.remove_field("s2")
        update.add_field("id", BucketTransform(3), "ib")
        update.add_field("tz", DayTransform(), "td")
    table.append(arrow(20, 6))
    table.delete("id = 21")
    with table.transaction() as transaction:
        transaction.set_properties({"a": "1", "comment": "all kinds"})
    catalog.create_table("db.empty", schema=arrow(0, 1).schema)
    plain = catalog.create_table(("db", "odd$name"), schema=arrow(0, 1).schema)
    plain.append(arrow(0, 2))
    return catalog


def attach(folder):
    return (f"CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = "
            f"'jdbc:sqlite:{folder.file('py.db')}', 'warehouse' = 'file://{folder.file('warehouse')}')")


def ours(folder, query):
    """Canonical rows as objects; the error's text."""
    code, out, err = sql(folder.path, attach(folder), query, options=["--format", "canonical"])
    return sorted(out.splitlines()) if code == 0 else err


def without(value, names):
    """The object with only the names that `names` has, at every depth of objects."""
    if isinstance(value, dict) and isinstance(names, dict):
        return {k: without(v, names[k]) for k, v in value.items() if k in names}
    return value


def shaped(lines, like):
    rows = [json.loads(x) for x in lines]
    return sorted(json.dumps(without(r, like), sort_keys=True) for r in rows)


def metric_columns(lines, found):
    """PyIceberg has readable metrics, all NULL, of lists and maps too: Java only of what is in them."""
    ours = json.loads(found[0]).get("readable_metrics", {}) if found else {}
    out = []
    for row in map(json.loads, lines):
        row["readable_metrics"] = {k: v for k, v in row.get("readable_metrics", {}).items()
                                   if k in ours or any(x is not None for x in v.values())}
        if row.get("partition") == {}:  # Java leaves the column out
            del row["partition"]
        if row.get("data_file", {}).get("partition") == {}:
            del row["data_file"]["partition"]
        out.append(json.dumps(row))
    return out


def null_bounds(lines):
    return [x.replace('"lower_bound":"null"', '"lower_bound":null').replace(
        '"upper_bound":"null"', '"upper_bound":null') for x in lines]


def against_pyiceberg(checks, folder, catalog, name):
    table = catalog.load_table(("db", name))
    for kind in KINDS:
        try:
            theirs = canon.rows(getattr(table.inspect, kind)())
        except ValueError:  # without a snapshot
            theirs = []
        found = ours(folder, f"SELECT * FROM c.db.`{name}${kind}`")
        if isinstance(found, str):
            checks.ok(f"pyiceberg {name}${kind}", False, found)
            continue
        found = [x.replace('+00:00"', '"') for x in found]  # PyIceberg leaves the zone out
        theirs = [x.replace('+00:00"', '"') for x in theirs]
        if PYICEBERG.get(kind) == "bounds":
            found, theirs = null_bounds(found), null_bounds(theirs)
        if "files" in kind or "entries" in kind and "log" not in kind:
            theirs = metric_columns(theirs, found)
        like = json.loads(theirs[0]) if theirs else {}
        good = len(found) == len(theirs) and shaped(found, like) == shaped(theirs, like)
        checks.ok(f"pyiceberg {name}${kind}: {len(theirs)} rows", good,
                  difference(shaped(found, like), shaped(theirs, like)))


def leaves(value, path, out):
    if isinstance(value, dict):
        for k, v in value.items():
            leaves(v, f"{path}.{k}", out)
    else:
        out[path] = value


def difference(found, theirs):
    """Where the first two rows that are not on both sides differ."""
    only = [x for x in found if x not in theirs][:1], [x for x in theirs if x not in found][:1]
    if not only[0] or not only[1]:
        return f"{len(found)} rows, not {len(theirs)}: {only}"
    sides = {}, {}
    for side, lines in zip(sides, only):
        leaves(json.loads(lines[0]), "", side)
    return "; ".join(f"{k}: {sides[0].get(k, 'absent')!r}, not {sides[1].get(k, 'absent')!r}"
                     for k in sorted({*sides[0], *sides[1]}) if sides[0].get(k, "absent") !=
                     sides[1].get(k, "absent"))[:600]


def spellings(checks, folder, catalog):
    snapshot = catalog.load_table("db.evolved").history()[0].snapshot_id
    for text, expected in (
            ("SELECT COUNT(*) AS n FROM c.db.evolved.snapshots", len(
                catalog.load_table("db.evolved").snapshots())),
            ("SELECT COUNT(*) AS n FROM c.db.`odd$name$files`", 1),
            ("SELECT COUNT(*) AS n FROM c.db.`odd$name`.files", 1),
            ("SELECT COUNT(*) AS n FROM c.db.evolved$FILES FOR SYSTEM_VERSION AS OF "
             f"{snapshot}", 1),
            ("SELECT COUNT(*) AS n FROM c.db.evolved$files FOR SYSTEM_VERSION AS OF 'mid'", 1 + len(
                {r["file_path"] for r in catalog.load_table("db.evolved").inspect.files(
                    catalog.load_table("db.evolved").history()[1].snapshot_id).to_pylist()}) - 1),
            (f"SELECT COUNT(*) AS n FROM c.db.evolved$manifests /*+ OPTIONS('snapshot-id'='{snapshot}') */", 1),
            ("SELECT COUNT(*) AS n FROM c.db.evolved$properties WHERE `key` = 'a' AND `value` = '1'", 1),
            ("SELECT SUM(record_count) AS n FROM c.db.evolved$partitions", sum(
                r["record_count"] for r in
                catalog.load_table("db.evolved").inspect.partitions().to_pylist())),
            ("SELECT COUNT(*) AS n FROM ICEBERG_TABLE('" + folder.file("warehouse/db/evolved") +
             "', 'snapshots')", len(catalog.load_table("db.evolved").snapshots()))):
        found = ours(folder, text)
        checks.ok(text, found == [json.dumps({"n": expected}, separators=(",", ":"))], found)
    for text, expected in (
            ("SELECT * FROM c.db.evolved$snapshotz", "did you mean 'evolved$snapshots'?"),
            ("SELECT * FROM c.db.nowhere$snapshots", "does not exist"),
            ("INSERT INTO c.db.evolved$refs SELECT * FROM c.db.evolved$refs", "can be read, not written to"),
            ("SELECT * FROM c.db.evolved$files /*+ OPTIONS('start-snapshot-id'='1', 'end-snapshot-id'='2') */",
             "snapshot"),
            ("SELECT * FROM ICEBERG_TABLE('" + folder.file("warehouse/db/evolved") + "', 'fils')",
             "did you mean 'files'?")):
        found = ours(folder, text)
        checks.ok(f"refused: {text}", isinstance(found, str) and expected in found, found)


# --- Spark -----------------------------------------------------------------------------------------

SPARK_TABLES = """
CREATE TABLE py.db.mor (id BIGINT, k STRING, d DATE) USING iceberg PARTITIONED BY (k)
  TBLPROPERTIES ('format-version'='2', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read');
INSERT INTO py.db.mor VALUES (1, 'a', DATE '2024-01-01'), (2, 'a', NULL), (3, 'b', DATE '2024-03-01');
INSERT INTO py.db.mor VALUES (4, 'a', DATE '2024-01-02'), (5, NULL, DATE '2024-05-01');
DELETE FROM py.db.mor WHERE id = 2;
ALTER TABLE py.db.mor CREATE BRANCH side RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS;
ALTER TABLE py.db.mor CREATE TAG old RETAIN 30 DAYS;
ALTER TABLE py.db.mor ADD PARTITION FIELD bucket(4, id);
INSERT INTO py.db.mor VALUES (6, 'c', DATE '2024-01-02');
ALTER TABLE py.db.mor DROP PARTITION FIELD k;
INSERT INTO py.db.mor VALUES (7, 'c', DATE '2024-01-02');
CREATE TABLE py.db.dv (id BIGINT, s STRING) USING iceberg
  TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read');
INSERT INTO py.db.dv SELECT id, CAST(id AS STRING) FROM range(1, 20);
DELETE FROM py.db.dv WHERE id = 7;
DELETE FROM py.db.dv WHERE id = 11;
CREATE TABLE py.db.v1 (id BIGINT, k INT) USING iceberg PARTITIONED BY (k) TBLPROPERTIES ('format-version'='1');
INSERT INTO py.db.v1 VALUES (1, 1), (2, 2);
ALTER TABLE py.db.v1 DROP PARTITION FIELD k;
INSERT INTO py.db.v1 VALUES (3, 3);
"""


def against_spark(checks, folder):
    session = judge.spark_session([f"py=jdbc:{folder.file('py.db')},file://{folder.file('warehouse')}"])
    for text in judge.statements(SPARK_TABLES):
        session.sql(text)
    for name in ("evolved", "empty", "mor", "dv", "v1"):
        for kind in [*KINDS, "all_entries", "position_deletes"]:
            frame = session.sql(f"SELECT * FROM py.db.`{name}`.{kind}")
            theirs = sorted(judge.spark_rows(frame))
            found = ours(folder, f"SELECT * FROM c.db.{name}${kind}")
            good = found == theirs
            checks.ok(f"spark {name}${kind}: {len(theirs)} rows", good,
                      found if isinstance(found, str) else difference(found, theirs))
            columns(checks, folder, f"{name}${kind}", frame)
    session.stop()


def columns(checks, folder, name, frame):
    """Names and nullability as Spark has them."""
    code, out, err = sql(folder.path, attach(folder), f"DESCRIBE c.db.{name}",
                         options=["--format", "tsv"])
    found = [line.split("\t")[0] for line in out.splitlines()[1:]]
    checks.ok(f"spark {name}: columns", found == [f.name for f in frame.schema.fields], found or err)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--spark", action="store_true")
    p.add_argument("--keep")
    a = p.parse_args()
    checks = Checks()
    with Folder(a.keep) as folder:
        catalog = make_pyiceberg(folder)
        for name in ("evolved", "empty", "odd$name"):
            against_pyiceberg(checks, folder, catalog, name)
        spellings(checks, folder, catalog)
        if a.spark:
            against_spark(checks, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
