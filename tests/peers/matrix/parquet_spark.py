# SPDX-License-Identifier: Apache-2.0
"""Parquet files of Spark (parquet-java) with its options varied, read by us; files of ours, read by Spark."""
import glob
import os
import re
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq

import columns as cols
import judge
from parquet_others import check_file
from parquet_write import TOOL, Excuses, note_types, with_all_ids
from parquet_read import difference

# Spark has no such type, or keeps its own in another: not asked.
NOT_SPARKS = ("f16", "d76_0", "d38_0", "duration", "notype", "t_ms", "t_us", "t_ns", "ts_ns", "tz_ns", "uuid", "view")

SPARK = {"spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
         "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
         "spark.sql.parser.escapedStringLiterals": "true", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.parquet.compression.codec": "snappy"}

# Of parquet-java (with a dot behind parquet) and of Spark's own configuration.
OPTIONS = [
    {}, {"parquet.writer.version": "PARQUET_2_0"},
    {"compression": "zstd", "parquet.enable.dictionary": "false", "parquet.page.write-checksum.enabled": "false"},
    {"compression": "gzip", "parquet.writer.version": "PARQUET_2_0", "parquet.enable.dictionary": "false"},
    {"compression": "lz4_raw", "parquet.page.row.count.limit": "20", "parquet.page.size": "500"},
    {"compression": "lz4", "parquet.dictionary.page.size": "300"},
    {"compression": "none", "parquet.block.size": "40000", "parquet.page.size.row.check.min": "10",
     "parquet.block.size.row.check.min": "10", "parquet.page.row.count.limit": "50"},
    {"compression": "zstd", "parquet.bloom.filter.enabled": "true", "parquet.bloom.filter.expected.ndv": "2000",
     "parquet.enable.dictionary": "false"},
    {"parquet.columnindex.truncate.length": "4", "parquet.statistics.truncate.length": "4"},
    {"parquet.enable.bytestreamsplit": "true", "parquet.enable.dictionary": "false"},
]
SETTINGS = [{"spark.sql.parquet.outputTimestampType": "INT96"}, {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"},
            {"spark.sql.parquet.writeLegacyFormat": "true"}]

# Lists and maps without nulls, which Spark's legacy format writes in two levels.
LEGACY = ("SELECT id AS rid, array(id, id + 1) AS two, array(named_struct('a', id)) AS rows, map(CAST(id AS STRING), id) AS m, "
          "array(array(id), array()) AS lists, CAST(id AS DECIMAL(9, 2)) AS d9, CAST(-id AS DECIMAL(18, 0)) AS d18, "
          "CAST(id AS DECIMAL(38, 3)) AS d38, timestamp_micros(id * 1000003) AS ts, IF(id % 3 = 0, NULL, array(id, NULL)) AS nulls "
          "FROM range(300) ORDER BY id")

KINDS = ((r"CAST\('([^']*)' AS TIMESTAMP\(\d\)\)", r"CAST('\1' AS TIMESTAMP_NTZ)"),
         (r"CAST\('([^']*)' AS TIMESTAMP_LTZ\(\d\)\)", r"CAST('\1' AS TIMESTAMP)"))

EXCUSED_COLUMNS = {}


def to_spark(sql):
    for pattern, other in KINDS:
        sql = re.sub(pattern, other, sql)
    return sql


def lines_of(frame):
    table = frame.toArrow()
    return table.column_names, [cols.lines_of(c) for c in table.columns]


def write(frame, folder, options):
    frame.coalesce(1).write.mode("overwrite").options(**options).parquet(folder)
    return glob.glob(os.path.join(folder, "part-*"))[0]


def run_written_there(report, session, folder, rows):
    source = os.path.join(folder, "for-spark.parquet")
    pq.write_table(rows.table.drop_columns(list(NOT_SPARKS)), source, store_schema=False)
    frame = session.read.parquet(source)
    work = [(o, {}) for o in OPTIONS] + [({}, s) for s in SETTINGS]
    for n, (options, settings) in enumerate(work):
        label = f"spark {options or settings}"
        for key, value in settings.items():
            session.conf.set(key, value)
        if "spark.sql.parquet.outputTimestampType" in settings:
            frame = session.read.parquet(source).selectExpr(
                "rid", "date", "text", "CASE WHEN year(tz_us) BETWEEN 1700 AND 2200 THEN tz_us END AS tz_us", "list")
        try:
            path = write(frame, os.path.join(folder, "spark"), options)
            names, texts = lines_of(session.read.parquet(path))
            if "INT96" in settings.values():  # times of no zone, with nanoseconds, to us
                texts = [[x.replace('+00:00"', '000"') for x in t] if name == "tz_us" else t
                         for name, t in zip(names, texts)]
            check_file(report, label, path, rows, names, texts, 11, n)
            if n in (0, len(work) - 1):
                path = write(session.sql(LEGACY), os.path.join(folder, "spark"), options)
                names, texts = lines_of(session.read.parquet(path))
                from parquet_others import check_lines
                check_lines(report, f"{label}, lists without nulls", path, names, texts)
        except Exception as error:  # noqa: BLE001
            report(label, f"{type(error).__name__}: {error}"[:500])
        for key in settings:
            session.conf.set(key, SPARK[key]) if key in SPARK else session.conf.unset(key)
        frame = session.read.parquet(source)


def answers(session, path, chosen):
    """Row ids for each condition, all in one statement."""
    session.read.parquet(path).createOrReplaceTempView("ours")
    sql = " UNION ALL ".join(f"SELECT {i} AS label, rid FROM ours WHERE {to_spark(c.sql)}" for i, c in enumerate(chosen))
    out = [[] for _ in chosen]
    for label, rid in zip(*(c.to_pylist() for c in session.sql(sql).toArrow().columns)):
        out[label].append(rid)
    return [sorted(rids) for rids in out]


def run_written_here(report, session, folder, rows):
    source, path = os.path.join(folder, "plain.parquet"), os.path.join(folder, "ours.parquet")
    table = rows.table.drop_columns([n for n in NOT_SPARKS if n != "uuid"])
    pq.write_table(table.cast(with_all_ids(table.schema)), source)
    kept = [(n, t) for n, t in zip(rows.table.column_names, rows.texts) if n in table.column_names]
    for n, options in enumerate([["codec=snappy"], ["codec=zstd", "page=2", "page_rows=37"], ["compact=1", "group=60000"],
                                 ["compact=1", "page=2", "dictionary=0", "codec=lz4_raw"], ["bloom=0.01", "group=60000", "dictionary=0"],
                                 ["codec=gzip", "dictionary=500", "page_rows=1"]]):
        done = subprocess.run([TOOL, "copy", source, path, *options], capture_output=True, timeout=300)
        if done.returncode != 0:
            report(f"write {options}", done.stderr.decode(errors="replace")[:300])
            continue
        try:
            names, texts = lines_of(session.read.parquet(path))
            for (name, expected), got in zip(kept, texts):
                got = [t if t == "null" else t for t in got]
                if name != "uuid":
                    report(f"spark reads {options}, {name}", difference(got, expected))
            chosen = [c for c in rows.conditions if c.column.name.split(".")[0] in names and c.column.name != "uuid"][n % 7::7]
            for at in range(0, len(chosen), 40):
                part = chosen[at:at + 40]
                for one, got in zip(part, answers(session, path, part)):
                    report(f"spark reads {options} WHERE {one.sql[:150]}",
                           "" if got == one.rows else f"{len(got)} rows, expected {len(one.rows)}")
        except Exception as error:  # noqa: BLE001
            report(f"spark reads {options}", f"{type(error).__name__}: {error}"[:500])


def run(report, folder, rows):
    with judge.quiet_stderr(True):
        session = judge.spark_session([], extra=[f"{k}={v}" for k, v in SPARK.items()], cores=1)
        try:
            run_written_there(report, session, folder, rows)
            run_written_here(report, session, folder, rows)
        finally:
            session.stop()
