# SPDX-License-Identifier: Apache-2.0
"""A real Kafka broker for tests: one node, 127.0.0.1 only, everything in one folder.

    broker = Broker("/tmp/k")        # starts; broker.address
    broker.create("clicks", 4)
    broker.stop(); broker.start()    # a restart: data and port stay
    broker.kill()                    # a crash
    broker.close()

Run install.sh first. Import it under the installed interpreter: own_python(__file__) of a script
starts that script again there.
"""
import atexit
import os
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.join(os.environ.get("PEERS_HOME") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "frazil-peers"), "kafka")
START_SECONDS = 90


def client_packages():
    """The folder of the Python client, so that an interpreter of another venv can use it."""
    base = os.path.join(HOME, "venv", "lib")
    return os.path.join(base, sorted(os.listdir(base))[-1], "site-packages")


def install():
    subprocess.run([os.path.join(HERE, "install.sh")], check=True)
    if client_packages() not in sys.path:
        sys.path.append(client_packages())


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Broker:
    def __init__(self, folder):
        self.folder, self.process = folder, None
        os.makedirs(folder, exist_ok=True)
        port, control = free_ports(2)
        self.address = f"127.0.0.1:{port}"
        self.config = os.path.join(folder, "server.properties")
        with open(os.path.join(HERE, "server.properties.in"), encoding="utf-8") as f:
            text = f.read()
        for name, value in (("PORT", port), ("CONTROLLER_PORT", control),
                            ("DATA", os.path.join(folder, "data"))):
            text = text.replace(f"@{name}@", str(value))
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(text)
        self.log = open(os.path.join(folder, "broker.log"), "ab")
        self._java("kafka.tools.StorageTool", "format", "-t", "Zm9ybWF0dGVkLWJ5LXRlcw",
                   "-c", self.config).wait(60)
        atexit.register(self.close)
        self.start()

    def _java(self, *arguments):
        return subprocess.Popen(
            ["java", "-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
             f"-Dlog4j2.configurationFile={HERE}/log4j2.xml", "-cp", f"{HOME}/libs/*", *arguments],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
            start_new_session=True)

    def start(self):
        """Returns when the broker answers."""
        from confluent_kafka import KafkaException
        self.process = self._java("kafka.Kafka", self.config)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                self.admin().list_topics(timeout=1)
                return
            except KafkaException:
                time.sleep(0.1)
        self.log.flush()
        with open(self.log.name, encoding="utf-8", errors="replace") as f:
            sys.stderr.write("".join(f.readlines()[-20:]))
        self.close()
        raise RuntimeError(f"the broker did not come up; log: {self.log.name}")

    def admin(self):
        from confluent_kafka.admin import AdminClient
        return AdminClient({"bootstrap.servers": self.address, "log_level": 0})

    def create(self, topic, partitions, **settings):
        from confluent_kafka.admin import NewTopic
        new = NewTopic(topic, partitions, 1, config={"retention.ms": "-1", **settings})
        admin = self.admin()
        for f in admin.create_topics([new], operation_timeout=30).values():
            f.result(timeout=30)

    def add_partitions(self, topic, total):
        from confluent_kafka.admin import NewPartitions
        admin = self.admin()
        for f in admin.create_partitions([NewPartitions(topic, total)]).values():
            f.result(timeout=30)

    def drop(self, topic, partition, offset):
        """What is before `offset` is gone."""
        from confluent_kafka import TopicPartition
        admin = self.admin()
        for f in admin.delete_records([TopicPartition(topic, partition, offset)]).values():
            f.result(timeout=30)

    def delete(self, topic):
        admin = self.admin()
        for f in admin.delete_topics([topic], operation_timeout=30).values():
            f.result(timeout=30)
        end = time.monotonic() + 30
        while topic in admin.list_topics(timeout=10).topics and time.monotonic() < end:
            time.sleep(0.1)

    def _end(self, sign):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(sign)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def stop(self):
        self._end(signal.SIGTERM)

    def kill(self):
        self._end(signal.SIGKILL)

    def close(self):
        self.kill()
