# SPDX-License-Identifier: Apache-2.0
"""Types at depth, evolution at depth, defaults, names."""
import datetime

import canon
import pyarrow as pa

from fixture import arrow_field, field, table

DEEP = ("id int, s struct<a: int, l: array<struct<k: string, m: map<string, array<struct<x: decimal(12,2), "
        "y: struct<d: date, t: timestamp, n: timestamp_ntz, b: binary, f: float, z: boolean>>>>>>>, "
        "m map<struct<p: int, q: string>, map<int, struct<v: double, w: array<array<bigint>>>>>")
DEEP_ROWS = """
(1, named_struct('a', 1, 'l', array(named_struct('k', 'one', 'm', map('x', array(named_struct('x', 1.25,
   'y', named_struct('d', date'1969-12-31', 't', timestamp'1969-12-31 23:59:59.999999', 'n', timestamp_ntz'2001-02-03 04:05:06',
   'b', X'00FF', 'f', float('NaN'), 'z', true)), null, named_struct('x', null, 'y', null)), 'e', array(), 'n', null)), null)),
   map(named_struct('p', 1, 'q', null), map(1, named_struct('v', double('-0.0'), 'w', array(array(1, null, 3), null, array())), 2, null),
       named_struct('p', null, 'q', ''), null)),
(2, null, null),
(3, named_struct('a', null, 'l', null), map()),
(4, named_struct('a', 4, 'l', array()), map(named_struct('p', 4, 'q', 'four'), map())),
(5, named_struct('a', 5, 'l', array(named_struct('k', null, 'm', map()), named_struct('k', 'žluť', 'm', null))), null)
"""


@table("every type at depth six; Parquet and Avro")
def deep_types(f):
    f.create(DEEP)
    f.insert(DEEP_ROWS)
    f.alter("SET TBLPROPERTIES ('write.format.default'='avro')")
    f.insert(DEEP_ROWS)


@table("the same in format v1 Avro with deflate off", 1, write_format_default="avro", write_avro_compression__codec="uncompressed")
def deep_types_avro_v1(f):
    f.create(DEEP)
    f.insert(DEEP_ROWS)


@table("evolution at depth: list element, map value, list of lists, struct in map key; each step a snapshot")
def evolution_deep(f):
    f.create("id int, l array<struct<a: int, b: string, c: float>>, m map<string, struct<x: int, y: array<struct<q: int>>>>, "
             "ll array<array<struct<u: int, v: decimal(6,2)>>>, k map<struct<n: int, o: string>, int>, g struct<h: struct<i: struct<j: int>>>")
    row = ("array(named_struct('a', {0}, 'b', 'b{0}', 'c', float({0}.5)), null), map('k', named_struct('x', {0}, 'y', "
           "array(named_struct('q', {0})))), array(array(named_struct('u', {0}, 'v', {0}.25)), null), "
           "map(named_struct('n', {0}, 'o', 'o'), {0}), named_struct('h', named_struct('i', named_struct('j', {0})))")
    f.insert(f"(1, {row.format(1)})")
    f.alter("ADD COLUMN l.element.d date", "ALTER COLUMN l.element.a TYPE bigint", "ALTER COLUMN l.element.c TYPE double",
            "RENAME COLUMN l.element.b TO bb", "ADD COLUMN m.value.z struct<deep: int>", "ALTER COLUMN m.value.x TYPE bigint",
            "ADD COLUMN m.value.y.element.r string", "ALTER COLUMN ll.element.element.u TYPE bigint",
            "ALTER COLUMN ll.element.element.v TYPE decimal(12,2)", "ADD COLUMN g.h.i.jj int",
            "ALTER COLUMN g.h.i.j TYPE bigint")
    f.sql("INSERT INTO {t} SELECT 2, array(named_struct('a', 5000000000L, 'bb', 'two', 'c', 1e300D, 'd', date'2020-01-01')), "
          "map('k', named_struct('x', 5000000000L, 'y', array(named_struct('q', 1, 'r', 'r')), 'z', named_struct('deep', 7))), "
          "array(array(named_struct('u', 6000000000L, 'v', 1234567890.12BD))), map(named_struct('n', 2, 'o', 'x'), 2), "
          "named_struct('h', named_struct('i', named_struct('j', 7000000000L, 'jj', 8)))")
    f.alter("DROP COLUMN l.element.a", "ADD COLUMN l.element.a string FIRST", "RENAME COLUMN m.value.x TO a",
            "ALTER COLUMN g.h.i.jj FIRST", "DROP COLUMN ll.element.element.u", "ADD COLUMN ll.element.element.u string",
            "DROP COLUMN g.h.i.j", "ADD COLUMN g.h.i.j string")
    f.sql("INSERT INTO {t} SELECT 3, array(named_struct('a', 'text', 'bb', 'b3', 'c', 3.5D, 'd', null)), null, "
          "array(array(named_struct('v', 3.25BD, 'u', 'three'))), null, named_struct('h', named_struct('i', named_struct('jj', 3, 'j', 'three')))")


@table("a struct whose fields were all replaced; all columns but one replaced; columns moved between files")
def evolution_all_replaced(f):
    f.create("id int, s struct<a: int>, l array<struct<a: int>>, m map<int, struct<a: int>>")
    f.insert("(1, named_struct('a', 1), array(named_struct('a', 1), null), map(1, named_struct('a', 1), 2, null)), (2, null, null, null), "
             "(3, named_struct('a', null), array(), map())")
    f.alter("ADD COLUMN s.b int", "ADD COLUMN l.element.b int", "ADD COLUMN m.value.b int")
    f.alter("DROP COLUMN s.a", "DROP COLUMN l.element.a", "DROP COLUMN m.value.a")
    f.insert("(4, named_struct('b', 4), array(named_struct('b', 4)), map(4, named_struct('b', 4)))")


@table("one name dropped and added again with other types, at the top and inside")
def readded_names(f):
    f.create("id int, x int, s struct<x: int, y: int>")
    f.insert("(1, 1, named_struct('x', 1, 'y', 1)), (2, null, null)")
    f.alter("DROP COLUMN x", "ADD COLUMN x string", "DROP COLUMN s.x", "ADD COLUMN s.x date")
    f.insert("(3, named_struct('y', 3, 'x', date'2003-03-03'), 'three')")
    f.alter("DROP COLUMN x", "ADD COLUMN x decimal(10,3) AFTER id", "DROP COLUMN s", "ADD COLUMN s array<int>")
    f.insert("(4, 4.125, array(4, null))")
    f.alter("RENAME COLUMN id TO y", "RENAME COLUMN x TO id", "RENAME COLUMN y TO x")
    f.insert("(5, 5.5, array())")


@table("int, float and decimal widened under identity, bucket and truncate partitions; Parquet, then Avro files")
def promoted_partitions(f):
    f.create("i int, f float, d decimal(6,2), b int, t int, v string", "PARTITIONED BY (i, d, bucket(4, b), truncate(10, t))")
    f.insert("(1, 1.5, 1.25, 7, -7, 'old'), (-2, float('NaN'), -1.25, -8, 17, 'old'), (null, null, null, null, null, 'nulls')")
    f.alter("ALTER COLUMN i TYPE bigint", "ALTER COLUMN f TYPE double", "ALTER COLUMN d TYPE decimal(20,2)", "ALTER COLUMN b TYPE bigint",
            "ALTER COLUMN t TYPE bigint", "SET TBLPROPERTIES ('write.format.default'='avro')")
    f.insert("(1, 1.5, 1.25, 7, -7, 'new'), (5000000000, 1e300, 123456789012.25, 5000000000, -5000000001, 'new'), (-2, -0.0, -1.25, -8, 17, 'new')")


@table("decimals widened 9 to 18 to 38 digits; ints and floats widened; every file its own width", write_metadata_metrics_default="full")
def promoted_widths(f):
    f.create("id int, d decimal(9,2), e decimal(18,4), i int, f float")
    f.insert("(1, 1234567.89, 12345678901234.5678, 2147483647, 3.25), (2, -1.00, -0.0001, -2147483648, -0.5)")
    f.alter("ALTER COLUMN d TYPE decimal(18,2)", "ALTER COLUMN i TYPE bigint")
    f.insert("(3, 1234567890123456.78, 0.0001, 9223372036854775807, 0.1), (4, -9999999999999999.99, null, -9223372036854775808, null)")
    f.alter("ALTER COLUMN d TYPE decimal(38,2)", "ALTER COLUMN e TYPE decimal(38,4)", "ALTER COLUMN f TYPE double")
    f.insert("(5, 123456789012345678901234567890123456.78, -1234567890123456789012345678901234.5678, 0, 0.1), (6, -0.01, 0, 1, 1e-300)")


@table("initial defaults inside struct, list element and map value; renamed and moved; a partition field on a defaulted column", 3)
def defaults_deep(f):
    f.java_create([field(1, "id", "int"), field(2, "s", {"type": "struct", "fields": [field(5, "a", "int")]}),
                   field(3, "l", {"type": "list", "element-id": 6, "element-required": False,
                                  "element": {"type": "struct", "fields": [field(7, "b", "int")]}}),
                   field(4, "m", {"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value-required": False,
                                  "value": {"type": "struct", "fields": [field(10, "c", "int")]}})])
    f.sql("INSERT INTO {t} SELECT 1, named_struct('a', 1), array(named_struct('b', 1), null), map('k', named_struct('c', 1))")
    f.sql("INSERT INTO {t} SELECT 2, null, null, null")

    def change(metadata):
        schema = dict(metadata["schemas"][0], **{"schema-id": 1})
        fields = [dict(x) for x in schema["fields"]]
        text = {"initial-default": "fill", "write-default": "other"}
        fields[1]["type"] = {"type": "struct", "fields": [field(11, "n", "string", **text), field(5, "aa", "long"),
                                                           field(12, "d", "date", initial_default="1969-12-31")]}
        fields[2]["type"] = dict(fields[2]["type"], element={"type": "struct", "fields": [
            field(7, "b", "int"), field(13, "e", "decimal(10,2)", initial_default="14.20"), field(14, "u", "binary", initial_default="00ff")]})
        fields[3]["type"] = dict(fields[3]["type"], value={"type": "struct", "fields": [
            field(15, "t", "timestamp", initial_default="1969-12-31T23:59:59.999999"), field(10, "c", "int"),
            field(16, "z", "timestamptz", initial_default="2007-12-03T10:15:30+00:00")]})
        fields += [field(17, "p", "int", initial_default=7), field(18, "w", "double", initial_default=-0.0),
                   field(19, "q", "boolean", True, initial_default=True, write_default=False)]
        schema["fields"] = fields
        metadata["schemas"].append(schema)
        metadata.update({"current-schema-id": 1, "last-column-id": 19, "default-spec-id": 1, "last-partition-id": 1000})
        metadata["partition-specs"].append({"spec-id": 1, "fields": [{"name": "p", "transform": "identity", "source-id": 17, "field-id": 1000}]})

    f.edit_metadata(change)
    f.sql("INSERT INTO {t} SELECT 3, named_struct('n', 'x', 'aa', 3L, 'd', null), array(), map(), 9, 1.5D, false")


@table("names that look like the machinery's own: element, key_value, _pos_, dots, upper case beside lower, 200 letters; also in Avro")
def names_odd(f):
    f.create("`element` int, `list` array<int>, `key_value` map<int, int>, `a.b` struct<`c.d`: int, `1e`: int>, Aa int, aA int, `"
             + "x" * 200 + "` int, `sp ace` int, `tab\tin` int, `ünï` int, `$d` int, `select` int, `value` string",
             "PARTITIONED BY (`a.b`.`c.d`, `sp ace`, bucket(3, `ünï`), `value`)")
    row = "({0}, array({0}), map({0}, {0}), named_struct('c.d', {0}, '1e', {0}), {0}, 1{0}, {0}, {0}, {0}, {0}, {0}, {0}, 'v/{0}=&%')"
    f.insert(row.format(1))
    f.alter("SET TBLPROPERTIES ('write.format.default'='avro')")
    f.insert(row.format(2))


@table("3,000 columns, of which each file has some", write_metadata_metrics_max__inferred__column__defaults="10")
def wide(f):
    f.create("id int, " + ", ".join(f"c{i} {('int', 'string', 'double', 'date')[i % 4]}" for i in range(2999)))
    f.no_history = True
    schema = [arrow_field(1, "id", pa.int32())] + [arrow_field(i + 2, f"c{i}", (pa.int32(), pa.string(), pa.float64(), pa.date32())[i % 4])
                                                   for i in range(2999)]
    for part in range(3):
        chosen = [schema[0]] + schema[1 + part:3000:3]
        columns = [pa.array([part * 2 + k for k in range(2)], pa.int32())]
        for x in chosen[1:]:
            value = {pa.int32(): 5, pa.string(): "s", pa.float64(): 0.5, pa.date32(): 1}[x.type]
            columns.append(pa.array([value, None], x.type))
        f.add_arrow(pa.table(columns, schema=pa.schema(chosen)))


@table("variant inside struct, list and map; plain and shredded; added by evolution; SQL null beside variant null", 3)
def variant_nested(f):
    f.create("id int, v variant, s struct<v: variant, n: int>, l array<variant>, m map<string, variant>")
    f.sql("""INSERT INTO {t} SELECT 1, parse_json('{"a": [1, 2.5, "x", null, true, {"b": {}}], "é": -1e10}'),
        named_struct('v', parse_json('[]'), 'n', 1), array(parse_json('1'), null, parse_json('null')), map('k', parse_json('"text"'), 'n', null)""")
    f.sql("INSERT INTO {t} VALUES (2, null, null, null, null), (3, parse_json('null'), named_struct('v', null, 'n', null), array(), map())")
    f.alter("SET TBLPROPERTIES ('write.parquet.shred-variants'='true', 'write.parquet.variant.shredding.enabled'='true')", "ADD COLUMN w variant")
    f.sql("""INSERT INTO {t} SELECT /*+ REPARTITION(1) */ CAST(id + 10 AS int), parse_json('{"a": ' || id || ', "b": {"c": "t' || id || '", "d": [' || id || ']}}'),
        named_struct('v', parse_json(IF(id % 3 = 0, '"mixed"', '{"k": ' || id || '.5}')), 'n', 1), null, null, parse_json(CAST(id AS string)) FROM range(20)""")
    f.given = canon.rows(f.spark.sql(
        f"SELECT id, to_json(v) v, IF(s IS NULL, NULL, named_struct('v', to_json(s.v), 'n', s.n)) s, transform(l, x -> to_json(x)) l, "
        f"transform_values(m, (k, x) -> to_json(x)) m, to_json(w) w FROM {f.t}").toArrow(),
        {"v": "json", "s": {"v": "json"}, "l": {"element": "json"}, "m": {"value": "json"}, "w": "json"})


@table("unknown columns inside structs and lists, later given a type", 3)
def unknown_nested(f):
    f.java_create([field(1, "id", "int"), field(2, "u", "unknown"),
                   field(3, "s", {"type": "struct", "fields": [field(4, "x", "unknown"), field(5, "y", "int")]})])
    f.sql("INSERT INTO {t} (id, s) SELECT 1, named_struct('x', null, 'y', 1)")

    def change(metadata):
        schema = {"type": "struct", "schema-id": 1, "fields": [
            field(1, "id", "int"), field(2, "u", "string"),
            field(3, "s", {"type": "struct", "fields": [field(4, "x", "long"), field(5, "y", "int")]})]}
        metadata["schemas"].append(schema)
        metadata["current-schema-id"] = 1

    f.edit_metadata(change)
    f.sql("INSERT INTO {t} SELECT 2, 'text', named_struct('x', 5L, 'y', 2)")


@table("geometry and geography beside nulls, with other CRS and algorithms, under filters on other columns", 3)
def geo_kinds(f):
    f.java_create([field(1, "id", "int"), field(2, "g", "geometry"), field(3, "h", "geography"),
                   field(4, "k", "geometry(srid:4326)"), field(5, "v", "geography(OGC:CRS84, vincenty)")])
    point = bytes.fromhex("0101000000000000000000f03f0000000000000040")
    names = [arrow_field(1, "id", pa.int32())] + [arrow_field(i + 2, "ghkv"[i], pa.binary()) for i in range(4)]
    f.add_arrow(pa.table([pa.array([1, 2], pa.int32())] + [pa.array([point, None], pa.binary())] * 4, schema=pa.schema(names)), metrics=False)
    f.given = ['{"id":1,' + ",".join(f'"{n}":"{point.hex()}"' for n in "ghkv") + "}", '{"id":2,' + ",".join(f'"{n}":null' for n in "ghkv") + "}"]


TIMES = [("t", "time", pa.time64("us")), ("u", "uuid", pa.binary(16)), ("x", "fixed[3]", pa.binary(3)),
         ("n", "timestamp_ns", pa.timestamp("ns")), ("z", "timestamptz_ns", pa.timestamp("ns", "UTC"))]


@table("time, uuid, fixed and nanoseconds inside struct, list, map value and map key; partitioned by them", 3)
def times_nested(f):
    """Spark reads none of these: the rows are those that were written."""
    def types(start):
        return [field(start + i, name, kind) for i, (name, kind, _) in enumerate(TIMES)]

    f.java_create([field(1, "id", "int"), field(2, "s", {"type": "struct", "fields": types(8)}),
                   field(3, "l", {"type": "list", "element-id": 13, "element": {"type": "struct", "fields": types(14)}, "element-required": False}),
                   field(4, "m", {"type": "map", "key-id": 19, "key": "uuid", "value-id": 20, "value": "time", "value-required": False}),
                   field(5, "p", "timestamp_ns"), field(6, "q", "uuid"), field(7, "r", "time")],
                  {"spec-id": 0, "fields": [{"name": "p_day", "transform": "day", "source-id": 5, "field-id": 1000},
                                            {"name": "q_bucket", "transform": "bucket[4]", "source-id": 6, "field-id": 1001},
                                            {"name": "r", "transform": "identity", "source-id": 7, "field-id": 1002}]})
    inner = pa.struct([arrow_field(8 + i, n, t) for i, (n, _, t) in enumerate(TIMES)])
    item = pa.struct([arrow_field(14 + i, n, t) for i, (n, _, t) in enumerate(TIMES)])
    uuid = bytes(range(16))
    # Nanoseconds before 1970: -1 ns is 23:59:59.999999999 of the day before.
    value = {"t": datetime.time(23, 59, 59, 999999), "u": uuid, "x": b"\x00\x01\xff", "n": -1, "z": 1_000_000_001}
    names = [arrow_field(1, "id", pa.int32()), arrow_field(2, "s", inner), arrow_field(3, "l", pa.list_(arrow_field(13, "element", item))),
             arrow_field(4, "m", pa.map_(arrow_field(19, "key", pa.binary(16), False), arrow_field(20, "value", pa.time64("us")))),
             arrow_field(5, "p", pa.timestamp("ns")), arrow_field(6, "q", pa.binary(16)), arrow_field(7, "r", pa.time64("us"))]
    rows = pa.table([pa.array([1, 2], pa.int32()), pa.array([value, None], inner), pa.array([[value, None], []], pa.list_(item)),
                     pa.array([[(uuid, datetime.time(1, 2, 3))], None], pa.map_(pa.binary(16), pa.time64("us"))),
                     pa.array([-1, -1], pa.timestamp("ns")), pa.array([uuid, uuid], pa.binary(16)),
                     pa.array([datetime.time(1)] * 2, pa.time64("us"))], schema=pa.schema(names))
    hashed = f.jvm.org.apache.iceberg.transforms.Transforms.bucket(4).bind(f.jvm.org.apache.iceberg.types.Types.UUIDType.get())
    bucket = hashed.apply(f.jvm.java.util.UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f"))
    file = f.builder("data", f.write(rows), 2, None, None, True).withPartition(f.record(f.java().spec(), [-1, bucket, 3600000000]))
    f.java().newAppend().appendFile(file.build()).commit()
    shown = ('{"t":"23:59:59.999999","u":"00010203-0405-0607-0809-0a0b0c0d0e0f","x":"0001ff","n":"1969-12-31T23:59:59.999999999",'
             '"z":"1970-01-01T00:00:01.000000001+00:00"}')
    tail = '"p":"1969-12-31T23:59:59.999999999","q":"00010203-0405-0607-0809-0a0b0c0d0e0f","r":"01:00:00.000000"}'
    f.given = ['{"id":1,"s":' + shown + ',"l":[' + shown + ',null],"m":[["00010203-0405-0607-0809-0a0b0c0d0e0f","01:02:03.000000"]],' + tail,
               '{"id":2,"s":null,"l":[],"m":null,' + tail]


@table("date widened to timestamp and to timestamp_ns (v3), with old bounds", 3)
def promoted_dates(f):
    f.create("id int, d date, e date, s struct<d: date>")
    f.insert("(1, date'1969-12-31', date'2020-02-29', named_struct('d', date'0001-01-01')), (2, null, null, null), "
             "(3, date'2021-01-01', date'1700-01-01', named_struct('d', null))")

    def change(metadata):
        metadata["schemas"].append({"type": "struct", "schema-id": 1, "fields": [
            field(1, "id", "int"), field(2, "d", "timestamp"), field(3, "e", "timestamp_ns"),
            field(4, "s", {"type": "struct", "fields": [field(5, "d", "timestamp")]})]})
        metadata["current-schema-id"] = 1

    f.edit_metadata(change)
    f.given = ['{"id":1,"d":"1969-12-31T00:00:00.000000","e":"2020-02-29T00:00:00.000000000","s":{"d":"0001-01-01T00:00:00.000000"}}',
               '{"id":2,"d":null,"e":null,"s":null}',
               '{"id":3,"d":"2021-01-01T00:00:00.000000","e":"1700-01-01T00:00:00.000000000","s":{"d":null}}']

