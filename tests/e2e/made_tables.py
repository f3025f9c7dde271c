# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables whose first metadata file is written here, by hand, as nobody's writer: any format version,
type, default, partition spec and sort order."""
import json
import os
import uuid


def field(number, name, kind, required=False, **more):
    return {"id": number, "name": name, "required": required, "type": kind, **more}


def struct(*fields):
    return {"type": "struct", "fields": list(fields)}


def array(number, element, required=False):
    return {"type": "list", "element-id": number, "element": element, "element-required": required}


def mapping(key_id, value_id, key, value, required=False):
    return {"type": "map", "key-id": key_id, "key": key, "value-id": value_id, "value": value,
            "value-required": required}


def part(number, source, transform, name):
    return {"field-id": number, "source-id": source, "transform": transform, "name": name}


def highest_id(kind):
    if not isinstance(kind, dict):
        return 0
    own = [kind.get(k, 0) for k in ("element-id", "key-id", "value-id")]
    own += [f["id"] for f in kind.get("fields", ())]
    below = [f["type"] for f in kind.get("fields", ())] + [kind.get(k) for k in ("element", "key", "value")]
    return max(own + [highest_id(k) for k in below])


def make(warehouse, database, name, version, fields, spec=(), properties=None, **more):
    """The folder of a new table of a Hadoop warehouse."""
    path = os.path.join(warehouse, database, name)
    os.makedirs(os.path.join(path, "metadata"))
    schema = {"type": "struct", "schema-id": 0, "fields": list(fields)}
    metadata = {
        "format-version": version, "table-uuid": str(uuid.uuid4()), "location": "file://" + path,
        "last-updated-ms": 1700000000000, "last-column-id": highest_id(schema),
        "current-schema-id": 0, "schemas": [schema],
        "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": list(spec)}],
        "last-partition-id": max([999] + [f["field-id"] for f in spec]),
        "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": properties or {}, "current-snapshot-id": -1, "snapshots": [], "snapshot-log": [],
        "metadata-log": []}
    if version == 1:
        metadata.update({"schema": schema, "partition-spec": list(spec)})
    else:
        metadata["last-sequence-number"] = 0
    if version == 3:
        metadata["next-row-id"] = 0
    metadata.update(more)
    with open(os.path.join(path, "metadata", "v1.metadata.json"), "w", encoding="utf-8") as out:
        json.dump(metadata, out)
    with open(os.path.join(path, "metadata", "version-hint.text"), "w", encoding="utf-8") as out:
        out.write("1")
    return path
