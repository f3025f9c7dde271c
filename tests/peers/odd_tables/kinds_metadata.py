# SPDX-License-Identifier: Apache-2.0
"""Metadata as others write it, history, branches, lineage."""
import json
import os

import pyarrow as pa

from fixture import arrow_field, list_rows, table
from kinds_deletes import MOR


def simple(f, **props):
    f.create("id int, p string", "PARTITIONED BY (p)", **props)
    f.insert("(1, 'a'), (2, 'b'), (3, null)")
    f.insert("(4, 'a')")


@table("manifests and lists without their header keys, uncompressed, with snappy, zstd and bzip2; legacy names of counts; fields unknown")
def bare_avro(f):
    simple(f)
    f.insert("(5, 'c')")
    f.given = list_rows(f)
    codecs = iter(["null", "snappy", "zstandard", "bzip2", "xz", "deflate"] * 4)
    for path in sorted(os.listdir(f"{f.folder}/metadata")):
        if path.endswith("-m0.avro"):
            f.edit_avro(path, lambda r: None, codec=next(codecs), header=lambda pairs: {})
        elif path.endswith(".avro"):
            f.edit_avro(path, lambda r: None, codec=next(codecs), header=lambda pairs: {})


@table("lists with the older names of counts, and lists without any count; v1", 1)
def old_lists(f):
    import fastavro

    simple(f)
    f.given = list_rows(f)
    folder = f"{f.folder}/metadata"
    for turn, name in enumerate(sorted(x for x in os.listdir(folder) if x.startswith("snap-"))):
        with open(f"{folder}/{name}", "rb") as file:
            reader = fastavro.reader(file)
            records, schema = list(reader), json.loads(reader.metadata["avro.schema"])
        kept = []
        for x in schema["fields"]:
            if x["name"].endswith("_count") and x["name"] != "partition_spec_id":
                if turn % 2:
                    continue
                old = x["name"].replace("_files_", "_data_files_")
                for r in records:
                    r[old] = r.pop(x["name"])
                x["name"] = old
            kept.append(x)
        schema["fields"] = kept
        with open(f"{folder}/{name}", "wb") as file:
            fastavro.writer(file, schema, records)


@table("v1 metadata of the first days: manifests named in the snapshot, one schema, one spec without field ids, no refs", 1)
def v1_first(f):
    simple(f)
    f.given = list_rows(f)

    def change(metadata):
        import fastavro

        for snapshot in metadata["snapshots"]:
            with open(snapshot.pop("manifest-list").replace("file:", ""), "rb") as file:
                snapshot["manifests"] = [r["manifest_path"] for r in fastavro.reader(file)]
            snapshot.pop("schema-id", None)
            snapshot.pop("summary", None)
        schema = metadata.pop("schemas")[0]
        schema.pop("schema-id")
        schema.pop("identifier-field-ids", None)
        metadata["schema"] = schema
        parts = metadata.pop("partition-specs")[0]["fields"]
        metadata["partition-spec"] = [{k: v for k, v in part.items() if k != "field-id"} for part in parts]
        for key in ("current-schema-id", "default-spec-id", "last-partition-id", "sort-orders", "default-sort-order-id", "refs", "table-uuid",
                    "snapshot-log", "metadata-log", "statistics", "partition-statistics"):
            metadata.pop(key, None)

    f.edit_metadata(change, False)


@table("keys that nobody knows at every level, properties of any text, an unknown key id, a metadata log of lost files, refs without main")
def unknown_keys(f):
    simple(f)

    def change(metadata):
        metadata["x-unknown"] = {"a": [1, None, {"b": "c"}]}
        metadata["properties"].update({"": "", "write.unknown": "é\n\t\"", "encryption.key-id": "nobody", "format-version": "9"})
        metadata["snapshots"][0]["x"] = 1
        metadata["snapshots"][1]["summary"].update({"x": "y"})
        metadata["schemas"][0]["x"] = 1
        metadata["schemas"][0]["fields"][0]["doc"] = "a\u0000b"
        metadata["partition-specs"][0]["x"] = 1
        metadata["metadata-log"].append({"timestamp-ms": metadata["last-updated-ms"], "metadata-file": "file:/lost/v1.metadata.json"})
        metadata["statistics"] = [{"snapshot-id": metadata["current-snapshot-id"], "statistics-path": "file:/lost/x.puffin", "file-size-in-bytes": 1,
                                   "file-footer-size-in-bytes": 1, "blob-metadata": []}]
        metadata["refs"] = {"side": {"snapshot-id": metadata["snapshots"][0]["snapshot-id"], "type": "branch", "max-ref-age-ms": 1}}

    f.edit_metadata(change)


@table("branches, tags, write-audit-publish by id and by branch, fast forward, cherry-pick, rollback, replaced branch")
def branches(f):
    f.create("id int, v string", write_wap_enabled="true")
    f.insert("(1, 'main')")
    first = f.java().currentSnapshot().snapshotId()
    f.alter("CREATE TAG `v 2024`", "CREATE BRANCH `audit/é`", "CREATE TAG `quote'd`")
    f.sql("INSERT INTO {t}.`branch_audit/é` VALUES (2, 'audit')")
    f.sql("SET spark.wap.id=w1")
    f.insert("(3, 'staged')")
    f.sql("RESET spark.wap.id")
    f.alter("ADD COLUMN more int")
    f.insert("(4, 'main', 4)")
    staged = [s.snapshotId() for s in iterate(f.java().snapshots()) if s.summary().get("wap.id") == "w1"][0]
    f.sql(f"CALL {{sys}}.cherrypick_snapshot('{{n}}', {staged})")
    f.alter("CREATE BRANCH side", "DROP COLUMN v")
    f.sql("INSERT INTO {t}.branch_side VALUES (5, 5)")
    f.sql("CALL {sys}.fast_forward('{n}', 'main', 'side')")
    f.alter(f"REPLACE BRANCH side AS OF VERSION {first}")
    f.sql("DELETE FROM {t} WHERE id = 1")
    f.sql(f"CALL {{sys}}.rollback_to_snapshot('{{n}}', {first})")
    f.insert("(6, 6)")
    f.sql("SET spark.wap.branch=wap")
    f.insert("(7, 7)")
    f.sql("RESET spark.wap.branch")


def iterate(iterable):
    found = iterable.iterator()
    while found.hasNext():
        yield found.next()


@table("snapshots expired, manifests rewritten, data compacted and sorted, then replaced by another table (RTAS) that keeps the history")
def replaced(f):
    f.create("id int, a string", "PARTITIONED BY (bucket(2, id))", **MOR)
    for i in range(4):
        f.select(f"CAST(id + {i * 10} AS int), concat('a', id) FROM range(5)")
    f.sql("DELETE FROM {t} WHERE id IN (1, 11)")
    f.sql("CALL {sys}.rewrite_data_files(table => '{n}', strategy => 'sort', sort_order => 'a DESC, id', options => map('rewrite-all', 'true'))")
    f.sql("CALL {sys}.rewrite_position_delete_files(table => '{n}', options => map('rewrite-all', 'true'))")
    f.sql("CALL {sys}.expire_snapshots(table => '{n}', older_than => now(), retain_last => 2)")
    f.sql("CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (a) LOCATION 'file:{folder}' AS SELECT a, CAST(id AS string) AS id, 1.5 AS x FROM {t}")
    f.insert("('z', 'text', 2.5)")
    f.sql("CALL {sys}.rewrite_manifests('{n}')")


@table("overwrites: dynamic, static, by filter, of nothing; deletes of whole files by metadata alone; replaced partitions under another spec")
def overwrites(f):
    f.create("id int, p string, q int", "PARTITIONED BY (p)")
    f.insert("(1, 'a', 1), (2, 'b', 1), (3, null, 1)")
    f.sql("SET spark.sql.sources.partitionOverwriteMode=dynamic")
    f.sql("INSERT OVERWRITE {t} VALUES (4, 'a', 2), (5, null, 2)")
    f.sql("SET spark.sql.sources.partitionOverwriteMode=static")
    f.sql("INSERT OVERWRITE {t} PARTITION (p = 'b') SELECT 6, 3")
    f.sql("DELETE FROM {t} WHERE p = 'a'")
    f.alter("ADD PARTITION FIELD q")
    f.insert("(7, 'c', 7)")
    f.sql("SET spark.sql.sources.partitionOverwriteMode=dynamic")
    f.sql("INSERT OVERWRITE {t} VALUES (8, 'c', 7)")
    f.sql("SET spark.sql.sources.partitionOverwriteMode=static")
    f.sql("DELETE FROM {t} WHERE p IS NULL")
    f.sql("DELETE FROM {t} WHERE id = 12345")


@table("lineage through UPDATE, MERGE, copy-on-write and compaction; rows of an upgraded table; a branch", 2)
def lineage(f):
    f.create("id int, v string", "PARTITIONED BY (bucket(2, id))", **MOR)
    f.select("CAST(id AS int), 'v2' FROM range(10)")
    f.sql("DELETE FROM {t} WHERE id = 3")
    f.alter("SET TBLPROPERTIES ('format-version'='3')")
    f.select("CAST(id + 100 AS int), 'v3' FROM range(5)")
    f.sql("UPDATE {t} SET v = 'mor' WHERE id IN (4, 101)")
    f.alter("SET TBLPROPERTIES ('write.update.mode'='copy-on-write', 'write.merge.mode'='copy-on-write')")
    f.sql("UPDATE {t} SET v = 'cow' WHERE id IN (5, 102)")
    f.sql("MERGE INTO {t} t USING (SELECT 6 AS k, 'm' AS w UNION ALL SELECT 200, 'new') s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = w WHEN NOT MATCHED THEN INSERT (id, v) VALUES (k, w)")
    f.alter("CREATE BRANCH b")
    f.sql("INSERT INTO {t}.branch_b VALUES (300, 'b')")
    f.sql("CALL {sys}.rewrite_manifests('{n}')")
    f.sql("CALL {sys}.rewrite_data_files(table => '{n}', options => map('rewrite-all', 'true', 'min-input-files', '1'))")
    f.insert("(400, 'end')")


@table("an upgraded table to which nothing was written; row ids are null", 2)
def upgraded_untouched(f):
    simple(f)
    f.alter("SET TBLPROPERTIES ('format-version'='3')")


@table("an upgraded table with ids given to old files by the next commit, deleted entries between", 1)
def upgraded_ids(f):
    simple(f)
    f.alter("SET TBLPROPERTIES ('format-version'='2')")
    f.sql("DELETE FROM {t} WHERE p = 'b'")
    f.alter("SET TBLPROPERTIES ('format-version'='3')")
    f.sql("DELETE FROM {t} WHERE p IS NULL")
    f.insert("(9, 'z')")
    f.sql("CALL {sys}.rewrite_manifests('{n}')")
    f.insert("(10, 'a')")


@table("statistics and partition statistics files; sort orders by transforms, changed; z-order", 3)
def statistics_sorted(f):
    f.create("id int, s string, ts timestamp", "PARTITIONED BY (truncate(1, s))", **MOR)
    f.alter("WRITE ORDERED BY s DESC NULLS LAST, bucket(4, id)")
    f.select("CAST(id AS int), concat(char(97 + CAST(id % 3 AS int)), id), timestamp'1969-12-31 00:00:00' + make_interval(0, 0, 0, CAST(id AS int)) FROM range(50)")
    f.sql("CALL {sys}.compute_table_stats(table => '{n}')")
    f.sql("CALL {sys}.compute_partition_stats(table => '{n}')")
    f.alter("WRITE ORDERED BY days(ts) ASC, truncate(2, s)")
    f.sql("DELETE FROM {t} WHERE id % 5 = 0")
    f.sql("CALL {sys}.rewrite_data_files(table => '{n}', strategy => 'sort', sort_order => 'zorder(id, s)', options => map('rewrite-all', 'true'))")
    f.alter("WRITE UNORDERED")
    f.insert("(100, 'x', null)")


@table("data files elsewhere below the table, object storage layout, metadata elsewhere, everything packed with gzip",
       write_object__storage_enabled="true", write_metadata_compression__codec="gzip")
def layout(f):
    f.create("id int, p string", "PARTITIONED BY (p)", write_data_path=f"file:{f.folder}/elsewhere/é x", write_metadata_path=f"file:{f.folder}/meta data",
             **{"write_object-storage_partitioned-paths": "false"})
    f.insert("(1, 'a'), (2, 'b/c')")
    f.insert("(3, null)")
    f.sql("DELETE FROM {t} WHERE id = 1")


@table("hundreds of commits merged into few manifests; live, existing and deleted entries mixed", 2, commit_manifest_min__count__to__merge="5",
       write_metadata_previous__versions__max="3")
def many_commits(f):
    f.no_history = True
    f.create("id int, p int", "PARTITIONED BY (p)")
    names = [arrow_field(1, "id", pa.int32()), arrow_field(2, "p", pa.int32())]
    for i in range(24):
        f.add_arrow(pa.table([pa.array([i], pa.int32()), pa.array([i % 5], pa.int32())], schema=pa.schema(names)), [str(i % 5)])
        if i % 8 == 7:
            f.sql(f"DELETE FROM {{t}} WHERE p = {i // 8}")
    f.sql("CALL {sys}.expire_snapshots(table => '{n}', older_than => now(), retain_last => 1)")


@table("metadata packed with gzip by hand under each of its names; snapshot ids of all sizes; current-snapshot-id and parents -1")
def numbers_odd(f):
    simple(f)

    def change(metadata):
        text = json.dumps(metadata)
        lists = [snapshot["manifest-list"] for snapshot in metadata["snapshots"]]
        for snapshot, number in zip(metadata["snapshots"], (1, 9223372036854775807)):
            text = text.replace(str(snapshot["snapshot-id"]), str(number))
        out = json.loads(text)
        for snapshot, path in zip(out["snapshots"], lists):
            snapshot["manifest-list"] = path
        out["snapshots"][0]["parent-snapshot-id"] = -1
        return out

    f.given = list_rows(f)
    f.edit_metadata(change)

