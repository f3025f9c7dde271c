#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pipelines that are stopped at checkpoints and go on, against what an undisturbed run must give.

  run_restored.py cases DIR [--mode NAME,NAME] [--only CASE,CASE] [-- COMMAND]
  run_restored.py random    [--mode NAME,NAME] [--seeds FROM-TO] [-- COMMAND]
  run_restored.py nexmark DIR [--only q0,q3] [-- COMMAND]

The query of a case becomes `INSERT INTO` a table of connector `print`; the pipeline is run until it
ends, each run stopping at a checkpoint behind a number of batches (debug.stop-after-batches), so that
every run but the first begins with a restore. What all runs printed, joined, must have the changes of
Flink (or of the model, for random cases); where the order is free, or the parallelism changes from
run to run, the final rows. Modes (rows a batch, batches a run, workers in turn):

  every     1, 1, 1        a restore behind every row
  some      3, 2, 1        in the middle of a batch's worth of work
  rescale   1, 1, 1 4 2    every row at another parallelism
  zero      1, 1, 1        with all hashes 0
  dict      4, 1, 2 1      outputs as dictionaries

nexmark: stopped in the middle and restored 1 -> 4 and 4 -> 1, then the events split over four files
(another order of arrival). COMMAND is `$FRAZIL`. The last line is `N passed, N failed`.
"""
import argparse
import datetime
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import random_cases  # noqa: E402
import run_cases  # noqa: E402
import stream_model as model  # noqa: E402
import streaming_runner as runner  # noqa: E402

MODES = {"every": (1, 1, [1], {}), "some": (3, 2, [1], {}), "rescale": (1, 1, [1, 4, 2], {}),
         "zero": (1, 1, [1], {"debug.hashes-zero": "true"}),
         "dict": (4, 1, [2, 1], {"debug.verify-encodings": "dict"})}
RUNS_MAX = 2000
BASE = {"table.local-time-zone": "UTC", "pipeline.auto-watermark-interval": "0 ms",
        "execution.checkpointing.interval": "1 h", "table.exec.source.idle-timeout": "0 ms"}


# Values as print writes them ----------------------------------------------------------------------


def clock_text(time, always):
    text = time.strftime("%H:%M")
    if time.second or time.microsecond or always:
        text += time.strftime(":%S")
    if time.microsecond:
        text += f".{time.microsecond // 1000:03d}" if time.microsecond % 1000 == 0 \
            else f".{time.microsecond:06d}"
    return text


def print_text(value, kind):
    kind = model.bare(kind)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "[" + ", ".join(str(b - 256 if b > 127 else b) for b in value) + "]"
    if isinstance(value, datetime.datetime):
        zoned = "LTZ" in kind
        day = f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
        return day + "T" + clock_text(value, zoned) + ("Z" if zoned else "")
    if isinstance(value, model.Row):
        return "+I[" + ", ".join(print_text(v, t)
                                 for v, t in zip(value, model.row_types(kind))) + "]"
    if isinstance(value, list):
        return "[" + ", ".join(print_text(v, kind[6:-1]) for v in value) + "]"
    if isinstance(value, dict):
        key, val = model.split_types(kind[4:-1])
        return "{" + ", ".join(print_text(k, key) + "=" + print_text(v, val)
                               for k, v in value.items()) + "}"
    return model.show(value, kind)


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m.group(1), m.group(1)),
                  text)


def cell_text(cell, kind):
    """The cell of a recorded changelog, as print writes it. Nested values: None."""
    kind = model.bare(kind)
    if cell == "\\N":
        return "null"
    if runner.NESTED.match(kind):
        raise ValueError("nested")
    if kind == "BOOLEAN":
        return cell.lower()
    if kind.startswith("TIMESTAMP"):
        time = datetime.datetime.fromisoformat(cell[:26])
        return print_text(time, kind)
    if kind == "DOUBLE":
        return model.java_double(float(cell))
    return unescape(cell)


# Running ------------------------------------------------------------------------------------------


def pipeline_text(setup, query, columns):
    fields = ", ".join(f"`{n}` {t}" for n, t in columns)
    return ("".join(s + ";\n" for s in setup) +
            f"CREATE TABLE printed ({fields}) WITH ('connector' = 'print');\n"
            f"INSERT INTO printed {query};\n")


def run_to_the_end(command, script, settings, batches, workers):
    """All lines printed, and the number of runs. Raises RuntimeError with what a run said."""
    with tempfile.TemporaryDirectory(prefix="restored-") as folder:
        path = os.path.join(folder, "pipe.sql")
        open(path, "w", encoding="utf-8").write(script)
        lines = []
        for number in range(RUNS_MAX):
            sets = dict(BASE, **settings)
            sets["parallelism.default"] = str(workers[number % len(workers)])
            limit = batches[number % len(batches)]
            if limit:
                sets["debug.stop-after-batches"] = str(limit)
            args = command + ["run", "-q", "--data", os.path.join(folder, "data")]
            for key, value in sets.items():
                args += ["--set", f"{key}={value}"]
            done = subprocess.run(args + [path], capture_output=True, text=True, timeout=300,
                                  cwd=folder)
            lines += done.stdout.split("\n")[:-1]
            if done.returncode != 0:
                raise RuntimeError(f"run {number + 1}: exit code {done.returncode}: "
                                   + done.stderr[-400:])
            if number > 0 and "resumed from checkpoint" not in done.stderr:
                raise RuntimeError(f"run {number + 1} did not resume: {done.stderr[-400:]}")
            if "stops behind" not in done.stderr:
                return [re.sub(r"^\d+> ", "", x) for x in lines], number + 1
    raise RuntimeError(f"not at the end after {RUNS_MAX} runs")


def fold(changes):
    bag = Counter()
    for change in changes:
        bag[change[2:]] += 1 if change[:2] in model.INSERTS else -1
    if any(n < 0 for n in bag.values()):
        raise RuntimeError("a row was taken back that was never printed")
    return +bag


def difference(got, want):
    more, less = got - want, want - got
    return (f"{sum(more.values())} too many, {sum(less.values())} missing: "
            f"{list(more)[:2]}, {list(less)[:2]}")


def check(command, case, mode):
    setup, query, columns, want, how = case
    rows, batches, workers, extra = MODES[mode]
    settings = dict({"debug.batch-rows": str(rows)}, **extra)
    try:
        got, runs = run_to_the_end(command, pipeline_text(setup, query, columns), settings,
                                   [batches], workers)
        if how == "result" or len(workers) > 1:
            got, want = fold(got), fold(want)
        else:
            got, want = Counter(got), Counter(want)
    except RuntimeError as e:
        return str(e)
    return None if got == want else f"after {runs} runs: {difference(got, want)}"


# Cases --------------------------------------------------------------------------------------------


def load_case(folder):
    """(setup, query, columns, changes as printed, how), or None where it does not fit."""
    text = open(os.path.join(folder, "case.sql"), encoding="utf-8").read()
    how = runner.comment(text, "compare") or "changelog"
    if how == "none" or runner.comment(text, "upsert key") or \
            not os.path.exists(os.path.join(folder, "changelog.tsv")):
        return None
    stmts = runner.statements(text.replace("${DIR}", "file://" + os.path.abspath(folder)))
    log = open(os.path.join(folder, "changelog.tsv"), encoding="utf-8").read().split("\n")[:-1]
    columns = [tuple(c.split(" ", 1)) for c in log[0].split("\t")[1:]]
    if "local-time-zone" in text and any(t.startswith("TIMESTAMP_LTZ") for _, t in columns):
        return None  # print shows moments in UTC, which local times do not tell
    if any(t.startswith("TIME(") for _, t in columns):
        return None  # prints show more of a TIME(0) than results do
    want = []
    try:
        for row in log[1:]:
            op, *cells = row.split("\t")
            want.append(f"{op}[" + ", ".join(cell_text(c, t)
                                             for c, (_, t) in zip(cells, columns)) + "]")
    except ValueError:
        return None
    return stmts[:-1], stmts[-1], columns, want, how


def random_case(folder, seed):
    rng = random.Random(seed)
    made = rng.choice(random_cases.FORMS)(rng)
    result, how = made[2], made[4]
    random_cases.write_case(folder, seed)
    text = open(os.path.join(folder, "case.sql"), encoding="utf-8").read()
    stmts = runner.statements(text.replace("${DIR}", "file://" + os.path.abspath(folder)))
    types = [t for _, t in result.columns]
    want = [f"{op}[" + ", ".join(print_text(v, t) for v, t in zip(row, types)) + "]"
            for op, row in result.changes]
    return stmts[:-1], stmts[-1], result.columns, want, how


def run_seed(job):
    seed, mode, command = job
    folder = tempfile.mkdtemp(prefix="case-")
    try:
        return check(command, random_case(folder, seed), mode)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# Nexmark ------------------------------------------------------------------------------------------

QUERIES = "q0,q1,q2,q3,q16,q17,q20,q22"


def nexmark_case(folder, query, events, index):
    sql = open(os.path.join(folder, "queries", query + ".sql"), encoding="utf-8").read()
    ddl = open(os.path.join(folder, "queries", "ddl.sql"), encoding="utf-8").read()
    ddl = ddl.replace("${EVENTS}", "file://" + events).replace(
        "${SIDE_INPUT}", "file://" + os.path.abspath(os.path.join(folder, "side_input.csv")))
    columns = re.findall(r"(\S+) ((?:[^,(]|\([^)]*\))+)(?:, |$)", index[query])
    answer = subprocess.run(["zstd", "-dcq", os.path.join(folder, "answers", query + ".tsv.zst")],
                            check=True, capture_output=True).stdout.decode().split("\n")[:-1]
    want = ["+I[" + ", ".join(cell_text(c, t) for c, (_, t) in zip(row.split("\t"), columns)) + "]"
            for row in answer]
    return runner.statements(ddl), runner.statements(sql)[0], columns, want


def nexmark_check(command, case, batches, workers, with_runs):
    setup, query, columns, want = case
    try:
        got, runs = run_to_the_end(command, pipeline_text(setup, query, columns), {}, batches,
                                   workers)
        got, want = fold(got), fold(want)
    except RuntimeError as e:
        return str(e)
    if runs != with_runs:
        return f"{runs} runs, expected {with_runs}"
    return None if got == want else difference(got, want)


def nexmark(args, command):
    index = {}
    for line in open(os.path.join(args.dir, "answers", "INDEX.tsv"), encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        index[fields[0]] = fields[-1]
    folder = tempfile.mkdtemp(prefix="nexmark-")
    total = bad = 0
    try:
        packed = [f for f in os.listdir(args.dir) if f.endswith(".ndjson.zst")][0]
        whole = os.path.join(folder, "events.ndjson")
        subprocess.run(["zstd", "-dqf", os.path.join(args.dir, packed), "-o", whole], check=True)
        # Four files whose lines alternate in uneven runs: four splits, each in order of time.
        split = os.path.join(folder, "split")
        os.mkdir(split)
        outs = [open(os.path.join(split, f"{i}.ndjson"), "w", encoding="utf-8") for i in range(4)]
        rng = random.Random(4)
        lines = iter(open(whole, encoding="utf-8"))
        for line in lines:
            out = rng.choice(outs)
            out.write(line)
            for _ in range(rng.randint(0, 40)):
                out.write(next(lines, ""))
        for out in outs:
            out.close()
        forms = [("1 -> 4", whole, [20, 0], [1, 4], 2), ("4 -> 1", whole, [20, 0], [4, 1], 2),
                 ("4 files, 4 workers", split, [0], [4], 1),
                 ("4 files, 4 -> 1 -> 4", split, [6, 6, 0], [4, 1, 4], 3)]
        for query in (args.only or QUERIES).split(","):
            for name, events, batches, workers, runs in forms:
                why = nexmark_check(command, nexmark_case(args.dir, query, events, index), batches,
                                    workers, runs)
                total += 1
                bad += why is not None
                print(f"FAILED {query} ({name}): {why}" if why else f"ok {query} ({name})",
                      flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return total, bad


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cases", "random", "nexmark"])
    parser.add_argument("dir", nargs="?")
    parser.add_argument("--mode", default="every,rescale")
    parser.add_argument("--only")
    parser.add_argument("--seeds", default="1-40")
    argv, command = sys.argv[1:], [os.environ.get("FRAZIL", "frazil")]
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    args = parser.parse_args(argv)
    command = [os.path.abspath(x) if os.path.exists(x) else x for x in command]
    modes = list(MODES) if args.mode == "all" else args.mode.split(",")
    if args.what == "nexmark":
        total, bad = nexmark(args, command)
        print(f"{total - bad} passed, {bad} failed")
        return 1 if bad else 0
    if args.what == "cases":
        skip = run_cases.read_not_yet(args.dir)
        names = [n for n in sorted(os.listdir(args.dir)) if n not in skip
                 and os.path.exists(os.path.join(args.dir, n, "case.sql"))
                 and (not args.only or n in args.only.split(","))]
        loaded = [(n, load_case(os.path.join(args.dir, n))) for n in names]
        jobs = [(f"{n} [{m}]", lambda c=c, m=m: check(command, c, m))
                for m in modes for n, c in loaded if c is not None]
    else:
        first, last = (int(x) for x in args.seeds.split("-"))
        jobs = [(f"seed {s} [{m}]", lambda s=s, m=m: run_seed((s, m, command)))
                for m in modes for s in range(first, last + 1)]
    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _), why in zip(jobs, pool.map(lambda j: j[1](), jobs)):
            if why is not None:
                bad += 1
                print(f"FAILED {name}: {why}", flush=True)
    print(f"{len(jobs) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
