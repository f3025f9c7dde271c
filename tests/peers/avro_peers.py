#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Avro against fastavro, which knows nothing of us.

  avro_peers.py TOOL [--fixtures DIR] [--seeds N] [--only PART]

TOOL is tests/tools/avro_tool, built. Parts:

  files     every container of the fixtures that fastavro decodes decodes equal; what it refuses is
            refused
  schemas   schemas of the fixtures: valid ones accepted, broken ones refused
  random    containers that fastavro writes of random schemas and rows, over all codecs
  resolve   the same read with a reader's schema that differs: promotions, defaults, aliases, order
  damage    containers cut and with bytes flipped: an error or rows, never a crash
  written   containers that we write (avro_tool copy) read by fastavro

The last line is "N passed, N failed".
"""
import argparse
import base64
import copy
import datetime
import decimal
import glob
import io
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import uuid

import fastavro

# fastavro takes the keys and values of a header for UTF-8, which this file's are not.
UNLIKE = {"apache-avro/share/test/data/syncInMeta.avro"}
# Needs the schemas of other files.
PARTIAL = {"ApplicationEvent.avsc"}
CODECS = ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"]
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
passed = failed = 0


def tell(name, problem):
    global passed, failed
    if problem:
        failed += 1
        print(f"FAILED {name}: {problem}")
    else:
        passed += 1


def run(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


# What a value is in the tool's JSON.

def java_number(value, is_float):
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return Float32(value) if is_float else value


class Float32(float):
    """A number that is shown with the digits that tell it from other floats."""


def timestamp(value, digits, is_instant):
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
        text = value.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
        fraction = f"{value.microsecond:06d}"[:digits] if digits <= 6 else f"{value.microsecond:06d}000"
        return f"{text}.{fraction}" + ("Z" if is_instant else "")
    second, rest = divmod(value, 10 ** digits)
    text = (EPOCH + datetime.timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    return f"{text}.{rest:0{digits}d}" + ("Z" if is_instant else "")


def number_union(branches):
    kinds = {kind_of(b) for b in branches} - {"null"}
    if any(isinstance(b, dict) and b.get("logicalType") for b in branches):
        return False
    return len(kinds) > 1 and (kinds <= {"int", "long"} or kinds <= {"float", "double"})


class Named(dict):
    """The named types met so far."""


def resolve(schema, named):
    if isinstance(schema, str) and schema in named:
        return named[schema]
    return schema


def kind_of(schema):
    return schema if isinstance(schema, str) else "union" if isinstance(schema, list) else schema["type"]


def collect(schema, named):
    if isinstance(schema, list):
        for branch in schema:
            collect(branch, named)
    elif isinstance(schema, dict):
        if schema["type"] in ("record", "enum", "fixed", "error"):
            named[schema["name"]] = schema
        for field in schema.get("fields", []):
            collect(field["type"], named)
        for key in ("items", "values"):
            if key in schema:
                collect(schema[key], named)
        if isinstance(schema["type"], (dict, list)):
            collect(schema["type"], named)


def branch_of(schema, value, named):
    """The branch of a union that a value is of: random rows are tagged with it."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], int):
        return value
    raise ValueError("untagged union value")


def expected(schema, value, named):
    """A tagged value as the tool shows it."""
    schema = resolve(schema, named)
    if isinstance(schema, list):
        index, value = branch_of(schema, value, named)
        branch = schema[index]
        if kind_of(branch) == "null":
            return None
        others = [b for b in schema if kind_of(b) != "null"]
        if len(others) == 1:
            return expected(branch, value, named)
        if number_union(schema):
            is_float = kind_of(branch) == "float"
            return java_number(value, is_float) if isinstance(value, float) else value
        member = others.index(branch)
        return {f"member{i}": expected(branch, value, named) if i == member else None
                for i in range(len(others))}
    kind = kind_of(schema)
    if isinstance(kind, (dict, list)):
        return expected(kind, value, named)
    logical = schema.get("logicalType") if isinstance(schema, dict) else None
    if kind == "null":
        return None
    if logical == "decimal":
        return value
    if logical == "date":
        return value.isoformat()
    if logical in ("time-millis", "time-micros"):
        return value.strftime("%H:%M:%S" if logical == "time-millis" else "%H:%M:%S.%f")
    if logical and "timestamp" in logical:
        digits = {"millis": 3, "micros": 6, "nanos": 9}[logical.split("-")[-1]]
        return timestamp(value, digits, not logical.startswith("local"))
    if kind in ("float", "double"):
        return java_number(value, kind == "float")
    if logical == "uuid":
        return base64.b64encode(value.bytes).decode() if kind == "fixed" else str(value)
    if kind in ("bytes", "fixed"):
        return base64.b64encode(value).decode()
    if kind == "array":
        return [expected(schema["items"], v, named) for v in value]
    if kind == "map":
        return {k: expected(schema["values"], v, named) for k, v in value.items()}
    if kind in ("record", "error"):
        return {f["name"]: expected(f["type"], value[f["name"]], named) for f in schema["fields"]}
    return value


def for_fastavro(schema, value, named):
    """The tagged value as fastavro takes it."""
    schema = resolve(schema, named)
    if isinstance(schema, list):
        index, value = value
        branch = resolve(schema[index], named)
        inner = for_fastavro(branch, value, named)
        kind = kind_of(branch)
        if len(schema) > 2 and kind in ("record", "enum", "fixed", "error"):
            return (branch["name"], inner)
        return (kind, inner) if len(schema) > 2 and kind != "null" and not (
            isinstance(branch, dict) and branch.get("logicalType")) else inner
    kind = kind_of(schema)
    if kind == "array":
        return [for_fastavro(schema["items"], v, named) for v in value]
    if kind == "map":
        return {k: for_fastavro(schema["values"], v, named) for k, v in value.items()}
    if kind == "record":
        return {f["name"]: for_fastavro(f["type"], value[f["name"]], named) for f in schema["fields"]}
    return value


def as_json(row):
    def plain(value):
        if isinstance(value, decimal.Decimal):
            return format(value, "f")
        raise TypeError(type(value))
    return json.dumps(row, default=plain)


def close(a, b):
    """Equal, numbers by value, decimals whatever their JSON form."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(b, decimal.Decimal):
        return a is not None and decimal.Decimal(str(a)) == b
    if isinstance(b, Float32):
        return isinstance(a, decimal.Decimal) and struct.pack("<f", float(a)) == struct.pack("<f", b)
    if isinstance(a, decimal.Decimal):
        if isinstance(b, float):
            return float(a) == b
        return a == b
    return a == b and type(a) is type(b)


def parse(text):
    return json.loads(text, parse_float=decimal.Decimal)


def compare(out, wanted):
    lines = out.decode("utf-8").splitlines()
    if len(lines) != len(wanted):
        return f"{len(lines)} rows, expected {len(wanted)}"
    for number, (line, want) in enumerate(zip(lines, wanted)):
        if not close(parse(line), want):
            return f"row {number}: {line[:300]} is not {as_json(want)[:300]}"
    return ""


# Random schemas and rows.

class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def scalar(self):
        pick = self.random.choice
        return pick([
            "boolean", "int", "long", "float", "double", "bytes", "string",
            {"type": "int", "logicalType": "date"},
            {"type": "int", "logicalType": "time-millis"},
            {"type": "long", "logicalType": "time-micros"},
            {"type": "long", "logicalType": "timestamp-millis"},
            {"type": "long", "logicalType": "timestamp-micros"},
            {"type": "long", "logicalType": "local-timestamp-millis"},
            {"type": "long", "logicalType": "local-timestamp-micros"},
            {"type": "long", "logicalType": "timestamp-nanos"},
            {"type": "string", "logicalType": "uuid"},
            {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3},
            {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 10},
            {"type": "fixed", "name": self.name("d"), "size": 9, "logicalType": "decimal",
             "precision": 20, "scale": 0},
            {"type": "fixed", "name": self.name("f"), "size": self.random.randint(1, 20)},
            {"type": "enum", "name": self.name("e"), "symbols": ["A", "BB", "a_symbol_that_is_long"]},
        ])

    def schema(self, depth):
        dice = self.random.random()
        if depth <= 0 or dice < 0.5:
            return self.scalar()
        if dice < 0.62:
            return {"type": "array", "items": self.field_type(depth - 1)}
        if dice < 0.72:
            return {"type": "map", "values": self.field_type(depth - 1)}
        return self.record(depth - 1)

    def field_type(self, depth):
        dice = self.random.random()
        inner = self.schema(depth)
        if dice < 0.4:
            return inner
        if dice < 0.75:
            return ["null", inner] if dice < 0.6 else [inner, "null"]
        if dice < 0.8:
            return ["int", "null", "long"] if self.random.random() < 0.5 else ["double", "float"]
        if dice < 0.93:
            return inner
        if isinstance(inner, dict) and "logicalType" in inner:
            return inner  # fastavro cannot be told which branch a value of it is
        branches = [inner]
        for other in ("null", "string", "long", "boolean", "double", "bytes"):
            clash = kind_of(inner) == other
            if not clash and self.random.random() < 0.5:
                branches.append(other)
        self.random.shuffle(branches)
        return branches if len(branches) > 1 else inner

    def record(self, depth):
        return {"type": "record", "name": self.name("r"),
                "fields": [{"name": f"c{i}", "type": self.field_type(depth)}
                           for i in range(self.random.randint(1, 6))]}

    def integer(self, bits):
        size = self.random.choice([3, 8, 15, 31, bits - 1])
        size = min(size, bits - 1)
        return self.random.randint(-(1 << size), (1 << size) - 1)

    def text(self):
        return "".join(self.random.choice("abcxyz 0123\"\\\n\u00e9\u20ac\U0001f600")
                       for _ in range(self.random.choice([0, 1, 5, 12, 13, 40])))

    def value(self, schema, named):
        pick = self.random
        if isinstance(schema, list):
            index = pick.randrange(len(schema))
            return index, self.value(schema[index], named)
        kind = kind_of(schema)
        logical = schema.get("logicalType") if isinstance(schema, dict) else None
        if logical == "decimal":
            digits = pick.randint(1, schema["precision"])
            number = pick.randint(-(10 ** digits) + 1, 10 ** digits - 1)
            return decimal.Decimal(number).scaleb(-schema["scale"], decimal.Context(prec=60))
        if logical == "date":
            return datetime.date.fromordinal(pick.randint(1, 3652059))
        if logical in ("time-millis", "time-micros"):
            return datetime.time(pick.randint(0, 23), pick.randint(0, 59), pick.randint(0, 59))
        if logical == "timestamp-nanos":
            return self.integer(62)
        if logical and "timestamp" in logical:
            micros = pick.randint(-10 ** 16, 10 ** 16)
            if logical.endswith("millis"):
                micros = micros // 1000 * 1000
            moment = EPOCH + datetime.timedelta(microseconds=micros)
            return moment.replace(tzinfo=None) if logical.startswith("local") else moment
        if logical == "uuid":
            return uuid.UUID(int=pick.getrandbits(128))
        if kind == "null":
            return None
        if kind == "boolean":
            return pick.random() < 0.5
        if kind in ("int", "long"):
            return self.integer(32 if kind == "int" else 64)
        if kind in ("float", "double"):
            value = pick.choice([0.0, -0.5, 1.5, pick.uniform(-1e6, 1e6), 1e300, float("inf"), float("nan")])
            if kind == "float":
                value = value if value != 1e300 else 3.0e38
                value = struct.unpack("<f", struct.pack("<f", value))[0]
            return value
        if kind == "bytes":
            return pick.randbytes(pick.choice([0, 3, 12, 30]))
        if kind == "fixed":
            return pick.randbytes(schema["size"])
        if kind == "string":
            return self.text()
        if kind == "enum":
            return pick.choice(schema["symbols"])
        if kind == "array":
            return [self.value(schema["items"], named) for _ in range(pick.choice([0, 1, 2, 5]))]
        if kind == "map":
            return {f"k{i}": self.value(schema["values"], named) for i in range(pick.choice([0, 1, 3]))}
        return {f["name"]: self.value(f["type"], named) for f in schema["fields"]}


def write(path, schema, rows, codec, named, **options):
    with open(path, "wb") as out:
        fastavro.writer(out, schema, [for_fastavro(schema, row, named) for row in rows], codec=codec,
                        sync_interval=options.pop("sync_interval", 16000), **options)


def part_random(tool, seeds, folder):
    for seed in range(seeds):
        maker = Maker(seed)
        schema = maker.record(3)
        named = {}
        collect(schema, named)
        rows = [maker.value(schema, named) for _ in range(maker.random.choice([0, 1, 7, 300]))]
        path = os.path.join(folder, "random.avro")
        codec = CODECS[seed % len(CODECS)]
        try:
            write(path, schema, rows, codec, named, sync_interval=maker.random.choice([1, 1000, 100000]))
        except Exception:  # fastavro cannot tell the branches of every union apart
            continue
        code, out, err = run(tool, "rows", path)
        wanted = [expected(schema, row, named) for row in rows]
        tell(f"random {seed} ({codec})", err.strip() if code else compare(out, wanted))


# Reader's schemas.

WIDER = {"int": ["long", "float", "double"], "long": ["float", "double"], "float": ["double"],
         "string": ["bytes"], "bytes": ["string"]}


def part_resolve(tool, seeds, folder):
    for seed in range(seeds):
        maker = Maker(10000 + seed)
        pick = maker.random
        fields = [{"name": f"c{i}", "type": maker.scalar()} for i in range(pick.randint(2, 7))]
        schema = {"type": "record", "name": "row", "fields": fields}
        named = {}
        collect(schema, named)
        rows = [maker.value(schema, named) for _ in range(20)]
        for row in rows:  # bytes that are to be text are text
            for key in list(row):
                if isinstance(row[key], bytes) and not isinstance(row[key], str):
                    kind = next(f["type"] for f in fields if f["name"] == key)
                    if kind == "bytes":
                        row[key] = maker.text().encode()
        reader = {"type": "record", "name": "row", "fields": []}
        wanted = [dict() for _ in rows]
        shuffled = fields[:]
        pick.shuffle(shuffled)
        for field in shuffled:
            dice = pick.random()
            if dice < 0.2 and len(fields) > 2:
                continue  # dropped
            new = copy.deepcopy(field)
            plain = isinstance(field["type"], str)
            values = [row[field["name"]] for row in rows]
            if dice < 0.4:
                new["aliases"] = [new["name"]]
                new["name"] = "renamed_" + new["name"]
            if plain and field["type"] in WIDER and pick.random() < 0.6:
                new["type"] = pick.choice(WIDER[field["type"]])
                if new["type"] in ("float", "double"):
                    values = [float(v) for v in values]
                elif new["type"] == "bytes":
                    values = [v.encode() for v in values]
                elif new["type"] == "string":
                    values = [v.decode() for v in values]
            elif isinstance(field["type"], dict) and field["type"]["type"] == "enum":
                new["type"]["symbols"] = ["BB", "other"]
                new["type"]["default"] = "other"
                values = [v if v == "BB" else "other" for v in values]
            if pick.random() < 0.3:
                new["type"] = ["null", new["type"]]
                values = [(1, v) for v in values]
            reader["fields"].append(new)
            for row, value in zip(wanted, values):
                row[new["name"]] = value
        for name, kind, default, value in [
                ("n0", ["null", "string"], None, (0, None)), ("n1", "long", 7, 7),
                ("n2", {"type": "array", "items": "int"}, [1, 2], [1, 2]),
                ("n3", "bytes", "\u00ff\u0001", b"\xff\x01"),
                ("n4", {"type": "record", "name": "inner", "fields": [
                    {"name": "x", "type": "double"}, {"name": "y", "type": "string", "default": "why"}]},
                 {"x": 1.5}, {"x": 1.5, "y": "why"}),
                ("n5", {"type": "map", "values": "boolean"}, {"k": True}, {"k": True})]:
            if pick.random() < 0.5:
                reader["fields"].append({"name": name, "type": kind, "default": default})
                for row in wanted:
                    row[name] = value
        pick.shuffle(reader["fields"])
        path = os.path.join(folder, "resolve.avro")
        schema_path = os.path.join(folder, "reader.avsc")
        write(path, schema, rows, "null", named)
        with open(schema_path, "w", encoding="utf-8") as out:
            json.dump(reader, out)
        code, out, err = run(tool, "rows", path, schema_path)
        names = {}
        collect(reader, names)
        tell(f"resolve {seed}", err.strip() if code else
             compare(out, [expected(reader, row, names) for row in wanted]))


# Fixtures.

def untagged(schema, value, named):
    """A value of fastavro with the branches of its unions."""
    schema = resolve(schema, named)
    if isinstance(schema, list):
        for index, branch in enumerate(schema):
            if fastavro.validation.validate(value, fastavro.parse_schema(
                    inline(branch, named)), raise_errors=False):
                return index, untagged(branch, value, named)
        raise ValueError("no branch fits")
    kind = kind_of(schema)
    if isinstance(kind, (dict, list)):
        return untagged(kind, value, named)
    if kind == "array":
        return [untagged(schema["items"], v, named) for v in value]
    if kind == "map":
        return {k: untagged(schema["values"], v, named) for k, v in value.items()}
    if kind in ("record", "error"):
        return {f["name"]: untagged(f["type"], value[f["name"]], named) for f in schema["fields"]}
    return value


def inline(schema, named):
    return copy.deepcopy(named.get(schema, schema)) if isinstance(schema, str) else copy.deepcopy(schema)


def read_fastavro(path):
    with open(path, "rb") as source:
        reader = fastavro.reader(source)
        return reader.writer_schema, list(reader)


def check_file(tool, path, schema, rows):
    """What is wrong with our rows of a file that fastavro has read."""
    named = {}
    collect(schema, named)
    if isinstance(schema, (str, list)) or schema["type"] != "record":
        schema = {"type": "record", "name": "row", "fields": [{"name": "value", "type": schema}]}
        rows = [{"value": row} for row in rows]
    code, out, err = run(tool, "rows", path)
    if code:
        return err.strip()
    return compare(out, [expected_iceberg(schema, untagged(schema, row, named), named)
                         for row in rows])


def part_files(tool, fixtures):
    for path in sorted(glob.glob(os.path.join(fixtures, "**", "*.avro"), recursive=True)):
        name = os.path.relpath(path, fixtures)
        try:
            schema, rows = read_fastavro(path)
        except Exception as problem:
            if name in UNLIKE:
                continue
            code, _, err = run(tool, "rows", path)
            tell(name, "" if code == 1 and err else f"fastavro refuses it ({problem!r}), we do not")
            continue
        tell(name, check_file(tool, path, schema, rows))


def part_written(tool, fixtures, seeds, folder):
    """What we write: read by fastavro, and by us as what it was made from."""
    paths = sorted(glob.glob(os.path.join(fixtures, "spark-iceberg", "*", "*", "*.avro")))[::7]
    for seed in range(seeds):
        maker = Maker(20000 + seed)
        schema = maker.record(3)
        named = {}
        collect(schema, named)
        path = os.path.join(folder, f"made{seed}.avro")
        try:
            write(path, schema, [maker.value(schema, named) for _ in range(50)], "null", named)
        except Exception:
            continue
        paths.append(path)
    out = os.path.join(folder, "copy.avro")
    for number, path in enumerate(paths):
        codec = CODECS[number % len(CODECS)]
        code, _, err = run(tool, "copy", path, out, codec)
        problem = err.strip() if code else ""
        if not problem and run(tool, "rows", path)[1] != run(tool, "rows", out)[1]:
            problem = "the rows are not those of the original"
        if not problem:
            problem = check_file(tool, out, *read_fastavro(out))
        tell(f"written {os.path.basename(path)} ({codec})", problem)



def expected_iceberg(schema, value, named):
    """As expected(), with the properties that Iceberg adds."""
    schema = resolve(schema, named)
    if isinstance(schema, dict) and schema["type"] == "record":
        return {f.get("iceberg-field-name", f["name"]):
                expected_iceberg(f["type"], value[f["name"]], named) for f in schema["fields"]}
    if isinstance(schema, list) and isinstance(value, tuple):
        branch = schema[value[0]]
        if kind_of(branch) != "null" and len([b for b in schema if kind_of(b) != "null"]) == 1:
            return expected_iceberg(branch, value[1], named)
    if isinstance(schema, dict) and schema["type"] == "array":
        items = [expected_iceberg(schema["items"], v, named) for v in value]
        if schema.get("logicalType") == "map" and all(map(bool, items)):
            return {str(i["key"]): i["value"] for i in items}
        return items
    if isinstance(schema, dict) and str(schema.get("logicalType", "")).startswith("timestamp") and \
            schema.get("adjust-to-utc") is False:
        return expected(schema, value, named).rstrip("Z")
    return expected(schema, value, named)


def part_schemas(tool, fixtures):
    home = os.path.join(fixtures, "apache-avro")
    good = glob.glob(os.path.join(home, "lang/c/tests/schema_tests/pass/*"))
    good += glob.glob(os.path.join(home, "**", "*.avsc"), recursive=True)
    for path in sorted(p for p in good if os.path.basename(p) not in PARTIAL):
        code, _, err = run(tool, "schema", path)
        tell("schema " + os.path.relpath(path, home), err.strip() if code else "")
    for path in sorted(glob.glob(os.path.join(home, "lang/c/tests/schema_tests/fail/*"))):
        code, _, err = run(tool, "schema", path)
        tell("schema " + os.path.relpath(path, home), "" if code == 1 and err else "accepted")
    canonical(tool, os.path.join(home, "share/test/data/schema-tests.txt"))


def canonical(tool, path):
    """The canonical forms and fingerprints that Java's tests vouch for."""
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as source:
        blocks = source.read().split("<<INPUT ")[1:]
    with tempfile.TemporaryDirectory() as folder:
        for number, block in enumerate(blocks):
            text = block.split("// ")[0]
            heredoc = text.startswith("<<INPUT") or text.startswith("\n")
            parts = text.split("\n<<canonical ")
            source = parts[0].split("\nINPUT")[0].strip()
            if heredoc or len(parts) < 2:
                continue
            want = parts[1].split("\n")[0].strip()
            sum_line = [p for p in text.split("\n") if p.startswith("<<fingerprint ")]
            file = os.path.join(folder, "s.avsc")
            with open(file, "w", encoding="utf-8") as out:
                out.write(source)
            code, out, err = run(tool, "schema", file)
            lines = out.decode().splitlines()
            problem = err.strip() if code else ""
            if not problem and lines[0] != want:
                problem = f"{lines[0]} is not {want}"
            if not problem and sum_line and lines[1] != sum_line[0].split()[1]:
                problem = f"fingerprint {lines[1]} is not {sum_line[0].split()[1]}"
            tell(f"canonical {number}", problem)


def part_damage(tool, seeds, folder):
    maker = Maker(77)
    schema = maker.record(3)
    named = {}
    collect(schema, named)
    rows = [maker.value(schema, named) for _ in range(50)]
    for codec in CODECS:
        path = os.path.join(folder, "whole.avro")
        write(path, schema, rows, codec, named, sync_interval=1000)
        with open(path, "rb") as source:
            whole = source.read()
        broken = os.path.join(folder, "broken.avro")
        problem = ""
        for at in range(seeds):
            if at % 2 == 0:
                bytes_now = whole[:maker.random.randrange(len(whole))]
            else:
                bytes_now = bytearray(whole)
                bytes_now[maker.random.randrange(len(whole))] ^= 1 << maker.random.randrange(8)
            with open(broken, "wb") as out:
                out.write(bytes_now)
            code, _, err = run(tool, "rows", broken)
            if code not in (0, 1) or (code == 1 and not err):
                problem = f"exit status {code} at {at}"
        tell(f"damage {codec}", problem)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--fixtures", default=os.environ.get("FRAZIL_FIXTURES", ""))
    parser.add_argument("--seeds", type=int, default=120)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    with tempfile.TemporaryDirectory() as folder:
        parts = {"files": lambda: part_files(tool, options.fixtures),
                 "schemas": lambda: part_schemas(tool, options.fixtures),
                 "random": lambda: part_random(tool, options.seeds, folder),
                 "resolve": lambda: part_resolve(tool, options.seeds, folder),
                 "written": lambda: part_written(tool, options.fixtures, options.seeds // 2, folder),
                 "damage": lambda: part_damage(tool, options.seeds // 4, folder)}
        for name, part in parts.items():
            if not options.only or name in options.only.split(","):
                part()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
