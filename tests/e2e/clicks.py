# SPDX-License-Identifier: Apache-2.0
"""The main job: clicks from Kafka into a raw table and one of minutes; the producer, its ledger, and
a plain model of what the tables must hold.

Message n is a function of n, its partition and its event time, so the ledger of a partition is three
arrays (n, offset, ts) of what was committed; what was aborted is counted only.
"""
import array
import collections
import datetime
import decimal
import time

BASE_MS = 1_768_000_000_000  # 2026-01-09T23:06:40Z
HOSTS = ("shop.example", "news.example", "www.example.org", "a.b.example", "wiki.example")

CLICKS = """
SET 'pipeline.name' = 'clicks';
SET 'table.local-time-zone' = 'UTC';
SET 'execution.checkpointing.interval' = '{checkpoint}';
SET 'commit-interval' = '{commit}';
CREATE TEMPORARY TABLE clicks (
  user_id BIGINT, url STRING, amount DECIMAL(10, 2), tags ARRAY<STRING>,
  geo ROW<lat DOUBLE, lon DOUBLE>, ts TIMESTAMP_LTZ(3),
  part INT METADATA FROM 'partition' VIRTUAL, off BIGINT METADATA FROM 'offset' VIRTUAL,
  host AS REGEXP_EXTRACT(url, 'https?://([^/]+)', 1),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{servers}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'scan.startup.mode' = 'earliest-offset',
  'scan.topic-partition-discovery.interval' = '1 s'{more});
CREATE TABLE IF NOT EXISTS raw (
  part INT, off BIGINT, user_id BIGINT, url STRING, host STRING, amount DECIMAL(10, 2),
  tags ARRAY<STRING>, geo ROW<lat DOUBLE, lon DOUBLE>, ts TIMESTAMP_LTZ(6)
) PARTITIONED BY (day(ts), bucket({buckets}, user_id)){properties};
CREATE TABLE IF NOT EXISTS per_minute (
  window_start TIMESTAMP(6), host STRING, clicks BIGINT, users BIGINT, revenue DECIMAL(38, 2)
){properties};
EXECUTE STATEMENT SET BEGIN
  INSERT INTO raw SELECT part, off, user_id, url, host, amount, tags, geo, ts FROM clicks;
  INSERT INTO per_minute
    SELECT window_start, host, COUNT(*), COUNT(DISTINCT user_id), SUM(amount)
    FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
    GROUP BY window_start, window_end, host;
END;
"""


def script(topic, servers, checkpoint="10 s", commit="0 ms", buckets=16, properties=None, more=""):
    with_ = ", ".join(f"'{k}' = '{v}'" for k, v in (properties or {}).items())
    return CLICKS.format(topic=topic, servers=servers, checkpoint=checkpoint, commit=commit,
                         buckets=buckets, properties=f" WITH ({with_})" if with_ else "", more=more)


def user_of(n):
    return n * 7919 % 1009


def host_of(n):
    return HOSTS[n * 31 % 17 % len(HOSTS)]


def cents_of(n):
    return n * 37 % 100_000


def message(n, ts_ms):
    """The JSON text of message n."""
    second, milli = divmod(ts_ms, 1000)
    when = datetime.datetime.fromtimestamp(second, datetime.timezone.utc)
    tags = ",".join(f'"t{(n + i) % 13}"' for i in range(n % 4))
    return (f'{{"user_id":{user_of(n)},"url":"https://{host_of(n)}/p/{n}?q=\\u00e9",'
            f'"amount":{cents_of(n) // 100}.{cents_of(n) % 100:02d},"tags":[{tags}],'
            f'"geo":{{"lat":{n % 180 - 90}.5,"lon":{n % 360 - 180}.25}},'
            f'"ts":"{when:%Y-%m-%dT%H:%M:%S}.{milli:03d}Z"}}')


class Ledger:
    """What was committed to each partition, in order of offsets."""

    def __init__(self):
        self.parts = collections.defaultdict(
            lambda: (array.array("q"), array.array("q"), array.array("q")))
        self.aborted = 0

    def add(self, part, n, offset, ts_ms):
        numbers, offsets, times = self.parts[part]
        numbers.append(n)
        offsets.append(offset)
        times.append(ts_ms)

    def count(self):
        return sum(len(p[0]) for p in self.parts.values())

    def watermark_ms(self):
        """Of everything, when it has been read."""
        return min(max(p[2]) for p in self.parts.values()) - 5000


class Producer:
    """Writes messages in transactions of its own length, some of which are aborted."""

    def __init__(self, address, topic, ledger, seed):
        from confluent_kafka import Producer as Client
        self.client = Client({"bootstrap.servers": address, "transactional.id": f"p-{topic}-{seed}",
                              "linger.ms": 5, "batch.size": 131072, "compression.type": "lz4",
                              "queue.buffering.max.messages": 1_000_000, "log_level": 0,
                              "transaction.timeout.ms": 60000})
        self.topic, self.ledger, self.next = topic, ledger, 0
        self.client.init_transactions(60)

    def _know(self, part):
        """Waits until the client knows the partition: new ones are told a little later."""
        for _ in range(100):
            if part in self.client.list_topics(self.topic, timeout=10).topics[self.topic].partitions:
                return
            time.sleep(0.1)

    def send(self, plan, abort):
        """One transaction of (partition, ts_ms) pairs; in the ledger unless aborted."""
        from confluent_kafka import KafkaException
        got, failed = [], []
        self._know(max(p for p, _ in plan))
        self.client.begin_transaction()
        for part, ts_ms in plan:
            n = self.next
            self.next += 1

            def delivered(err, msg, n=n, ts_ms=ts_ms):
                if err is None:
                    got.append((msg.partition(), n, msg.offset(), ts_ms))
                else:
                    failed.append(err)

            while True:
                try:
                    self.client.produce(self.topic, message(n, ts_ms), partition=part,
                                        on_delivery=delivered)
                    break
                except BufferError:
                    self.client.poll(0.05)
            self.client.poll(0)
        self.client.flush(60)
        if failed:
            raise RuntimeError(f"not delivered: {failed[0]}")
        while True:
            try:
                self.client.abort_transaction() if abort else self.client.commit_transaction()
                break
            except KafkaException as e:
                if not e.args[0].retriable():
                    raise
        if abort:
            self.ledger.aborted += len(got)
        else:
            for part, n, offset, ts_ms in sorted(got, key=lambda x: (x[0], x[2])):
                self.ledger.add(part, n, offset, ts_ms)


def expected_minutes(ledger, watermark_ms):
    """{(minute, host): (clicks, users, revenue)} of the windows that are complete."""
    minutes = {}
    for numbers, _, times in ledger.parts.values():
        for n, ts_ms in zip(numbers, times):
            minute = ts_ms // 60000
            if (minute + 1) * 60000 - 1 > watermark_ms:
                continue
            entry = minutes.setdefault((minute, host_of(n)), [0, set(), 0])
            entry[0] += 1
            entry[1].add(user_of(n))
            entry[2] += cents_of(n)
    return {k: (c, len(u), decimal.Decimal(r).scaleb(-2)) for k, (c, u, r) in minutes.items()}


def read_minutes(arrow):
    """The rows of per_minute: ({(minute, host): (…)}, how many keys came more than once)."""
    out, doubled = {}, 0
    for start, host, clicks, users, revenue in zip(
            *(arrow.column(c).to_pylist() for c in
              ("window_start", "host", "clicks", "users", "revenue"))):
        minute = int(start.replace(tzinfo=datetime.timezone.utc).timestamp()) // 60
        doubled += (minute, host) in out
        out[(minute, host)] = (clicks, users, revenue)
    return out, doubled


def minutes_difference(got, want):
    """"" where they are equal."""
    missing = [k for k in want if k not in got]
    extra = [k for k in got if k not in want]
    other = [k for k in want if k in got and got[k] != want[k]]
    if not (missing or extra or other):
        return ""
    first = (missing + extra + other)[0]
    return (f"{len(missing)} missing, {len(extra)} too many, {len(other)} other of {len(want)}; "
            f"{first}: {got.get(first)} instead of {want.get(first)}")


def raw_difference(arrow, ledger):
    """Every column of every row against the ledger; "" where they are equal."""
    import pyarrow as pa
    arrow = arrow.combine_chunks().sort_by([("part", "ascending"), ("off", "ascending")])
    want_part, want_off, numbers, times = [], [], [], []
    for part in sorted(ledger.parts):
        n, offsets, ts = ledger.parts[part]
        want_part += [part] * len(n)
        want_off += offsets
        numbers += n
        times += ts
    if arrow.num_rows != len(numbers):
        keys = collections.Counter(zip(arrow.column("part").to_pylist(),
                                       arrow.column("off").to_pylist()))
        wanted = collections.Counter(zip(want_part, want_off))
        lost, more = wanted - keys, keys - wanted
        return (f"{arrow.num_rows} rows instead of {len(numbers)}; {sum(lost.values())} lost "
                f"{list(lost)[:3]}, {sum(more.values())} too many {list(more)[:3]}")
    want = {
        "part": pa.array(want_part, pa.int32()),
        "off": pa.array(want_off, pa.int64()),
        "user_id": pa.array([user_of(n) for n in numbers], pa.int64()),
        "url": pa.array([f"https://{host_of(n)}/p/{n}?q=\u00e9" for n in numbers]),
        "host": pa.array([host_of(n) for n in numbers]),
        "amount": pa.array([decimal.Decimal(cents_of(n)).scaleb(-2) for n in numbers],
                           pa.decimal128(10, 2)),
        "tags": pa.array([[f"t{(n + i) % 13}" for i in range(n % 4)] for n in numbers],
                         pa.list_(pa.string())),
        "geo": pa.array([{"lat": n % 180 - 90 + (0.5 if n % 180 >= 90 else -0.5),
                          "lon": n % 360 - 180 + (0.25 if n % 360 >= 180 else -0.25)}
                         for n in numbers],
                        pa.struct([("lat", pa.float64()), ("lon", pa.float64())])),
        "ts": pa.array([t * 1000 for t in times], pa.timestamp("us", "UTC")),
    }
    for name, column in want.items():
        have = arrow.column(name).cast(column.type).combine_chunks()
        if not have.equals(column):
            at = next(i for i in range(len(column)) if have[i] != column[i])
            return (f"column {name} of partition {want_part[at]}, offset {want_off[at]}: "
                    f"{have[at]} instead of {column[at]}")
    return ""
