# SPDX-License-Identifier: Apache-2.0
"""CSV, JSON and Avro, both ways, in the dialects that others write: DuckDB, pyarrow, Python's csv and json,
fastavro. Read here whole and under one condition after another; written here and read by all of them."""
import csv
import datetime
import itertools
import json
import os

import duckdb
import fastavro
import pyarrow as pa
import pyarrow.csv
import pyarrow.json

import columns as cols
import frazil
import judge
from parquet_read import Rows, difference

NULL = "\\N"
CORNERS = ["a", "it's \"quoted\"", '"', '""', "a,b;c|d\te", "line\nbreak", "cr\r\nlf", " blanks ", "\u00e4\u4e2d\U0001f600",
           "\uffff\U0010ffff", "null", "NULL", "0012", "1e5", "true", "2020-01-01", "#no comment", "back\\slash", "%_", "'"]
SQL = {"rid": "BIGINT", "i32": "INT", "i64": "BIGINT", "bool": "BOOLEAN", "f64": "DOUBLE", "d18_4": "DECIMAL(18, 4)",
       "date": "DATE", "ts": "TIMESTAMP(3)", "text": "STRING", "few": "STRING"}


def make_rows(count):
    """Columns whose values every text format can say, and a text of all that needs quotes."""
    wanted = {c.name: c for c in cols.all_columns(count) if c.name in SQL}
    day = cols.flat("date", pa.date32(), cols.spread(count, lambda i: i * 3 - 4000, [-719162, 2932896, 0, -1]), cols.day_sql)
    stamps = cols.spread(count, lambda i: i * 86400123 - 500000000000, [0, -1, -62135596800000, 253402300799999])
    number = cols.spread(count, lambda i: i / 8, [0.0, -1.5, 5e-324, 1.7976931348623157e308, 0.1, 1e16, 123456789.125])
    wanted["date"] = day
    wanted["f64"] = cols.flat("f64", pa.float64(), number, cols.number_sql("DOUBLE"))
    wanted["ts"] = cols.Column("ts", pa.array(stamps, pa.int64()).cast(pa.timestamp("ms")), stamps,
                               cols.stamp_sql("TIMESTAMP", 1000, 3))
    wanted["text"] = cols.flat("text", pa.string(), cols.spread(count, lambda i: f"row {i:06d} \u00e9", CORNERS),
                               cols.quoted_or_none, str.encode, b"row 000001", True)
    few = [None if v is None else v or "none" for v in wanted["few"].array.to_pylist()]
    wanted["few"] = cols.flat("few", pa.string(), few, cols.quoted_or_none, str.encode, b"nobody", True)
    return Rows([wanted[n] for n in SQL])


def ddl(path, kind, options):
    fields = ", ".join(f"`{n}` {t}" for n, t in SQL.items())
    more = "".join(f", '{k}' = {cols.quoted(v)}" for k, v in options.items())
    return f"CREATE TEMPORARY TABLE t ({fields}) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{kind}'{more})"


def read(report, label, path, kind, options, rows, chosen):
    few = lambda c: len(c.rows) * 4 < rows.count
    statements = [ddl(path, kind, options), "SELECT * FROM t"]
    statements += [f"SELECT {'*' if few(c) else 'rid'} FROM t WHERE {c.sql}" for c in chosen]
    try:
        _, whole, *results = frazil.run(statements)
    except frazil.Refused as refused:
        return report(label, str(refused))
    report(label, difference(whole, rows.lines))
    for one, got in zip(chosen, results):
        expected = [rows.lines[i] if few(one) else f'{{"rid":{i}}}' for i in one.rows]
        report(f"{label} WHERE {one.sql[:150]}", difference(got, expected))
    return None


# ---- values as Python writes them ----

def shown(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return f"{value.year:04d}" + value.strftime("-%m-%d %H:%M:%S.") + f"{value.microsecond // 1000:03d}"
    if isinstance(value, datetime.date):
        return f"{value.year:04d}" + value.strftime("-%m-%d")
    return repr(value) if isinstance(value, float) else str(value)


def python_values(rows):
    return [list(r) for r in zip(*(c.to_pylist() for c in rows.table.columns))]


# ---- CSV ----

def csv_dialects():
    for delimiter, end, quoting, header in itertools.product(",;|\t", ("\n", "\r\n"), (csv.QUOTE_MINIMAL, csv.QUOTE_ALL),
                                                             (True, False)):
        yield {"delimiter": delimiter, "lineterminator": end, "quoting": quoting}, header
    yield {"delimiter": ",", "lineterminator": "\n", "quoting": csv.QUOTE_MINIMAL, "quotechar": "'"}, True
    yield {"delimiter": ",", "lineterminator": "\n", "quoting": csv.QUOTE_ALL, "doublequote": False, "escapechar": "\\"}, True
    yield {"delimiter": ";", "lineterminator": "\n", "quoting": csv.QUOTE_MINIMAL, "doublequote": False, "escapechar": "!"}, False


def csv_options(dialect, header):
    options = {"csv.header": str(header).lower(), "csv.field-delimiter": dialect["delimiter"], "csv.null-literal": NULL}
    if "quotechar" in dialect:
        options["csv.quote-character"] = dialect["quotechar"]
    if "escapechar" in dialect:
        options["csv.escape-character"] = dialect["escapechar"]
    return options


def run_csv_read(report, folder, rows, full):
    path = os.path.join(folder, "x.csv")
    values = python_values(rows)
    for n, (dialect, header) in enumerate(csv_dialects()):
        if not full and n % 7 != 3 and n < 32:
            continue
        options = csv_options(dialect, header)
        if "escapechar" in dialect:
            write_escaped(path, rows, dialect, header)
            options["csv.null-literal"] = "<none>"
        else:
            with open(path, "w", newline="", encoding="utf-8") as out:
                writer = csv.writer(out, **dialect)
                writer.writerows([list(SQL)] if header else [])
                writer.writerows([NULL if v is None else shown(v) for v in row] for row in values)
        read(report, f"csv of Python {dialect} header {header}", path, "csv", options, rows, rows.conditions[n % 19::19])
    duck = duckdb.connect()
    duck.register("t", rows.table)
    for n, (tail, options) in enumerate((
            ("HEADER", {"csv.header": "true"}), ("DELIMITER '|', HEADER false", {"csv.field-delimiter": "|"}),
            ("QUOTE '''', ESCAPE '''', HEADER", {"csv.header": "true", "csv.quote-character": "'"}),
            ("FORCE_QUOTE *, HEADER", {"csv.header": "true"}), ("COMPRESSION gzip, HEADER", {"csv.header": "true"}))):
        target = path + (".gz" if "gzip" in tail else "")
        duck.execute(f"COPY t TO '{target}' (FORMAT csv, NULLSTR '{NULL}', {tail})")
        read(report, f"csv of DuckDB {tail}", target, "csv", {"csv.null-literal": NULL, **options}, rows,
             rows.conditions[n % 23::23])
    for quoting in ("needed", "all_valid"):
        known = rows.table.drop_columns(["bool"])  # it writes what it pleases for a null: nothing
        pyarrow.csv.write_csv(known, path, pyarrow.csv.WriteOptions(quoting_style=quoting))
        text = frazil.run([f"SELECT rid, i64, text FROM '{path}' /*+ OPTIONS('csv.null-literal' = '') */"])[0]
        expected = [f'{{"rid":{r},"i64":{i},"text":{t}}}' for r, i, t in zip(*(
            rows.texts[rows.table.column_names.index(n)] for n in ("rid", "i64", "text")))]
        report(f"csv of pyarrow, quotes {quoting}", difference(text, expected))


def write_escaped(path, rows, dialect, header):
    """By hand: each special character behind the escape character, all texts in quotes."""
    escape, delimiter = dialect["escapechar"], dialect["delimiter"]
    with open(path, "w", newline="", encoding="utf-8") as out:
        if header:
            out.write(delimiter.join(SQL) + "\n")
        for row in python_values(rows):
            fields = []
            for value in row:
                if isinstance(value, str):
                    value = value.replace(escape, escape * 2).replace('"', escape + '"')
                    fields.append(f'"{value}"')
                else:
                    fields.append("<none>" if value is None else shown(value))
            out.write(delimiter.join(fields) + "\n")


def insert(path, options, source):
    if os.path.exists(path):
        os.remove(path)
    more = ", ".join(f"'{k}' = {cols.quoted(v)}" for k, v in options.items())
    hint = f" /*+ OPTIONS({more}) */" if more else ""
    frazil.run([f"INSERT INTO '{path}'{hint} SELECT * FROM '{source}'"])


def run_csv_written(report, folder, rows, source):
    path = os.path.join(folder, "ours.csv")
    duck = duckdb.connect()
    types = {n: t.replace("STRING", "VARCHAR").replace("TIMESTAMP(3)", "TIMESTAMP_MS") for n, t in SQL.items()}
    for options in ({}, {"csv.field-delimiter": ";"}, {"csv.quote-character": "'"}, {"csv.header": "false"},
                    {"csv.field-delimiter": "\t", "csv.header": "false"}):
        options = {"csv.null-literal": NULL, **options}
        try:
            insert(path, options, source)
        except frazil.Refused as refused:
            report(f"csv written {options}", str(refused))
            continue
        quote, delimiter = options.get("csv.quote-character", '"'), options.get("csv.field-delimiter", ",")
        header = options.get("csv.header", "true") == "true"
        with open(path, newline="", encoding="utf-8") as lines:
            found = list(csv.reader(lines, delimiter=delimiter, quotechar=quote))
        expected = [[NULL if v is None else v for v in r] for r in python_values(rows)]
        texts = [[r[0], r[8], r[9]] for r in found[header:]]
        wanted = [[str(r[0]), r[8], r[9]] for r in expected]
        report(f"csv written {options}, read by Python", difference([json.dumps(t) for t in texts], [json.dumps(t) for t in wanted]))
        table = duck.execute("SELECT * FROM read_csv(?, delim = ?, quote = ?, escape = ?, header = ?, nullstr = ?, "
                             "auto_detect = false, columns = " + repr(types) + ")",
                             [path, delimiter, quote, quote, header, NULL]).to_arrow_table()
        for name, column, lines in zip(SQL, table.columns, rows.texts):
            report(f"csv written {options}, read by DuckDB, {name}", difference(cols.lines_of(column), lines))
        read(report, f"csv written {options}, read by ourselves", path, "csv", {"csv.header": str(header).lower(), **options}, rows, [])


# ---- JSON ----

def run_json(report, folder, rows, source, full):
    path = os.path.join(folder, "x.json")
    values = [dict(zip(SQL, (v if v is None or isinstance(v, (bool, int, float, str)) else
                             float(v) if n == "d18_4" else shown(v) for n, v in zip(SQL, r)))) for r in python_values(rows)]
    exact = Rows([c for c in rows.columns if c.name != "d18_4"])
    chosen = rows.conditions[::5 if full else 41]
    for ascii_only, separators in ((True, (",", ":")), (False, (" , ", " : "))):
        with open(path, "w", encoding="utf-8") as out:
            for value, texts in zip(values, zip(*rows.texts)):
                line = json.dumps({**value, "d18_4": None}, ensure_ascii=ascii_only, separators=separators)
                number = texts[5].strip('"')
                out.write(line.replace('"d18_4"' + separators[1] + "null", f'"d18_4"{separators[1]}{number}') + "\n")
        read(report, f"json of Python, ascii {ascii_only}", path, "json", {}, rows, chosen)
    duck = duckdb.connect()
    duck.register("t", exact.table)
    for array in ("false", "true"):
        duck.execute(f"COPY t TO '{path}' (FORMAT json, ARRAY {array})")
        got = frazil.run([f"SELECT rid, i32, i64, bool, f64, CAST(`date` AS DATE) AS `date`, text, few FROM '{path}'"])[0]
        names = ("rid", "i32", "i64", "bool", "f64", "date", "text", "few")
        columns = [rows.texts[list(SQL).index(n)] for n in names]
        expected = ["{" + ",".join(f'"{n}":{c[i]}' for n, c in zip(names, columns)) + "}" for i in range(rows.count)]
        report(f"json of DuckDB, array {array}", difference(got, expected))
    ours = os.path.join(folder, "ours.ndjson")
    insert(ours, {}, source)
    with open(ours, encoding="utf-8") as lines:
        back = [json.loads(line, parse_float=str) for line in lines]
    for name, texts in zip(SQL, rows.texts):
        if name in ("rid", "i32", "i64", "bool", "text", "few"):
            report(f"json written, read by Python, {name}", difference([json.dumps(r.get(name), ensure_ascii=False) for r in back], texts))
        if name == "f64":
            got = [None if r.get(name) is None else float(r[name]) for r in back]
            report("json written, read by Python, f64", "" if got == rows.table.column(name).to_pylist() else "other numbers")
    table = duck.execute(f"SELECT rid, i32::BIGINT AS i32, i64::BIGINT AS i64, bool, text FROM read_json('{ours}')").to_arrow_table()
    for column, name in zip(table.columns, table.column_names):
        report(f"json written, read by DuckDB, {name}", difference(cols.lines_of(column), rows.texts[list(SQL).index(name)]))
    table = pyarrow.json.read_json(ours)
    for name in ("rid", "i64", "bool", "text"):
        report(f"json written, read by pyarrow, {name}", difference(cols.lines_of(table.column(name)), rows.texts[list(SQL).index(name)]))
    read(report, "json written, read by ourselves", ours, "json", {}, rows, chosen)


# ---- Avro ----

AVRO = [("rid", "long"), ("i32", ["null", "int"]), ("i64", ["null", "long"]), ("bool", ["null", "boolean"]), ("f64", ["null", "double"]),
        ("d18_4", ["null", {"type": "bytes", "logicalType": "decimal", "precision": 18, "scale": 4}]),
        ("date", ["null", {"type": "int", "logicalType": "date"}]),
        ("ts", ["null", {"type": "long", "logicalType": "local-timestamp-millis"}]), ("text", ["null", "string"]), ("few", ["string", "null"])]


def run_avro(report, folder, rows, source, full):
    path, ours = os.path.join(folder, "x.avro"), os.path.join(folder, "ours.avro")
    schema = {"type": "record", "name": "r", "fields": [{"name": n, "type": t} for n, t in AVRO]}
    values = [dict(zip(SQL, r)) for r in python_values(rows)]
    for n, codec in enumerate(("null", "deflate", "snappy", "zstandard", "bzip2", "xz")):
        if not full and n % 3 != 1:
            continue
        with open(path, "wb") as out:
            fastavro.writer(out, schema, values, codec=codec, sync_interval=3000)
        few = lambda c: len(c.rows) * 4 < rows.count
        chosen = rows.conditions[n % 7::7]
        try:
            whole, *results = frazil.run([frazil.rows_of(path)] + [frazil.rows_of(path, "*" if few(c) else "rid", c.sql) for c in chosen])
        except frazil.Refused as refused:
            report(f"avro {codec}", str(refused))
            continue
        report(f"avro {codec}", difference(whole, rows.lines))
        for one, got in zip(chosen, results):
            report(f"avro {codec} WHERE {one.sql[:150]}",
                   difference(got, [rows.lines[i] if few(one) else f'{{"rid":{i}}}' for i in one.rows]))
        insert(ours, {"avro.codec": codec}, source)
        with open(ours, "rb") as lines:
            back = list(fastavro.reader(lines))
        for name in SQL:
            wanted = rows.table.column(name).to_pylist()
            got = [r[name] for r in back]
            if name == "ts":  # fastavro gives local timestamps without a zone
                got = [v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in got]
            report(f"avro {codec} written, read by fastavro, {name}", "" if got == wanted else
                   next(f"{a!r}, expected {b!r}" for a, b in zip(got, wanted) if a != b))
        if codec in ("null", "deflate", "snappy"):
            table = judge.duck().execute(f"SELECT rid, i32, i64, bool, f64, text, few FROM read_avro('{ours}')").to_arrow_table()
            for name, column in zip(table.column_names, table.columns):
                report(f"avro {codec} written, read by DuckDB, {name}",
                       difference(cols.lines_of(column), rows.texts[list(SQL).index(name)]))


def run(report, folder, full):
    import pyarrow.parquet as pq
    rows = make_rows(1000 if full else 300)
    source = os.path.join(folder, "text-source.parquet")
    pq.write_table(rows.table, source, store_decimal_as_integer=True)
    run_csv_read(report, folder, rows, full)
    run_csv_written(report, folder, rows, source)
    run_json(report, folder, rows, source, full)
    run_avro(report, folder, rows, source, full)
