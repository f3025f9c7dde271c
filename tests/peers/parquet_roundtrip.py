#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet against pyarrow and DuckDB, in both directions.

    parquet_roundtrip.py TOOL [--fixtures DIR] [--only PART] [--full]

fixtures   every file of apache-parquet-testing that pyarrow decodes is decoded equal to it, except
           those on REFUSED; files of bad_data end in an error, not in a crash
variant    shredded variants put together as apache-parquet-testing has them, byte by byte, and copied
           by us into files that pyarrow reads the same
read       files of pyarrow and DuckDB with their options varied, read by us
write      the same files copied by us with our options varied, read by pyarrow and DuckDB
bloom      bloom filters of ours, asked by us and by DuckDB; a lookup reads one row group
bytes      bytes read for a condition on one nested leaf, as counted and as strace saw them
where      one condition per column and operator: the rows left after pruning hold all that match

TOOL is tests/tools/parquet_tool, built. Exits with 1 and the first differences where any differ.
"""
import argparse
import datetime
import decimal
import glob
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

try:
    import duckdb
except ImportError:
    duckdb = None

decimal.getcontext().prec = 80

TOOL = None
FAILED = []
COUNTS = {}

# What is refused, and why. Nothing else is.
REFUSED = {
    "encrypted": "encryption",
    "large_string_map.brotli": "a page of 1 GiB: over the limit of 512 MiB (nor does pyarrow decode it)",
}
# Files of which pyarrow shows wrapped-around times from this row on: nanoseconds in 64 bits.
WRAPS = {"data/int96_from_spark.parquet": 2}


def report(part, name, ok, detail=""):
    COUNTS.setdefault(part, [0, 0])[0 if ok else 1] += 1
    if not ok:
        FAILED.append(f"{part}: {name}: {detail}"[:600])


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, timeout=300)


def number(value):
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "-Infinity" if value < 0 else "Infinity"
    return value


def nanos_pair(nanos):
    return [nanos // 10**9, nanos % 10**9]


def canonical_array(array):
    """Values of an arrow array in the form in which parquet_tool prints them."""
    t = array.type
    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in canonical_array(chunk)]
    if isinstance(array, pa.ExtensionArray):
        return canonical_array(array.storage)
    if pa.types.is_dictionary(t):
        return canonical_array(array.dictionary_decode())
    if pa.types.is_struct(t):
        children = [canonical_array(array.field(i)) for i in range(t.num_fields)]
        valid = array.is_valid().to_pylist()
        # field() ignores the parent's nulls and offset is applied by it
        return [list(row) if ok else None for ok, row in
                zip(valid, zip(*children) if children else [() for _ in valid])]
    if pa.types.is_map(t):
        keys, items = canonical_array(array.keys), canonical_array(array.items)
        pairs = [list(p) for p in zip(keys, items)]
        return slices(array, pairs)
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        return slices(array, canonical_array(array.values))
    if pa.types.is_fixed_size_list(t):
        values = canonical_array(array.flatten())
        return [values[i * t.list_size:(i + 1) * t.list_size] for i in range(len(array))]
    if pa.types.is_decimal(t):
        return [None if v is None else int(v.scaleb(t.scale)) for v in array.to_pylist()]
    if pa.types.is_timestamp(t):
        ints = array.cast(pa.int64()).to_pylist()
        if t.unit == "ns":
            return [None if v is None else nanos_pair(v) for v in ints]
        factor = {"s": 10**6, "ms": 1000, "us": 1}[t.unit]
        return [None if v is None else v * factor for v in ints]
    if pa.types.is_time32(t):
        factor = {"s": 1000, "ms": 1}[t.unit]
        return [None if v is None else v * factor for v in array.cast(pa.int32()).to_pylist()]
    if pa.types.is_time64(t):
        divide = {"us": 1, "ns": 1000}[t.unit]
        return [None if v is None else v // divide for v in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_date32(t):
        return array.cast(pa.int32()).to_pylist()
    if pa.types.is_date64(t):
        return [None if v is None else v // 86400000 for v in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_duration(t):
        return array.cast(pa.int64()).to_pylist()
    if pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_fixed_size_binary(t):
        return [None if v is None else v.hex() for v in array.to_pylist()]
    if pa.types.is_float16(t):
        return [number(None if v is None else float(v)) for v in array.to_pylist()]
    if pa.types.is_floating(t):
        return [number(v) for v in array.to_pylist()]
    return array.to_pylist()


def slices(array, values):
    """Rows of a list or map array whose flattened child is `values`."""
    offsets = array.offsets.to_pylist()
    valid = array.is_valid().to_pylist()
    return [values[offsets[i]:offsets[i + 1]] if valid[i] else None for i in range(len(array))]


def canonical(table):
    columns = [canonical_array(c) for c in table.columns]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in range(len(table))]


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, (int, float)) or isinstance(b, float) and \
            isinstance(a, (int, float)):
        return float(a) == float(b)
    return a == b and (a is None) == (b is None)


def compare(rows, expected):
    if len(rows) != len(expected):
        return f"{len(rows)} rows, expected {len(expected)}"
    for i, (row, other) in enumerate(zip(rows, expected)):
        if not same(row, other):
            for j, (a, b) in enumerate(zip(row, other)):
                if not same(a, b):
                    return f"row {i} column {j}: {str(a)[:150]} expected {str(b)[:150]}"
            return f"row {i}: {str(row)[:150]} expected {str(other)[:150]}"
    return ""


def dump(path, *options):
    done = tool("dump", path, *options)
    if done.returncode not in (0, 1):
        return None, f"exit {done.returncode}: {done.stderr.decode(errors='replace')[:400]}"
    if done.returncode == 1:
        return None, done.stderr.decode(errors="replace").strip()
    return [json.loads(line) for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()], ""


# ---- fixtures ----


def run_fixtures(root):
    folder = os.path.join(root, "apache-parquet-testing")
    elsewhere = [path for part in ("apache-iceberg/parquet", "apache-iceberg-go/table/testdata/geo",
                                   "Snowflake-Labs-pg_lake/test_common/sample/data")
                 for path in glob.glob(f"{root}/{part}/**/*.parquet", recursive=True)]
    for path in sorted(glob.glob(f"{folder}/data/**/*.parquet*", recursive=True)) + sorted(elsewhere):
        name = os.path.relpath(path, folder)
        if not path.endswith((".parquet", ".encrypted")):
            continue
        try:
            expected = canonical(pq.ParquetFile(path).read())
        except Exception as error:  # pylint: disable=broad-except
            rows, why = dump(path)
            crashed = rows is None and why.startswith("exit")
            report("fixtures", name, not crashed, f"crash: {why}")
            print(f"  not compared (pyarrow: {str(error).splitlines()[0][:90]}): {name}: "
                  f"{'decoded' if rows is not None else why[:90]}")
            continue
        if "corrupt-checksum" in path:  # pyarrow does not look at it
            rows, why = dump(path, "checksums=1")
            report("fixtures", name, "checksum" in why, "the wrong checksum was not seen")
        twice = path not in elsewhere
        for options in (["source=read", "checksums=0"],
                        ["source=map", "batch=3", "checksums=0"])[:2 if twice else 1]:
            rows, why = dump(path, *options)
            refused = any(text in path for text in REFUSED)
            if rows is not None and name in WRAPS:  # pyarrow cannot hold these times
                rows, expected = rows[:WRAPS[name]], expected[:WRAPS[name]]
            report("fixtures", name, refused or (rows is not None and not compare(rows, expected)),
                   why or compare(rows, expected))
    for path in sorted(glob.glob(f"{folder}/bad_data/*.parquet")):
        rows, why = dump(path)
        report("fixtures", os.path.basename(path), not why.startswith("exit"), why)


# ---- variants ----


def variant_rows(path):
    done = tool("dump", path)
    rows = [json.loads(line)[-1] for line in done.stdout.decode().splitlines()]
    return done.returncode, rows, done.stderr.decode(errors="replace")


def check_variant_copy(folder, path, expected):
    copied = os.path.join(folder, "variant.parquet")
    done = tool("copy", path, copied)
    if done.returncode != 0:
        return done.stderr.decode(errors="replace")
    column = pq.ParquetFile(copied).read().columns[-1].to_pylist()
    theirs = [None if v is None else (v["metadata"] + v["value"]).hex() for v in column]
    return "" if theirs == expected == variant_rows(copied)[1] else f"{theirs} {expected}"


def run_variant(folder, root):
    fixtures = os.path.join(root, "apache-parquet-testing")
    shredded = os.path.join(fixtures, "shredded_variant")
    for case in json.load(open(os.path.join(shredded, "cases.json"))):
        if "parquet_file" not in case:
            continue
        name = f"{case['case_number']} {case['test']}"
        path = os.path.join(shredded, case["parquet_file"])
        code, rows, why = variant_rows(path)
        if "error_message" in case:
            report("variant", name, code == 1, f"exit {code}, {rows}")
            continue
        files = case["variant_files"] if "variant_files" in case else [case["variant_file"]]
        expected = [None if f is None else open(os.path.join(shredded, f), "rb").read().hex()
                    for f in files]
        report("variant", name, code == 0 and rows == expected, why or f"{rows} {expected}")
        why = check_variant_copy(folder, path, expected)
        report("variant", f"{name}, copied", not why, why)
    text = open(os.path.join(fixtures, "variant", "data_dictionary.json")).read()
    # Texts of times are written in several ways there.
    odd = ("primitive_time", "primitive_timestamp")
    for name, value in json.loads(text.replace(",\n}", "\n}")).items():
        done = tool("variant", *(os.path.join(fixtures, "variant", f"{name}.{part}")
                                 for part in ("metadata", "value")))
        good = done.returncode == 0 and (json.loads(done.stdout) == value or name.startswith(odd))
        report("variant", name, good, f"{done.stdout} {done.stderr} {value}")


# ---- generated tables ----


def generated(rows=5000):
    """A table of every type x nulls x extremes x nesting."""
    def some(values, null_every):
        out = list(itertools.islice(itertools.cycle(values), rows))
        return [None if null_every and i % null_every == 0 else v for i, v in enumerate(out)]

    def mixed(make, null_every=7):
        return some([make(i) for i in range(997)], null_every)

    dec = decimal.Decimal
    nan, inf = float("nan"), float("inf")
    day = datetime.date
    columns = {
        "bool": pa.array(mixed(lambda i: i % 3 == 0), pa.bool_()),
        "i8": pa.array(mixed(lambda i: i % 256 - 128), pa.int8()),
        "i16": pa.array(mixed(lambda i: i * 61 % 65536 - 32768), pa.int16()),
        "i32": pa.array(mixed(lambda i: (i * 7919 * 12345) % 2**32 - 2**31), pa.int32()),
        "i64": pa.array(mixed(lambda i: (i * 7919 * 123456789123) % 2**64 - 2**63), pa.int64()),
        "seq": pa.array(list(range(rows)), pa.int64()),
        "u8": pa.array(mixed(lambda i: i % 256), pa.uint8()),
        "u16": pa.array(mixed(lambda i: i * 67 % 65536), pa.uint16()),
        "u32": pa.array(mixed(lambda i: (i * 7919 * 99991) % 2**32), pa.uint32()),
        "f32": pa.array(some([0.0, -0.0, nan, inf, -inf, 1.5, -3.25e30], 5), pa.float32()),
        "f64": pa.array(some([0.0, -0.0, nan, inf, -inf, 1.1, 5e-324] +
                             [i / 7 for i in range(990)], 5), pa.float64()),
        "d9": pa.array(mixed(lambda i: dec(i * 1000003 % 999999999).scaleb(-2)), pa.decimal128(9, 2)),
        "d18": pa.array(mixed(lambda i: -dec(i * 10**14 + i).scaleb(-4)), pa.decimal128(18, 4)),
        "d38": pa.array(mixed(lambda i: dec((10**38 - 1) // (i + 1) * (-1)**i).scaleb(-10)),
                        pa.decimal128(38, 10)),
        "date": pa.array(mixed(lambda i: day(1970, 1, 1) + datetime.timedelta(i * 37 - 15000)),
                         pa.date32()),
        "time": pa.array(mixed(lambda i: i * 86399 * 10**6 // 997 // 1000 * 1000), pa.time64("us")),
        "ts": pa.array(mixed(lambda i: i * 10**12 - 5 * 10**14), pa.timestamp("us")),
        "tz": pa.array(mixed(lambda i: i * 10**12 + 123456), pa.timestamp("us", "UTC")),
        "tms": pa.array(mixed(lambda i: i * 10**9 - 7), pa.timestamp("ms")),
        "tns": pa.array(mixed(lambda i: i * 10**15 - 5 * 10**17 + 789), pa.timestamp("ns")),
        "text": pa.array(mixed(lambda i: ["", "a", "exactly 12 b", "thirteen byte",
                                          "\u00e4\u00f6\u4e2d\U0001f600" * (i % 5)][i % 5] +
                               (str(i) if i % 2 else "")), pa.string()),
        "wide": pa.array(mixed(lambda i: f"https://example.org/page/{i}/" + "x" * (i % 60)),
                         pa.string()),
        "few": pa.array(mixed(lambda i: f"category number {i % 5}"), pa.string()),
        "unique": pa.array([f"row-{i * 7919 % 1000003:07d}" for i in range(rows)], pa.string()),
        "bytes": pa.array(mixed(lambda i: bytes(range(i % 256)) if i % 3 else b"\xff\xfe"),
                          pa.binary()),
        "fixed": pa.array(mixed(lambda i: (i * 2654435761 % 2**64).to_bytes(8, "big") * 2),
                          pa.binary(16)),
        "allnull": pa.array([None] * rows, pa.int32()),
        "same": pa.array([42] * rows, pa.int64()),
        "list": pa.array(mixed(lambda i: [None if j % 3 == 2 else i + j for j in range(i % 6)]),
                         pa.list_(pa.int64())),
        "texts": pa.array(mixed(lambda i: [f"tag {(i + j) % 11}" for j in range(i % 4)]),
                          pa.list_(pa.string())),
        "lists": pa.array(mixed(lambda i: [None if j == 3 else
                                           [None if k == 1 else k * i for k in range(j)]
                                           for j in range(i % 5)]),
                          pa.list_(pa.list_(pa.int32()))),
        "row": pa.array(mixed(lambda i: {"x": None if i % 4 == 0 else i / 3,
                                         "y": {"s": f"s{i}", "l": list(range(i % 3))}}),
                        pa.struct([("x", pa.float64()),
                                   ("y", pa.struct([("s", pa.string()),
                                                    ("l", pa.list_(pa.int16()))]))])),
        "whole": pa.array(mixed(lambda i: {"n": i * 3, "s": f"part {i % 50}"}),
                          pa.struct([pa.field("n", pa.int32(), nullable=False),
                                     pa.field("s", pa.string(), nullable=False)])),
        "map": pa.array(mixed(lambda i: [(f"k{j}", None if j == 2 else i * j)
                                         for j in range(i % 4)]),
                        pa.map_(pa.string(), pa.int64())),
        "rows": pa.array(mixed(lambda i: [{"a": j, "b": None if j % 2 else f"b{i}"}
                                          for j in range(i % 3)]),
                         pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))),
        "deep": pa.array(mixed(lambda i: [{"m": [(j, [[{"z": i}]] if i % 3 else None)
                                                 for j in range(i % 2 + 1)]}]),
                         pa.list_(pa.struct([("m", pa.map_(pa.int32(), pa.list_(pa.list_(
                             pa.struct([("z", pa.int64())])))))]))),
    }
    return pa.table(columns)


def arrow_variants(full):
    variants = [
        {},
        {"compression": "snappy", "use_dictionary": False},
        {"compression": "zstd", "data_page_version": "2.0", "write_page_index": True},
        {"compression": "gzip", "data_page_size": 2000, "max_rows_per_page": 700},
        {"compression": "brotli", "row_group_size": 701},
        {"compression": "lz4", "dictionary_pagesize_limit": 4000, "data_page_size": 1000},
        {"compression": "none", "store_decimal_as_integer": True},
        {"compression": "none", "write_page_checksum": True, "write_page_index": True},
        {"compression": "zstd", "use_compliant_nested_type": False},
        {"use_deprecated_int96_timestamps": True},
    ]
    return variants if full else variants[:8]


def column_encodings(table):
    """One file for each encoding that goes with a type."""
    flat = ["i8", "i16", "i32", "i64", "seq", "u32", "date", "ts"]
    text = ["text", "wide", "few", "unique", "bytes"]
    split = ["f32", "f64", "i32", "i64", "fixed"]
    for names, encoding in ((flat, "DELTA_BINARY_PACKED"), (text, "DELTA_LENGTH_BYTE_ARRAY"),
                            (text + ["fixed"], "DELTA_BYTE_ARRAY"), (split, "BYTE_STREAM_SPLIT"),
                            (["bool"], "RLE")):
        part = table.select(names)
        yield part, {"use_dictionary": False, "column_encoding": {n: encoding for n in names},
                     "compression": "zstd"}
        yield part, {"use_dictionary": False, "column_encoding": {n: encoding for n in names},
                     "data_page_version": "2.0", "data_page_size": 1500, "compression": "none"}


def files_of_others(folder, full):
    table = generated(20000 if full else 5000)
    work = [(table, v) for v in arrow_variants(full)]
    work += list(column_encodings(table))
    work.append((table.slice(0, 0), {}))
    work.append((table.slice(0, 1), {}))
    for i, (part, options) in enumerate(work):
        path = os.path.join(folder, f"arrow{i}.parquet")
        pq.write_table(part, path, **options)
        yield path, f"arrow {options}"
    path = os.path.join(folder, "columns.parquet")
    pq.write_table(pa.table({f"c{i}": pa.array([i, None, i * 2]) for i in range(3000)}), path)
    yield path, "3,000 columns"
    path = os.path.join(folder, "groups.parquet")
    few = table.select(["seq", "text", "list"]).slice(0, 10)
    with pq.ParquetWriter(path, few.schema) as writer:
        for part in (few, few.slice(0, 0), few):
            writer.write_table(part)
    yield path, "an empty row group"
    if duckdb is None:
        return
    flat = table.drop_columns(["tns", "deep", "u8", "u16", "u32", "d38"])
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("t", flat)
    for i, options in enumerate(["", "PARQUET_VERSION V2", "COMPRESSION zstd, ROW_GROUP_SIZE 2048",
                                 "COMPRESSION gzip", "COMPRESSION lz4_raw"]):
        path = os.path.join(folder, f"duck{i}.parquet")
        tail = f", {options}" if options else ""
        connection.execute(f"COPY (SELECT * FROM t) TO '{path}' (FORMAT parquet{tail})")
        yield path, f"duckdb {options}"


def run_read(folder, full):
    for path, name in files_of_others(folder, full):
        expected = canonical(pq.ParquetFile(path).read())
        for options in (["source=map"], ["source=read", "batch=100"]):
            rows, why = dump(path, *options)
            report("read", name, rows is not None and not compare(rows, expected),
                   why or compare(rows, expected))


# ---- written by us ----

OUR_OPTIONS = [
    [], ["codec=snappy"], ["codec=none", "page=2"], ["page=2", "page_rows=300"],
    ["dictionary=0", "codec=gzip"], ["dictionary=3000"], ["group=60000"], ["codec=lz4_raw"],
    ["codec=brotli"], ["page_bytes=1000"], ["seal=900"], ["seal=700", "group=80000", "page_rows=500"],
    ["compact=1"], ["compact=1", "page=2", "dictionary=0", "codec=none"],
]

DUCK_SKIPS = {"tns"}  # read by DuckDB in microseconds of another type


def check_duckdb(path, expected, names):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for j, column in enumerate(names):
        if column in ("seq", "same"):
            total = connection.execute(f"SELECT sum({column}) FROM '{path}'").fetchone()[0]
            if total != sum(r[j] for r in expected):
                return f"duckdb: sum of {column} is {total}"
    table = connection.execute(f"SELECT * FROM '{path}'").to_arrow_table()
    keep = [i for i, n in enumerate(names) if n not in DUCK_SKIPS]
    rows = canonical(table.select(keep))
    return compare(rows, [[r[i] for i in keep] for r in expected])


def run_write(folder, full):
    table = generated(20000 if full else 5000)
    source = os.path.join(folder, "source.parquet")
    pq.write_table(table, source)
    names = table.column_names
    # Our types for what is read: unsigned integers widen.
    expected = canonical(table)
    for options in OUR_OPTIONS:
        path = os.path.join(folder, "ours.parquet")
        done = tool("copy", source, path, *options)
        if done.returncode != 0:
            report("write", options, False, done.stderr.decode(errors="replace"))
            continue
        read = pq.ParquetFile(path)
        why = compare(canonical(read.read()), expected)
        report("write", f"pyarrow {options}", not why, why)
        if duckdb is not None:
            why = check_duckdb(path, expected, names)
            report("write", f"duckdb {options}", not why, why)
        rows, problem = dump(path)
        why = problem or compare(rows, expected)
        report("write", f"ourselves {options}", not why, why)
        why = check_statistics(read, table)
        report("write", f"statistics {options}", not why, why)
    for rows in (0, 1):
        pq.write_table(table.slice(0, rows), source)
        tool("copy", source, path)
        why = compare(canonical(pq.ParquetFile(path).read()), expected[:rows])
        report("write", f"{rows} rows", not why, why)


def check_statistics(read, table):
    """Chunk bounds and null counts against the values (truncated bounds only enclose)."""
    start = 0
    for g in range(read.metadata.num_row_groups):
        group = read.metadata.row_group(g)
        part = table.slice(start, group.num_rows)
        start += group.num_rows
        for c in range(group.num_columns):
            meta = group.column(c)
            name = meta.path_in_schema
            if name not in table.column_names or not meta.is_stats_set:
                continue
            column = part[name]
            if meta.statistics.null_count != column.null_count:
                return f"{name}: {meta.statistics.null_count} nulls, not {column.null_count}"
            if pa.types.is_integer(column.type) and meta.statistics.has_min_max and \
                    not pa.types.is_unsigned_integer(column.type):
                bounds = pc.min_max(column).as_py()
                if (bounds["min"], bounds["max"]) != (meta.statistics.min, meta.statistics.max):
                    return f"{name}: bounds {meta.statistics.min} to {meta.statistics.max}"
    return ""


# ---- pruning ----


def matches(op, value, constant):
    if op == "null":
        return value is None
    if op == "notnull":
        return value is not None
    if value is None:
        return False
    if op == "starts":
        return value.startswith(constant)
    nan = isinstance(value, float) and math.isnan(value)
    if nan:
        return op in ("gt", "ge", "ne")
    return {"eq": value == constant, "ne": value != constant, "lt": value < constant,
            "le": value <= constant, "gt": value > constant, "ge": value >= constant}[op]


def with_ids(fields, next_id):
    """The fields with ids counted from next_id on in pre-order."""
    out = []
    for field in fields:
        number = next_id[0]
        next_id[0] += 1
        kind = field.type
        if pa.types.is_struct(kind):
            kind = pa.struct(with_ids([kind.field(i) for i in range(kind.num_fields)], next_id))
        out.append(pa.field(field.name, kind, field.nullable,
                            metadata={"PARQUET:field_id": str(number)}))
    return out


def leaf_values(table):
    """(id, values as Python has them, values as the tool prints them) of all leaves not below lists."""
    def walk(field, array):
        number = int(field.metadata[b"PARQUET:field_id"])
        if pa.types.is_struct(field.type):
            for i in range(field.type.num_fields):
                yield from walk(field.type.field(i), pc.struct_field(array, i))
        elif not pa.types.is_list(field.type):
            yield number, field.type, array.to_pylist(), canonical_array(array)
    for field, column in zip(table.schema, table.columns):
        yield from walk(field, column.combine_chunks())


def check_where(path, where, need, plain, is_flat):
    """Rows left by pruning hold all that match; those left by filtering are these."""
    pruned = 0
    for options in ([], ["filter=1", "source=read", "batch=100"] if len(need) % 2 else ["filter=1"]):
        done = tool("dump", path, where, "counters=1", "positions=1", *options)
        if done.returncode != 0:
            report("where", where, False, done.stderr.decode())
            continue
        rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
        have = [row[0] for row in rows]
        good = have == sorted(have) and all(row[1:] == plain[row[0]] or same(row[1:], plain[row[0]])
                                          for row in rows)
        exact = options and is_flat
        complete = have == need if exact else set(need) <= set(have)
        report("where", f"{where} {options} {path}", good and complete,
               f"{len(have)} rows, {len(need)} match, values {good}")
        pruned += json.loads(done.stderr.decode())["rows_pruned"] if not options else 0
    return pruned


def run_where(folder, full):
    table = generated(20000 if full else 5000).select(["seq", "i32", "f64", "text", "wide", "unique", "few", "d18",
                                     "date", "ts", "allnull", "row", "whole", "list", "texts"])
    table = table.cast(pa.schema(with_ids(table.schema, [1])))
    source = os.path.join(folder, "where.parquet")
    pq.write_table(table, source, max_rows_per_page=500, data_page_size=4000,
                   row_group_size=1700, write_page_index=True)
    bare = os.path.join(folder, "where1.parquet")
    pq.write_table(table, bare, data_page_size=4000, row_group_size=3000, data_page_version="2.0",
                   dictionary_pagesize_limit=3000)
    ours = os.path.join(folder, "where2.parquet")
    tool("copy", source, ours, "page_rows=300", "group=60000")
    plain = canonical(table)
    leaves = list(leaf_values(table))
    pruned = 0
    ops = ("eq", "lt", "ge", "gt", "le", "ne", "null", "notnull", "starts")
    turn = 0
    for which, path in enumerate((source, bare, ours)):
        for number, kind, values, raw_values in leaves:
            there = [i for i, v in enumerate(values) if v is not None] or [0]
            for op, at in itertools.product(ops, (there[0], there[len(there) * 2 // 3])):
                turn += 1
                if not full and turn % 3 != which: # each condition in one of the files
                    continue
                pick = values[at] if values[at] is not None else 0
                if op == "starts" and not pa.types.is_string(kind):
                    continue
                if isinstance(pick, float) and math.isnan(pick):
                    continue
                need = [i for i, v in enumerate(values) if matches(op, v, pick)]
                raw = raw_values[at] if values[at] is not None else 0
                pruned += check_where(path, f"where={number}:{op}:{raw}", need, plain, True)
    print(f"  rows pruned over all conditions: {pruned}")
    report("where", "something is pruned", pruned > 10000, str(pruned))


# ---- bloom filters ----


def run_bloom(folder, full):
    table = generated(20000 if full else 5000)
    skip = ("lists", "deep", "rows", "texts", "list", "map", "tns", "bool", "d9", "d18", "d38")
    table = table.select([n for n in table.column_names if n not in skip])
    table = table.cast(pa.schema(with_ids(table.schema, [1])))
    source, ours = os.path.join(folder, "bloom0.parquet"), os.path.join(folder, "bloom.parquet")
    pq.write_table(table, source)
    for options in (["bloom=0.01"], ["bloom=0.01", "dictionary=0", "page=2"],
                    ["bloom=0.05", "compact=1", "codec=snappy", "dictionary=3000", "seal=700"]):
        tool("copy", source, ours, "group=60000", *options)
        pruned = 0
        for number, kind, values, raw in leaf_values(table):
            if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
                continue
            for at in (1, len(raw) // 2, len(raw) - 2):
                for pick in lookups(raw[at]):
                    need = [i for i, v in enumerate(raw) if v == pick and v is not None]
                    done = tool("dump", ours, f"where={number}:eq:{pick}", "filter=1",
                                "counters=1", "positions=1")
                    have = [json.loads(line)[0] for line in done.stdout.decode().splitlines()]
                    report("bloom", f"{options} {number} {pick}", have == need, f"{have} {need}")
                    pruned += json.loads(done.stderr)["groups_pruned"] if done.returncode == 0 else 0
        report("bloom", f"{options} row groups are pruned", pruned > 60, str(pruned))
        if duckdb is not None:
            why = duck_probes(ours, table)
            report("bloom", f"{options} as DuckDB sees them", not why, why)
    # Values in no order, each once: statistics and pages rule nothing out.
    unique = table["unique"].to_pylist()
    for at in (7, len(unique) // 2, len(unique) - 3):
        done = tool("dump", ours, f"where=unique:eq:{unique[at]}", "filter=1", "counters=1")
        counters = json.loads(done.stderr)
        one = counters["groups_read"] == 1 and counters["groups_pruned"] > 0
        report("bloom", f"a lookup of {unique[at]} reads one row group", one, str(counters))


def lookups(value):
    """The value and one beside it, where a command line can say it."""
    if isinstance(value, bool) or isinstance(value, (list, float)) or value is None:
        return []
    return [value, value + "x"] if isinstance(value, str) else [value, value + 1]


def duck_probes(path, table):
    connection = duckdb.connect()
    groups = pq.ParquetFile(path).metadata
    for name in ("i32", "i64", "unique", "wide"):
        start = 0
        values = table[name].to_pylist()
        excludes = None
        for g in range(groups.num_row_groups):
            part = values[start:start + groups.row_group(g).num_rows]
            start += len(part)
            pick = next(v for v in part if v is not None)
            excludes = connection.execute(
                f"SELECT bloom_filter_excludes FROM parquet_bloom_probe('{path}', '{name}', ?)",
                [pick]).fetchall()[g][0]
            if excludes:
                return f"{name}: {pick} is in group {g}"
    return ""


# ---- bytes ----


def run_bytes(folder, full):
    """A row with two large leaves and one that the condition is about; pages of 2,000 rows."""
    rows = 400000 if full else 120000
    column = pa.array([{"a": i * 7919 % 100003, "b": f"{i * 7919 % 10007:032d}", "c": i}
                       for i in range(rows)])
    table = pa.table({"id": pa.array(range(rows)), "r": column,
                      "t": pa.array([f"text of row {i * 31 % 65521:08d}" for i in range(rows)])})
    table = table.cast(pa.schema(with_ids(table.schema, [1])))
    path = os.path.join(folder, "bytes.parquet")
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_index=True,
                   row_group_size=rows // 2, data_page_size=16000)
    chunk = sum(pq.ParquetFile(path).metadata.row_group(g).column(1).total_compressed_size
                for g in range(2))
    for where, need in (("where=3:eq:5000000", 0), ("where=3:lt:0", 0), ("where=3:eq:4242", 1)):
        log = os.path.join(folder, "strace.log")
        done = subprocess.run(["strace", "-f", "-e", "trace=pread64", "-o", log, TOOL, "dump", path,
                               where, "filter=1", "source=read", "counters=1"], capture_output=True)
        seen = sum(int(line.rsplit("=", 1)[1]) for line in open(log) if "pread64(" in line and
                   "ELF" not in line and "= -" not in line)
        counted = json.loads(done.stderr.decode().splitlines()[-1])["bytes_read"]
        found = len(done.stdout.decode().splitlines())
        right = found >= need and abs(seen - counted) <= 70000  # the footer is read before
        report("bytes", f"{where}: counted {counted}, strace {seen}", right, f"{found} rows")
        few = counted <= 1.2 * chunk + found * 3 * 70000
        report("bytes", f"{where}: of {chunk} bytes of the leaf", few, f"{counted} read")
        print(f"  {where}: leaf {chunk}, counted {counted}, strace {seen}, {found} rows")


def main():
    global TOOL
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--fixtures", default=os.environ.get("FRAZIL_FIXTURES"))
    parser.add_argument("--only")
    parser.add_argument("--full", action="store_true")
    arguments = parser.parse_args()
    TOOL = arguments.tool
    parts = [arguments.only] if arguments.only else ["fixtures", "variant", "read", "write",
                                                             "bloom", "bytes", "where"]
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            if part in ("fixtures", "variant"):
                if arguments.fixtures and os.path.isdir(arguments.fixtures):
                    if part == "fixtures":
                        run_fixtures(arguments.fixtures)
                    else:
                        run_variant(folder, arguments.fixtures)
                else:
                    print("  no fixtures here: set FRAZIL_FIXTURES")
            else:
                parts_run = {"read": run_read, "write": run_write, "bloom": run_bloom,
                             "bytes": run_bytes, "where": run_where}
                parts_run[part](folder, arguments.full)
    for line in FAILED[:40]:
        print("FAILED", line)
    for part, (good, bad) in COUNTS.items():
        print(f"  {part}: {good} of {good + bad}")
    print(f"{sum(c[0] for c in COUNTS.values())} passed, {sum(c[1] for c in COUNTS.values())} failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
