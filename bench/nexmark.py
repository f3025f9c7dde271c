#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NEXMark q3, q17, q20 from a file of JSON: events a CPU-second against Flink.

    nexmark.py [--events 1000000] [--runs 3] [--queries q3,q17,q20] [--flink]

The events are those of tests/peers/flink/nexmark_gen.py (kept under PEERS_HOME), the queries those of
tests/corpora/nexmark. Ours is the CPU of the whole process, start included; P = 1. Neither side takes a
checkpoint (Flink's interval is 180 s, as NEXMark has it). What comes out is counted, in one run as a
pipeline, against a model of the query over the same file.

Without --flink the comparison is with figures of Flink 2.1.3 recorded on a machine of this kind
(tests/peers/flink/bench.py: after a warm-up, object reuse on, mini-batches, CPU of the TaskManager alone);
with it Flink runs beside us, alternating.
"""
import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys

import report

NEXMARK = os.path.join(report.ROOT, "tests", "corpora", "nexmark")
PEER = os.path.join(report.ROOT, "tests", "peers", "flink")
RECORDED = {"q3": 213e3, "q17": 194e3, "q20": 94e3}
SINKS = {
    "q3": "name STRING, city STRING, state STRING, id BIGINT",
    "q17": "auction BIGINT, `day` STRING, total_bids BIGINT, rank1_bids BIGINT, rank2_bids BIGINT, "
           "rank3_bids BIGINT, min_price BIGINT, max_price BIGINT, avg_price BIGINT, sum_price BIGINT",
    "q20": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, "
           "bid_dateTime TIMESTAMP(3), bid_extra STRING, itemName STRING, description STRING, "
           "initialBid BIGINT, reserve BIGINT, auction_dateTime TIMESTAMP(3), expires TIMESTAMP(3), "
           "seller BIGINT, category BIGINT, auction_extra STRING",
}


def events_file(count):
    base = os.environ.get("PEERS_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "frazil-peers")
    folder = os.path.join(base, "nexmark-data", f"events-{count}-gap100-p1")
    path = os.path.join(folder, "part-0.ndjson")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        with open(path + ".part", "wb") as f:
            subprocess.run([sys.executable, os.path.join(PEER, "nexmark_gen.py"), "--events", str(count),
                            "--gap-us", "100"], stdout=f, check=True)
        os.rename(path + ".part", path)
    return path


def expected(path):
    """Rows that come out of each query, by a model: {query: allowed counts}."""
    people, groups, auctions = {}, set(), {}
    bids, bids_of = 0, collections.Counter()
    with open(path, encoding="utf-8") as f:
        for line in f:
            event = json.loads(line)
            if event["event_type"] == 0:
                people[event["person"]["id"]] = event["person"]["state"]
            elif event["event_type"] == 1:
                auctions[event["auction"]["id"]] = event["auction"]
            else:
                bid = event["bid"]
                bids += 1
                groups.add((bid["auction"], bid["dateTime"][:10]))
                bids_of[bid["auction"]] += 1
    tens = [a for a in auctions.values() if a["category"] == 10]
    q3 = sum(people.get(a["seller"]) in ("OR", "ID", "CA") for a in tens)
    q20 = sum(bids_of[a["id"]] for a in tens)
    return {"q3": {q3}, "q17": {bids, 2 * bids - len(groups)}, "q20": {q20}}


def script(query, path):
    text = open(os.path.join(NEXMARK, "queries", "ddl.sql"), encoding="utf-8").read()
    text = re.sub(r"CREATE TABLE side_input.*?;", "", text, flags=re.S)
    text = text.replace("${EVENTS}", "file://" + path)
    text = re.sub(r"CREATE (TABLE|VIEW)", r"CREATE TEMPORARY \1", text)
    sql = open(os.path.join(NEXMARK, "queries", query + ".sql"), encoding="utf-8").read()
    sql = sql.strip().rstrip(";")
    return (f"SET 'parallelism.default' = '1';\nSET 'execution.runtime-mode' = 'streaming';\n"
            f"{text}\nCREATE TEMPORARY TABLE answer ({SINKS[query]}) "
            f"WITH ('connector' = 'blackhole');\n"
            f"INSERT INTO answer\n{sql};\n")


def verify(rows, query, path, allowed):
    """Once, as a pipeline that says what it did."""
    with report.Folder() as folder:
        file = folder.file(query + ".sql", script(query, path))
        done = report.run([report.program("frazil"), "run", file], cwd=folder.path)
    figures = {k: int(v) for k, v in re.findall(r"(rows_in|rows_out)=(\d+)", done.err)}
    rows.right(f"{query}: rows", figures.get("rows_out") in allowed,
               f"{figures}, expected {sorted(allowed)}; {done.err[-500:]}")


def ours(query, path, count):
    with report.Folder() as folder:
        file = folder.file(query + ".sql", script(query, path))
        done = report.run([report.program("frazil"), "sql", "-f", file], cwd=folder.path)
    return count / done.cpu


def flink(query, count):
    done = report.run([sys.executable, os.path.join(PEER, "bench.py"), query, "--events", str(count),
                       "--ndjson", "--fixtures", NEXMARK])
    answer = json.loads(done.out.strip().split("\n")[-1])
    return count / answer["tm_cpu_s"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--events", type=int, default=1000000)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--queries", default="q3,q17,q20")
    p.add_argument("--flink", action="store_true")
    a = p.parse_args()
    rows = report.Rows()
    path = events_file(a.events)
    allowed = expected(path)
    if a.flink:
        subprocess.run([os.path.join(PEER, "install.sh")], check=True, stdout=subprocess.DEVNULL)
    queries = a.queries.split(",")
    found, theirs = {q: [] for q in queries}, {q: [] for q in queries}
    for query in queries:
        verify(rows, query, path, allowed[query])
    for _ in range(a.runs):
        for query in queries:
            found[query].append(ours(query, path, a.events))
            if a.flink:
                theirs[query].append(flink(query, a.events))
    for query in queries:
        mine = statistics.median(found[query])
        base = statistics.median(theirs[query]) if a.flink else RECORDED[query]
        word = "measured beside" if a.flink else "recorded"
        rows.at_least(f"NEXMark {query} from JSON, x Flink", mine / base, 8,
                      f"{a.events / 1e6:g} M events; {mine / 1e3:.0f} k events a CPU-second (runs "
                      f"{[round(x / 1e3) for x in found[query]]}), Flink {base / 1e3:.0f} k {word}")
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
