#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random streaming queries over random changes, against a plain model (stream_model.py).

  random_cases.py [--seeds FROM-TO] [--config NAME,NAME] [--keep DIR] [-- COMMAND]

A seed makes tables of changes (debezium-json) or of rows (json) of all types, with NULLs, deletes
before inserts of the same key, late rows and times before 1970; and one query: filters, GROUP BY with
DISTINCT, FILTER and HAVING, an aggregate over an aggregate, UNION ALL, joins, TUMBLE, also over the
results of another TUMBLE. Compared: names, types, and the changelog of each key (kinds included),
or the final rows where the order is free: joins, unions, several workers. --keep writes the cases
that fail in the form of flink-streaming. The last line is `N passed, N failed`.
"""
import argparse
import base64
import datetime
import json
import os
import random
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from types import SimpleNamespace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_cases  # noqa: E402
import stream_model as model  # noqa: E402
import streaming_runner as runner  # noqa: E402
from stream_model import Call, Relation, Row  # noqa: E402

UTC = datetime.timezone.utc
TEXTS = ["", "a", "b", "A", "é", "a much longer text than fits into a view", "tab\there", "\U0001f600"]
COLUMNS = [
    ("k", "STRING"), ("j", "INT"), ("o", "BOOLEAN"), ("v", "INT"), ("b", "BIGINT"), ("d", "DOUBLE"),
    ("m", "DECIMAL(10, 2)"), ("w", "DECIMAL(25, 4)"), ("t", "DATE"), ("p", "TIMESTAMP(3)"),
    ("u", "TIMESTAMP(6)"), ("z", "TIMESTAMP_LTZ(3)"), ("x", "BYTES"),
    ("r", "ROW<`x` INT, `y` STRING>"), ("a", "ARRAY<INT>"), ("g", "MAP<STRING, INT>"),
]
KEYS = ["k", "j", "o", "b", "m", "w", "t", "p", "u", "z", "x", "d", "r"]
NUMBERS = ["v", "b", "d", "m", "w"]
ORDERED = NUMBERS + ["k", "t", "p", "u", "z"]


def value_of(rng, kind):
    few = rng.random() < 0.7
    if kind == "STRING":
        return rng.choice(TEXTS[1:3] if few else TEXTS)
    if kind == "INT":
        return rng.randint(-2, 3) if few else rng.choice([2147483647, -2147483648, 100, 7])
    if kind == "BIGINT":
        return rng.randint(-2, 3) if few else rng.choice([9223372036854775807, -5000000000])
    if kind == "BOOLEAN":
        return rng.random() < 0.5
    if kind == "DOUBLE":
        return rng.randint(-8, 8) / 4 if few else rng.choice([1e15, 0.0, -1048576.5])
    if kind == "DECIMAL(10, 2)":
        return Decimal(rng.randint(-3, 3) * 25 if few else rng.randint(-10**10, 10**10) // 2) / 100
    if kind == "DECIMAL(25, 4)":
        return Decimal(rng.randint(-2, 2) if few else rng.randint(-10**18, 10**18)) / Decimal(10000)
    if kind == "DATE":
        return datetime.date(1970, 1, 1) + datetime.timedelta(rng.randint(-1, 1) if few else 20000)
    if kind.startswith("TIMESTAMP"):
        unit = 1 if "(6)" in kind else 1000
        us = rng.randint(-2, 2) * unit if few else rng.randint(-10**9, 10**12) * unit
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=us)
        return time.replace(tzinfo=UTC) if "LTZ" in kind else time
    if kind == "BYTES":
        return rng.choice([b"", b"\x00", b"ab", bytes(range(20))])
    if kind.startswith("ROW"):
        return Row((maybe(rng, "INT"), maybe(rng, "STRING")))
    if kind.startswith("ARRAY"):
        return [maybe(rng, "INT") for _ in range(rng.randint(0, 3))]
    return {key: maybe(rng, "INT") for key in rng.sample("abc", rng.randint(0, 2))}


def maybe(rng, kind):
    return None if rng.random() < 0.15 else value_of(rng, kind)


def as_json(value, kind):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        digits = 6 if "(6)" in kind else 3
        text = value.strftime("%Y-%m-%d %H:%M:%S") + f".{value.microsecond:06d}"[:digits + 1]
        return text + ("Z" if value.tzinfo else "")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Row):
        return {"x": value[0], "y": value[1]}
    if isinstance(value, Decimal):
        return str(value)
    return value


def as_object(row, columns):
    return {n: as_json(v, t) for (n, t), v in zip(columns, row)}


# Sources ------------------------------------------------------------------------------------------


def changes_table(rng, name, rows_max):
    """A debezium-json table with a primary key and its changes, well-formed key by key."""
    columns = [("id", "INT NOT NULL")] + COLUMNS
    live, changes, lines = {}, [], []
    for _ in range(rng.randint(0, rows_max)):
        key = rng.randint(1, 8)
        new = (key,) + tuple(maybe(rng, t) for _, t in COLUMNS)
        old = live.get(key)
        if old is not None and rng.random() < 0.4:
            lines.append({"before": as_object(old, columns), "after": None, "op": "d"})
            changes.append(("-D", old))
            del live[key]
        elif old is not None:
            if rng.random() < 0.5:  # most columns stay
                keep = rng.sample(range(1, len(new)), rng.randint(8, len(new) - 1))
                new = tuple(old[i] if i in keep else v for i, v in enumerate(new))
            lines.append({"before": as_object(old, columns), "after": as_object(new, columns),
                          "op": "u"})
            changes += [("-U", old), ("+U", new)]
            live[key] = new
        else:
            lines.append({"before": None, "after": as_object(new, columns), "op": "c"})
            changes.append(("+I", new))
            live[key] = new
    return SimpleNamespace(name=name, columns=columns, format="debezium-json", lines=lines,
                           relation=Relation(columns, changes), watermark=None)


def rows_table(rng, name, rows_max):
    columns = [("id", "INT")] + COLUMNS
    rows = [(i,) + tuple(maybe(rng, t) for _, t in COLUMNS)
            for i in range(rng.randint(0, rows_max))]
    return SimpleNamespace(name=name, columns=columns, format="json",
                           lines=[as_object(r, columns) for r in rows],
                           relation=Relation(columns, [("+I", r) for r in rows]), watermark=None)


def timed_table(rng, name, rows_max):
    """Rows with a time attribute, out of order, late, before 1970, of either kind of timestamp."""
    table = rows_table(rng, name, rows_max)
    kind = rng.choice(["TIMESTAMP(3)", "TIMESTAMP_LTZ(3)"])
    delay = rng.choice([0, 500, 2000])
    base = rng.choice([0, -30000, 1709287200000])
    rows = []
    for i, (_, row) in enumerate(table.relation.changes):
        time = model.from_millis(base + i * rng.choice([200, 1500]) + rng.randint(-6000, 3000))
        rows.append(row + (time.replace(tzinfo=UTC) if "LTZ" in kind else time,))
    table.columns = table.columns + [("ts", kind)]
    table.lines = [as_object(r, table.columns) for r in rows]
    table.relation = model.with_watermark(Relation(table.columns, [("+I", r) for r in rows]),
                                          "ts", delay)
    table.watermark = f"WATERMARK FOR ts AS ts - INTERVAL '{delay / 1000}' SECOND"
    return table


def ddl(table):
    parts = [f"{n} {t}" for n, t in table.columns]
    if table.format == "debezium-json":
        parts.append("PRIMARY KEY (id) NOT ENFORCED")
    if table.watermark:
        parts.append(table.watermark)
    return (f"CREATE TABLE {table.name} (\n    " + ",\n    ".join(parts) +
            f"\n) WITH ('connector' = 'filesystem', 'path' = '${{DIR}}/{table.name}.ndjson',\n"
            f"        'format' = '{table.format}');\n")


# Queries ------------------------------------------------------------------------------------------


def comparison(op, a, b):
    if a is None or b is None:
        return None
    return {"<": a < b, ">": a > b, "=": a == b, "<>": a != b, ">=": a >= b}[op]


def condition(rng, relation):
    """A predicate as SQL text and as a function; three-valued."""
    names = [n for n, t in relation.columns if model.bare(t) in ("INT", "STRING", "BOOLEAN",
                                                                  "BIGINT")]
    name = rng.choice(names)
    at, kind = relation.at(name), model.bare(relation.type(name))
    form = rng.random()
    if form < 0.2:
        return f"{name} IS NOT NULL", lambda r: r[at] is not None
    if form < 0.3:
        return f"{name} IS NULL", lambda r: r[at] is None
    if kind == "BOOLEAN":
        return name, lambda r: r[at]
    if kind == "STRING":
        word = rng.choice(["a", "b", "A"])
        op = rng.choice(["=", "<>", ">="])
        return (f"{name} {op} '{word}'",
                lambda r: comparison(op, None if r[at] is None else r[at].encode(), word.encode()))
    number, op = rng.randint(-1, 2), rng.choice(["<", ">", "=", "<>"])
    return f"{name} {op} {number}", lambda r: comparison(op, r[at], number)


def random_call(rng, relation, numbers, ordered):
    kind = rng.choice(["COUNT", "COUNT", "SUM", "SUM", "AVG", "MIN", "MAX"])
    column, distinct = None, False
    if kind != "COUNT" or rng.random() < 0.6:
        pool = {"COUNT": [n for n, _ in relation.columns if not n.startswith(("r", "a", "g"))],
                "SUM": numbers, "AVG": numbers}.get(kind, ordered)
        column = rng.choice(pool)
        distinct = rng.random() < (0.4 if kind in ("COUNT", "SUM", "AVG") else 0.1)
    text, test = None, None
    if rng.random() < 0.3:
        text, test = condition(rng, relation)
    sql = f"{kind}({'DISTINCT ' if distinct else ''}{column or '*'})"
    if text:
        sql += f" FILTER (WHERE {text})"
    return sql, Call(kind, column, distinct, test)


def random_calls(rng, relation, numbers, ordered, most=4):
    made = [random_call(rng, relation, numbers, ordered) for _ in range(rng.randint(1, most))]
    names = [f"c{i}" for i in range(len(made))]
    return [m[0] for m in made], [m[1] for m in made], names


def filtered(rng, table):
    if rng.random() < 0.3:
        text, test = condition(rng, table.relation)
        return f" WHERE {text}", table.relation.filter(test)
    return "", table.relation


def grouped(rng, source, where, relation, keys=None):
    """SELECT keys, calls FROM source GROUP BY keys."""
    if keys is None:
        keys = rng.sample(KEYS, rng.choice([0, 1, 1, 1, 2]))
    sqls, calls, names = random_calls(rng, relation, NUMBERS, ORDERED)
    items = keys + [f"{s} AS {n}" for s, n in zip(sqls, names)]
    sql = f"SELECT {', '.join(items)} FROM {source}{where}"
    if keys:
        sql += f" GROUP BY {', '.join(keys)}"
    return sql, model.group_by(relation, keys, calls, names), keys, calls, names


def case_group(rng):
    table = rng.choice([changes_table, rows_table])(rng, "c", 40)
    where, relation = filtered(rng, table)
    sql, result, keys, calls, names = grouped(rng, "c", where, relation)
    if rng.random() < 0.25:
        i = rng.randrange(len(calls))
        if calls[i].kind == "COUNT":
            bound = rng.randint(1, 3)
            at = len(keys) + i
            sql = f"SELECT * FROM ({sql}) WHERE {names[i]} > {bound}"
            result = result.filter(lambda r: r[at] > bound)
    return [table], sql, result, keys, "changelog"


def case_having(rng):
    table = rng.choice([changes_table, rows_table])(rng, "c", 40)
    keys = rng.sample(KEYS, rng.choice([1, 1, 2]))
    sqls, calls, names = random_calls(rng, table.relation, NUMBERS, ORDERED)
    bound = rng.randint(0, 2)
    both = model.group_by(table.relation, keys, calls + [Call("COUNT")], names + ["h"])
    result = both.filter(lambda r: r[-1] > bound)
    result = result.project(result.columns[:-1], lambda r: r[:-1])
    items = keys + [f"{s} AS {n}" for s, n in zip(sqls, names)]
    sql = (f"SELECT {', '.join(items)} FROM c GROUP BY {', '.join(keys)} "
           f"HAVING COUNT(*) > {bound}")
    # The planner keeps COUNT(*) for HAVING: the pairs that it alone changes are shown too.
    return [table], sql, result, keys, "changelog"


def case_distinct(rng):
    table = rng.choice([changes_table, rows_table])(rng, "c", 40)
    where, relation = filtered(rng, table)
    keys = rng.sample(KEYS, rng.choice([1, 2, 3]))
    result = model.group_by(relation, keys, [], [])
    return [table], f"SELECT DISTINCT {', '.join(keys)} FROM c{where}", result, keys, "changelog"


def case_nested(rng):
    table = rng.choice([changes_table, rows_table])(rng, "c", 40)
    where, relation = filtered(rng, table)
    sql, _, keys, calls, names = grouped(rng, "c", where, relation, [rng.choice(KEYS)])
    outer_keys = [names[0]] if rng.random() < 0.6 else []
    # Means of DOUBLE are not exact: their sums depend on the order.
    numbers = [n for n, c in zip(names, calls) if not model.bare(c.type(relation)).startswith(
        ("STRING", "DATE", "TIMESTAMP")) and (c.kind, c.column) != ("AVG", "d")]
    made = [("COUNT(*)", Call("COUNT"))]
    if numbers:
        column = rng.choice(numbers)
        made.append((f"SUM({column})", Call("SUM", column)))
        made.append((f"COUNT(DISTINCT {column})", Call("COUNT", column, True)))
    column = rng.choice(names)
    made.append((f"MAX({column})", Call("MAX", column)))
    outer_names = [f"n{i}" for i in range(len(made))]
    # Calls that nothing above asks for are not computed, so that their changes make no pairs.
    used = set(outer_keys) | {c.column for _, c in made}
    asked = [(c, n) for c, n in zip(calls, names) if n in used]
    inner = model.group_by(relation, keys, [c for c, _ in asked], [n for _, n in asked])
    items = outer_keys + [f"{s} AS {n}" for (s, _), n in zip(made, outer_names)]
    outer = f"SELECT {', '.join(items)} FROM ({sql})"
    if outer_keys:
        outer += f" GROUP BY {', '.join(outer_keys)}"
    result = model.group_by(inner, outer_keys, [c for _, c in made], outer_names)
    return [table], outer, result, outer_keys, "changelog"


def case_union(rng):
    tables = [rng.choice([changes_table, rows_table])(rng, n, 20) for n in "cd"]
    names = rng.sample([n for n, _ in COLUMNS], rng.randint(1, 6))
    parts, relations = [], []
    for table in tables:
        where, relation = filtered(rng, table)
        at = [relation.at(n) for n in names]
        columns = [relation.columns[i] for i in at]
        relations.append(relation.project(columns, lambda r, at=at: [r[i] for i in at]))
        parts.append(f"SELECT {', '.join(names)} FROM {table.name}{where}")
    sql, result = " UNION ALL ".join(parts), model.union_all(relations)
    if rng.random() < 0.5:
        keys = [n for n in names if n in KEYS][:1]
        calls = [Call("COUNT")] + [Call("MIN", n) for n in names if n in ORDERED][:1]
        sqls = ["COUNT(*)"] + [f"MIN({c.column})" for c in calls[1:]]
        outs = [f"c{i}" for i in range(len(calls))]
        items = keys + [f"{s} AS {n}" for s, n in zip(sqls, outs)]
        sql = f"SELECT {', '.join(items)} FROM ({sql})"
        sql += f" GROUP BY {', '.join(keys)}" if keys else ""
        result = model.group_by(result, keys, calls, outs)
    return tables, sql, result, [], "result"


def case_join(rng):
    tables = [rng.choice([changes_table, rows_table])(rng, n, 25) for n in "cd"]
    alias = rng.random() < 0.2  # a self join
    if alias:
        tables = tables[:1]
    left, right = tables[0].relation, tables[-1].relation
    keys = rng.sample(KEYS, rng.choice([1, 1, 2]))
    null_safe = rng.random() < 0.3
    on = " AND ".join(f"l.{k} {'IS NOT DISTINCT FROM' if null_safe else '='} r.{k}" for k in keys)
    residual = None
    if rng.random() < 0.3:
        on += " AND l.v < r.v"
        a, b = left.at("v"), len(left.columns) + right.at("v")
        residual = lambda r: comparison("<", r[a], r[b])  # noqa: E731
    joined = model.inner_join(left, right, [(k, k) for k in keys], null_safe, residual)
    outs = rng.sample([n for n, _ in COLUMNS], rng.randint(1, 4))
    items, at = ["l.id AS i1", "r.id AS i2"], [0, len(left.columns)]
    for i, name in enumerate(outs):
        side = rng.choice("lr")
        items.append(f"{side}.{name} AS o{i}")
        at.append(left.at(name) + (len(left.columns) if side == "r" else 0))
    columns = [(item.split(" AS ")[1], joined.columns[i][1]) for item, i in zip(items, at)]
    result = joined.project(columns, lambda r: [r[i] for i in at])
    sql = (f"SELECT {', '.join(items)} FROM {tables[0].name} AS l "
           f"JOIN {tables[-1].name} AS r ON {on}")
    if rng.random() < 0.3:
        result = model.group_by(result, ["i1"], [Call("COUNT"), Call("MAX", "i2")], ["n", "mx"])
        sql = f"SELECT i1, COUNT(*) AS n, MAX(i2) AS mx FROM ({sql}) GROUP BY i1"
    return tables, sql, result, [], "result"


def case_agg_join(rng):
    """Two aggregates joined by their key: updates on both sides."""
    tables = [changes_table(rng, n, 30) for n in "cd"]
    key = rng.choice(KEYS)
    sides = []
    for table, name in zip(tables, ("n", "m0")):
        sides.append((f"SELECT {key}, COUNT(*) AS {name} FROM {table.name} GROUP BY {key}",
                      model.group_by(table.relation, [key], [Call("COUNT")], [name])))
    joined = model.inner_join(sides[0][1], sides[1][1], [(key, key)])
    result = joined.project([joined.columns[0], joined.columns[1], joined.columns[3]],
                            lambda r: (r[0], r[1], r[3]))
    sql = (f"SELECT l.{key}, l.n, r.m0 FROM ({sides[0][0]}) AS l "
           f"JOIN ({sides[1][0]}) AS r ON l.{key} = r.{key}")
    return tables, sql, result, [], "result"


def case_tumble(rng):
    table = timed_table(rng, "e", 50)
    where, relation = filtered(rng, table)
    size = rng.choice([1, 5, 10])
    keys = rng.sample(KEYS, rng.choice([0, 1, 1, 2]))
    sqls, calls, names = random_calls(rng, relation, NUMBERS, ORDERED)
    source = f"(SELECT * FROM e{where})" if where else "e"
    windows = model.tumble(relation, "ts", size * 1000, keys, calls, names)
    items = keys + ["window_start", "window_end"] + [f"{s} AS {n}" for s, n in zip(sqls, names)]
    view = f"CREATE VIEW f AS SELECT * FROM e{where};\n" if where else ""
    source = "f" if where else "e"
    sql = (f"SELECT {', '.join(items)} FROM TABLE(TUMBLE(TABLE {source}, DESCRIPTOR(ts), "
           f"INTERVAL '{size}' SECOND)) GROUP BY {', '.join(keys + ['window_start', 'window_end'])}")
    return [table], sql, windows, keys, "changelog", view


def case_cascade(rng):
    table = timed_table(rng, "e", 50)
    keys = rng.sample(KEYS, rng.choice([1, 2]))
    inner = model.tumble(table.relation, "ts", 2000, keys, [Call("COUNT"), Call("MAX", "v")],
                         ["n", "mx"])
    ends = inner.at("window_end")
    timed = Relation(inner.columns + [("rt", table.columns[-1][1])],
                     [(op, r + (r[ends] - datetime.timedelta(milliseconds=1),))
                      for op, r in inner.changes], inner.marks)
    outer = model.tumble(timed, "rt", 6000, keys[:1],
                         [Call("SUM", "n"), Call("COUNT"), Call("MAX", "mx")], ["s", "cnt", "mx"])
    view = (f"CREATE VIEW f AS SELECT {', '.join(keys)}, window_time AS rt, COUNT(*) AS n, "
            f"MAX(v) AS mx FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '2' SECOND)) "
            f"GROUP BY {', '.join(keys)}, window_start, window_end, window_time;\n")
    sql = (f"SELECT {keys[0]}, window_start, window_end, SUM(n) AS s, COUNT(*) AS cnt, MAX(mx) AS mx "
           f"FROM TABLE(TUMBLE(TABLE f, DESCRIPTOR(rt), INTERVAL '6' SECOND)) "
           f"GROUP BY {keys[0]}, window_start, window_end")
    return [table], sql, outer, keys[:1], "changelog", view


def case_pass(rng):
    table = rng.choice([changes_table, rows_table])(rng, "c", 30)
    where, relation = filtered(rng, table)
    names = rng.sample([n for n, _ in table.columns], rng.randint(1, 8))
    at = [relation.at(n) for n in names]
    result = relation.project([relation.columns[i] for i in at], lambda r: [r[i] for i in at])
    return [table], f"SELECT {', '.join(names)} FROM c{where}", result, None, "changelog"


FORMS = [case_group, case_group, case_group, case_having, case_distinct, case_nested, case_union,
         case_join, case_join, case_agg_join, case_tumble, case_tumble, case_cascade, case_pass]


def write_case(folder, seed):
    rng = random.Random(seed)
    made = rng.choice(FORMS)(rng)
    tables, sql, result, keys, how = made[:5]
    view = made[5] if len(made) > 5 else ""
    head = f"-- seed {seed}\n-- compare: {how}\n"
    if how == "changelog" and keys:
        head += f"-- key: {', '.join(keys)}\n"
    with open(os.path.join(folder, "case.sql"), "w", encoding="utf-8") as out:
        out.write(head + "\n" + "".join(ddl(t) + "\n" for t in tables) + view + sql + ";\n")
    for table in tables:
        with open(os.path.join(folder, table.name + ".ndjson"), "w", encoding="utf-8") as out:
            out.write("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in table.lines))
    types = [t for _, t in result.columns]
    with open(os.path.join(folder, "changelog.tsv"), "w", encoding="utf-8") as out:
        out.write("\t".join(["op"] + [f"{n} {t}" for n, t in result.columns]) + "\n")
        for op, row in result.changes:
            op, cells = model.line(op, row, types)
            out.write("\t".join([op] + cells) + "\n")


def run_seed(job):
    seed, config, command, keep = job
    folder = tempfile.mkdtemp(prefix="case-")
    try:
        write_case(folder, seed)
        why = run_cases.run_one((folder, None, config, command, 120))
        if why and keep:
            shutil.copytree(folder, os.path.join(keep, f"seed-{seed}"), dirs_exist_ok=True)
        return why
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1-200")
    parser.add_argument("--config", default="default")
    parser.add_argument("--keep")
    argv, command = sys.argv[1:], [os.environ.get("FRAZIL", "frazil"), "sql", "--format", "typed",
                                   "--keep-going", "-f", "-"]
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    args = parser.parse_args(argv)
    command = [os.path.abspath(x) if os.path.exists(x) else x for x in command]
    first, last = (int(x) for x in args.seeds.split("-"))
    configs = run_cases.config_names() if args.config == "all" else args.config.split(",")
    jobs = [(seed, config, command, args.keep) for config in configs
            for seed in range(first, last + 1)]
    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, why in zip(jobs, pool.map(run_seed, jobs)):
            if why is not None:
                bad += 1
                print(f"FAILED seed {job[0]} [{job[1]}]: {why}", flush=True)
    print(f"{len(jobs) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
