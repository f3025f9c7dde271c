#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SQL logic tests: statements, results, exact messages; each file in every configuration.

  run_slt.py [--config NAME,NAME|all] [--only TEXT] [-- COMMAND]

A file is records, each ended by an empty line; '#' begins a comment.

  file NAME [gz|zst]      the lines behind it become a file; {DIR} in statements is its folder
  statement ok            then the statement
  statement error         then the statement, '----', and what is said, place and hint included
  query [ordered]         then the statement, '----', `name TYPE`s with tabs between, and the rows;
                          without `ordered` in any order
  changes                 as query, of a stream: the first cell of a row is its kind

Statements of a file share one data directory; statements that only hold for a session (SET, USE,
TEMPORARY) are repeated where a new process begins. Results are the same in all configurations
(tests/configs), but that with several workers only the final rows of `changes` count. COMMAND is
`$FRAZIL`. The last line is `N passed, N failed`.
"""
import argparse
import gzip
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "corpora"))
import run_cases  # noqa: E402

SESSION = re.compile(r"(?i)^\s*(SET|RESET|USE|CREATE\s+TEMPORARY|DROP\s+TEMPORARY)\b")
BASE = {"table.local-time-zone": "UTC", "parallelism.default": "1",
        "pipeline.auto-watermark-interval": "0 ms"}


class Record:
    def __init__(self, line, head, body):
        self.line, self.words = line, head.split()
        self.kind = self.words[0]
        cut = body.index("----") if "----" in body else len(body)
        self.body, self.expected = body[:cut], body[cut + 1:]

    def sql(self, folder):
        return "\n".join(self.body).rstrip().rstrip(";").replace("{DIR}", folder)


def load(path):
    records, block, first = [], [], 0
    for number, line in enumerate(open(path, encoding="utf-8").read().split("\n") + [""], 1):
        if line == "" and block:
            records.append(Record(first, block[0], block[1:]))
            block = []
        elif line and (block or not line.startswith("#")):
            first = first if block else number
            block.append(line)
    return records


def put_file(folder, record):
    path = os.path.join(folder, record.words[1])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    data = "".join(x + "\n" for x in record.body).encode()
    packed = record.words[2] if len(record.words) > 2 else ""
    if packed == "gz":
        data = gzip.compress(data)
    elif packed == "zst":
        data = subprocess.run(["zstd", "-qc"], input=data, check=True, capture_output=True).stdout
    open(path, "wb").write(data)


def blocks_of(text):
    """(kind, header, rows) of each block of the typed format."""
    blocks, names, rows = [], None, []
    for line in text.split("\n"):
        if line.startswith("#names"):
            names, rows = line.split("\t")[1:], []
        elif line.startswith("#types"):
            types = line.split("\t")[1:]
        elif line == "#end":
            blocks.append(("rows", "\t".join(f"{n} {t}" for n, t in zip(names, types)), rows))
            names = None
        elif line == "#ok":
            blocks.append(("ok", "", []))
        elif line.startswith("#error"):
            blocks.append(("error", line.split("\t", 1)[1], []))
            names = None
        elif names is not None:
            rows.append(line)
    return blocks


def fold(rows):
    bag = Counter()
    for row in rows:
        op, _, rest = row.partition("\t")
        bag[rest] += 1 if op in ("+I", "+U") else -1
    return +bag if all(n >= 0 for n in bag.values()) else {"a row was taken back that is not there": 1}


def compare(record, block, settings):
    if record.kind == "statement":
        return None if block[0] != "error" else f"it fails: {block[1]}"
    if block[0] != "rows":
        return f"no rows: {block[0]} {block[1]}"
    header, rows = record.expected[0] if record.expected else "", record.expected[1:]
    got_header = block[1][len("op STRING\t"):] if record.kind == "changes" else block[1]
    if got_header != header:
        return f"columns {got_header!r}, expected {header!r}"
    if record.kind == "changes" and settings["parallelism.default"] != "1":
        same = fold(block[2]) == fold(rows)
    elif "ordered" in record.words:
        same = block[2] == rows
    else:
        same = Counter(block[2]) == Counter(rows)
    return None if same else "rows\n    " + "\n    ".join(block[2]) + "\n  expected\n    " + \
        "\n    ".join(rows)


class FileRun:
    def __init__(self, path, config, command):
        self.path, self.config, self.command = path, config, command
        self.settings = dict(BASE, **run_cases.read_config(config))
        self.passed, self.faults = 0, []

    def start(self, folder, statements, session):
        args = self.command + ["sql", "--format", "typed", "--data", os.path.join(folder, "data")]
        for key, value in self.settings.items():
            args += ["--set", f"{key}={value}"]
        for text in session + statements:
            args += ["-e", text]
        return subprocess.run(args, capture_output=True, text=True, timeout=300, cwd=folder)

    def judge(self, record, why):
        if why is None:
            self.passed += 1
        else:
            self.faults.append(f"{os.path.relpath(self.path, HERE)}:{record.line} [{self.config}]: {why}")

    def run_good(self, folder, records, session):
        if not records:
            return
        texts = [r.sql(folder) for r in records]
        streaming = [r.kind == "changes" for r in records]
        wrapped, at = [], []
        for text, streams in zip(texts, streaming):
            if streams:
                wrapped.append("SET 'execution.runtime-mode' = 'streaming'")
            at.append(len(wrapped))
            wrapped.append(text)
            if streams:
                wrapped.append("RESET 'execution.runtime-mode'")
        done = self.start(folder, wrapped, session)
        blocks = blocks_of(done.stdout)[len(session):]
        for record, place in zip(records, at):
            if place < len(blocks):
                self.judge(record, compare(record, blocks[place], self.settings))
            else:
                self.judge(record, f"no answer (exit code {done.returncode}): {done.stderr[-300:]}")

    def run_bad(self, folder, record, session):
        done = self.start(folder, [record.sql(folder)], session)
        said = done.stderr.replace(folder, "{DIR}").rstrip("\n")
        want = "\n".join(record.expected)
        why = None
        if done.returncode != 1:
            why = f"exit code {done.returncode}, expected 1: {said}"
        elif said != want:
            why = f"says\n{said}\n  expected\n{want}"
        self.judge(record, why)

    def run(self):
        with tempfile.TemporaryDirectory(prefix="slt-") as folder:
            waiting, session = [], []
            for record in load(self.path):
                if record.kind == "file":
                    put_file(folder, record)
                elif record.words[:2] == ["statement", "error"]:
                    self.run_good(folder, waiting, session)
                    session += [r.sql(folder) for r in waiting if SESSION.match(r.sql(folder))]
                    waiting = []
                    self.run_bad(folder, record, session)
                else:
                    waiting.append(record)
            self.run_good(folder, waiting, session)
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default="default")
    parser.add_argument("--only", default="")
    argv, command = sys.argv[1:], [os.environ.get("FRAZIL", "frazil")]
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    args = parser.parse_args(argv)
    command = [os.path.abspath(x) if os.path.exists(x) else x for x in command]
    configs = run_cases.config_names() if args.config == "all" else args.config.split(",")
    paths = sorted(os.path.join(top, f) for top, _, names in os.walk(HERE) for f in names
                   if f.endswith(".slt") and args.only in os.path.join(top, f))
    jobs = [FileRun(p, c, command) for c in configs for p in paths]
    passed, failed = 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(FileRun.run, jobs):
            passed, failed = passed + done.passed, failed + len(done.faults)
            for fault in done.faults:
                print("FAILED " + fault, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
