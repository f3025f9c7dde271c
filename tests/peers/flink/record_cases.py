#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs streaming SQL cases on Flink and records, or checks, what it prints.

  record_cases.py --dir CLUSTER --cases fixtures/flink-streaming [--only NAME,...]
                  [--runs N] [--check]

A case is a folder with case.sql (SETs, DDL, then one query; ${DIR} stands for
the folder's URI) and the NDJSON files it reads. Recorded beside it:
  changelog.tsv   first line: op and the columns 'name type'; then the rows in the
                  order in which Flink printed them, +I -U +U -D first
  result.tsv      first line: the columns; then the final rows, sorted bytewise
  error.txt       instead of both, where Flink refuses: the innermost message
Comment lines in case.sql say how to compare:
  -- compare: changelog   the rows of each key (see -- key:) in the same order;
                          without a key, all rows in the same order
  -- compare: multiset    the same rows with their kinds, in any order
  -- compare: result      only the final result
  -- compare: none         Flink is wrong or not deterministic; see -- note:
  -- upsert key: a, b     the key with which the changelog is applied
Settings of every run: streaming, parallelism 1, pipeline.auto-watermark-interval
0 (a watermark after each row that advances it), UTC. With --runs every run must
agree with the first in the way the case says.
"""
import argparse
import os
import re
import sys
from collections import Counter

from flinksql import (Cluster, FlinkError, Session, fold, line_of, split_statements,
                      substitute, upsert_key)

OPTIONS = {"execution.runtime-mode": "streaming", "table.local-time-zone": "UTC",
           "parallelism.default": "1", "pipeline.auto-watermark-interval": "0 ms"}


def comment(text, name):
    m = re.search(rf"(?m)^-- {name}: *(.+?) *$", text)
    return m.group(1) if m else None


def run(cluster, folder):
    text = open(os.path.join(folder, "case.sql"), encoding="utf-8").read()
    stmts = split_statements(substitute(text, {"DIR": "file://" + os.path.abspath(folder)}))
    with Session(cluster, OPTIONS) as s:
        for st in stmts[:-1]:
            s.execute(st)
        return s.execute(stmts[-1], timeout=120)


def changelog(r):
    head = "\t".join(["op"] + [f"{n} {t}" for n, t in r.columns])
    return [head] + [k + "\t" + line_of(v, r.columns) for k, v in r.rows]


def view(lines, how, key):
    """What of a changelog must agree."""
    names = [c.split(" ", 1)[0] for c in lines[0].split("\t")]
    rows = lines[1:]
    if how == "multiset":
        return Counter(rows)
    if key is None:
        return rows
    at = [names.index(k.strip()) for k in key.split(",")]
    groups = {}
    for x in rows:
        cells = x.split("\t")
        groups.setdefault(tuple(cells[i] for i in at), []).append(x)
    return groups


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--dir", required=True)
    p.add_argument("--cases", required=True)
    p.add_argument("--only")
    p.add_argument("--runs", type=int, default=1)
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    c = Cluster(a.dir)
    names = sorted(d for d in os.listdir(a.cases)
                   if os.path.exists(os.path.join(a.cases, d, "case.sql")))
    if a.only:
        names = [n for n in names if n in a.only.split(",")]
    good = bad = 0
    for name in names:
        folder = os.path.join(a.cases, name)
        text = open(os.path.join(folder, "case.sql"), encoding="utf-8").read()
        how = comment(text, "compare") or "changelog"
        key = comment(text, "key")
        first = None
        problem = None
        if a.check:
            first = read_record(folder)
        for _ in range(a.runs):
            try:
                r = run(c, folder)
                log = changelog(r)
                try:
                    res = sorted(fold(r.rows, r.columns, key=upsert_key(text)),
                                 key=lambda x: x.encode())
                except ValueError as e:
                    problem = f"fold: {e}"
                    res = []
                now = ("rows", log, ["\t".join(f"{n} {t}" for n, t in r.columns)] + res)
            except FlinkError as e:
                now = ("error", e.root.split("\n")[0], None)
            if first is None:
                first = now
                continue
            if first[0] != now[0]:
                problem = f"{first[0]} before, {now[0]} now: {now[1]}"
            elif first[0] == "error":
                if first[1] != now[1]:
                    problem = "another message: " + now[1]
            elif how == "none":
                pass
            elif first[2] != now[2]:
                problem = "another result"
            elif how != "result" and view(first[1], how, key) != view(now[1], how, key):
                problem = "another changelog"
        if not a.check:
            write_record(folder, first)
        if problem:
            bad += 1
            print(f"FAILED {name}: {problem}", flush=True)
        else:
            good += 1
            what = first[1] if first[0] == "error" else \
                f"{len(first[1]) - 1} changes, {len(first[2]) - 1} rows"
            print(f"ok {name}: {what}", flush=True)
    print(f"{good} passed, {bad} failed")
    return 1 if bad else 0


def read_record(folder):
    e = os.path.join(folder, "error.txt")
    if os.path.exists(e):
        return ("error", open(e, encoding="utf-8").read().rstrip("\n"), None)
    return ("rows",
            open(os.path.join(folder, "changelog.tsv"), encoding="utf-8").read().split("\n")[:-1],
            open(os.path.join(folder, "result.tsv"), encoding="utf-8").read().split("\n")[:-1])


def write_record(folder, rec):
    files = {"error.txt": None, "changelog.tsv": None, "result.tsv": None}
    if rec[0] == "error":
        files["error.txt"] = rec[1] + "\n"
    else:
        files["changelog.tsv"] = "".join(x + "\n" for x in rec[1])
        files["result.tsv"] = "".join(x + "\n" for x in rec[2])
    for name, body in files.items():
        path = os.path.join(folder, name)
        if body is None:
            if os.path.exists(path):
                os.remove(path)
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(body)


if __name__ == "__main__":
    sys.exit(main())
