#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kafka JSON into an Iceberg table (zstd): rows a CPU-second against the sum of its parts measured alone,
and against Flink's.

    kafka.py [--rows 3000000] [--runs 3] [--partitions 2] [--flink]

The messages are the records of bench_json (10 fields, about 234 bytes). Whole: `frazil run`, topic to its
end, into an Iceberg table; CPU of the process, start, checkpoints and commit included. Parts, alternating
with it: consume = the client library taking the topic's messages and dropping them (bench_kafka --raw);
decode = the same records from memory into columns; encode = those columns written as Parquet (both
bench_json --parts).
Flink's figure is recorded: about 180 k rows a CPU-second (Flink 2.1.3 with the Iceberg sink, object reuse).
With --flink it runs beside us, once to warm up and then in turn with us, from the same topic into an Iceberg
table of the same form (tests/peers/flink/bench.py: CPU of the TaskManager alone); its rows are checked too.
"""
import argparse
import contextlib
import glob
import json
import os
import statistics
import subprocess
import sys

import report

report.own_python(__file__)
FLINK_PEER = os.path.join(report.ROOT, "tests", "peers", "flink")
sys.path[:0] = [os.path.join(report.ROOT, "tests", "peers", "kafka"), FLINK_PEER]
import bench as flink  # noqa: E402
import broker as kafka  # noqa: E402

FLINK = 180e3
TOPIC = """CREATE TEMPORARY TABLE topic (
  id BIGINT, user_id BIGINT, url STRING, amount DECIMAL(10, 2), lat DOUBLE, active BOOLEAN,
  country STRING, agent STRING, ts TIMESTAMP(3), created TIMESTAMP_LTZ(3)
) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = '{servers}',
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
"""
LAKE = """CREATE TABLE IF NOT EXISTS {name} (
  id BIGINT, user_id BIGINT, url STRING, amount DECIMAL(10, 2), lat DOUBLE, active BOOLEAN,
  country STRING, agent STRING, ts TIMESTAMP(6), created TIMESTAMP_LTZ(6)
) WITH ('write.parquet.compression-codec' = 'zstd', 'write.parquet.compression-level' = '1');
"""
OURS = """SET 'parallelism.default' = '{parallelism}';
SET 'execution.checkpointing.interval' = '10 s';
SET 'table.local-time-zone' = 'UTC';
""" + TOPIC + LAKE + "INSERT INTO {name} SELECT * FROM topic;\n"
THEIRS = TOPIC + """CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop',
  'warehouse' = 'file://{warehouse}');
CREATE DATABASE IF NOT EXISTS lake.db;
""" + LAKE


def produce(broker, path, count, partitions):
    from confluent_kafka import Producer
    broker.create("t", partitions)
    client = Producer({"bootstrap.servers": broker.address, "linger.ms": 20, "batch.size": 1 << 18,
                       "compression.type": "none", "queue.buffering.max.messages": 1000000,
                       "log_level": 0})
    with open(path, "rb") as f:
        for i, line in enumerate(f):
            while True:
                try:
                    client.produce("t", line[:-1], partition=i * partitions // count)
                    break
                except BufferError:
                    client.poll(0.05)
            if i % 1000 == 0:
                client.poll(0)
    client.flush(120)


def check(rows, whose, warehouse, count):
    import duckdb
    files = glob.glob(warehouse + "/**/*.parquet", recursive=True)
    got = duckdb.connect().execute(
        "SELECT count(*), count(DISTINCT id), min(id), max(id) FROM read_parquet(?)",
        [files]).fetchone()
    rows.right(f"{whose} rows", got == (count, count, 0, count - 1), f"{got}, expected {count}")


def run_flink(rows, peer, broker, a):
    with report.Folder() as folder:
        setup = THEIRS.format(servers=broker.address, warehouse=folder.path, name="lake.db.t")
        done = peer.insert(setup, "INSERT INTO lake.db.t SELECT * FROM topic")
        check(rows, "Flink's", folder.path, a.rows)
    return done.cpu


def start_flink(stack, a):
    subprocess.run([os.path.join(FLINK_PEER, "install.sh")], check=True, stdout=subprocess.DEVNULL)
    return stack.enter_context(flink.Peer(
        slots=a.parallelism, checkpoint_ms=10000,
        options={"execution.checkpointing.checkpoints-after-tasks-finish": "true"}))


def measure(rows, broker, peer, a, path):
    cpu = {"whole": [], "consume": [], "decode": [], "encode": [], "flink": []}
    if peer:
        run_flink(rows, peer, broker, a)  # until its code is compiled
    for _ in range(a.runs):
        if peer:
            cpu["flink"].append(run_flink(rows, peer, broker, a))
        with report.Folder() as folder:
            script = folder.file("k.sql", OURS.format(servers=broker.address, name="lake",
                                                      parallelism=a.parallelism))
            cpu["whole"].append(report.run([report.program("frazil"), "run", script],
                                           cwd=folder.path).cpu)
            check(rows, "our", os.path.join(folder.path, "frazil-data", "warehouse"), a.rows)
        raw = report.run([report.program("bench_kafka"), broker.address, "t", "--raw"])
        rows.right("messages consumed", f"{a.rows} rows" in raw.out, raw.out)
        cpu["consume"].append(raw.cpu)
        with report.Folder() as folder:
            out = json.loads(report.run([report.program("bench_json"), "--parts", path,
                                         folder.file("out.parquet")]).out)
        rows.right("records decoded", out["rows"] == a.rows, f"{out}")
        cpu["decode"].append(out["decode_cpu_s"])
        cpu["encode"].append(out["encode_cpu_s"])
    return cpu


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=3000000)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--partitions", type=int, default=2)
    p.add_argument("--parallelism", type=int, default=1)
    p.add_argument("--flink", action="store_true")
    a = p.parse_args()
    rows = report.Rows()
    kafka.install()
    with report.Folder() as folder, contextlib.ExitStack() as stack:
        path = folder.file("records.ndjson")
        report.run([report.program("bench_json"), "--write", path, str(a.rows * 240 >> 20)])
        a.rows = sum(1 for _ in open(path, "rb"))
        broker = kafka.Broker(folder.file("broker"))
        try:
            produce(broker, path, a.rows, a.partitions)
            peer = start_flink(stack, a) if a.flink else None
            cpu = measure(rows, broker, peer, a, path)
        finally:
            broker.close()
    median = {k: statistics.median(v) for k, v in cpu.items() if v}
    parts = median["consume"] + median["decode"] + median["encode"]
    rate = a.rows / median["whole"]
    how = (f"{a.rows} rows, {a.runs} runs; CPU s: whole {median['whole']:.2f}, consume "
           f"{median['consume']:.2f}, decode {median['decode']:.2f}, encode {median['encode']:.2f}")
    rows.at_least("Kafka JSON to Iceberg zstd: sum of the parts / whole, %", 100 * parts / median["whole"],
                  80, how)
    base = a.rows / median["flink"] if a.flink else FLINK
    word = f"beside (CPU s {[round(x, 1) for x in cpu['flink']]})" if a.flink else "recorded"
    rows.at_least("Kafka JSON to Iceberg zstd, x Flink", rate / base, 4.5,
                  f"{rate / 1e3:.0f} k rows a CPU-second, Flink {base / 1e3:.0f} k {word}; {how}")
    return rows.finish()


if __name__ == "__main__":
    sys.exit(main())
