#!/usr/bin/env python3
"""Runs the streaming cases (flink-streaming) or the NEXMark queries (nexmark) on an engine and compares with Flink.

  streaming_runner.py cases   DIR [--only a,b] [--set K=V ...] -- COMMAND
  streaming_runner.py nexmark DIR [--only q0,q3] [--set K=V ...] -- COMMAND

COMMAND reads a SQL script on standard input and prints the typed blocks that flink-answers/README.md defines (for example
`frazil sql --format typed --keep-going -f -`); in a streaming SELECT the first column is `op` (+I -U +U -D), the others as the query
names them. Each case runs in a process and a data directory of its own ($FRAZIL_DATA and the working directory are fresh).
Compared: column names and types, then what the case declares (see flink-streaming/INDEX.md): changelog per key, multiset or final result.
NEXMark: the final rows, exactly. The streaming SELECT's root keeps -U unless the query names an upsert key. Exit status 0 when all agree; the last line is `N passed, N failed`.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

NESTED = re.compile(r"^(ARRAY|MAP|ROW|MULTISET)\b")
NUMBER = re.compile(r"^(DOUBLE|FLOAT)\b")


def statements(text):
    """Splits at ';' outside quotes and comments."""
    out, cur = [], ""
    for tok in re.findall(r"--[^\n]*|'(?:[^']|'')*'|`[^`]*`|/\*.*?\*/|;|[^-'`;/]+|[-/]", text, re.S):
        if tok == ";":
            out.append(cur.strip())
            cur = ""
        elif not tok.startswith("--"):
            cur += tok
    return [s for s in out + [cur.strip()] if s]


def run(command, stmts, settings, timeout):
    """The last block of a script: (names, types, rows) or ('error', kind, message)."""
    sets = [f"SET '{k}' = '{v}'" for k, v in settings.items()]
    script = "".join(re.sub(r"\s*\n\s*", " ", s) + ";\n" for s in sets + stmts)
    with tempfile.TemporaryDirectory() as tmp:
        env = dict(os.environ, FRAZIL_DATA=os.path.join(tmp, "data"))
        try:
            p = subprocess.run(command, input=script.encode(), capture_output=True, cwd=tmp, env=env, timeout=timeout)
        except subprocess.TimeoutExpired:
            return ("error", "timeout", f"no answer in {timeout} s"), []
    blocks, cur = [], None
    for line in p.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("#names"):
            cur = [line.split("\t")[1:], [], []]
        elif line.startswith("#types") and cur:
            cur[1] = line.split("\t")[1:]
        elif line == "#end" and cur:
            blocks.append(tuple(cur))
            cur = None
        elif line == "#ok":
            blocks.append(("ok", "", ""))
        elif line.startswith("#error"):
            blocks.append(tuple((["error"] + line.split("\t")[1:] + ["", ""])[:3]))
            cur = None
        elif cur and line:
            cur[2].append((line[1:] if line.startswith("\\#") else line).split("\t"))
    early = [b for b in blocks[:-1] if b[0] == "error"]
    if early:
        return early[0], blocks
    if len(blocks) != len(sets) + len(stmts):
        return ("error", "protocol", f"{len(blocks)} blocks for {len(sets) + len(stmts)} statements: "
                + p.stderr.decode("utf-8", "replace")[-200:]), blocks
    return blocks[-1], blocks


def norm(cell, typ):
    if cell == "\\N":
        return cell
    if NUMBER.match(typ):
        try:
            return repr(float(cell))
        except ValueError:
            return cell
    if NESTED.match(typ):
        return re.sub(r"[\"\s\[\](){}]", "", cell.replace(":", "=").replace("\\N", "null"))
    return cell


def fold(rows, key, names):
    """Applies (op, cells); with a key as upserts, else as a multiset."""
    if key:
        at = [names.index(k) for k in key]
        table = {}
        for op, cells in rows:
            k = tuple(cells[i] for i in at)
            table.pop(k, None)
            if op in ("+I", "+U"):
                table[k] = cells
        return Counter("\t".join(c) for c in table.values())
    bag = Counter()
    for op, cells in rows:
        bag["\t".join(cells)] += 1 if op in ("+I", "+U") else -1
    if any(n < 0 for n in bag.values()):
        raise ValueError("a retraction of a row that is not there")
    return +bag


def comment(text, name):
    m = re.search(rf"(?m)^-- {name}: *(.+?) *$", text)
    return m.group(1) if m else None


def split_changes(block):
    names, types, rows = block
    if not names or names[0] != "op":
        names, types = ["op"] + names, ["STRING"] + types
        rows = [["+I"] + r for r in rows]
    types = types[1:]
    return names[1:], types, [(r[0], [norm(c, t) for c, t in zip(r[1:], types)]) for r in rows]


def by_key(rows, key, names):
    at = [names.index(k.strip()) for k in key.split(",")]
    groups = {}
    for op, cells in rows:
        groups.setdefault(tuple(cells[i] for i in at), []).append((op, cells))
    return groups


def run_case(folder, a):
    text = open(os.path.join(folder, "case.sql"), encoding="utf-8").read()
    how = comment(text, "compare") or "changelog"
    if getattr(a, "final_only", False) and how != "none":
        how = "result"  # several workers: the order between groups is free
    stmts = statements(text.replace("${DIR}", "file://" + os.path.abspath(folder)))
    block, _ = run(a.command, stmts, a.settings, a.timeout)
    err = os.path.join(folder, "error.txt")
    if os.path.exists(err):
        return None if block[0] == "error" and block[1] != "protocol" else "it ran; Flink refuses: " + open(err).read().strip()
    if block[0] in ("error", "ok"):
        return f"{block[0]} {block[1]}: {block[2]}"
    if how == "none":
        return None
    log = open(os.path.join(folder, "changelog.tsv"), encoding="utf-8").read().split("\n")[:-1]
    head = [c.split(" ", 1) for c in log[0].split("\t")[1:]]
    names, types = [h[0] for h in head], [h[1] for h in head]
    want = [(x.split("\t")[0], [norm(c, t) for c, t in zip(x.split("\t")[1:], types)]) for x in log[1:]]
    got_names, got_types, got = split_changes(block)
    if got_names != names:
        return f"columns {got_names}, expected {names}"
    if not a.no_types and got_types != types:
        return f"types {got_types}, expected {types}"
    key = comment(text, "upsert key")
    key = [k.strip() for k in key.split(",")] if key else None
    try:
        if fold(got, key, names) != fold(want, key, names):
            return f"another result ({len(got)} changes, expected {len(want)})"
    except ValueError as e:
        return str(e)
    k = comment(text, "key")
    if how == "multiset" and Counter((o, *c) for o, c in got) != Counter((o, *c) for o, c in want):
        return "another multiset of changes"
    if how == "changelog" and (by_key(got, k, names) != by_key(want, k, names) if k else got != want):
        return "another changelog"
    return None


def run_nexmark(folder, q, a, index):
    answer, cols = index[q]
    sql = open(os.path.join(folder, "queries", q + ".sql"), encoding="utf-8").read()
    ddl = open(os.path.join(folder, "queries", "ddl.sql"), encoding="utf-8").read()
    ddl = ddl.replace("${EVENTS}", "file://" + a.events).replace(
        "${SIDE_INPUT}", "file://" + os.path.abspath(os.path.join(folder, "side_input.csv")))
    block, _ = run(a.command, statements(ddl) + statements(sql)[:1], a.settings, a.timeout)
    if block[0] in ("error", "ok"):
        return f"{block[0]} {block[1]}: {block[2]}"
    names, types, got = split_changes(block)
    head = re.findall(r"(\S+) ((?:[^,(]|\([^)]*\))+)(?:, |$)", cols)
    if names != [h[0] for h in head] or not a.no_types and [t.replace(" NOT NULL", "") for t in types] != [
            h[1].replace(" NOT NULL", "") for h in head]:
        return f"columns {list(zip(names, types))}, expected {cols}"
    key = comment(sql, "upsert key")
    key = [k.strip() for k in key.split(",")] if key else None
    want = subprocess.run(["zstd", "-dcq", os.path.join(folder, "answers", q + ".tsv.zst")], check=True,
                          capture_output=True).stdout.decode().split("\n")[:-1]
    want = Counter("\t".join(norm(c, t) for c, t in zip(x.split("\t"), types)) for x in want)
    try:
        have = fold(got, key, names)
    except ValueError as e:
        return str(e)
    if have != want:
        return f"{sum(have.values())} rows, expected {sum(want.values())}; {sum((have - want).values())} wrong, " \
               f"{sum((want - have).values())} missing"
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["cases", "nexmark"])
    p.add_argument("dir")
    p.add_argument("--only")
    p.add_argument("--set", action="append", default=[], metavar="K=V")
    p.add_argument("--no-types", action="store_true")
    p.add_argument("--timeout", type=int, default=60)
    p.add_argument("--list", action="store_true", help="print the names and end")
    if "--" not in sys.argv:
        p.error("no COMMAND after --")
    at = sys.argv.index("--")
    a = p.parse_args(sys.argv[1:at])
    a.command = [os.path.abspath(x) if os.path.exists(x) else x for x in sys.argv[at + 1:]]
    a.settings = {"execution.runtime-mode": "streaming", "table.local-time-zone": "UTC", "parallelism.default": "1",
                  "pipeline.auto-watermark-interval": "0 ms"}
    a.settings.update(s.split("=", 1) for s in a.set)
    only = a.only.split(",") if a.only else None
    jobs = []
    if a.what == "cases":
        for n in sorted(os.listdir(a.dir)):
            if os.path.exists(os.path.join(a.dir, n, "case.sql")) and (not only or n in only):
                jobs.append((n, lambda n=n: run_case(os.path.join(a.dir, n), a)))
    else:
        index = {}
        for line in open(os.path.join(a.dir, "answers", "INDEX.tsv"), encoding="utf-8").read().split("\n")[1:-1]:
            f = line.split("\t")
            index[f[0]] = (f[1], f[5])
        packed = [f for f in os.listdir(a.dir) if f.startswith("events") and f.endswith(".ndjson.zst")][0]
        a.events = os.path.join(tempfile.mkdtemp(), packed[:-4])
        subprocess.run(["zstd", "-dqf", os.path.join(a.dir, packed), "-o", a.events], check=True)
        for q in index:
            if index[q][0] == "exact" and (not only or q in only):
                jobs.append((q, lambda q=q: run_nexmark(a.dir, q, a, index)))
    if a.list:
        print("\n".join(n for n, _ in jobs))
        return 0
    bad = 0
    for n, job in jobs:
        why = job()
        bad += why is not None
        print(f"FAILED {n}: {why}" if why else f"ok {n}", flush=True)
    if a.what == "nexmark":
        os.unlink(a.events)
    print(f"{len(jobs) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
