# SPDX-License-Identifier: Apache-2.0
"""How many bytes a query reads of a file: as EXPLAIN ANALYZE counts them, as strace sees them, and as they must be.

What must be read for a condition on one leaf: of the leaf the chunks whose bounds do not exclude it, or the pages
where there is a page index; of the other columns asked for the pages that hold rows which match. All pages here have
equally many rows and bytes. A query may read 1.2 times that. A lookup of a value that a bloom filter knows reads one
row group.

strace sees footers as well, which are read with what stands before them: for the binder, and for each part of a file.
"""
import glob
import os
import re
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq

import frazil

PAGE, GROUP = 2000, 100000
TAIL, PART = 1 << 16, 16 << 20  # what is read first of a file, and how large its parts are
CALL = re.compile(r"^(\d+) +(pread64|preadv|read)\((\d+)<([^>]*)>.*?(= (\d+)|<unfinished \.\.\.>)$")
REST = re.compile(r"^(\d+) +<\.\.\. (pread64|preadv|read) resumed>.*= (\d+)$")
STATEMENT = re.compile(r"scan 1: files \d+ of (\d+)(?:, row groups (\d+) of (\d+))?(?:, pages \d+ of \d+)?(?:, bytes (\d+) of)?")


def bytes_of(log, suffix):
    total, waiting = 0, {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            call, rest = CALL.match(line), REST.match(line)
            if call and call.group(4).endswith(suffix):
                if call.group(6):
                    total += int(call.group(6))
                else:
                    waiting[call.group(1)] = True
            elif rest and waiting.pop(rest.group(1), False):
                total += int(rest.group(3))
    return total


def measure(folder, data, query, suffix):
    """(row groups read, bytes counted, bytes that strace saw)."""
    log = os.path.join(folder, "strace.log")
    done = subprocess.run(
        ["strace", "-f", "-y", "-e", "trace=pread64,preadv,read", "-o", log, frazil.FRAZIL, "sql", "--data", data,
         "--set", "parallelism.default=1", "-e", f"EXPLAIN ANALYZE SELECT {query}"],
        capture_output=True, timeout=300)
    found = STATEMENT.search(done.stdout.decode())
    if found is None:
        raise RuntimeError((done.stderr + done.stdout).decode()[:400])
    return int(found.group(2) or 0), int(found.group(4) or 0), bytes_of(log, suffix)


class File:
    """A file with what a query must read of it."""

    def __init__(self, path):
        self.path, self.metadata = path, pq.read_metadata(path)
        self.footer = int.from_bytes(open(path, "rb").read()[-8:-4], "little")

    def chunk(self, group, leaf):
        row_group = self.metadata.row_group(group)
        return next(row_group.column(i) for i in range(row_group.num_columns)
                    if row_group.column(i).path_in_schema == leaf)

    def chunks(self, leaf):
        return sum(self.chunk(g, leaf).total_compressed_size for g in range(self.metadata.num_row_groups))

    def pages(self, leaf, rows):
        """Bytes of the pages of a leaf that hold these rows."""
        first = total = 0
        for g in range(self.metadata.num_row_groups):
            count = self.metadata.row_group(g).num_rows
            held = {(row - first) // PAGE for row in rows if first <= row < first + count}
            total += self.chunk(g, leaf).total_compressed_size * len(held) // -(-count // PAGE)
            first += count
        return total


def footers_only(extra, file):
    """What is wrong with bytes that strace saw and nobody counted."""
    parts = -(-os.path.getsize(file.path) // PART)
    most = (parts + 2) * max(TAIL, file.footer + 8)
    return "" if 0 <= extra <= most else f"{extra} bytes that are not counted, footers are {most} at most"


def nested_table(rows):
    deep = pa.list_(pa.struct([("x", pa.int64()), ("y", pa.string())]))
    row = pa.StructArray.from_arrays(
        [pa.array([i * 7919 % 100003 for i in range(rows)], pa.int64()),
         pa.array([f"{i * 7919 % 10007:032d}" for i in range(rows)]),
         pa.array([[{"x": i + j, "y": f"item {i * 31 % 65521:08d}"} for j in range(2)] for i in range(rows)], deep)],
        names=["a", "b", "c"])
    return pa.table({"id": pa.array(range(rows), pa.int64()), "r": row,
                     "t": pa.array([f"text of row {i * 31 % 65521:08d}" for i in range(rows)])})


def cases(file, rows):
    """(columns and condition, bytes that must be read) of each query."""
    values = [i * 7919 % 100003 for i in range(rows)]
    matching = lambda test: [i for i, v in enumerate(values) if test(v)]
    one, some = matching(lambda v: v == 50000), matching(lambda v: v < 100)
    near = [77777]
    leaf, others = "r.a", {"id": "id", "t": "t", "r.b": "r.b"}
    deep_x, deep_y = "r.c.list.element.x", "r.c.list.element.y"
    yield "id", "r.a = -5", 0
    yield "id", "r.a = 5000000", 0
    for asked in others:
        yield asked, "r.a = 50000", file.chunks(leaf) + file.pages(others[asked], one)
    yield "id, t", "r.a < 100", file.chunks(leaf) + file.pages("id", some) + file.pages("t", some)
    yield "t", "r.a = 50000 AND id < 300000", file.chunks(leaf) + file.chunks("id") + file.pages("t", one)
    yield "r.c[1].x", None, file.chunks(deep_x)
    yield "r.c[2].y", None, file.chunks(deep_y)
    yield "id", "r.c[1].x = 77", file.chunks(deep_x) + file.chunks("id")
    yield "t", "id = 77777", file.pages("id", near) + file.pages("t", near)
    yield "r.a, r.c[1].y", "id = 77777", file.pages("id", near) + file.pages("r.a", near) + file.pages(deep_y, near)


def check(report, folder, label, source, data, file, rows):
    # What is looked at besides: statistics lie in the footer, indexes of pages in front of it.
    indexes = 3000 * file.metadata.num_row_groups * 4
    for asked, where, need in cases(file, rows):
        query = f"{asked} FROM {source}" + (f" WHERE {where}" if where else "")
        _, counted, seen = measure(folder, data, query, os.path.basename(file.path))
        report(f"{label}: {query}: {counted} read", "" if counted <= 1.2 * need + indexes else
               f"{counted} bytes read, {need} needed")
        report(f"{label}: {query}, strace", footers_only(seen - counted, file))


def run_nested(report, folder, rows):
    path = os.path.join(folder, "bytes.parquet")
    for label, options in (("pyarrow", {"compression": "none", "use_dictionary": False}),
                           ("pyarrow zstd v2", {"compression": "zstd", "use_dictionary": False,
                                                "data_page_version": "2.0"})):
        pq.write_table(nested_table(rows), path, write_page_index=True, row_group_size=GROUP, max_rows_per_page=PAGE,
                       **options)
        check(report, folder, label, f"'{path}'", folder, File(path), rows)
    data = os.path.join(folder, "bytes-data")
    frazil.run(["CREATE TABLE b (id BIGINT, r ROW<a BIGINT, b STRING, c ARRAY<ROW<x BIGINT, y STRING>>>, t STRING) WITH "
                f"('write.parquet.page-row-limit' = '{PAGE}', 'write.parquet.row-group-size-bytes' = '12000000', "
                "'write.parquet.compression-codec' = 'uncompressed', 'write.parquet.dict-size-bytes' = '1')",
                f"INSERT INTO b SELECT * FROM '{path}'"], data=data)
    files = glob.glob(f"{data}/**/*.parquet", recursive=True)
    if len(files) != 1:
        return report("an Iceberg table of one file", f"{len(files)} files")
    return check(report, folder, "Iceberg", "b", data, File(files[0]), rows)


def run_lookups(report, folder, rows):
    """Values in no order, each once: statistics and pages rule nothing out."""
    path, data = os.path.join(folder, "lookup.parquet"), os.path.join(folder, "lookup-data")
    ids = [i * 7919 % 1000003 for i in range(rows)]
    table = pa.table({"n": pa.array(ids, pa.int64()), "s": pa.array([f"row-{v:07d}" for v in ids]),
                      "t": pa.array([f"text of {v}" for v in ids])})
    bloom = {"ndv": rows // 8, "fpp": 0.001}
    pq.write_table(table, path, row_group_size=rows // 8, use_dictionary=False, max_rows_per_page=PAGE, write_page_index=True,
                   bloom_filter_options={"n": bloom, "s": bloom})
    blooms = ", ".join(f"'write.parquet.bloom-filter-enabled.column.{c}' = 'true', "
                       f"'write.parquet.bloom-filter-fpp.column.{c}' = '0.001'" for c in "ns")
    size = os.path.getsize(path)
    frazil.run([f"CREATE TABLE l (n BIGINT, s STRING, t STRING) WITH ({blooms}, 'write.parquet.row-group-size-bytes' = "
                f"'{size // 12}', 'write.parquet.page-row-limit' = '{PAGE}')", f"INSERT INTO l SELECT * FROM '{path}'"],
               data=data)
    ours = glob.glob(f"{data}/**/*.parquet", recursive=True)[0]
    for label, source, file in (("pyarrow", f"'{path}'", path), ("Iceberg", "l", ours)):
        metadata = pq.read_metadata(file)
        groups = metadata.num_row_groups
        report(f"{label}: several row groups", "" if groups >= 4 else f"{groups}")
        largest = max(metadata.row_group(g).total_byte_size for g in range(groups))
        for at in (5, rows // 2, rows - 7):
            for condition in (f"n = {ids[at]}", f"s = 'row-{ids[at]:07d}'", f"s IN ('row-{ids[at]:07d}', 'row-x')"):
                read, counted, seen = measure(folder, data, f"* FROM {source} WHERE {condition}", os.path.basename(file))
                report(f"{label}: {condition}: {counted} bytes", "" if read == 1 and counted < largest else
                       f"{read} row groups of {groups}, {counted} bytes; a group has {largest}")
                report(f"{label}: {condition}, strace", footers_only(seen - counted, File(file)))
            read, _, _ = measure(folder, data, f"* FROM {source} WHERE s = 'row-absent'", os.path.basename(file))
            report(f"{label}: a value of nobody", "" if read == 0 else f"{read} row groups read")


def run(report, folder, full):
    run_nested(report, folder, 400000 if full else 200000)
    run_lookups(report, folder, 400000 if full else 160000)
