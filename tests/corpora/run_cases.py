#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streaming cases in every configuration asked for.

  run_cases.py [--config NAME,NAME] [--only CASE,CASE] DIR... [-- COMMAND]

DIR holds folders of the form that flink-streaming/INDEX.md describes. Each case must agree as its
`-- compare:` says; with more than one worker only the final result is compared, since the order
between groups is then free. Cases named in DIR/not_yet.txt (name, tab, what the refusal says) use
what does not exist yet: they must be refused while the statement is checked, with that text; one
that runs must leave the list. COMMAND is `$FRAZIL sql --format typed --keep-going -f -`.
The last line is `N passed, N failed`.
"""
import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import streaming_runner as runner  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = os.path.join(os.path.dirname(HERE), "configs")
BASE = {"execution.runtime-mode": "streaming", "table.local-time-zone": "UTC",
        "parallelism.default": "1", "pipeline.auto-watermark-interval": "0 ms"}


def read_config(name):
    settings = {}
    for line in open(os.path.join(CONFIGS, name + ".conf"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            key, value = line.split("=", 1)
            settings[key.strip()] = value.strip()
    return settings


def config_names():
    return sorted(f[:-5] for f in os.listdir(CONFIGS) if f.endswith(".conf"))


def read_not_yet(folder):
    path = os.path.join(folder, "not_yet.txt")
    if not os.path.exists(path):
        return {}
    rows = [x.split("\t") for x in open(path, encoding="utf-8").read().split("\n")
            if x and not x.startswith("#")]
    return {r[0]: r[1] for r in rows}


def run_refused(folder, text, options):
    sql = open(os.path.join(folder, "case.sql"), encoding="utf-8").read()
    stmts = runner.statements(sql.replace("${DIR}", "file://" + os.path.abspath(folder)))
    block, _ = runner.run(options.command, stmts, options.settings, options.timeout)
    if block[0] != "error":
        return "it runs now: take it off not_yet.txt"
    if block[1] != "validate" or text not in block[2]:
        return f"refused otherwise than expected: {block[1]}: {block[2]}"
    return None


def run_one(job):
    folder, refusal, config, command, timeout = job
    settings = dict(BASE, **read_config(config))
    options = SimpleNamespace(command=command, settings=settings, timeout=timeout, no_types=False)
    if refusal is not None:
        return run_refused(folder, refusal, options)
    options.final_only = settings["parallelism.default"] != "1"
    return runner.run_case(folder, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dirs", nargs="+")
    parser.add_argument("--config", default="default", help="names of tests/configs, or 'all'")
    parser.add_argument("--only")
    parser.add_argument("--timeout", type=int, default=120)
    argv, command = sys.argv[1:], [os.environ.get("FRAZIL", "frazil"), "sql", "--format", "typed",
                                   "--keep-going", "-f", "-"]
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    args = parser.parse_args(argv)
    command = [os.path.abspath(x) if os.path.exists(x) else x for x in command]
    configs = config_names() if args.config == "all" else args.config.split(",")
    jobs = []
    for config in configs:
        for top in args.dirs:
            not_yet = read_not_yet(top)
            for name in sorted(os.listdir(top)):
                if not os.path.exists(os.path.join(top, name, "case.sql")):
                    continue
                if args.only and name not in args.only.split(","):
                    continue
                jobs.append((os.path.join(top, name), not_yet.get(name), config, command,
                             args.timeout))
    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, why in zip(jobs, pool.map(run_one, jobs)):
            if why is not None:
                bad += 1
                print(f"FAILED {os.path.basename(job[0])} [{job[2]}]: {why}", flush=True)
    print(f"{len(jobs) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
