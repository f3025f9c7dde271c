#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What SQL writes into Iceberg tables: every format version, v3's types and defaults, row lineage, and every
table property, read by PyIceberg, DuckDB, pyarrow and fastavro, and checked against the spec.

  iceberg_write_test.py [--spark] [--only NAME] [--keep DIR]

With --spark, Spark reads what they cannot (Avro data files, v3), and tables that Spark made are appended to.
The last line is "N passed, N failed".
"""
import argparse
import glob
import gzip
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from harness import Checks, Folder, sql  # noqa: E402

if __name__ == "__main__":
    if "--spark" in sys.argv:
        subprocess.run([os.path.join(harness.PEERS, "lake", "install.sh"), "spark"], check=True)
    harness.own_python(__file__)
import avro_data  # noqa: E402
import canon  # noqa: E402
import judge  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import verify  # noqa: E402
from made_tables import array, field, make, mapping, part, struct  # noqa: E402

POINT = "0101000000000000000000f03f0000000000000040"


class World:
    """A Hadoop warehouse, as catalog `c` of each statement."""

    def __init__(self, checks, folder):
        self.checks, self.folder = checks, folder
        self.warehouse = folder.file("wh")
        self.duck = judge.duck()

    def make(self, name, version, fields, spec=(), properties=None, **more):
        return make(self.warehouse, "db", name, version, fields, spec, properties, **more)

    def path(self, name):
        return os.path.join(self.warehouse, "db", name)

    def run(self, *statements):
        """(exit code, standard output as NDJSON lines, standard error)"""
        use = f"CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', " \
              f"'warehouse' = 'file://{self.warehouse}')"
        return sql(self.folder.path, use, "USE CATALOG c", "CREATE DATABASE IF NOT EXISTS db", "USE db",
                   *statements, options=["--format", "canonical"])

    def done(self, what, *statements):
        code, out, err = self.run(*statements)
        self.checks.ok(what, code == 0, err[-1500:])
        return out.splitlines()

    def refused(self, what, words, *statements):
        code, _, err = self.run(*statements)
        self.checks.ok(what, code != 0 and all(w in err for w in words), err[-800:] or "nothing is refused")

    def metadata(self, name):
        path = judge.newest_metadata(self.path(name))
        with open(path, "rb") as file:
            raw = file.read()
        return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)

    def data_files(self, name):
        """The data_file records of the current snapshot, with raw Avro values."""
        metadata = self.metadata(name)
        current = next(s for s in metadata["snapshots"]
                       if s["snapshot-id"] == metadata["current-snapshot-id"])
        return [e["data_file"] for m in avro_data.records(current["manifest-list"])[0]
                for e in avro_data.records(m["manifest_path"])[0] if e["status"] != 2]

    def verify(self, what, name):
        report = verify.Checker(judge.newest_metadata(self.path(name)), maps=[], orphans=True).run()
        found = [f for f in report.findings if f["severity"] in ("ERROR", "WARN")]
        self.checks.ok(f"{what}: verify", not found, found[:3])

    def by_pyiceberg(self, name):
        from pyiceberg.table import StaticTable
        table = StaticTable.from_metadata(judge.newest_metadata(self.path(name)))
        schema = json.loads(table.scan().projection().model_dump_json())
        return canon.rows(table.scan().to_arrow(), canon.hint_of(dict(schema, type="struct")))

    def by_pyarrow(self, name):
        """The rows of the Parquet files themselves."""
        schema = self.metadata(name)["schemas"][-1]
        tables = [pq.ParquetFile(avro_data.local(f["file_path"])).read() for f in self.data_files(name)]
        return canon.rows(pa.concat_tables(tables), canon.hint_of(dict(schema, type="struct")))

    def by_duckdb(self, name, columns="*"):
        path = judge.newest_metadata(self.path(name))
        return sorted(canon.rows(self.duck.execute(
            f"SELECT {columns} FROM iceberg_scan('{path}')").to_arrow_table(), {}))

    def same(self, what, got, expected):
        self.checks.ok(what, sorted(got) == sorted(expected),
                       f"got {sorted(got)[:3]}, expected {sorted(expected)[:3]}")


def line(**values):
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


# --- formats 1 to 3 ----------------------------------------------------------------------------

PLAIN = [field(1, "id", "long", True), field(2, "s", "string"), field(3, "d", "date"),
         field(4, "l", array(5, "int")), field(6, "m", mapping(7, 8, "string", "long")),
         field(9, "st", struct(field(10, "x", "double"), field(11, "y", "decimal(20, 4)")))]
PLAIN_ROWS = [line(id=1, s="a", d="2024-01-31", l=[1, None], m=[["k", 5]], st={"x": 1.5, "y": "2.5000"}),
              line(id=2, s=None, d=None, l=None, m=None, st=None)]
PLAIN_INSERT = ("INSERT INTO {0} SELECT 1, 'a', DATE '2024-01-31', ARRAY[1, CAST(NULL AS INT)], "
                "MAP['k', CAST(5 AS BIGINT)], CAST(ROW(1.5e0, 2.5) AS ROW<x DOUBLE, y DECIMAL(20, 4)>)",
                "INSERT INTO {0} (id) VALUES (2)")


def versions(world):
    """Two appends into a table of each version and format; in v3 rows have numbers."""
    for version in (1, 2, 3):
        for format_ in ("parquet", "avro"):
            name = f"plain_{version}_{format_}"
            world.make(name, version, PLAIN, [part(1000, 3, "month", "d_month")],
                       {"write.format.default": format_})
            world.done(name, *(s.format(name) for s in PLAIN_INSERT))
            world.same(f"{name}: we", world.done(f"{name}: read", f"SELECT * FROM {name}"), PLAIN_ROWS)
            if format_ == "parquet":
                world.same(f"{name}: duckdb", world.by_duckdb(name), PLAIN_ROWS)
                world.same(f"{name}: pyiceberg", world.by_pyiceberg(name), PLAIN_ROWS)
            else:
                world.same(f"{name}: fastavro",
                           avro_data.rows(judge.newest_metadata(world.path(name)), "deflate"), PLAIN_ROWS)
            world.verify(name, name)
            if version == 3:
                lineage(world, name)


def lineage(world, name):
    metadata = world.metadata(name)
    snapshots = metadata["snapshots"]
    world.checks.ok(f"{name}: row lineage", metadata["next-row-id"] == 2 and
                    [(s["first-row-id"], s["added-rows"]) for s in snapshots] == [(0, 1), (1, 1)], snapshots)
    found = world.done(f"{name}: row ids",
                       f"SELECT id, _row_id, _last_updated_sequence_number FROM {name} ORDER BY id")
    world.same(f"{name}: row ids are those of the order of commits", found,
               [line(id=i + 1, _row_id=i, _last_updated_sequence_number=i + 1) for i in (0, 1)])


# --- types of v3 -------------------------------------------------------------------------------

NEW = [field(1, "id", "long", True), field(2, "tn", "timestamp_ns"), field(3, "zn", "timestamptz_ns"),
       field(4, "v", "variant"), field(5, "un", "unknown"), field(6, "ge", "geometry"),
       field(7, "gg", "geography(srid:4326, karney)"),
       field(8, "st", struct(field(9, "a", "int"), field(10, "u", "unknown"))),
       field(11, "lg", array(12, "geometry(srid:3857)"))]
NEW_INSERT = (
    "INSERT INTO {0} (id, tn, zn, v, ge, gg, lg) SELECT 1, TIMESTAMP '2024-01-02 03:04:05.123456789', "
    "CAST(TIMESTAMP '1969-12-31 23:59:59.999999999' AS TIMESTAMP_LTZ(9)), PARSE_JSON('{{\"a\":[1,null]}}'), "
    f"x'{POINT}', x'{POINT}', ARRAY[CAST(x'{POINT}' AS BYTES)]",
    "INSERT INTO {0} (id) VALUES (2)")


def types(world):
    stamp, zone = "2024-01-02T03:04:05.123456789", "1969-12-31T23:59:59.999999999+00:00"
    for format_ in ("parquet", "avro"):
        name = f"new_{format_}"
        world.make(name, 3, NEW, [part(1000, 2, "day", "tn_day"), part(1001, 3, "bucket[4]", "zn_bucket")],
                   {"write.format.default": format_})
        world.done(name, "SET 'table.local-time-zone' = 'UTC'", *(s.format(name) for s in NEW_INSERT))
        found = [json.loads(r) for r in world.done(f"{name}: read", f"SELECT * FROM {name} ORDER BY id")]
        world.checks.ok(f"{name}: we", len(found) == 2 and found[0]["tn"] == stamp and
                        found[0]["zn"] == zone and found[0]["ge"] == POINT and found[0]["gg"] == POINT and
                        found[0]["lg"] == [POINT] and found[0]["un"] is None and found[1]["st"] is None,
                        found)
        world.verify(name, name)
        for words, value in ((("'ge'", "no shape"), "id, ge) VALUES (3, x'0102')"),
                             (("'lg'", "no shape"), "id, lg) SELECT 3, ARRAY[CAST(x'' AS BYTES)]")):
            world.refused(f"{name}: what is no shape", words, f"INSERT INTO {name} ({value}")
    # DuckDB has no timestamptz_ns; PyIceberg reads what Arrow makes of variants and shapes.
    world.make("new_duck", 3, [f for f in NEW if f["name"] in ("id", "tn", "v")])
    world.done("new_duck", "INSERT INTO new_duck SELECT 1, TIMESTAMP '2024-01-02 03:04:05.123456789', "
               "PARSE_JSON('{\"a\":[1,null]}')")
    world.same("new_duck: duckdb", world.by_duckdb("new_duck", "id, tn, CAST(v AS VARCHAR) v"),
               [line(id=1, tn=stamp, v="{'a': [1, NULL]}")])
    file = next(f for f in world.data_files("new_parquet") if f["partition"]["tn_day"])
    parquet = pq.ParquetFile(avro_data.local(file["file_path"]))
    names = [parquet.schema.column(i).path for i in range(len(parquet.schema))]
    world.checks.ok("new_parquet: no column of type unknown",
                    not any(n in ("un", "st.u") for n in names) and "st.a" in names, names)
    shown = str(parquet.schema)
    world.checks.ok("new_parquet: shapes are annotated", "Geometry(crs=)" in shown and
                    "Geography(crs=srid:4326, algorithm=karney)" in shown and
                    "Geometry(crs=srid:3857)" in shown, shown)
    metrics = {e["key"] for e in file["lower_bounds"]}
    world.checks.ok("new_parquet: shapes have counts and no bounds", not metrics & {6, 7, 12} and
                    {6, 7} <= {e["key"] for e in file["value_counts"]}, file)
    world.checks.ok("new_parquet: a variant has counts", by_key(file["value_counts"]).get(4) == 1 and
                    by_key(file["null_value_counts"]).get(4) == 0 and 4 not in metrics and
                    4 not in by_key(file["column_sizes"]), file)
    for kind, version in (("TIMESTAMP(9)", 2), ("TIMESTAMP_LTZ(7)", 1), ("VARIANT", 2)):
        world.refused(f"{kind} in v{version}", ("format version 3",),
                      f"CREATE TABLE old_types (a {kind}) WITH ('format-version' = '{version}')")
    world.refused("INTERVAL", ("INTERVAL",), "CREATE TABLE interval_t (a INTERVAL DAY TO SECOND) "
                  "WITH ('format-version' = '3')")


# --- defaults ----------------------------------------------------------------------------------

def defaults(world):
    fields = [
        field(1, "id", "long", True),
        field(2, "s", "string", **{"initial-default": "old", "write-default": "new"}),
        field(3, "n", "int", True, **{"initial-default": 1, "write-default": 2}),
        field(4, "d", "decimal(9, 2)", **{"write-default": "14.20"}),
        field(5, "z", "timestamptz", **{"write-default": "2024-01-01T00:00:00.000000+00:00"}),
        field(6, "u", "uuid", **{"write-default": "f79c3e09-677c-4bbd-a479-3f349cb785e7"}),
        field(7, "b", "binary", **{"write-default": "00ff"}),
        field(8, "st", struct(field(9, "x", "int", **{"write-default": 7, "initial-default": 6}),
                              field(10, "y", "int")), **{"write-default": {}}),
        field(11, "plain", "int")]
    given = {"s": "new", "n": 2, "d": "14.20", "z": "2024-01-01T00:00:00.000000+00:00",
             "u": "f79c3e09-677c-4bbd-a479-3f349cb785e7", "b": "00ff", "st": {"x": 7, "y": None}}
    expected = [line(id=1, **given, plain=None), line(id=2, **dict(given, s="given"), plain=1),
                line(id=3, **dict(given, n=3, s=None), plain=None)]
    for format_ in ("parquet", "avro", "flat", "flat_avro"):
        name = f"defaults_{format_}"
        if format_ == "flat":  # PyIceberg and Spark know no defaults of structs
            fields = [f for f in fields if f["name"] != "st"]
            expected = [line(**{k: v for k, v in json.loads(r).items() if k != "st"}) for r in expected]
        world.make(name, 3, fields, [part(1000, 3, "identity", "n")],
                   {"write.format.default": "avro" if format_.endswith("avro") else "parquet"})
        world.done(name, f"INSERT INTO {name} (id) VALUES (1)",
                   f"INSERT INTO {name} (plain, id, s) VALUES (1, 2, 'given')",
                   f"INSERT INTO {name} (id, n, s) VALUES (3, 3, CAST(NULL AS STRING))")
        world.same(f"{name}: we", world.done(f"{name}: read", f"SELECT * FROM {name}"), expected)
        if format_ == "flat":
            world.same(f"{name}: pyiceberg", world.by_pyiceberg(name), expected)
        elif format_ == "parquet":
            world.same(f"{name}: pyarrow", world.by_pyarrow(name), expected)
        else:
            world.same(f"{name}: fastavro", avro_data.rows(judge.newest_metadata(world.path(name))),
                       expected)
        world.refused(f"{name}: NULL is no default", ("'n'", "NOT NULL"),
                      f"INSERT INTO {name} (id, n) VALUES (4, CAST(NULL AS INT))")
        world.refused(f"{name}: what has none must be given", ("'id'", "NOT NULL"),
                      f"INSERT INTO {name} (n) VALUES (4)")
        world.verify(name, name)


# --- tables of PyIceberg that have changed ------------------------------------------------------

def changed(world):
    """Columns dropped, renamed, added and moved, identifier fields, old specs, a sort order."""
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
    catalog = SqlCatalog("py", uri="sqlite:///" + world.folder.file("py.db"),
                         warehouse="file://" + world.folder.file("pywh"))
    catalog.create_namespace("db")
    rows = pa.table({"id": pa.array([1], pa.int64()), "gone": ["g"], "old": ["x"],
                     "day": pa.array([0], pa.date32())},
                    schema=pa.schema([pa.field("id", pa.int64(), nullable=False), ("gone", pa.string()),
                                      ("old", pa.string()), ("day", pa.date32())]))
    table = catalog.create_table("db.changed", schema=rows.schema)
    table.append(rows)
    with table.update_schema() as update:
        update.delete_column("gone").rename_column("old", "renamed")
        update.set_identifier_fields("id")
    with table.update_schema() as update:
        from pyiceberg.types import IntegerType
        update.add_column("added", IntegerType()).move_first("added")
    with table.update_spec() as update:
        update.add_field("day", DayTransform(), "by_day")
    table.append(pa.table({"added": pa.array([2], pa.int32()), "id": pa.array([2], pa.int64()),
                           "renamed": ["y"], "day": pa.array([1], pa.date32())},
                          schema=pa.schema([("added", pa.int32()), pa.field("id", pa.int64(), nullable=False),
                                            ("renamed", pa.string()), ("day", pa.date32())])))
    with table.update_spec() as update:
        update.remove_field("by_day")
        update.add_field("id", BucketTransform(4), "by_id")
        update.add_field("renamed", IdentityTransform(), "by_name")
    with table.update_sort_order() as update:
        update.asc("day", IdentityTransform())
    use = ["CREATE CATALOG p WITH ('type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = "
           f"'jdbc:sqlite:{world.folder.file('py.db')}', 'warehouse' = 'file://{world.folder.file('pywh')}', "
           "'catalog-name' = 'py')"]
    code, _, err = sql(world.folder.path, *use,
                       "INSERT INTO p.db.changed VALUES (3, 3, 'z', DATE '1970-01-03'), "
                       "(4, 4, CAST(NULL AS STRING), CAST(NULL AS DATE))")
    world.checks.ok("changed: append", code == 0, err)
    table = catalog.load_table("db.changed")
    found = sorted(((r["added"], r["id"], r["renamed"], str(r["day"])) for r in
                    table.scan().to_arrow().to_pylist()), key=lambda r: r[1])
    expected = [(None, 1, "x", "1970-01-01"), (2, 2, "y", "1970-01-02"), (3, 3, "z", "1970-01-03"),
                (4, 4, None, "None")]
    world.checks.ok("changed: pyiceberg", found == expected, found)
    duck = world.duck.execute(f"SELECT added, id, renamed, day FROM iceberg_scan('{table.metadata_location}') "
                              "ORDER BY id").fetchall()
    world.checks.ok("changed: duckdb", [(a, i, r, str(d)) for a, i, r, d in duck] == expected, duck)
    code, _, err = sql(world.folder.path, *use, "INSERT INTO p.db.changed (id) VALUES (CAST(NULL AS BIGINT))")
    world.checks.ok("changed: a key is not null", code != 0 and "'id'" in err, err)
    report = verify.Checker(judge.newest_metadata(os.path.join(world.folder.file("pywh"), "db", "changed")),
                            maps=[], orphans=False).run()
    found = [f for f in report.findings if f["severity"] == "ERROR"]
    world.checks.ok("changed: verify", not found, found[:3])


def branches(world):
    """Rows go into the branch that is named, and into no tag."""
    from pyiceberg.table import StaticTable
    world.make("forked", 3, [field(1, "id", "long")])
    world.done("forked: first", "INSERT INTO forked VALUES (1)")
    metadata = world.metadata("forked")
    for kind, name in (("branch", "side"), ("tag", "mark")):
        metadata["refs"][name] = {"snapshot-id": metadata["current-snapshot-id"], "type": kind}
    with open(judge.newest_metadata(world.path("forked")), "w", encoding="utf-8") as out:
        json.dump(metadata, out)
    world.done("forked: branches", "INSERT INTO forked.branch_side VALUES (2)", "INSERT INTO forked VALUES (3)",
               "INSERT INTO forked /*+ OPTIONS('branch' = 'side') */ VALUES (4)")
    world.same("forked: main", world.done("forked: read main", "SELECT * FROM forked"), [line(id=1), line(id=3)])
    expected = [line(id=i) for i in (1, 2, 4)]
    world.same("forked: side", world.done("forked: read side", "SELECT * FROM forked.branch_side"), expected)
    table = StaticTable.from_metadata(judge.newest_metadata(world.path("forked")))
    found = table.scan(snapshot_id=table.snapshot_by_name("side").snapshot_id).to_arrow().to_pylist()
    world.same("forked: pyiceberg", [line(**r) for r in found], expected)
    metadata = world.metadata("forked")
    ranges = [(s["first-row-id"], s["added-rows"]) for s in metadata["snapshots"]]
    world.checks.ok("forked: row ids of all branches", ranges == [(0, 1), (1, 1), (2, 1), (3, 1)] and
                    metadata["next-row-id"] == 4, ranges)
    world.verify("forked", "forked")
    for target, words in (("forked.tag_mark", "is a tag"), ("forked.branch_none", "no branch 'none'"),
                          ("forked.branch_mark", "no branch 'mark'"),
                          ("forked.branch_side /*+ OPTIONS('branch' = 'main') */", "one branch"),
                          ("forked /*+ OPTIONS('write-format' = 'avro') */", "not supported as a hint")):
        world.refused(f"INSERT INTO {target}", (words,), f"INSERT INTO {target} VALUES (5)")


# --- properties --------------------------------------------------------------------------------

def page_type(path):
    """The type of the first data page: the first field of its header is (i32 1) in thrift's compact form."""
    column = pq.ParquetFile(path).metadata.row_group(0).column(0)
    with open(path, "rb") as file:
        file.seek(column.data_page_offset)
        head = file.read(2)
    return {0: "v1", 6: "v2"}.get(head[1]) if head[0] == 0x15 else None


def by_key(pairs):
    return {e["key"]: e["value"] for e in pairs or []}


def create(world, name, columns, *properties, partition=""):
    shown = ", ".join(f"'{k}' = '{v}'" for k, v in properties)
    world.done(f"{name}: create", f"CREATE TABLE {name} ({columns}) {partition}" + f" WITH ({shown})" * bool(shown))


def many(name, count=3000):
    """Rows of a table of (a BIGINT, s STRING): s has few distinct values, a is unique."""
    return (f"CREATE TEMPORARY TABLE made (a BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '{count}', "
            f"'fields.a.kind' = 'sequence', 'fields.a.start' = '1', 'fields.a.end' = '{count}')",
            f"INSERT INTO {name} SELECT a, CONCAT('text ', CAST(a % 7 AS STRING)) FROM made")


def parquet_properties(world):
    create(world, "pages", "a BIGINT, s STRING", ("write.parquet.page-version", "v2"),
           ("write.parquet.row-group-size-bytes", "4000"),
           ("write.parquet.stats-enabled.column.a", "false"),
           ("write.parquet.dict-encoding-enabled.column.s", "false"),
           ("write.parquet.compression-codec", "snappy"))
    world.done("pages: fill", *many("pages"))
    files = world.data_files("pages")
    path = avro_data.local(files[0]["file_path"])
    meta = pq.ParquetFile(path).metadata
    a, s = meta.row_group(0).column(0), meta.row_group(0).column(1)
    world.checks.ok("page-version v2", page_type(path) == "v2", page_type(path))
    world.checks.ok("row-group-size-bytes", meta.num_row_groups > 2, meta.num_row_groups)
    world.checks.ok("stats-enabled false: no statistics", not a.is_stats_set and s.is_stats_set and
                    not a.has_column_index and s.has_column_index, (a, s))
    world.checks.ok("stats-enabled false: no metrics", 1 not in by_key(files[0]["value_counts"]) and
                    2 in by_key(files[0]["lower_bounds"]) and 1 in by_key(files[0]["column_sizes"]), files[0])
    world.checks.ok("dict-encoding-enabled false", not s.has_dictionary_page, s)
    world.checks.ok("compression-codec snappy", s.compression == "SNAPPY", s.compression)
    world.same("pages: duckdb", world.by_duckdb("pages", "COUNT(*) n, SUM(a) a, COUNT(DISTINCT s) s"),
               [line(n=3000, a=json.loads(line(a="4501500"))["a"], s=7)])
    world.verify("pages", "pages")
    packed = {}
    for name, track in (("tracked", "true"), ("untracked", "false")):
        create(world, name, "a BIGINT, s STRING", ("write.parquet.row-group-size-bytes", "8000"),
               ("write.parquet.dict-encoding-enabled.column.s", "false"),
               ("write.parquet.row-group-size-track-uncompressed", track))
        world.done(f"{name}: fill", *many(name, 20000))
        file = pq.ParquetFile(avro_data.local(world.data_files(name)[0]["file_path"]))
        packed[name] = file.metadata.num_row_groups
    world.checks.ok("row-group-size-track-uncompressed", packed["tracked"] > packed["untracked"], packed)
    sizes = {}
    for name, more in (("bloom", ()), ("bloom_few", (("write.parquet.bloom-filter-ndv.column.a", "10"),)),
                       ("bloom_small", (("write.parquet.bloom-filter-max-bytes", "64"),)),
                       ("bloom_rough", (("write.parquet.bloom-filter-fpp.column.a", "0.5"),))):
        create(world, name, "a BIGINT, s STRING", ("write.parquet.bloom-filter-enabled.column.a", "true"), *more)
        world.done(f"{name}: fill", *many(name))
        found = world.duck.execute("SELECT bloom_filter_length FROM parquet_metadata(?) WHERE column_id = 0",
                                   [avro_data.local(world.data_files(name)[0]["file_path"])]).fetchall()
        sizes[name] = found[0][0] or 0
    world.checks.ok("bloom filters", 64 < sizes["bloom_few"] + 64 and sizes["bloom_few"] < sizes["bloom"] and
                    0 < sizes["bloom_small"] < 128 and sizes["bloom_rough"] < sizes["bloom"], sizes)


def metrics_properties(world):
    create(world, "metrics", "a BIGINT, s STRING, n INT, f STRING, r ROW<x INT, y STRING>, z INT",
           ("write.metadata.metrics.default", "counts"), ("write.metadata.metrics.column.s", "truncate(3)"),
           ("write.metadata.metrics.column.n", "none"), ("write.metadata.metrics.column.f", "full"),
           ("write.metadata.metrics.column.r.y", "truncate(1)"))
    world.done("metrics: fill", "INSERT INTO metrics SELECT 1, 'abcdef', 2, 'abcdefghijklmnopqrstuvwxyz', "
               "ROW(5, 'yy'), 3")
    ids = {f["name"]: f["id"] for f in world.metadata("metrics")["schemas"][0]["fields"]}
    row = next(f for f in world.metadata("metrics")["schemas"][0]["fields"] if f["name"] == "r")
    y = next(f["id"] for f in row["type"]["fields"] if f["name"] == "y")
    file = world.data_files("metrics")[0]
    counts, lower, upper = (by_key(file[k]) for k in ("value_counts", "lower_bounds", "upper_bounds"))
    world.checks.ok("metrics modes", ids["n"] not in counts and ids["a"] in counts and ids["a"] not in lower and
                    lower[ids["s"]] == b"abc" and upper[ids["s"]] == b"abd" and
                    lower[ids["f"]] == upper[ids["f"]] == b"abcdefghijklmnopqrstuvwxyz" and
                    lower[y] == b"y" and upper[y] == b"z", (ids, counts, lower, upper))
    # The first three leaves: those of the table itself come before those of structs.
    fields = [field(1, "st", struct(field(5, "x", "int"), field(6, "y", "int"))), field(2, "a", "int"),
              field(3, "b", "int"), field(4, "c", "int")]
    for name, limit, expected in (("few", "2", {2, 3}), ("four", "4", {2, 3, 4, 5}), ("none", "0", set())):
        world.make(f"inferred_{name}", 2, fields,
                   properties={"write.metadata.metrics.max-inferred-column-defaults": limit})
        world.done(f"inferred_{name}", f"INSERT INTO inferred_{name} SELECT ROW(1, 2), 3, 4, 5")
        file = world.data_files(f"inferred_{name}")[0]
        world.checks.ok(f"max-inferred-column-defaults {limit}",
                        set(by_key(file["lower_bounds"])) == expected, by_key(file["lower_bounds"]))
    order = [{"order-id": 0, "fields": []},
             {"order-id": 1, "fields": [{"transform": "bucket[4]", "source-id": 2, "direction": "asc",
                                         "null-order": "nulls-first"},
                                        {"transform": "identity", "source-id": 3, "direction": "desc",
                                         "null-order": "nulls-last"}]}]
    world.make("sorted", 2, fields, properties={"write.metadata.metrics.default": "none"},
               **{"sort-orders": order, "default-sort-order-id": 1})
    world.done("sorted", "INSERT INTO sorted SELECT ROW(1, 2), 3, 4, 5")
    file = world.data_files("sorted")[0]
    world.checks.ok("columns that a table is sorted by have bounds", set(by_key(file["lower_bounds"])) == {3} and
                    file["sort_order_id"] in (0, None), file)
    world.verify("sorted", "sorted")


def murmur3(text):
    data, hash_ = text.encode(), 0
    blocks = len(data) // 4 * 4
    mask = 0xffffffff
    for at in range(0, blocks + 1, 4):
        k = int.from_bytes(data[at:at + 4], "little")
        k = (k * 0xcc9e2d51 & mask)
        k = ((k << 15 | k >> 17) & mask) * 0x1b873593 & mask
        hash_ ^= k
        if at < blocks:
            hash_ = ((hash_ << 13 | hash_ >> 19) & mask) * 5 + 0xe6546b64 & mask
    hash_ ^= len(data)
    for shift, factor in ((16, 0x85ebca6b), (13, 0xc2b2ae35), (16, 1)):
        hash_ = ((hash_ ^ hash_ >> shift) * factor) & mask
    return hash_


def directories(name):
    bits = f"{murmur3(name) & 0xfffff:020b}"
    return "/".join((bits[:4], bits[4:8], bits[8:12], bits[12:]))


def location_properties(world):
    on = ("write.object-storage.enabled", "true")
    elsewhere = "file://" + world.folder.file("elsewhere")
    for name, more, pattern in (
            ("objects", (), r"{data}/{hash}/(p=x/[^/]+)"),
            ("objects_bare", (("write.object-storage.partitioned-paths", "false"),), r"{data}/{hash}-([^/]+)"),
            ("objects_away", (("write.data.path", elsewhere),), r"{away}/{hash}/db/objects_away/(p=x/[^/]+)"),
            ("data_away", (("write.data.path", elsewhere + "/d/"), ("write.object-storage.enabled", "false")),
             r"{away}/d/(p=x/[^/]+)")):
        create(world, name, "a BIGINT, p STRING", *([on] if name != "data_away" else []), *more,
               partition="PARTITIONED BY (p)")
        world.done(f"{name}: fill", f"INSERT INTO {name} VALUES (1, 'x')")
        path = world.data_files(name)[0]["file_path"]
        match = re.fullmatch(pattern.format(data=f"file://{world.path(name)}/data", away=elsewhere,
                                            hash="([01]{{4}}/[01]{{4}}/[01]{{4}}/[01]{{8}})".replace("{{", "{")
                                            .replace("}}", "}")), path)
        hashed = name != "data_away"
        world.checks.ok(name, match and (not hashed or match[1] == directories(match[2])), path)
        world.same(f"{name}: pyiceberg", world.by_pyiceberg(name), [line(a=1, p="x")])


def metadata_properties(world):
    create(world, "packed", "a BIGINT, p STRING", ("write.metadata.compression-codec", "gzip"),
           ("write.manifest.compression-codec", "uncompressed"), ("write.summary.partition-limit", "2"),
           partition="PARTITIONED BY (p)")
    world.done("packed: fill", "INSERT INTO packed VALUES (1, 'x'), (2, 'y'), (3, 'y')",
               "INSERT INTO packed VALUES (4, 'a'), (5, 'b'), (6, 'c')")
    names = sorted(os.path.basename(n) for n in glob.glob(world.path("packed") + "/metadata/v*.json"))
    world.checks.ok("metadata as gzip", names == [f"v{i}.gz.metadata.json" for i in (1, 2, 3)], names)
    expected = [line(a=i + 1, p=p) for i, p in enumerate("xyyabc")]
    world.same("packed: pyiceberg", world.by_pyiceberg("packed"), expected)
    world.same("packed: duckdb", world.by_duckdb("packed"), expected)
    world.same("packed: we", world.done("packed: read", "SELECT * FROM packed"), expected)
    first, second = (s["summary"] for s in world.metadata("packed")["snapshots"])
    world.checks.ok("partition summaries", first.get("partition-summaries-included") == "true" and
                    first["partitions.p=y"].startswith("added-data-files=1,added-records=2,added-files-size=") and
                    "partitions.p=x" in first, first)
    world.checks.ok("no partition summaries over the limit",
                    not any(k.startswith("partition") for k in second) and
                    second["changed-partition-count"] == "3", second)
    for codec, shown in (("zstd", "zstandard"), ("uncompressed", "null"), ("snappy", "snappy")):
        name = f"manifests_{codec}"
        create(world, name, "a BIGINT", ("write.manifest.compression-codec", codec))
        world.done(f"{name}: fill", f"INSERT INTO {name} VALUES (1)")
        manifest = glob.glob(world.path(name) + "/metadata/*-m0.avro")[0]
        found = avro_data.records(manifest)[1].metadata["avro.codec"]
        world.checks.ok(name, found == shown, found)
        world.same(f"{name}: we", world.done(f"{name}: read", f"SELECT * FROM {name}"), [line(a=1)])
        if codec != "snappy":  # which PyIceberg has not here
            world.same(f"{name}: pyiceberg", world.by_pyiceberg(name), [line(a=1)])
    world.verify("packed", "packed")
    world.done("packed: plain again", "ALTER TABLE packed SET ('write.metadata.compression-codec' = 'none')",
               "INSERT INTO packed VALUES (7, 'z')")
    names = sorted(os.path.basename(n) for n in glob.glob(world.path("packed") + "/metadata/v*.json"))
    world.checks.ok("metadata plain again", names[-2:] == ["v4.metadata.json", "v5.metadata.json"], names)
    world.same("packed: pyiceberg again", world.by_pyiceberg("packed"), expected + [line(a=7, p="z")])
    create(world, "levels", "a BIGINT", ("write.format.default", "avro"), ("write.avro.compression-codec", "gzip"),
           ("write.avro.compression-level", "0"))
    world.done("levels: fill", "INSERT INTO levels VALUES (1)")
    world.same("gzip of level 0 compresses nothing",
               avro_data.rows(judge.newest_metadata(world.path("levels")), "null"), [line(a=1)])


REFUSED = [
    ("write.format.default", "orc", "ORC"), ("write.format.default", "csv", "cannot be"),
    ("write.location-provider.impl", "com.example.Provider", "not supported"),
    ("write.object-storage.path", "file:///x", "write.data.path"),
    ("write.folder-storage.path", "file:///x", "write.data.path"),
    ("write.parquet.shred-variants", "true", "whole"), ("write.upsert.enabled", "true", "delete"),
    ("encryption.key-id", "k", "encrypted"), ("current-snapshot-id", "5", "by hand"),
    ("write.parquet.compression-level", "40", "a number"), ("write.avro.compression-level", "x", "a number"),
    ("write.parquet.compression-codec", "lzo", "one of zstd"), ("write.parquet.page-version", "v3", "v1|v2"),
    ("write.parquet.page-size-bytes", "0", "a number"), ("write.avro.compression-codec", "lz4", "gzip|zstd"),
    ("write.metadata.compression-codec", "zstd", "none|gzip"),
    ("write.metadata.metrics.default", "some", "truncate(n)"),
    ("write.metadata.metrics.column.nope", "full", "no column 'nope'"),
    ("write.parquet.bloom-filter-fpp.column.a", "1.5", "between 0 and 1"),
    ("write.parquet.dict-encoding-enabled.column.a", "maybe", "true or false"),
    ("commit.retry.num-retries", "-1", "a number"), ("gc.enabled", "perhaps", "true or false"),
    ("schema.name-mapping.default", "{", "JSON"),
    ("write.parquet.pagesize-bytes", "5", "did you mean 'write.parquet.page-size-bytes'"),
    ("format-version", "4", "1, 2 and 3"),
]
TOLD = ["write.spark.fanout.enabled", "write.distribution-mode", "write.wap.enabled", "write.orc.stripe-size-bytes",
        "write.delete.mode", "write.merge.isolation-level", "read.split.target-size",
        "write.parquet.bloom-filter-adaptive-enabled", "write.parquet.row-group-check-min-record-count"]


def refusals(world):
    for key, value, words in REFUSED:
        world.refused(f"CREATE with {key} = {value}", (f"'{key}'" if "mean" not in words else "mean", words),
                      f"CREATE TABLE refused (a BIGINT, v VARIANT) WITH ('{key}' = '{value}'" +
                      (", 'format-version' = '3')" if key != "format-version" else ")"))
    world.refused("CREATE with a level that its codec has not", ("'write.parquet.compression-level'", "0 to 12"),
                  "CREATE TABLE refused (a BIGINT) WITH ('write.parquet.compression-codec' = 'gzip', "
                  "'write.parquet.compression-level' = '20')")
    create(world, "altered", "a BIGINT")
    for key, value, words in REFUSED[:6] + REFUSED[11:14]:
        if "shred" not in key:  # no variant here
            world.refused(f"ALTER with {key} = {value}", (words,),
                          f"ALTER TABLE altered SET ('{key}' = '{value}')")
    for key in TOLD:
        code, _, err = world.run(f"ALTER TABLE altered SET ('{key}' = '1')")
        world.checks.ok(f"{key} is told", code == 0 and f"'{key}' changes nothing here" in err, err)
    code, _, err = world.run("ALTER TABLE altered SET ('owner' = 'me', 'write.target-file-size-bytes' = '1000')",
                             "INSERT INTO altered VALUES (1)")
    world.checks.ok("other names are free", code == 0 and "changes nothing" not in err, err)
    # In tables of others.
    for key, value, words in (("write.format.default", "orc", "ORC"), ("encryption.key-id", "k", "encrypted"),
                              ("write.location-provider.impl", "x", "not supported"),
                              ("write.parquet.compression-level", "high", "a number"),
                              ("write.parquet.compression-level", "15", "levels from 0 to 12")):
        name = f"theirs_{key.replace('.', '_').replace('-', '_')}_{value}"
        world.make(name, 2, PLAIN, properties={key: value, "write.something.new": "1",
                                               "write.parquet.compression-codec": "gzip"})
        world.refused(f"INSERT with {key} = {value}", (f"'{key}'", words), f"INSERT INTO {name} (id) VALUES (1)")


def properties(world):
    parquet_properties(world)
    metrics_properties(world)
    location_properties(world)
    metadata_properties(world)


STEPS = {"versions": versions, "types": types, "defaults": defaults, "changed": changed, "branches": branches,
         "properties": properties, "refusals": refusals}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    checks = Checks()
    with Folder(options.keep) as folder:
        world = World(checks, folder)
        for name, step in STEPS.items():
            if not options.only or name in options.only:
                step(world)
        if options.spark:
            import iceberg_write_spark
            iceberg_write_spark.check(world, PLAIN_ROWS)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
