# SPDX-License-Identifier: Apache-2.0
"""The part of iceberg_write_test.py that needs Spark: it reads what was written there, and its own tables, of
every format version, are appended to here and read by it again."""
import contextlib
import json

import judge
from made_tables import field, part

# What Spark makes of a table before rows are appended: (name, statements); {t} is the table.
SPARK_TABLES = [
    ("by_spark_v1", ["CREATE TABLE {t} (id BIGINT NOT NULL, s STRING, d DATE) USING iceberg PARTITIONED BY "
                     "(days(d)) TBLPROPERTIES ('format-version' = '1')",
                     "INSERT INTO {t} VALUES (1, 'a', DATE '2024-01-01')"]),
    ("by_spark_v2", ["CREATE TABLE {t} (id BIGINT NOT NULL, gone STRING, s STRING, d DATE, n INT) USING iceberg "
                     "PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2')",
                     "INSERT INTO {t} VALUES (1, 'g', 'a', DATE '2024-01-01', 5)",
                     "ALTER TABLE {t} DROP COLUMN gone", "ALTER TABLE {t} ALTER COLUMN n TYPE BIGINT",
                     "ALTER TABLE {t} RENAME COLUMN n TO amount", "ALTER TABLE {t} ADD PARTITION FIELD truncate(2, s)",
                     "ALTER TABLE {t} DROP PARTITION FIELD bucket(4, id)",
                     "ALTER TABLE {t} SET IDENTIFIER FIELDS id", "ALTER TABLE {t} WRITE ORDERED BY d, s"]),
    ("by_spark_v3", ["CREATE TABLE {t} (id BIGINT NOT NULL, s STRING, d DATE, v VARIANT) USING iceberg "
                     "PARTITIONED BY (months(d)) TBLPROPERTIES ('format-version' = '3', "
                     "'write.delete.mode' = 'merge-on-read')",
                     "INSERT INTO {t} SELECT 1, 'a', DATE '2024-01-01', parse_json('{{\"k\": 1}}')",
                     "INSERT INTO {t} SELECT 9, 'dead', DATE '2024-01-01', NULL",
                     "DELETE FROM {t} WHERE id = 9"]),
    ("by_spark_avro", ["CREATE TABLE {t} (id BIGINT NOT NULL, s STRING, d DATE) USING iceberg "
                       "TBLPROPERTIES ('write.format.default' = 'avro', 'write.avro.compression-codec' = 'zstd')",
                       "INSERT INTO {t} VALUES (1, 'a', DATE '2024-01-01')"]),
    ("by_spark_upgraded", ["CREATE TABLE {t} (id BIGINT NOT NULL, s STRING, d DATE) USING iceberg "
                           "TBLPROPERTIES ('format-version' = '1')",
                           "INSERT INTO {t} VALUES (1, 'a', DATE '2024-01-01')",
                           "ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '2')",
                           "ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '3')"]),
]


def rows_of(session, query):
    try:
        return sorted(judge.spark_rows(session.sql(query)))
    except Exception as error:  # noqa: BLE001: whatever it throws is its verdict
        return [f"{type(error).__name__}: {str(error)[:300]}"]


def appended(world, session):
    for name, statements in SPARK_TABLES:
        table = f"c.db.{name}"
        for statement in statements:
            rows_of(session, statement.format(t=table))
        world.done(f"{name}: append", f"INSERT INTO {name} (id, s, d) VALUES (2, 'ours', DATE '2024-02-02'), "
                   "(3, CAST(NULL AS STRING), CAST(NULL AS DATE))")
        rows_of(session, f"INSERT INTO {table} (id, s, d) VALUES (4, 'theirs', DATE '2024-02-03')")
        expected = sorted(json.dumps(r, separators=(",", ":")) for r in (
            {"id": 1, "s": "a", "d": "2024-01-01"}, {"id": 2, "s": "ours", "d": "2024-02-02"},
            {"id": 3, "s": None, "d": None}, {"id": 4, "s": "theirs", "d": "2024-02-03"}))
        world.same(f"{name}: spark", rows_of(session, f"SELECT id, s, d FROM {table}"), expected)
        world.same(f"{name}: we", world.done(f"{name}: read", f"SELECT id, s, d FROM {name}"), expected)
        world.same(f"{name}: spark by a filter",
                   rows_of(session, f"SELECT id, s, d FROM {table} WHERE s = 'ours' AND d = DATE '2024-02-02'"),
                   [r for r in expected if "ours" in r])
        if "v3" in name or "upgraded" in name:
            ours = world.done(f"{name}: row ids", f"SELECT id, _row_id FROM {name}")
            world.same(f"{name}: spark's row ids", rows_of(session, f"SELECT id, _row_id FROM {table}"), ours)
        world.verify(name, name)
        rows_of(session, f"CALL c.system.rewrite_data_files(table => 'db.{name}', options => "
                    "map('rewrite-all', 'true'))")
        world.same(f"{name}: spark compacts", rows_of(session, f"SELECT id, s, d FROM {table}"), expected)


def written(world, session, plain_rows):
    """Tables of the other steps, as far as Spark knows their types."""
    names = [f"plain_{v}_{f}" for v in (1, 2, 3) for f in ("parquet", "avro")]
    for name in names:
        world.same(f"{name}: spark", rows_of(session, f"SELECT * FROM c.db.{name}"), plain_rows)
    for name in ("plain_3_parquet", "plain_3_avro"):
        world.same(f"{name}: spark's row ids",
                   rows_of(session, f"SELECT id, _row_id, _last_updated_sequence_number FROM c.db.{name}"),
                   world.done(f"{name}: ours", f"SELECT id, _row_id, _last_updated_sequence_number FROM {name}"))
    # Spark has no time, no timestamps of nanoseconds, and no type for `unknown` in Avro files.
    for format_ in ("parquet", "avro"):
        name = f"variants_{format_}"
        world.make(name, 3, [field(1, "id", "long", True), field(2, "v", "variant"),
                             field(3, "s", "string", **{"initial-default": "i", "write-default": "w"})],
                   [part(1000, 1, "bucket[2]", "b")], {"write.format.default": format_})
        world.done(name, f"INSERT INTO {name} (id, v) SELECT 1, PARSE_JSON('{{\"a\":[1,null,\"x\"]}}')",
                   f"INSERT INTO {name} (id) VALUES (2)")
        found = rows_of(session, f"SELECT id, to_json(v) v, s FROM c.db.{name}")
        world.same(f"{name}: spark", found, [json.dumps(r, separators=(",", ":")) for r in (
            {"id": 1, "v": '{"a":[1,null,"x"]}', "s": "w"}, {"id": 2, "v": None, "s": "w"})])
    for name in ("defaults_flat", "defaults_flat_avro", "packed", "objects", "objects_bare", "metrics", "pages",
                 "manifests_zstd", "manifests_snappy", "sorted"):
        ours = world.done(f"{name}: ours", f"SELECT * FROM {name}")
        world.same(f"{name}: spark", rows_of(session, f"SELECT * FROM c.db.{name}"), ours)


def check(world, plain_rows):
    with contextlib.ExitStack() as stack:
        stack.enter_context(judge.quiet_stderr(True))
        session = judge.spark_session([f"c=hadoop:file://{world.warehouse}"])
        stack.callback(session.stop)
        written(world, session, plain_rows)
        appended(world, session)
