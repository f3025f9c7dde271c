#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job on a real broker: clicks from Kafka into two Iceberg tables, each message exactly once.

  kafka_test.py [--messages N] [--keep DIR]

Four partitions, transactions of which some are aborted, one partition an hour of event time behind the
others. First a backlog, then a live part in which the broker is restarted and a partition is added;
then a message far in the future on each partition, so that all windows close. The producer's ledger
says what the raw table must hold, a plain model of it what the minutes must be; both tables are read
through PyIceberg. The last line is "N passed, N failed".
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import time

import harness

harness.own_python(__file__)

import broker as kafka  # noqa: E402
import clicks  # noqa: E402
from harness import Checks, Folder, Frazil, Lake, wait_until  # noqa: E402

HOUR_MS, TOPIC, STATE_MAX = 3_600_000, "clicks", 96 << 20


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--keep")
    return parser.parse_args()


class Load:
    """Messages with rising event time, up to 4 s out of order; partition 3 is an hour behind."""

    def __init__(self, producer, total):
        self.producer, self.total, self.made, self.transactions = producer, total, 0, 0
        self.last_ms = clicks.BASE_MS

    def send(self, count, partitions=4, size=500):
        for begin in range(0, count, size):
            plan = []
            for i in range(begin, min(begin + size, count)):
                n = self.made
                self.made += 1
                self.last_ms = clicks.BASE_MS + n * 2 * HOUR_MS // self.total
                part = n % partitions
                late = HOUR_MS if part == 3 else 0
                plan.append((part, self.last_ms - late - n * 13 % 4000))
            self.producer.send(plan, abort=self.transactions % 7 == 3)
            self.transactions += 1

    def close_windows(self, partitions):
        self.producer.send([(p, self.last_ms + 3 * HOUR_MS) for p in range(partitions)], False)


def received_bytes(pid):
    """What the kernel has handed to the process over its TCP connections."""
    out = subprocess.run(["ss", "-tinpHO"], capture_output=True, text=True, check=True).stdout
    return sum(int(m) for line in out.split("\n") if f"pid={pid}," in line
               for m in re.findall(r"bytes_received:(\d+)", line))


def log_bytes(folder, topic):
    return sum(os.path.getsize(x) for x in glob.glob(f"{folder}/data/{topic}-*/*.log"))


def wait_for(checks, lake, run, name, count, seconds):
    good = wait_until(lambda: not run.running() or lake.count(name) >= count, seconds, 0.3)
    return checks.ok(f"{name} reaches {count} rows",
                     good and run.running() and lake.count(name) == count,
                     f"{lake.count(name)} rows after {seconds} s\n    {run.tail()}")


def backlog(checks, args, server, load, run, lake):
    wait_for(checks, lake, run, "raw", load.producer.ledger.count(), 60 + args.messages // 5000)
    scan, got = log_bytes(server.folder, TOPIC), received_bytes(run.process.pid)
    checks.note(f"backlog read: {got} bytes received, {scan} in the log: {got / scan:.3f} of one scan")
    checks.ok("fetched at most 1.1 of one scan for both tables", 0 < got <= 1.1 * scan,
              f"{got} of {scan} bytes")


def live(checks, args, server, load, run, lake):
    part = args.messages // 10
    load.send(part)
    server.stop()
    time.sleep(1)
    server.start()
    checks.note("the broker is back")
    load.send(part)
    server.add_partitions(TOPIC, 5)
    # Before the new partition is found its rows must not hold up, or be overtaken by, the others.
    load.send(part, partitions=5)
    wait_for(checks, lake, run, "raw", load.producer.ledger.count(), 120)


def judge(checks, ledger, lake):
    difference = clicks.raw_difference(lake.rows("raw"), ledger)
    checks.ok("raw: each committed message once, every value", not difference, difference)
    got, doubled = clicks.read_minutes(lake.rows("per_minute"))
    want = clicks.expected_minutes(ledger, ledger.watermark_ms())
    difference = clicks.minutes_difference(got, want)
    checks.ok("per_minute: as the model computes it", not difference, difference)
    checks.ok("per_minute: each window once", doubled == 0, f"{doubled} doubled")
    checks.note(f"{ledger.count()} messages in {len(ledger.parts)} partitions, {ledger.aborted} "
                f"aborted, {len(want)} minutes")


def main():
    args, checks, ledger = parse(), Checks(), clicks.Ledger()
    kafka.install()
    with Folder(args.keep) as folder:
        server = kafka.Broker(folder.file("kafka"))
        checks.note("the broker answers")
        server.create(TOPIC, 4)
        producer = clicks.Producer(server.address, TOPIC, ledger, 1)
        load = Load(producer, args.messages + 3 * (args.messages // 10))
        load.send(args.messages)
        checks.note(f"{ledger.count()} messages committed, {ledger.aborted} aborted")
        file = folder.file("clicks.sql", clicks.script(
            TOPIC, server.address, checkpoint="2 s",
            properties={"write.metadata.delete-after-commit.enabled": "true"}))
        options = ["--set", "parallelism.default=2",
                   "--set", "table.exec.source.idle-timeout=10 min"]
        lake = Lake(folder.path)
        run = Frazil(folder.path, file, *options)
        backlog(checks, args, server, load, run, lake)
        live(checks, args, server, load, run, lake)
        load.close_windows(5)
        wait_for(checks, lake, run, "raw", ledger.count(), 60)
        want = clicks.expected_minutes(ledger, ledger.watermark_ms())
        wait_for(checks, lake, run, "per_minute", len(want), 30)
        peak = run.peak_memory()
        checks.ok("Ctrl-C ends it at a checkpoint", run.stop() == 130, run.tail())
        figures = run.figures()
        checks.note(f"late {figures.get('late')}, state {figures.get('state_bytes')} bytes, "
                    f"peak {peak >> 20} MiB, {figures.get('commits')} commits")
        checks.ok("no row was late", figures.get("late") == 0, str(figures))
        states = [int(x) for x in re.findall(r"state_bytes=(\d+)", run.text())]
        checks.ok("state is bounded", max(states, default=0) <= STATE_MAX, f"{max(states)} bytes")
        judge(checks, ledger, lake)
        code, text = harness.verify(folder.path, "raw", "per_minute")
        checks.ok("verify --strict --orphans", code == 0, text[-2000:])
        again = Frazil(folder.path, file, *options)
        wait_until(lambda: "checkpoint=" in again.text() or not again.running(), 30)
        checks.ok("a rerun goes on from there", again.stop() == 130 and
                  "resumed from checkpoint" in again.text(), again.tail())
        checks.ok("a rerun adds nothing", lake.count("raw") == ledger.count() and
                  lake.count("per_minute") == len(want))
        server.close()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
