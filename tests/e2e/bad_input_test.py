#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input: what is said, where it points, with which code it ends, and that a rerun is right.

  bad_input_test.py [--only TEXT] [--no-kafka] [--write] [--keep DIR]

The cases are in bad_input/*.cases. A case has a folder of its own and steps, one a line:

  === what it proves
  file NAME             the lines behind it that begin with "| " (\\xNN: a byte)
  append NAME           the same, behind what is there
  sh COMMAND            a shell command that must succeed
  topic NAME PARTITIONS [CONFIG=VALUE…]   on the real broker
  produce TOPIC PARTITION                 one message a line
  drop TOPIC PARTITION OFFSET             the log begins there; delete TOPIC: all of it
  run ARGUMENTS         frazil ARGUMENTS (shell quoting); waits for its end
  start ARGUMENTS       in the background; waits for its first checkpoint; `stop` interrupts it
  wait TABLE N          until the table has N rows
  nobody run …          as a user who may write nothing; full run …: on a disk that is full
  exit N                of the last run
  err, out              what it wrote, exactly (status lines left out); DIR is the case's folder
  rows TABLE            the rows of an Iceberg table as PyIceberg reads them, JSON, sorted

{FRAZIL} is the program, {KAFKA} the broker's address, {DEAD} one where nothing listens. With --write the err, out and rows
blocks are written anew, to be looked at. The last line is "N passed, N failed".
"""
import argparse
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import harness

harness.own_python(__file__)

from harness import Checks, Folder, Lake, wait_until  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCKS = ("file", "append", "err", "out", "rows", "produce")
SECONDS = 60


class Step:
    def __init__(self, line):
        self.verb, _, self.rest = line.partition(" ")
        self.line, self.block = line, []


class Case:
    def __init__(self, name):
        self.name, self.steps, self.comments = name, [], []


def load(path):
    cases = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().split("\n"), 1):
            if line.startswith("=== "):
                cases.append(Case(line[4:]))
            elif line == "|" or line.startswith("| "):
                cases[-1].steps[-1].block.append(line[2:])
            elif line and not line.startswith("#"):
                step = Step(line)
                if not cases or (step.verb not in BLOCKS and step.verb not in
                                 ("run", "start", "stop", "wait", "sh", "topic", "drop", "delete", "exit",
                                  "nobody", "full")):
                    sys.exit(f"{path}:{number}: {line}")
                cases[-1].steps.append(step)
    return cases


def bytes_of(step):
    text = "".join(x + "\n" for x in step.block).encode()
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m.group(1), 16)]), text)


class World:
    """What all cases share: the broker, once one is needed, and the library for full disks."""

    def __init__(self, folder, with_kafka):
        self.folder, self.with_kafka, self.broker, self.library = folder, with_kafka, None, None
        import broker as kafka
        self.dead = f"127.0.0.1:{kafka.free_ports(1)[0]}"

    def kafka(self):
        if self.broker is None:
            import broker as kafka
            kafka.install()
            self.broker = kafka.Broker(self.folder.file("kafka"))
        return self.broker

    def full_disk(self, folder):
        if self.library is None:
            self.library = self.folder.file("iofault.so")
            source = os.path.join(os.path.dirname(HERE), "faults", "iofault.c")
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl"],
                           check=True)
        return {"LD_PRELOAD": self.library, "IOFAULT_DIR": os.path.join(folder, "frazil-data"),
                "IOFAULT_AT": "1", "IOFAULT_AS": "full"}


class Player:
    def __init__(self, world, case, folder, checks):
        self.world, self.case, self.folder, self.checks = world, case, folder, checks
        self.code, self.out, self.err, self.background = None, "", "", None

    def fill(self, text):
        if "{KAFKA}" in text:
            text = text.replace("{KAFKA}", self.world.kafka().address)
        text = text.replace("{FRAZIL}", harness.binary())
        return text.replace("{DEAD}", self.world.dead).replace("{DIR}", self.folder)

    def plain(self, text):
        """Output without what differs from run to run."""
        text = "".join(x for x in text.splitlines(True) if not x.startswith("checkpoint="))
        text = text.replace(os.path.realpath(self.folder), "DIR").replace(self.world.dead, "DEAD")
        if self.world.broker:
            text = text.replace(self.world.broker.address, "KAFKA")
        text = re.sub(r"process \d+", "process PID", text)
        text = re.sub(r"\b(checkpoint \d+)-\d+", r"\1-N", text)
        text = re.sub(r"-[0-9a-f]{16}-", "-HASH-", text)
        text = re.sub(r"\(after \d+ms in state \w+(, \d+ identical error\(s\) suppressed)?\)",
                      "(after N ms)", text)
        text = re.sub(r"a block of \d+ bytes", "a block of N bytes", text)
        return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID", text)

    def same(self, step, got, write):
        got = got.rstrip("\n").split("\n") if got else []
        if write:
            step.block = got
            return
        self.checks.ok(f"{self.case.name}: {step.line}", got == step.block,
                       "wanted:\n      " + "\n      ".join(step.block) + "\n    got:\n      "
                       + "\n      ".join(got))

    def frazil(self, arguments, env=None, nobody=False):
        user, program = {}, harness.binary()
        if nobody and os.getuid() == 0:
            user = {"user": 65534, "group": 65534, "extra_groups": []}
            program = self.folder + ".frazil"  # where this tree lies, others may not be let in
            shutil.copy(harness.binary(), program)
            os.chmod(program, 0o755)
        return subprocess.Popen([program, *shlex.split(self.fill(arguments))],
                                cwd=self.folder, env={**os.environ, **(env or {})},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", **user)

    def run(self, arguments, env=None, nobody=False):
        process = self.frazil(arguments, env, nobody)
        try:
            self.out, self.err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            self.out, self.err = process.communicate()
            self.checks.ok(f"{self.case.name}: {arguments}: ends", False, self.err)
        self.code = process.returncode

    def start(self, arguments):
        log = open(os.path.join(self.folder, "start.log"), "w+", encoding="utf-8")
        self.background = subprocess.Popen(
            [harness.binary(), *shlex.split(self.fill(arguments))], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

        def text():
            with open(log.name, encoding="utf-8") as f:
                return f.read()
        good = wait_until(lambda: "checkpoint=" in text() or self.background.poll() is not None, 30)
        self.checks.ok(f"{self.case.name}: {arguments}: runs",
                       good and self.background.poll() is None, text())

    def stop(self):
        if self.background is not None:
            self.background.send_signal(signal.SIGINT)
            self.code = self.background.wait(30)
            self.background = None

    def rows(self, table):
        lake = Lake(self.folder)
        rows = [json.dumps(r, default=str) for r in lake.rows(table).to_pylist()]
        lake.close()
        return "\n".join(sorted(rows))

    def play(self, step, write):
        path = os.path.join(self.folder, step.rest)
        if step.verb in ("file", "append"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb" if step.verb == "file" else "ab") as f:
                f.write(self.fill(bytes_of(step).decode("latin-1")).encode("latin-1"))
        elif step.verb == "sh":
            done = subprocess.run(self.fill(step.rest), shell=True, cwd=self.folder, check=False)
            self.checks.ok(f"{self.case.name}: {step.line}", done.returncode == 0)
        elif step.verb == "topic":
            name, count, *config = step.rest.split()
            self.world.kafka().create(name, int(count), **dict(c.split("=") for c in config))
        elif step.verb == "produce":
            self.produce(step)
        elif step.verb == "drop":
            topic, part, offset = step.rest.split()
            self.world.kafka().drop(topic, int(part), int(offset))
        elif step.verb == "delete":
            self.world.kafka().delete(step.rest)
        elif step.verb == "wait":
            table, count = step.rest.split()
            lake = Lake(self.folder)
            good = wait_until(lambda: lake.count(table) >= int(count), 30)
            self.checks.ok(f"{self.case.name}: {step.line}", good)
        elif step.verb == "run":
            self.run(step.rest)
        elif step.verb == "nobody":
            self.run(step.rest.partition(" ")[2], nobody=True)
        elif step.verb == "full":
            self.run(step.rest.partition(" ")[2], env=self.world.full_disk(self.folder))
        elif step.verb == "start":
            self.start(step.rest)
        elif step.verb == "stop":
            self.stop()
        elif step.verb == "exit":
            self.checks.ok(f"{self.case.name}: {step.line}", self.code == int(step.rest),
                           f"it was {self.code}\n{self.err}")
        else:
            text = {"err": lambda: self.plain(self.err), "out": lambda: self.plain(self.out),
                    "rows": lambda: self.rows(step.rest)}[step.verb]()
            self.same(step, text, write)

    def produce(self, step):
        from confluent_kafka import Producer
        topic, part = step.rest.split()
        client = Producer({"bootstrap.servers": self.world.kafka().address, "log_level": 0})
        for line in bytes_of(step).split(b"\n")[:-1]:
            client.produce(topic, line, partition=int(part))
        client.flush(30)


def play(world, case, folder, checks, write):
    os.makedirs(folder)
    os.chmod(folder, 0o755)
    player = Player(world, case, folder, checks)
    try:
        for step in case.steps:
            player.play(step, write)
    finally:
        player.stop()


def save(path, cases):
    with open(path, encoding="utf-8") as f:
        head = [x for x in f.read().split("=== ")[0].split("\n")]
    out = "\n".join(head)
    for case in cases:
        out += f"=== {case.name}\n"
        for step in case.steps:
            out += step.line + "\n" + "".join(f"| {x}".rstrip() + "\n" for x in step.block)
        out += "\n"
    with open(path, "w", encoding="utf-8") as f:
        f.write(out.rstrip("\n") + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--no-kafka", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep")
    args, checks, count = parser.parse_args(), Checks(), 0
    with Folder(args.keep) as folder:
        os.chmod(folder.path, 0o755)
        world = World(folder, not args.no_kafka)
        for path in sorted(glob.glob(os.path.join(HERE, "bad_input", "*.cases"))):
            cases = load(path)
            stem = os.path.basename(path).removesuffix(".cases")
            for number, case in enumerate(cases):
                uses_kafka = any("{KAFKA}" in x for s in case.steps for x in (s.line, *s.block))
                if (args.only and args.only not in case.name) or (args.no_kafka and uses_kafka):
                    continue
                play(world, case, folder.file(f"{stem}-{number}"), checks, args.write)
                count += 1
            if args.write:
                save(path, cases)
        if world.broker:
            world.broker.close()
    print(f"{count} cases")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
