# SPDX-License-Identifier: Apache-2.0
"""The rows of Iceberg tables whose data files are Avro, read by fastavro from manifest list to data file.

Neither PyIceberg nor DuckDB reads Avro data files. Rows come in the canonical form of tests/peers/lake; what
the files say about themselves is checked on the way: field ids, "iceberg.schema", the codec, no metrics but
the number of rows, as Java writes them.
"""
import decimal
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers", "lake"))
import canon  # noqa: E402

METRICS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds",
           "upper_bounds", "split_offsets")


class Wrong(Exception):
    pass


def local(path):
    return path[len("file://"):] if path.startswith("file://") else path


def records(path):
    import fastavro
    fastavro.read.LOGICAL_READERS.clear()  # dates, decimals and uuids stay raw
    with open(local(path), "rb") as file:
        reader = fastavro.reader(file)
        return list(reader), reader


def canonical_value(value, kind):
    """As canon.py shows it; `kind` is a type in Iceberg's JSON."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "list":
            return [canonical_value(v, kind["element"]) for v in value]
        if kind["type"] == "map":
            items = value.items() if isinstance(value, dict) else [(e["key"], e["value"]) for e in value]
            pairs = [[canonical_value(k, kind["key"]), canonical_value(v, kind["value"])] for k, v in items]
            return sorted(pairs, key=lambda p: json.dumps(p, ensure_ascii=False, separators=(",", ":")))
        return {f["name"]: canonical_value(value[avro_name(f["name"])], f["type"]) for f in kind["fields"]}
    if kind in ("float", "double"):
        return json.loads(canon.floating(value, kind == "float"))
    if kind.startswith("decimal"):
        scale = int(kind.split(",")[1].rstrip(")"))
        with decimal.localcontext() as context:
            context.prec = 60
            return f"{decimal.Decimal(int.from_bytes(value, 'big', signed=True)).scaleb(-scale):.{scale}f}"
    if kind == "date":
        return canon.day_text(value)
    if kind == "time":
        return canon.clock_text(value, 1000000)
    if kind in ("timestamp", "timestamptz"):
        return canon.stamp_text(value, "us", kind == "timestamptz")
    if kind in ("timestamp_ns", "timestamptz_ns"):
        return canon.stamp_text(value, "ns", kind == "timestamptz_ns")
    if kind in ("binary", "uuid") or kind.startswith(("fixed", "geo")):
        shown = value.hex()
        if kind == "uuid":
            shown = "-".join((shown[:8], shown[8:12], shown[12:16], shown[16:20], shown[20:]))
        return shown
    return value


def avro_name(name):
    """Iceberg's rule for names that Avro does not allow, ASCII only."""
    out = ""
    for at, char in enumerate(name):
        if char.isascii() and (char.isalpha() or char == "_" or (char.isdigit() and at > 0)):
            out += char
        else:
            out += "_" + char if char.isdigit() else f"_x{ord(char):X}"
    return out


def check_schema(avro, fields, path):
    """Names, ids and optionality of a record, at all depths."""
    for field, own in zip(fields, avro["fields"], strict=True):
        if own["name"] != avro_name(field["name"]) or own.get("field-id") != field["id"]:
            raise Wrong(f"{path}: field {own['name']} has id {own.get('field-id')}, not {field['id']}")
        kind = own["type"]
        optional = isinstance(kind, list) and kind[0] == "null"
        if optional == field["required"]:
            raise Wrong(f"{path}: field {own['name']} is {'' if optional else 'not '}optional")
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            check_schema(kind[1] if optional else kind, field["type"]["fields"], path)


def rows(metadata_path, codec=None):
    """All rows of the current snapshot, one canonical line each, sorted. The table has no deletes."""
    with open(metadata_path, encoding="utf-8") as file:
        metadata = json.load(file)
    schema = next(s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"])
    snapshot = next(s for s in metadata["snapshots"] if s["snapshot-id"] == metadata["current-snapshot-id"])
    out = []
    for manifest in records(snapshot["manifest-list"])[0]:
        for entry in records(manifest["manifest_path"])[0]:
            data = entry["data_file"]
            if entry["status"] == 2:
                continue
            if data["file_format"] != "AVRO" or not data["file_path"].endswith(".avro"):
                raise Wrong(f"{data['file_path']} is {data['file_format']}")
            if any(data.get(m) for m in METRICS):
                raise Wrong(f"{data['file_path']} has metrics, which Java's Avro files have not")
            found, reader = records(data["file_path"])
            if len(found) != data["record_count"]:
                raise Wrong(f"{data['file_path']}: {len(found)} rows, not {data['record_count']}")
            if os.path.getsize(local(data["file_path"])) != data["file_size_in_bytes"]:
                raise Wrong(f"{data['file_path']}: another size than its manifest says")
            if json.loads(reader.metadata["iceberg.schema"])["schema-id"] != schema["schema-id"]:
                raise Wrong(f"{data['file_path']}: iceberg.schema is another one")
            if codec and reader.metadata["avro.codec"] != codec:
                raise Wrong(f"{data['file_path']}: codec {reader.metadata['avro.codec']}, not {codec}")
            check_schema(reader.writer_schema, schema["fields"], data["file_path"])
            kind = {"type": "struct", "fields": schema["fields"]}
            out += [json.dumps(canonical_value(r, kind), ensure_ascii=False, separators=(",", ":"))
                    for r in found]
    return sorted(out)
