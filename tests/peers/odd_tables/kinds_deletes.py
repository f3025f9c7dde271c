# SPDX-License-Identifier: Apache-2.0
"""Position deletes, deletion vectors, equality deletes; the order in which they and their data came."""
import datetime
import decimal
import math

import pyarrow as pa

from fixture import arrow_field, table

MOR = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read", "write_merge_mode": "merge-on-read"}
PATH = arrow_field(2147483546, "file_path", pa.string(), False)
POS = arrow_field(2147483545, "pos", pa.int64(), False)


def positions(pairs):
    return pa.table([pa.array([p for p, _ in pairs]), pa.array([n for _, n in pairs], pa.int64())], schema=pa.schema([PATH, POS]))


def keys(*columns):
    """Columns of an equality delete: (id, name, type, values)."""
    return pa.table([pa.array(v, t) for _, _, t, v in columns], schema=pa.schema([arrow_field(i, n, t) for i, n, t, _ in columns]))


@table("position deletes by hand: unsorted, doubled, with the deleted rows, naming files of other partitions and files that are gone")
def positions_by_hand(f):
    f.create("id int, p string", "PARTITIONED BY (p)", **MOR)
    for p in "ab":
        for start in (0, 10):
            f.select(f"CAST(id + {start} AS int), '{p}' FROM range(10)")
    a = [row.file_path for row in f.sql("SELECT file_path FROM {t}.data_files WHERE partition.p = 'a' ORDER BY file_path")]
    f.commit_delta(deletes=[f.position_file(positions([(a[1], 3), (a[0], 9), (a[0], 0), (a[1], 3), ("file:/nowhere/x.parquet", 1)]), ["a"])])
    rows = positions([(a[0], 5)])
    row = arrow_field(2147483544, "row", pa.struct([arrow_field(1, "id", pa.int32()), arrow_field(2, "p", pa.string())]))
    rows = pa.table([rows.column(0), rows.column(1), pa.array([{"id": 5, "p": "a"}], row.type)], schema=pa.schema([PATH, POS, row]))
    f.commit_delta(deletes=[f.position_file(rows, ["a"], referenced=a[0])])


@table("position deletes older than the data they name do nothing; deletes in the commit of their data do")
def positions_order(f):
    f.create("id int", **MOR)
    names = [arrow_field(1, "id", pa.int32())]
    rows = pa.table([pa.array(range(10), pa.int32())], schema=pa.schema(names))
    later = f.write(rows)
    f.commit_delta(deletes=[f.position_file(positions([("file:" + later, 0)]))])
    f.add_file(later, 10)
    together = f.write(rows)
    data = f.builder("data", together, 10, None, None, True).build()
    f.commit_delta([data], [f.position_file(positions([("file:" + together, 1), ("file:" + together, 2)]))])


@table("position deletes in Parquet over Avro data and in Avro over Parquet data, many row groups", **MOR)
def positions_formats(f):
    f.create("id int, v string", write_parquet_row__group__size__bytes="4096", write_parquet_row__group__check__min__record__count="100")
    f.select("CAST(id AS int), concat('v', id) FROM range(1000)")
    f.alter("SET TBLPROPERTIES ('write.format.default'='avro', 'write.delete.format.default'='parquet')")
    f.select("CAST(id + 1000 AS int), concat('v', id) FROM range(1000)")
    f.sql("DELETE FROM {t} WHERE id % 7 = 3")
    f.alter("SET TBLPROPERTIES ('write.format.default'='parquet', 'write.delete.format.default'='avro')")
    f.sql("DELETE FROM {t} WHERE id % 11 = 5")
    f.sql("UPDATE {t} SET v = 'changed' WHERE id % 100 = 0")


@table("position deletes of v2 under deletion vectors of v3; several vectors in one Puffin file; vectors replaced and merged with old files", **MOR)
def vectors_over_positions(f):
    f.create("id int, p int", "PARTITIONED BY (p)", write_delete_granularity="partition")
    for start in (0, 100):
        f.sql(f"INSERT INTO {{t}} SELECT CAST(id + {start} AS int), CAST(id % 3 AS int) FROM range(60)")
    f.sql("DELETE FROM {t} WHERE id % 10 = 1")
    f.alter("SET TBLPROPERTIES ('format-version'='3')")
    f.sql("DELETE FROM {t} WHERE id % 10 = 2 AND p < 2")
    f.sql("DELETE FROM {t} WHERE id % 10 = 3")
    f.sql("UPDATE {t} SET id = id + 1000 WHERE id % 10 = 4")
    f.sql("MERGE INTO {t} USING (SELECT 5 AS k UNION ALL SELECT 777) s ON id = k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p) VALUES (k, 9)")
    f.alter("DROP PARTITION FIELD p")
    f.sql("DELETE FROM {t} WHERE id = 16 OR id = 777")


@table("equality deletes on a key of every type Spark has, NaN and both zeros and null among them")
def equality_types(f):
    f.create("id int, b boolean, l bigint, f float, g double, d decimal(10,2), dt date, tz timestamp, ts timestamp_ntz, s string, x binary, w decimal(30,4)")
    f.insert("(1, true, 1, float('NaN'), double('NaN'), 1.25, date'1969-12-31', timestamp'1969-12-31 00:00:00', timestamp_ntz'1969-12-31 00:00:00', 'a', X'00', 1.5), "
             "(2, false, 2, float('-0.0'), double('-0.0'), -1.25, date'2020-01-01', timestamp'2020-01-01 00:00:00', timestamp_ntz'2020-01-01 00:00:00', '', X'', -1.5), "
             "(3, null, null, null, null, null, null, null, null, null, null, null), "
             "(4, true, 4, float('0.0'), double('0.0'), 4, date'2021-01-01', timestamp'2021-01-01 00:00:00', timestamp_ntz'2021-01-01 00:00:00', 'ž', X'FF', 4), "
             "(5, true, 5, float('5.5'), double('5.5'), 5, date'2022-01-01', timestamp'2022-01-01 00:00:00', timestamp_ntz'2022-01-01 00:00:00', 'aa', X'0000', 5)")
    utc = datetime.timezone.utc
    columns = [(2, "b", pa.bool_(), [False]), (3, "l", pa.int64(), [4, 99]), (4, "f", pa.float32(), [math.nan]), (5, "g", pa.float64(), [-0.0]),
               (6, "d", pa.decimal128(10, 2), [decimal.Decimal("5.00")]), (7, "dt", pa.date32(), [datetime.date(1969, 12, 31)]),
               (8, "tz", pa.timestamp("us", "UTC"), [datetime.datetime(2021, 1, 1, tzinfo=utc)]), (9, "ts", pa.timestamp("us"), [None]),
               (10, "s", pa.string(), ["", "aaa"]), (11, "x", pa.binary(), [b"\x00\x00"]), (12, "w", pa.decimal128(30, 4), [decimal.Decimal("1.5000")])]
    for column in columns:
        f.delete_equal(keys(column), [column[0]])
        first = f.java().snapshots().iterator().next().snapshotId()
        f.sql(f"INSERT INTO {{t}} SELECT id + 10, b, l, f, g, d, dt, tz, ts, s, x, w FROM {{t}} VERSION AS OF {first}")


@table("equality deletes of several keys, ids in any order, more columns in the file than ids; a nested key; each over older files only")
def equality_keys(f):
    f.create("id int, a int, b string, s struct<k: int, t: struct<n: string>>")
    row = "SELECT CAST(id AS int), CAST(id % 3 AS int), IF(id % 4 = 0, null, concat('b', id % 4)), IF(id % 5 = 0, null, named_struct('k', CAST(id % 5 AS int), 't', named_struct('n', concat('n', id)))) FROM range({0}, {1})"
    for part in range(4):
        f.select(row.format(part * 20, part * 20 + 20)[7:])
        if part == 0:
            f.delete_equal(keys((3, "b", pa.string(), ["b1", None]), (2, "a", pa.int32(), [1, 2])), [3, 2])
        elif part == 1:
            f.delete_equal(keys((1, "id", pa.int32(), [3, 23, 43]), (2, "a", pa.int32(), [77, 77, 77]), (3, "b", pa.string(), ["x", "y", "z"])), [1])
        elif part == 2:
            nested = pa.struct([arrow_field(5, "k", pa.int32())])
            table_ = pa.table([pa.array([{"k": 2}, None], nested)], schema=pa.schema([arrow_field(4, "s", nested)]))
            f.delete_equal(table_, [5])


@table("equality deletes on columns dropped, renamed, added later (with and without a value in old files), widened afterwards")
def equality_evolved(f):
    f.create("id int, k int, gone string, name string")
    f.insert("(1, 1, 'g1', 'n1'), (2, 2, 'g2', 'n2'), (3, 3, null, 'n3'), (4, null, 'g4', null)")
    f.delete_equal(keys((3, "gone", pa.string(), ["g2", None])), [3])
    f.alter("DROP COLUMN gone")
    f.insert("(5, 5, 'n5')")
    f.delete_equal(keys((4, "name", pa.string(), ["n5"])), [4])
    f.alter("RENAME COLUMN name TO label", "ADD COLUMN later int")
    f.insert("(6, 6, 'n6', 6), (7, 7, 'n7', null), (8, 8, 'n8', 8)")
    f.delete_equal(keys((5, "later", pa.int32(), [8, 99])), [5])
    f.alter("ALTER COLUMN later TYPE bigint")
    f.insert("(9, 9, 'n9', 5000000000)")
    f.delete_equal(keys((5, "later", pa.int64(), [6, 5000000000])), [5])
    f.no_history = True  # Java looks for int keys with the ids of long ones in older snapshots


@table("equality deletes on a column whose name another column has now")
def equality_name_taken(f):
    f.create("id int, gone string")
    f.insert("(1, 'g1'), (2, 'g2'), (3, null)")
    f.delete_equal(keys((2, "gone", pa.string(), ["g2", None])), [2])
    f.alter("DROP COLUMN gone", "ADD COLUMN gone int")
    f.insert("(10, 10)")
    f.given = ['{"id":1,"gone":null}', '{"id":10,"gone":10}']  # Java refuses two columns of one name


@table("null in a column added later deletes all rows of files that lack it", 3)
def equality_lacking(f):
    f.create("id int")
    f.select("CAST(id AS int) FROM range(5)")
    f.alter("ADD COLUMN k int")
    f.insert("(10, 10), (11, null), (12, 12)")
    f.delete_equal(keys((2, "k", pa.int32(), [None])), [2])
    f.insert("(20, null)")


@table("global equality deletes over partitioned data, of several specs; deletes of one spec do not reach another; partitions by null and by truncate")
def equality_specs(f):
    f.create("id int, p string")
    f.select("CAST(id AS int), concat('p', id % 2) FROM range(10)")
    f.alter("ADD PARTITION FIELD p")
    f.sql("INSERT INTO {t} SELECT CAST(id + 10 AS int), concat('p', id % 2) FROM range(10)")
    f.insert("(30, null), (31, null), (32, 'p0')")
    first = (1, "id", pa.int32())
    f.delete_equal(keys((*first, [1, 11, 12, 30])), [1], None, 0)           # unpartitioned spec: reaches all
    f.delete_equal(keys((*first, [2, 3, 14, 15])), [1], ["p0"], 1)          # one partition
    f.delete_equal(keys((*first, [31, 32])), [1], [None], 1)                # the null partition
    f.alter("REPLACE PARTITION FIELD p WITH truncate(1, p)")
    f.sql("INSERT INTO {t} SELECT CAST(id + 40 AS int), concat('p', id % 2) FROM range(10)")
    f.delete_equal(keys((*first, [4, 16, 40, 41])), [1], ["p"], 2)          # the new spec alone
    f.delete_equal(keys((*first, [18, 42])), [1], ["p0"], 1)                # the old spec alone
    f.alter("DROP PARTITION FIELD truncate(1, p)")
    f.delete_equal(keys((*first, [5, 19, 43])), [1], None, 0)


@table("upserts: equality delete, position delete and data in one commit; compacted with the old sequence numbers; manifests rewritten", **MOR)
def upserts(f):
    f.create("id int, v string")
    names = [arrow_field(1, "id", pa.int32()), arrow_field(2, "v", pa.string())]
    for turn in range(4):
        ids = [0, 1, 2, turn, turn + 10, turn + 10]
        path = f.write(pa.table([pa.array(ids, pa.int32()), pa.array([f"t{turn}.{i}" for i in range(6)])], schema=pa.schema(names)))
        data = f.builder("data", path, 6, None, None, True).build()
        f.commit_delta([data], [f.equality_file(keys((1, "id", pa.int32(), sorted(set(ids)))), [1]),
                                f.position_file(positions([("file:" + path, 3 if turn < 3 else 0), ("file:" + path, 4)]))])
    f.sql("CALL {sys}.rewrite_data_files(table => '{n}', options => map('min-input-files', '2', 'use-starting-sequence-number', 'true'))")
    f.sql("CALL {sys}.rewrite_manifests('{n}')")
    f.delete_equal(keys((1, "id", pa.int32(), [1])), [1])
    f.insert("(1, 'last')")


@table("rewritten data with the starting sequence number below an equality delete of the same commits' time: still deleted")
def sequence_kept(f):
    f.create("id int, v int")
    f.insert("(1, 1), (2, 2)")
    f.insert("(3, 3), (4, 4)")
    start = f.java().currentSnapshot().snapshotId()
    f.delete_equal(keys((1, "id", pa.int32(), [2, 3])), [1])
    table_ = f.java()
    rewrite = table_.newRewrite().validateFromSnapshot(start)
    files = [t.file() for t in iterate(table_.newScan().useSnapshot(start).planFiles())]
    names = [arrow_field(1, "id", pa.int32()), arrow_field(2, "v", pa.int32())]
    path = f.write(pa.table([pa.array([1, 2, 3, 4], pa.int32())] * 2, schema=pa.schema(names)))
    merged = f.builder("data", path, 4, None, None, True).build()
    rewrite.dataSequenceNumber(2)
    for file in files:
        rewrite.deleteFile(file)
    rewrite.addFile(merged).commit()


def iterate(closeable):
    found = closeable.iterator()
    while found.hasNext():
        yield found.next()


@table("equality deletes in a v3 table with lineage and vectors", 3, **MOR)
def equality_lineage(f):
    f.create("id int, v string")
    f.select("CAST(id AS int), concat('v', id) FROM range(20)")
    f.delete_equal(keys((1, "id", pa.int32(), [3, 4])), [1])
    f.sql("DELETE FROM {t} WHERE id IN (5, 6)")
    f.sql("UPDATE {t} SET v = 'u' WHERE id IN (7, 8)")
    f.select("CAST(id + 3 AS int), 'again' FROM range(2)")
    f.delete_equal(keys((2, "v", pa.string(), ["u", "v9"])), [2])
    f.sql("CALL {sys}.rewrite_data_files(table => '{n}', options => map('min-input-files', '2', 'rewrite-all', 'true'))")
    f.insert("(99, 'end')")


@table("equality deletes whose keys lie in Avro; null keys alone; an empty delete file; hundreds of keys with text that repeats")
def equality_avro(f):
    f.create("id int, k string", write_format_default="avro")
    f.select("CAST(id AS int), IF(id % 10 = 0, null, concat('key-', id % 50)) FROM range(500)")
    schema = {"type": "record", "name": "table", "fields": [{"name": "k", "type": ["null", "string"], "default": None, "field-id": 2}]}
    for values in ([None], [], [f"key-{i}" for i in range(1, 40)]):
        path = f.write_avro(schema, [{"k": v} for v in values])
        file = f.builder("delete", path, len(values), None, None, False).ofEqualityDeletes(f.ints([2])).build()
        f.commit_delta(deletes=[file])
    f.insert("(1000, null), (1001, 'key-1')")


@table("a position delete file whose path column is one dictionary entry over 50,000 rows; a file wholly deleted", **MOR)
def positions_whole(f):
    f.create("id int", write_parquet_page__row__limit="1000")
    f.select("CAST(id AS int) FROM range(5000)")
    f.select("CAST(id + 5000 AS int) FROM range(100)")
    files = {row.n: row.file_path for row in f.sql("SELECT record_count n, file_path FROM {t}.data_files")}
    f.commit_delta(deletes=[f.position_file(positions([(files[100], i) for i in range(100)]))])
    f.commit_delta(deletes=[f.position_file(positions([(files[5000], i) for i in range(5000) if i % 100]))])

