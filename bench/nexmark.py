#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NEXMark queries from a file of JSON: events a CPU-second against Flink.

    nexmark.py [--events 1000000] [--runs 3] [--queries q3,q17,q20 | --queries all] [--flink]

The events are those of tests/peers/flink/nexmark_gen.py (kept under PEERS_HOME), the queries those of
tests/corpora/nexmark. Ours is the CPU of the whole process, start included; P = 1. Neither side takes a
checkpoint (Flink's interval is 180 s, as NEXMark has it). What comes out is counted, in one run as a
pipeline, against a model of the query over the same file.

Without --flink the comparison is with figures of Flink 2.1.3 recorded on a machine of this kind (CPU of the
TaskManager alone; tests/peers/flink/bench.py says what is set). With it Flink runs beside us, once to warm
up and then in turn with us; and both are asked for the number of rows of each query and a sum over them,
which must be equal.
"""
import argparse
import collections
import contextlib
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
BOUND = 8  # x Flink, of the queries recorded
SINKS = {
    "q0": "auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING",
    "q1": "auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), `dateTime` TIMESTAMP(3), extra STRING",
    "q2": "auction BIGINT, price BIGINT",
    "q3": "name STRING, city STRING, state STRING, id BIGINT",
    "q16": "channel STRING, `day` STRING, `minute` STRING, total_bids BIGINT, rank1_bids BIGINT, "
           "rank2_bids BIGINT, rank3_bids BIGINT, total_bidders BIGINT, rank1_bidders BIGINT, "
           "rank2_bidders BIGINT, rank3_bidders BIGINT, total_auctions BIGINT, rank1_auctions BIGINT, "
           "rank2_auctions BIGINT, rank3_auctions BIGINT",
    "q17": "auction BIGINT, `day` STRING, total_bids BIGINT, rank1_bids BIGINT, rank2_bids BIGINT, "
           "rank3_bids BIGINT, min_price BIGINT, max_price BIGINT, avg_price BIGINT, sum_price BIGINT",
    "q20": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, "
           "bid_dateTime TIMESTAMP(3), bid_extra STRING, itemName STRING, description STRING, "
           "initialBid BIGINT, reserve BIGINT, auction_dateTime TIMESTAMP(3), expires TIMESTAMP(3), "
           "seller BIGINT, category BIGINT, auction_extra STRING",
    "q22": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, dir1 STRING, dir2 STRING, "
           "dir3 STRING",
}
# What is summed to compare the rows of both sides.
SUMS = {"q0": "CHAR_LENGTH(extra) + price", "q1": "price", "q2": "price", "q3": "CHAR_LENGTH(name) + id",
        "q16": "total_bidders + 3 * rank2_auctions + rank3_bids", "q17": "avg_price + sum_price",
        "q20": "price + CHAR_LENGTH(url) + seller", "q22": "CHAR_LENGTH(dir1) + CHAR_LENGTH(dir3) + price"}


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
    """Rows that come out of each query, by a model: {query: (least, most)}. An aggregate may send one
    row for each change of a group or two."""
    people, auctions = {}, {}
    by_auction, by_channel, of_auction = set(), set(), collections.Counter()
    bids = sampled = 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            event = json.loads(line)
            if event["event_type"] == 0:
                people[event["person"]["id"]] = event["person"]["state"]
            elif event["event_type"] == 1:
                auctions[event["auction"]["id"]] = event["auction"]
            else:
                bid = event["bid"]
                day = bid["dateTime"][:10]
                bids += 1
                sampled += bid["auction"] % 123 == 0
                by_auction.add((bid["auction"], day))
                by_channel.add((bid["channel"], day))
                of_auction[bid["auction"]] += 1
    tens = [a for a in auctions.values() if a["category"] == 10]
    q3 = sum(people.get(a["seller"]) in ("OR", "ID", "CA") for a in tens)
    q20 = sum(of_auction[a["id"]] for a in tens)
    out = {q: (bids, bids) for q in ("q0", "q1", "q22")}
    out.update(q2=(sampled, sampled), q3=(q3, q3), q20=(q20, q20),
               q16=(bids, 2 * bids - len(by_channel)), q17=(bids, 2 * bids - len(by_auction)))
    return out


def ddl(path):
    text = open(os.path.join(NEXMARK, "queries", "ddl.sql"), encoding="utf-8").read()
    text = re.sub(r"CREATE TABLE side_input.*?;", "", text, flags=re.S)
    text = text.replace("${EVENTS}", "file://" + path)
    return re.sub(r"CREATE (TABLE|VIEW)", r"CREATE TEMPORARY \1", text)


def select(query):
    text = open(os.path.join(NEXMARK, "queries", query + ".sql"), encoding="utf-8").read()
    return text.strip().rstrip(";")


def sink(query):
    return f"CREATE TEMPORARY TABLE answer ({SINKS[query]}) WITH ('connector' = 'blackhole')"


def sums(query):
    return f"SELECT COUNT(*), SUM({SUMS[query]}) FROM (\n{select(query)}\n) AS answer"


def script(mode, *statements):
    return (f"SET 'parallelism.default' = '1';\nSET 'execution.runtime-mode' = '{mode}';\n" +
            ";\n".join(statements) + ";\n")


def ours(text, command, *options):
    with report.Folder() as folder:
        file = folder.file("script.sql", text)
        return report.run([report.program("frazil"), command, *options, file], cwd=folder.path)


def verify(rows, query, path, allowed):
    """Once, as a pipeline that says what it did."""
    done = ours(script("streaming", ddl(path), sink(query), f"INSERT INTO answer\n{select(query)}"), "run")
    figures = {k: int(v) for k, v in re.findall(r"(rows_in|rows_out)=(\d+)", done.err)}
    least, most = allowed
    rows.right(f"{query}: rows", least <= figures.get("rows_out", -1) <= most,
               f"{figures}, expected {allowed}; {done.err[-500:]}")


def compare(rows, query, path, peer):
    """The same number of rows and the same sum on both sides."""
    done = ours(script("batch", ddl(path), sums(query)), "sql", "--format", "tsv", "-f")
    mine = done.out.strip().split("\n")[-1].split("\t")
    theirs = peer.query(ddl(path), sums(query))
    rows.right(f"{query}: count and sum", [float(x) for x in mine] == [float(x) for x in theirs],
               f"ours {mine}, Flink's {theirs}")


class Query:
    def __init__(self, name, path, count):
        self.name, self.path, self.count = name, path, count
        self.mine, self.theirs = [], []

    def run_ours(self):
        done = ours(script("streaming", ddl(self.path), sink(self.name),
                           f"INSERT INTO answer\n{select(self.name)}"), "sql", "-f")
        self.mine.append(self.count / done.cpu)

    def run_flink(self, peer, keep=True):
        done = peer.insert(f"{ddl(self.path)};\n{sink(self.name)}",
                           f"INSERT INTO answer\n{select(self.name)}")
        if keep:
            self.theirs.append(self.count / done.cpu)

    def report(self, rows):
        mine = statistics.median(self.mine)
        if not self.theirs and self.name not in RECORDED:
            rows.told(f"NEXMark {self.name} from JSON, k events a CPU-second", mine / 1e3)
            return
        base = statistics.median(self.theirs or [RECORDED[self.name]])
        beside = f"beside (runs {in_thousands(self.theirs)})" if self.theirs else "recorded"
        how = (f"{self.count / 1e6:g} M events; {mine / 1e3:.0f} k events a CPU-second (runs "
               f"{in_thousands(self.mine)}), Flink {base / 1e3:.0f} k {beside}")
        measure = f"NEXMark {self.name} from JSON, x Flink"
        if self.name in RECORDED:
            rows.at_least(measure, mine / base, BOUND, how)
        else:
            rows.told(measure, mine / base, how)


def in_thousands(rates):
    return [round(x / 1e3) for x in rates]


def start_flink(stack):
    subprocess.run([os.path.join(PEER, "install.sh")], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, PEER)
    import bench
    return stack.enter_context(bench.Peer(slots=1))


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
    names = list(SINKS) if a.queries == "all" else a.queries.split(",")
    queries = [Query(name, path, a.events) for name in names]
    with contextlib.ExitStack() as stack:
        peer = start_flink(stack) if a.flink else None
        for query in queries:
            verify(rows, query.name, path, allowed[query.name])
            if peer:
                compare(rows, query.name, path, peer)
                query.run_flink(peer, keep=False)
        for _ in range(a.runs):
            for query in queries:
                query.run_ours()
                if peer:
                    query.run_flink(peer)
    for query in queries:
        query.report(rows)
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
