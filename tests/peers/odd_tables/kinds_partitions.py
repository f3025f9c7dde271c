# SPDX-License-Identifier: Apache-2.0
"""Partition specs: every transform, evolution, dropped sources, unknown transforms, files that lack their columns."""
import pyarrow as pa

from fixture import arrow_field, field, list_rows, table

ROWS = """
(1, 7, 7000000000, 12.34, date'1969-12-31', timestamp'1969-12-31 23:59:59.999999', timestamp_ntz'1969-12-31 22:00:00', 'abcdef', X'010203', true, float('1.5'), double('NaN')),
(2, -7, -7000000000, -12.34, date'1970-01-01', timestamp'1970-01-01 00:00:00', timestamp_ntz'1970-01-01 00:00:00', '', X'', false, float('-0.0'), double('-0.0')),
(3, null, null, null, null, null, null, null, null, null, null, null),
(4, 2147483647, 9223372036854775807, 99999999.99, date'9999-12-31', timestamp'2262-04-11 23:47:16', timestamp_ntz'9999-12-31 23:59:59', 'žluťoučký', X'FFFFFFFF', true, float('Infinity'), double('1e300')),
(5, -2147483648, -9223372036854775808, -99999999.99, date'0001-01-01', timestamp'0001-01-01 00:00:00', timestamp_ntz'0001-01-01 00:00:00', '漢字🐧漢字', X'00', false, float('0.0'), double('0.0')),
(6, -1, -1, -0.01, date'1968-02-29', timestamp'1968-02-29 23:30:00', timestamp_ntz'1968-02-29 23:30:00', 'abc', X'0102', true, float('NaN'), double('-1e-300'))
"""
COLUMNS = ("id int, i int, l bigint, d decimal(10,2), dt date, tz timestamp, ts timestamp_ntz, s string, b binary, z boolean, f float, g double")


@table("bucket on every type Spark has; negative values and nulls; rows of years 1 to 9999")
def bucket_all(f):
    f.create(COLUMNS, "PARTITIONED BY (bucket(3, i), bucket(3, l), bucket(3, d), bucket(3, dt), bucket(3, tz), bucket(3, ts), bucket(3, s), bucket(3, b))")
    f.insert(ROWS)


@table("truncate on every type; negative values and nulls; width beyond the text; binary", 1)
def truncate_all(f):
    f.create(COLUMNS, "PARTITIONED BY (truncate(10, i), truncate(1000, l), truncate(3, d), truncate(2, s), truncate(2, b))")
    f.insert(ROWS)


@table("year, month, day and hour of dates and both timestamps, before 1970 and in years 1 and 9999")
def times_all(f):
    f.create(COLUMNS, "PARTITIONED BY (years(dt), months(tz), days(ts))")
    f.insert(ROWS)
    f.alter("DROP PARTITION FIELD months(tz)", "ADD PARTITION FIELD hours(tz)", "REPLACE PARTITION FIELD dt_year WITH months(dt)")
    f.insert(ROWS)
    f.alter("REPLACE PARTITION FIELD dt_month WITH days(dt)", "REPLACE PARTITION FIELD ts_day WITH years(ts)")
    f.insert(ROWS)


@table("identity on every type Spark has, with NaN, both zeros, empty and null")
def identity_all(f):
    f.create(COLUMNS, "PARTITIONED BY (i, l, d, dt, tz, ts, s, b, z, f, g)")
    f.insert(ROWS)


@table("partition source columns dropped after their fields were; old files under specs whose sources are gone", write_delete_mode="merge-on-read")
def dropped_sources(f):
    f.create("id int, a int, b string, c date", "PARTITIONED BY (a, truncate(2, b), months(c))")
    f.insert("(1, 1, 'xyz', date'2020-01-01'), (2, 2, null, date'1969-12-31'), (3, null, 'xyz', null)")
    f.alter("DROP PARTITION FIELD a", "DROP PARTITION FIELD c_month")
    f.insert("(4, 4, 'q', date'2020-02-02'), (5, 5, 'xyz', null)")
    f.alter("DROP COLUMN a", "RENAME COLUMN b TO bb")
    f.insert("(6, 'xyz', date'2021-01-01'), (7, null, null)")
    f.sql("DELETE FROM {t} WHERE id IN (1, 5)")
    f.alter("DROP COLUMN c", "ADD COLUMN a string")
    f.insert("(8, 'z', 'a')")
    f.sql("DELETE FROM {t} WHERE id = 3")


@table("format v1: fields made void one after the other, their sources dropped; then new fields", 1)
def void_v1(f):
    f.create("id int, a int, b string, c timestamp", "PARTITIONED BY (a, bucket(4, b), days(c))")
    f.insert("(1, 1, 'x', timestamp'2020-01-01 10:00:00'), (2, null, null, null)")
    f.alter("DROP PARTITION FIELD a")
    f.insert("(3, 3, 'y', timestamp'1969-12-31 10:00:00')")
    f.alter("DROP PARTITION FIELD b_bucket", "ADD PARTITION FIELD truncate(1, b)")
    f.insert("(4, 4, 'zz', timestamp'1969-12-31 10:00:00')")
    f.alter("DROP PARTITION FIELD c_day")
    f.insert("(5, 5, 'zy', null)")
    f.alter("ADD PARTITION FIELD hours(c)")
    f.insert("(6, 6, '', timestamp'1960-12-31 10:00:00')")


@table("format v1 with voids, upgraded to v2 and v3 and appended to in each", 1)
def void_upgraded(f):
    f.create("id int, a int, b string", "PARTITIONED BY (a)")
    f.insert("(1, 1, 'x'), (2, null, null)")
    f.alter("DROP PARTITION FIELD a")
    f.insert("(3, 3, 'y')")
    f.alter("SET TBLPROPERTIES ('format-version'='2', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read')",
            "ADD PARTITION FIELD truncate(1, b)")
    f.insert("(4, 4, 'zz'), (5, 5, 'zy')")
    f.sql("DELETE FROM {t} WHERE id IN (2, 4)")
    f.alter("SET TBLPROPERTIES ('format-version'='3')", "ADD PARTITION FIELD bucket(2, id)")
    f.insert("(6, 6, 'q')")
    f.sql("DELETE FROM {t} WHERE id = 3")
    f.sql("UPDATE {t} SET b = 'upd' WHERE id = 5")


@table("transforms nobody knows, of one and of several columns; identity besides", 3)
def unknown_transform(f):
    f.create("id int, a int, b string", "PARTITIONED BY (truncate(10, a), b)")
    f.insert("(1, 1, 'x'), (2, 11, 'x'), (3, null, null), (4, 21, 'y')")

    def change(metadata):
        for spec in metadata["partition-specs"]:
            for part in spec["fields"]:
                if part["transform"].startswith("truncate"):
                    part["transform"] = "zigzag[10]"

    f.given = list_rows(f)
    f.edit_metadata(change, False)
    f.edit_avro("*-m0.avro", lambda r: None, header=lambda pairs: {
        k: v.replace("truncate[10]", "zigzag[10]") if isinstance(v, str) else v.replace(b"truncate[10]", b"zigzag[10]") for k, v in pairs.items()})


@table("partition fields of nested fields, renamed later; partition field names of their own; a field named as another column")
def nested_sources(f):
    f.create("id int, s struct<a: int, t: struct<b: string, c: timestamp>>, x int", "PARTITIONED BY (s.a, bucket(4, s.t.b), days(s.t.c))")
    f.insert("(1, named_struct('a', 1, 't', named_struct('b', 'one', 'c', timestamp'1969-12-31 00:00:00')), 1), (2, null, 2), "
             "(3, named_struct('a', null, 't', null), 3)")
    f.alter("ALTER COLUMN s.a TYPE bigint", "RENAME COLUMN s.t.b TO bb", "ADD PARTITION FIELD bucket(2, x) AS id_shard")
    f.insert("(4, named_struct('a', 5000000000L, 't', named_struct('bb', 'four', 'c', null)), 4)")
    f.sql("ALTER TABLE {t} RENAME COLUMN s TO s2")
    f.insert("(5, named_struct('a', 1L, 't', named_struct('bb', 'one', 'c', timestamp'2020-02-02 00:00:00')), 5)")


HIVE = ["p_int int", "p_str string", "p_date date", "p_dec decimal(8,2)", "p_long bigint", "p_bool boolean", "p_dbl double"]


@table("files of a directory tree, added: identity partitions of every type that the files lack; no field ids")
def hive_tree(f):
    f.sql("DROP TABLE IF EXISTS spark_catalog.default.hive_tree")
    names = ", ".join(x.split()[0] for x in HIVE)
    f.sql(f"CREATE TABLE spark_catalog.default.hive_tree (id int, v string, {', '.join(HIVE)}) USING parquet PARTITIONED BY ({names}) "
          "LOCATION 'file:{folder}/data/tree'")
    f.sql("INSERT INTO spark_catalog.default.hive_tree VALUES (1, 'a', 1, 'x y/z=%', date'1969-12-31', 1.50, 5000000000, true, 0.25), "
          "(2, null, -2, 'é', date'2020-02-29', -1.50, -1, false, -1e10), (3, 'c', null, null, null, null, null, null, null)")
    f.create(f"id int, v string, {', '.join(HIVE)}", f"PARTITIONED BY ({names})")
    f.sql("CALL {sys}.add_files(table => '{n}', source_table => 'spark_catalog.default.hive_tree')")
    f.sql("DROP TABLE spark_catalog.default.hive_tree")
    f.alter("ALTER COLUMN p_int TYPE bigint", "RENAME COLUMN p_str TO q_str", "ALTER COLUMN p_dec TYPE decimal(12,2)")
    f.insert("(4, 'd', 4, 'x', date'2021-01-01', 4.00, 4, true, 4.0)")


@table("uuid, fixed and time partitions by hand: identity, bucket; truncated binary; null partitions", 2)
def identity_others(f):
    """Spark cannot read time, so the rows are those written."""
    f.java_create([field(1, "id", "int"), field(2, "u", "uuid"), field(3, "x", "fixed[3]"), field(4, "t", "time"), field(5, "b", "binary")],
                  {"spec-id": 0, "fields": [{"name": "u", "transform": "identity", "source-id": 2, "field-id": 1000},
                                            {"name": "x_b", "transform": "bucket[5]", "source-id": 3, "field-id": 1001},
                                            {"name": "t_b", "transform": "bucket[3]", "source-id": 4, "field-id": 1002},
                                            {"name": "b_t", "transform": "truncate[2]", "source-id": 5, "field-id": 1003}]})
    types = f.jvm.org.apache.iceberg.types.Types
    bucket = f.jvm.org.apache.iceberg.transforms.Transforms.bucket
    names = [arrow_field(1, "id", pa.int32()), arrow_field(2, "u", pa.binary(16)), arrow_field(3, "x", pa.binary(3)),
             arrow_field(4, "t", pa.time64("us")), arrow_field(5, "b", pa.binary())]
    f.given = []
    for i, (u, x, t, b) in enumerate([(bytes(range(16)), b"abc", 3600000001, b"\xff\xfe\xfd"), (bytes(range(240, 256)), b"\x00\x00\x00", 86399999999, b"\x01"),
                                      (None, None, None, None)]):
        rows = pa.table([pa.array([i], pa.int32()), pa.array([u], pa.binary(16)), pa.array([x], pa.binary(3)), pa.array([t], pa.time64("us")),
                         pa.array([b], pa.binary())], schema=pa.schema(names))
        shown = u and f"{u[:4].hex()}-{u[4:6].hex()}-{u[6:8].hex()}-{u[8:10].hex()}-{u[10:].hex()}"
        parts = [None] * 4
        if u:
            wrapped = f.jvm.java.nio.ByteBuffer.wrap(x)
            parts = [shown, str(bucket(5).bind(types.FixedType.ofLength(3)).apply(wrapped)),
                     str(bucket(3).bind(types.TimeType.get()).apply(t)), None]
        file = f.builder("data", f.write(rows), 1, None, parts, True)
        if b is not None:  # binary does not go through text
            file = file.withPartition(f.record(f.java().spec(), [f.jvm.java.util.UUID.fromString(shown), int(parts[1]), int(parts[2]),
                                                                 f.jvm.java.nio.ByteBuffer.wrap(b[:2])]))
        f.java().newAppend().appendFile(file.build()).commit()
        clock = t and f'"{t // 3600000000:02d}:{t // 60000000 % 60:02d}:{t // 1000000 % 60:02d}.{t % 1000000:06d}"'
        quoted = [f'"{v}"' if v is not None else "null" for v in (shown, x and x.hex(), None, b and b.hex())]
        f.given.append(f'{{"id":{i},"u":{quoted[0]},"x":{quoted[1]},"t":{clock or "null"},"b":{quoted[3]}}}')


@table("manifests of several specs merged and rewritten; one partition evolved under each", commit_manifest_min__count__to__merge="2")
def many_specs(f):
    f.create("id int, k string, ts timestamp")
    for i, change in enumerate(["ADD PARTITION FIELD k", "ADD PARTITION FIELD bucket(4, id)", "REPLACE PARTITION FIELD k WITH truncate(1, k)",
                                "DROP PARTITION FIELD bucket(4, id)", "ADD PARTITION FIELD bucket(8, id)", "ADD PARTITION FIELD years(ts)", None]):
        for part in range(3):
            f.select(f"CAST({i * 100 + part * 10} + id AS int), concat('k', id % 3), timestamp'1969-06-01 00:00:00' + make_interval(0, {i}) FROM range(4)")
        if change:
            f.alter(change)
    f.sql("CALL {sys}.rewrite_manifests('{n}')")
    f.sql("DELETE FROM {t} WHERE k = 'k1' AND id < 300")
    f.sql("INSERT OVERWRITE {t} VALUES (9999, 'k2', timestamp'1975-06-01 00:00:00')")
    f.insert("(10000, null, null)")
