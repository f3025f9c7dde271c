# SPDX-License-Identifier: Apache-2.0
"""What other writers than Spark leave behind, and deletes under every filter."""
import datetime
import decimal
import json
import os
import struct

import pyarrow as pa

import canon
from fixture import arrow_field, field, list_rows, table
from kinds_deletes import MOR, keys
from kinds_files import flat


def paged(f, start, count, **options):
    rows = flat([(start + i, f"k{i // 7:04d}", (i * 37 % count) / 8) for i in range(count)])
    return f.add_arrow(rows, row_group_size=count // 4, write_page_index=True, max_rows_per_page=25, **options)


@table("position deletes and equality deletes over files of many pages, under every filter")
def paged_deletes(f):
    f.create("id int, s string, d double", **MOR)
    paged(f, 0, 400)
    paged(f, 1000, 400, use_dictionary=False)
    f.sql("DELETE FROM {t} WHERE id % 10 = 3 OR id BETWEEN 100 AND 160 OR id = 1399")
    f.delete_equal(keys((2, "s", pa.string(), ["k0003", "k0050", None])), [2])
    paged(f, 2000, 100)
    f.delete_equal(keys((3, "d", pa.float64(), [1.25, 2.5])), [3])


@table("deletion vectors over files of many pages, under every filter, with the ids of rows", 3)
def paged_vectors(f):
    f.create("id int, s string, d double", **MOR)
    paged(f, 0, 400)
    paged(f, 1000, 400, compression="zstd")
    f.sql("DELETE FROM {t} WHERE id % 10 = 3 OR id BETWEEN 100 AND 160 OR id = 1399")
    f.sql("UPDATE {t} SET s = 'changed' WHERE id IN (5, 205, 1005)")
    f.sql("DELETE FROM {t} WHERE id = 205")


@table("values in other physical types than the table's: narrow and unsigned ints, half floats, milliseconds and nanoseconds, decimals of every width, texts as bytes")
def physical_others(f):
    f.java_create([field(i + 1, name, kind) for i, (name, kind) in enumerate(
        [("id", "int"), ("a", "int"), ("b", "long"), ("c", "int"), ("h", "float"), ("t", "timestamp"), ("u", "timestamptz"), ("m", "time"),
         ("d", "decimal(20,2)"), ("e", "decimal(5,2)"), ("s", "string"), ("x", "binary"), ("l", "long")])])
    types = [pa.int32(), pa.int8(), pa.uint32(), pa.uint16(), pa.float16(), pa.timestamp("ms"), pa.timestamp("ns", "UTC"), pa.time32("ms"),
             pa.decimal128(9, 2), pa.decimal128(5, 2), pa.binary(), pa.string(), pa.int16()]
    names = "id a b c h t u m d e s x l".split()
    columns = [[1, 2], [-128, None], [4294967295, 0], [65535, 1], [1.5, None], [-1, None], [-1, 1_000_000_007], [datetime.time(1, 2, 3, 4000), None],
               [decimal.Decimal("-1.25"), None], [decimal.Decimal("999.99"), decimal.Decimal("0.00")], ["é".encode(), b""], ["text", None], [-32768, 32767]]
    arrays = [pa.array(v, pa.float32()).cast(t) if t == pa.float16() else pa.array(v, t) for v, t in zip(columns, types)]
    rows = pa.table(arrays, schema=pa.schema([arrow_field(i + 1, n, t) for i, (n, t) in enumerate(zip(names, types))]))
    f.add_file(f.write(rows, store_decimal_as_integer=True), 2, metrics=False)
    f.given = ['{"id":1,"a":-128,"b":4294967295,"c":65535,"h":1.5,"t":"1969-12-31T23:59:59.999000","u":"1969-12-31T23:59:59.999999+00:00","m":"01:02:03.004000",'
               '"d":"-1.25","e":"999.99","s":"é","x":"74657874","l":-32768}',
               '{"id":2,"a":null,"b":0,"c":1,"h":null,"t":null,"u":"1970-01-01T00:00:01.000000+00:00","m":null,"d":null,"e":"0.00","s":"","x":null,"l":32767}']


@table("habits of DuckDB: records named data_file and partition, referenced_data_file on data files, bounds on vectors, deleted entries without a snapshot id", 3)
def duckdb_habits(f):
    f.create("id int, p string", "PARTITIONED BY (p)", **MOR)
    f.insert("(1, 'a'), (2, 'a'), (3, 'b'), (4, null)")
    f.insert("(5, 'a')")
    f.sql("DELETE FROM {t} WHERE id = 2")
    f.sql("DELETE FROM {t} WHERE id = 5")
    f.given = list_rows(f)

    def entry(record):
        file = record["data_file"]
        if file["content"] == 0:
            file["referenced_data_file"] = file["file_path"]
        if record["status"] == 2:
            record["snapshot_id"] = None
        for which in ("lower_bounds", "upper_bounds"):
            if file["content"] == 1:
                file[which] = [{"key": 2147483546, "value": file["referenced_data_file"].encode()}, {"key": 2147483545, "value": struct.pack("<q", 0)}]

    import fastavro
    for path in f.manifests():
        with open(path, "rb") as file:
            reader = fastavro.reader(file)
            pairs = dict(reader.metadata)
            records = [entry(r) or r for r in reader]
        text = pairs.pop("avro.schema").replace('"r2"', '"data_file"').replace('"r102"', '"partition"')
        with open(path, "wb") as file:
            fastavro.writer(file, json.loads(text), records, metadata=pairs)

    def listed(record):
        if record["content"] == 1:
            record["first_row_id"] = 7

    f.edit_avro("snap-*.avro", listed)


@table("partition summaries that are missing, of fewer fields than the spec has, with the bounds of an older type")
def summaries_odd(f):
    f.create("a int, b string, c date", "PARTITIONED BY (a, b, months(c))")
    f.insert("(1, 'x', date'2020-01-01'), (2, 'y', date'1969-01-01'), (null, null, null)")
    f.insert("(3, 'x', date'2020-02-01')")
    f.insert("(4, 'z', null)")
    f.alter("ALTER COLUMN a TYPE bigint")
    f.insert("(5000000000, 'zz', date'2021-01-01')")
    f.given = list_rows(f)
    turn = iter(range(100))

    def listed(record):
        kind = next(turn) % 3
        record["partitions"] = None if kind == 0 else record["partitions"][:1] if kind == 1 else record["partitions"]

    f.edit_avro("snap-*.avro", listed)


@table("snapshots without schema ids and figures in their summaries after the schema changed; a log that knows only some of them")
def no_schema_ids(f):
    f.create("id int, a int")
    f.insert("(1, 1)")
    f.alter("RENAME COLUMN a TO b", "ADD COLUMN c string")
    f.insert("(2, 2, 'c')")

    def change(metadata):
        for snapshot in metadata["snapshots"]:
            snapshot.pop("schema-id")
            snapshot["summary"] = {"operation": "append"}
        metadata["snapshot-log"] = metadata["snapshot-log"][1:]

    f.given = list_rows(f)
    f.edit_metadata(change, False)


@table("entries whose inherited values are written out, deleted and existing ones among them; manifests of one file each, in any order")
def entries_odd(f):
    f.create("id int, p string", "PARTITIONED BY (p)", commit_manifest__merge_enabled="false", **MOR)
    for i in range(4):
        f.insert(f"({i}, 'a'), ({i + 10}, 'b')")
    f.sql("DELETE FROM {t} WHERE id IN (1, 12)")
    f.sql("DELETE FROM {t} WHERE p = 'a' AND id < 2")
    f.given = list_rows(f)
    for snapshot in f.java().snapshots():
        path = snapshot.manifestListLocation().replace("file:", "")
        f.edit_avro(os.path.basename(path), lambda r: None)
    numbers = {}
    import fastavro
    for snapshot in f.java().snapshots():
        with open(snapshot.manifestListLocation().replace("file:", ""), "rb") as file:
            for record in fastavro.reader(file):
                numbers[os.path.basename(record["manifest_path"])] = record
    for name, record in numbers.items():
        def entry(e, record=record):
            if e["status"] == 1:
                e.update({"snapshot_id": record["added_snapshot_id"], "sequence_number": record["sequence_number"],
                          "file_sequence_number": record["sequence_number"]})
        f.edit_avro(name, entry)


def pyiceberg_table(f, schema, spec=None, properties=None):
    from pyiceberg.catalog.sql import SqlCatalog
    catalog = SqlCatalog("p", uri=f"sqlite:///{f.folder}.db", warehouse="file:///lake/odd")
    catalog.create_namespace_if_not_exists("odd")
    more = {"partition_spec": spec} if spec else {}
    return catalog.create_table(f"odd.{f.name}", schema, location=f"file://{f.folder}", properties=properties or {}, **more)


def take_pyiceberg(f, written):
    f.unread = written.metadata_location.replace("file://", "")
    hints = canon.hint_of(dict(json.loads(written.schema().model_dump_json()), type="struct"))
    f.given = canon.rows(written.scan().to_arrow(), hints)
    os.remove(f"{f.folder}.db")


@table("written by PyIceberg: every transform, uuid, fixed and time, overwrite by filter, delete by copy, upsert, evolution")
def pyiceberg_written(f):
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg import transforms as T
    from pyiceberg import types as Y

    kinds = [("id", Y.IntegerType()), ("s", Y.StringType()), ("d", Y.DateType()), ("ts", Y.TimestampType()), ("tz", Y.TimestamptzType()),
             ("t", Y.TimeType()), ("u", Y.UUIDType()), ("x", Y.FixedType(3)), ("b", Y.BinaryType()), ("n", Y.DecimalType(20, 3)), ("f", Y.DoubleType())]
    schema = Schema(*[Y.NestedField(i + 1, name, kind, required=name == "id") for i, (name, kind) in enumerate(kinds)], identifier_field_ids=[1])
    spec = PartitionSpec(PartitionField(2, 1000, T.TruncateTransform(1), "s_t"), PartitionField(3, 1001, T.YearTransform(), "d_y"),
                         PartitionField(4, 1002, T.HourTransform(), "ts_h"), PartitionField(5, 1003, T.DayTransform(), "tz_d"))
    written = pyiceberg_table(f, schema, spec)
    utc = datetime.timezone.utc
    uuid = bytes(range(16))
    rows = [{"id": 1, "s": "one", "d": datetime.date(1969, 12, 31), "ts": datetime.datetime(1969, 12, 31, 23, 59), "tz": datetime.datetime(2020, 1, 1, tzinfo=utc),
             "t": datetime.time(23, 59, 59, 999999), "u": uuid, "x": b"abc", "b": b"", "n": decimal.Decimal("1.250"), "f": float("nan")},
            {"id": 2, "s": "", "d": None, "ts": None, "tz": None, "t": None, "u": None, "x": None, "b": b"\xff", "n": None, "f": -0.0},
            {"id": 3, "s": None, "d": datetime.date(2020, 2, 29), "ts": datetime.datetime(2020, 1, 1), "tz": None, "t": datetime.time(0), "u": uuid, "x": b"\0\0\0",
             "b": None, "n": decimal.Decimal("-99999999999999999.999"), "f": float("inf")}]
    shape = written.schema().as_arrow()
    written.append(pa.Table.from_pylist(rows, schema=shape))
    written.append(pa.Table.from_pylist([dict(r, id=r["id"] + 10) for r in rows], schema=shape))
    written.delete("id = 12")
    written.delete("s = 'one' and id = 1")
    written.overwrite(pa.Table.from_pylist([dict(rows[2], id=23)], schema=shape), "id = 3")
    written.upsert(pa.Table.from_pylist([dict(rows[1], id=2, s="up"), dict(rows[0], id=31)], schema=shape), join_cols=["id"])
    with written.update_schema() as update:
        update.rename_column("s", "text").add_column("more", Y.LongType())
    with written.update_spec() as update:
        update.remove_field("ts_h").add_field("id", T.BucketTransform(4), "id_b")
    written.append(pa.Table.from_pylist([{**{k: v for k, v in rows[0].items() if k != "s"}, "id": 40, "text": "n", "more": 5}], schema=written.schema().as_arrow()))
    take_pyiceberg(f, written)


@table("written by PyIceberg in format v1, and files added to it that have no ids", 1)
def pyiceberg_v1(f):
    import pyarrow.parquet as pq
    shape = pa.schema([("id", pa.int32()), ("l", pa.list_(pa.struct([("a", pa.int32())]))), ("m", pa.map_(pa.string(), pa.float32())), ("s", pa.string())])
    written = pyiceberg_table(f, shape, None, {"format-version": "1"})
    written.append(pa.table([[1, 2], [[{"a": 1}, None], None], [[("k", 1.5)], []], ["x", None]], schema=shape))
    os.makedirs(f"{f.folder}/data", exist_ok=True)
    path = f"{f.folder}/data/added.parquet"
    pq.write_table(pa.table([[3], [[{"a": 3}]], [None], ["z"]], schema=shape), path)
    written.add_files([f"file://{path}"])
    written.delete("id = 2")
    take_pyiceberg(f, written)

