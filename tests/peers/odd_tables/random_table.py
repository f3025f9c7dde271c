# SPDX-License-Identifier: Apache-2.0
"""A random Iceberg table, written from the specification alone, and the rows that it holds.

Values are internal ones: days, microseconds, unscaled decimals as ints; structs are dicts by field id, lists are
lists, maps lists of pairs. A row is kept as it was written, under the schema of its file; project() says what it is
under another one.
"""
import decimal
import json
import math
import os
import random
import struct
import zlib

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pyroaring

import iceberg_types as T

WORDS = ["", "a", "ab", "abc", "žluť", "漢字🐧", "zebra", "zz top", "\U0010ffff", "~", "%_", "it's"]
KEYS = ["int", "string", "date", "long"]
PRIMITIVES = ["boolean", "int", "long", "float", "double", "decimal(7,2)", "decimal(25,4)", "date", "timestamp", "timestamptz", "string", "binary", "time", "uuid", "fixed[3]"]
V3_ONLY = ["timestamp_ns", "timestamptz_ns"]
WIDER = {"int": "long", "float": "double", "decimal(7,2)": "decimal(16,2)", "decimal(16,2)": "decimal(30,2)", "decimal(25,4)": "decimal(38,4)"}
ARROW = {"boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(), "date": pa.date32(),
         "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us", "UTC"), "string": pa.string(), "binary": pa.binary(), "time": pa.time64("us"), "uuid": pa.binary(16), "fixed[3]": pa.binary(3),
         "timestamp_ns": pa.timestamp("ns"), "timestamptz_ns": pa.timestamp("ns", "UTC")}


def is_struct(kind):
    return isinstance(kind, dict) and kind["type"] == "struct"


# ---- values

def value_of(rng, kind, null=0.15):
    if rng.random() < null:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            return {f["id"]: value_of(rng, f["type"]) for f in kind["fields"]}
        if kind["type"] == "list":
            return [value_of(rng, kind["element"]) for _ in range(rng.choice([0, 1, 1, 2, 4]))]
        keys = {repr(k): k for k in (value_of(rng, kind["key"], 0) for _ in range(rng.choice([0, 1, 2, 3])))}
        return [(k, value_of(rng, kind["value"])) for k in keys.values()]
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "int":
        return rng.choice([0, 1, -1, 7, -7, 100, 2**31 - 1, -2**31, rng.randrange(-50, 50), rng.randrange(-50, 50)])
    if kind == "long":
        return rng.choice([0, 1, -1, 5 * 10**9, -5 * 10**9, 2**63 - 1, -2**63, rng.randrange(-50, 50), rng.randrange(-50, 50)])
    if kind in ("float", "double"):
        number = rng.choice([0.0, -0.0, 1.5, -2.25, math.nan, math.inf, -math.inf, rng.randrange(-20, 20) / 4])
        return number
    if kind.startswith("decimal"):
        most = 10 ** T.parse_decimal(kind)[0] - 1
        return rng.choice([0, 1, -1, 125, -125, most, -most, rng.randrange(-9999, 9999), 128, -128, 255, -256])
    if kind == "date":
        return rng.choice([0, -1, 1, 18321, -719162, 2932896, rng.randrange(-800, 800)])
    if kind in ("uuid", "fixed[3]"):
        return bytes(rng.choice([0, 1, 127, 128, 255]) for _ in range(16 if kind == "uuid" else 3))
    if kind == "time":
        return rng.choice([0, 1, 86_399_999_999, rng.randrange(86_400) * 1_000_000])
    if kind.endswith("_ns"):
        return rng.choice([0, -1, 1, 1_577_836_800_123_456_789, -5_000_000_000_000_000_001, rng.randrange(-10**14, 10**14)])
    if kind.startswith("timestamp"):
        return rng.choice([0, -1, 1, 1_577_836_800_123_456, -62135596800_000_000, rng.randrange(-10**11, 10**11)])
    if kind == "binary":
        return rng.choice([b"", b"\0", b"\xff", b"\xff\xff", b"abc", bytes(range(20))])
    word = rng.choice(WORDS)
    return word * rng.choice([1, 1, 1, 9])


def project(value, old, new):
    """What a value written as `old` is read as under `new`."""
    if value is None:
        return None
    if is_struct(new):
        known = {f["id"]: f for f in old["fields"]}
        return {f["id"]: project(value[f["id"]], known[f["id"]]["type"], f["type"]) if f["id"] in known else f.get("initial") for f in new["fields"]}
    if isinstance(new, dict) and new["type"] == "list":
        return [project(v, old["element"], new["element"]) for v in value]
    if isinstance(new, dict):
        return [(project(k, old["key"], new["key"]), project(v, old["value"], new["value"])) for k, v in value]
    return value


# ---- Arrow

def arrow_type(kind):
    if not isinstance(kind, dict):
        return pa.decimal128(*T.parse_decimal(kind)) if kind.startswith("decimal") else ARROW[kind]
    if kind["type"] == "struct":
        return pa.struct([arrow_field(f["id"], f["name"], f["type"]) for f in kind["fields"]])
    if kind["type"] == "list":
        return pa.list_(arrow_field(kind["element-id"], "element", kind["element"]))
    return pa.map_(arrow_field(kind["key-id"], "key", kind["key"], False), arrow_field(kind["value-id"], "value", kind["value"]))


def arrow_field(number, name, kind, nullable=True):
    return pa.field(name, arrow_type(kind), nullable, {"PARQUET:field_id": str(number)})


def array_of(kind, values):
    shape = arrow_type(kind)
    missing = pa.array([v is None for v in values], pa.bool_())
    if not isinstance(kind, dict):
        if kind.startswith("decimal"):
            scale = T.parse_decimal(kind)[1]
            context = decimal.Context(prec=50)
            return pa.array([None if v is None else decimal.Decimal(v).scaleb(-scale, context) for v in values], shape)
        if kind == "date":
            return pa.array(values, pa.int32()).view(shape)
        return pa.array(values, pa.int64()).view(shape) if kind.startswith("time") else pa.array(values, shape)
    if kind["type"] == "struct":
        children = [array_of(f["type"], [None if v is None else v[f["id"]] for v in values]) for f in kind["fields"]]
        return pa.StructArray.from_arrays(children, fields=list(shape), mask=missing)
    offsets = [0]
    for v in values:
        offsets.append(offsets[-1] + len(v or ()))
    marked = pa.array([None if i < len(values) and values[i] is None else at for i, at in enumerate(offsets)], pa.int32())
    flat = [x for v in values for x in v or ()]
    if kind["type"] == "list":
        return pa.ListArray.from_arrays(marked, array_of(kind["element"], flat), type=shape)
    return pa.MapArray.from_arrays(marked, array_of(kind["key"], [k for k, _ in flat]), array_of(kind["value"], [v for _, v in flat]), type=shape)


def table_of(fields, rows):
    return pa.Table.from_arrays([array_of(f["type"], [r[f["id"]] for r in rows]) for f in fields],
                                schema=pa.schema([arrow_field(f["id"], f["name"], f["type"]) for f in fields]))


def without_ids(kind):
    """A schema or type of Arrow whose fields do not say what they are."""
    if isinstance(kind, pa.Schema):
        return pa.schema([without_ids(f) for f in kind])
    if isinstance(kind, pa.Field):
        return pa.field(kind.name, without_ids(kind.type), kind.nullable)
    if pa.types.is_struct(kind):
        return pa.struct([without_ids(f) for f in kind])
    if pa.types.is_list(kind):
        return pa.list_(without_ids(kind.value_field))
    if pa.types.is_map(kind):
        return pa.map_(without_ids(kind.key_field), without_ids(kind.item_field))
    return kind


# ---- Avro

def avro_type(kind, number, with_ids=True):
    if not isinstance(kind, dict):
        if kind.startswith("decimal"):
            precision, scale = T.parse_decimal(kind)
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale} if not with_ids else \
                {"type": "fixed", "name": f"d{number}", "size": 16, "logicalType": "decimal", "precision": precision, "scale": scale}
        if kind == "date":
            return {"type": "int", "logicalType": "date"}
        if kind == "time":
            return {"type": "long", "logicalType": "time-micros"}
        if kind in ("uuid", "fixed[3]"):
            return {"type": "fixed", "name": f"x{number}", "size": 16 if kind == "uuid" else 3, **({"logicalType": "uuid"} if kind == "uuid" else {})}
        if kind.endswith("_ns"):
            return {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": kind == "timestamptz_ns"}
        if kind.startswith("timestamp"):
            return {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": kind == "timestamptz"}
        return {"binary": "bytes"}.get(kind, kind)
    if kind["type"] == "struct":
        return {"type": "record", "name": f"r{number}", "fields": avro_fields(kind["fields"])}
    if kind["type"] == "list":
        return {"type": "array", "items": ["null", avro_type(kind["element"], kind["element-id"])], "element-id": kind["element-id"]}
    if kind["key"] == "string":
        return {"type": "map", "values": ["null", avro_type(kind["value"], kind["value-id"])], "key-id": kind["key-id"], "value-id": kind["value-id"]}
    return {"type": "array", "logicalType": "map", "items": {"type": "record", "name": f"k{kind['key-id']}_v{kind['value-id']}", "fields": [
        {"name": "key", "type": avro_type(kind["key"], kind["key-id"]), "field-id": kind["key-id"]},
        {"name": "value", "type": ["null", avro_type(kind["value"], kind["value-id"])], "default": None, "field-id": kind["value-id"]}]}}


def avro_fields(fields):
    return [{"name": f["name"], "type": ["null", avro_type(f["type"], f["id"])], "default": None, "field-id": f["id"]} for f in fields]


def avro_value(kind, v):
    if v is None:
        return None
    if not isinstance(kind, dict):
        if kind.startswith("decimal"):
            return decimal.Decimal(v).scaleb(-T.parse_decimal(kind)[1], decimal.Context(prec=50))
        return v
    if kind["type"] == "struct":
        return {f["name"]: avro_value(f["type"], v[f["id"]]) for f in kind["fields"]}
    if kind["type"] == "list":
        return [avro_value(kind["element"], x) for x in v]
    if kind["key"] == "string":
        return {k: avro_value(kind["value"], x) for k, x in v}
    return [{"key": avro_value(kind["key"], k), "value": avro_value(kind["value"], x)} for k, x in v]


# ---- metrics

def single_value(kind, v):
    if kind == "boolean":
        return b"\1" if v else b"\0"
    if kind in ("int", "date"):
        return struct.pack("<i", v)
    if kind in ("float", "double"):
        return struct.pack("<f" if kind == "float" else "<d", v)
    if kind.startswith("decimal"):
        return v.to_bytes(T.decimal_bytes(v), "big", signed=True)
    if kind == "string":
        return v.encode()
    return v if isinstance(v, bytes) else struct.pack("<q", v)


def leaves(fields, rows):
    """(id, type, values) of primitive columns outside of lists and maps."""
    for f in fields:
        values = [None if r is None else r[f["id"]] for r in rows]
        if is_struct(f["type"]):
            yield from leaves(f["type"]["fields"], values)
        elif not isinstance(f["type"], dict):
            yield f["id"], f["type"], values


def metrics(rng, fields, rows):
    """Counts and bounds as a writer may or may not give them."""
    out = {"value_counts": [], "null_value_counts": [], "nan_value_counts": [], "lower_bounds": [], "upper_bounds": []}
    mode = rng.choice(["none", "full", "full", "truncate", "mixed"])
    for number, kind, values in leaves(fields, rows):
        if mode == "none" or (mode == "mixed" and rng.random() < 0.4):
            continue
        present = [v for v in values if v is not None]
        out["value_counts"].append({"key": number, "value": len(values)})
        out["null_value_counts"].append({"key": number, "value": len(values) - len(present)})
        if kind in ("float", "double"):
            out["nan_value_counts"].append({"key": number, "value": sum(v != v for v in present)})
            present = [v for v in present if v == v]
        if not present:
            continue
        low, high = min(present, key=lambda v: T.order_key(kind, v)), max(present, key=lambda v: T.order_key(kind, v))
        low = -0.0 if kind in ("float", "double") and low == 0 else low
        high = 0.0 if kind in ("float", "double") and high == 0 else high
        if mode == "truncate" and kind in ("string", "binary"):
            low = low[:1]
            if len(high) > 1:
                high = upper(kind, high[:1])
        out["lower_bounds"].append({"key": number, "value": single_value(kind, low)})
        if high is not None:
            out["upper_bounds"].append({"key": number, "value": single_value(kind, high)})
    return {k: v or None for k, v in out.items()}


def upper(kind, v):
    """The next larger text of one letter; None: there is none."""
    if kind == "binary":
        return bytes([v[0] + 1]) if v[0] < 255 else None
    point = ord(v) + 1
    point = 0xE000 if 0xD800 <= point < 0xE000 else point
    return chr(point) if point <= 0x10FFFF else None


# ---- the table

def by_name(kind):
    """An Iceberg type as metadata has it."""
    if not isinstance(kind, dict):
        return kind
    if kind["type"] == "struct":
        return {"type": "struct", "fields": [json_field(f) for f in kind["fields"]]}
    out = {k: v for k, v in kind.items()}
    for part in ("element", "key", "value"):
        if part in out:
            out[part] = by_name(out[part])
    return out


def json_field(f):
    out = {"id": f["id"], "name": f["name"], "required": False, "type": by_name(f["type"])}
    if "initial" in f:
        out["initial-default"] = out["write-default"] = f["initial"]
    return out


COUNTS = [("column_sizes", 117, 118, 108), ("value_counts", 119, 120, 109), ("null_value_counts", 121, 122, 110), ("nan_value_counts", 138, 139, 137)]
BOUNDS = [("lower_bounds", 126, 127, 125), ("upper_bounds", 129, 130, 128)]


def optional(name, kind, number):
    return {"name": name, "type": ["null", kind], "default": None, "field-id": number}


def entry_schema(parts):
    fields = [{"name": "content", "type": "int", "field-id": 134}, {"name": "file_path", "type": "string", "field-id": 100},
              {"name": "file_format", "type": "string", "field-id": 101},
              {"name": "partition", "type": {"type": "record", "name": "r102", "fields": parts}, "field-id": 102},
              {"name": "record_count", "type": "long", "field-id": 103}, {"name": "file_size_in_bytes", "type": "long", "field-id": 104}]
    for names, base in ((COUNTS, "long"), (BOUNDS, "bytes")):
        for name, key, value, number in names:
            item = {"type": "record", "name": f"k{key}_v{value}", "fields": [{"name": "key", "type": "int", "field-id": key},
                                                                            {"name": "value", "type": base, "field-id": value}]}
            fields.append(optional(name, {"type": "array", "items": item, "logicalType": "map"}, number))
    fields += [optional("equality_ids", {"type": "array", "items": "int", "element-id": 136}, 135), optional("first_row_id", "long", 142),
               optional("referenced_data_file", "string", 143), optional("content_offset", "long", 144), optional("content_size_in_bytes", "long", 145)]
    return {"type": "record", "name": "manifest_entry", "fields": [
        {"name": "status", "type": "int", "field-id": 0}, optional("snapshot_id", "long", 1), optional("sequence_number", "long", 3),
        optional("file_sequence_number", "long", 4), {"name": "data_file", "type": {"type": "record", "name": "r2", "fields": fields}, "field-id": 2}]}


LIST_SCHEMA = {"type": "record", "name": "manifest_file", "fields": [
    {"name": "manifest_path", "type": "string", "field-id": 500}, {"name": "manifest_length", "type": "long", "field-id": 501},
    {"name": "partition_spec_id", "type": "int", "field-id": 502}, {"name": "content", "type": "int", "field-id": 517},
    {"name": "sequence_number", "type": "long", "field-id": 515}, {"name": "min_sequence_number", "type": "long", "field-id": 516},
    {"name": "added_snapshot_id", "type": "long", "field-id": 503}, {"name": "added_files_count", "type": "int", "field-id": 504},
    {"name": "existing_files_count", "type": "int", "field-id": 505}, {"name": "deleted_files_count", "type": "int", "field-id": 506},
    {"name": "added_rows_count", "type": "long", "field-id": 512}, {"name": "existing_rows_count", "type": "long", "field-id": 513},
    {"name": "deleted_rows_count", "type": "long", "field-id": 514},
    optional("partitions", {"type": "array", "element-id": 508, "items": {"type": "record", "name": "r508", "fields": [
        {"name": "contains_null", "type": "boolean", "field-id": 509}, optional("contains_nan", "boolean", 518),
        optional("lower_bound", "bytes", 510), optional("upper_bound", "bytes", 511)]}}, 507),
    optional("first_row_id", "long", 520)]}


class RandomTable:
    def __init__(self, seed, folder):
        self.rng, self.folder = random.Random(seed), folder
        self.version = self.rng.choice([2, 3, 3])
        self.last_id = 0
        self.names = 0
        self.location = "s3://bucket/lake/random"
        self.is_mapped = self.rng.random() < 0.3  # some files have no ids
        os.makedirs(f"{folder}/metadata")
        os.makedirs(f"{folder}/data")
        self.schemas = [{"id": 0, "fields": [self.field("int")] + [self.field() for _ in range(self.rng.randrange(2, 6))]}]
        self.specs = [{"id": 0, "fields": []}]
        self.sequence = 0
        self.next_row = 0
        self.files = []      # of data: dicts
        self.deletes = []    # equality: (ids, keys, seq, spec, partition); for the model
        self.manifests = []  # of the last snapshot
        self.snapshots = []
        self.counter = 0

    # -- schema

    def number(self):
        self.last_id += 1
        return self.last_id

    def name(self):
        self.names += 1
        return self.rng.choice(["c", "Col ", "é", "x.y", "1"]) + str(self.names)

    def kind(self, depth=0):
        rng = self.rng
        if depth > 2 or rng.random() < 0.6:
            return rng.choice(PRIMITIVES + V3_ONLY if self.version == 3 else PRIMITIVES)
        shape = rng.choice(["struct", "struct", "list", "map"])
        if shape == "struct":
            return {"type": "struct", "fields": [self.field(depth=depth + 1) for _ in range(rng.randrange(1, 4))]}
        if shape == "list":
            return {"type": "list", "element-id": self.number(), "element": self.kind(depth + 1), "element-required": False}
        return {"type": "map", "key-id": self.number(), "key": rng.choice(KEYS), "value-id": self.number(), "value": self.kind(depth + 1), "value-required": False}

    def field(self, kind=None, depth=0):
        return {"id": self.number(), "name": self.name(), "type": kind or self.kind(depth)}

    def structs(self, fields):
        """Every list of fields of a schema, at any depth."""
        yield fields
        for f in fields:
            yield from self.structs_of(f["type"])

    def structs_of(self, kind):
        if isinstance(kind, dict):
            if kind["type"] == "struct":
                yield from self.structs(kind["fields"])
            for part in ("element", "value"):
                if part in kind:
                    yield from self.structs_of(kind[part])

    def evolve(self):
        rng = self.rng
        fields = json.loads(json.dumps(self.schemas[-1]["fields"]))
        sources = {p["source-id"] for p in self.specs[-1]["fields"]}
        for _ in range(rng.randrange(1, 5)):
            at = rng.choice(list(self.structs(fields)))
            step = rng.choice(["add", "add", "drop", "rename", "move", "widen", "again"])
            index = rng.randrange(len(at))
            chosen = at[index]
            if step == "add":
                new = self.field()
                if self.version == 3 and new["type"] in ("int", "long", "string", "boolean") and rng.random() < 0.6:
                    new["initial"] = {"int": 42, "long": -42, "string": "dé", "boolean": True}[new["type"]]
                at.insert(rng.randrange(len(at) + 1), new)
            elif step == "drop" and len(at) > 1 and chosen["id"] != 1 and not self.holds(chosen, sources):
                at.pop(index)
            elif step == "again" and not self.is_mapped and len(at) > 1 and chosen["id"] != 1 and not self.holds(chosen, sources):
                at[index] = dict(self.field(), name=chosen["name"])
            elif step == "rename":
                chosen["name"] = self.name()
            elif step == "move":
                at.insert(rng.randrange(len(at)), at.pop(index))
            elif step == "widen" and chosen["type"] in list(WIDER):
                if "initial" not in chosen:
                    chosen["type"] = WIDER[chosen["type"]]
        self.schemas.append({"id": len(self.schemas), "fields": fields})

    def holds(self, f, ids):
        return f["id"] in ids or any(g["id"] in ids for s in self.structs_of(f["type"]) for g in s)

    def partition_anew(self):
        rng = self.rng
        fields = []
        for number, kind, _ in leaves(self.schemas[-1]["fields"], []):
            transform = rng.choice(["identity", "identity", "bucket[3]", "truncate[2]", "truncate[10]", "year", "month", "day", "hour", "void"])
            if transform.startswith("truncate") and kind.startswith("decimal"):
                continue  # may need more digits than there are
            if kind in ("float", "double") and transform == "identity":
                continue  # repr() of NaN and zeros would have to be that of their bits
            if len(fields) < 2 and rng.random() < 0.4 and T.transform_allowed(transform, kind):
                fields.append({"source-id": number, "field-id": 1000 + 10 * len(self.specs) + len(fields), "name": f"p{len(self.specs)}_{len(fields)}",
                               "transform": transform})
        self.specs.append({"id": len(self.specs), "fields": fields})

    # -- files

    def path(self, ending, what="data"):
        self.counter += 1
        return f"{what}/{self.counter:05d}-é {what}.{ending}"

    def write_rows(self, fields, rows, path):
        rng = self.rng
        full = f"{self.folder}/{path}"
        if path.endswith(".avro"):
            schema = {"type": "record", "name": "table", "fields": [dict(x, name=f"f{x['field-id']}") for x in avro_fields(fields)]}
            values = [{f"f{f['id']}": avro_value(f["type"], r[f["id"]]) for f in fields} for r in rows]
            with open(full, "wb") as out:
                fastavro.writer(out, schema, values, codec=rng.choice(["null", "deflate", "snappy", "zstandard"]), sync_interval=rng.choice([50, 16000]))
        else:
            made = table_of(fields, rows)
            if self.is_mapped and path.startswith("data/") and rng.random() < 0.5:
                made = made.cast(without_ids(made.schema))
            pq.write_table(made, full, row_group_size=rng.choice([5, 20, 1000]), compression=rng.choice(["none", "snappy", "zstd", "gzip"]),
                           use_dictionary=rng.random() < 0.6, data_page_version=rng.choice(["1.0", "2.0"]), write_page_index=rng.random() < 0.6,
                           data_page_size=rng.choice([64, 1 << 20]), write_statistics=rng.random() < 0.8, write_batch_size=rng.choice([1, 4, 1024]))
        return os.path.getsize(full)

    def source_values(self, fields, rows):
        return {number: (kind, values) for number, kind, values in leaves(fields, rows)}

    def add_files(self):
        rng = self.rng
        schema, spec = self.schemas[-1], rng.choice([self.specs[-1], self.specs[-1], self.specs[0]])
        rows = [{f["id"]: value_of(rng, f["type"]) for f in schema["fields"]} for _ in range(rng.choice([1, 5, 30, 60]))]
        sources = self.source_values(schema["fields"], rows)
        groups = {}
        for i, row in enumerate(rows):
            key = []
            for p in spec["fields"]:
                kind, values = sources.get(p["source-id"], ("int", [None] * len(rows)))
                key.append(T.apply_transform(p["transform"], kind, values[i]))
                if p["transform"].startswith("truncate") and kind in ("int", "long") and key[-1] is not None and \
                        key[-1] < (-2**31 if kind == "int" else -2**63):
                    key[-1] += 2**32 if kind == "int" else 2**64  # Java wraps around
            groups.setdefault(repr(key), (key, []))[1].append(row)
        out = []
        for key, part in list(groups.values())[:8]:
            ending = rng.choice(["parquet", "parquet", "parquet", "avro"])
            path = self.path(ending)
            size = self.write_rows(schema["fields"], part, path)
            out.append({"path": path, "rows": part, "schema": schema, "spec": spec, "partition": key, "sequence": self.sequence, "dead": set(), "vector": None,
                        "size": size, "metrics": metrics(rng, schema["fields"], part), "first": None})
        self.files += out
        return out

    def data_entry(self, file, status, explicit):
        entry = {"content": 0, "file_path": f"{self.location}/{file['path']}", "file_format": "PARQUET" if file["path"].endswith("parquet") else "avro",
                 "partition": self.tuple(file["spec"], file["partition"]), "record_count": len(file["rows"]), "file_size_in_bytes": file["size"],
                 "column_sizes": None, **file["metrics"], "first_row_id": file["first"] if status == 0 else None}
        return {"status": status, "snapshot_id": file["snapshot"] if explicit else None, "sequence_number": file["sequence"] if explicit else None,
                "file_sequence_number": file["sequence"] if explicit else None, "data_file": entry}

    def tuple(self, spec, values):
        """The partition of a manifest entry."""
        out = {}
        for p, v in zip(spec["fields"], values):
            kind = self.result(p)
            if v is not None and kind.startswith("decimal"):
                v = decimal.Decimal(v).scaleb(-T.parse_decimal(kind)[1], decimal.Context(prec=50))
            out[p["name"]] = v
        return out

    def result(self, part):
        """Type of a partition field: its source's newest one."""
        kind = "int"
        for schema in self.schemas:
            found = {n: k for n, k, _ in leaves(schema["fields"], [])}
            kind = found.get(part["source-id"], kind)
        return T.result_type(part["transform"], kind)

    def write_manifest(self, spec, content, entries):
        rng = self.rng
        path = self.path("avro", "metadata")
        parts = []
        for p in spec["fields"]:
            parts.append(optional(p["name"], avro_type(self.result(p), p["field-id"]), p["field-id"]))
        header = {} if rng.random() < 0.2 else {
            "schema": json.dumps(self.schema_json(self.schemas[-1])), "partition-spec": json.dumps(spec["fields"]), "partition-spec-id": str(spec["id"]),
            "format-version": str(self.version), "content": "deletes" if content else "data"}
        with open(f"{self.folder}/{path}", "wb") as out:
            fastavro.writer(out, entry_schema(parts), entries, codec=rng.choice(["deflate", "null"]), metadata=header)
        live = [e for e in entries if e["status"] != 2]
        first = None
        if self.version == 3 and content == 0:
            first = self.next_row
            for e in live:
                if e["data_file"]["first_row_id"] is None:
                    self.next_row += e["data_file"]["record_count"]
        count = {s: [e for e in entries if e["status"] == s] for s in (0, 1, 2)}
        rows = {s: sum(e["data_file"]["record_count"] for e in count[s]) for s in count}
        return {"manifest_path": f"{self.location}/{path}", "manifest_length": os.path.getsize(f"{self.folder}/{path}"), "partition_spec_id": spec["id"],
                "content": content, "sequence_number": self.sequence,
                "min_sequence_number": min([e["sequence_number"] or self.sequence for e in live], default=self.sequence), "added_snapshot_id": self.snapshot_id(),
                "added_files_count": len(count[1]), "existing_files_count": len(count[0]), "deleted_files_count": len(count[2]), "added_rows_count": rows[1],
                "existing_rows_count": rows[0], "deleted_rows_count": rows[2], "partitions": self.summaries(spec, live), "first_row_id": first,
                "entries": entries, "spec": spec}

    def summaries(self, spec, entries):
        if self.rng.random() < 0.2:
            return None
        out = []
        for p in spec["fields"]:
            kind = self.result(p)
            values = [T.internal(kind, e["data_file"]["partition"][p["name"]]) for e in entries]
            present = [v for v in values if v is not None]
            keys = {"lower_bound": None, "upper_bound": None}
            if present:
                low, high = min(present, key=lambda v: T.order_key(kind, v)), max(present, key=lambda v: T.order_key(kind, v))
                keys = {"lower_bound": single_value(kind, low), "upper_bound": single_value(kind, high)}
            out.append({"contains_null": None in values, "contains_nan": False, **keys})
        return out

    # -- commits

    def snapshot_id(self):
        return 1000 + self.sequence

    def commit(self):
        rng = self.rng
        self.sequence += 1
        fresh = self.add_files()
        for file in fresh:
            file["snapshot"] = self.snapshot_id()
        made = []
        for spec in self.specs:
            mine = [f for f in fresh if f["spec"] is spec]
            if mine:
                made.append(self.write_manifest(spec, 0, [self.data_entry(f, 1, rng.random() < 0.3) for f in mine]))
                if self.version == 3:
                    row = made[-1]["first_row_id"]
                    for f in mine:
                        f["first"] = row
                        row += len(f["rows"])
        if len(self.files) > len(fresh) and rng.random() < 0.8:
            made += self.delete_some(fresh)
        self.manifests = [m for m in self.manifests if not m.get("replaced")] + made
        if rng.random() < 0.25:
            self.drop_file()
        self.finish()

    def drop_file(self):
        """A whole file goes: its manifest is written again, with existing entries and a deleted one."""
        old = self.rng.choice([m for m in self.manifests if m["content"] == 0])
        live = [f for f in self.files if any(e["data_file"]["file_path"].endswith(f["path"]) and e["status"] != 2 for e in old["entries"])]
        if not live:
            return
        gone = self.rng.choice(live)
        entries = [self.data_entry(f, 2 if f is gone else 0, True) for f in live]
        self.manifests = [m for m in self.manifests if m is not old] + [self.write_manifest(old["spec"], 0, entries)]
        self.files = [f for f in self.files if f is not gone]

    def delete_some(self, fresh):
        rng = self.rng
        out = []
        for kind in rng.choice([["equality"], ["positions"], ["equality", "positions"], ["positions", "equality"], ["equality", "equality"]]):
            if kind == "equality":
                out += self.delete_equal()
            elif self.version == 3:
                out += self.vectors()
            else:
                out += self.positions(fresh)
        return out

    def delete_file(self, spec, partition, path, rows, **more):
        return {"status": 1, "snapshot_id": None, "sequence_number": None, "file_sequence_number": None, "data_file": {
            "content": 1, "file_path": f"{self.location}/{path}", "file_format": path.rsplit(".", 1)[1].upper(), "partition": self.tuple(spec, partition),
            "record_count": rows, "file_size_in_bytes": os.path.getsize(f"{self.folder}/{path}"), **more}}

    def positions(self, fresh):
        rng = self.rng
        chosen = rng.choice(self.files)
        same = [f for f in self.files if f["spec"] is chosen["spec"] and f["partition"] == chosen["partition"]]
        pairs = []
        for f in rng.sample(same, rng.randrange(1, len(same) + 1)):
            for at in rng.sample(range(len(f["rows"])), rng.randrange(0, len(f["rows"]) + 1) if rng.random() < 0.3 else min(2, len(f["rows"]))):
                pairs.append((f"{self.location}/{f['path']}", at))
                f["dead"].add(at)
        pairs.sort()
        path = self.path("parquet")
        pq.write_table(pa.table([[p for p, _ in pairs], pa.array([n for _, n in pairs], pa.int64())], schema=pa.schema([
            pa.field("file_path", pa.string(), False, {"PARQUET:field_id": "2147483546"}), pa.field("pos", pa.int64(), False, {"PARQUET:field_id": "2147483545"})])),
            f"{self.folder}/{path}")
        return [self.write_manifest(chosen["spec"], 1, [self.delete_file(chosen["spec"], chosen["partition"], path, len(pairs))])]

    def vectors(self):
        rng = self.rng
        chosen = rng.sample(self.files, rng.randrange(1, min(4, len(self.files)) + 1))
        path = self.path("puffin")
        data, blobs, entries = b"PFA1", [], {}
        for f in chosen:
            f["dead"] |= set(rng.sample(range(len(f["rows"])), rng.randrange(1, len(f["rows"]) + 1) if rng.random() < 0.3 else 1))
            bitmap = pyroaring.BitMap(f["dead"]).serialize()
            payload = b"\xd1\xd3\x39\x64" + struct.pack("<Q", 1) + struct.pack("<I", 0) + bitmap
            blob = struct.pack(">I", len(payload)) + payload + struct.pack(">I", zlib.crc32(payload))
            blobs.append({"type": "deletion-vector-v1", "fields": [2147483645], "snapshot-id": -1, "sequence-number": -1, "offset": len(data), "length": len(blob),
                          "properties": {"referenced-data-file": f"{self.location}/{f['path']}", "cardinality": str(len(f["dead"]))}})
            f["place"] = (len(data), len(blob))
            data += blob
        footer = json.dumps({"blobs": blobs}).encode()
        data += b"PFA1" + footer + struct.pack("<i", len(footer)) + b"\0\0\0\0" + b"PFA1"
        with open(f"{self.folder}/{path}", "wb") as out:
            out.write(data)
        for f in chosen:
            entry = self.delete_file(f["spec"], f["partition"], path, len(f["dead"]), referenced_data_file=f"{self.location}/{f['path']}",
                                     content_offset=f["place"][0], content_size_in_bytes=f["place"][1])
            entries.setdefault(f["spec"]["id"], []).append(entry)
        names = {f"{self.location}/{f['path']}" for f in chosen}
        for m in self.manifests:  # the older vectors of these files go
            if m["content"] == 1 and any(e["data_file"].get("referenced_data_file") in names for e in m["entries"]):
                m["replaced"] = True
                kept = [dict(e, status=0, snapshot_id=m["added_snapshot_id"], sequence_number=e["sequence_number"] or m["sequence_number"],
                             file_sequence_number=e["file_sequence_number"] or m["sequence_number"])
                        for e in m["entries"] if e["data_file"].get("referenced_data_file") not in names and e["status"] != 2]
                if kept:
                    entries.setdefault(m["spec"]["id"], []).extend(kept)
        return [self.write_manifest(self.specs[number], 1, mine) for number, mine in entries.items()]

    def delete_equal(self):
        rng = self.rng
        schema = self.schemas[-1]
        usable = [f for f in schema["fields"] if not isinstance(f["type"], dict) and f["type"] not in ("float", "double")]
        columns = rng.sample(usable, rng.randrange(1, min(2, len(usable)) + 1))
        spec, partition = self.specs[0], []
        if rng.random() < 0.5:
            chosen = rng.choice(self.files)
            spec, partition = chosen["spec"], chosen["partition"]
        everything = [project(r, dict(type="struct", fields=f["schema"]["fields"]), dict(type="struct", fields=schema["fields"])) for f in self.files for r in f["rows"]]
        keys = [{c["id"]: row[c["id"]] for c in columns} for row in rng.sample(everything, min(len(everything), rng.randrange(1, 6)))]
        path = self.path(rng.choice(["parquet", "avro"]))
        self.write_rows(columns, keys, path)
        ids = [c["id"] for c in columns]
        self.deletes.append({"ids": ids, "keys": [[k[i] for i in ids] for k in keys], "sequence": self.sequence, "spec": spec, "partition": partition})
        ids = rng.sample(ids, len(ids))
        return [self.write_manifest(spec, 1, [self.delete_file(spec, partition, path, len(keys), content=2, equality_ids=ids)])]

    def finish(self):
        path = self.path("avro", "metadata")
        with open(f"{self.folder}/{path}", "wb") as out:
            fastavro.writer(out, LIST_SCHEMA, [{k: v for k, v in m.items() if k not in ("entries", "spec")} for m in self.manifests], metadata={
                "snapshot-id": str(self.snapshot_id()), "sequence-number": str(self.sequence), "format-version": str(self.version)})
        self.snapshots.append({"snapshot-id": self.snapshot_id(), "sequence-number": self.sequence, "timestamp-ms": 1_700_000_000_000 + self.sequence * 1000,
                               "manifest-list": f"{self.location}/{path}", "summary": {"operation": "overwrite"}, "schema-id": self.schemas[-1]["id"],
                               **({"first-row-id": 0, "added-rows": self.next_row} if self.version == 3 else {}), "rows": self.rows(self.schemas[-1])})

    def schema_json(self, schema):
        return {"type": "struct", "schema-id": schema["id"], "fields": [json_field(f) for f in schema["fields"]]}

    def key_type(self, schema, number):
        """The field of a key: in the schema that is read, else in the newest that has it."""
        for s in [schema, *reversed(self.schemas)]:
            for f in s["fields"]:
                if f["id"] == number:
                    return f
        raise AssertionError(number)

    def rows(self, schema):
        """What the table holds now: (row, file, place) under a schema."""
        out = []
        new = {"type": "struct", "fields": schema["fields"]}
        for f in self.files:
            old = {"type": "struct", "fields": f["schema"]["fields"]}
            for at, row in enumerate(f["rows"]):
                if at in f["dead"]:
                    continue
                gone = False
                for d in self.deletes:
                    is_global = all(p["transform"] == "void" for p in d["spec"]["fields"])
                    if f["sequence"] < d["sequence"] and (is_global or (d["spec"] is f["spec"] and d["partition"] == f["partition"])):
                        keys = {"type": "struct", "fields": [self.key_type(schema, i) for i in d["ids"]]}
                        seen = project(row, old, keys)
                        gone = gone or [seen[i] for i in d["ids"]] in d["keys"]
                if not gone:
                    first = f["first"]
                    out.append((project(row, old, new), f["path"], at, None if first is None else first + at, f["sequence"], f["spec"]["id"]))
        return out

    def mapping(self):
        """Every name that a field ever had, at every level."""
        found = {}

        def note(number, names, kind, where):
            entry = where.setdefault(number, {"field-id": number, "names": [], "below": {}})
            entry["names"] += [n for n in names if n not in entry["names"]]
            if isinstance(kind, dict):
                for f in kind.get("fields", ()):
                    note(f["id"], [f["name"]], f["type"], entry["below"])
                for part in ("element", "key", "value"):
                    if part in kind:
                        note(kind[part + "-id"], [part], kind[part], entry["below"])

        for schema in self.schemas:
            for f in schema["fields"]:
                note(f["id"], [f["name"]], f["type"], found)

        def shown(where):
            return [{"field-id": e["field-id"], "names": e["names"], **({"fields": shown(e["below"])} if e["below"] else {})} for e in where.values()]

        return json.dumps(shown(found))

    def write_metadata(self):
        metadata = {
            "format-version": self.version, "table-uuid": "00000000-0000-4000-8000-000000000001", "location": self.location, "last-sequence-number": self.sequence,
            "last-updated-ms": 1_700_000_900_000, "last-column-id": self.last_id, "schemas": [self.schema_json(s) for s in self.schemas],
            "current-schema-id": self.schemas[-1]["id"], "partition-specs": [{"spec-id": s["id"], "fields": s["fields"]} for s in self.specs],
            "default-spec-id": self.specs[-1]["id"], "last-partition-id": 2000, "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0,
            "properties": {"schema.name-mapping.default": self.mapping()} if self.is_mapped else {}, "current-snapshot-id": self.snapshot_id(), "snapshots": [{k: v for k, v in s.items() if k != "rows"} for s in self.snapshots],
            "snapshot-log": [], "metadata-log": [], "refs": {}}
        if self.version == 3:
            metadata["next-row-id"] = self.next_row
        path = f"{self.folder}/metadata/v1.metadata.json"
        with open(path, "w", encoding="utf-8") as out:
            json.dump(metadata, out)
        return path


def make(seed, folder):
    made = RandomTable(seed, folder)
    for turn in range(made.rng.randrange(2, 6)):
        if turn > 0 and made.rng.random() < 0.7:
            made.evolve()
        if made.rng.random() < 0.6:
            made.partition_anew()
        made.commit()
    return made
