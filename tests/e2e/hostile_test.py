#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files made to hurt, read by the program as a user would: `frazil sql -e "SELECT … FROM 'x'"`.

  hostile_test.py [--only TEXT] [--keep DIR]

Decompression bombs of every codec in every format, lengths and counts that are lies, runs of 2^31
values, nesting by the thousand. Each is answered, within MEMORY and SECONDS, or refused with the
file's name and a place in it. (Damage at random: tests/tools/hostile.c.) The last line is
"N passed, N failed".
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import zlib

import harness

harness.own_python(__file__)

import cramjam  # noqa: E402
import zstandard  # noqa: E402
from harness import Checks, Folder  # noqa: E402

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "tools"))
import compact_thrift as thrift  # noqa: E402
from compact_thrift import BINARY, I32, I64, LIST, STRUCT  # noqa: E402

MIB = 1 << 20
BOMB, MEMORY, SECONDS = 512 * MIB, 300 * MIB, 60
PLACE = re.compile(r"(byte|line|record|row|entry) \d|'|column ")


class Case:
    """A file (bytes, or what makes them) and a query over it; `{}` is its path.

    `answer`: what it prints; None: it is refused, and `says` what the error names, if not the file.
    """

    def __init__(self, name, data, query="SELECT * FROM '{}'", answer=None, says=None, memory=MEMORY):
        self.name, self.data, self.query, self.answer = name, data, query, answer
        self.says, self.memory = says, memory


# ---- compression ----

def stream(codec, head, piece, times):
    """`head` and many times `piece`, as a stream of gzip or zstd."""
    packer = zstandard.ZstdCompressor(level=1).compressobj() if codec == "zstd" else zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(head) + b"".join(packer.compress(piece) for _ in range(times)) + packer.flush()


def packed(codec, size, byte=b"\0"):
    """`size` times that byte, packed small."""
    if codec in ("gzip", "deflate", "zstd"):
        piece = byte * MIB
        if codec == "deflate":
            packer = zlib.compressobj(1, zlib.DEFLATED, -15)
            return b"".join(packer.compress(piece) for _ in range(size // MIB)) + packer.compress(byte * (size % MIB)) + packer.flush()
        return stream(codec, byte * (size % MIB), piece, size // MIB)
    plain = {"snappy": cramjam.snappy.compress_raw, "brotli": cramjam.brotli.compress, "bzip2": cramjam.bzip2.compress, "xz": cramjam.xz.compress,
             "lz4_raw": lambda x: cramjam.lz4.compress_block(x, store_size=False)}
    return bytes(plain[codec](byte * size))


def text_cases():
    rows = b"123456789,abcdefghijklmnopqrstuvwxyz,12345678901234567890\n" * 10_000
    for ending, codec in (("gz", "gzip"), ("zst", "zstd")):
        yield Case(f"rows.csv.{ending}", lambda c=codec: stream(c, b"a,b,c\n", rows, 900), "SELECT COUNT(*) FROM '{}'", "9000000")
    for name, data in (("line.csv", b"a,b\nx,"), ("line.json", b'{"a":"')):
        for ending, codec in (("gz", "gzip"), ("zst", "zstd")):
            yield Case(f"{name}.{ending}", lambda c=codec, d=data: stream(c, d, b"x" * MIB, BOMB // MIB))
    window = bytes.fromhex("28b52ffd") + b"\0\xb8" + b"\x01\0\0"  # a window of 2^33 bytes
    yield Case("window.csv.zst", window)
    for depth in (10_000, 3_000_000):
        yield Case(f"deep-{depth}.json", b'{"a":' + b"[" * depth + b"]" * depth + b"}\n")
        yield Case(f"deep-array-{depth}.json", b"[" * depth + b"]" * depth)
        yield Case(f"deep-objects-{depth}.json", b'{"a":' * depth + b"1" + b"}" * depth + b"\n")
    yield Case("columns.csv", b",".join(b"c%d" % i for i in range(100_000)) + b"\n")
    yield Case("keys.json", b"{" + b",".join(b'"c%d":1' % i for i in range(100_000)) + b"}\n")
    yield Case("quote.csv", b'a,b\n1,"' + b"x" * (128 * MIB), says="quote.csv")


# ---- Parquet ----

CODECS = {"none": 0, "snappy": 1, "gzip": 2, "brotli": 4, "zstd": 6, "lz4_raw": 7}
PLAIN, RLE, DELTA, DELTA_LENGTH, DELTA_BYTES, RLE_DICTIONARY = 0, 3, 5, 6, 7, 8


def page(body, plain_size, values, encoding=PLAIN, kind=0):
    inner = [(1, I32, values), (2, I32, encoding)] + ([] if kind == 2 else [(3, I32, RLE), (4, I32, RLE)])
    header = [(1, I32, kind), (2, I32, plain_size), (3, I32, len(body)), (7 if kind == 2 else 5, STRUCT, inner)]
    return thrift.put_struct(header) + body


def element(name, physical=None, repetition=0, children=None):
    fields = [] if physical is None else [(1, I32, physical)]
    fields += [] if repetition is None else [(3, I32, repetition)]
    fields += [(4, BINARY, name.encode())]
    return fields + ([] if children is None else [(5, I32, children)])


def parquet(elements, chunks, rows, values=None, codec="none", groups=1):
    """`chunks`: the bytes of each column's pages, with the offset of its dictionary's end or 0."""
    front, columns = b"PAR1", []
    leaves = [x for x in elements if thrift.find(x, 5) is None]
    for leaf, pages in zip(leaves, chunks):
        start = len(front)
        front += pages
        meta = [(1, I32, thrift.find(leaf, 1)), (2, LIST, (I32, [0])), (3, LIST, (BINARY, [b"c"])), (4, I32, CODECS[codec]),
                (5, I64, values if values is not None else rows), (6, I64, len(pages)), (7, I64, len(pages)), (9, I64, start)]
        columns.append([(2, I64, start), (3, STRUCT, meta)])
    group = [(1, LIST, (STRUCT, columns)), (2, I64, 100), (3, I64, rows)]
    footer = [(1, I32, 1), (2, LIST, (STRUCT, elements)), (3, I64, rows * groups), (4, LIST, (STRUCT, [group] * groups))]
    return thrift.parquet_file(front, footer)


def flat(pages, rows, physical=1, repetition=0, **more):
    root = element("schema", None, None, 1)
    return parquet([root, element("c", physical, repetition)], [pages], rows, **more)


def one_list(pages, rows, **more):
    elements = [element("schema", None, None, 1), element("c", 1, 2)]
    return parquet(elements, [pages], rows, **more)


def parquet_pages():
    for codec in ("snappy", "gzip", "brotli", "zstd", "lz4_raw"):
        if codec != "brotli":  # whose packer is slow
            yield Case(f"page-{codec}.parquet", lambda c=codec: flat(page(packed(c, BOMB), BOMB, BOMB // 4), BOMB // 4, codec=c), "SET 'memory.limit' = '200 mb'; SELECT c FROM '{}'")
        small = packed(codec, 1000)
        yield Case(f"more-{codec}.parquet", flat(page(small, 2 ** 31 - 1, 250), 250, codec=codec))
        yield Case(f"less-{codec}.parquet", flat(page(small, 400, 100), 100, codec=codec))
        yield Case(f"negative-{codec}.parquet", flat(page(small, -1000, 100), 100, codec=codec))
    run = thrift.put_varint((2 ** 31 - 1) << 1) + b"\0"  # an RLE run of 2^31 - 1 zeros, one bit wide
    dictionary = page(struct.pack("<i", 7), 4, 1, PLAIN, 2)
    codes = b"\1" + run
    huge = flat(dictionary + page(codes, len(codes), 2 ** 31 - 1, RLE_DICTIONARY), 2 ** 31 - 1)
    yield Case("run.parquet", huge, "SELECT c FROM '{}' LIMIT 3", "7\n7\n7")
    beyond = b"\1" + thrift.put_varint(1000 << 1) + b"\1"
    yield Case("code.parquet", flat(dictionary + page(beyond, len(beyond), 1000, RLE_DICTIONARY), 1000))
    yield Case("dictionary.parquet", flat(page(struct.pack("<i", 7), 4, 2 ** 31 - 1, PLAIN, 2) + page(codes, len(codes), 10, RLE_DICTIONARY), 10))
    levels = struct.pack("<I", len(run)) + run  # all null
    yield Case("nulls.parquet", flat(page(levels, len(levels), 2 ** 31 - 1), 2 ** 31 - 1, repetition=1), "SELECT COUNT(c) FROM (SELECT c FROM '{}' LIMIT 5)", "0")
    ones = struct.pack("<I", 6) + thrift.put_varint((2 ** 31 - 1) << 1) + b"\1"
    body = ones + ones + b"\0" * 16
    yield Case("elements.parquet", one_list(page(body, len(body), 2 ** 31 - 1), 1, values=2 ** 31 - 1))
    yield Case("elements-flat.parquet", one_list(page(body, len(body), 2 ** 31 - 1), 2 ** 31 - 1, values=2 ** 31 - 1))
    for name, head in (("block", (2 ** 31 - 128, 4, 100)), ("mini", (128, 2 ** 31, 100)), ("count", (128, 4, 2 ** 31 - 1)), ("zero", (0, 0, 100)), ("max", (2 ** 64 - 1,) * 3)):
        body = b"".join(thrift.put_varint(x) for x in head) + b"\0\0" + b"\0" * 4
        for encoding in (DELTA, DELTA_LENGTH, DELTA_BYTES):
            yield Case(f"delta-{name}-{encoding}.parquet", flat(page(body, len(body), 100, encoding), 100, 2 if encoding == DELTA else 6))
    prefix = packed_deltas([0] + [2 ** 31 - 2] * 99) + packed_deltas([1] * 100) + b"x" * 100
    yield Case("prefixes.parquet", flat(page(prefix, len(prefix), 100, DELTA_BYTES), 100, 6))
    growing = packed_deltas(range(5000)) + packed_deltas([1] * 5000) + b"x" * 5000  # 5000 texts of up to 5000 bytes
    yield Case("growing.parquet", flat(page(growing, len(growing), 5000, DELTA_BYTES), 5000, 6), "SELECT SUM(CHAR_LENGTH(CAST(c AS STRING))) FROM '{}'", str(5000 * 5001 // 2))
    long = struct.pack("<I", 2 ** 32 - 1) + b"x"
    yield Case("string.parquet", flat(page(long, len(long), 1), 1, 6))
    yield Case("fixed.parquet", parquet([element("s", None, None, 1), [(1, I32, 7), (2, I32, 2 ** 31 - 1)] + element("c")], [page(b"x", 1, 1)], 1))


def packed_deltas(values):
    """DELTA_BINARY_PACKED in blocks of 128 whose deltas all have 32 bits."""
    values = list(values)
    out = thrift.put_varint(128) + thrift.put_varint(4) + thrift.put_varint(len(values)) + thrift.put_zigzag(values[0])
    deltas = [b - a for a, b in zip(values, values[1:])]
    for at in range(0, len(deltas), 128):
        block = deltas[at:at + 128]
        least = min(block)
        block = [x - least for x in block] + [0] * (-len(block) % 32)
        out += thrift.put_zigzag(least) + b"\x20" * 4 + struct.pack(f"<{len(block)}I", *block)
    return out


def parquet_footers():
    leaf = page(b"\1\0\0\0", 4, 1)
    depth = 10_000
    deep = [element(f"g{i}", None, None if i == 0 else 0, 1) for i in range(depth)] + [element("c", 1)]
    yield Case("deep.parquet", parquet(deep, [leaf], 1))
    wide = [element("s", None, None, 2 ** 31 - 1), element("c", 1)]
    yield Case("wide.parquet", parquet(wide, [leaf], 1))
    nested = [element("s", None, None, 1)] + [element(f"r{i}", None, 2, 1) for i in range(300)] + [element("c", 1, 2)]
    yield Case("lists.parquet", parquet(nested, [leaf], 1))
    good = flat(leaf, 1)
    front, footer = thrift.parquet_footer(good)
    yield Case("structs.parquet", thrift.parquet_file(front, thrift.put_struct(footer)[:-1] + b"\x1c\x1c" * 50_000 + b"\0" * 50_002))
    lists = b"\x19" + b"\x19" * 50_000 + b"\0"
    yield Case("lists-skipped.parquet", thrift.parquet_file(front, thrift.put_struct(footer)[:-1] + lists))
    for name, number in (("elements", 2), ("groups", 4), ("key-values", 5)):
        count = b"\xfc" + thrift.put_varint(2 ** 31 - 1)
        fields = [x for x in footer if x[0] != number] + [(number, LIST, thrift.Raw(count))]
        yield Case(f"count-{name}.parquet", thrift.parquet_file(front, sorted(fields, key=lambda x: x[0])))
    yield Case("groups.parquet", flat(leaf, 1, groups=200_000), "SELECT COUNT(*) FROM '{}'", "200000")
    columns = 9_000
    elements = [element("s", None, None, columns)] + [element(f"c{i}", 1) for i in range(columns)]
    yield Case("columns.parquet", parquet(elements, [leaf] * columns, 1), "SELECT c8999 FROM '{}'", "1")
    for rows in (2 ** 63 - 1, -1, -2 ** 63):
        yield Case(f"rows{rows}.parquet", flat(leaf, rows))
    yield Case("footer-size.parquet", good[:-8] + struct.pack("<I", 2 ** 32 - 1) + b"PAR1")


# ---- Avro ----

def container(schema, blocks, codec="null"):
    """`blocks`: (rows said, bytes)"""
    metas = {"avro.schema": json.dumps(schema).encode() if not isinstance(schema, bytes) else schema, "avro.codec": codec.encode()}
    zig = thrift.put_zigzag
    out = b"Obj\1" + zig(len(metas)) + b"".join(zig(len(k)) + k.encode() + zig(len(v)) + v for k, v in metas.items()) + b"\0" + b"S" * 16
    return out + b"".join(zig(rows) + zig(len(body)) + body + b"S" * 16 for rows, body in blocks)


def record(kind):
    return {"type": "record", "name": "r", "fields": [{"name": "c", "type": kind}]}


def avro_cases():
    names = {"deflate": "deflate", "zstandard": "zstd", "bzip2": "bzip2", "xz": "xz"}
    for codec, packer in names.items():
        yield Case(f"block-{codec}.avro", lambda c=codec, p=packer: container(record("long"), [(BOMB, packed(p, BOMB))], c))
    snappy = thrift.put_varint(2 ** 32 - 1) + b"\0\0"
    yield Case("block-snappy.avro", container(record("long"), [(5, snappy + b"\0\0\0\0")], "snappy"))
    zig = thrift.put_zigzag
    for name, body in (("items", zig(2 ** 62) + b"\0"), ("items-negative", zig(-2 ** 63) + zig(4) + b"\0"), ("items-size", zig(-5) + zig(2 ** 62) + b"\2\2")):
        yield Case(f"{name}.avro", container(record({"type": "array", "items": "int"}), [(1, body)]))
        yield Case(f"{name}-null.avro", container(record({"type": "array", "items": "null"}), [(1, body)]))
    nulls = b"".join(zig(2 ** 40) for _ in range(100)) + b"\0"
    yield Case("nulls.avro", container(record({"type": "array", "items": "null"}), [(1, nulls)]))
    yield Case("rows.avro", container({"type": "record", "name": "r", "fields": []}, [(2 ** 62, b"")]))
    yield Case("rows-null.avro", container(record("null"), [(2 ** 62, b"")]))
    yield Case("string.avro", container(record("string"), [(1, zig(2 ** 40) + b"x")]))
    yield Case("string-negative.avro", container(record("string"), [(1, zig(-5) + b"x")]))
    yield Case("block-size.avro", container(record("long"), [])[:] + zig(1) + zig(2 ** 62) + b"\2")
    yield Case("fixed.avro", container(record({"type": "fixed", "name": "f", "size": 2 ** 31 - 1}), [(1, b"x")]))
    depth = 10_000
    text = b'{"type":"array","items":' * depth + b'"int"' + b"}" * depth
    yield Case("deep.avro", container(b'{"type":"record","name":"r","fields":[{"name":"c","type":' + text + b"}]}", [(1, b"\0")]))
    bomb = [{"type": "record", "name": "r0", "fields": [{"name": f"f{i}", "type": "int"} for i in range(10)]}]
    for level in range(1, 12):  # 10^12 fields, written as names
        bomb.append({"type": "record", "name": f"r{level}", "fields": [{"name": f"f{i}", "type": bomb[level - 1] if i == 0 else f"r{level - 1}"} for i in range(10)]})
    yield Case("names.avro", container(bomb[-1], [(1, b"\2" * 50)]))
    tree = {"type": "record", "name": "t", "fields": [{"name": "c", "type": ["null", "t"]}]}
    yield Case("recursive.avro", container(tree, [(1, b"\2" * 100_000 + b"\0")]))


# ---- Iceberg ----

def table_metadata(**more):
    return {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "/t", "last-sequence-number": 1, "last-updated-ms": 1, "last-column-id": 1, "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "c", "required": False, "type": "int"}]}], "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}],
            "last-partition-id": 999, "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}], **more}


def metadata_cases():
    query = "SELECT * FROM ICEBERG_TABLE('{}')"
    spaces = stream("gzip", json.dumps(table_metadata()).encode(), b" " * MIB, BOMB // MIB)
    yield Case("v1.gz.metadata.json", spaces, query)
    yield Case("v2.metadata.json", b"[" * 100_000, query)
    kind = '{"type":"list","element-id":2,"element-required":false,"element":' * 10_000 + '"int"' + "}" * 10_000
    text = json.dumps(table_metadata()).replace('"type": "int"', '"type": ' + kind)
    yield Case("v3.metadata.json", text.encode(), query)
    snapshot = {"snapshot-id": 5, "timestamp-ms": 1, "sequence-number": 1, "summary": {"operation": "append"}, "manifest-list": "{DIR}/list.avro", "schema-id": 0}
    yield Case("v4.metadata.json", json.dumps(table_metadata(**{"current-snapshot-id": 5, "snapshots": [snapshot]})).encode(), query, says="list.avro")


def deep_sql():
    for name, text in (("parentheses", "(" * 10_000 + "1" + ")" * 10_000), ("minus", "- " * 100_000 + "1"), ("not", "NOT " * 100_000 + "TRUE"), ("plus", "1" + " + 1" * 100_000),
                       ("array", "ARRAY[" * 10_000 + "1" + "]" * 10_000), ("case", "CASE WHEN TRUE THEN " * 10_000 + "1" + " END" * 10_000), ("cast", "CAST(" * 10_000 + "1" + " AS INT)" * 10_000)):
        yield Case(f"{name}.sql", f"SELECT {text};".encode(), "-f", says=None)
    yield Case("subqueries.sql", ("SELECT * FROM (" * 10_000 + "SELECT 1" + ")" * 10_000 + ";").encode(), "-f")
    yield Case("type.sql", ("CREATE TABLE t (c " + "ARRAY<" * 10_000 + "INT" + ">" * 10_000 + ") WITH ('connector' = 'print');").encode(), "-f")
    yield Case("union.sql", ("SELECT 1" + " UNION ALL SELECT 1" * 20_000 + ";").encode(), "-f")
    yield Case("with.sql", ("WITH " + ", ".join(f"t{i} AS (SELECT * FROM t{i - 1} UNION ALL SELECT * FROM t{i - 1})" if i else "t0 AS (SELECT 1)" for i in range(60)) + " SELECT COUNT(*) FROM t59;").encode(), "-f")


def list_bomb():
    """The manifest list that the table above names."""
    return container(record("bytes"), [(1, packed("deflate", BOMB))], "deflate")


# ---- running ----

# Runs a command; JSON of its end and of the most memory it had. In a small process of its own: a
# child counts what the one that made it had.
LAUNCHER = """
import json, resource, subprocess, sys
limit = int(sys.argv[1])
done = subprocess.run(sys.argv[2:], capture_output=True,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(json.dumps([done.returncode, done.stdout.decode(errors="replace")[:9999],
                  done.stderr.decode(errors="replace")[:9999], peak]))
"""


def run(case, path, folder):
    """(exit code, output, errors, peak of memory)"""
    arguments = ["-f", path] if case.query == "-f" else ["-e", case.query.replace("{}", path)]
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(SECONDS), harness.binary(), "sql", "--format", "csv", *arguments]
    return json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout)


def check(case, folder, checks):
    path = os.path.join(folder, case.name)
    data = case.data() if callable(case.data) else case.data
    with open(path, "wb") as file:
        file.write(data.replace(b"{DIR}", folder.encode()) if case.name.endswith("metadata.json") else data)
    code, out, err, peak = run(case, path, folder)
    os.unlink(path)
    where = f"exit {code}, {peak // MIB} MiB: {(out + err)[:600]}"
    checks.ok(f"{case.name}: ends", code in (0, 1), where)
    checks.ok(f"{case.name}: memory", peak <= case.memory, where)
    if case.answer is not None:
        lines = "\n".join(out.strip().split("\n")[1:])
        checks.ok(f"{case.name}: answer", code == 0 and lines == case.answer, where)
    elif case.query != "-f":
        named = (case.says or case.name) in err
        checks.ok(f"{case.name}: refused, with name and place", code == 1 and named and PLACE.search(err), where)
    else:
        checks.ok(f"{case.name}: an answer, or refused with a place", code == 0 or re.search(r":\d+:\d+: error", err), where)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    args = parser.parse_args()
    checks = Checks()
    with Folder(args.keep) as folder:
        where = folder.file("files")
        os.makedirs(where, exist_ok=True)
        with open(os.path.join(where, "list.avro"), "wb") as file:
            file.write(list_bomb())
        for cases in (parquet_pages, parquet_footers, avro_cases, metadata_cases, deep_sql, text_cases):
            for case in cases():
                if args.only in case.name:
                    check(case, where, checks)
            checks.note(cases.__name__)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
