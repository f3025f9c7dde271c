#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small things: the time of `frazil sql -e 'SELECT 1'`, memory of a pipeline that idles after a load, the
size of the binary.

    small.py [--runs 20] [--rows 1000000]
"""
import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import report

PIPELINE = """
SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '1 s';
CREATE TEMPORARY TABLE s (id BIGINT, k BIGINT, v DOUBLE, t STRING) WITH (
  'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json',
  'source.monitor-interval' = '200 ms');
CREATE TABLE IF NOT EXISTS idle (id BIGINT, k BIGINT, v DOUBLE, t STRING);
INSERT INTO idle SELECT * FROM s;
"""


def startup(rows, runs):
    walls, cpus = [], []
    with report.Folder() as folder:
        for _ in range(runs):
            done = report.run([report.program("frazil"), "sql", "-e", "SELECT 1"], cwd=folder.path)
            rows.right("SELECT 1", done.out.count("1") >= 1, done.out)
            walls.append(done.wall * 1000)
            cpus.append(done.cpu * 1000)
    rows.at_most("frazil sql -e 'SELECT 1', ms", min(walls), 20,
                 f"least of {runs} runs, wall time; median {statistics.median(walls):.1f}; CPU "
                 f"{statistics.median(cpus):.1f}")


def resident(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(re.search(field + r":\s+(\d+) kB", f.read()).group(1)) / 1024


def idle(rows, count):
    with report.Folder() as folder:
        os.mkdir(folder.file("in"))
        with open(folder.file("in/a.ndjson"), "w", encoding="ascii") as f:
            for i in range(count):
                f.write(f'{{"id":{i},"k":{i * 7919 % 1000},"v":{i}.25,"t":"text {i % 977}"}}\n')
        script = folder.file("idle.sql", PIPELINE.format(path=folder.file("in")))
        with open(folder.file("log"), "wb") as log:
            process = subprocess.Popen([report.program("frazil"), "run", script], cwd=folder.path,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        done, end = 0, time.monotonic() + 120
        while done < count and time.monotonic() < end and process.poll() is None:
            time.sleep(0.5)
            found = re.findall(r"rows_out=(\d+)", open(folder.file("log"), encoding="utf-8").read())
            done = int(found[-1]) if found else 0
        time.sleep(5)
        now, peak = resident(process.pid, "VmRSS"), resident(process.pid, "VmHWM")
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
        rows.right("the load came through", done == count, f"{done} rows; exit {code}")
    rows.at_most("idle pipeline after a load, P = 2, MiB resident", now, 40,
                 f"{count} rows of JSON into Iceberg, then 5 s without; peak {peak:.0f} MiB")


def binary(rows):
    size = os.path.getsize(report.program("frazil")) / (1 << 20)
    rows.at_most("binary, MiB", size, 8, "release, with line tables")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--rows", type=int, default=1000000)
    a = p.parse_args()
    rows = report.Rows()
    startup(rows, a.runs)
    idle(rows, a.rows)
    binary(rows)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
