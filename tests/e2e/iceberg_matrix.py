#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables written by us, read by PyIceberg (through the catalog file), DuckDB (by metadata path) and
ourselves, and checked against the spec.

  iceberg_matrix.py TOOL [--only NAME] [--keep DIR]

TOOL is tests/tools/iceberg_tool, built. The rows are made here: every type x {null, smallest,
largest, NaN, -0, empty, unicode, nested} and some more at random; every partition transform x source
type; every codec. Each table is written in two commits, with checkpoints and restarts of the writer
in between. Then: rows equal to ours, all of them, and again under one filter a column; figures from
metadata equal; `verify --strict --orphans` finds nothing.

DuckDB and PyIceberg are excused only where EXCUSED says so. The last line is "N passed, N failed".
"""
import argparse
import datetime
import decimal
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "peers", "lake"))
import judge  # noqa: E402

if __name__ == "__main__":
    judge.own_python(os.path.abspath(__file__))
import avro_data  # noqa: E402
import verify  # noqa: E402

NS, SEED = "default", 11
# Why a reader may refuse a table: (reader, part of its message) -> what it lacks.
EXCUSED = {
    ("pyiceberg", "nan partition"): "a NaN in an identity partition",
    ("pyiceberg", "Unsupported file format: FileFormat.AVRO"): "Avro data files",
    ("duckdb", "File format 'AVRO'"): "Avro data files",
}

COLUMNS = [
    ("id", "long", True), ("b", "boolean", False), ("i", "int", False), ("l", "long", False),
    ("f", "float", False), ("d", "double", False), ("d9", "decimal(9, 2)", False),
    ("d18", "decimal(18, 3)", False), ("d38", "decimal(38, 10)", False), ("dt", "date", False),
    ("t", "time", False), ("ts", "timestamp", False), ("tz", "timestamptz", False),
    ("s", "string", False), ("bin", "binary", False), ("fx", "fixed[5]", False),
    ("u", "uuid", False),
]
NESTED = [
    ("li", {"type": "list", "element": "int", "element-required": False}),
    ("m", {"type": "map", "key": "string", "value": "long", "value-required": False}),
    ("st", {"type": "struct", "fields": [("lat", "double"), ("lon", "double"), ("name", "string")]}),
    ("ls", {"type": "list", "element": {"type": "struct", "fields": [
        ("x", "int"), ("y", {"type": "list", "element": "string", "element-required": False})]},
        "element-required": False}),
    ("ml", {"type": "map", "key": "int", "value": {
        "type": "list", "element": "string", "element-required": False}, "value-required": False}),
]


class Ids:
    def __init__(self):
        self.last = 0

    def next(self):
        self.last += 1
        return self.last


def with_ids(kind, ids):
    if isinstance(kind, str):
        return kind
    out = dict(kind)
    if kind["type"] == "list":
        out["element-id"] = ids.next()
        out["element"] = with_ids(kind["element"], ids)
    elif kind["type"] == "map":
        out["key-id"], out["value-id"] = ids.next(), ids.next()
        out["key"] = with_ids(kind["key"], ids)
        out["value"] = with_ids(kind["value"], ids)
    else:
        fields = [{"id": ids.next(), "name": n, "required": False, "type": k}
                  for n, k in kind["fields"]]
        for field in fields:
            field["type"] = with_ids(field["type"], ids)
        out["fields"] = fields
    return out


def columns():
    ids = Ids()
    out = [{"id": ids.next(), "name": n, "required": r, "type": k} for n, k, r in COLUMNS]
    out += [{"id": ids.next(), "name": n, "required": False, "type": k} for n, k in NESTED]
    for column in out:
        column["type"] = with_ids(column["type"], ids)
    return out


# ---- values, in the canonical form ----

def stamp(micros, zone=""):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=micros)
    return f"{moment.year:04d}{moment.strftime('-%m-%dT%H:%M:%S')}.{moment.microsecond:06d}{zone}"


def number32(value):
    import canon
    return float(canon.number32(struct.unpack("f", struct.pack("f", value))[0]))


def special(kind):
    """The corners of a type; each stands in a row of its own."""
    return {
        "boolean": [False, True],
        "int": [-2**31, 2**31 - 1, 0],
        "long": [-2**63, 2**63 - 1, 0],
        "float": ["NaN", "Infinity", "-Infinity", -0.0, 0.0, 1e-45, 3.4028235e+38],
        "double": ["NaN", "Infinity", "-Infinity", -0.0, 0.0, 5e-324, 1.7976931348623157e+308],
        "decimal(9, 2)": ["-9999999.99", "9999999.99", "0.00", "-0.01"],
        "decimal(18, 3)": ["-999999999999999.999", "999999999999999.999", "0.000"],
        "decimal(38, 10)": ["-" + "9" * 28 + "." + "9" * 10, "9" * 28 + "." + "9" * 10, "0." + "0" * 10],
        "date": ["0001-01-01", "9999-12-31", "1969-12-31", "1970-01-01"],
        "time": ["00:00:00.000000", "23:59:59.999999"],
        "timestamp": ["0001-01-01T00:00:00.000000", "9999-12-31T23:59:59.999999",
                      "1969-12-31T23:59:59.999999"],
        "timestamptz": ["0001-01-01T00:00:00.000000+00:00", "9999-12-31T23:59:59.999999+00:00",
                        "1969-12-31T23:59:59.999999+00:00"],
        "string": ["", "\u00e9" * 40, "\U0001f427\u6f22\u5b57" * 9, "a\"b\\c\n\t/%20 x", "\ud7ff" * 20,
                   "\U0010ffff" * 20, "z" * 100, "plain"],
        "binary": ["", "00", "ff" * 40, "deadbeef"],
        "fixed[5]": ["0000000000", "ffffffffff"],
        "uuid": ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                 "f79c3e09-677c-4bbd-a479-3f349cb785e7"],
    }[kind]


def some(kind, rng):
    if rng.random() < 0.1:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "list":
            return [some(kind["element"], rng) for _ in range(rng.choice([0, 1, 3]))]
        if kind["type"] == "map":
            key = "string" if kind["key"] == "string" else "int"
            keys = {json.dumps(some_of(key, rng)) for _ in range(rng.choice([0, 1, 3]))}
            pairs = [[json.loads(k), some(kind["value"], rng)] for k in sorted(keys)]
            return sorted(pairs, key=canonical)
        return {n: some(k, rng) for n, k in kind["fields"]}
    if rng.random() < 0.15:
        return rng.choice(special(kind))
    return some_of(kind, rng)


def some_of(kind, rng):
    day = rng.randint(-20000, 40000)
    micros = rng.randint(-10**15, 2 * 10**15)
    return {
        "boolean": lambda: rng.random() < 0.5,
        "int": lambda: rng.randint(-100, 100),
        "long": lambda: rng.randint(-10**12, 10**12),
        "float": lambda: number32(rng.uniform(-1e6, 1e6)),
        "double": lambda: rng.uniform(-1e9, 1e9),
        "decimal(9, 2)": lambda: f"{decimal.Decimal(rng.randint(-10**9 + 1, 10**9 - 1)).scaleb(-2):.2f}",
        "decimal(18, 3)": lambda: f"{decimal.Decimal(rng.randint(-10**15, 10**15)).scaleb(-3):.3f}",
        "decimal(38, 10)": lambda: f"{decimal.Decimal(rng.randint(-10**24, 10**24)).scaleb(-10):.10f}",
        "date": lambda: str(datetime.date(1970, 1, 1) + datetime.timedelta(days=day)),
        "time": lambda: stamp(rng.randint(0, 86399999999))[11:],
        "timestamp": lambda: stamp(micros),
        "timestamptz": lambda: stamp(micros, "+00:00"),
        "string": lambda: "".join(rng.choice("ab\u00e9\u6f22\U0001f427 ") for _ in range(rng.randint(0, 30))),
        "binary": lambda: bytes(rng.randrange(256) for _ in range(rng.randint(0, 30))).hex(),
        "fixed[5]": lambda: bytes(rng.randrange(256) for _ in range(5)).hex(),
        "uuid": lambda: "{0[0]}-{0[1]}-{0[2]}-{0[3]}-{0[4]}".format(
            [f"{rng.getrandbits(n * 4):0{n}x}" for n in (8, 4, 4, 4, 12)]),
    }[kind]()


def make_rows(count):
    rng = random.Random(SEED)
    kinds = [(n, k) for n, k, _ in COLUMNS[1:]] + NESTED
    rows = [dict({"id": 0}, **{n: None for n, _ in kinds})]
    for name, kind in kinds:
        for value in special(kind) if isinstance(kind, str) else []:
            row = {"id": len(rows)}
            row.update({n: value if n == name else None for n, _ in kinds})
            rows.append(row)
    while len(rows) < count:
        row = {"id": len(rows)}
        row.update({n: some(k, rng) for n, k in kinds})
        rows.append(row)
    return rows


def canonical(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def in_lines(rows):
    return sorted(canonical(row) for row in rows)


def as_pyiceberg_reads(lines):
    """PyIceberg 0.12 reads a null list of structs as an empty one, its own tables' too."""
    return sorted(line.replace('"ls":null', '"ls":[]') for line in lines)


# ---- what is tried ----

def cases():
    sources = {
        "identity": [n for n, _, _ in COLUMNS[1:]],
        "bucket[7]": ["i", "l", "d9", "d18", "d38", "dt", "t", "ts", "tz", "s", "bin", "fx", "u"],
        "truncate[3]": ["i", "l", "d9", "d18", "d38", "s", "bin"],
        "year": ["dt", "ts", "tz"], "month": ["dt", "ts", "tz"], "day": ["dt", "ts", "tz"],
        "hour": ["ts", "tz"], "void": ["i"],
    }
    out = [(f"codec_{c}", [], {"write.parquet.compression-codec": c})
           for c in ("zstd", "snappy", "gzip", "lz4", "uncompressed")]
    out += [(f"avro_{c}", [("bucket[3]", "i")], {"write.format.default": "avro",
                                                 "write.avro.compression-codec": c})
            for c in ("gzip", "zstd", "snappy", "uncompressed")]
    out.append(("avro_levels", [("identity", "b")], {
        "write.format.default": "avro", "write.avro.compression-codec": "zstd",
        "write.avro.compression-level": "9", "write.target-file-size-bytes": "5000"}))
    out.append(("small_pages", [], {"write.parquet.page-row-limit": "20",
                                    "write.parquet.row-group-size-bytes": "20000",
                                    "write.parquet.dict-size-bytes": "100"}))
    out.append(("small_files", [], {"write.target-file-size-bytes": "30000"}))
    out.append(("metrics", [], {"write.metadata.metrics.default": "truncate(4)",
                                "write.metadata.metrics.column.i": "none",
                                "write.metadata.metrics.column.l": "counts",
                                "write.metadata.metrics.column.s": "full"}))
    out.append(("version_1", [("bucket[4]", "l")], {"": 1}))
    out.append(("two_fields", [("day", "ts"), ("bucket[4]", "l")], {}))
    for transform, names in sources.items():
        for name in names:
            label = transform.replace("[", "_").replace("]", "")
            out.append((f"{label}_{name}", [(transform, name)], {}))
    return out


class Failure(Exception):
    pass


class Matrix:
    """The tables of one warehouse; `without` are columns that they do not have."""

    def __init__(self, tool, folder, without=()):
        self.tool, self.folder = tool, folder
        self.warehouse = f"file://{folder}/warehouse"
        self.database = os.path.join(folder, "catalog.db")
        self.columns = [c for c in columns() if c["name"] not in without]
        self.rows = [{k: v for k, v in row.items() if k not in without} for row in make_rows(160)]
        self.all_rows, self.rows_file = self.rows, os.path.join(folder, "rows.ndjson")
        self.duck = judge.duck()

    def choose_rows(self, partitions):
        """The floor of the smallest integers is below the type's range: Java's truncate wraps there,
        and no two readers agree on what that means."""
        self.rows = self.all_rows
        for transform, name in partitions:
            if transform.startswith("truncate") and name in ("i", "l"):
                self.rows = [r for r in self.rows if r[name] not in (-2**31, -2**63)]
        with open(self.rows_file, "w", encoding="utf-8") as out:
            for row in self.rows:
                out.write(canonical(row) + "\n")
        self.lines = in_lines(self.rows)

    def run(self, *arguments):
        done = subprocess.run([self.tool, *arguments], capture_output=True, timeout=300)
        if done.returncode != 0:
            raise Failure(f"{' '.join(arguments[:1])}: {done.stderr.decode().strip()[-2000:]}")
        return done.stdout.decode()

    def write(self, name, partitions, properties):
        version = properties.get("", 2)
        spec = {"columns": self.columns, "format-version": version,
                "partitions": [{"transform": t, "column": c} for t, c in partitions],
                "properties": {k: v for k, v in properties.items() if k}}
        path = os.path.join(self.folder, f"{name}.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(spec, out)
        where = [self.database, self.warehouse, NS, name]
        self.run("create", *where, path)
        self.run("append", *where, self.rows_file, "batch=7", "checkpoint=30", "restart=1",
                 "commits=2")
        return os.path.join(self.folder, "warehouse", NS, name)

    def by_pyiceberg(self, name, row_filter=None):
        import canon
        from pyiceberg.catalog.sql import SqlCatalog
        catalog = SqlCatalog("lake", uri=f"sqlite:///{self.database}", warehouse="",
                             init_catalog_tables="false")
        table = catalog.load_table(f"{NS}.{name}")
        scan = table.scan(**({"row_filter": row_filter} if row_filter else {}))
        schema = json.loads(scan.projection().model_dump_json())
        return as_pyiceberg_reads(
            canon.rows(scan.to_arrow(), canon.hint_of(dict(schema, type="struct"))))

    def by_duckdb(self, table, condition=None):
        import canon
        path = judge.newest_metadata(table)
        query = f"SELECT * FROM iceberg_scan('{path}')" + (f" WHERE {condition}" if condition else "")
        hints = {n: "uuid" if n == "u" else None for n, _, _ in COLUMNS}
        return sorted(canon.rows(self.duck.execute(query).to_arrow_table(), hints))

    def by_fastavro(self, table, properties):
        codecs = {"gzip": "deflate", "zstd": "zstandard", "snappy": "snappy", "uncompressed": "null"}
        codec = codecs[properties.get("write.avro.compression-codec", "gzip")]
        return avro_data.rows(judge.newest_metadata(table), codec)

    def by_ourselves(self, name, *options):
        return sorted(self.run("read", self.database, self.warehouse, NS, name,
                               *options).splitlines())

    def same(self, who, got, expected):
        if got != expected:
            lost = [x for x in expected if x not in set(got)][:2]
            extra = [x for x in got if x not in set(expected)][:2]
            raise Failure(f"{who}: {len(got)} rows, expected {len(expected)}; lost {lost}; extra {extra}")


# ---- one filter a column ----

class Filter:
    """A condition on one column: op is "null", "eq" or "ge"; `matching` are the rows it leaves, NaN taken
    as greater than everything."""

    def __init__(self, field, name, kind, op, value, matching):
        self.field, self.name, self.kind = field, name, kind
        self.op, self.value, self.matching = op, value, matching

    def without_nan(self):
        return [r for r in self.matching if r[self.name] != "NaN"]

    def for_ourselves(self):
        return f"where={self.field}:{self.op}" + ("" if self.op == "null" else
                                                  f":{canonical(self.value)}")

    def for_pyiceberg(self):
        if self.op == "null":
            return f"{self.name} is null" if self.name != "id" else None
        if self.name in ("f", "d", "t"):  # NaN compares otherwise there; time has no literal
            return None
        if self.op == "eq":
            return f"{self.name} = '{self.value}'"
        plain = not isinstance(self.value, str) or self.kind.startswith("decimal")
        return f"{self.name} >= {self.value}" if plain else f"{self.name} >= '{self.value}'"

    def for_duckdb(self):
        if self.op == "null":
            return f"{self.name} IS NULL"
        if self.op == "eq":
            return f"{self.name} = '{self.value}'"
        if self.kind in ("float", "double"):  # DuckDB prunes by bounds, which leave NaN out
            return f"{self.name} >= {self.value} AND NOT isnan({self.name})"
        if self.kind == "timestamptz":
            return f"{self.name} >= TIMESTAMPTZ '{self.value}'"
        return f"{self.name} >= {str(self.value) if self.kind.startswith('decimal') else repr(self.value)}"


def is_above(value, pivot, kind):
    if value is None or value == "-Infinity":
        return False
    if value in ("NaN", "Infinity"):
        return True
    if kind.startswith("decimal"):
        return decimal.Decimal(value) >= decimal.Decimal(pivot)
    return value >= pivot


def filters(rows):
    """One for each column of a primitive type that the rows have."""
    for at, (name, kind, _) in enumerate(COLUMNS):
        if name not in rows[0]:
            continue
        if kind in ("boolean", "fixed[5]", "uuid", "binary"):
            yield Filter(at + 1, name, kind, "null", None, [r for r in rows if r[name] is None])
            continue
        # Not a zero: whether -0 >= 0 holds is another question, and answered in two ways.
        values = sorted({r[name] for r in rows if r[name] is not None and r[name] not in
                         ("NaN", "Infinity", "-Infinity") and not (kind in ("float", "double") and r[name] == 0)},
                        key=lambda v: decimal.Decimal(v) if kind.startswith("decimal") else v)
        if kind == "string":  # one that needs no escape in any dialect
            plain = [v for v in values if v and "'" not in v and '"' not in v and "\\" not in v]
            pivot = plain[len(plain) // 2]
            yield Filter(at + 1, name, kind, "eq", pivot, [r for r in rows if r[name] == pivot])
            continue
        pivot = values[len(values) // 2]
        yield Filter(at + 1, name, kind, "ge", pivot, [r for r in rows if is_above(r[name], pivot, kind)])


def check_filters(matrix, name, table, deep):
    for one in filters(matrix.rows):
        expected = in_lines(one.matching)
        got = matrix.by_ourselves(name, one.for_ourselves())
        # Ours only leaves out what cannot match: nothing may be missing.
        missing = [x for x in expected if x not in set(got)]
        if missing or any(x not in set(matrix.lines) for x in got):
            raise Failure(f"we lose rows where {one.for_ourselves()}: {missing[:2]}")
        if not deep:
            continue
        condition = one.for_pyiceberg()
        if condition:
            matrix.same(f"pyiceberg where {condition}", matrix.by_pyiceberg(name, condition),
                        as_pyiceberg_reads(expected))
        condition = one.for_duckdb()
        matrix.same(f"duckdb where {condition}", matrix.by_duckdb(table, condition),
                    in_lines(one.without_nan()))


def check_figures(matrix, name):
    lines = matrix.run("read", matrix.database, matrix.warehouse, NS, name, "figures=1").splitlines()
    figures = dict(line.rsplit(" ", 1) if " unknown" in line or line.split(" ")[0] in ("rows", "count")
                   else line.split(" ", 2)[:2] and (" ".join(line.split(" ")[:2]), line.split(" ", 2)[2])
                   for line in lines)
    if figures["rows *"] != str(len(matrix.rows)):
        raise Failure(f"COUNT(*) from metadata is {figures['rows *']}")
    for column, kind, _ in COLUMNS:
        values = [r[column] for r in matrix.rows if r[column] is not None]
        if figures.get(f"count {column}") not in (str(len(values)), "unknown"):
            raise Failure(f"COUNT({column}) from metadata is {figures[f'count {column}']}")
        if kind in ("int", "long", "date", "timestamp"):
            for word, value in (("min", min(values)), ("max", max(values))):
                if figures[f"{word} {column}"] not in (canonical(value), "unknown"):
                    raise Failure(f"{word} {column}: {figures[f'{word} {column}']} is not {value}")


def excused(reader, message):
    for (who, part), _ in EXCUSED.items():
        if who == reader and part in message:
            return True
    return False


def check(matrix, name, partitions, properties):
    matrix.choose_rows(partitions)
    table = matrix.write(name, partitions, properties)
    matrix.same("we", matrix.by_ourselves(name), matrix.lines)
    for reader, read in (("pyiceberg", lambda: matrix.by_pyiceberg(name)),
                         ("duckdb", lambda: matrix.by_duckdb(table))):
        try:
            got = read()
        except Exception as error:  # noqa: BLE001: whatever a reader throws is its verdict
            if not excused(reader, str(error)):
                raise Failure(f"{reader} refuses: {type(error).__name__}: {str(error)[:500]}") from error
            continue
        matrix.same(reader, got, as_pyiceberg_reads(matrix.lines) if reader == "pyiceberg"
                    else matrix.lines)
    is_avro = properties.get("write.format.default") == "avro"
    if is_avro:
        try:
            matrix.same("fastavro", matrix.by_fastavro(table, properties), matrix.lines)
        except avro_data.Wrong as wrong:
            raise Failure(str(wrong)) from wrong
    check_filters(matrix, name, table, deep=not is_avro and name.startswith(("codec_zstd", "small_pages", "month_ts",
                                                             "bucket_7_s", "two_fields")))
    check_figures(matrix, name)
    report = verify.Checker(judge.newest_metadata(table), maps=[], orphans=True).run()
    found = [f for f in report.findings if f["severity"] in ("ERROR", "WARN")]
    if found:
        raise Failure(f"verify: {found[:3]}")


def check_together(matrix):
    """We and PyIceberg append in turn to one table of one catalog file."""
    import pyarrow
    from pyiceberg.catalog.sql import SqlCatalog
    matrix.choose_rows([])
    spec = {"columns": [{"id": 1, "name": "id", "required": False, "type": "long"},
                        {"id": 2, "name": "s", "required": False, "type": "string"}],
            "format-version": 2, "partitions": [{"transform": "bucket[3]", "column": "id"}],
            "properties": {"commit.manifest.min-count-to-merge": "4"}}
    path = os.path.join(matrix.folder, "together.json")
    rows_path = os.path.join(matrix.folder, "together.ndjson")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(spec, out)
    where = [matrix.database, matrix.warehouse, NS, "together"]
    matrix.run("create", *where, path)
    expected = []
    for turn in range(6):
        rows = [{"id": turn * 100 + i, "s": f"{turn}-{i}"} for i in range(20)]
        expected += in_lines(rows)
        if turn % 2 == 0:
            with open(rows_path, "w", encoding="utf-8") as out:
                out.writelines(canonical(row) + "\n" for row in rows)
            matrix.run("append", *where, rows_path)
        else:
            catalog = SqlCatalog("lake", uri=f"sqlite:///{matrix.database}", warehouse="",
                                 init_catalog_tables="false")
            catalog.load_table(f"{NS}.together").append(pyarrow.Table.from_pylist(
                rows, pyarrow.schema([("id", pyarrow.int64()), ("s", pyarrow.string())])))
    expected.sort()
    table = os.path.join(matrix.folder, "warehouse", NS, "together")
    matrix.same("we", matrix.by_ourselves("together"), expected)
    matrix.same("pyiceberg", matrix.by_pyiceberg("together"), expected)
    matrix.same("duckdb", matrix.by_duckdb(table), expected)
    report = verify.Checker(judge.newest_metadata(table), maps=[], orphans=True).run()
    found = [f for f in report.findings if f["severity"] in ("ERROR", "WARN")]
    if found:
        raise Failure(f"verify: {found[:3]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--keep")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="iceberg-matrix-")
    os.makedirs(folder, exist_ok=True)
    matrix = Matrix(os.path.abspath(options.tool), os.path.abspath(folder))
    passed = failed = 0
    for name, partitions, properties in cases():
        if options.only and not any(name.startswith(o) for o in options.only):
            continue
        try:
            check(matrix, name, partitions, properties)
            passed += 1
        except Failure as failure:
            failed += 1
            print(f"FAIL {name}: {failure}")
    if not options.only or "together" in options.only:
        try:
            check_together(matrix)
            passed += 1
        except Failure as failure:
            failed += 1
            print(f"FAIL together: {failure}")
    if not options.keep:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
