#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spark works on a table while a pipeline writes it: appends rows, compacts, rewrites manifests, expires.

  spark_test.py [--rounds N] [--keep DIR]

In each round files arrive, Spark does its work beside the running pipeline, and the pipeline is then
stopped or killed (-9) and started again at another parallelism. In between and at the end each row of
the files and each of Spark's own is there once: as Spark, PyIceberg and we read the table; nothing is
left behind. What Spark's own commit loses to one of ours it tries again (it is the one that has to);
how often it came through is printed. The last line is "N passed, N failed".
"""
import argparse
import collections
import contextlib
import os
import re
import subprocess
import sys
import threading
import time

import harness

subprocess.run([os.path.join(harness.PEERS, "lake", "install.sh"), "spark"], check=True)
harness.own_python(__file__)

import judge  # noqa: E402
from harness import Checks, Folder, Frazil, Lake, wait_until  # noqa: E402

SCRIPT = """
SET 'pipeline.name' = 'events';
SET 'execution.checkpointing.interval' = '2 s';
SET 'parallelism.default' = '{parallelism}';
CREATE TEMPORARY TABLE arriving (id BIGINT, part INT, payload STRING)
WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json', 'source.monitor-interval' = '100 ms');
CREATE TABLE IF NOT EXISTS events (id BIGINT, part INT, payload STRING) PARTITIONED BY (bucket(3, id))
WITH ('commit.retry.num-retries' = '30', 'commit.retry.min-wait-ms' = '20');
INSERT INTO events SELECT * FROM arriving;
"""
TABLE = "lake.default.events"
WORK = {
    "append": f"INSERT INTO {TABLE} SELECT -id - 1, -1, 'spark' FROM range({{from}}, {{to}})",
    "compact": "CALL lake.system.rewrite_data_files(table => 'default.events', "
               "options => map('min-input-files', '2', 'rewrite-all', 'true'))",
    "rewrite manifests": "CALL lake.system.rewrite_manifests(table => 'default.events', use_caching => false)",
    "expire": "CALL lake.system.expire_snapshots(table => 'default.events', "
              "older_than => TIMESTAMP '2200-01-01 00:00:00', retain_last => 2)",
}
# Java's JDBC catalog leaves the metadata of a commit that lost (UUIDs of version 4; ours are of version 8).
THEIRS = re.compile(r"Orphan files\] metadata/\d+-[0-9a-f]{8}-[0-9a-f]{4}-4[-0-9a-f]*\.metadata\.json:")
ROWS_OF_FILE, ROWS_OF_SPARK = 400, 25
LOST_RACE = ("CommitFailed", "Cannot commit", "SQLITE_BUSY", "database is locked", "has been updated",
             "UncheckedSQLException", "ValidationException", "conflict")


class Files:
    """NDJSON files moved into the directory that the pipeline watches, in a thread."""

    def __init__(self, folder):
        self.folder, self.next = folder.file("in"), folder.file("next")
        os.makedirs(self.folder)
        self.rows, self.parts, self.over = 0, 0, threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.over.wait(2):
            with open(self.next, "w", encoding="utf-8") as f:
                for i in range(ROWS_OF_FILE):
                    f.write(f'{{"id":{self.rows + i},"part":{self.parts},"payload":"p{i % 7}"}}\n')
            os.rename(self.next, os.path.join(self.folder, f"{self.parts:06}.json"))
            self.parts += 1
            self.rows += ROWS_OF_FILE

    def stop(self):
        self.over.set()
        self.thread.join()


class Spark:
    def __init__(self, folder, stack):
        stack.enter_context(judge.quiet_stderr(True))
        data = os.path.join(folder.path, "frazil-data")
        self.session = judge.spark_session(
            [f"lake=jdbc:{data}/catalog.db,file:{data}/warehouse"])
        stack.callback(self.session.stop)
        self.rows, self.tries, self.done = 0, collections.Counter(), collections.Counter()

    def work(self, checks):
        for name, statement in WORK.items():
            sql = statement.format(**{"from": self.rows, "to": self.rows + ROWS_OF_SPARK})
            error = "nothing tried"
            for _ in range(6):
                self.tries[name] += 1
                try:
                    self.session.sql(sql).collect()
                    error = None
                    break
                except Exception as e:  # noqa: BLE001: what it throws is looked at
                    error = str(e)
                    if not any(word in error for word in LOST_RACE):
                        break
            if checks.ok(f"Spark: {name}", error is None, (error or "")[:600]):
                self.done[name] += 1
                self.rows += ROWS_OF_SPARK if name == "append" else 0

    def ids(self):
        return sorted(r[0] for r in self.session.sql(f"SELECT id FROM {TABLE}").collect())


def check_rows(checks, when, ids, files, spark, complete):
    """Each row once; of the files a prefix of each while the pipeline is not done."""
    twice = [k for k, n in collections.Counter(ids).items() if n > 1]
    own = sum(i < 0 for i in ids)
    checks.ok(f"{when}: no row twice", not twice, f"{len(twice)}: {twice[:5]}")
    checks.ok(f"{when}: Spark's rows", own == spark.rows, f"{own}, appended {spark.rows}")
    if complete:
        checks.ok(f"{when}: all rows", len(ids) - own == files.rows,
                  f"{len(ids) - own}, expected {files.rows}")


def by_ourselves(folder):
    code, out, err = harness.sql(folder.path, "SELECT id FROM events", options=("--format", "tsv"))
    if code != 0:
        raise SystemExit(err)
    return sorted(int(x) for x in out.split("\n")[1 if out.startswith("id") else 0:] if x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep")
    options = parser.parse_args()
    checks = Checks()
    with Folder(options.keep) as folder, contextlib.ExitStack() as stack:
        files, spark, run = Files(folder), None, None
        stack.callback(files.stop)
        lake = Lake(folder.path)
        for turn in range(options.rounds):
            script = folder.file("run.sql", SCRIPT.format(folder=files.folder, parallelism=1 + turn % 3))
            run = Frazil(folder.path, script)
            stack.callback(run.kill)
            before = lake.count("events")
            if not checks.ok(f"round {turn}: rows are committed",
                             wait_until(lambda n=before: lake.count("events") > n, 60), run.tail()):
                break
            spark = spark or Spark(folder, stack)
            spark.work(checks)
            time.sleep(0.5)
            checks.ok(f"round {turn}: the pipeline runs on", run.running(), run.tail())
            run.kill() if turn % 2 == 0 else run.stop()
            check_rows(checks, f"round {turn}", spark.ids(), files, spark, complete=False)
        files.stop()
        run = Frazil(folder.path, script)
        stack.callback(run.kill)
        total = files.rows + (spark.rows if spark else 0)
        checks.ok("everything arrives", wait_until(lambda: lake.count("events") >= total, 90),
                  f"{lake.count('events')} of {total}; {run.tail()}")
        checks.ok("the last run stops", run.stop() == 130, run.tail())
        if spark:
            check_rows(checks, "Spark", spark.ids(), files, spark, complete=True)
            check_rows(checks, "PyIceberg", lake.rows("events").column("id").to_pylist(), files, spark,
                       complete=True)
            check_rows(checks, "ourselves", by_ourselves(folder), files, spark, complete=True)
            checks.note(", ".join(f"{name} {spark.done[name]} of {spark.tries[name]} tries" for name in WORK))
        lake.close()
        _, said = harness.verify(folder.path, "events")
        found = [x for x in said.split("\n") if x.startswith(("ERROR", "WARN")) and not THEIRS.search(x)]
        checks.ok("verify --strict --orphans", not found and " 0 errors" in said, said[-2000:])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
