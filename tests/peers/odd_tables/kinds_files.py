# SPDX-License-Identifier: Apache-2.0
"""Data files as others write them: without field ids, with older layouts, wrong or missing statistics, no rows."""
import datetime
import json
import math
import struct

import pyarrow as pa

from fixture import arrow_field, list_rows, table

NESTED = "id int, l array<int>, ls array<struct<a: int, b: string>>, m map<string, struct<x: int>>, s struct<p: int, q: struct<r: string>>"
NESTED_ROWS = """
(1, array(1, null), array(named_struct('a', 1, 'b', 'x'), null), map('k', named_struct('x', 1), 'n', null), named_struct('p', 1, 'q', named_struct('r', 'deep'))),
(2, array(), null, map(), named_struct('p', null, 'q', null)), (3, null, array(), null, null)
"""


def import_files(f, name, columns, values, legacy=False, partition="", create=None):
    source = f"spark_catalog.default.{name}_source"
    f.sql(f"DROP TABLE IF EXISTS {source}")
    f.sql(f"SET spark.sql.parquet.writeLegacyFormat={str(legacy).lower()}")
    f.sql(f"CREATE TABLE {source} ({columns}) USING parquet {partition} LOCATION 'file:{{folder}}/data/{name}'")
    f.sql(f"INSERT INTO {source} VALUES {values}")
    f.sql("SET spark.sql.parquet.writeLegacyFormat=false")
    if create:
        f.create(create)
    f.sql(f"CALL {{sys}}.add_files(table => '{{n}}', source_table => '{source}')")
    f.sql(f"DROP TABLE {source}")


@table("files without ids: nested; then every column renamed, added, dropped, widened; name mapping as written")
def mapping_nested(f):
    import_files(f, "plain", NESTED, NESTED_ROWS, create=NESTED)
    f.alter("RENAME COLUMN id TO ident", "RENAME COLUMN ls.element.a TO aa", "ADD COLUMN ls.element.c int", "RENAME COLUMN m.value.x TO xx",
            "ALTER COLUMN m.value.xx TYPE bigint", "RENAME COLUMN s TO ss", "RENAME COLUMN ss.q.r TO rr", "ALTER COLUMN ident TYPE bigint",
            "DROP COLUMN ss.p", "ADD COLUMN ss.n string", "ADD COLUMN more string")
    f.sql("INSERT INTO {t} SELECT 9, array(9), array(named_struct('aa', 9, 'b', 'n', 'c', 9)), map('k', named_struct('xx', 9L)), "
          "named_struct('q', named_struct('rr', 'new'), 'n', 'text'), 'id'")


@table("files without ids in Hive's layout: bag/array, INT96, decimals in fixed bytes; lists of two levels")
def mapping_legacy(f):
    columns = NESTED + ", ts timestamp, d decimal(9,2), e decimal(18,4), dt date, by tinyint, sh smallint"
    rows = ",".join(r.strip()[:-1] + tail for r, tail in zip(
        ["(1, array(1, null), array(named_struct('a', 1, 'b', 'x'), null), map('k', named_struct('x', 1), 'n', null), named_struct('p', 1, 'q', named_struct('r', 'deep')))",
         "(2, array(), null, map(), named_struct('p', null, 'q', null))", "(3, null, array(), null, null)"],
        [", timestamp'1969-12-31 23:59:59.999999', 1.25, -1.2345, date'1600-01-01', -128, 32767)", ", timestamp'2020-01-01 00:00:00', -1.25, 1, null, 127, -1)",
         ", null, null, null, date'2020-01-01', null, null)"]))
    f.sql("SET spark.sql.parquet.outputTimestampType=INT96")
    import_files(f, "hive", columns, rows, legacy=True, create=columns.replace("tinyint", "int").replace("smallint", "int"))
    f.sql("SET spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS")


@table("pyarrow's names of list children (item), large types, dictionaries, milliseconds, other widths than the table's; no ids")
def mapping_arrow(f):
    f.create("id bigint, l array<struct<a: bigint>>, s string, ts timestamp_ntz, tz timestamp, d decimal(20,3), f double, b binary, m map<string, int>")
    mapping = []
    for number, name, children in ((1, "id", ()), (2, "l", ("element",)), (3, "s", ()), (4, "ts", ()), (5, "tz", ()), (6, "d", ()), (7, "f", ()), (8, "b", ()), (9, "m", ())):
        mapping.append({"field-id": number, "names": [name, name.upper()]})
    mapping[1]["fields"] = [{"field-id": 10, "names": ["element", "item"], "fields": [{"field-id": 11, "names": ["a", "alias"]}]}]
    mapping[8]["fields"] = [{"field-id": 12, "names": ["key"]}, {"field-id": 13, "names": ["value"]}]
    f.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('schema.name-mapping.default'='{json.dumps(mapping)}')")
    rows = pa.table({"id": pa.array([1, 2], pa.int32()), "l": pa.array([[{"alias": 1}, None], []], pa.list_(pa.struct([("alias", pa.int32())]))),
                     "S": pa.array(["x", None], pa.large_string()).dictionary_encode(), "ts": pa.array([-1, 1000], pa.timestamp("ms")),
                     "tz": pa.array([-1, 1000], pa.timestamp("us", "UTC")), "d": pa.array([1, None], pa.decimal128(9, 3)),
                     "f": pa.array([0.5, math.nan], pa.float32()), "b": pa.array([b"x", b""], pa.large_binary()),
                     "m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())), "nobody": pa.array([1, 2])})
    f.add_file(f.write(rows, use_compliant_nested_type=False), 2, metrics=False)


@table("Avro files without ids, of names that are mapped, of names that are not; unions in the other order; aliases")
def mapping_avro(f):
    f.create("id int, name string, l array<struct<a: int>>, ts timestamp, n bigint")
    mapping = [{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["name", "old_name"]},
               {"field-id": 3, "names": ["l"], "fields": [{"field-id": 6, "names": ["element"], "fields": [{"field-id": 7, "names": ["a", "b"]}]}]},
               {"field-id": 4, "names": ["ts"]}, {"field-id": 5, "names": ["n"]}]
    f.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('schema.name-mapping.default'='{json.dumps(mapping)}')")
    schema = {"type": "record", "name": "odd", "fields": [
        {"name": "old_name", "type": ["string", "null"]}, {"name": "id", "type": "int"}, {"name": "unmapped", "type": ["null", "double"], "default": None},
        {"name": "l", "type": {"type": "array", "items": ["null", {"type": "record", "name": "inner", "fields": [{"name": "b", "type": ["null", "int"], "default": None}]}]}},
        {"name": "ts", "type": ["null", {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}], "default": None},
        {"name": "n", "type": "int"}]}
    utc = datetime.timezone.utc
    path = f.write_avro(schema, [{"old_name": "x", "id": 1, "unmapped": 1.0, "l": [{"b": 1}, None], "ts": datetime.datetime(1969, 12, 31, tzinfo=utc), "n": 5},
                                 {"old_name": None, "id": 2, "unmapped": None, "l": [], "ts": None, "n": -5}])
    f.add_file(path, 2)


@table("files without ids in a table without a mapping: columns by their place")
def no_mapping(f):
    f.create("id int, a string, b double")
    f.add_file(f.write(pa.table({"id": pa.array([1, 2], pa.int32()), "a": ["x", None], "b": [0.5, math.nan]})), 2, metrics=False)
    f.insert("(3, 'z', 1.0)")


@table("files of some columns with ids and some without; ids in another order; a column whose id is another's name")
def some_ids(f):
    f.create("id int, a int, b int")
    names = [arrow_field(2, "id", pa.int32()), pa.field("b", pa.int32()), arrow_field(1, "zz", pa.int32()), arrow_field(77, "gone", pa.int32())]
    f.add_arrow(pa.table([pa.array([20, 21], pa.int32()), pa.array([30, 31], pa.int32()), pa.array([10, None], pa.int32()), pa.array([1, 1], pa.int32())],
                         schema=pa.schema(names)), metrics=False)


FLAT = [arrow_field(1, "id", pa.int32()), arrow_field(2, "s", pa.string()), arrow_field(3, "d", pa.float64())]


@table("files without rows, of no row group, among others; manifests without live files; append of nothing; all removed and added again")
def no_rows(f):
    f.create("id int, s string, d double")
    f.add_arrow(pa.table([[], [], []], schema=pa.schema(FLAT)))
    f.insert("(1, 'x', 0.5)")
    f.add_arrow(pa.table([[], [], []], schema=pa.schema(FLAT)), metrics=False)
    f.java().newAppend().commit()
    f.sql("DELETE FROM {t}")
    f.sql("INSERT INTO {t} SELECT * FROM {t}")
    f.insert("(2, null, double('NaN'))")
    f.sql("TRUNCATE TABLE {t}")
    f.insert("(3, '', null), (4, null, null)")


def flat(rows):
    return pa.table([pa.array([r[0] for r in rows], pa.int32()), pa.array([r[1] for r in rows]), pa.array([r[2] for r in rows], pa.float64())],
                    schema=pa.schema(FLAT))


@table("files without statistics in manifest, in file, in both; row groups of few rows; a column only of nulls or only of NaN")
def no_statistics(f):
    f.create("id int, s string, d double")
    rows = [(i, f"s{i}", float(i)) for i in range(50)]
    f.add_arrow(flat(rows), metrics=False, row_group_size=7)
    f.add_arrow(flat([(i + 100, s, d) for i, s, d in rows]), metrics=False, write_statistics=False, row_group_size=7)
    f.add_arrow(flat([(200, None, None), (201, None, None)]))
    f.add_arrow(flat([(300, "", math.nan), (301, "", math.nan)]), row_group_size=1)
    f.add_arrow(flat([(400, "a", math.nan), (401, "b", -0.0), (402, "c", 0.0), (403, None, math.inf), (None, "e", -math.inf)]), row_group_size=2)


@table("metrics modes truncate(1), counts and none; texts whose upper bound cannot be made; texts cut inside a pair of code points", write_metadata_metrics_default="truncate(1)")
def truncated_bounds(f):
    f.create("id int, s string, t string, u string, b binary", write_metadata_metrics_column_t="counts", write_metadata_metrics_column_u="none")
    f.insert("(1, 'zebra', 'a', 'a', X'FFFF'), (2, 'zoo', 'b', 'b', X'FF00')")
    f.insert("(3, '🐧🐧', 'a', 'a', X''), (4, '🐧z', 'b', null, X'00')")
    f.insert("(5, '\\uDBFF\\uDFFF\\uDBFF\\uDFFF', null, null, null), (6, null, null, null, null)")
    f.insert("(7, '퟿퟿', 'z', 'z', X'80')")
    f.alter("SET TBLPROPERTIES ('write.metadata.metrics.default'='full')")
    f.insert("(8, 'zebra stripes that go on and on', 'a', 'a', X'0102030405060708090A0B0C0D0E0F101112')")


@table("bounds as others write them: 8 bytes for int and date, decimals padded, NaN for floats, upper below lower, cut in the middle of a letter")
def foreign_bounds(f):
    f.create("id int, dt date, d decimal(18,2), f float, g double, s string, z boolean", write_metadata_metrics_default="full")
    f.insert("(1, date'1969-12-31', -1.25, float('NaN'), 1.5, 'é1', false), (2, date'2020-01-01', 1.25, 2.5, double('NaN'), 'éz', true)")
    f.insert("(3, date'2021-01-01', 5, 3.5, 3.5, 'a', null), (4, null, null, null, null, null, null)")

    def change(entry):
        for which in ("lower_bounds", "upper_bounds"):
            for pair in entry["data_file"][which] or ():
                key, value = pair["key"], pair["value"]
                if key in (1, 2):
                    pair["value"] = struct.pack("<q", struct.unpack("<i", value)[0])
                elif key == 3:
                    pair["value"] = (b"\xff" if value[0] & 128 else b"\0") * (16 - len(value)) + value
                elif key == 4:
                    pair["value"] = struct.pack("<f", math.nan)
                elif key == 5:
                    pair["value"] = struct.pack("<d", math.nan)
                elif key == 6 and value[:1] == b"\xc3":
                    pair["value"] = value[:1]
        if entry["data_file"]["upper_bounds"]:
            entry["data_file"]["upper_bounds"] = [p for p in entry["data_file"]["upper_bounds"] if p["key"] != 6]

    f.given = list_rows(f)
    f.edit_avro("*-m0.avro", change)


@table("pages with index, bloom filters, dictionaries and without, v2 pages, sorted and not: many row groups under every filter")
def row_groups(f):
    f.create("id int, s string, d double")
    count = 400
    rows = flat([(i, f"k{i // 7:04d}", i / 8) for i in range(count)])
    f.add_arrow(rows, row_group_size=50, write_page_index=True, data_page_size=64, use_dictionary=False)
    f.add_arrow(flat([(1000 + i * 37 % count, f"k{i * 37 % count:04d}" if i % 3 else None, -i / 8) for i in range(count)]), row_group_size=100,
                data_page_version="2.0", compression="gzip", write_page_index=True, max_rows_per_page=10)
    f.add_arrow(rows, row_group_size=33, column_encoding={"id": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY", "d": "BYTE_STREAM_SPLIT"},
                use_dictionary=False)
    f.add_arrow(flat([(None, None, None)] * 100 + [(2000, "end", 0.0)]), row_group_size=10, compression="lz4", write_page_index=True, max_rows_per_page=3)


@table("sizes in manifests that are wrong: of data files, of manifests; split offsets that are none; a path with blanks and escapes")
def wrong_sizes(f):
    f.create("id int, p string", "PARTITIONED BY (p)")
    f.insert("(1, 'a b'), (2, 'c%20d/é'), (3, null), (4, '100%'), (5, '+&?#')")
    f.given = list_rows(f)

    def entry(record):
        record["data_file"].update({"file_size_in_bytes": record["data_file"]["file_size_in_bytes"] + 100, "split_offsets": [0, 77]})

    f.edit_avro("*-m0.avro", entry)
    f.edit_avro("snap-*.avro", lambda r: r.update({"manifest_length": 1}))


@table("Avro data files of every codec, empty blocks, many blocks; nested maps whose keys are no texts; filters without any statistics")
def avro_codecs_all(f):
    f.create("id int, m map<int, string>, k map<struct<a: int>, array<date>>, d decimal(20,2), s string", write_format_default="avro")
    for i, codec in enumerate(("gzip", "snappy", "zstd", "uncompressed")):
        f.alter(f"SET TBLPROPERTIES ('write.avro.compression-codec'='{codec}')")
        f.select(f"CAST(id + {i * 10} AS int), map(CAST(id AS int), concat('v', id), -1, null), map(named_struct('a', CAST(id AS int)), array(date'1969-12-31', null)), "
                 f"CAST(id - 2.5 AS decimal(20,2)), IF(id = 2, null, concat('s', id)) FROM range(5)")

