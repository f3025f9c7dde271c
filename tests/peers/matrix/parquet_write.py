# SPDX-License-Identifier: Apache-2.0
"""Parquet files of ours, read by pyarrow, DuckDB and ourselves: whole, and with conditions that their
readers push down into the file."""
import os
import re
import subprocess

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import columns as cols
import frazil
from parquet_read import Check, difference

TOOL = os.environ.get("FRAZIL_PARQUET_TOOL",
                      os.path.join(os.path.dirname(frazil.FRAZIL), "tests", "parquet_tool"))

# Options of parquet_tool copy: all that the writer has. Columns without ids get no bloom filters.
WRITTEN = [
    [], ["codec=none", "page=2"], ["codec=snappy", "page_rows=1"], ["codec=gzip", "dictionary=0", "page=2"],
    ["codec=zstd", "level=9", "compact=1", "page_rows=37"], ["codec=lz4_raw", "compact=1", "dictionary=0", "page=2"],
    ["codec=brotli", "group=30000", "page_bytes=700"], ["dictionary=500", "page_rows=50"],
    ["seal=170", "group=60000", "page_rows=100"], ["compact=1", "seal=300", "codec=none"],
    ["bloom=0.01", "group=60000"], ["bloom=0.05", "dictionary=0", "compact=1", "group=40000", "page=2"],
    ["bloom=0.01", "codec=none", "page_rows=20", "dictionary=700"],
]
SQL_CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4_RAW", "BROTLI")

# What a reader makes of a column of our files, (reader, column, "rows" or "conditions") -> why. Tried all the
# same: in a full run an entry that nothing came of is a failure, so that the list only shrinks.
EXCUSED = {
    ("duckdb", "tz_ns", "rows"): "it has no TIMESTAMPTZ of nanoseconds",
    ("duckdb", "tz_ns", "conditions"): "it has no TIMESTAMPTZ of nanoseconds",
    ("duckdb", "bytes", "conditions"): "it asks bloom filters for the text that it shows of a BLOB, in pyarrow's "
                                       "files too",
    ("duckdb", "ts_ns", "conditions"): "it does not read the text of the first nanosecond",
}


class Excuses:
    def __init__(self, report):
        self.report, self.needed = report, set()

    def __call__(self, reader, column, part, name, problem):
        key = (reader.name, column, part)
        if problem and key in EXCUSED:
            self.needed.add(key)
            problem = ""
        self.report(name, problem)

    def finish(self):
        for key in EXCUSED:
            self.report(f"excuse {key}", "" if key in self.needed else "not needed any more")


# ---- readers ----

class Arrow:
    name = "pyarrow"

    def whole(self, path, names):
        table = pq.ParquetFile(path).read().select(names)
        return [cols.lines_of(c) for c in table.columns]

    def answer(self, path, one):
        """Row ids; None: it has no such condition."""
        expression = self.expression(one)
        if expression is None:
            return None
        return pq.read_table(path, columns=["rid"], filters=expression).column("rid").to_pylist()

    def expression(self, one):
        field = pc.field(*one.column.name.split("."))
        if one.op in ("IS NULL", "IS NOT NULL"):
            return field.is_null() if one.op == "IS NULL" else field.is_valid()
        kind, scale = one.column.arrow, one.column.scale
        if isinstance(kind, pa.BaseExtensionType):
            return None  # it compares none
        try:
            values = [pa.array([v * scale], pa.int64()).cast(kind)[0] if pa.types.is_temporal(kind) and
                      not pa.types.is_time32(kind) and not pa.types.is_date32(kind) else
                      pa.array([v], pa.int32()).cast(kind)[0] if pa.types.is_temporal(kind) else
                      pa.scalar(v.decode() if isinstance(v, bytes) and pa.types.is_string(kind) else v, kind)
                      for v in one.values]
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            return None
        if one.op == "LIKE":
            return pc.starts_with(field, one.values[0].decode())
        if one.op == "IN":
            return None if any(v != v for v in one.values) else \
                field.isin(pa.array([v.as_py() for v in values], kind)) if not pa.types.is_temporal(kind) else None
        return {"=": field == values[0], "<>": field != values[0], "<": field < values[0], "<=": field <= values[0],
                ">": field > values[0], ">=": field >= values[0]}[one.op]

    def expected(self, one):
        """Comparisons with NaN hold for none but <>."""
        values = one.column.keys
        if not one.values or not any(isinstance(v, float) for v in one.values):
            return one.rows
        wants_nan = any(v != v for v in one.values)
        keep = lambda i: values[i] == values[i] and not wants_nan
        if one.op == "<>":
            return [i for i, v in enumerate(values) if v is not None and (v != one.values[0])]
        return [i for i in one.rows if keep(i)]


DUCK_TYPES = ((r"AS TIMESTAMP\(\d\)\)", "AS TIMESTAMP)"), (r"AS TIME\(\d\)\)", "AS TIME)"),
              (r"x'([0-9a-f]*)'", r"from_hex('\1')"))


class Duck:
    name = "duckdb"

    def __init__(self):
        self.connection = duckdb.connect()
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute("SET threads = 1")

    def whole(self, path, names):
        quoted = ", ".join(f'"{n}"' for n in names)
        table = self.connection.execute(f"SELECT {quoted} FROM read_parquet('{path}')").to_arrow_table()
        return [cols.lines_of(c) for c in table.columns]

    def answer(self, path, one):
        sql = one.sql.replace("`", '"')
        for pattern, other in DUCK_TYPES:
            sql = re.sub(pattern, other, sql)
        # TIMESTAMP_LTZ and nanoseconds have names of their own.
        sql = re.sub(r"CAST\('([^']*)' AS TIMESTAMP_LTZ\(\d\)\)", r"CAST('\1+00' AS TIMESTAMPTZ)", sql)
        if one.column.arrow == pa.timestamp("ns"):
            sql = sql.replace("AS TIMESTAMP)", "AS TIMESTAMP_NS)")
        rows = self.connection.execute(f"SELECT rid FROM read_parquet('{path}') WHERE {sql}").fetchall()
        return [r[0] for r in rows]

    def expected(self, one):
        return one.rows


# ---- one file ----

def note_types(rows, path):
    """The Arrow types that our file has, of each column or leaf."""
    schema = pq.read_schema(path)
    for one in rows.conditions:
        first, *below = one.column.name.split(".")
        kind = schema.field(first).type
        for name in below:
            kind = kind.field(name).type
        one.column.arrow = kind
        # Milliseconds are written as microseconds.
        one.column.scale = 1000 if first.endswith("_ms") else 1


def check_reader(excuses, reader, label, path, rows, chosen):
    names = rows.table.column_names
    try:
        read = reader.whole(path, names)
    except Exception as error:  # noqa: BLE001: whatever a reader throws is its verdict
        return excuses.report(f"{reader.name} {label}", f"{type(error).__name__}: {error}"[:400])
    for name, lines, texts in zip(names, read, rows.texts):
        excuses(reader, name, "rows", f"{reader.name} {label}, {name}", difference(lines, texts))
    for one in chosen:
        problem = ""
        try:
            got, expected = reader.answer(path, one), reader.expected(one)
        except Exception as error:  # noqa: BLE001
            got, expected, problem = None, None, f"{type(error).__name__}: {error}"[:300]
        if got is not None and got != expected:
            problem = (f"{len(got)} rows, expected {len(expected)}; lost {sorted(set(expected) - set(got))[:3]}, "
                       f"extra {sorted(set(got) - set(expected))[:3]}")
        excuses(reader, one.column.name, "conditions", f"{reader.name} {label} WHERE {one.sql[:200]}", problem)
    return None


def check_file(excuses, readers, label, path, rows, chosen, blooms):
    note_types(rows, path)
    for reader in readers:
        check_reader(excuses, reader, label, path, rows, chosen)
    check = Check(excuses.report, f"ourselves {label}", path, rows)
    check.whole()
    with_blooms = [c for c in chosen if blooms and c.column.name not in ("bool", "f16", "list")]
    check.under_conditions([c for c in chosen if c not in with_blooms])
    if with_blooms:
        check.under_conditions(with_blooms, exact=True)
    check.finish()


def run(report, folder, rows, full):
    readers, excuses = [Arrow(), Duck()], Excuses(report)
    source, path = os.path.join(folder, "source.parquet"), os.path.join(folder, "ours.parquet")
    pq.write_table(rows.table.cast(with_all_ids(rows.table.schema)), source)
    pace = 2 if full else 47
    for n, options in enumerate(WRITTEN):
        if not full and n % 3 != 1:
            continue
        done = subprocess.run([TOOL, "copy", source, path, *options], capture_output=True, timeout=300)
        if done.returncode != 0:
            report(f"write {options}", done.stderr.decode(errors="replace")[:300])
            continue
        check_file(excuses, readers, str(options), path, rows, rows.conditions[n % pace::pace],
                   any(o.startswith("bloom") for o in options))
    for n, codec in enumerate(SQL_CODECS):
        if not full and n % 3 != 2:
            continue
        os.remove(path)
        try:
            frazil.run([f"INSERT INTO '{path}' /*+ OPTIONS('parquet.compression' = '{codec}') */ "
                        f"SELECT * FROM '{source}'"])
        except frazil.Refused as refused:
            report(f"INSERT {codec}", str(refused))
            continue
        check_file(excuses, readers, f"INSERT {codec}", path, rows, rows.conditions[n % pace::pace * 2], False)
    if full:
        excuses.finish()


def with_all_ids(schema):
    """Ids at every depth, in pre-order, so that filters can be asked for."""
    counter = [0]

    def field_with(field):
        counter[0] += 1
        number = counter[0]
        kind = field.type
        if pa.types.is_struct(kind):
            kind = pa.struct([field_with(kind.field(i)) for i in range(kind.num_fields)])
        return pa.field(field.name, kind, field.nullable, {"PARQUET:field_id": str(number)})
    return pa.schema([field_with(f) for f in schema])
