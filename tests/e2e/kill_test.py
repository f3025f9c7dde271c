#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job under load, killed (-9) at chosen steps, over and over.

  kill_test.py [--kills N] [--source kafka|files] [--seed S] [--keep DIR]

Each run is armed with FRAZIL_KILL_AT (src/base/mark.h), so that it dies exactly at a step: each group
of steps below gets its turn, at a random passage, at a random parallelism. PyIceberg appends rows of
its own to the same table, between the runs and beside them. After each death both tables are read
through PyIceberg: what they hold must be a prefix of each partition in the producer's ledger, no row
twice, no window twice or wrong. At the end everything is there exactly once, and nothing is left
behind. The counts of each step are printed. The last line is "N passed, N failed".
"""
import argparse
import array
import json
import os
import random
import re
import sys
import threading
import time

import harness

harness.own_python(__file__)

import clicks  # noqa: E402
from harness import Checks, Folder, Frazil, Lake, wait_until  # noqa: E402

ANY_MOMENT = "any moment"
# Group: its steps, and the passage at which a run dies (at random up to this one).
STEPS = {
    "segments written": (("file.segments.after_rename", "file.segment.after_rename"), 6),
    "file closed": (("file.parquet.after_rename",), 8),
    "manifest before its rename": (("file.checkpoint.before_rename",), 5),
    "manifest after its rename": (("file.checkpoint.after_rename",), 5),
    "metadata written": (("file.json.after_rename",), 6),
    "swap sent": (("catalog.swap.sent",), 6),
    "swap's reply lost": (("catalog.swap.answered",), 6),
    "fence": (("recovery.fence", "recovery.fenced"), 2),
    "expiry": (("commit.expire",), 4),
    "restore": (("recovery.restore", "recovery.loaded"), 1),
    ANY_MOMENT: ((), 1),
}
PROPERTIES = {"history.expire.max-snapshot-age-ms": "1", "history.expire.min-snapshots-to-keep": "5",
              "write.metadata.previous-versions-max": "10",
              "write.metadata.delete-after-commit.enabled": "true"}
INTERVALS = {"checkpoint": "150 ms", "commit": "400 ms", "buckets": 2}
# A crash between an expiry and its removals may leave PyIceberg's expired metadata (UUIDs of version
# 4; ours are of version 8): nobody can tell them from those of a commit on its way.
OTHERS_ORPHAN = re.compile(r"Orphan files\] metadata/[-0-9a-z]*-[0-9a-f]{8}-[0-9a-f]{4}-4[-0-9a-f]*"
                           r"(-m\d+)?\.(avro|metadata\.json):")
FOREIGN, STEP_MS, DEATH_SECONDS = -1, 60, 60


class Feed:
    """Produces without end, in a thread, until stop(); the ledger is complete under its lock."""

    def __init__(self):
        self.ledger, self.lock, self.made = clicks.Ledger(), threading.Lock(), 0
        self.over, self.error = threading.Event(), None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def times(self, count):
        """Event times of the next messages: rising, up to 4 s out of order."""
        for _ in range(count):
            n = self.made
            self.made += 1
            yield clicks.BASE_MS + n * STEP_MS - n * 13 % 4000

    def _run(self):
        try:
            while not self.over.is_set():
                with self.lock:
                    self.step()
                time.sleep(self.pause)
        except Exception as e:  # seen by the main thread at stop()
            self.error = e

    def stop(self):
        self.over.set()
        self.thread.join()
        if self.error:
            raise self.error
        self.close_windows(clicks.BASE_MS + self.made * STEP_MS + 3_600_000)


class KafkaFeed(Feed):
    name, pause = "kafka", 0.05

    def __init__(self, folder):
        import broker
        super().__init__()
        broker.install()
        self.server = broker.Broker(folder.file("kafka"))
        self.server.create("clicks", 4)
        self.producer = clicks.Producer(self.server.address, "clicks", self.ledger, 1)
        self.transactions = 0

    def step(self):
        plan = [(i % 4, ts) for i, ts in enumerate(self.times(60))]
        self.producer.send(plan, abort=self.transactions % 6 == 2)
        self.transactions += 1

    def close_windows(self, ts_ms):
        self.producer.send([(p, ts_ms) for p in range(4)], False)

    def watermark_ms(self):
        return self.ledger.watermark_ms()

    def script(self):
        return clicks.script("clicks", self.server.address, properties=PROPERTIES, **INTERVALS)

    def close(self):
        self.server.close()


class FilesFeed(Feed):
    """NDJSON files moved into a directory; "partition" and "offset" are file and line."""
    name, pause = "files", 0.3

    def __init__(self, folder):
        super().__init__()
        self.folder, self.part = folder.file("in"), 0
        os.makedirs(self.folder)

    def put(self, times):
        path = os.path.join(os.path.dirname(self.folder), "next")
        with open(path, "w", encoding="utf-8") as f:
            for off, ts in enumerate(times):
                n = self.part * 1000 + off
                f.write(f'{{"part":{self.part},"off":{off},' + clicks.message(n, ts)[1:] + "\n")
                self.ledger.add(self.part, n, off, ts)
        os.rename(path, os.path.join(self.folder, f"{self.part:06}.json"))
        self.part += 1

    def step(self):
        self.put(list(self.times(350)))

    def close_windows(self, ts_ms):
        self.put([ts_ms])

    def watermark_ms(self):
        """Files that are read to their end hold nothing back."""
        return max(max(p[2]) for p in self.ledger.parts.values()) - 5000

    def script(self):
        text = clicks.script("x", "x", properties=PROPERTIES, **INTERVALS)
        begin, end = text.index("  part INT METADATA"), text.index("  host AS")
        text = text[:begin] + "  part INT, off BIGINT,\n" + text[end:]
        begin, end = text.index("WITH ('connector'"), text.index("CREATE TABLE IF NOT EXISTS raw")
        return (text[:begin] + f"WITH ('connector' = 'filesystem', 'path' = '{self.folder}', "
                "'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601', "
                "'source.monitor-interval' = '100 ms');\n" + text[end:])

    def close(self):
        pass


def by_part(rows):
    """{part: offsets} of the rows of a file."""
    out = {}
    for part, off in zip(rows.column("part").to_pylist(), rows.column("off").to_pylist()):
        out.setdefault(part, array.array("q")).append(off)
    return out


class Minutes:
    """The windows of the ledger so far, kept up as it grows."""

    def __init__(self):
        self.taken, self.open = {}, {}

    def follow(self, ledger):
        for part, (numbers, _, times) in ledger.parts.items():
            for i in range(self.taken.get(part, 0), len(numbers)):
                n = numbers[i]
                entry = self.open.setdefault((times[i] // 60000, clicks.host_of(n)), [0, set(), 0])
                entry[0] += 1
                entry[1].add(clicks.user_of(n))
                entry[2] += clicks.cents_of(n)
            self.taken[part] = len(numbers)

    def wrong(self, got):
        """The first row that no model of the whole ledger gives, or ""."""
        for key, (count, users, revenue) in got.items():
            entry = self.open.get(key)
            want = (entry[0], len(entry[1]), entry[2]) if entry else None
            if want != (count, users, int(revenue.scaleb(2))):
                return f"{key}: {count}, {users}, {revenue} instead of {want}"
        return ""


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.checks = args, folder, Checks()
        self.random, self.lake = random.Random(args.seed), Lake(folder.path)
        self.feed = (KafkaFeed if args.source == "kafka" else FilesFeed)(folder)
        self.file = folder.file("clicks.sql", self.feed.script())
        self.report = folder.file("marks")
        self.counts = {group: 0 for group in STEPS}
        self.minutes, self.foreign = Minutes(), 0
        self.passages = {}

    def append_foreign(self):
        """A snapshot of PyIceberg's: rows of partition -1."""
        import datetime
        import pyarrow as pa
        from pyiceberg.exceptions import CommitFailedException
        for _ in range(20):
            try:
                table = self.lake.table("raw")
                schema = table.schema().as_arrow()
                when = datetime.datetime.fromtimestamp(clicks.BASE_MS / 1000, datetime.timezone.utc)
                row = {"part": FOREIGN, "off": self.foreign, "ts": when}
                rows = [{f.name: row.get(f.name) for f in schema}]
                table.append(pa.Table.from_pylist(rows, schema=schema))
                self.foreign += 1
                return
            except CommitFailedException:
                continue
        self.checks.ok("PyIceberg gets a snapshot in", False)

    def start(self, target=None):
        env = {"FRAZIL_MARKS": self.report}
        if target:
            env["FRAZIL_KILL_AT"] = target
        if os.path.exists(self.report):
            os.unlink(self.report)
        return Frazil(self.folder.path, self.file, "--set",
                      f"parallelism.default={self.random.choice((1, 2, 2, 3))}", env=env)

    def kill_once(self, number, group):
        steps, last = STEPS[group]
        target = f"{self.random.choice(steps)}:{self.random.randint(1, last)}" if steps else None
        if self.random.random() < 0.4:
            self.append_foreign()
        begun = time.monotonic()
        run = self.start(target)
        if target is None:
            run.wait(self.random.random())
            run.kill()
        elif self.random.random() < 0.4:
            time.sleep(0.5)
            self.append_foreign()
        target = target or group
        code = run.wait(DEATH_SECONDS)
        self.read_report()
        if not self.checks.ok(f"kill {number} at {target}", code == -9,
                              f"exit {code}\n    {run.tail()}"):
            run.kill()
            return
        self.counts[group] += 1
        self.look(f"kill {number} at {target}", time.monotonic() - begun)

    def read_report(self):
        if os.path.exists(self.report):
            with open(self.report, encoding="ascii") as f:
                for line in f:
                    name, count = line.split()[:2]
                    if name != "killed":
                        self.passages[name] = self.passages.get(name, 0) + int(count)

    def raw_difference(self):
        """What is not a prefix of each partition of the ledger, or ""."""
        parts = {}
        for file in self.lake.rows_cached("raw", by_part):
            for part, offsets in file.items():
                parts.setdefault(part, []).extend(offsets)
        foreign = sorted(parts.pop(FOREIGN, []))
        if foreign != list(range(self.foreign)):
            return f"{len(foreign)} foreign rows instead of {self.foreign}"
        for part, found in sorted(parts.items()):
            got, want = sorted(found), self.feed.ledger.parts[part][1]
            if len(got) > len(want) or got != want[:len(got)].tolist():
                at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b),
                          min(len(got), len(want)))
                return (f"partition {part}: {len(got)} rows; row {at} is offset {got[at:at + 1]}, "
                        f"not {want[at:at + 1].tolist()}")
        self.rows = sum(len(found) for found in parts.values())
        return ""

    def look(self, what, seconds):
        with self.feed.lock:
            difference = self.raw_difference()
            self.checks.ok(f"raw after {what}", not difference, difference)
            got, doubled = clicks.read_minutes(self.lake.rows("per_minute"))
            self.minutes.follow(self.feed.ledger)
            wrong = self.minutes.wrong(got)
            self.checks.ok(f"per_minute after {what}", not wrong and not doubled,
                           wrong or f"{doubled} doubled")
            self.checks.note(f"{what}: {seconds:.1f} s, {self.rows} of "
                             f"{self.feed.ledger.count()} rows, {len(got)} minutes, "
                             f"{self.foreign} foreign")

    def finish(self):
        self.feed.stop()
        ledger = self.feed.ledger
        want = clicks.expected_minutes(ledger, self.feed.watermark_ms())
        total = ledger.count() + self.foreign
        run = self.start()
        done = wait_until(lambda: not run.running() or (self.lake.count("raw") >= total and
                                                        self.lake.count("per_minute") >= len(want)),
                          60, 0.2)
        self.checks.ok("the last run reads everything", done and run.running(),
                       f"{self.lake.count('raw')} of {total}, {self.lake.count('per_minute')} of "
                       f"{len(want)}\n    {run.tail()}")
        self.checks.ok("the last run ends well", run.stop() == 130, run.tail())
        self.checks.ok("no row was late", run.figures().get("late") == 0, str(run.figures()))
        rows = self.lake.rows("raw")
        import pyarrow.compute as pc
        own = rows.filter(pc.not_equal(rows.column("part"), FOREIGN))
        difference = clicks.raw_difference(own, ledger)
        self.checks.ok("raw: each message once, every value", not difference, difference)
        self.checks.ok("raw: every foreign row", rows.num_rows - own.num_rows == self.foreign)
        got, doubled = clicks.read_minutes(self.lake.rows("per_minute"))
        difference = clicks.minutes_difference(got, want)
        self.checks.ok("per_minute: each window once, as the model", not difference and not doubled,
                       difference)
        _, text = harness.verify(self.folder.path, "raw", "per_minute")
        faults = [x for x in text.split("\n") if x.startswith(("ERROR", "WARN"))
                  and not OTHERS_ORPHAN.search(x)]
        self.checks.ok("verify --strict --orphans", not faults and "0 errors" in text,
                       "\n    ".join(faults) or text[-1000:])
        left = [x for x in os.listdir(os.path.join(self.folder.path, "frazil-data", "checkpoints",
                                                   "clicks")) if x.endswith(".checkpoint")]
        self.checks.ok("one checkpoint is left", len(left) == 1, str(left))

    def run(self):
        first = self.start()
        ready = wait_until(lambda: self.lake.count("raw") > 0 and "checkpoint=" in first.text(), 60)
        self.checks.ok("the first run commits", ready, first.tail())
        first.kill()
        self.look("a kill by nobody's step", 0)
        groups = list(STEPS)
        for number in range(1, self.args.kills + 1):
            self.kill_once(number, groups[(number - 1) % len(groups)])
        self.finish()
        for group, count in self.counts.items():
            print(f"{count:4} kills: {group}")
        self.checks.ok("each step had its share",
                       min(self.counts.values()) >= self.args.kills // len(STEPS))
        print("passages: " + json.dumps(self.passages, sort_keys=True))
        self.feed.close()
        return self.checks.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=15)
    parser.add_argument("--source", choices=["kafka", "files"], default="kafka")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    args = parser.parse_args()
    with Folder(args.keep) as folder:
        test = Test(args, folder)
        test.feed.thread.start()
        return test.run()


if __name__ == "__main__":
    sys.exit(main())
