#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Outside judges of Iceberg tables. See README.md beside this file.

  judge.py verify METADATA.json|TABLE_DIR ...      strict check against the table spec
  judge.py pyiceberg --catalog-db FILE ... TABLE   rows as PyIceberg reads them
  judge.py duckdb METADATA.json                    rows as DuckDB reads them
  judge.py spark --catalog ... [--sql ... | -f F]  run Spark SQL, or print a table's rows
  judge.py agree METADATA.json [--expected F]      verify, and compare what all readers read
  judge.py diff A B                                compare two canonical NDJSON files

Exit status: 0 agreed or passed, 1 differences or violations, 2 the judge could not run.
"""

import argparse
import contextlib
import glob
import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def home():
    base = os.environ.get("PEERS_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "frazil-peers")
    return os.path.join(base, "lake")


def own_python(script=os.path.abspath(__file__)):
    """Start again under the installed interpreter when its packages are missing here."""
    python = os.path.join(home(), "py", "bin", "python")
    if sys.prefix != os.path.join(home(), "py") and os.path.exists(python):
        os.execv(python, [python, script, *sys.argv[1:]])


def newest_metadata(path):
    """Metadata file of a table folder: version-hint, else the highest number."""
    if os.path.isfile(path):
        return path
    folder = os.path.join(path, "metadata")
    folder = folder if os.path.isdir(folder) else path
    found = glob.glob(os.path.join(glob.escape(folder), "*metadata.json*"))
    if not found:
        raise SystemExit(f"judge: no metadata file in {path}")

    def rank(name):
        base = os.path.basename(name)
        m = re.match(r"v?(\d+)", base)
        return (int(m.group(1)) if m else -1, base)

    return max(found, key=rank)


def print_rows(lines, out):
    stream = open(out, "w", encoding="utf-8") if out else sys.stdout
    with contextlib.closing(stream) if out else contextlib.nullcontext():
        for line in lines:
            stream.write(line + "\n")


# ---- verify ---------------------------------------------------------------------------------

def cmd_verify(a):
    import verify

    maps = [tuple(m.split("=", 1)) for m in a.map]
    worst = 0
    for target in a.table:
        path = newest_metadata(target)
        checker = verify.Checker(path, maps=maps, data=not a.no_data,
                                 all_snapshots=not a.current, max_rows=a.max_rows,
                                 limit=a.limit, orphans=a.orphans)
        report = checker.run()
        shown = {"ERROR"} | ({"WARN"} if not a.quiet else set()) | (
            {"NOTE"} if a.notes else set())
        if a.json:
            print(json.dumps({"table": target, "counts": report.counts,
                              "checked": report.checked, "findings": report.findings}))
        else:
            for f in report.findings:
                if f["severity"] in shown:
                    print(f"{f['severity']} [{f['section']}] {f['where']}: {f['message']}")
            c, k = report.counts, report.checked
            print(f"{'FAIL' if c['ERROR'] else 'ok'} {target}: {c['ERROR']} errors, "
                  f"{c['WARN']} warnings, {c['NOTE']} notes; checked {k['snapshots']} snapshots, "
                  f"{k['manifests']} manifests, {k['data files']} data files, "
                  f"{k['delete files']} deletes, {k['statistics files']} statistics")
        if report.counts["ERROR"] or (a.strict and report.counts["WARN"]):
            worst = 1
    return worst


# ---- PyIceberg ------------------------------------------------------------------------------

def relocated(metadata_file, maps):
    """StaticTable of a metadata file whose stored locations are mapped to this machine."""
    from pyiceberg.table import StaticTable

    if not maps:
        return StaticTable.from_metadata(metadata_file)
    from pyiceberg.io.pyarrow import PyArrowFileIO

    plain_in, plain_out = PyArrowFileIO.new_input, PyArrowFileIO.new_output

    def mapped(location):
        for old, new in maps:
            if location.startswith(old):
                return new + location[len(old):]
        return location

    PyArrowFileIO.new_input = lambda self, location: plain_in(self, mapped(location))
    PyArrowFileIO.new_output = lambda self, location: plain_out(self, mapped(location))
    plain_parse = PyArrowFileIO.parse_location
    PyArrowFileIO.parse_location = staticmethod(
        lambda location, *rest: plain_parse(mapped(location), *rest))
    return StaticTable.from_metadata(metadata_file)


def cmd_pyiceberg(a):
    import canon
    from pyiceberg.catalog.sql import SqlCatalog

    maps = [tuple(m.split("=", 1)) for m in a.map]
    if a.metadata:
        table = relocated(newest_metadata(a.table), maps)
    else:
        catalog = SqlCatalog(a.catalog, uri=f"sqlite:///{os.path.abspath(a.catalog_db)}",
                             warehouse=a.warehouse or "", init_catalog_tables="false")
        table = catalog.load_table(a.table)
    options = {"case_sensitive": True}
    snapshot = a.snapshot
    if a.ref:
        snapshot = table.metadata.refs[a.ref].snapshot_id
    if snapshot is not None:
        options["snapshot_id"] = snapshot
    if a.filter:
        options["row_filter"] = a.filter
    if a.columns:
        options["selected_fields"] = tuple(a.columns.split(","))
    scan = table.scan(**options)
    if a.count:
        print(scan.count())
        return 0
    arrow = scan.to_arrow()
    schema = json.loads(scan.projection().model_dump_json())
    print_rows(canon.rows(arrow, canon.hint_of(dict(schema, type="struct"))), a.output)
    return 0


# ---- DuckDB ---------------------------------------------------------------------------------

def duck():
    import duckdb

    con = duckdb.connect(config={"allow_unsigned_extensions": "true",
                                 "autoinstall_known_extensions": "false"})
    site = os.path.dirname(os.path.dirname(duckdb.__file__))
    for name in ("avro", "httpfs", "iceberg"):
        hits = glob.glob(f"{site}/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
        con.execute(f"LOAD '{hits[0]}'")
    con.execute("SET TimeZone='UTC'")
    return con


def cmd_duckdb(a):
    import canon

    con = duck()
    if a.rest:
        con.execute(f"ATTACH '{a.warehouse or ''}' AS ice (TYPE iceberg, ENDPOINT '{a.rest}', "
                    "AUTHORIZATION_TYPE none)")
        source = f"ice.{a.table}"
    else:
        path = newest_metadata(a.table)
        extra = f", snapshot_from_id => {a.snapshot}" if a.snapshot is not None else ""
        if a.moved:
            extra += ", allow_moved_paths => true"
            path = os.path.dirname(os.path.dirname(os.path.abspath(path))) if \
                os.path.isdir(a.table) else path
        source = f"iceberg_scan('{path}'{extra})"
    if a.sql:
        query = a.sql.replace("{table}", source)
    else:
        query = f"SELECT {a.columns or '*'} FROM {source}" + (
            f" WHERE {a.filter}" if a.filter else "")
    kinds = [(r[0], r[1]) for r in con.execute(f"DESCRIBE {query}").fetchall()]
    shown, hints = [], {}
    for name, kind in kinds:
        quoted = '"' + name.replace('"', '""') + '"'
        if kind == "VARIANT":
            shown.append(f"CAST({quoted} AS JSON) AS {quoted}")
            hints[name] = "json"
        elif kind.startswith(("GEOMETRY", "GEOGRAPHY")):
            shown.append(f"ST_AsWKB({quoted}) AS {quoted}")
        else:
            shown.append(quoted)
            hints[name] = {"UUID": "uuid", "JSON": "json"}.get(kind)
    result = con.execute(f"SELECT {', '.join(shown)} FROM ({query})")
    arrow = result.to_arrow_table()
    print_rows(canon.rows(arrow, hints), a.output)
    return 0


# ---- Spark ----------------------------------------------------------------------------------

def spark_session(catalogs, extra=(), memory="2g", cores=2):
    """Session with the named catalogs, each NAME=KIND:VALUE[,WAREHOUSE].

    KIND is jdbc (a SQLite file), hadoop (a warehouse folder) or rest (a URI).
    """
    import logging

    os.environ.setdefault("TZ", "UTC")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    logging.getLogger("SQLQueryContextLogger").setLevel(100)
    from pyspark.sql import SparkSession

    jars = sorted(glob.glob(os.path.join(home(), "jars-spark", "*.jar")))
    if not jars:
        raise SystemExit("judge: no Spark jars, run install.sh spark")
    scratch = tempfile.mkdtemp(prefix="lake-spark-")
    conf = {
        "spark.driver.extraClassPath": ":".join(jars),
        "spark.driver.memory": memory,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
        "spark.sql.warehouse.dir": scratch,
        "spark.local.dir": scratch,
        "spark.sql.extensions":
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.geospatial.enabled": "true",
        "spark.sql.timeType.enabled": "true",
    }
    for text in catalogs:
        name, rest = text.split("=", 1)
        kind, value = rest.split(":", 1)
        key = f"spark.sql.catalog.{name}"
        conf[key] = "org.apache.iceberg.spark.SparkCatalog"
        conf[f"{key}.type"] = kind
        conf[f"{key}.cache-enabled"] = "false"
        value, _, warehouse = value.partition(",")
        if kind == "hadoop":
            conf[f"{key}.warehouse"] = value
        elif kind == "jdbc":
            conf[f"{key}.uri"] = f"jdbc:sqlite:{os.path.abspath(value)}"
            conf[f"{key}.jdbc.schema-version"] = "V1"
        else:
            conf[f"{key}.uri"] = value
        if warehouse:
            conf[f"{key}.warehouse"] = warehouse
    for text in extra:
        key, value = text.split("=", 1)
        conf[key] = value
    builder = SparkSession.builder.master(f"local[{cores}]").appName("judge")
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def spark_rows(frame):
    """Canonical lines of a Spark frame."""
    import canon
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    columns, hints = [], {}
    for f in frame.schema.fields:
        col = F.col("`" + f.name.replace("`", "``") + "`")
        kind = type(f.dataType).__name__
        if kind == "VariantType":
            col = F.to_json(col)
            hints[f.name] = "json"
        elif kind in ("GeometryType", "GeographyType"):
            col = F.expr(f"st_asbinary(`{f.name}`)")
        elif isinstance(f.dataType, T.NullType):
            col = F.lit(None).cast("string")
        columns.append(col.alias(f.name))
    return canon.rows(frame.select(*columns).toArrow(), hints)


def statements(text):
    """SQL statements of a script: separated by a semicolon at the end of a line."""
    lines = [x for x in text.splitlines() if not x.lstrip().startswith("--")]
    return [s.strip() for s in re.split(r";[ \t]*(?:\n|$)", "\n".join(lines)) if s.strip()]


def cmd_spark(a):
    with quiet_stderr(not a.verbose), tempfile.TemporaryDirectory() as scratch:
        if a.metadata:
            a.catalog = [*a.catalog, f"m=jdbc:{scratch}/m.db,file:{scratch}"]
        session = spark_session(a.catalog, a.conf, a.memory, a.cores)
        if a.metadata:
            path = os.path.abspath(newest_metadata(a.metadata))
            session.sql("CREATE NAMESPACE m.j")
            session.sql(f"CALL m.system.register_table('j.t', 'file:{path}')")
            a.table = a.table or (None if a.sql or a.file else "m.j.t")
        script = []
        if a.file:
            with open(a.file, encoding="utf-8") as f:
                script += statements(f.read())
        for s in a.sql or []:
            script += statements(s)
        lines = []
        failed = 0
        for s in script:
            try:
                frame = session.sql(s)
                lines = spark_rows(frame) if frame.schema.fields else []
            except Exception as e:
                if not a.keep_going:
                    raise
                failed = 1
                lines = [json.dumps({"error": str(e).split("\n", 1)[0]})]
            if a.all_results:
                print_rows(lines, None)
        if a.table:
            at = a.snapshot if a.snapshot is not None else f"'{a.ref}'" if a.ref else None
            tail = "" if at is None else f" VERSION AS OF {at}"
            frame = session.sql(f"SELECT * FROM {a.table}{tail}")
            if a.filter:
                frame = frame.where(a.filter)
            lines = spark_rows(frame)
        if not a.all_results or a.table:
            print_rows(lines, a.output)
        session.stop()
    return failed


@contextlib.contextmanager
def quiet_stderr(on):
    """Send what the JVM writes to stderr to a file, shown only when something fails."""
    if not on:
        yield
        return
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            yield
        except Exception:
            sys.stderr.flush()
            os.dup2(saved, 2)
            log.seek(0)
            os.write(2, log.read()[-4000:])
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)


# ---- agree ---------------------------------------------------------------------------------

def cmd_agree(a):
    """verify, then every reader's rows against the expected ones (or the first reader's)."""
    import subprocess

    path = newest_metadata(a.table)
    me = [sys.executable, os.path.abspath(__file__)]
    at = ["--snapshot", str(a.snapshot)] if a.snapshot is not None else []
    calls = {"pyiceberg": [*me, "pyiceberg", "--metadata", path, *at],
             "duckdb": [*me, "duckdb", path, *at]}
    if a.spark:
        calls["spark"] = [*me, "spark", "--metadata", path]
        if at:
            calls["spark"] += ["--sql", f"SELECT * FROM m.j.t VERSION AS OF {a.snapshot}"]
    worst = subprocess.run([*me, "verify", path, "--quiet"], check=False).returncode
    with tempfile.TemporaryDirectory() as scratch:
        base, name = a.expected, "expected"
        for reader, call in calls.items():
            out = os.path.join(scratch, reader)
            done = subprocess.run([*call, "-o", out], capture_output=True, text=True, check=False)
            if done.returncode:
                lines = [x for x in done.stderr.splitlines() if x.strip()] or ["?"]
                why = f"crashed, signal {-done.returncode}" if done.returncode < 0 else \
                    lines[-1].strip()[:200]
                print(f"{reader}: refused: {why}")
                worst = max(worst, 1 if a.all_must_read else 0)
                continue
            if base is None:
                base, name = out, reader
                print(f"{reader}: read")
                continue
            diff = subprocess.run([*me, "diff", base, out, "--limit", "3"], capture_output=True,
                                  text=True, check=False)
            print(f"{reader} against {name}: {diff.stdout.strip()}")
            worst = max(worst, diff.returncode)
    return worst


# ---- diff -----------------------------------------------------------------------------------

def cmd_diff(a):
    import collections

    def load(path):
        with open(path, encoding="utf-8") as f:
            return collections.Counter(line.rstrip("\n") for line in f if line.strip())

    left, right = load(a.a), load(a.b)
    if a.by_value:
        def norm(counter):
            return collections.Counter(
                {json.dumps(json.loads(k), sort_keys=True): v for k, v in counter.items()})
        left, right = norm(left), norm(right)
    only_left, only_right = left - right, right - left
    for sign, part in (("-", only_left), ("+", only_right)):
        for line in sorted(part)[: a.limit]:
            print(f"{sign}{part[line]}x {line}")
    same = not only_left and not only_right
    print(f"{'equal' if same else 'DIFFERENT'}: {sum(left.values())} and {sum(right.values())} "
          f"rows, {sum(only_left.values())} only in A, {sum(only_right.values())} only in B")
    return 0 if same else 1


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="command", required=True)

    v = sub.add_parser("verify", help="check tables against the spec")
    v.add_argument("table", nargs="+", help="metadata file or table folder")
    v.add_argument("--map", action="append", default=[], metavar="FROM=TO",
                   help="replace a stored location prefix (may be given more than once)")
    v.add_argument("--no-data", action="store_true", help="do not read column values")
    v.add_argument("--current", action="store_true", help="only the current snapshot")
    v.add_argument("--orphans", action="store_true", help="warn of files that nothing names")
    v.add_argument("--max-rows", type=int, default=5_000_000, help="largest file to read whole")
    v.add_argument("--limit", type=int, default=5, help="findings shown of one shape")
    v.add_argument("--strict", action="store_true", help="warnings fail, too")
    v.add_argument("--quiet", action="store_true", help="errors only")
    v.add_argument("--notes", action="store_true", help="show notes")
    v.add_argument("--json", action="store_true", help="one JSON object a table")
    v.set_defaults(call=cmd_verify)

    def reading(x):
        x.add_argument("--snapshot", type=int)
        x.add_argument("--filter", help="row filter in the engine's own syntax")
        x.add_argument("--columns", help="column names, separated by commas")
        x.add_argument("--format", choices=["ndjson"], default="ndjson")
        x.add_argument("-o", "--output", help="file to write to")

    y = sub.add_parser("pyiceberg", help="rows as PyIceberg reads them")
    y.add_argument("table", help="namespace.name, or a metadata file with --metadata")
    y.add_argument("--catalog-db", help="SQLite file of a JDBC catalog")
    y.add_argument("--catalog", default="frazil", help="catalog_name in that file")
    y.add_argument("--warehouse")
    y.add_argument("--metadata", action="store_true", help="TABLE is a metadata file or folder")
    y.add_argument("--map", action="append", default=[], metavar="FROM=TO")
    y.add_argument("--ref", help="branch or tag")
    y.add_argument("--count", action="store_true")
    reading(y)
    y.set_defaults(call=cmd_pyiceberg)

    d = sub.add_parser("duckdb", help="rows as DuckDB reads them")
    d.add_argument("table", help="metadata file, or namespace.name with --rest")
    d.add_argument("--rest", help="REST catalog URI")
    d.add_argument("--warehouse")
    d.add_argument("--moved", action="store_true", help="allow_moved_paths")
    d.add_argument("--sql", help="query in which {table} stands for the table")
    reading(d)
    d.set_defaults(call=cmd_duckdb)

    s = sub.add_parser("spark", help="run Spark SQL, print the last result's rows")
    s.add_argument("table", nargs="?", help="catalog.namespace.name to print after the script")
    s.add_argument("--metadata", metavar="FILE", help="register a metadata file as m.j.t")
    s.add_argument("--catalog", action="append", default=[], metavar="NAME=KIND:VALUE[,WAREHOUSE]",
                   help="jdbc:FILE,WAREHOUSE  hadoop:WAREHOUSE  rest:URI[,WAREHOUSE]")
    s.add_argument("--sql", action="append")
    s.add_argument("-f", "--file", help="script, statements end in ; at a line's end")
    s.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE")
    s.add_argument("--ref", help="branch or tag")
    s.add_argument("--memory", default="2g")
    s.add_argument("--cores", type=int, default=2)
    s.add_argument("--all-results", action="store_true", help="print every statement's rows")
    s.add_argument("--keep-going", action="store_true", help="print errors as rows and go on")
    s.add_argument("--verbose", action="store_true")
    reading(s)
    s.set_defaults(call=cmd_spark)

    g = sub.add_parser("agree", help="verify, and compare what all readers read")
    g.add_argument("table", help="metadata file or table folder, at the place it was written")
    g.add_argument("--expected", help="NDJSON of the rows it should hold")
    g.add_argument("--snapshot", type=int)
    g.add_argument("--spark", action="store_true", help="Spark, too (15 s more)")
    g.add_argument("--all-must-read", action="store_true", help="a reader that refuses fails")
    g.set_defaults(call=cmd_agree)

    f = sub.add_parser("diff", help="compare two NDJSON files as multisets of rows")
    f.add_argument("a")
    f.add_argument("b")
    f.add_argument("--limit", type=int, default=20)
    f.add_argument("--by-value", action="store_true", help="ignore the order of keys")
    f.set_defaults(call=cmd_diff)

    a = p.parse_args()
    if a.command != "diff":
        own_python()
    return a.call(a)


if __name__ == "__main__":
    sys.exit(main())
