#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of iceberg_matrix.py, read by Spark and by Flink through the catalog file.

  iceberg_engines.py TOOL [--engines spark,flink] [--only NAME] [--keep DIR]

Each table is read whole and once more under one filter a column; every answer must be the generator's own
rows. What an engine cannot do stands in the lists below, and each entry is tried: one that the engine can do
by now is a failure, so that the lists only shrink. Afterwards `verify --strict --orphans` finds nothing.

The last line is "N passed, N failed".
"""
import argparse
import base64
import contextlib
import decimal
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLINK = os.path.join(ROOT, "tests", "peers", "flink")
sys.path[:0] = [os.path.join(ROOT, "tests", "peers", "lake"), FLINK]
import judge  # noqa: E402

if __name__ == "__main__":
    judge.own_python(os.path.abspath(__file__))
import canon  # noqa: E402
import flinksql  # noqa: E402
import iceberg_matrix as matrix_of  # noqa: E402
import verify  # noqa: E402
from iceberg_matrix import (COLUMNS, NESTED, NS, Failure, Matrix, canonical, filters,  # noqa: E402
                            in_lines)

# Columns that an engine cannot read: (engine, column) -> why. The tables of the matrix come without those of
# either engine; a table with the column is tried as well.
UNREADABLE = {
    ("spark", "t"): "its Iceberg library has no type for time",
    ("flink", "t"): "TIME is read as TIME(0): fractions of a second are lost",
}
# Conditions that an engine fails on: (engine, column) -> why.
UNFILTERABLE = {
    ("flink", "li"): "its Iceberg library casts the array to a java.util.List",
    ("flink", "m"): "its Iceberg library casts the map to a java.util.Map",
    ("flink", "ls"): "its Iceberg library casts the array to a java.util.List",
    ("flink", "ml"): "its Iceberg library casts the map to a java.util.Map",
}
# Tables that an engine refuses: (engine, table) -> why.
REFUSED = {
    ("spark", "identity_fx"): "Iceberg's Java reader mistakes a partition field of type fixed, PyIceberg's too",
    ("flink", "identity_fx"): "Iceberg's Java reader mistakes a partition field of type fixed, PyIceberg's too",
    ("flink", "identity_f"): "it cannot parse a partition value that is no number",
    ("flink", "identity_d"): "it cannot parse a partition value that is no number",
    ("flink", "void_i"): "it takes a specification of void fields alone for unpartitioned",
}

KINDS = dict([(n, k) for n, k, _ in COLUMNS] + NESTED)


def condition_of(one, engine):
    name, kind, value = one.name, one.kind, one.value
    if one.op == "null":
        return f"{name} IS NULL"
    if one.op == "eq":
        return f"{name} = '{value}'"
    if kind in ("float", "double"):
        return f"{name} >= CAST({value!r} AS {kind}){engine.without_nan(name)}"
    if kind == "date":
        value = f"DATE '{value}'"
    if kind.startswith("decimal"):
        value = f"CAST('{value}' AS {kind})"
    if kind in engine.TYPES:
        value = f"CAST('{value.replace('T', ' ').replace('+00:00', '')}' AS {engine.TYPES[kind]})"
    return f"{name} >= {value}"


class Spark:
    name = "spark"
    TYPES = {"timestamp": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP"}

    def __init__(self, matrix, stack):
        stack.enter_context(judge.quiet_stderr(True))
        self.session = judge.spark_session([f"lake=jdbc:{matrix.database},{matrix.warehouse}"])
        stack.callback(self.session.stop)

    def without_nan(self, name):
        return f" AND NOT isnan({name})"  # which is greater than everything in Spark

    def answer(self, names, parts):
        """{label: lines} of the rows under each condition, in one statement."""
        sql = " UNION ALL ".join(
            f"SELECT '{label}' AS label, {', '.join(names)} FROM lake.{NS}.{table}" +
            (f" WHERE {condition}" if condition else "")
            for label, table, condition in parts)
        out = {label: [] for label, _, _ in parts}
        for line in judge.spark_rows(self.session.sql(sql)):
            row = json.loads(line)
            out[row.pop("label")].append(canonical(row))
        return out


class Flink:
    name = "flink"
    TYPES = {"timestamp": "TIMESTAMP(6)", "timestamptz": "TIMESTAMP_LTZ(6)"}

    def __init__(self, matrix, stack):
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="flink-"))
        subprocess.run([os.path.join(FLINK, "start.sh"), folder], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, FLINK_CHECKPOINT_MS="0"))
        stack.callback(subprocess.run, [os.path.join(FLINK, "stop.sh"), folder], check=False)
        self.session = stack.enter_context(flinksql.Session(
            flinksql.Cluster(folder),
            {"execution.runtime-mode": "batch", "table.local-time-zone": "UTC"}))
        self.session.execute(
            "CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-impl' = "
            f"'org.apache.iceberg.jdbc.JdbcCatalog', 'uri' = 'jdbc:sqlite:{matrix.database}', "
            f"'jdbc.schema-version' = 'V1', 'warehouse' = '{matrix.warehouse}')")

    def without_nan(self, name):
        return ""  # no comparison with NaN holds

    def answer(self, names, parts):
        # The gateway's JSON has no maps whose keys are no strings.
        shown = ", ".join(f"MAP_ENTRIES({n}) AS {n}" if is_map(KINDS[n]) else n for n in names)
        sql = " UNION ALL ".join(
            f"SELECT '{label}' AS label, {shown} FROM lake.`{NS}`.{table}" +
            (f" WHERE {condition}" if condition else "")
            for label, table, condition in parts)
        out = {label: [] for label, _, _ in parts}
        for _, (label, *values) in self.session.execute(sql).rows:
            out[label.rstrip()].append(canonical(
                {n: from_flink(v, KINDS[n]) for n, v in zip(names, values)}))
        return out


def is_map(kind):
    return isinstance(kind, dict) and kind["type"] == "map"


def from_flink(value, kind):
    """A value of the gateway's JSON in the canonical form."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "list":
            return [from_flink(v, kind["element"]) for v in value]
        if kind["type"] == "map":
            pairs = [[from_flink(e["key"], kind["key"]), from_flink(e["value"], kind["value"])]
                     for e in value]
            return sorted(pairs, key=canonical)
        return {n: from_flink(value[n], k) for n, k in kind["fields"]}
    if kind in ("float", "double"):
        if isinstance(value, str):
            return value
        if kind == "double":
            return float(value)
        return float(canon.number32(struct.unpack("f", struct.pack("f", float(value)))[0]))
    if kind.startswith("decimal"):
        scale = int(kind.split(",")[1].rstrip(")"))
        with decimal.localcontext() as context:
            context.prec = 60
            return format(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-scale)), "f")
    if kind in ("time", "timestamp", "timestamptz"):
        head, _, fraction = value.rstrip("Z").partition(".")
        return f"{head}.{fraction.ljust(6, '0')}" + ("+00:00" if kind == "timestamptz" else "")
    if kind in ("binary", "fixed[5]"):
        return base64.b64decode(value).hex()
    if kind == "uuid":
        return str(uuid.UUID(bytes=base64.b64decode(value)))
    return value


def parts_of(engine, table, rows):
    """The reads of one table, (label, table, condition), and the rows of each."""
    parts, expected = [("all", table, None)], {"all": in_lines(rows)}
    for one in filters(rows):
        parts.append((one.name, table, condition_of(one, engine)))
        expected[one.name] = in_lines(one.without_nan())
    for name, _ in NESTED:
        if (engine.name, name) not in UNFILTERABLE:
            parts.append((name, table, f"{name} IS NULL"))
            expected[name] = in_lines(r for r in rows if r[name] is None)
    return parts, expected


def check(engine, matrix, table):
    names = [c["name"] for c in matrix.columns]
    parts, expected = parts_of(engine, table, matrix.rows)
    if (engine.name, table) in REFUSED:
        try:
            got = engine.answer(names, parts[:1])
        except Exception:  # noqa: BLE001: whatever it throws, it refuses
            return
        if sorted(got["all"]) == expected["all"]:
            raise Failure(f"{engine.name} reads it by now: take it off REFUSED")
        return
    try:
        got = engine.answer(names, parts)
    except Exception as error:  # noqa: BLE001: whatever a reader throws is its verdict
        raise Failure(f"{engine.name} refuses: {type(error).__name__}: {str(error)[:700]}") from error
    for label, _, condition in parts:
        matrix.same(f"{engine.name} where {condition}", sorted(got[label]), expected[label])


def check_excuses(engine, matrix):
    """Each entry of UNREADABLE and UNFILTERABLE is needed; yields what is not."""
    rows = matrix.rows
    for (who, name), why in [*UNREADABLE.items(), *UNFILTERABLE.items()]:
        if who != engine.name:
            continue
        unread = (who, name) in UNREADABLE
        expected = in_lines({k: r[k] for k in ("id", name)} for r in rows if unread or r[name] is None)
        with contextlib.suppress(Exception):  # what is excused may fail in any way
            condition = None if unread else f"{name} IS NULL"
            got = engine.answer(["id", name], [("all", "every_column", condition)])
            if sorted(got["all"]) == expected:
                yield f"{who} can do {name} by now ({why}): take it off the list"


def check_valid(table):
    report = verify.Checker(judge.newest_metadata(table), maps=[], orphans=True).run()
    found = [f for f in report.findings if f["severity"] in ("ERROR", "WARN")]
    if found:
        raise Failure(f"verify: {found[:3]}")


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def add(self, what, problem=None):
        self.passed += problem is None
        self.failed += problem is not None
        if problem is not None:
            print(f"FAIL {what}: {problem}", flush=True)

    def attempt(self, what, step, *arguments):
        try:
            step(*arguments)
            self.add(what)
        except Failure as failure:
            self.add(what, failure)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--engines", default="spark,flink")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--keep")
    options = parser.parse_args()
    folder = os.path.abspath(options.keep or tempfile.mkdtemp(prefix="iceberg-engines-"))
    os.makedirs(folder, exist_ok=True)
    tool, tally = os.path.abspath(options.tool), Tally()
    left_out = {name for _, name in UNREADABLE}
    matrix, whole = Matrix(tool, folder, left_out), Matrix(tool, folder)
    whole.choose_rows([])
    whole.write("every_column", [], {})
    tables = [(name, partitions, properties) for name, partitions, properties in matrix_of.cases()
              if not any(column in left_out for _, column in partitions)
              and (not options.only or any(name.startswith(o) for o in options.only))]
    for name, partitions, properties in tables:
        matrix.choose_rows(partitions)
        matrix.write(name, partitions, properties)
    for kind in (k for k in (Spark, Flink) if k.name in options.engines.split(",")):
        with contextlib.ExitStack() as stack:
            engine = kind(matrix, stack)
            for name, partitions, _ in tables:
                matrix.choose_rows(partitions)
                tally.attempt(f"{engine.name} {name}", check, engine, matrix, name)
            problems = list(check_excuses(engine, whole))
            tally.add(f"{engine.name} excuses", "; ".join(problems) or None)
    for name, _, _ in tables:
        tally.attempt(f"verify {name}", check_valid, os.path.join(folder, "warehouse", NS, name))
    if not options.keep:
        shutil.rmtree(folder)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
