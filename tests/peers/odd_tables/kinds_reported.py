# SPDX-License-Identifier: Apache-2.0
"""Defects of other writers that users reported (tests/REPORTED_FAULTS.md), each in a table of its own."""
import datetime
import glob
import json

import fastavro

from fixture import list_rows, table
from kinds_deletes import MOR, positions


def rewrite(path, schema_of, record_of=lambda r: r, header_of=lambda pairs: pairs):
    """An Avro file with another schema; values must have its forms."""
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        pairs, records = dict(reader.metadata), list(reader)
    schema = schema_of(json.loads(pairs.pop("avro.schema")))
    pairs.pop("avro.codec", None)
    with open(path, "wb") as file:
        fastavro.writer(file, schema, [record_of(r) for r in records], metadata=header_of(pairs))


def rename_all(schema, names):
    text = json.dumps(schema)
    for old, new in names.items():
        text = text.replace(f'"name": "{old}"', f'"name": "{new}"')
    return json.loads(text)


@table("manifests and lists whose root records are named otherwise, and every nested record, too")
def records_renamed(f):
    f.create("id int, p string", "PARTITIONED BY (p)")
    f.insert("(1, 'a'), (2, null)")
    f.given = list_rows(f)
    for path in glob.glob(f"{f.folder}/metadata/*.avro"):
        rewrite(path, lambda s: rename_all(s, {"manifest_entry": "iceberg_schema", "manifest_file": "iceberg_schema", "r2": "file", "r102": "tuple",
                                               "r508": "summary"}))


@table("manifests whose header has a degraded schema: types as texts of another engine, a wrong id, the Avro schema itself, nothing")
def header_degraded(f):
    f.create("id bigint, d decimal(10,2), ts timestamp, s struct<a: int>")
    for i in range(4):
        f.insert(f"({i}, {i}.25, timestamp'2020-01-0{i + 1} 00:00:00', named_struct('a', {i}))")
    f.given = list_rows(f)
    wrong = iter(['{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"id","required":false,"type":"int"},{"id":2,"name":"d","required":false,"type":"string"}]}',
                  '{"type":"struct","schema-id":77,"fields":[]}', '{"type":"record","name":"manifest_entry","fields":[]}', ""])
    for path in sorted(f.manifests()):
        text = next(wrong)
        rewrite(path, lambda s: s, header_of=lambda pairs, text=text: {**pairs, "schema": text, "schema-id": "5"})


def change_type(schema, name, kind):
    for x in schema["fields"]:
        if x["name"] == "data_file":
            for y in x["type"]["fields"]:
                if y["name"] == "partition":
                    for z in y["type"]["fields"]:
                        if z["name"] == name:
                            z["type"] = ["null", kind]
    return schema


@table("day and identity date partitions that manifests declare as plain int, and timestamps as milliseconds")
def partition_types_odd(f):
    f.create("id int, d date, ts timestamp_ntz, tz timestamp", "PARTITIONED BY (d, days(tz), ts)")
    f.insert("(1, date'1969-12-31', timestamp_ntz'1969-12-31 23:59:59', timestamp'1969-12-31 23:59:59.999999'), "
             "(2, date'2020-02-29', timestamp_ntz'2020-02-29 00:00:00', timestamp'2020-01-01 00:00:00'), (3, null, null, null)")
    f.given = list_rows(f)
    epoch = datetime.date(1970, 1, 1)

    def entry(record):
        part = record["data_file"]["partition"]
        for name in ("d", "tz_day"):
            if isinstance(part[name], datetime.date):
                part[name] = (part[name] - epoch).days
        if part["ts"] is not None and not isinstance(part["ts"], int):
            moment = part["ts"].replace(tzinfo=None)
            part["ts"] = (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)
        elif part["ts"] is not None:
            part["ts"] //= 1000
        return record

    for path in f.manifests():
        rewrite(path, lambda s: change_type(change_type(change_type(s, "d", "int"), "tz_day", "int"), "ts", {"type": "long", "logicalType": "timestamp-millis"}), entry)


@table("Avro data files with local timestamps, milliseconds, timestamps that do not say whether they are instants, uuid as fixed")
def avro_times(f):
    f.create("id int, ts timestamp_ntz, tz timestamp, d date")
    micro = 1_577_836_800_123_456

    def kind(base, more=None):
        return ["null", {"type": "long", "logicalType": base, **(more or {})}]

    kinds = [(kind("local-timestamp-micros"), kind("timestamp-micros"), micro, micro), (kind("local-timestamp-millis"), kind("timestamp-millis"), micro // 1000, micro // 1000),
             (kind("timestamp-micros", {"adjust-to-utc": False}), kind("timestamp-micros", {"adjust-to-utc": True}), -1, -1)]
    f.given = []
    for i, (ts, tz, a, b) in enumerate(kinds):
        schema = {"type": "record", "name": "table", "fields": [
            {"name": "id", "type": "int", "field-id": 1}, {"name": "ts", "type": ts, "default": None, "field-id": 2},
            {"name": "tz", "type": tz, "default": None, "field-id": 3}, {"name": "d", "type": ["null", {"type": "int", "logicalType": "date"}], "default": None, "field-id": 4}]}
        path = f.write_avro(schema, [{"id": i, "ts": a, "tz": b, "d": -1}, {"id": i + 10, "ts": None, "tz": None, "d": None}])
        f.add_file(path, 2, metrics=False)
        shown = {0: "2020-01-01T00:00:00.123456", 1: "2020-01-01T00:00:00.123000", 2: "1969-12-31T23:59:59.999999"}[i]
        f.given.append(f'{{"id":{i},"ts":"{shown}","tz":"{shown}+00:00","d":"1969-12-31"}}')
        f.given.append(f'{{"id":{i + 10},"ts":null,"tz":null,"d":null}}')


@table("position deletes whose paths have another scheme or none: texts are compared as they are")
def positions_schemes(f):
    f.create("id int", **MOR)
    f.select("CAST(id AS int) FROM range(10)")
    name = f.data_files()[0]
    plain = name.replace("file:", "")
    f.commit_delta(deletes=[f.position_file(positions([(plain, 0), ("file://" + plain, 1), ("s3a:/" + plain, 2), (name, 3)]))])


@table("a v1 table without row counts in its lists, upgraded: the ids of rows", 1)
def counts_missing_upgraded(f):
    f.create("id int")
    f.insert("(1), (2)")
    f.insert("(3)")
    f.alter("SET TBLPROPERTIES ('format-version'='2')", "SET TBLPROPERTIES ('format-version'='3')")
    f.insert("(4)")
    f.given = list_rows(f)
    for path in glob.glob(f"{f.folder}/metadata/snap-*.avro"):
        def schema_of(s):
            s["fields"] = [x for x in s["fields"] if not x["name"].endswith("rows_count")]
            return s
        rewrite(path, schema_of)


@table("metadata that lists itself in its log, parents of -1, snapshots without an operation, an empty partition-spec beside specs", 1)
def metadata_odd(f):
    f.create("id int")
    f.insert("(1)")
    f.insert("(2)")
    f.given = list_rows(f)

    def change(metadata):
        metadata["snapshots"][0]["parent-snapshot-id"] = -1
        metadata["snapshots"][0]["summary"] = {"added-records": "1"}
        metadata["partition-spec"] = None
        metadata["metadata-log"].append({"timestamp-ms": metadata["last-updated-ms"], "metadata-file": f"file:{f.folder}/metadata/{90001}-by-hand.metadata.json"})

    f.edit_metadata(change, False)

