#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every call to the file system fails once, in a short pipeline with everything in it: two Iceberg
sinks, windows whose state spills, three checkpoints and more, made and ended.

  fault_test.py [--every K] [--only eio|enospc|short|full] [--at N] [--jobs J] [--keep DIR]

tests/faults/iofault.c counts the calls below the data directory and makes the n-th fail: with EIO, with
ENOSPC, by a write that takes half, or by a disk that is full from there on. For every n (every K-th
with --every): the run succeeds, or ends with 1 and an error that says what failed; then a run without
faults, over what the first has left, ends with the tables of an undisturbed run, as PyIceberg reads
them. The number of points is printed. The last line is "N passed, N failed".
"""
import argparse
import datetime
import os
import re
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import harness  # noqa: E402

harness.own_python(__file__)

from harness import Checks, Folder, Lake  # noqa: E402

ROWS, KEYS, SECONDS = 12_000, 6_000, 60
BASE_MS = 1_768_000_000_000
SCRIPT = f"""
SET 'pipeline.name' = 'faults';
SET 'table.local-time-zone' = 'UTC';
SET 'parallelism.default' = '1';
SET 'memory.limit' = '{{memory}}';
SET 'execution.checkpointing.interval' = '50 ms';
SET 'commit-interval' = '150 ms';
CREATE TEMPORARY TABLE numbers (
  n BIGINT, k AS MOD(n * 7919, {KEYS}), ts AS TO_TIMESTAMP_LTZ({BASE_MS} + n * 10, 3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'datagen', 'rows-per-second' = '15000', 'number-of-rows' = '{ROWS}',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '{ROWS - 1}');
CREATE TABLE IF NOT EXISTS raw (n BIGINT, k BIGINT, ts TIMESTAMP_LTZ(6))
  PARTITIONED BY (bucket(2, k));
CREATE TABLE IF NOT EXISTS sums (window_start TIMESTAMP(6), k BIGINT, c BIGINT, s BIGINT, t STRING);
EXECUTE STATEMENT SET BEGIN
  INSERT INTO raw SELECT n, k, ts FROM numbers;
  INSERT INTO sums SELECT window_start, k, COUNT(*), SUM(n), MAX(CONCAT(LPAD(CAST(n AS STRING), 300, '0')))
    FROM TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
    GROUP BY window_start, window_end, k;
END;
"""
# What an error has to say: the system's or SQLite's own words.
REASONS = re.compile(r"Input/output error|No space left on device|disk I/O error|"
                     r"database or disk is full|unable to open database file|malformed|"
                     r"file is not a database|readonly database|locking protocol")


def build(folder):
    out = os.path.join(folder, "iofault.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", out, os.path.join(HERE, "iofault.c"),
                    "-ldl"], check=True)
    return out


class Runner:
    def __init__(self, folder):
        self.library = build(folder)
        self.script = os.path.join(folder, "faults.sql")

    def run(self, folder, as_=None, at=0):
        """(exit status, what it said, calls, the call that failed)"""
        env = dict(os.environ)
        report = os.path.join(folder, "report")
        if as_:
            env.update(LD_PRELOAD=self.library, IOFAULT_DIR=os.path.join(folder, "frazil-data"),
                       IOFAULT_AT=str(at), IOFAULT_AS=as_, IOFAULT_REPORT=report)
        try:
            done = subprocess.run([harness.binary(), "run", self.script], cwd=folder, env=env,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=SECONDS, check=False)
            code, text = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as e:
            code, text = "timeout", str(e.stderr)
        if not as_:
            return code, text, 0, ""
        with open(report, "rb") as f:
            bytes_ = f.read()
        return code, text, struct.unpack("Q", bytes_[:8])[0], \
            bytes_[8:].split(b"\0")[0].decode(errors="replace")


def tables(folder):
    lake = Lake(folder)
    out = []
    for name, keys in (("raw", ("n",)), ("sums", ("window_start", "k"))):
        rows = lake.rows(name).combine_chunks()
        out.append(rows.sort_by([(k, "ascending") for k in keys]).combine_chunks())
    lake.close()
    return out


def expected_sums():
    """{(minute, k): (count, sum, largest)}"""
    out = {}
    for n in range(ROWS):
        entry = out.setdefault(((BASE_MS + n * 10) // 60000, n * 7919 % KEYS), [0, 0, 0])
        entry[0] += 1
        entry[1] += n
        entry[2] = max(entry[2], n)
    return out


def undisturbed(checks, runner, folder):
    code, text, _, _ = runner.run(folder)
    if not checks.ok("the undisturbed run ends well", code == 0, text[-1500:]):
        return None
    raw, sums = tables(folder)
    checks.ok("raw as it should be", raw.column("n").to_pylist() == list(range(ROWS)))
    epoch = datetime.datetime(1970, 1, 1)
    got = {(int((r["window_start"] - epoch).total_seconds()) // 60, r["k"]):
           [r["c"], r["s"], int(r["t"])] for r in sums.to_pylist()}
    checks.ok("sums as they should be", got == expected_sums() and len(got) == sums.num_rows)
    checks.ok("three checkpoints and the last", last_checkpoint(text) >= 4, text)
    return raw, sums


def last_checkpoint(text):
    return max((int(x) for x in re.findall(r"checkpoint=\d+-(\d+)", text)), default=0)


def one_point(runner, folder, as_, at, want):
    """("" or what is wrong, whether the fault struck, the call)"""
    os.makedirs(folder)
    code, text, _, call = runner.run(folder, as_, at)
    wrong = ""
    if not call:
        wrong = "" if code == 0 else f"exit {code} without a fault: {text[-600:]}"
    elif code not in (0, 1):
        wrong = f"exit {code}: {text[-900:]}"
    elif code == 1 and not ("error: " in text and REASONS.search(text)):
        wrong = f"an error that does not say what failed: {text[-600:]}"
    if not wrong:
        again, said, _, _ = runner.run(folder)
        if again != 0:
            wrong = f"the rerun ends with {again}: {said[-900:]}\n    after: {text[-600:]}"
        else:
            got = tables(folder)
            for name, a, b in zip(("raw", "sums"), got, want):
                if not a.equals(b):
                    wrong = (f"{name} after the rerun: {a.num_rows} rows instead of {b.num_rows}"
                             f"\n    first: {text[-500:]}\n    rerun: {said[-500:]}")
    if not wrong:
        shutil.rmtree(folder)
    return wrong, bool(call), call


def all_points(args, checks, runner, folder, as_, calls, want):
    """Points of one kind of fault, some at a time."""
    points = [args.at] if args.at else list(range(1, calls + 1, args.every))
    struck, kinds, names = 0, {}, []
    with ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda at: one_point(
            runner, os.path.join(folder, f"{as_}-{at}"), as_, at, want), points)
        for at, (wrong, hit, call) in zip(points, results):
            checks.ok(f"{as_} at {at}: {call}", not wrong, wrong)
            struck += hit
            names.append(call)
            if hit:
                kinds[call.split()[0]] = kinds.get(call.split()[0], 0) + 1
    checks.ok(f"{as_}: the spill is among the points", args.at or any("/spill" in x for x in names))
    checks.note(f"{as_}: {struck} points of {calls} struck: "
                + ", ".join(f"{v} {k}" for k, v in sorted(kinds.items())))
    return struck


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", choices=["eio", "enospc", "short", "full"])
    parser.add_argument("--at", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory", default="4 mb")
    parser.add_argument("--keep")
    args, checks = parser.parse_args(), Checks()
    with Folder(args.keep) as folder:
        runner = Runner(folder.path)
        folder.file("faults.sql", SCRIPT.replace("{memory}", args.memory))
        os.makedirs(folder.file("plain"))
        want = undisturbed(checks, runner, folder.file("plain"))
        total = 0
        for as_ in ([args.only] if args.only else ["eio", "enospc", "short", "full"]) if want else []:
            count = folder.file(f"count-{as_}")
            os.makedirs(count)
            code, text, calls, _ = runner.run(count, as_, 0)
            checks.ok(f"counted for {as_}", code == 0 and calls > 0, text[-600:])
            total += all_points(args, checks, runner, folder.path, as_, calls, want)
        print(f"{total} points of failure")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
