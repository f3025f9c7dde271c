#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flink for the benchmarks: a session cluster whose statements are measured by the CPU of its TaskManager.

    with Peer(slots=1) as peer:
        result = peer.insert(ddl, "INSERT INTO answer SELECT …")     # a Measured

Settings as nexmark-flink has them, and object reuse (TUNED). What a statement costs is the CPU of the
TaskManager (JIT and collector included) between its start and its end, and that of the JobManager apart;
planning (the gateway's) is left out, in Flink's favour. Run a statement once before it is measured: until
code is compiled it costs three or four seconds more.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from flinksql import Cluster, Session, http, split_statements  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
TUNED = {
    "execution.runtime-mode": "streaming",
    "table.local-time-zone": "UTC",
    "pipeline.object-reuse": "true",
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "2 s",
    "table.exec.mini-batch.size": "50000",
    "table.optimizer.distinct-agg.split.enabled": "true",
    "execution.checkpointing.checkpoints-after-tasks-finish": "false",
}


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Measured:
    """One statement: cpu and jobmanager_cpu in seconds, and wall (RUNNING to FINISHED)."""

    def __init__(self, cpu, jobmanager_cpu, wall):
        self.cpu, self.jobmanager_cpu, self.wall = cpu, jobmanager_cpu, wall


class Peer:
    def __init__(self, slots=1, heap_mb=1536, managed_mb=512, state="hashmap", checkpoint_ms=180000,
                 options=None):
        self.folder = tempfile.mkdtemp(prefix="flink-bench-")
        self.options = dict(TUNED, **{"parallelism.default": str(slots)}, **(options or {}))
        env = dict(os.environ, FLINK_SLOTS=str(slots), FLINK_TM_HEAP_MB=str(heap_mb),
                   FLINK_TM_MANAGED_MB=str(managed_mb), FLINK_STATE_BACKEND=state,
                   FLINK_TM_NETWORK_MB="128", FLINK_CHECKPOINT_MS=str(checkpoint_ms))
        try:
            subprocess.run([os.path.join(HERE, "start.sh"), self.folder], check=True, env=env,
                           stdout=subprocess.DEVNULL)
            self.cluster = Cluster(self.folder)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        subprocess.run([os.path.join(HERE, "stop.sh"), self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def insert(self, ddl, statement, timeout=3600):
        """Runs a script of definitions, and measures one INSERT to its end."""
        manager, job = self.cluster.env["TM_PID"], self.cluster.env["JM_PID"]
        with Session(self.cluster, self.options) as session:
            for one in split_statements(ddl):
                session.execute(one)
            before, before_job = cpu_seconds(manager), cpu_seconds(job)
            result = session.execute(statement, timeout=timeout)
            after, after_job = cpu_seconds(manager), cpu_seconds(job)
        times = http("GET", f"{self.cluster.rest}/jobs/{result.job_id}")["timestamps"]
        return Measured(after - before, after_job - before_job,
                        (times["FINISHED"] - times["RUNNING"]) / 1000)

    def query(self, ddl, statement, timeout=3600):
        """Values of the last row of a bounded query."""
        options = dict(self.options, **{"execution.runtime-mode": "batch"})
        with Session(self.cluster, options) as session:
            for one in split_statements(ddl):
                session.execute(one)
            return session.execute(statement, timeout=timeout).rows[-1][1]
