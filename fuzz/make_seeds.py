#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of fuzz/corpus that other writers make: pyarrow, fastavro, zstandard, cramjam.

  make_seeds.py DIR

DIR/TARGET/made-NAME is small and the same at each run of the same versions. What a fuzzer found on
top of them is merged by tools/fuzz_run.py. Run it with the Python that
tests/peers/lake/install.sh makes.
"""
import datetime
import decimal
import gzip
import io
import json
import os
import struct
import sys
import tempfile
import zlib

import cramjam
import duckdb
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "tests", "tools"))
import compact_thrift as thrift  # noqa: E402


class Seeds:
    def __init__(self, folder):
        self.folder = folder

    def put(self, target, name, data):
        folder = os.path.join(self.folder, target)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "made-" + name), "wb") as out:
            out.write(data)


# ---- Avro ----

ALL = {"type": "record", "name": "r", "namespace": "n.s", "aliases": ["old"], "fields": [
    {"name": "b", "type": "boolean"}, {"name": "i", "type": "int"}, {"name": "l", "type": "long"},
    {"name": "f", "type": "float"}, {"name": "d", "type": "double"}, {"name": "s", "type": "string"},
    {"name": "y", "type": "bytes"},
    {"name": "x", "type": {"type": "fixed", "name": "fx", "size": 3}},
    {"name": "x2", "type": ["null", "fx"], "default": None},
    {"name": "e", "type": {"type": "enum", "name": "en", "symbols": ["A", "B"], "default": "A"}},
    {"name": "a", "type": {"type": "array", "items": ["null", "int"]}},
    {"name": "m", "type": {"type": "map", "values": "long"}},
    {"name": "u", "type": ["null", "int", "string", {"type": "record", "name": "in", "fields": [
        {"name": "q", "type": "double"}]}]},
    {"name": "n", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
    {"name": "nf", "type": {"type": "fixed", "name": "df", "size": 16, "logicalType": "decimal",
                            "precision": 38, "scale": 10}},
    {"name": "us", "type": {"type": "string", "logicalType": "uuid"}},
    {"name": "uf", "type": {"type": "fixed", "name": "uu", "size": 16, "logicalType": "uuid"}},
    {"name": "dt", "type": {"type": "int", "logicalType": "date"}},
    {"name": "tm", "type": {"type": "int", "logicalType": "time-millis"}},
    {"name": "tu", "type": {"type": "long", "logicalType": "time-micros"}},
    {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "tz", "type": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}},
    {"name": "lt", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
    {"name": "em", "type": {"type": "record", "name": "empty", "fields": []}}]}

NOW = datetime.datetime(2024, 2, 29, 12, 30, 1, 5000, tzinfo=datetime.timezone.utc)


def all_row(i):
    return {"b": i % 2 == 0, "i": -i, "l": i << 40, "f": 0.5, "d": i / 3, "s": "straße" * i, "y": b"\0\xff",
            "x": b"abc", "x2": None, "e": "AB"[i % 2], "a": [1, None, i][:i + 1], "m": {"k": 1, "k2": -9},
            "u": [None, 3, "t", {"q": 1.5}][i % 4], "n": decimal.Decimal("-12.50"),
            "nf": decimal.Decimal("1e9"), "us": "123e4567-e89b-12d3-a456-426614174000",
            "uf": b"0123456789abcdef", "dt": NOW.date(), "tm": NOW.time(),
            "tu": NOW.time(), "ts": NOW, "tz": NOW, "lt": NOW.replace(tzinfo=None), "em": {}}


def container(schema, rows, codec="null"):
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), rows, codec=codec, sync_marker=b"0123456789abcdef")
    return out.getvalue()


def with_schema(mode, schema, data):
    text = json.dumps(schema, separators=(",", ":")).encode()
    return bytes([mode]) + struct.pack(">H", len(text)) + text + data


# A reader's schema with a default for each kind, promotions, names that changed.
READER = {"type": "record", "name": "old", "namespace": "n.s", "fields": [
    {"name": "l", "type": "double"}, {"name": "i", "type": "long"}, {"name": "f", "type": "double"},
    {"name": "y", "type": "string"}, {"name": "was", "type": "bytes", "aliases": ["s"]},
    {"name": "u", "type": ["string", "double", "null"]}, {"name": "b", "type": ["null", "boolean"]},
    {"name": "e", "type": {"type": "enum", "name": "en", "symbols": ["B", "C"], "default": "C"}},
    {"name": "a", "type": {"type": "array", "items": ["null", "double"]}},
    {"name": "z1", "type": "int", "default": -1}, {"name": "z2", "type": "boolean", "default": True},
    {"name": "z3", "type": "bytes", "default": "\u00ff\u0001"}, {"name": "z4", "type": "string", "default": "é"},
    {"name": "z5", "type": {"type": "fixed", "name": "f5", "size": 2}, "default": "ab"},
    {"name": "z6", "type": {"type": "enum", "name": "e6", "symbols": ["X", "Y"]}, "default": "Y"},
    {"name": "z7", "type": {"type": "record", "name": "r7", "fields": [
        {"name": "p", "type": "int"}, {"name": "q", "type": "long", "default": 7}]}, "default": {"p": 3}},
    {"name": "z8", "type": {"type": "array", "items": "float"}, "default": [1, 2.5]},
    {"name": "z9", "type": {"type": "map", "values": "double"}, "default": {"k": 1e9}},
    {"name": "za", "type": ["null", "int"], "default": None}, {"name": "zb", "type": ["int", "null"], "default": 4}]}

# One field each, read as something else than it was written as.
TURNED = [{"name": "dt", "type": {"type": "long", "logicalType": "timestamp-micros"}},
          {"name": "us", "type": {"type": "fixed", "name": "ux", "size": 16, "logicalType": "uuid"}},
          {"name": "uf", "type": {"type": "string", "logicalType": "uuid"}},
          {"name": "n", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}},
          {"name": "i", "type": "float"}, {"name": "s", "type": "bytes"}, {"name": "x", "type": "bytes"},
          {"name": "e", "type": "string"}, {"name": "u", "type": "int"}, {"name": "x2", "type": "fx"},
          {"name": "tu", "type": {"type": "int", "logicalType": "time-millis"}}]

WITH_IDS = {"type": "record", "name": "r", "fields": [
    {"name": "id", "type": "long", "field-id": 1},
    {"name": "v", "type": {"type": "record", "name": "v", "logicalType": "variant", "fields": [
        {"name": "metadata", "type": "bytes"}, {"name": "value", "type": "bytes"}]}, "field-id": 2},
    {"name": "m", "type": {"type": "array", "logicalType": "map", "items": {"type": "record", "name": "kv", "fields": [
        {"name": "key", "type": "int", "field-id": 4}, {"name": "value", "type": "string", "field-id": 5}]}},
     "field-id": 3},
    {"name": "tree", "type": ["null", "string"], "field-id": 6}]}


def avro_seeds(seeds):
    rows = [all_row(i) for i in range(4)]
    for codec in ("null", "deflate", "snappy", "zstandard", "bzip2", "xz"):
        small = container({"type": "record", "name": "r", "fields": [{"name": "s", "type": "string"}]},
                          [{"s": "x" * 50}] * 3, codec)
        seeds.put("fuzz_avro", "codec-" + codec, b"\5" + small)
    whole = container(ALL, rows)
    seeds.put("fuzz_avro", "all", b"\5" + whole)
    seeds.put("fuzz_avro", "walk", b"\0" + whole)
    seeds.put("fuzz_avro", "resolved", with_schema(6, READER, whole))
    for turned in TURNED:
        schema = {"type": "record", "name": "r", "namespace": "n.s", "fields": [turned]}
        seeds.put("fuzz_avro", "turned-" + turned["name"], with_schema(6, schema, whole))
    seeds.put("fuzz_avro", "same", with_schema(6, ALL, whole))
    ids = container(WITH_IDS, [{"id": 1, "v": {"metadata": b"\1\0\0", "value": b"\x0c\5"},
                                "m": [{"key": 1, "value": "x"}], "tree": None}])
    seeds.put("fuzz_avro", "ids", with_schema(6, WITH_IDS, ids))
    row = io.BytesIO()
    fastavro.schemaless_writer(row, fastavro.parse_schema(ALL), rows[1])
    seeds.put("fuzz_avro", "confluent", with_schema(7, ALL, b"\0\0\0\0\7" + row.getvalue()))
    seeds.put("fuzz_avro", "single", with_schema(7, ALL, b"\xc3\1" + b"12345678" + row.getvalue()))
    seeds.put("fuzz_avro", "bare", with_schema(7, ALL, row.getvalue()))
    tree = {"type": "record", "name": "t", "fields": [{"name": "v", "type": "int"},
                                                      {"name": "next", "type": ["null", "t"]}]}
    seeds.put("fuzz_avro", "recursive", with_schema(6, tree, container(tree, [{"v": 1, "next": {"v": 2, "next": None}}])))
    broken_containers(seeds)
    manifest_seeds(seeds)


def broken_containers(seeds):
    """Containers, each wrong in one place."""
    def zig(value):
        return thrift.put_zigzag(value)

    def made(metas, blocks, sync=b"S" * 16):
        head = b"Obj\1" + zig(len(metas)) + b"".join(zig(len(x)) + x for pair in metas for x in pair)
        return head + b"\0" + b"S" * 16 + b"".join(zig(n) + zig(s) + d + sync for n, s, d in blocks)
    schema = (b"avro.schema", b'{"type":"record","name":"r","fields":[{"name":"c","type":"long"}]}')
    nothing = (b"avro.schema", b'{"type":"record","name":"r","fields":[{"name":"c","type":"null"}]}')
    snappy = (b"avro.codec", b"snappy")
    good = [(1, 1, b"\2")]
    for name, data in (("magic", b"Obj\2" + b"0" * 20), ("short", b"Obj"), ("no-schema", made([], good)),
                       ("codec", made([schema, (b"avro.codec", b"lzma9")], good)),
                       ("json", made([(b"avro.schema", b"{")], good)), ("sync", made([schema], good, b"T" * 16)),
                       ("size", made([schema], [(1, 1 << 40, b"\2")])), ("size-below", made([schema], [(1, -1, b"\2")])),
                       ("rows", made([schema], [(9, 1, b"\2")])), ("rows-below", made([schema], [(-9, 1, b"\2")])),
                       ("behind", made([schema], [(1, 2, b"\2\2")])), ("cut", made([schema], [(2, 2, b"\2\x82")])),
                       ("long", made([schema], [(1, 11, b"\xff" * 11)])), ("checksum", made([schema, snappy], [(1, 7, b"\1\0\2aaaa")])),
                       ("checksum-cut", made([schema, snappy], [(1, 2, b"\1\0")])), ("nulls", made([nothing], [(1 << 40, 0, b"")])),
                       ("nulls-few", made([nothing], [(99, 0, b"")])), ("metas", made([schema] + [(b"k%d" % i, b"") for i in range(3000)], good)),
                       ("empty-blocks", made([schema], [(0, 0, b"")] * 3 + good)), ("head", made([schema], [])[:-3])):
        for mode in (0, 5):
            seeds.put("fuzz_avro", f"broken-{name}-{mode}", bytes([mode]) + data)


def manifest_seeds(seeds):
    """A manifest and a list with all that may be in them; metrics as arrays of pairs and as maps."""
    def pair(name, key, value, first):
        return {"type": "array", "logicalType": "map", "items": {"type": "record", "name": name, "fields": [
            {"name": "key", "type": key, "field-id": first}, {"name": "value", "type": value, "field-id": first + 1}]}}

    def optional(kind):
        return ["null", kind]

    fields = [("content", 134, "int", 0), ("file_path", 100, "string", "s3://b/f.parquet"), ("file_format", 101, "string", "parquet"),
              ("partition", 102, {"type": "record", "name": "r102", "fields": [
                  {"name": "p0", "type": optional("long"), "field-id": 1000},
                  {"name": "p1", "type": optional({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}), "field-id": 1001},
                  {"name": "p2", "type": optional({"type": "int", "logicalType": "date"}), "field-id": 1002}]},
               {"p0": 3, "p1": decimal.Decimal("1.25"), "p2": datetime.date(2024, 1, 1)}),
              ("record_count", 103, "long", 10), ("file_size_in_bytes", 104, "long", 1000)]
    maps = [("column_sizes", 108, 117, "long", 40), ("value_counts", 109, 119, "long", 10), ("null_value_counts", 110, 121, "long", 0),
            ("nan_value_counts", 137, 138, "long", 0), ("lower_bounds", 125, 126, "bytes", b"\1"), ("upper_bounds", 128, 129, "bytes", b"\xff")]
    for name, number, first, kind, value in maps:
        fields.append((name, number, optional(pair(f"k{first}_v{first + 1}", "int", kind, first)), [{"key": i, "value": value} for i in (1, 2, 3)]))
    fields += [("key_metadata", 131, optional("bytes"), b"k"), ("split_offsets", 132, optional({"type": "array", "items": "long", "element-id": 133}), [4, 900]),
               ("equality_ids", 135, optional({"type": "array", "items": "int", "element-id": 136}), [1, 2]),
               ("sort_order_id", 140, optional("int"), 0), ("first_row_id", 142, optional("long"), 5),
               ("referenced_data_file", 143, optional("string"), "s3://b/g.parquet"), ("content_offset", 144, optional("long"), 4),
               ("content_size_in_bytes", 145, optional("long"), 40)]

    def schema_of(members):
        data = {"type": "record", "name": "r2", "fields": [{"name": n, "type": t, "field-id": i} for n, i, t, _ in members]}
        return {"type": "record", "name": "manifest_entry", "fields": [
            {"name": "status", "type": "int", "field-id": 0}, {"name": "snapshot_id", "type": optional("long"), "field-id": 1},
            {"name": "sequence_number", "type": optional("long"), "field-id": 3}, {"name": "file_sequence_number", "type": optional("long"), "field-id": 4},
            {"name": "data_file", "type": data, "field-id": 2}]}

    def entries(members):
        return [{"status": s, "snapshot_id": None if s == 1 else 9, "sequence_number": None if s == 1 else 2, "file_sequence_number": None if s == 1 else 2,
                 "data_file": {n: v if s < 2 or not (isinstance(t, list)) else None for n, _, t, v in members}} for s in (0, 1, 2)]

    for content in (0, 1, 2):
        members = [(n, i, t, content if n == "content" else v) for n, i, t, v in fields]
        data = container(schema_of(members), entries(members))
        for version in (2, 3, 4):
            seeds.put("fuzz_avro", f"manifest-{content}-{version - 1}", bytes([version]) + data)
    number = {name: i for name, i, *_ in maps}
    as_maps = [x if x[0] not in number else (x[0], x[1], optional({"type": "map", "values": "bytes" if "bounds" in x[0] else "long"}), {"1": b"x" if "bounds" in x[0] else 4}) for x in fields]
    seeds.put("fuzz_avro", "manifest-maps", b"\3" + container(schema_of(as_maps), entries(as_maps)))
    summary = {"type": "record", "name": "r508", "fields": [
        {"name": "contains_null", "type": "boolean", "field-id": 509}, {"name": "contains_nan", "type": optional("boolean"), "field-id": 518},
        {"name": "lower_bound", "type": optional("bytes"), "field-id": 510}, {"name": "upper_bound", "type": optional("bytes"), "field-id": 511}]}
    rows = [("manifest_path", 500, "string", "s3://b/m.avro"), ("manifest_length", 501, "long", 900), ("partition_spec_id", 502, "int", 0),
            ("content", 517, "int", 0), ("sequence_number", 515, "long", 3), ("min_sequence_number", 516, "long", 1), ("added_snapshot_id", 503, "long", 5),
            ("added_files_count", 504, "int", 1), ("existing_files_count", 505, "int", 2), ("deleted_files_count", 506, "int", 0),
            ("added_rows_count", 512, "long", 10), ("existing_rows_count", 513, "long", 20), ("deleted_rows_count", 514, "long", 0),
            ("partitions", 507, optional({"type": "array", "items": summary, "element-id": 508}),
             [{"contains_null": True, "contains_nan": False, "lower_bound": b"\1", "upper_bound": b"\2"}, {"contains_null": False, "contains_nan": None, "lower_bound": None, "upper_bound": None}]),
            ("key_metadata", 519, optional("bytes"), b"kk"), ("first_row_id", 520, optional("long"), 100), ("strange", 999, optional("string"), "?")]
    for ids in (True, False):
        schema = {"type": "record", "name": "manifest_file", "fields": [{"name": n, "type": t, **({"field-id": i} if ids else {})} for n, i, t, _ in rows]}
        seeds.put("fuzz_avro", f"list-{'ids' if ids else 'names'}", b"\1" + container(schema, [{n: v for n, _, _, v in rows}] * 2))


# ---- Parquet ----

def parquet_bytes(table, **options):
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def annotated_variant(data, column):
    """The same file, whose group `column` is a variant."""
    front, footer = thrift.parquet_footer(data)
    kind, elements = thrift.find(footer, 2)
    elements = [thrift.changed(x, 10, thrift.STRUCT, [(16, thrift.STRUCT, [(1, thrift.I8, 1)])])
                if thrift.find(x, 4) == column else x for x in elements]
    footer = thrift.changed(footer, 2, thrift.LIST, (kind, elements))
    return thrift.parquet_file(front, [x for x in footer if x[0] != 5])


def parquet_seeds(seeds):
    plain = dict(compression="none", store_schema=False, write_statistics=True)
    binary, variants = pa.binary(), {}
    meta = b"\x11\x02\x00\x01\x02ab"  # sorted, one-byte offsets: a, b
    value = pa.array([b"\x0c\5", b"\x02\x01\x00\x00\x02\x0c\x07", None], binary)
    shredded = pa.array([None, None, 9], pa.int32())
    variants["plain"] = pa.StructArray.from_arrays([pa.array([meta] * 2 + [meta], binary), pa.array([b"\x0c\5", b"\x02\x01\x00\x00\x02\x0c\x07", b"\0"], binary)], ["metadata", "value"])
    variants["shredded"] = pa.StructArray.from_arrays([pa.array([meta] * 3, binary), value, shredded], ["metadata", "value", "typed_value"])
    child = pa.struct([("value", binary), ("typed_value", pa.string())])
    objects = pa.array([{"a": {"value": None, "typed_value": "x"}, "b": {"value": b"\x0c\1", "typed_value": None}}, None, {"a": {"value": None, "typed_value": None}, "b": {"value": b"\0", "typed_value": None}}],
                       pa.struct([("a", child), ("b", child)]))
    variants["object"] = pa.StructArray.from_arrays([pa.array([meta] * 3, binary), pa.array([None, b"\x0c\5", b"\x02\x01\x00\x00\x02\x0c\x07"], binary), objects], ["metadata", "value", "typed_value"])
    lists = pa.array([[{"value": None, "typed_value": 1}, {"value": b"\x0c\3", "typed_value": None}], None, []], pa.list_(pa.struct([("value", binary), ("typed_value", pa.int64())])))
    variants["array"] = pa.StructArray.from_arrays([pa.array([meta] * 3, binary), pa.array([None, b"\0", None], binary), lists], ["metadata", "value", "typed_value"])
    for kind in (pa.bool_(), pa.float64(), pa.date32(), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.time64("us"), pa.decimal128(18, 2), pa.decimal128(30, 2), pa.float32(), pa.int8(), pa.binary(16)):
        sample = pa.array([None, None, 1], pa.int32()).cast(kind) if not (pa.types.is_fixed_size_binary(kind) or pa.types.is_temporal(kind)) else pa.array([None, None, b"0" * 16 if pa.types.is_fixed_size_binary(kind) else 1], kind)
        name = str(kind).replace("[", "-").replace("]", "").replace(", ", "-").replace("(", "-").replace(")", "").replace("=", "")
        variants["typed-" + name] = pa.StructArray.from_arrays([pa.array([meta] * 3, binary), pa.array([b"\x0c\5", None, None], binary), sample], ["metadata", "value", "typed_value"])
    for name, array in variants.items():
        seeds.put("fuzz_parquet", "variant-" + name, annotated_variant(parquet_bytes(pa.table({"v": array}), **plain), b"v"))
    some = [None, 1, 2, 2, 300]
    kinds = {"int96": (pa.array([None, 1, 10 ** 15], pa.timestamp("us")), dict(use_deprecated_int96_timestamps=True)),
             "uint64": (pa.array([None, 2 ** 64 - 1, 0], pa.uint64()), {}), "uint32": (pa.array(some, pa.uint32()), {}), "uint8": (pa.array([1, 255], pa.uint8()), {}),
             "half": (pa.array([None, 1.5, float("nan"), 1e-7], pa.float32()).cast(pa.float16()), {}),
             "decimal128": (pa.array([None, decimal.Decimal("-1.5"), decimal.Decimal("1e20")], pa.decimal128(38, 4)), {}),
             "decimal32": (pa.array([None, decimal.Decimal("-1.5")], pa.decimal128(6, 2)), dict(store_decimal_as_integer=True)),
             "decimal64": (pa.array([None, decimal.Decimal("-1.5")], pa.decimal128(16, 2)), dict(store_decimal_as_integer=True)),
             "millis": (pa.array([None, 5], pa.timestamp("ms")), {}), "nanos": (pa.array([None, 5], pa.timestamp("ns", "UTC")), {}), "time": (pa.array([None, 5], pa.time32("ms")), {}),
             "date": (pa.array([None, 5], pa.date32()), {}), "fixed": (pa.array([None, b"abc"], pa.binary(3)), {}),
             "delta": (pa.array(range(200), pa.int64()), dict(use_dictionary=False, column_encoding={"c": "DELTA_BINARY_PACKED"})),
             "delta-length": (pa.array(["a", "bb", None]), dict(use_dictionary=False, column_encoding={"c": "DELTA_LENGTH_BYTE_ARRAY"})),
             "delta-bytes": (pa.array(["prefix-a", "prefix-b", None]), dict(use_dictionary=False, column_encoding={"c": "DELTA_BYTE_ARRAY"})),
             "split": (pa.array([1.5, None, -2], pa.float64()), dict(use_dictionary=False, column_encoding={"c": "BYTE_STREAM_SPLIT"})),
             "rle-bool": (pa.array([True, None, False] * 9), dict(use_dictionary=False, column_encoding={"c": "RLE"})),
             "list": (pa.array([[1, None], None, [], [2] * 5], pa.list_(pa.int32())), {}), "lists": (pa.array([[[1], []], None, [None, [2, 3]]], pa.list_(pa.list_(pa.int64()))), {}),
             "map": (pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32())), {}),
             "row": (pa.array([{"a": 1, "b": {"c": "x", "d": [1]}}, None, {"a": None, "b": None}], pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string()), ("d", pa.list_(pa.int8()))]))])), {}),
             "many": (pa.array([i % 300 for i in range(3000)], pa.int32()), dict(data_page_size=256, write_page_index=True)),
             "unique": (pa.array([i * 7 for i in range(300)], pa.int64()), dict(data_page_size=256, write_page_index=True, use_dictionary=False))}
    for name, (array, options) in kinds.items():
        for version in ("1.0", "2.0"):
            data = parquet_bytes(pa.table({"c": array, "k": pa.array(range(len(array)), pa.int32())}), **{**plain, "data_page_version": version, **options})
            seeds.put("fuzz_parquet", f"{name}-v{version[0]}", data)
    for codec in ("snappy", "gzip", "brotli", "zstd", "lz4"):
        seeds.put("fuzz_parquet", "codec-" + codec, parquet_bytes(pa.table({"c": ["abcabcabc"] * 40}), store_schema=False, use_dictionary=False, compression=codec))
    with tempfile.TemporaryDirectory() as folder:  # DuckDB's dictionaries have bloom filters
        path = os.path.join(folder, "b.parquet")
        for name, value in (("int", "(i % 9 * 2 - 5)::INT"), ("double", "(i % 9 - 4.5)::DOUBLE"), ("text", "'x' || i % 9"), ("real", "(i % 9 - 4.5)::FLOAT"), ("long", "(i % 9 * 2 - 5)::BIGINT")):
            duckdb.sql(f"COPY (SELECT {value} AS c FROM range(500) t(i)) TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)")
            with open(path, "rb") as file:
                seeds.put("fuzz_parquet", "bloom-" + name, file.read())


# ---- text and the rest ----

def text_seeds(seeds):
    zs = zstandard.ZstdCompressor()
    csv = b"when,clock,what,n,yes\n2024-01-02 03:04:05.123,12:30:00,caf\xc3\xa9,1.5,true\n2024-01-03T03:04:05Z,23:59:59.5,\"a,\"\"b\",NA,false\n"
    dup = b"a,a,,b\n1,x,2,NULL\n2,y,3,\\N\n3,z,4,null\n"
    bare = b"1;2.50;2024-01-01\n2;3.50;2024-01-02\n3;4.50;2024-01-03\n"
    words = b"alpha,beta\ngamma,delta\n"
    js = b'{"a":1,"b":{"c":[1,2.5,null]},"t":"2024-01-02T03:04:05Z"}\n{"a":1e5,"b":null,"d":true}\n'
    for name, data in (("csv-kinds", csv), ("csv-same-names", dup), ("csv-bare", bare), ("csv-words", words)):
        seeds.put("fuzz_infer", name, b"\2" + data)
        seeds.put("fuzz_infer", name + "-gz", b"\2" + gzip.compress(data, mtime=0))
        seeds.put("fuzz_infer", name + "-zst", b"\2" + zs.compress(data))
        seeds.put("fuzz_infer", name + "-two", b"\x82" + data + data)
    seeds.put("fuzz_infer", "json-gz", b"\3" + gzip.compress(js, mtime=0))
    seeds.put("fuzz_infer", "json-bom", b"\3\xef\xbb\xbf" + js)
    seeds.put("fuzz_infer", "bzip2", b"\3BZh91AY&SY")
    seeds.put("fuzz_infer", "xz", b"\3\xfd7zXZ\0")
    small = parquet_bytes(pa.table({"c": pa.array([1], pa.int32())}), compression="none", store_schema=False)
    other = parquet_bytes(pa.table({"c": pa.array([1.5], pa.float64())}), compression="none", store_schema=False)
    for name, pair in (("same", small + small), ("other", small + other)):
        seeds.put("fuzz_infer", "parquet-" + name, b"\x80" + pair)
    rows = [("int", 1), ("long", 2), ("string", "x"), (["null", "int"], None), ({"type": "array", "items": "int"}, [1]),
            ({"type": "record", "name": "q", "fields": [{"name": "z", "type": "int"}]}, {"z": 1})]
    files = [container({"type": "record", "name": "r", "fields": [{"name": "c", "type": t}]}, [{"c": v}]) for t, v in rows]
    for i, one in enumerate(files):
        for j, two in enumerate(files):
            if len(one) == len(two) or i in (0, 3):
                size = max(len(one), len(two))
                seeds.put("fuzz_infer", f"avro-{i}-{j}", b"\x81" + one.ljust(size, b"\0")[:size] + two)
    seeds.put("fuzz_csv", "all-fields", b"\0" + b'1,"te""xt",-1.50,2024-01-02 03:04:05.678,1.5;2;x,7;inner\n"2",plain,n/a,,,;\n3,"a\nb",0,1969-12-31 23:59:59,,1;\r\n')
    seeds.put("fuzz_csv", "messages", b"\1" + b"1|x|2|2024-01-02 03:04:05|1;2|3;z\n5|y|bad|||\n")
    seeds.put("fuzz_csv", "escaped", b"\x1c" + b'# comment\n1,a\\,b,n/a,2024-01-02 03:04:05,,\n\n2,"q\\"q",1e2,,,\n')
    seeds.put("fuzz_csv", "refused", b"\0" + b"1,x,2\nx,y\n99999999999,z,1,,,\n1,2,3,4,5,6,7,8\n")
    every = ('{"b":"true","t":"12","i":-2147483648,"l":"99","f":"1.5","d":"-1e-320","n":"12.345","w":123456789012345678901234567890123456789.5e-9,'
             '"s":{"nested" : [1, true, "\\u00e9\\ud83d\\ude00\\b\\f\\n\\r\\t\\/\\\\\\""]},"y":"AQID","dt":"2024-02-29","tm":"23:59:59.999","ts":"2024-02-29 23:59:59.999",'
             '"tz":"2024-02-29 23:59:59.999999Z","n9":"2024-02-29 23:59:59.123456789","a":[[{"x":1}],[]],"m":{"k":{"x":1},"k":null},"a_name_of_more_than_16_bytes":{"x":1,"s":null}}\n')
    for mode in (0, 1, 4, 5):
        seeds.put("fuzz_json", f"every-{mode}", bytes([mode]) + every.encode())
    seeds.put("fuzz_json", "numbers", b"\1" + b"\n".join(b'{"%s":%s}' % (k, v) for k in (b"d", b"f", b"n", b"w", b"i", b"t") for v in
              (b"1e400", b"-0.0", b"1.7976931348623157e308", b"4.9e-324", b"9007199254740993", b"0.1", b"123456789012345678901234567890", b"1e23", b"99999999.995", b'"Infinity"', b'"-inf"', b"true", b'" 1"', b"1.", b"-", b"5e-1")))
    seeds.put("fuzz_json", "many-keys", b"\0" + b'{"m":{' + b",".join(b'"k%d":{"x":%d}' % (i % 60, i) for i in range(90)) + b"}}\n")
    seeds.put("fuzz_json", "wrong", b"\0" + b'{"i":1,}\n')
    for i, text in enumerate((b'{"i" 1}', b'{"i":tru}', b'{"i":1', b'{"s":"\\x"}', b'{"s":"\\u12g4"}', b'{"s":"\xff"}', b'["i"]', b'{"i":1}}', b'{"i":1.}', b'{"i":1e}', b'{"x":[1}', b'{1:2}', b'{"a":[[{"x":1 2}]]}', b'{"m":{"a":{},}}', b'{"m":{"a" {}}}')):
        seeds.put("fuzz_json", f"wrong-{i}", b"\0" + text + b"\n")


def compress_seeds(seeds):
    text = b"abcabcabcabc" * 20 + bytes(range(60))
    packed = {1: bytes(cramjam.snappy.compress_raw(text)), 2: gzip.compress(text, mtime=0), 3: bytes(cramjam.brotli.compress(text)),
              4: struct.pack(">II", len(text), len(cramjam.lz4.compress_block(text, store_size=False))) + bytes(cramjam.lz4.compress_block(text, store_size=False)),
              5: zstandard.ZstdCompressor(write_checksum=True).compress(text), 6: bytes(cramjam.lz4.compress_block(text, store_size=False)),
              7: bytes(cramjam.deflate.compress(text)), 8: bytes(cramjam.lz4.compress(text)), 9: bytes(cramjam.bzip2.compress(text)), 10: bytes(cramjam.xz.compress(text))}
    for codec, data in packed.items():
        seeds.put("fuzz_compress", f"packed-{codec}", bytes([codec, 0]) + data)
        seeds.put("fuzz_compress", f"twice-{codec}", bytes([codec, 0]) + data + data)
        seeds.put("fuzz_compress", f"plain-{codec}", bytes([codec, 1]) + text)
    seeds.put("fuzz_compress", "zlib", bytes([2, 0]) + bytes(cramjam.zlib.compress(text)))
    whole = zstandard.ZstdCompressor().compressobj()
    seeds.put("fuzz_compress", "zstd-no-size", bytes([5, 0]) + whole.compress(text) + whole.flush())
    for level in range(8):
        for kind in range(3):
            seeds.put("fuzz_compress", f"plain-zstd-{level}-{kind}", bytes([5, 1 + 2 * kind + 8 * level & 255]) + struct.pack("<40q", *range(40)))


def puffin_seeds(seeds):
    def puffin(blobs, properties=None, packed=False, flags=0):
        out, metas = b"PFA1", []
        for data, extra in blobs:
            metas.append({"type": "t", "fields": [1, 2], "snapshot-id": 5, "sequence-number": -1, "offset": len(out), "length": len(data), **extra})
            out += data
        text = json.dumps({"blobs": metas, **({"properties": properties} if properties else {})}).encode()
        text = bytes(cramjam.lz4.compress(text)) if packed else text
        return out + b"PFA1" + text + struct.pack("<II", len(text), flags | packed) + b"PFA1"
    text = b"blob" * 30
    blobs = [(text, {}), (zstandard.ZstdCompressor().compress(text), {"compression-codec": "zstd"}), (bytes(cramjam.lz4.compress(text)), {"compression-codec": "lz4", "properties": {"k": "v", "é": "\""}})]
    seeds.put("fuzz_puffin", "blobs", b"\0" + puffin(blobs, {"created-by": "x"}))
    seeds.put("fuzz_puffin", "packed-footer", b"\0" + puffin(blobs[:2], None, True))
    for name, extra in (("codec", {"compression-codec": "xz"}), ("far", {"offset": 1 << 62}), ("long", {"length": 1 << 40}), ("fields", {"fields": [1 << 40]}), ("type", {"type": 3}),
                        ("snapshot", {"snapshot-id": "x"}), ("properties", {"properties": [1]}), ("property", {"properties": {"a": 1}})):
        seeds.put("fuzz_puffin", "bad-" + name, b"\0" + puffin([(text, extra)]))
    seeds.put("fuzz_puffin", "bad-flags", b"\0" + puffin(blobs, flags=4))
    seeds.put("fuzz_puffin", "bad-list", b"\0PFA1PFA1{}" + struct.pack("<II", 2, 0) + b"PFA1")


def vector_seeds(seeds):
    """Deletion vectors that are not; bitmaps with each kind of container."""
    def vector(bitmaps, magic=b"\xd1\xd3\x39\x64"):
        body = magic + struct.pack("<Q", len(bitmaps)) + b"".join(struct.pack("<I", k) + b for k, b in bitmaps)
        return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))
    array = struct.pack("<IIHHI", 12346, 1, 0, 2, 16) + struct.pack("<3H", 1, 5, 9)
    bits = struct.pack("<IIHHI", 12346, 1, 0, 4999, 16) + (b"\xff" * 625).ljust(8192, b"\0")
    runs = struct.pack("<HH", 12347, 0) + b"\1" + struct.pack("<HHHHH", 7, 99, 1, 10, 99)
    for name, data in (("array", vector([(0, array)])), ("bits", vector([(0, bits)])), ("runs", vector([(0, runs), (5, array)])), ("magic", vector([], b"abcd")), ("negative", vector([(1 << 31, array)])),
                       ("behind", vector([(0, array + b"x")])), ("order", vector([(5, array), (1, array)])), ("short", b"\0\0\0"), ("length", b"\0" + vector([(0, array)])[1:] + b"x"), ("sum", vector([(0, array)])[:-1] + b"x")):
        seeds.put("fuzz_puffin", "vector-" + name, b"\2" + data)
        seeds.put("fuzz_puffin", "set-" + name, b"\1" + data[8:-4])


def variant_seeds(seeds):
    names = b"\x11\x03\x00\x01\x02\x03abc"  # sorted
    loose = b"\x01\x03\x00\x01\x02\x03bca"
    wide = b"\x51" + struct.pack("<HHHH", 2, 0, 1, 2) + b"ab"
    kinds = [b"\x00", b"\x04", b"\x08", b"\x0c\5", b"\x10\5\0", b"\x14" + b"\5" * 4, b"\x18" + b"\5" * 8, b"\x1c" + struct.pack("<d", 1.5), b"\x20\2" + b"\5" * 4, b"\x24\2" + b"\5" * 8, b"\x28\2" + b"\5" * 16,
             b"\x2c\1\0\0\0", b"\x30" + b"\1" * 8, b"\x34" + b"\1" * 8, b"\x38" + struct.pack("<f", 1.5), b"\x3c\2\0\0\0ab", b"\x40\2\0\0\0ab", b"\x44" + b"\1\0" * 4, b"\x48" + b"\1" * 8, b"\x4c" + b"\1" * 8, b"\x50" + b"\1" * 16, b"\x54", b"\x20\x7f" + b"\5" * 4, b"\x0dx"]
    for i, value in enumerate(kinds):
        seeds.put("fuzz_variant", f"kind-{i}", names + value)
        seeds.put("fuzz_variant", f"array-{i}", names + b"\x03\1\0" + bytes([len(value)]) + value)
        seeds.put("fuzz_variant", f"object-{i}", loose + b"\x02\2\0\1\0" + bytes([len(value), 2 * len(value)]) + value + value)
    seeds.put("fuzz_variant", "wide", wide + b"\x5e" + struct.pack("<I", 2) + struct.pack("<HH", 0, 1) + struct.pack("<IIII", 0, 1, 2, 0)[:12] + b"\0\4")
    seeds.put("fuzz_variant", "deep", names + b"".join(b"\x03\1\0" + bytes([(40 - i) * 4 + 1]) for i in range(40)) + b"\0")
    seeds.put("fuzz_variant", "version", b"\x12" + names[1:] + b"\0")
    seeds.put("fuzz_variant", "overlap", names + b"\x02\2\0\1\0\0\1" + b"\0")
    seeds.put("fuzz_variant", "order", names + b"\x02\2\1\0\0\1\2" + b"\0\0")
    seeds.put("fuzz_variant", "name", names + b"\x02\1\7\0\1" + b"\0")


def metadata_seeds(seeds):
    def field(i, kind, **more):
        return {"id": i, "name": f"c{i}", "required": i % 2 == 0, "type": kind, **more}
    kinds = ["boolean", "int", "long", "float", "double", "decimal(9, 2)", "date", "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[16]", "binary",
             "unknown", "variant", "geometry", "geometry(srid:3857)", "geography(OGC:CRS84, vincenty)"]
    fields = [field(i + 1, k) for i, k in enumerate(kinds)]
    fields.append(field(50, {"type": "list", "element-id": 51, "element-required": False, "element": {"type": "map", "key-id": 52, "key": "string", "value-id": 53, "value-required": True, "value": "int"}}))
    fields.append(field(60, {"type": "struct", "fields": [field(61, "int", **{"initial-default": 5, "write-default": 6, "doc": "tab\t\"\\ é\ud83d\ude00"})]}))
    fields[1] |= {"initial-default": 3}
    table = {"format-version": 3, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://b/t", "last-sequence-number": 34, "last-updated-ms": 1602638573590, "last-column-id": 61, "next-row-id": 100,
             "current-schema-id": 1, "schemas": [{"type": "struct", "schema-id": 0, "fields": fields[:2]}, {"type": "struct", "schema-id": 1, "identifier-field-ids": [2], "fields": fields}],
             "default-spec-id": 1, "partition-specs": [{"spec-id": 0, "fields": []}, {"spec-id": 1, "fields": [{"name": f"p{i}", "transform": t, "source-id": s, "field-id": 1000 + i} for i, (t, s) in enumerate(
                 [("identity", 2), ("bucket[16]", 3), ("truncate[4]", 13), ("year", 7), ("month", 7), ("day", 9), ("hour", 10), ("void", 1)])]}], "last-partition-id": 1007,
             "default-sort-order-id": 1, "sort-orders": [{"order-id": 0, "fields": []}, {"order-id": 1, "fields": [{"transform": "identity", "source-id": 2, "direction": "asc", "null-order": "nulls-first"},
                                                                                                         {"transform": "bucket[4]", "source-id": 3, "direction": "desc", "null-order": "nulls-last"}]}],
             "properties": {"read.split.target.size": "134217728", "schema.name-mapping.default": "[{\"field-id\":1,\"names\":[\"a\"]}]", "history.expire.max-snapshot-age-ms": "1"}, "current-snapshot-id": 3055729675574597004,
             "snapshots": [{"snapshot-id": 3051729675574597004, "timestamp-ms": 1515100955770, "sequence-number": 0, "summary": {"operation": "append"}, "manifest-list": "s3://a/b/1.avro", "first-row-id": 0, "added-rows": 10, "schema-id": 0},
                           {"snapshot-id": 3055729675574597004, "parent-snapshot-id": 3051729675574597004, "timestamp-ms": 1555100955770, "sequence-number": 1, "summary": {"operation": "overwrite", "x": "y"}, "manifest-list": "s3://a/b/2.avro", "schema-id": 1, "key-id": "k"}],
             "snapshot-log": [{"snapshot-id": 3051729675574597004, "timestamp-ms": 1515100955770}], "metadata-log": [{"metadata-file": "s3://m/1.json", "timestamp-ms": 1515100}],
             "refs": {"main": {"snapshot-id": 3055729675574597004, "type": "branch", "min-snapshots-to-keep": 2, "max-snapshot-age-ms": 5, "max-ref-age-ms": 9}, "t": {"snapshot-id": 3051729675574597004, "type": "tag"}},
             "statistics": [{"snapshot-id": 3055729675574597004, "statistics-path": "s3://a/s.puffin", "file-size-in-bytes": 413, "file-footer-size-in-bytes": 42, "blob-metadata": [{"type": "ndv", "snapshot-id": 3055729675574597004, "sequence-number": 1, "fields": [1]}]}],
             "partition-statistics": [{"snapshot-id": 3055729675574597004, "statistics-path": "s3://a/p.parquet", "file-size-in-bytes": 43}], "encryption-keys": [{"key-id": "5f819b", "encrypted-key-metadata": "YWI="}]}
    seeds.put("fuzz_metadata", "all-v3", json.dumps(table).encode())
    seeds.put("fuzz_metadata", "all-v3-utf8", json.dumps(table, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    for key in ("location", "schemas", "current-schema-id", "last-column-id", "partition-specs", "sort-orders", "snapshots", "refs", "properties"):
        for value in (None, 3.5, "x", [3], {"a": {}}):
            if key in ("location", "schemas", "last-column-id") or value in (None, "x"):
                changed = {**table, key: value} if value is not None else {k: v for k, v in table.items() if k != key}
                changed = {k: v for k, v in changed.items() if k == key or k not in ("statistics", "partition-statistics", "encryption-keys", "metadata-log", "snapshot-log")}
                seeds.put("fuzz_metadata", f"bad-{key}-{str(value)[:3].strip('[{')}", json.dumps({**changed, "schemas": changed["schemas"][:1] if key != "schemas" and "schemas" in changed else changed.get("schemas")}).encode())


def main():
    seeds = Seeds(sys.argv[1])
    avro_seeds(seeds)
    parquet_seeds(seeds)
    text_seeds(seeds)
    compress_seeds(seeds)
    puffin_seeds(seeds)
    vector_seeds(seeds)
    variant_seeds(seeds)
    metadata_seeds(seeds)


if __name__ == "__main__":
    main()
