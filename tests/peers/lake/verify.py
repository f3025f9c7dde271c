# SPDX-License-Identifier: Apache-2.0
"""Strict checker of an Iceberg table (v1 to v3): metadata JSON, manifest lists, manifests, files.

Reads Avro with fastavro, Parquet and ORC with PyArrow, Puffin and deletion vectors with own code.
Nothing here uses an Iceberg library, so it can judge any of them.

Severities: ERROR breaks the spec; WARN is allowed or only recommended, but known to hurt some
reader; NOTE is worth knowing. Each finding names the section of the table spec.
"""

import collections
import gzip
import json
import os
import re
import struct
import uuid as uuid_module
import zlib

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.orc
import pyarrow.parquet as pq
import zstandard
from pyroaring import BitMap

import iceberg_types as it

fastavro.read.LOGICAL_READERS.clear()  # dates, decimals and uuids stay raw

MINUTE = 60_000


class Report:
    def __init__(self, limit):
        self.findings = []
        self.counts = collections.Counter()
        self.limit = limit
        self.seen = collections.Counter()
        self.checked = collections.Counter()

    def add(self, severity, section, where, message):
        self.counts[severity] += 1
        shape = (severity, section, re.sub(r"[0-9a-f-]{8,}|\d+", "#", message))
        self.seen[shape] += 1
        if self.seen[shape] <= self.limit:
            self.findings.append(
                {"severity": severity, "section": section, "where": where, "message": message}
            )

    def error(self, section, where, message):
        self.add("ERROR", section, where, message)

    def warn(self, section, where, message):
        self.add("WARN", section, where, message)

    def note(self, section, where, message):
        self.add("NOTE", section, where, message)


class Paths:
    """Finds the file behind a stored location on this machine."""

    def __init__(self, metadata_file, location, maps):
        self.root = os.path.dirname(os.path.dirname(os.path.abspath(metadata_file)))
        self.location = (location or "").rstrip("/")
        self.maps = maps
        self.cache = {}

    def find(self, stored):
        if stored not in self.cache:
            self.cache[stored] = self._find(stored)
        return self.cache[stored]

    def _find(self, stored):
        for old, new in self.maps:
            if stored.startswith(old):
                return self._real(new + stored[len(old):])
        if self.location and stored.startswith(self.location + "/"):
            hit = self._real(os.path.join(self.root, stored[len(self.location) + 1:]))
            if hit:
                return hit
        plain = re.sub(r"^file:(//)?(?=/)", "", stored)
        if "://" not in plain and os.path.isfile(plain):
            return plain
        parts = plain.split("/")
        for i in range(1, len(parts)):
            hit = self._real(os.path.join(self.root, *parts[i:]))
            if hit:
                return hit
        return None

    @staticmethod
    def _real(path):
        return path if os.path.isfile(path) else None


def load_json(path):
    with open(path, "rb") as f:
        raw = f.read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return json.loads(raw)


# ---- Avro schemas by field id ---------------------------------------------------------------

LIST_FIELDS = {
    # id: (name, Avro type, required in v1, v2, v3; None: must not be there)
    500: ("manifest_path", "string", True, True, True),
    501: ("manifest_length", "long", True, True, True),
    502: ("partition_spec_id", "int", True, True, True),
    517: ("content", "int", None, True, True),
    515: ("sequence_number", "long", None, True, True),
    516: ("min_sequence_number", "long", None, True, True),
    503: ("added_snapshot_id", "long", True, True, True),
    504: ("added_files_count", "int", False, True, True),
    505: ("existing_files_count", "int", False, True, True),
    506: ("deleted_files_count", "int", False, True, True),
    512: ("added_rows_count", "long", False, True, True),
    513: ("existing_rows_count", "long", False, True, True),
    514: ("deleted_rows_count", "long", False, True, True),
    507: ("partitions", "array", False, False, False),
    519: ("key_metadata", "bytes", False, False, False),
    520: ("first_row_id", "long", None, None, False),
}
LIST_ALIASES = {504: "added_data_files_count", 505: "existing_data_files_count",
                506: "deleted_data_files_count"}
ENTRY_FIELDS = {
    0: ("status", "int", True, True, True),
    1: ("snapshot_id", "long", True, False, False),
    3: ("sequence_number", "long", None, False, False),
    4: ("file_sequence_number", "long", None, False, False),
    2: ("data_file", "record", True, True, True),
}
FILE_FIELDS = {
    134: ("content", "int", None, True, True),
    100: ("file_path", "string", True, True, True),
    101: ("file_format", "string", True, True, True),
    102: ("partition", "record", True, True, True),
    103: ("record_count", "long", True, True, True),
    104: ("file_size_in_bytes", "long", True, True, True),
    105: ("block_size_in_bytes", "long", True, None, None),
    108: ("column_sizes", "array", False, False, False),
    109: ("value_counts", "array", False, False, False),
    110: ("null_value_counts", "array", False, False, False),
    137: ("nan_value_counts", "array", False, False, False),
    125: ("lower_bounds", "array", False, False, False),
    128: ("upper_bounds", "array", False, False, False),
    131: ("key_metadata", "bytes", False, False, False),
    132: ("split_offsets", "array", False, False, False),
    135: ("equality_ids", "array", None, False, False),
    140: ("sort_order_id", "int", False, False, False),
    142: ("first_row_id", "long", None, None, False),
    143: ("referenced_data_file", "string", None, False, False),
    144: ("content_offset", "long", None, None, False),
    145: ("content_size_in_bytes", "long", None, None, False),
}
MAP_IDS = {108: (117, 118, "long"), 109: (119, 120, "long"), 110: (121, 122, "long"),
           137: (138, 139, "long"), 125: (126, 127, "bytes"), 128: (129, 130, "bytes")}
ELEMENT_IDS = {132: 133, 135: 136, 507: 508}
SUMMARY_FIELDS = {509: ("contains_null", "boolean", True), 518: ("contains_nan", "boolean", False),
                  510: ("lower_bound", "bytes", False), 511: ("upper_bound", "bytes", False)}


def unwrap(t):
    """(non-null schema, optional) of an Avro field type."""
    if isinstance(t, list):
        rest = [x for x in t if x != "null"]
        return (rest[0] if len(rest) == 1 else rest), "null" in t
    return t, False


def avro_kind(t):
    return t["type"] if isinstance(t, dict) and isinstance(t["type"], str) else (
        avro_kind(t["type"]) if isinstance(t, dict) else t)


def by_id(record, t):
    """{field id: value} of an Avro record."""
    t, _ = unwrap(t)
    return {f.get("field-id"): record.get(f["name"]) for f in t["fields"]}


class Checker:
    def __init__(self, metadata_file, maps=(), data=True, all_snapshots=True, max_rows=5_000_000,
                 limit=5, orphans=False):
        self.file = metadata_file
        self.meta = load_json(metadata_file)
        self.r = Report(limit)
        self.paths = Paths(metadata_file, self.meta.get("location"), list(maps))
        self.version = self.meta.get("format-version")
        self.data = data
        self.all_snapshots = all_snapshots
        self.max_rows = max_rows
        self.orphans = orphans
        self.manifests = {}
        self.file_info = {}
        self.sequence_of = {}
        self.row_id_of = {}
        self.live_of = {}
        self.list_rows = {}
        self.puffins = {}

    def run(self):
        m = self.meta
        self.check_metadata()
        wanted = m.get("snapshots") or []
        if not self.all_snapshots:
            wanted = [s for s in wanted if s.get("snapshot-id") == m.get("current-snapshot-id")]
        for s in sorted(wanted, key=lambda s: (s.get("sequence-number", 0), s["timestamp-ms"])):
            self.guard(f"snapshot {s['snapshot-id']}", self.check_snapshot, s)
        self.check_statistics()
        self.check_folder()
        return self.r

    def check_folder(self):
        """version-hint.text of Hadoop tables, and files that nothing in this metadata names."""
        m, folder = self.meta, os.path.dirname(self.file)
        hint = os.path.join(folder, "version-hint.text")
        mine = re.match(r"v(\d+)\.", os.path.basename(self.file))
        if os.path.exists(hint):
            with open(hint, encoding="ascii", errors="replace") as f:
                text = f.read().strip()
            if not text.isdigit():
                (self.r.error if mine else self.r.note)(
                    "Table Metadata and Snapshots", "version-hint.text", f"says {text!r}")
            elif mine and int(text) > int(mine.group(1)):
                self.r.note("Table Metadata and Snapshots", "version-hint.text",
                            f"says {text}, this is {mine.group(1)}")
        if not self.orphans:
            return
        named = {os.path.realpath(p) for p in self.paths.cache.values() if p}
        named.add(os.path.realpath(self.file))
        named.update(os.path.realpath(p) for e in m.get("metadata-log") or []
                     for p in [self.paths.find(e["metadata-file"])] if p)
        for where, _, files in os.walk(self.paths.root):
            for name in files:
                full = os.path.join(where, name)
                if os.path.realpath(full) in named or name.endswith(".crc") or \
                        name in ("version-hint.text",):
                    continue
                self.r.warn("Orphan files", os.path.relpath(full, self.paths.root),
                            "is named by nothing in this metadata")

    def guard(self, where, call, *args):
        try:
            return call(*args)
        except Exception as e:  # a broken file must not stop the rest of the check
            self.r.error("(checker)", where, f"could not be checked: {type(e).__name__}: {e}")
            return None

    # ---- table metadata ---------------------------------------------------------------------

    def check_metadata(self):
        m, r, v = self.meta, self.r, self.version
        sec, where = "Table Metadata Fields", os.path.basename(self.file)
        if v not in (1, 2, 3):
            r.error(sec, where, f"format-version {v!r}")
            self.version = v = 3 if isinstance(v, int) and v > 3 else 2
        need = {"location": str, "last-updated-ms": int, "last-column-id": int}
        if v >= 2:
            need |= {"table-uuid": str, "last-sequence-number": int, "schemas": list,
                     "current-schema-id": int, "partition-specs": list, "default-spec-id": int,
                     "last-partition-id": int, "sort-orders": list, "default-sort-order-id": int}
        else:
            need |= {"schema": dict, "partition-spec": list}
        if v >= 3:
            need["next-row-id"] = int
        for key, kind in need.items():
            if key not in m:
                r.error(sec, where, f"required field {key} is missing")
            elif not isinstance(m[key], kind) or isinstance(m[key], bool):
                r.error(sec, where, f"{key} is not {kind.__name__}")
        if v < 3:
            for key in ("next-row-id", "encryption-keys"):
                if key in m:
                    r.warn(sec, where, f"{key} in a v{v} table")
        if v < 2 and m.get("last-sequence-number"):
            r.error(sec, where, "last-sequence-number not 0 in a v1 table")
        if "table-uuid" in m:
            try:
                if str(uuid_module.UUID(m["table-uuid"])) != m["table-uuid"]:
                    r.warn(sec, where, "table-uuid is not in the usual lower-case form")
            except ValueError:
                r.error(sec, where, f"table-uuid {m['table-uuid']!r} is not a UUID")
        if str(m.get("location", "")).endswith("/"):
            r.warn(sec, where, "location ends in a slash")
        for k, val in (m.get("properties") or {}).items():
            if not isinstance(val, str):
                r.error(sec, where, f"property {k} is not a string")
        self.check_schemas()
        self.check_specs()
        self.check_orders()
        self.check_snapshots_list()
        self.check_logs()

    def check_schemas(self):
        m, r = self.meta, self.r
        sec, where = "Schemas and Data Types", "schemas"
        schemas = m.get("schemas") or ([m["schema"]] if "schema" in m else [])
        self.schemas = {}
        self.fields = {}  # id -> (type, required, path, repeated) of the newest schema that has it
        first_type = {}
        for s in schemas:
            sid = s.get("schema-id", 0)
            where = f"schema {sid}"
            if sid in self.schemas:
                r.error(sec, where, "schema-id used twice")
            self.schemas[sid] = s
            if s.get("type") != "struct":
                r.error("Appendix C: Schemas", where, "schema JSON lacks type struct")
            seen, names = set(), set()
            for f, path, repeated in it.walk(s["fields"]):
                fid, t = f["id"], f["type"]
                if fid in seen:
                    r.error(sec, where, f"field id {fid} used twice")
                seen.add(fid)
                if path in names:
                    r.error(sec, where, f"two fields named {'.'.join(path)}")
                names.add(path)
                if not isinstance(f.get("required"), bool):
                    r.error("Appendix C: Schemas", where, f"field {fid} lacks boolean required")
                why = it.type_problem(t, self.version)
                if why:
                    r.error("Primitive Types", where, f"field {'.'.join(path)}: {why}")
                if t == "unknown" and f.get("required"):
                    r.error("Primitive Types", where, f"unknown field {fid} is required")
                if fid > m.get("last-column-id", 0):
                    r.error(sec, where, f"field id {fid} above last-column-id")
                if fid > it.RESERVED_FROM:
                    r.error("Reserved Field IDs", where, f"field id {fid} is reserved")
                for d in ("initial-default", "write-default"):
                    if d in f and self.version < 3:
                        r.error("Default values", where, f"{d} on field {fid} needs v3")
                    if f.get(d) is not None and it.kind_of(t) in (
                            "unknown", "variant", "geometry", "geography"):
                        r.error("Default values", where, f"{d} of {t} field {fid} is not null")
                old = first_type.get(fid)
                if old is not None and not it.promotable(old, t) and not it.promotable(t, old):
                    r.error("Schema Evolution", where,
                            f"field {fid} went from {old} to {t}, not an allowed promotion")
                first_type[fid] = t
                self.fields[fid] = (t, f.get("required"), path, repeated)
            for fid in s.get("identifier-field-ids", []):
                hit = [(f, p, rep) for f, p, rep in it.walk(s["fields"]) if f["id"] == fid]
                if not hit:
                    r.error("Identifier Field IDs", where, f"identifier field {fid} not in schema")
                    continue
                f, _, rep = hit[0]
                if not f["required"] or rep or isinstance(f["type"], dict) or f["type"] in (
                        "float", "double"):
                    r.error("Identifier Field IDs", where, f"field {fid} cannot be an identifier")
        if "current-schema-id" in m and m["current-schema-id"] not in self.schemas:
            r.error("Table Metadata Fields", "schemas", "current-schema-id not in schemas")
        current = self.schemas.get(m.get("current-schema-id", 0)) or (schemas[-1] if schemas else
                                                                      {"fields": []})
        self.current = {f["id"]: (f, p, rep) for f, p, rep in it.walk(current["fields"])}
        for fid, (f, path, rep) in self.current.items():
            self.fields[fid] = (f["type"], f.get("required"), path, rep)
        if self.version == 1 and "schema" in m and "schemas" in m:
            if it.json_equal(m["schema"], current) is False:
                r.error("Table Metadata Fields", "schema", "v1 schema is not the current schema")

    def check_specs(self):
        m, r = self.meta, self.r
        sec = "Partition Specs"
        specs = m.get("partition-specs")
        if specs is None:
            specs = [{"spec-id": 0, "fields": m.get("partition-spec", [])}]
        self.specs = {}
        fields_by_id = {}
        top = 999
        for s in specs:
            sid = s.get("spec-id", 0)
            where = f"partition spec {sid}"
            if sid in self.specs:
                r.error(sec, where, "spec-id used twice")
            fields = []
            names, ids = set(), set()
            for i, f in enumerate(s["fields"]):
                f = dict(f)
                f.setdefault("field-id", 1000 + i)
                if self.version >= 2 and "field-id" not in s["fields"][i]:
                    r.error(sec, where, f"field {f.get('name')} lacks field-id")
                sources = f.get("source-ids") or [f.get("source-id")]
                source = self.fields.get(sources[0])
                f["source"] = sources[0]
                f["source-type"] = source[0] if source else None
                if source is None:
                    r.note(sec, where, f"source field {sources[0]} is in no kept schema")
                parsed = it.parse_transform(f["transform"])
                if parsed is None:
                    r.error("Partition Transforms", where, f"transform {f['transform']!r}")
                elif source and not it.transform_allowed(f["transform"], source[0]):
                    r.error("Partition Transforms", where, f"{f['transform']} of {source[0]}")
                if source and source[3]:
                    r.error(sec, where, f"source field {sources[0]} lies in a list or map")
                if f["name"] in names:
                    r.error(sec, where, f"partition name {f['name']!r} used twice")
                if f["field-id"] in ids:
                    r.error(sec, where, f"partition field id {f['field-id']} used twice")
                if f["field-id"] < 1000:
                    r.error(sec, where, f"partition field id {f['field-id']} below 1000")
                names.add(f["name"])
                ids.add(f["field-id"])
                top = max(top, f["field-id"])
                known = fields_by_id.setdefault(f["field-id"], (f["source"], f["transform"]))
                if known != (f["source"], f["transform"]) and self.version >= 2:
                    if "void" not in (known[1], f["transform"]):
                        r.error("Partition Evolution", where,
                                f"field id {f['field-id']} means {known} and "
                                f"{(f['source'], f['transform'])}")
                f["result"] = it.result_type(f["transform"], f["source-type"]) \
                    if f["source-type"] else None
                fields.append(f)
            self.specs[sid] = fields
        if m.get("default-spec-id", 0) not in self.specs:
            r.error("Table Metadata Fields", "partition-specs", "default-spec-id not in specs")
        if "last-partition-id" in m and m["last-partition-id"] < top:
            r.error("Table Metadata Fields", "partition-specs",
                    f"last-partition-id {m['last-partition-id']} below used id {top}")
        shapes = collections.Counter(
            tuple((f["source"], f["transform"], f["name"]) for f in fs)
            for fs in self.specs.values())
        for shape, n in shapes.items():
            if n > 1:
                r.warn(sec, "partition-specs", f"{n} equal specs {shape}")

    def check_orders(self):
        m, r = self.meta, self.r
        self.orders = set()
        for o in m.get("sort-orders") or []:
            oid, where = o.get("order-id"), f"sort order {o.get('order-id')}"
            if oid in self.orders:
                r.error("Sorting", where, "order-id used twice")
            self.orders.add(oid)
            if (oid == 0) != (not o["fields"]):
                r.error("Sorting", where, "order 0 and only order 0 has no fields")
            for f in o["fields"]:
                if f.get("direction") not in ("asc", "desc"):
                    r.error("Sorting", where, f"direction {f.get('direction')!r}")
                if f.get("null-order") not in ("nulls-first", "nulls-last"):
                    r.error("Sorting", where, f"null-order {f.get('null-order')!r}")
                if it.parse_transform(f.get("transform", "")) is None:
                    r.error("Sorting", where, f"transform {f.get('transform')!r}")
        if "sort-orders" in m and m.get("default-sort-order-id") not in self.orders:
            r.error("Table Metadata Fields", "sort-orders", "default-sort-order-id not in orders")

    def check_snapshots_list(self):
        m, r, v = self.meta, self.r, self.version
        snapshots = m.get("snapshots") or []
        self.snapshots = {}
        for s in snapshots:
            sid = s.get("snapshot-id")
            where = f"snapshot {sid}"
            if sid in self.snapshots:
                r.error("Snapshots", where, "snapshot-id used twice")
            self.snapshots[sid] = s
        current = m.get("current-snapshot-id")
        if current == -1:
            current = None
        self.current_id = current
        if current is not None and current not in self.snapshots:
            r.error("Table Metadata Fields", "snapshots", f"current-snapshot-id {current} missing")
        last = m.get("last-sequence-number", 0)
        sequences = collections.Counter()
        for sid, s in self.snapshots.items():
            where = f"snapshot {sid}"
            if not isinstance(sid, int) or sid < 0:
                r.error("Snapshots", where, "snapshot-id is not a non-negative long")
            if "timestamp-ms" not in s:
                r.error("Snapshots", where, "timestamp-ms is missing")
            if v >= 2:
                seq = s.get("sequence-number")
                if seq is None:
                    # Java leaves it out for snapshots made in v1; readers take 0
                    (r.note if "manifest-list" in s or "manifests" in s else r.error)(
                        "Snapshots", where, "sequence-number is missing (read as 0)")
                    seq = 0
                sequences[seq] += 1
                if seq > last:
                    r.error("Sequence Numbers", where,
                            f"sequence-number {seq} above last-sequence-number {last}")
                if "manifests" in s:
                    r.error("Snapshots", where, "field manifests is only for v1")
                if "manifest-list" not in s:
                    r.error("Snapshots", where, "manifest-list is missing")
            summary = s.get("summary")
            if summary is None and v >= 2:
                r.error("Snapshots", where, "summary is missing")
            for k, val in (summary or {}).items():
                if not isinstance(val, str):
                    r.error("Snapshots", where, f"summary {k} is not a string")
            op = (summary or {}).get("operation")
            if summary is not None and op not in ("append", "replace", "overwrite", "delete"):
                r.error("Snapshots", where, f"operation {op!r}")
            if "schema-id" in s and s["schema-id"] not in self.schemas:
                r.error("Snapshots", where, f"schema-id {s['schema-id']} not in schemas")
            if "schema-id" not in s:
                r.note("Snapshots", where, "no schema-id")
            if v >= 3:
                # snapshots made before the upgrade have neither
                if ("first-row-id" in s) != ("added-rows" in s):
                    r.error("Snapshots", where, "first-row-id and added-rows go together")
                if "first-row-id" not in s:
                    r.note("Row Lineage", where, "no first-row-id (made before the upgrade?)")
                elif s["first-row-id"] + s.get("added-rows", 0) > m.get("next-row-id", 0):
                    r.error("Row Lineage", where,
                            "first-row-id + added-rows above the table's next-row-id")
            elif "first-row-id" in s:
                r.error("Row Lineage", where, f"first-row-id in a v{v} table")
            parent = s.get("parent-snapshot-id")
            if parent == -1:
                r.warn("Snapshots", where, "parent-snapshot-id -1 instead of leaving it out")
            if parent in self.snapshots:
                p = self.snapshots[parent]
                if v >= 2 and s.get("sequence-number", 0) and \
                        p.get("sequence-number", 0) >= s["sequence-number"]:
                    r.error("Sequence Numbers", where, "sequence-number not above its parent's")
                if p.get("timestamp-ms", 0) > s.get("timestamp-ms", 0) + MINUTE:
                    r.warn("Snapshots", where, "older than its parent by more than a minute")
            if s.get("timestamp-ms", 0) > m.get("last-updated-ms", 0) + MINUTE:
                r.error("Table Metadata Fields", where, "newer than last-updated-ms")
        for seq, n in sequences.items():
            if n > 1 and seq:
                r.error("Sequence Numbers", "snapshots", f"sequence-number {seq} used {n} times")
        if v >= 3:
            ranges = sorted((s["first-row-id"], s["first-row-id"] + s.get("added-rows", 0), sid)
                            for sid, s in self.snapshots.items() if "first-row-id" in s)
            for (a0, a1, a), (b0, _, b) in zip(ranges, ranges[1:]):
                if b0 < a1:
                    r.error("Row Lineage", f"snapshot {b}",
                            f"row id range overlaps that of snapshot {a}")
        for name, ref in (m.get("refs") or {}).items():
            where = f"ref {name}"
            if ref.get("type") not in ("branch", "tag"):
                r.error("Snapshot References", where, f"type {ref.get('type')!r}")
            if ref.get("snapshot-id") not in self.snapshots:
                r.error("Snapshot References", where, "snapshot-id not in snapshots")
            if ref.get("type") == "tag" and (
                    {"min-snapshots-to-keep", "max-snapshot-age-ms"} & set(ref)):
                r.error("Snapshot References", where, "branch retention on a tag")
            for k in ("min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"):
                if k in ref and not (isinstance(ref[k], int) and ref[k] > 0):
                    r.error("Snapshot References", where, f"{k} is not a positive number")
        main = (m.get("refs") or {}).get("main")
        if main and (main.get("snapshot-id") != current or main.get("type") != "branch"):
            r.error("Snapshot References", "ref main", "is not the branch at current-snapshot-id")
        if m.get("refs") is not None and not main and current is not None and v >= 2:
            r.warn("Snapshot References", "refs", "no main although the table has a snapshot")

    def check_logs(self):
        m, r = self.meta, self.r
        log = m.get("snapshot-log") or []
        for a, b in zip(log, log[1:]):
            if b["timestamp-ms"] < a["timestamp-ms"] - MINUTE:
                r.error("Table Metadata Fields", "snapshot-log", "not in order of time")
        if log and self.current_id is not None and log[-1]["snapshot-id"] != self.current_id:
            r.error("Table Metadata Fields", "snapshot-log", "last entry is not the current one")
        for e in log:
            if e["snapshot-id"] not in self.snapshots:
                r.warn("Table Metadata Fields", "snapshot-log",
                       f"names snapshot {e['snapshot-id']}, which was expired")
            if e["timestamp-ms"] > m.get("last-updated-ms", 0) + MINUTE:
                r.error("Table Metadata Fields", "snapshot-log", "newer than last-updated-ms")
        if not log and self.current_id is not None:
            r.warn("Table Metadata Fields", "snapshot-log", "empty although there is a snapshot")
        log = m.get("metadata-log") or []
        for a, b in zip(log, log[1:]):
            if b["timestamp-ms"] < a["timestamp-ms"] - MINUTE:
                r.error("Table Metadata Fields", "metadata-log", "not in order of time")
        keep = int((m.get("properties") or {}).get("write.metadata.previous-versions-max", 100))
        if len(log) > keep:
            r.warn("Table Metadata Fields", "metadata-log", f"{len(log)} entries, limit is {keep}")
        names = collections.Counter(e["metadata-file"] for e in log)
        for name, n in names.items():
            if n > 1:
                r.error("Table Metadata Fields", "metadata-log", f"{name} listed {n} times")
        for e in log:
            base = e["metadata-file"].rsplit("/", 1)[-1]
            if base == os.path.basename(self.file):
                r.error("Table Metadata Fields", "metadata-log", "lists the metadata file itself")
                continue
            found = self.paths.find(e["metadata-file"])
            if not found:
                r.note("Table Metadata Fields", "metadata-log", f"{base} is not there")
                continue
            old = self.guard(base, load_json, found)
            if old is None:
                continue
            if "table-uuid" in old and old["table-uuid"] != m.get("table-uuid"):
                r.error("Table Metadata Fields", "metadata-log", f"{base} has another table-uuid")
            if old.get("last-updated-ms") != e["timestamp-ms"]:
                r.warn("Table Metadata Fields", "metadata-log",
                       f"timestamp of {base} is not its last-updated-ms")
            for key in ("last-column-id", "last-sequence-number", "last-partition-id",
                        "next-row-id", "format-version"):
                if old.get(key, 0) > m.get(key, 0):
                    r.error("Table Metadata Fields", "metadata-log",
                            f"{key} went down from {old[key]} in {base} to {m.get(key)}")
            for s in old.get("snapshots") or []:
                now = self.snapshots.get(s["snapshot-id"])
                if now is not None and now.get("manifest-list") != s.get("manifest-list"):
                    r.error("Snapshots", f"snapshot {s['snapshot-id']}",
                            f"manifest-list differs from that in {base}")

    # ---- Avro schema checks -----------------------------------------------------------------

    def avro_fields(self, sec, where, schema, table, version, aliases=None):
        """Check one Avro record against a table of field ids; returns {id: Avro type}."""
        r, found = self.r, {}
        column = {1: 2, 2: 3, 3: 4}[version]
        for f in schema["fields"]:
            fid = f.get("field-id")
            if fid is None:
                r.error("Appendix A: Avro", where, f"field {f['name']} has no field-id")
                continue
            if fid in found:
                r.error("Appendix A: Avro", where, f"field-id {fid} twice")
            t, optional = unwrap(f["type"])
            found[fid] = t
            if optional and (not isinstance(f["type"], list) or f["type"][0] != "null"):
                r.warn("Appendix A: Avro", where, f"{f['name']}: null is not first in the union")
            if optional and f.get("default", "absent") is not None:
                r.warn("Appendix A: Avro", where, f"optional {f['name']} has no default null")
            row = table.get(fid)
            if row is None:
                r.note(sec, where, f"field {f['name']} ({fid}) is not in the spec's table")
                continue
            if f["name"] != row[0]:
                kind = r.note if (aliases or {}).get(fid) == f["name"] else r.error
                kind(sec, where, f"field {fid} is named {f['name']}, spec: {row[0]}")
            if avro_kind(t) != row[1]:
                r.error(sec, where, f"{row[0]} has Avro type {avro_kind(t)}, spec: {row[1]}")
            if row[column] is None and version >= 2:
                r.error(sec, where, f"{row[0]} must not be written in v{version}")
            elif row[column] is None:
                r.note(sec, where, f"{row[0]} in a v1 file")
            elif row[column] and optional:
                # Java and PyIceberg write snapshot_id as optional in v1, too
                (r.note if fid == 1 else r.warn)(sec, where, f"{row[0]} is required in v{version} but written as optional")
            if fid in MAP_IDS:
                key, value, kind = MAP_IDS[fid]
                items = t.get("items", {}) if isinstance(t, dict) else {}
                got = {x["name"]: (x.get("field-id"), avro_kind(unwrap(x["type"])[0]))
                       for x in items.get("fields", [])}
                if got != {"key": (key, "int"), "value": (value, kind)}:
                    r.error("Appendix A: Avro", where, f"map {row[0]} has {got}")
                if t.get("logicalType") != "map":
                    r.error("Appendix A: Avro", where, f"{row[0]} lacks logicalType map")
            if fid in ELEMENT_IDS and t.get("element-id") != ELEMENT_IDS[fid]:
                r.error("Appendix A: Avro", where,
                        f"{row[0]} has element-id {t.get('element-id')}")
        for fid, row in table.items():
            if row[column] and fid not in found:
                r.error(sec, where, f"required field {row[0]} ({fid}) is missing")
        return found

    def open_avro(self, path):
        with open(path, "rb") as f:
            reader = fastavro.reader(f)
            header = {k: v for k, v in reader.metadata.items()}
            schema = json.loads(header["avro.schema"])
            return header, schema, list(reader)

    # ---- manifest lists ---------------------------------------------------------------------

    def check_snapshot(self, s):
        r, sid = self.r, s["snapshot-id"]
        where = f"snapshot {sid}"
        sec = "Manifest Lists"
        seq = s.get("sequence-number", 0)
        if "manifest-list" not in s:
            rows = [{500: p, 502: None, 503: None} for p in s.get("manifests", [])]
            self.r.note("Snapshots", where, "v1 list of manifests inside the snapshot")
        else:
            rows = self.read_list(s)
            if rows is None:
                return
        live_data, live_deletes = {}, {}
        entries_here = []
        paths_seen = set()
        running = recommended = s.get("first-row-id")
        parent = self.snapshots.get(s.get("parent-snapshot-id"))
        parent_rows = {} if parent is None else self.list_rows.get(parent["snapshot-id"], {})
        self.list_rows[sid] = {row[500]: row for row in rows}
        for row in rows:
            mw = f"{where} manifest {row[500].rsplit('/', 1)[-1]}"
            if row[500] in paths_seen:
                r.error(sec, mw, "listed twice")
            paths_seen.add(row[500])
            if row.get(502) is not None and row[502] not in self.specs:
                r.error(sec, mw, f"partition_spec_id {row[502]} not in metadata")
                continue
            mseq = row.get(515) or 0
            if mseq > seq:
                r.error("Sequence Numbers", mw, f"sequence_number {mseq} above snapshot's {seq}")
            adder = self.snapshots.get(row.get(503))
            if adder is not None and row.get(515) is not None and \
                    adder.get("sequence-number", 0) != mseq:
                r.error("Sequence Numbers", mw,
                        f"sequence_number {mseq} but snapshot {row[503]} that added it has "
                        f"{adder.get('sequence-number', 0)}")
            if (row.get(516) or 0) > mseq:
                r.error("Sequence Numbers", mw, "min_sequence_number above sequence_number")
            newly_assigned = False
            if row.get(517) == 1 and row.get(520) is not None:
                r.error("Row Lineage", mw, "first_row_id on a delete manifest")
            if "first-row-id" in s and row.get(517, 0) == 0:
                if row.get(520) is None:
                    r.error("Row Lineage", mw, "data manifest without first_row_id")
                elif row[500] not in parent_rows or parent_rows[row[500]].get(520) is None:
                    newly_assigned = True
                    if row[520] < running:
                        r.error("First Row ID Assignment", mw,
                                f"first_row_id {row[520]}, must be at least {running}")
                    elif row[520] != recommended:
                        r.note("First Row ID Assignment", mw,
                               f"first_row_id {row[520]}, the simple rule gives {recommended}")
                    recommended = row[520] + (row.get(512) or 0) + (row.get(513) or 0)
                elif row[520] != parent_rows[row[500]][520]:
                    r.error("First Row ID Inheritance", mw, "first_row_id changed from the parent")
            elif "first-row-id" not in s and row.get(520) is not None:
                r.error("Row Lineage", mw, "first_row_id in a snapshot without row lineage")
            entries = self.guard(mw, self.check_manifest, row, s)
            if newly_assigned:
                running = max(running, row[520]) + sum(
                    e["records"] for e in entries or []
                    if e["status"] != 2 and e["d"].get(142) is None)
            for e in entries or []:
                live = live_deletes if e["content"] else live_data
                if e["status"] != 2:
                    key = (e["path"], e["offset"])
                    if key in live:
                        r.error("Manifests", mw, f"{e['path']} is live twice in the snapshot")
                    live[key] = e
                if e["snapshot"] == sid:
                    entries_here.append(e)
        if running is not None and running > s["first-row-id"] + s.get("added-rows", 0):
            r.error("First Row ID Assignment", where,
                    f"added-rows {s.get('added-rows')} below the {running - s['first-row-id']} "
                    "row ids assigned")
        self.check_live(s, live_data, live_deletes)
        self.check_summary(s, live_data, live_deletes, entries_here, rows)
        self.live_of[sid] = (live_data, live_deletes)
        self.check_history(s, parent, live_data, live_deletes)
        r.checked["snapshots"] += 1

    def read_list(self, s):
        r, sid = self.r, s["snapshot-id"]
        where = f"snapshot {sid} manifest list"
        path = self.paths.find(s["manifest-list"])
        if not path:
            r.error("Manifest Lists", where, f"{s['manifest-list']} does not exist")
            return None
        if s.get("key-id"):
            r.note("Manifest Lists", where, "encrypted, not read")
            return None
        got = self.guard(where, self.open_avro, path)
        if got is None:
            return None
        header, schema, records = got
        r.checked["manifest lists"] += 1
        version = int(header.get("format-version", self.version))
        for key, want in (("snapshot-id", sid), ("sequence-number", s.get("sequence-number")),
                          ("parent-snapshot-id", s.get("parent-snapshot-id")),
                          ("first-row-id", s.get("first-row-id"))):
            if key in header:
                have = None if header[key] in ("null", "") else int(header[key])
                if want is not None and have != want or (
                        key == "parent-snapshot-id" and have != want):
                    r.error("Manifest Lists", where, f"header {key} {header[key]}, snapshot {want}")
            elif key == "snapshot-id":
                r.note("Manifest Lists", where, "no snapshot-id in the Avro header")
        if "format-version" not in header:
            r.warn("Manifest Lists", where, "no format-version in the Avro header")
        self.check_codec(where, header)
        if schema.get("name") != "manifest_file":
            r.error("Manifest Lists", where, f"root record is named {schema.get('name')!r}")
        types = self.avro_fields("Manifest Lists", where, schema, LIST_FIELDS, version,
                                 LIST_ALIASES)
        if 507 in types:
            items = unwrap(types[507].get("items"))[0]
            if isinstance(items, dict):
                got = {f.get("field-id"): f for f in items["fields"]}
                for fid, (name, kind, required) in SUMMARY_FIELDS.items():
                    f = got.get(fid)
                    if f is None:
                        (r.error if required or fid in (510, 511) else r.note)(
                            "Manifest Lists", where, f"field_summary lacks {name}")
                    elif (f["name"], avro_kind(unwrap(f["type"])[0])) != (name, kind):
                        r.error("Manifest Lists", where, f"field_summary {fid} is {f['name']}")
        rows = []
        for rec in records:
            row = by_id(rec, schema)
            row["version"] = version
            if row.get(507) is not None:
                items = unwrap(types[507]["items"])[0]
                row[507] = [by_id(x, items) for x in row[507]]
            rows.append(row)
            mw = f"{where} {row[500].rsplit('/', 1)[-1]}"
            if self.version >= 2 and version >= 2:
                for fid in (504, 505, 506, 512, 513, 514, 515, 516, 517):
                    if row.get(fid) is None:
                        r.error("Manifest Lists", mw, f"{LIST_FIELDS[fid][0]} is null")
        return rows

    def check_codec(self, where, header):
        codec = header.get("avro.codec", "null")
        if codec not in ("null", "deflate"):
            r = self.r.note if codec in ("snappy", "zstandard") else self.r.warn
            r("Appendix A: Avro", where, f"Avro codec {codec}")

    # ---- manifests --------------------------------------------------------------------------

    def check_manifest(self, row, snapshot):
        key = row[500]
        cached = self.manifests.get(key)
        if cached is not None:
            if cached[0] is not None and row.get(503) is not None:
                for fid in (501, 502, 515, 516, 503, 504, 505, 506, 512, 513, 514, 517):
                    if cached[0].get(fid) != row.get(fid) and None not in (
                            cached[0].get(fid), row.get(fid)):
                        self.r.error("Manifest Lists", f"manifest {key.rsplit('/', 1)[-1]}",
                                     f"{LIST_FIELDS[fid][0]} differs between snapshots")
                if row.get(507) != cached[0].get(507) and row.get(502) in self.specs:
                    self.check_partition_summary(f"manifest {key.rsplit('/', 1)[-1]}", row,
                                                 self.specs[row[502]], cached[1])
                if row.get(520) is not None and cached[0].get(520) is None:
                    cached = None  # row ids were assigned since: work them out again
            if cached is not None:
                return cached[1]
        entries = self.read_manifest(row, snapshot)
        self.manifests[key] = (row, entries)
        return entries

    def read_manifest(self, row, snapshot):
        r = self.r
        base = row[500].rsplit("/", 1)[-1]
        where = f"manifest {base}"
        sec = "Manifests"
        path = self.paths.find(row[500])
        if not path:
            r.error(sec, where, f"{row[500]} does not exist")
            return []
        r.checked["manifests"] += 1
        if row.get(501) is not None and os.path.getsize(path) != row[501]:
            r.error("Manifest Lists", where,
                    f"manifest_length {row[501]}, file has {os.path.getsize(path)}")
        if row.get(519):
            r.note(sec, where, "encrypted, not read")
            return []
        header, schema, records = self.open_avro(path)
        self.check_codec(where, header)
        version = int(header.get("format-version", 1))
        content = {"data": 0, "deletes": 1}.get(header.get("content"), row.get(517) or 0)
        for k in ("schema", "partition-spec"):
            if k not in header:
                r.warn(sec, where, f"header key {k} is missing")
        if version >= 2:
            for k in ("partition-spec-id", "format-version", "content"):
                if k not in header:
                    r.warn(sec, where, f"header key {k} is missing")
            if "schema-id" not in header:
                r.note(sec, where, "header key schema-id is missing (Java leaves it out too)")
        if "format-version" not in header:
            r.warn(sec, where, "header key format-version is missing")
            version = row.get("version", self.version)
        if content != (row.get(517) or 0):
            r.error(sec, where, f"header content {header.get('content')}, list {row.get(517)}")
        spec_id = int(header.get("partition-spec-id", row.get(502) or 0))
        if row.get(502) is not None and spec_id != row[502]:
            r.error(sec, where, f"header partition-spec-id {spec_id}, list {row[502]}")
        spec = self.specs.get(spec_id)
        if spec is None:
            r.error(sec, where, f"partition spec {spec_id} not in metadata")
            return []
        if "partition-spec" in header:
            self.check_header_spec(where, header["partition-spec"], spec)
        if "schema" in header:
            self.check_header_schema(where, header)
        if schema.get("name") != "manifest_entry":
            r.error(sec, where, f"root record is named {schema.get('name')!r}")
        types = self.avro_fields(sec, where, schema, ENTRY_FIELDS, version)
        if 2 not in types:
            return []
        file_type = types[2]
        if file_type.get("name") != "r2":
            r.warn(sec, where, f"data_file record is named {file_type.get('name')!r}, not r2")
        file_types = self.avro_fields("Data File Fields", where, file_type, FILE_FIELDS, version)
        part_type = file_types.get(102, {"fields": []})
        if part_type.get("name") != "r102":
            r.warn(sec, where, f"partition record is named {part_type.get('name')!r}, not r102")
        self.check_partition_type(where, part_type, spec)

        counts, row_counts = collections.Counter(), collections.Counter()
        entries = []
        next_row_id = row.get(520)
        min_seq = None
        for rec in records:
            top = by_id(rec, schema)
            d = by_id(top[2], file_type)
            ew = f"{where} entry {str(d.get(100)).rsplit('/', 1)[-1]}"
            status = top[0]
            if status not in (0, 1, 2):
                r.error("Manifest Entry Fields", ew, f"status {status}")
            if top.get(1) is None and status != 1:
                r.error("Manifest Entry Fields", ew, "snapshot_id is null on an old entry")
            seq, fseq = top.get(3), top.get(4)
            if version >= 2 and status != 1 and (seq is None or fseq is None):
                r.error("Sequence Number Inheritance", ew,
                        f"null sequence number with status {status}")
            mseq = row.get(515) or 0
            seq = (mseq if status == 1 else 0) if seq is None else seq
            fseq = (mseq if status == 1 else 0) if fseq is None else fseq
            if seq > mseq and row.get(515) is not None:
                r.error("Sequence Numbers", ew, f"sequence_number {seq} above manifest's {mseq}")
            if fseq > mseq and row.get(515) is not None:
                r.error("Sequence Numbers", ew, "file_sequence_number above the manifest's")
            if seq > fseq:
                r.error("Sequence Numbers", ew, f"data sequence {seq} above file sequence {fseq}")
            snap = top.get(1) if top.get(1) is not None else row.get(503)
            if status == 1 and row.get(503) is not None and snap != row[503]:
                r.error("Manifest Entry Fields", ew,
                        f"added by snapshot {snap}, manifest by {row[503]}")
            if status == 1 and top.get(4) is not None and top[4] != mseq:
                r.error("Sequence Number Inheritance", ew,
                        "added with an explicit file_sequence_number that is not the manifest's")
            counts[status] += 1
            row_counts[status] += d.get(103) or 0
            partition = by_id(top[2][self.name_of(file_type, 102)], part_type)
            values = tuple(
                it.internal(f["result"], partition.get(f["field-id"])) if f["result"] else
                partition.get(f["field-id"]) for f in spec)
            file_content = d.get(134) or 0
            first = d.get(142)
            if file_content == 0 and status != 2 and first is None and next_row_id is not None:
                first = next_row_id
                next_row_id += d[103]
            if status == 0 and row.get(520) is not None and file_content == 0 and \
                    d.get(142) is None and version >= 3:
                r.note("First Row ID Inheritance", ew, "existing entry with null first_row_id")
            e = {"status": status, "snapshot": snap, "seq": seq, "fseq": fseq, "path": d[100],
                 "content": file_content, "spec": spec_id, "partition": values, "d": d,
                 "records": d.get(103), "size": d.get(104), "offset": d.get(144),
                 "first": first, "manifest": base, "version": version,
                 "format": str(d.get(101)).lower()}
            entries.append(e)
            if status != 2:
                min_seq = seq if min_seq is None else min(min_seq, seq)
            self.check_entry(ew, e, content, spec)
        for fid, status in ((504, 1), (505, 0), (506, 2)):
            if row.get(fid) is not None and row[fid] != counts[status]:
                r.error("Manifest Lists", where,
                        f"{LIST_FIELDS[fid][0]} {row[fid]}, manifest has {counts[status]}")
        for fid, status in ((512, 1), (513, 0), (514, 2)):
            if row.get(fid) is not None and row[fid] != row_counts[status]:
                r.error("Manifest Lists", where,
                        f"{LIST_FIELDS[fid][0]} {row[fid]}, manifest has {row_counts[status]}")
        if min_seq is not None and row.get(516) is not None:
            if row[516] > min_seq:
                r.error("Sequence Numbers", where,
                        f"min_sequence_number {row[516]} above a live entry's {min_seq}")
            elif row[516] < min_seq:
                r.warn("Sequence Numbers", where,
                       f"min_sequence_number {row[516]}, lowest live entry has {min_seq}")
        if not records:
            r.warn(sec, where, "no entries")
        self.check_partition_summary(where, row, spec, entries)
        for e in entries:
            if e["status"] != 2 or self.paths.find(e["path"]):
                self.guard(f"file {e['path'].rsplit('/', 1)[-1]}", self.check_file, e, spec)
        return entries

    @staticmethod
    def name_of(record_type, fid):
        return next(f["name"] for f in record_type["fields"] if f.get("field-id") == fid)

    def check_header_spec(self, where, text, spec):
        try:
            got = json.loads(text)
        except ValueError:
            self.r.error("Manifests", where, "header partition-spec is not JSON")
            return
        if isinstance(got, dict):
            self.r.error("Manifests", where, "header partition-spec is not the array of fields")
            got = got.get("fields", [])
        a = [(f.get("source-id", (f.get("source-ids") or [None])[0]), f.get("transform"),
              f.get("name")) for f in got]
        b = [(f["source"], f["transform"], f["name"]) for f in spec]
        if [x[:2] for x in a] != [x[:2] for x in b]:
            self.r.error("Manifests", where, f"header partition-spec {a}, metadata {b}")
        elif a != b:
            self.r.note("Manifests", where, "partition field names differ from metadata")

    def check_header_schema(self, where, header):
        r = self.r
        try:
            got = json.loads(header["schema"])
        except ValueError:
            r.error("Manifests", where, "header schema is not JSON")
            return
        if got.get("type") != "struct" or "fields" not in got:
            r.error("Manifests", where, "header schema is not an Iceberg schema")
            return
        sid = got.get("schema-id", int(header.get("schema-id", -1)))
        mine = {f["id"]: f["type"] for f, _, _ in it.walk(got["fields"])
                if not isinstance(f["type"], dict)}
        known = self.schemas.get(sid)
        if known is None:
            r.note("Manifests", where, f"header schema-id {sid} is in no kept schema")
            for fid, t in mine.items():
                if fid in self.fields and not it.promotable(t, self.fields[fid][0]):
                    r.error("Manifests", where, f"header schema field {fid} is {t}")
            return
        theirs = {f["id"]: f["type"] for f, _, _ in it.walk(known["fields"])
                  if not isinstance(f["type"], dict)}
        if mine != theirs:
            r.error("Manifests", where, f"header schema differs from schema {sid} in metadata")

    def check_partition_type(self, where, part_type, spec):
        r = self.r
        sec = "Manifests"
        got = {f.get("field-id"): f for f in part_type["fields"]}
        if len(part_type["fields"]) != len(spec):
            r.error(sec, where, f"partition tuple has {len(part_type['fields'])} fields, "
                                f"spec has {len(spec)}")
        want_avro = {"boolean": ("boolean", None), "int": ("int", None), "long": ("long", None),
                     "float": ("float", None), "double": ("double", None), "date": ("int", "date"),
                     "time": ("long", "time-micros"), "timestamp": ("long", "timestamp-micros"),
                     "timestamptz": ("long", "timestamp-micros"),
                     "timestamp_ns": ("long", "timestamp-nanos"),
                     "timestamptz_ns": ("long", "timestamp-nanos"), "string": ("string", None),
                     "uuid": ("fixed", "uuid"), "binary": ("bytes", None)}
        for f in spec:
            a = got.get(f["field-id"])
            if a is None:
                r.error(sec, where, f"partition field {f['field-id']} missing in the Avro schema")
                continue
            name = a.get("iceberg-field-name", a["name"])
            if name != f["name"]:
                r.note(sec, where, f"partition field {f['field-id']} is named {name}")
            t, optional = unwrap(a["type"])
            if not optional:
                # Java writes every partition field as optional; PyIceberg follows the source
                r.warn(sec, where, f"partition field {f['name']} is not optional")
            if f["result"] is None:
                continue
            k = it.kind_of(f["result"])
            logical = t.get("logicalType") if isinstance(t, dict) else None
            if k == "decimal":
                p, s = it.parse_decimal(f["result"])
                have = (t.get("precision"), t.get("scale", 0)) if isinstance(t, dict) else None
                if logical == "decimal" and have[1] == s and have[0] < p:
                    r.note("Schema Evolution", where, f"{f['name']} was written before promotion")
                elif logical != "decimal" or have != (p, s):
                    r.error("Appendix A: Avro", where, f"partition {f['name']} decimal is {t}")
                elif avro_kind(t) != "fixed":
                    r.error("Appendix A: Avro", where,
                            f"partition {f['name']} decimal is {avro_kind(t)}, not fixed")
                continue
            if k == "fixed":
                if avro_kind(t) != "fixed" or t.get("size") != it.parse_fixed(f["result"]):
                    r.error("Appendix A: Avro", where, f"partition {f['name']} is {t}")
                continue
            want = want_avro.get(k)
            if want is None:
                continue
            have = (avro_kind(t), logical)
            if f["transform"] == "day" and have == ("int", None):
                r.warn("Partition Transforms", where,
                       f"day partition {f['name']} written as plain int, not date")
            elif f["transform"].split("[")[0] in ("identity", "truncate") and have != want and \
                    have[0] in ("int", "float") and want[0] in ("long", "double"):
                r.note("Schema Evolution", where, f"{f['name']} was written before promotion")
            elif have != want:
                r.error("Appendix A: Avro", where, f"partition {f['name']} is {have}, not {want}")
            if k in ("timestamp", "timestamptz") and isinstance(t, dict) and \
                    bool(t.get("adjust-to-utc")) != (k == "timestamptz"):
                r.error("Appendix A: Avro", where, f"adjust-to-utc of {f['name']} is wrong")

    def check_partition_summary(self, where, row, spec, entries):
        r, sec = self.r, "Manifest Lists"
        summary = row.get(507)
        if summary is None:
            if spec:
                r.warn(sec, where, "no partition summaries")
            return
        if len(summary) != len(spec):
            r.error(sec, where, f"{len(summary)} partition summaries for {len(spec)} fields")
            return
        for i, (f, s) in enumerate(zip(spec, summary)):
            if f["result"] is None:
                continue
            fw = f"{where} partition {f['name']}"
            every = [e["partition"][i] for e in entries]
            live = [e["partition"][i] for e in entries if e["status"] != 2]
            if any(v is None for v in live) and not s.get(509):
                r.error(sec, fw, "contains_null is false, a live entry has null")
            if s.get(509) and not any(v is None for v in every):
                r.error(sec, fw, "contains_null is true, no entry has null")
            nan = [v for v in live if isinstance(v, float) and v != v]
            if nan and s.get(518) is False:
                r.error(sec, fw, "contains_nan is false, a live entry has NaN")
            if s.get(518) and not any(isinstance(v, float) and v != v for v in every):
                r.error(sec, fw, "contains_nan is true, no entry has NaN")
            order = lambda v, t=f["result"]: it.order_key(t, v)
            clean = sorted((v for v in live if v is not None and v == v), key=order)
            whole = sorted((v for v in every if v is not None and v == v), key=order)
            for fid, pick in ((510, 0), (511, -1)):
                name = SUMMARY_FIELDS[fid][0]
                if s.get(fid) is None:
                    if clean:
                        r.warn(sec, fw, f"no {name}")
                    continue
                if not whole:
                    r.error(sec, fw, f"{name} given, but every value is null or NaN")
                    continue
                try:
                    bound = it.decode(f["result"], s[fid])
                except it.BadValue as e:
                    r.error("Appendix D", fw, f"{name}: {e}")
                    continue
                if bound != bound:
                    r.error(sec, fw, f"{name} is NaN")
                    continue
                if clean:
                    bad = order(bound) > order(clean[0]) if pick == 0 else \
                        order(bound) < order(clean[-1])
                    if bad and bound != clean[pick]:
                        r.error(sec, fw, f"{name} {bound!r} does not cover {clean[pick]!r}")
                        continue
                if bound != whole[pick] and (not clean or bound != clean[pick]):
                    r.warn(sec, fw, f"{name} {bound!r} is not tight, {whole[pick]!r} is")

    def check_entry(self, ew, e, manifest_content, spec):
        """Checks of one manifest entry that need no other file."""
        r, d, sec = self.r, e["d"], "Data File Fields"
        if (e["content"] != 0) != (manifest_content == 1):
            r.error("Manifests", ew, f"content {e['content']} in a manifest of the other kind")
        if e["content"] not in (0, 1, 2):
            r.error(sec, ew, f"content {e['content']}")
        if e["format"] not in ("parquet", "avro", "orc", "puffin"):
            r.error(sec, ew, f"file_format {d.get(101)!r}")
        elif d[101] != d[101].upper():
            r.note(sec, ew, f"file_format {d[101]!r} is not upper case")
        if not isinstance(e["records"], int) or e["records"] < 0:
            r.error(sec, ew, f"record_count {e['records']}")
        elif e["records"] == 0:
            r.warn(sec, ew, "record_count is 0")
        if d.get(132):
            offsets = d[132]
            if offsets != sorted(offsets) or len(set(offsets)) != len(offsets):
                r.error(sec, ew, "split_offsets not ascending")
            if offsets[-1] >= e["size"]:
                r.error(sec, ew, "split offset beyond the end of the file")
        if (e["content"] == 2) != bool(d.get(135)):
            r.error(sec, ew, f"equality_ids {d.get(135)} with content {e['content']}")
        for fid in d.get(135) or []:
            if fid not in self.fields:
                r.note(sec, ew, f"equality id {fid} is in no kept schema")
            elif self.fields[fid][3] or isinstance(self.fields[fid][0], dict):
                r.error("Equality Delete Files", ew, f"equality id {fid} is not a plain column")
        if d.get(140) is not None:
            if e["content"] == 1:
                r.warn(sec, ew, "sort_order_id on a position delete file")
            if d[140] not in self.orders and self.meta.get("sort-orders"):
                r.warn(sec, ew, f"sort_order_id {d[140]} is not in metadata")
        if e["content"] != 0 and d.get(142) is not None:
            r.error(sec, ew, "first_row_id on a delete file")
        if d.get(143) is not None and e["content"] != 1:
            r.error(sec, ew, "referenced_data_file on a file that is no position delete")
        if e["format"] == "puffin":
            if e["version"] < 3:
                r.error("Deletion Vectors", ew, "deletion vector in a manifest below v3")
            if e["content"] != 1:
                r.error("Deletion Vectors", ew, f"Puffin with content {e['content']}")
            for fid, name in ((143, "referenced_data_file"), (144, "content_offset"),
                              (145, "content_size_in_bytes")):
                if d.get(fid) is None:
                    r.error("Deletion Vectors", ew, f"{name} is null")
            for fid in (125, 128, 108, 109, 110, 137):
                if d.get(fid):
                    r.warn("Deletion Vectors", ew, f"{FILE_FIELDS[fid][0]} on a deletion vector")
        else:
            for fid in (144, 145):
                if d.get(fid) is not None:
                    r.error(sec, ew, f"{FILE_FIELDS[fid][0]} on a {e['format']} file")
            if e["content"] == 1 and e["version"] >= 3 and e["status"] == 1:
                r.error("Position Delete Files", ew,
                        "position delete file added to a v3 table (must be a deletion vector)")
        # a cherry-picked file is added again with a new number by another snapshot
        numbers = (e["seq"], e["fseq"])
        added = self.sequence_of.setdefault((e["path"], e["offset"]), {})
        if e["status"] != 2:
            known = added.setdefault(e["snapshot"], numbers)
            if known != numbers:
                r.error("Sequence Numbers", ew,
                        f"sequence numbers {numbers}, elsewhere {known}")
        elif added and numbers not in added.values():
            r.error("Sequence Numbers", ew,
                    f"deleted entry has sequence numbers {numbers}, live ones had "
                    f"{sorted(set(added.values()))}")
        if e["first"] is not None and e["content"] == 0:
            known = self.row_id_of.setdefault(e["path"], e["first"])
            if known != e["first"] and e["status"] != 2:
                # after an upgrade, branches may give the same file different row ids
                (r.note if len(self.meta.get("refs") or {}) > 1 else r.error)(
                    "Row Lineage", ew, f"first_row_id {e['first']}, elsewhere {known}")
        if e["content"] == 0 and e["version"] >= 3:
            if e["status"] == 1 and d.get(142) is not None:
                r.error("First Row ID Inheritance", ew,
                        f"added file with first_row_id {d[142]} (must be null)")
            if e["status"] != 1 and d.get(142) is None and e["path"] in self.row_id_of:
                r.error("First Row ID Inheritance", ew,
                        "existing or deleted entry without the first_row_id the file had")
        lists = {fid: {x["key"]: x["value"] for x in d[fid]} for fid in MAP_IDS if d.get(fid)}
        for fid, got in lists.items():
            if len(got) != len(d[fid]):
                r.error(sec, ew, f"{FILE_FIELDS[fid][0]} has a key twice")
        e["metrics"] = lists
        for key, n in lists.get(110, {}).items():
            if key in lists.get(109, {}) and n > lists[109][key]:
                r.error(sec, ew, f"null count above value count of field {key}")
        for fid in (125, 128):
            for key, raw in lists.get(fid, {}).items():
                t = self.fields.get(key, (None,))[0]
                if t is None or isinstance(t, dict):
                    if t is not None:
                        r.error(sec, ew, f"bound on nested field {key}")
                    continue
                try:
                    v = it.decode(t, raw)
                    if isinstance(v, float) and v != v:
                        r.error(sec, ew, f"bound of field {key} is NaN")
                except it.BadValue as bad:
                    r.error("Appendix D", ew, f"{FILE_FIELDS[fid][0]} of field {key}: {bad}")

    # ---- whole snapshots --------------------------------------------------------------------

    def check_live(self, s, live_data, live_deletes):
        r, where = self.r, f"snapshot {s['snapshot-id']}"
        by_path = {p: e for (p, _), e in live_data.items()}
        if len(by_path) != len(live_data):
            r.error("Manifests", where, "a data file is live twice")
        dv_for = collections.Counter()
        for e in live_deletes.values():
            d = e["d"]
            ew = f"{where} delete {e['path'].rsplit('/', 1)[-1]}"
            if e["content"] != 1:
                older = [x for x in live_data.values() if x["seq"] < e["seq"]
                         and (not self.specs[e["spec"]] or
                              (x["spec"], x["partition"]) == (e["spec"], e["partition"]))]
                if not older:
                    r.note("Scan Planning", ew, "equality delete applies to no live data file")
                continue
            target = d.get(143)
            if target is not None:
                hit = by_path.get(target)
                if hit is None:
                    (r.error if e["format"] == "puffin" else r.warn)(
                        "Deletion Vectors" if e["format"] == "puffin" else "Position Delete Files",
                        ew, f"dangling: {target.rsplit('/', 1)[-1]} is not live")
                    continue
                if (hit["spec"], hit["partition"]) != (e["spec"], e["partition"]):
                    r.error("Scan Planning", ew, "partition or spec differs from its data file's")
                if hit["seq"] > e["seq"]:
                    r.error("Scan Planning", ew, "older than the data file it deletes from")
                if e["format"] == "puffin":
                    dv_for[target] += 1
            info = self.file_info.get((e["path"], e["offset"]))
            if not info:
                continue
            for path, top in info.get("positions", {}).items():
                hit = by_path.get(path)
                if hit is None:
                    r.warn("Position Delete Files", ew,
                           f"names {path.rsplit('/', 1)[-1]}, which is not live")
                elif top >= hit["records"]:
                    r.error("Position Delete Files", ew,
                            f"position {top} in a file of {hit['records']} rows")
                elif (hit["spec"], hit["partition"]) != (e["spec"], e["partition"]):
                    r.error("Scan Planning", ew, "partition or spec differs from its data file's")
                elif hit["seq"] > e["seq"]:
                    r.error("Scan Planning", ew, "older than the data file it deletes from")
        for e in live_deletes.values():
            if e["content"] == 1 and e["format"] != "puffin" and e["d"].get(143) in dv_for:
                r.error("Deletion Vectors", f"{where} delete {e['path'].rsplit('/', 1)[-1]}",
                        "position delete file of one data file beside its deletion vector")
        for path, n in dv_for.items():
            if n > 1:
                r.error("Deletion Vectors", where, f"{n} deletion vectors for {path}")
        if "first-row-id" in s:
            spans = []
            for e in live_data.values():
                if e["first"] is None:
                    r.note("Row Lineage", where, f"{e['path']} has no first_row_id")
                else:
                    spans.append((e["first"], e["first"] + e["records"], e["path"]))
            spans.sort()
            for a, b in zip(spans, spans[1:]):
                if b[0] < a[1]:
                    r.error("Row Lineage", where, f"row ids of {b[2]} overlap those of {a[2]}")
            if spans and spans[-1][1] > self.meta.get("next-row-id", 0):
                r.error("Row Lineage", where, "a live row id is not below next-row-id")

    @staticmethod
    def content_size(e):
        return e["d"].get(145) if e["format"] == "puffin" and e["d"].get(145) else e["size"]

    def check_summary(self, s, live_data, live_deletes, here, rows):
        r, where, sec = self.r, f"snapshot {s['snapshot-id']} summary", "Snapshot Summary"
        summary = s.get("summary") or {}
        pos = [e for e in live_deletes.values() if e["content"] == 1]
        eq = [e for e in live_deletes.values() if e["content"] == 2]
        everything = [*live_data.values(), *live_deletes.values()]
        added = [e for e in here if e["status"] == 1]
        removed = [e for e in here if e["status"] == 2]

        def part(entries, content):
            return [e for e in entries if e["content"] == content]

        def dvs(entries):
            return [e for e in entries if e["format"] == "puffin"]

        def plain(entries):
            return [e for e in part(entries, 1) if e["format"] != "puffin"]

        def total(entries):
            return sum(e["records"] for e in entries)

        def size(entries):
            return sum(self.content_size(e) for e in entries)

        want = {
            "total-data-files": len(live_data), "total-delete-files": len(live_deletes),
            "total-records": total(live_data.values()), "total-files-size": size(everything),
            "total-position-deletes": total(pos), "total-equality-deletes": total(eq),
            "added-data-files": len(part(added, 0)), "deleted-data-files": len(part(removed, 0)),
            "added-records": total(part(added, 0)), "deleted-records": total(part(removed, 0)),
            "added-delete-files": len([e for e in added if e["content"]]),
            "removed-delete-files": len([e for e in removed if e["content"]]),
            "added-position-deletes": total(part(added, 1)),
            "removed-position-deletes": total(part(removed, 1)),
            "added-equality-deletes": total(part(added, 2)),
            "removed-equality-deletes": total(part(removed, 2)),
            "added-position-delete-files": len(plain(added)),
            "removed-position-delete-files": len(plain(removed)),
            "added-equality-delete-files": len(part(added, 2)),
            "removed-equality-delete-files": len(part(removed, 2)),
            "added-dvs": len(dvs(added)), "removed-dvs": len(dvs(removed)),
            "added-files-size": size(added), "removed-files-size": size(removed),
            "changed-partition-count": len({(e["spec"], e["partition"])
                                            for e in (*added, *removed)}),
            "manifests-created": sum(1 for row in rows if row.get(503) == s["snapshot-id"]),
        }
        # Counts of files may differ when a delete file was merged and re-added; totals may not.
        soft = {"manifests-created", "changed-partition-count"}
        for key, value in want.items():
            if key not in summary:
                if key.startswith("total-") and (self.version >= 2 or value):
                    r.warn(sec, where, f"{key} is missing (is {value})")
                elif value and key in ("added-data-files", "added-records", "deleted-data-files",
                                       "added-delete-files", "added-position-deletes",
                                       "added-equality-deletes"):
                    r.warn(sec, where, f"{key} is missing (is {value})")
                continue
            try:
                have = int(summary[key])
            except ValueError:
                r.error(sec, where, f"{key} is {summary[key]!r}")
                continue
            if have != value:
                (r.warn if key in soft else r.error)(
                    sec, where, f"{key} says {have}, files say {value}")
        op = summary.get("operation")
        if op == "append" and (removed or any(e["content"] for e in added)):
            r.error("Snapshots", where, "append that removes files or adds deletes")
        if op == "delete" and part(added, 0):
            r.error("Snapshots", where, "delete that adds data files")
        if op == "replace" and total(part(added, 0)) > total(part(removed, 0)):
            r.error("Snapshots", where, "replace that adds more rows than it removes")

    def check_history(self, s, parent, live_data, live_deletes):
        """Against the parent: nothing appears or vanishes without an entry that says so."""
        r, sid = self.r, s["snapshot-id"]
        if parent is None or parent["snapshot-id"] not in self.live_of:
            return
        old_data, old_deletes = self.live_of[parent["snapshot-id"]]
        where = f"snapshot {sid}"
        for old, new in ((old_data, live_data), (old_deletes, live_deletes)):
            gone = [k for k in old if k not in new]
            if gone:
                told = {(e["path"], e["offset"])
                        for _, es in (self.manifests.get(p, (0, [])) for p in self.list_rows[sid])
                        for e in es or [] if e["status"] == 2 and e["snapshot"] == sid}
                for k in gone:
                    if k not in told:
                        r.warn("Manifests", where,
                               f"{k[0].rsplit('/', 1)[-1]} vanished without a deleted entry")
            for k, e in new.items():
                if k not in old and not (e["status"] == 1 and e["snapshot"] == sid):
                    r.error("Manifests", where, f"{k[0].rsplit('/', 1)[-1]} is new, but its entry "
                                                f"has status {e['status']} of {e['snapshot']}")

    # ---- files ------------------------------------------------------------------------------

    def check_file(self, e, spec):
        r = self.r
        key = (e["path"], e["offset"])
        base = e["path"].rsplit("/", 1)[-1]
        where = f"file {base}"
        if key in self.file_info:
            return
        self.file_info[key] = {}
        path = self.paths.find(e["path"])
        if not path:
            r.error("Data File Fields", where, f"{e['path']} does not exist")
            return
        size = os.path.getsize(path)
        if size != e["size"]:
            r.error("Data File Fields", where, f"file_size_in_bytes {e['size']}, file has {size}")
        r.checked["delete files" if e["content"] else "data files"] += 1
        if e["d"].get(131):
            r.note("Data File Fields", where, "encrypted, not read")
            return
        if e["format"] == "parquet":
            self.check_parquet(where, path, e, spec)
        elif e["format"] == "avro":
            self.check_avro_file(where, path, e)
        elif e["format"] == "orc":
            n = pyarrow.orc.ORCFile(path).nrows
            if n != e["records"]:
                r.error("Data File Fields", where, f"record_count {e['records']}, file has {n}")
        elif e["format"] == "puffin":
            self.check_dv(where, path, e)

    def check_avro_file(self, where, path, e):
        header, schema, records = self.open_avro(path)
        if len(records) != e["records"]:
            self.r.error("Data File Fields", where,
                         f"record_count {e['records']}, file has {len(records)}")
        for f in schema["fields"]:
            fid = f.get("field-id")
            if fid is None:
                self.r.warn("Appendix A: Avro", where, f"field {f['name']} has no field-id")
            elif fid not in self.fields and fid < it.RESERVED_FROM:
                self.r.note("Appendix A: Avro", where, f"field {fid} is in no kept schema")
        if e["content"] == 1:
            found = collections.defaultdict(int)
            order = []
            for rec in records:
                row = by_id(rec, schema)
                order.append((row[it.DELETE_PATH].encode(), row[it.DELETE_POS]))
                found[row[it.DELETE_PATH]] = max(found[row[it.DELETE_PATH]], row[it.DELETE_POS])
            if order != sorted(order):
                self.r.error("Position Delete Files", where, "not sorted by file_path and pos")
            self.file_info[(e["path"], e["offset"])]["positions"] = dict(found)

    def leaves(self, schema):
        """Leaf columns in file order: (field id, Arrow path, repeated, Arrow type, in variant)."""
        out = []

        def go(f, path, repeated, variant):
            meta = f.metadata or {}
            fid = meta.get(b"PARQUET:field_id")
            fid = int(fid) if fid is not None else None
            t = f.type
            if isinstance(t, pa.BaseExtensionType):
                if "variant" in t.extension_name:
                    variant = True
                t = t.storage_type
            if pa.types.is_struct(t):
                names = {t.field(i).name for i in range(t.num_fields)}
                inside = variant or ("metadata" in names and
                                     (names <= {"metadata", "value", "typed_value"}) and
                                     self.fields.get(fid, ("",))[0] == "variant")
                if inside and not variant:
                    out_ids.append(fid)
                for i in range(t.num_fields):
                    go(t.field(i), (*path, t.field(i).name), repeated, inside)
            elif pa.types.is_map(t):
                go(t.key_field, (*path, "key"), True, variant)
                go(t.item_field, (*path, "value"), True, variant)
            elif pa.types.is_list(t) or pa.types.is_large_list(t):
                go(t.value_field, (*path, "element"), True, variant)
            else:
                out.append((fid, path, repeated, t, variant))

        out_ids = []
        for f in schema:
            go(f, (f.name,), False, False)
        return out

    def check_parquet(self, where, path, e, spec):
        r, d = self.r, e["d"]
        f = pq.ParquetFile(path)
        m = f.metadata
        if m.num_rows != e["records"]:
            r.error("Data File Fields", where, f"record_count {e['records']}, footer {m.num_rows}")
        starts = []
        for g in range(m.num_row_groups):
            c = m.row_group(g).column(0)
            at = c.data_page_offset
            if c.has_dictionary_page and c.dictionary_page_offset:
                at = min(at, c.dictionary_page_offset)
            starts.append(at)
        if d.get(132):
            if d[132] != starts:
                bad = [o for o in d[132] if o not in starts]
                (r.error if bad else r.note)(
                    "Data File Fields", where, f"split_offsets {d[132]}, row groups at {starts}")
        leaves = self.leaves(f.schema_arrow)
        if len(leaves) != len(f.schema):
            r.note("Appendix A: Parquet", where, "leaf columns could not be lined up")
            return
        ids = [x[0] for x in leaves if not x[4]]
        mapped = "schema.name-mapping.default" in (self.meta.get("properties") or {})
        if any(i is None for i in ids):
            (r.note if mapped else r.error)(
                "Column Projection", where, "columns without field ids"
                + ("" if mapped else " and no name mapping"))
            if all(i is None for i in ids):
                return
        seen = collections.Counter(i for i in ids if i is not None)
        for i, n in seen.items():
            if n > 1:
                r.error("Appendix A: Parquet", where, f"field id {i} on {n} columns")
        footer = {}
        for i, (fid, apath, repeated, atype, variant) in enumerate(leaves):
            if fid is None or variant:
                continue
            sizes = values = 0
            nulls = 0
            for g in range(m.num_row_groups):
                c = m.row_group(g).column(i)
                sizes += c.total_compressed_size
                values += c.num_values
                st = c.statistics
                if st is None or not st.has_null_count:
                    nulls = None
                elif nulls is not None:
                    nulls += st.null_count
            footer[fid] = (sizes, values, nulls)
            self.check_parquet_type(where, fid, f.schema.column(i), apath)
        if e["content"] == 0 and not self.data:
            return
        self.check_counts(where, e, footer, leaves)
        if not self.data or m.num_rows > self.max_rows:
            r.note("(checker)", where, "values were not read")
            return
        table = f.read()
        self.check_values(where, e, table, leaves, footer, spec)
        if m.num_row_groups <= 32:
            self.check_footer_statistics(where, f, leaves)
        kv = m.metadata or {}
        if b"iceberg.schema" in kv:
            inner = json.loads(kv[b"iceberg.schema"])
            mine = {x["id"] for x, _, _ in it.walk(inner["fields"])}
            for fid in ids:
                if fid is not None and fid not in mine and fid < it.RESERVED_FROM:
                    r.error("Appendix A: Parquet", where,
                            f"column {fid} is not in the file's iceberg.schema")

    def check_footer_statistics(self, where, f, leaves):
        """Row-group minimum, maximum and null count against the values of the row group."""
        r, sec = self.r, "Parquet statistics"
        for g in range(f.metadata.num_row_groups):
            table = f.read_row_group(g)
            for i, (fid, path, repeated, _, variant) in enumerate(leaves):
                st = f.metadata.row_group(g).column(i).statistics
                if repeated or variant or st is None or fid is None:
                    continue
                a = self.column(table, path)
                if st.has_null_count and st.null_count != a.null_count:
                    r.error(sec, where, f"null count of field {fid} {st.null_count}, "
                                        f"row group {g} has {a.null_count}")
                if not st.has_min_max or pa.types.is_boolean(a.type) or \
                        pa.types.is_fixed_size_binary(a.type) or pa.types.is_binary(a.type):
                    continue
                a = a.drop_null()
                if pa.types.is_floating(a.type):
                    a = a.filter(pc.invert(pc.is_nan(a)))
                if not len(a):
                    continue
                try:
                    low, high = (x.as_py() for x in pc.min_max(a).values())
                    if pa.types.is_string(a.type):
                        low, high = low.encode(), high.encode()
                        smin, smax = (x.encode() if isinstance(x, str) else x
                                      for x in (st.min, st.max))
                    else:
                        smin, smax = st.min, st.max
                        if getattr(low, "tzinfo", None) is None and \
                                getattr(smin, "tzinfo", None) is not None:
                            smin, smax = smin.replace(tzinfo=None), smax.replace(tzinfo=None)
                        elif getattr(low, "tzinfo", None) is not None and \
                                getattr(smin, "tzinfo", None) is None:
                            low, high = low.replace(tzinfo=None), high.replace(tzinfo=None)
                    wrong = smin > low or smax < high
                except (TypeError, ValueError, OverflowError, pa.ArrowException):
                    continue
                if wrong:
                    r.error(sec, where, f"statistics of field {fid} {smin!r}..{smax!r} do not "
                                        f"cover {low!r}..{high!r} of row group {g}")

    def check_counts(self, where, e, footer, leaves):
        r, sec, metrics = self.r, "Data File Fields", e["metrics"]
        for key in {k for fid in MAP_IDS for k in metrics.get(fid, {})}:
            if key not in footer:
                known = self.fields.get(key)
                if known is None and key < it.RESERVED_FROM:
                    r.note(sec, where, f"metrics for field {key}, in no kept schema")
                elif known and it.kind_of(known[0]) not in ("variant", "struct", "list", "map"):
                    real = any(metrics.get(fid, {}).get(key) for fid in (108, 125, 128))
                    (r.error if real else r.note)(
                        sec, where, f"metrics for field {key}, which the file lacks")
        for fid, (size, values, nulls) in footer.items():
            got = metrics.get(108, {}).get(fid)
            if got is not None and got != size:
                r.error(sec, where, f"column_sizes of field {fid} {got}, footer {size}")
            got = metrics.get(109, {}).get(fid)
            if got is not None and got != values:
                r.error(sec, where, f"value_counts of field {fid} {got}, footer {values}")
            got = metrics.get(110, {}).get(fid)
            if got is not None and nulls is not None and got != nulls:
                r.error(sec, where, f"null_value_counts of field {fid} {got}, footer {nulls}")

    def check_parquet_type(self, where, fid, column, apath):
        r, sec = self.r, "Appendix A: Parquet"
        reserved = {it.ROW_ID: "long", it.LAST_UPDATED_SEQ: "long", it.DELETE_PATH: "string",
                    it.DELETE_POS: "long"}
        known = self.fields.get(fid)
        t = known[0] if known else reserved.get(fid)
        if t is None:
            if fid < it.RESERVED_FROM:
                r.note(sec, where, f"field {fid} is in no kept schema")
            return
        if isinstance(t, dict):
            r.error(sec, where, f"field {fid} is {t['type']} in the table, a leaf in the file")
            return
        phys, logical = column.physical_type, str(column.logical_type)
        k = it.kind_of(t)
        ok = {
            "boolean": phys == "BOOLEAN", "int": phys == "INT32",
            "long": phys in ("INT64", "INT32"), "float": phys == "FLOAT",
            "double": phys in ("DOUBLE", "FLOAT"),
            "date": phys == "INT32" and logical.startswith("Date"),
            "string": phys == "BYTE_ARRAY" and logical.startswith(("String", "Enum", "JSON")),
            "binary": phys == "BYTE_ARRAY" and not logical.startswith("String"),
            "uuid": phys == "FIXED_LEN_BYTE_ARRAY" and column.length == 16,
            "unknown": False,
        }.get(k, True)
        if k == "fixed":
            ok = phys == "FIXED_LEN_BYTE_ARRAY" and column.length == it.parse_fixed(t)
        if k in ("time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"):
            if phys == "INT96":
                r.warn(sec, where, f"field {fid} is INT96")
            elif phys == "INT32" and k.startswith("timestamp"):
                r.note("Schema Evolution", where, f"field {fid} holds dates")
            else:
                unit = "nanoseconds" if k.endswith("_ns") else "microseconds"
                utc = "true" if k.startswith("timestamptz") else "false"
                ok = phys == "INT64" and f"timeUnit={unit}" in logical and \
                    f"isAdjustedToUTC={utc}" in logical
        if k == "decimal":
            precision, scale = it.parse_decimal(t)
            m = re.match(r"Decimal\(precision=(\d+), scale=(-?\d+)\)", logical)
            if not m or int(m.group(2)) != scale or int(m.group(1)) > precision:
                ok = False
            else:
                p = int(m.group(1))
                want = "INT32" if p <= 9 else "INT64" if p <= 18 else "FIXED_LEN_BYTE_ARRAY"
                if phys != want:
                    r.warn(sec, where, f"field {fid} decimal({p}) is {phys}, spec: {want}")
                elif want == "FIXED_LEN_BYTE_ARRAY":
                    need = next(n for n in range(1, 17) if 10 ** p <= 1 << (8 * n - 1))
                    if column.length != need:
                        r.warn(sec, where,
                               f"field {fid} decimal({p}) has {column.length} bytes, not {need}")
        if k == "uuid" and ok and not logical.startswith("UUID"):
            r.warn(sec, where, f"field {fid} uuid without the UUID annotation")
        if not ok:
            r.error(sec, where, f"field {fid} ({t}) is {phys} {logical}")
        parts = column.path.split(".")
        for i, name in enumerate(apath):
            if name == "element" and known and known[3] and ".list.element" not in column.path \
                    and "element" not in parts:
                r.warn(sec, where, f"field {fid} lies in a list that is not list.element")
                break
        del i, name

    def column(self, table, path):
        a = table.column(path[0])
        a = a.combine_chunks() if isinstance(a, pa.ChunkedArray) else a
        if isinstance(a, pa.ChunkedArray):
            a = pa.concat_arrays(a.chunks) if a.num_chunks else pa.array([], a.type)
        for name in path[1:]:
            if isinstance(a.type, pa.BaseExtensionType):
                a = a.storage
            a = pc.struct_field(a, name)
        return a.storage if isinstance(a.type, pa.BaseExtensionType) else a

    @staticmethod
    def plain(a, t):
        """Arrow array of internal values: integers for times, the rest as it is."""
        k = a.type
        if pa.types.is_date32(k):
            return a.view(pa.int32())
        if pa.types.is_timestamp(k) or pa.types.is_time64(k):
            want = "ns" if it.kind_of(t).endswith("_ns") else "us"
            if k.unit != want:
                a = a.cast(pa.timestamp(want, k.tz) if pa.types.is_timestamp(k)
                           else pa.time64(want), safe=False)
            return a.view(pa.int64())
        if pa.types.is_time32(k):
            return a.cast(pa.time64("us")).view(pa.int64())
        if pa.types.is_dictionary(k):
            return a.dictionary_decode()
        return a

    def extremes(self, a, t):
        """(min, max) as internal values, nulls and NaN left out; None when there are none."""
        a = a.drop_null()
        if pa.types.is_floating(a.type):
            a = a.filter(pc.invert(pc.is_nan(a)))
        if not len(a):
            return None
        if pa.types.is_fixed_size_binary(a.type) or pa.types.is_boolean(a.type):
            values = a.to_pylist()
            low, high = min(values), max(values)
        else:
            low, high = pc.min_max(a).values()
            low, high = low.as_py(), high.as_py()
            if pa.types.is_floating(a.type) and 0.0 in (low, high):
                # min and max do not tell -0.0 from 0.0, the spec's order does
                signs = {str(v) for v in a.filter(pc.equal(a, 0.0)).to_pylist()}
                if low == 0.0:
                    low = -0.0 if "-0.0" in signs else 0.0
                if high == 0.0:
                    high = 0.0 if "0.0" in signs else -0.0
        return it.internal(t, low), it.internal(t, high)

    def check_values(self, where, e, table, leaves, footer, spec):
        r, metrics, sec = self.r, e["metrics"], "Data File Fields"
        deletes = e["content"] == 1
        for fid, path, repeated, _, variant in leaves:
            if fid is None or repeated or variant:
                continue
            known = self.fields.get(fid)
            t = known[0] if known else {it.DELETE_PATH: "string", it.DELETE_POS: "long",
                                        it.ROW_ID: "long", it.LAST_UPDATED_SEQ: "long"}.get(fid)
            if t is None or isinstance(t, dict):
                continue
            a = self.column(table, path)
            nulls = a.null_count
            if metrics.get(110, {}).get(fid, nulls) != nulls:
                r.error(sec, where, f"null_value_counts of field {fid} "
                                    f"{metrics[110][fid]}, data has {nulls}")
            if metrics.get(109, {}).get(fid, len(a)) != len(a):
                r.error(sec, where, f"value_counts of field {fid} "
                                    f"{metrics[109][fid]}, data has {len(a)}")
            cur = self.current.get(fid)
            if cur and cur[0].get("required") and len(path) == 1 and nulls and e["content"] == 0:
                r.error("Schemas and Data Types", where, f"required field {fid} has nulls")
            nan = pc.sum(pc.is_nan(a)).as_py() or 0 if pa.types.is_floating(a.type) else 0
            if fid in metrics.get(137, {}):
                if not pa.types.is_floating(a.type):
                    r.note(sec, where, f"nan_value_counts on field {fid} of type {t}")
                if metrics[137][fid] != nan:
                    r.error(sec, where, f"nan_value_counts of field {fid} "
                                        f"{metrics[137][fid]}, data has {nan}")
            if it.kind_of(t) in ("geometry", "geography", "unknown", "variant"):
                continue
            found = self.extremes(self.plain(a, t), t)
            for bound_id, side in ((125, 0), (128, 1)):
                raw = metrics.get(bound_id, {}).get(fid)
                name = FILE_FIELDS[bound_id][0]
                if raw is None:
                    continue
                try:
                    bound = it.decode(t, raw)
                except it.BadValue:
                    continue
                if found is None:
                    if not nan:
                        r.error(sec, where, f"{name} of field {fid}, but it has no values")
                    continue
                self.check_bound(where, fid, t, name, side, bound, found[side])
        if deletes:
            self.check_position_deletes(where, e, table, leaves)
        if e["content"] == 2:
            have = {x[0] for x in leaves}
            for fid in e["d"].get(135) or []:
                if fid not in have:
                    r.error("Equality Delete Files", where, f"equality column {fid} is missing")
        if e["content"] in (0, 2):
            self.check_partition_values(where, e, table, leaves, spec)
            self.check_sorted(where, e, table, leaves)

    def check_bound(self, where, fid, t, name, side, bound, true):
        r, k = self.r, it.kind_of(t)
        a, b = it.order_key(t, bound), it.order_key(t, true)
        if (a > b) if side == 0 else (a < b):
            r.error("Data File Fields", where,
                    f"{name} of field {fid} {bound!r} does not cover {true!r}")
            return
        if a == b or bound == true:
            return
        if k in ("string", "binary", "fixed"):
            n = len(bound)
            if side == 0:
                ok = true[:n] == bound
            else:
                ok = n > 0 and true[:n - 1] <= bound and (bound[:-1] == true[:n - 1])
                if k == "binary" or k == "fixed":
                    ok = ok and bound[-1] == true[n - 1] + 1
                elif ok:
                    nxt = ord(true[n - 1]) + 1 if n <= len(true) else None
                    ok = ord(bound[-1]) == (0xE000 if nxt == 0xD800 else nxt)
            if not ok:
                r.warn("Data File Fields", where,
                       f"{name} of field {fid} {bound!r} is no truncation of {true!r}")
            return
        r.warn("Data File Fields", where, f"{name} of field {fid} {bound!r}, data has {true!r}")

    def check_sorted(self, where, e, table, leaves):
        """Rows against the identity fields that the file's sort order begins with."""
        oid = e["d"].get(140)
        order = next((o for o in self.meta.get("sort-orders") or []
                      if o.get("order-id") == oid and oid), None)
        if order is None or table.num_rows > 200_000:
            return
        by = {fid: path for fid, path, repeated, _, variant in leaves if not repeated}
        keys = []
        for f in order["fields"]:
            source = f.get("source-id", (f.get("source-ids") or [None])[0])
            t = self.fields.get(source, (None,))[0]
            if f["transform"] != "identity" or source not in by or t is None:
                break
            first, down = f["null-order"] == "nulls-first", f["direction"] == "desc"
            column = []
            for v in self.plain(self.column(table, by[source]), t).to_pylist():
                if v is None:
                    column.append((0 if first else 2, None))
                    continue
                nan = isinstance(v, float) and v != v
                key = (1, 0.0) if nan else (0, v.encode() if isinstance(v, str) else v)
                column.append((1, key))
            keys.append((column, down))
        for i in range(1, table.num_rows):
            for column, down in keys:
                a, b = column[i - 1], column[i]
                if a == b:
                    continue
                wrong = a[0] > b[0] if a[0] != b[0] else ((a < b) if down else (a > b))
                if wrong:
                    self.r.warn("Sorting", where, f"rows are not in sort order {oid} at {i}")
                    return
                break

    def check_position_deletes(self, where, e, table, leaves):
        r, sec = self.r, "Position Delete Files"
        cols = {fid: path for fid, path, *_ in leaves}
        if it.DELETE_PATH not in cols or it.DELETE_POS not in cols:
            r.error(sec, where, "file_path (2147483546) or pos (2147483545) is missing")
            return
        paths = self.column(table, cols[it.DELETE_PATH]).to_pylist()
        poss = self.column(table, cols[it.DELETE_POS]).to_pylist()
        if None in paths or None in poss:
            r.error(sec, where, "null file_path or pos")
            return
        pairs = [(p.encode(), n) for p, n in zip(paths, poss)]
        if pairs != sorted(pairs):
            r.error(sec, where, "not sorted by file_path and pos")
        if len(set(pairs)) != len(pairs):
            r.warn(sec, where, "the same position twice")
        if poss and min(poss) < 0:
            r.error(sec, where, "negative position")
        top = {}
        for p, n in zip(paths, poss):
            top[p] = max(top.get(p, 0), n)
        ref = e["d"].get(143)
        if ref is not None and set(top) - {ref}:
            r.error(sec, where, "rows for other files than referenced_data_file")
        self.file_info[(e["path"], e["offset"])]["positions"] = top

    def check_partition_values(self, where, e, table, leaves, spec):
        r = self.r
        by = {fid: path for fid, path, repeated, _, variant in leaves if not repeated}
        for f, value in zip(spec, e["partition"]):
            if f["result"] is None or it.parse_transform(f["transform"]) is None:
                continue
            if f["transform"] == "void":
                if value is not None:
                    r.error("Partition Transforms", where, f"void {f['name']} is not null")
                continue
            path = by.get(f["source"])
            t = f["source-type"]
            if path is None:
                continue
            uniq = pc.unique(self.plain(self.column(table, path), t)).to_pylist()
            got = {it.apply_transform(f["transform"], t, it.internal(t, v)) for v in uniq}
            if len(got) > 1 and not all(x != x for x in got):
                r.error("Partitioning", where,
                        f"{f['name']}: rows of {len(got)} partitions in one file, "
                        f"such as {sorted(map(repr, got))[:3]}")
            for x in got:
                if x != value and not (x != x and value != value):
                    r.error("Partitioning", where,
                            f"{f['name']}: entry says {value!r}, rows say {x!r}")
                    break

    # ---- Puffin and deletion vectors --------------------------------------------------------

    def puffin(self, path):
        if path in self.puffins:
            return self.puffins[path]
        with open(path, "rb") as f:
            raw = f.read()
        problem = None
        footer = None
        if raw[:4] != b"PFA1":
            problem = "does not start with PFA1"
        elif raw[-4:] != b"PFA1":
            problem = "does not end in PFA1"
        else:
            size = struct.unpack("<i", raw[-12:-8])[0]
            flags = raw[-8:-4]
            start = len(raw) - 12 - size
            if start < 8 or raw[start - 4:start] != b"PFA1":
                problem = "no PFA1 before the footer payload"
            elif flags[0] & 1:
                problem = "compressed footer (not read by this checker)"
            elif flags != b"\0\0\0\0":
                problem = f"unknown flags {flags.hex()}"
            else:
                footer = json.loads(raw[start:start + size])
                footer["footer-size"] = size + 20 - 4
                footer["footer-start"] = start - 4
        self.puffins[path] = (raw, footer, problem)
        return self.puffins[path]

    def check_puffin(self, where, footer, raw):
        r, sec = self.r, "Puffin: FileMetadata"
        end = footer["footer-start"]
        spans = []
        for i, b in enumerate(footer.get("blobs", [])):
            for key, kind in (("type", str), ("fields", list), ("snapshot-id", int),
                              ("sequence-number", int), ("offset", int), ("length", int)):
                if not isinstance(b.get(key), kind):
                    r.error(sec, where, f"blob {i}: {key} missing or of the wrong type")
            if b.get("offset", 0) < 4 or b.get("offset", 0) + b.get("length", 0) > end:
                r.error(sec, where, f"blob {i} lies outside the blob area")
            spans.append((b.get("offset", 0), b.get("offset", 0) + b.get("length", 0)))
        spans.sort()
        for a, b in zip(spans, spans[1:]):
            if b[0] < a[1]:
                r.error(sec, where, "blobs overlap")
        if "created-by" not in footer.get("properties", {}):
            r.note(sec, where, "no created-by property")

    def check_dv(self, where, path, e):
        r, sec, d = self.r, "Deletion Vectors", e["d"]
        raw, footer, problem = self.puffin(path)
        if problem:
            r.error("Puffin: File structure", where, problem)
        ref, at, n = d.get(143), d.get(144), d.get(145)
        if at is None or n is None:
            return
        where = f"{where} DV at {at}"
        if footer:
            if path not in self.file_info:
                self.file_info[path] = True
                self.check_puffin(where, footer, raw)
            blob = next((b for b in footer["blobs"] if b["offset"] == at), None)
            if blob is None:
                r.error(sec, where, "no blob in the footer at content_offset")
            else:
                if blob["length"] != n:
                    r.error(sec, where, f"content_size_in_bytes {n}, footer {blob['length']}")
                if blob["type"] != "deletion-vector-v1":
                    r.error(sec, where, f"blob type {blob['type']}")
                if blob.get("compression-codec"):
                    r.error(sec, where, "deletion vector blob is compressed")
                if (blob["snapshot-id"], blob["sequence-number"]) != (-1, -1):
                    r.error(sec, where, "blob snapshot-id and sequence-number must be -1")
                props = blob.get("properties", {})
                if props.get("referenced-data-file") != ref:
                    r.error(sec, where, "referenced-data-file differs from the manifest's")
                if props.get("cardinality") != str(e["records"]):
                    r.error(sec, where, f"cardinality {props.get('cardinality')}, "
                                        f"record_count {e['records']}")
                if blob.get("fields") != [it.DELETE_POS]:
                    r.note(sec, where, f"fields {blob.get('fields')}, Java writes [{it.DELETE_POS}]")
        blob = raw[at:at + n]
        length = struct.unpack(">i", blob[:4])[0]
        if length != n - 8:
            r.error(sec, where, f"length prefix {length}, expected {n - 8}")
        if blob[4:8] != b"\xd1\xd3\x39\x64":
            r.error(sec, where, f"magic {blob[4:8].hex()}")
        crc = struct.unpack(">I", blob[-4:])[0]
        if crc != zlib.crc32(blob[4:-4]):
            r.error(sec, where, "CRC is wrong")
        body = blob[8:-4]
        count = struct.unpack("<Q", body[:8])[0]
        at, last, total, top = 8, -1, 0, -1
        for _ in range(count):
            key = struct.unpack("<I", body[at:at + 4])[0]
            if key <= last:
                r.error(sec, where, "bitmap keys not ascending")
            last = key
            bitmap = BitMap.deserialize(body[at + 4:])
            used = self.roaring_size(body, at + 4)
            total += len(bitmap)
            if len(bitmap):
                top = (key << 32) | bitmap.max()
            at += 4 + used
        if at != len(body):
            r.error(sec, where, f"{len(body) - at} bytes after the last bitmap")
        if total != e["records"]:
            r.error(sec, where, f"{total} positions, record_count {e['records']}")
        if ref is not None and top >= 0:
            self.file_info[(e["path"], e["offset"])]["positions"] = {ref: top}

    @staticmethod
    def roaring_size(body, at):
        """Length of a portable 32-bit Roaring bitmap."""
        start = at
        cookie = struct.unpack("<I", body[at:at + 4])[0]
        at += 4
        run_flags = None
        if cookie & 0xFFFF == 12347:
            n = (cookie >> 16) + 1
            run_flags = body[at:at + (n + 7) // 8]
            at += (n + 7) // 8
        elif cookie == 12346:
            n = struct.unpack("<I", body[at:at + 4])[0]
            at += 4
        else:
            raise ValueError(f"roaring cookie {cookie}")
        cards = [struct.unpack("<HH", body[at + 4 * i:at + 4 * i + 4])[1] + 1 for i in range(n)]
        at += 4 * n
        if run_flags is None or n >= 4:
            at += 4 * n
        for i, card in enumerate(cards):
            if run_flags is not None and run_flags[i // 8] >> (i % 8) & 1:
                at += 2 + 4 * struct.unpack("<H", body[at:at + 2])[0]
            else:
                at += 8192 if card > 4096 else 2 * card
        return at - start

    # ---- statistics files -------------------------------------------------------------------

    def check_statistics(self):
        r, sec = self.r, "Table Statistics"
        seen = collections.Counter()
        for s in self.meta.get("statistics") or []:
            where = f"statistics of snapshot {s.get('snapshot-id')}"
            seen[s.get("snapshot-id")] += 1
            if s.get("snapshot-id") not in self.snapshots:
                r.warn(sec, where, "snapshot is not in metadata")
            path = self.paths.find(s["statistics-path"])
            if not path:
                r.error(sec, where, f"{s['statistics-path']} does not exist")
                continue
            self.guard(where, self.check_statistics_file, where, s, path)
        for sid, n in seen.items():
            if n > 1:
                r.error(sec, f"statistics of snapshot {sid}", f"{n} statistics files")
        for s in self.meta.get("partition-statistics") or []:
            where = f"partition statistics of snapshot {s.get('snapshot-id')}"
            path = self.paths.find(s["statistics-path"])
            if not path:
                r.error("Partition Statistics", where, f"{s['statistics-path']} does not exist")
                continue
            if os.path.getsize(path) != s.get("file-size-in-bytes"):
                r.error("Partition Statistics", where, "file-size-in-bytes is wrong")
            if path.endswith(".parquet"):
                self.guard(where, self.check_partition_statistics, where, s, path)

    def check_statistics_file(self, where, s, path):
        r, sec = self.r, "Table Statistics"
        r.checked["statistics files"] += 1
        if os.path.getsize(path) != s.get("file-size-in-bytes"):
            r.error(sec, where, "file-size-in-bytes is wrong")
        raw, footer, problem = self.puffin(path)
        if problem:
            r.error("Puffin: File structure", where, problem)
            return
        if s.get("file-footer-size-in-bytes") != footer["footer-size"]:
            r.error(sec, where, f"file-footer-size-in-bytes {s.get('file-footer-size-in-bytes')}, "
                                f"file has {footer['footer-size']}")
        self.check_puffin(where, footer, raw)
        keys = ("type", "snapshot-id", "sequence-number")
        a = sorted((*(b.get(k) for k in keys), tuple(b["fields"])) for b in s["blob-metadata"])
        b = sorted((*(b.get(k) for k in keys), tuple(b["fields"])) for b in footer["blobs"])
        if a != b:
            r.error(sec, where, "blob-metadata differs from the Puffin footer")
        for blob in footer["blobs"]:
            content = raw[blob["offset"]:blob["offset"] + blob["length"]]
            codec = blob.get("compression-codec")
            if codec == "zstd":
                content = zstandard.ZstdDecompressor().decompress(content, max_output_size=1 << 28)
            elif codec not in (None, "lz4"):
                r.error("Puffin: Compression codecs", where, f"codec {codec}")
            if blob["type"] == "apache-datasketches-theta-v1":
                if "ndv" not in blob.get("properties", {}):
                    r.note(sec, where, "theta sketch without ndv property")
                if codec != "lz4" and (len(content) < 8 or content[2] != 3):
                    r.error("Puffin: Blob types", where, "not a compact theta sketch")

    def check_partition_statistics(self, where, s, path):
        r, sec = self.r, "Partition Statistics"
        r.checked["statistics files"] += 1
        table = pq.read_table(path)
        want = {1: "partition", 2: "spec_id", 3: "data_record_count", 4: "data_file_count",
                5: "total_data_file_size_in_bytes"}
        got = {int((f.metadata or {}).get(b"PARQUET:field_id", b"-1")): f.name
               for f in table.schema}
        for fid, name in want.items():
            if got.get(fid) != name:
                r.error(sec, where, f"field {fid} is {got.get(fid)}, spec: {name}")
        if 1 in got and got[1] == "partition":
            keys = [tuple((v is not None, v) for v in row.values())
                    for row in table.column("partition").to_pylist()]
            try:
                if any(b < a for a, b in zip(keys, keys[1:])):
                    r.error(sec, where, "rows are not sorted by partition, nulls first")
            except TypeError:
                pass
        live = self.live_of.get(s.get("snapshot-id"))
        if live is None:
            return
        data = live[0].values()
        sums = {3: sum(e["records"] for e in data), 4: len(live[0]),
                5: sum(e["size"] for e in data)}
        for fid, value in sums.items():
            if fid in got:
                have = pc.sum(table.column(got[fid])).as_py() or 0
                if have != value:
                    r.error(sec, where, f"{got[fid]} adds up to {have}, manifests to {value}")
