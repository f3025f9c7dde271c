# SPDX-License-Identifier: Apache-2.0
"""Parquet files that are made otherwise, read by us: pyarrow's of other times and layouts, DuckDB's."""
import os

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import columns as cols
import frazil
from parquet_read import Check, Rows, difference


def check_lines(report, name, path, names, texts, where=None):
    """All rows of our reading against texts of each column."""
    keys = [f"\"{n}\":" for n in names]
    lines = ["{" + ",".join(k + t[i] for k, t in zip(keys, texts)) + "}" for i in range(len(texts[0]))]
    try:
        report(name, difference(frazil.run([frazil.rows_of(path, where=where)])[0], lines))
    except frazil.Refused as refused:
        report(name, str(refused))


def known_columns(rows, names, texts):
    """Columns that came through their writer unchanged, and so can be asked by the keys that we know."""
    at = {n: i for i, n in enumerate(rows.table.column_names)}
    return {n for n, t in zip(names, texts) if n in at and t == rows.texts[at[n]]}


def check_file(report, name, path, rows, names, texts, pace, start):
    """`texts`: the writer's own reading of its file."""
    check_lines(report, name, path, names, texts)
    known = known_columns(rows, names, texts)
    if "rid" not in known:
        return report(name, "rid is not what it was")
    check = Check(report, name, path, rows)
    check.cut = 64
    part = Rows.__new__(Rows)
    kept = [i for i, n in enumerate(names)]
    part.count, part.columns = rows.count, rows.columns
    keys = [f"\"{n}\":" for n in names]
    part.lines = ["{" + ",".join(k + texts[j][i] for k, j in zip(keys, kept)) + "}" for i in range(rows.count)]
    check.rows = part
    chosen = [c for c in rows.conditions if c.column.name.split(".")[0] in known]
    check.under_conditions(chosen[start % pace::pace])
    return None


# ---- pyarrow: INT96, coerced times, hardly a column ----

def nanosecond_range(rows):
    """Rows whose times all fit nanoseconds of 64 bits, with the time columns that do."""
    wanted = ["rid", "ts_ns", "date", "text", "list"]
    return rows.table.select(wanted)


def run_times(report, folder, rows):
    path = os.path.join(folder, "times.parquet")
    table = nanosecond_range(rows)
    size = rows.count // cols.BLOCKS
    for label, options in (("INT96", {"use_deprecated_int96_timestamps": True}),
                           ("INT96 v2 plain", {"use_deprecated_int96_timestamps": True, "use_dictionary": False,
                                               "data_page_version": "2.0", "compression": "zstd"}),
                           ("microseconds", {"coerce_timestamps": "us", "allow_truncated_timestamps": True}),
                           ("milliseconds", {"coerce_timestamps": "ms", "allow_truncated_timestamps": True})):
        pq.write_table(table, path, store_schema=False, row_group_size=size, **options)
        read = pq.read_table(path)
        check_file(report, f"arrow {label}", path, rows, read.column_names,
                   [cols.lines_of(c) for c in read.columns], 1, 0)
    for rid_only in (0, 1):
        pq.write_table(table.slice(0, rid_only), path)
        read = pq.read_table(path)
        if rid_only:
            check_lines(report, "one row", path, read.column_names, [cols.lines_of(c) for c in read.columns])
        else:
            report("no rows", difference(frazil.run([frazil.rows_of(path)])[0], []))
    with pq.ParquetWriter(path, table.schema) as writer:
        for part in (table.slice(0, 7), table.slice(0, 0), table.slice(7, 1)):
            writer.write_table(part)
    check_lines(report, "an empty row group", path, table.column_names,
                [cols.lines_of(c.slice(0, 8)) for c in table.columns])


# ---- DuckDB ----

DUCK_OPTIONS = (
    "", "PARQUET_VERSION V2", "COMPRESSION uncompressed, PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1",
    "COMPRESSION gzip, ROW_GROUP_SIZE 2048", "COMPRESSION zstd, PARQUET_VERSION V2, ROW_GROUP_SIZE 2048",
    "COMPRESSION brotli, DICTIONARY_SIZE_LIMIT 1", "COMPRESSION lz4_raw, ROW_GROUP_SIZE 4096, FIELD_IDS 'auto'",
    "COMPRESSION lz4, WRITE_BLOOM_FILTER false", "DICTIONARY_SIZE_LIMIT 100000, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.001",
    "ROW_GROUP_SIZE 2048, STRING_DICTIONARY_PAGE_SIZE_LIMIT 500, PARQUET_VERSION V2",
)
# What DuckDB cannot take from Arrow, or has no type of: intervals are bytes to us.
NOT_DUCKS = ("f16", "d76_0", "d38_0", "duration", "notype", "ts_us", "tz_us", "tz_ns")


def run_duck(report, folder, rows, full):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET threads = 1")
    connection.register("t", rows.table.drop_columns(list(NOT_DUCKS)))
    path = os.path.join(folder, "duck.parquet")
    pace = 3 if full else 29
    for n, options in enumerate(DUCK_OPTIONS):
        if not full and n % 4 != 1:
            continue
        tail = f", {options}" if options else ""
        connection.execute(f"COPY (SELECT * FROM t) TO '{path}' (FORMAT parquet{tail})")
        read = connection.execute(f"SELECT * FROM '{path}'").to_arrow_table()
        check_file(report, f"duckdb {options}", path, rows, read.column_names,
                   [cols.lines_of(c) for c in read.columns], pace, n)
    # Times as it writes them by itself.
    connection.execute(
        f"COPY (SELECT i AS rid, TIMESTAMP '1969-12-31 23:59:59.999999' + INTERVAL (i * 3333333) MILLISECOND AS ts, "
        "(TIMESTAMP '1900-01-01' + INTERVAL (i) HOUR)::TIMESTAMPTZ AS tz, make_timestamp(i * 7000)::TIMESTAMP_MS AS ms, make_timestamp(i * 1000000)::TIMESTAMP_S AS s, "
        "(TIME '00:00:00' + INTERVAL (i * 31) SECOND) AS t, (i % 3 = 0)::BIT AS bits, i::HUGEINT AS h, [i, NULL, -i] AS l, "
        "MAP {i: {'a': [i]}} AS m, {'x': NULL::INT, 'y': {'z': i::VARCHAR}} AS s1, "
        "CASE WHEN i % 5 = 0 THEN NULL ELSE 'e' || (i % 4) END::ENUM('e0', 'e1', 'e2', 'e3') AS e "
        f"FROM range(5000) r(i)) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    read = connection.execute(f"SELECT * EXCLUDE (h) FROM '{path}'").to_arrow_table()
    report("duckdb's own types", own_types(path, read))


def own_types(path, read):
    keys = [f"\"{n}\":" for n in read.column_names]
    texts = [cols.lines_of(c) for c in read.columns]
    lines = ["{" + ",".join(k + t[i] for k, t in zip(keys, texts)) + "}" for i in range(read.num_rows)]
    try:
        return difference(frazil.run([frazil.rows_of(path, ", ".join(f"`{n}`" for n in read.column_names))])[0], lines)
    except frazil.Refused as refused:
        return str(refused)
