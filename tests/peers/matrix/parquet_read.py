# SPDX-License-Identifier: Apache-2.0
"""Parquet files of others, read by us: all rows as the writer has them, then one condition after the
other; what row groups are left out shows EXPLAIN ANALYZE."""
import itertools
import os

import pyarrow as pa
import pyarrow.parquet as pq

import columns as cols
import conditions
import frazil

# Orders of the file that are not ours: bounds of theirs are not looked at.
OTHER_ORDER = {"f16"}


class Rows:
    """Columns, with their lines made once for all files of them."""

    def __init__(self, columns, arrays=None):
        self.columns = columns
        self.count = len(columns[0].array)
        self.arrays = arrays or [c.array for c in columns]
        self.table = pa.table({c.name: a for c, a in zip(columns, self.arrays)})
        self.texts = texts = [cols.lines_of(a) for a in self.arrays]
        keys = [f"\"{c.name}\":" for c in columns]
        self.lines = ["{" + ",".join(k + t[i] for k, t in zip(keys, texts)) + "}" for i in range(self.count)]
        self.conditions = conditions.of_columns(columns)

    def without(self, names):
        kept = [c for c in self.columns if c.name not in names]
        return Rows(kept)


def difference(got, expected):
    if got == expected:
        return ""
    if len(got) != len(expected):
        return f"{len(got)} rows, expected {len(expected)}"
    import json
    at = next(i for i, (a, b) in enumerate(zip(got, expected)) if a != b)
    try:
        mine, theirs = json.loads(got[at]), json.loads(expected[at])
        name = next(k for k in theirs if repr(mine.get(k)) != repr(theirs[k]))
        return f"row {at}, {name}: {str(mine.get(name))[:200]!r}, expected {str(theirs[name])[:200]!r}"
    except (AttributeError, TypeError, ValueError, StopIteration):
        return f"row {at}: {got[at][:300]}, expected {expected[at][:300]}"


def chunk_of(metadata, group, name):
    """The chunk of a leaf, found by its path."""
    row_group = metadata.row_group(group)
    for i in range(row_group.num_columns):
        if row_group.column(i).path_in_schema == name:
            return row_group.column(i)
    return None


class Check:
    """One file: whole, and under conditions."""

    def __init__(self, report, name, path, rows):
        self.report, self.name, self.path, self.rows = report, name, path, rows
        self.metadata = pq.read_metadata(path)
        self.extra = self.asked = 0
        self.cut = None  # the writer's bounds of longer values are not the values

    def whole(self):
        try:
            got = frazil.run([frazil.rows_of(self.path)])[0]
        except frazil.Refused as refused:
            return self.report(self.name, str(refused))
        return self.report(self.name, difference(got, self.rows.lines))

    def groups(self):
        first = 0
        for g in range(self.metadata.num_row_groups):
            count = self.metadata.row_group(g).num_rows
            yield g, first, first + count
            first += count

    def open_groups(self, one):
        """How many row groups the statistics leave open, and how many hold rows; None: no statistics."""
        leaf = one.column
        most = holding = 0
        for g, first, end in self.groups():
            chunk = chunk_of(self.metadata, g, leaf.name)
            part = leaf.keys[first:end]
            holds = any(one.holds(v) for v in part)
            holding += holds
            statistics = chunk.statistics if chunk is not None and chunk.is_stats_set else None
            # Without values there are no bounds, and need not be.
            known = statistics is not None and statistics.has_null_count and (
                statistics.has_min_max or one.op in ("IS NULL", "IS NOT NULL") or
                all(v is None for v in part))
            known = known and (self.cut is None or
                               all(not isinstance(v, bytes) or len(v) <= self.cut for v in part))
            most += not known or leaf.name in OTHER_ORDER or one.may_hold(part)
        return most, holding

    def under_conditions(self, chosen, exact=False):
        """`exact`: the file has bloom filters, or dictionaries throughout."""
        # All columns of the rows where they are few: late materialisation of each.
        few = lambda c: len(c.rows) * 4 < self.rows.count
        statements = [frazil.rows_of(self.path, "*" if few(c) else "rid", c.sql) for c in chosen]
        statements += ["EXPLAIN ANALYZE " + frazil.rows_of(self.path, "rid", c.sql) for c in chosen]
        try:
            results = frazil.run(statements)
        except frazil.Refused as refused:
            return self.report(f"{self.name}, conditions", str(refused))
        for one, got, told in zip(chosen, results, results[len(chosen):]):
            expected = [self.rows.lines[i] if few(one) else f'{{"rid":{i}}}' for i in one.rows]
            self.report(f"{self.name} WHERE {one.sql[:200]}", difference(got, expected))
            self.pruned(one, frazil.counters(told), exact)
        return None

    def pruned(self, one, counters, exact):
        if counters is None:
            return self.report(f"{self.name} WHERE {one.sql[:200]}", "EXPLAIN ANALYZE has no counters")
        most, holding = self.open_groups(one)
        read, total = counters[0], counters[1]
        has_leaf = chunk_of(self.metadata, 0, one.column.name) is not None
        problem = ""
        if total not in (0, self.metadata.num_row_groups):
            problem = f"{total} row groups, the file has {self.metadata.num_row_groups}"
        elif has_leaf and read > most:
            problem = f"{read} row groups read, {most} can hold such rows"
        if exact and has_leaf and one.op in ("=", "IN"):
            self.extra += max(0, read - holding)
            self.asked += total
        return self.report(f"{self.name} WHERE {one.sql[:200]}, row groups", problem)

    def finish(self):
        """Bloom filters may be wrong once in a while."""
        if self.asked:
            good = self.extra * 20 <= self.asked
            self.report(f"{self.name}, equality", "" if good else
                        f"{self.extra} row groups read in vain, of {self.asked}")


# ---- what pyarrow is asked to write ----

CODECS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")
BINARY_LIKE = ("string", "large_string", "string_view", "binary", "extension<arrow.json>")
FIXED_LIKE = ("fixed_size_binary", "decimal", "extension<arrow.uuid>", "halffloat")


def leaf_paths(name, kind):
    """(path, type) of the leaves as pyarrow names them."""
    if isinstance(kind, pa.BaseExtensionType):
        yield name, kind.storage_type
    elif pa.types.is_struct(kind):
        for i in range(kind.num_fields):
            yield from leaf_paths(f"{name}.{kind.field(i).name}", kind.field(i).type)
    elif pa.types.is_map(kind):
        yield from leaf_paths(f"{name}.key_value.key", kind.key_type)
        yield from leaf_paths(f"{name}.key_value.value", kind.item_type)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        yield from leaf_paths(f"{name}.list.element", kind.value_type)
    else:
        yield name, kind


def encodings_of(schema, wanted, whole_decimals=False):
    """An encoding for each leaf: the wanted one where the type can have it, else PLAIN. `whole_decimals`:
    those of up to 18 digits are stored as integers."""
    out = {}
    for field in schema:
        for path, kind in leaf_paths(field.name, field.type):
            text = str(kind)
            is_text = text in BINARY_LIKE or text == "large_binary"
            is_whole = whole_decimals and pa.types.is_decimal(kind) and kind.precision <= 18
            is_fixed = text.startswith(("fixed_size_binary", "decimal", "halffloat")) and not is_whole
            is_float = text in ("float", "double")
            is_bool = text == "bool"
            is_null = text == "null"
            is_number = not (is_text or is_fixed or is_float or is_bool or is_null)
            fits = {"DELTA_BINARY_PACKED": is_number, "DELTA_LENGTH_BYTE_ARRAY": is_text,
                    "DELTA_BYTE_ARRAY": is_text or is_fixed,
                    "BYTE_STREAM_SPLIT": is_fixed or is_float or is_number, "RLE": is_bool}
            choice = next((w for w in wanted if fits.get(w)), "PLAIN")
            out[path] = choice
    return out


ENCODINGS = {
    "plain": {"use_dictionary": False},
    "dictionary": {},
    "fallback": {"dictionary_pagesize_limit": 500, "write_batch_size": 32},
    "delta": ("DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY", "RLE"),
    "delta-length": ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"),
    "split": ("BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY", "RLE"),
}
# Taken in turn, at different paces, so that every pair comes up.
SIZES = ({}, {"max_rows_per_page": 1}, {"max_rows_per_page": 37}, {"data_page_size": 700, "write_batch_size": 16},
         {"max_rows_per_page": 100, "write_batch_size": 1})
GROUPS = (200, 1000, 170, 61, 333)
ASIDE = ({"write_page_index": True}, {}, {"write_page_index": True, "write_page_checksum": True},
         {"write_statistics": False}, {"write_page_checksum": True})
LAYOUT = ({}, {"use_compliant_nested_type": False}, {"store_schema": False}, {"store_decimal_as_integer": True},
          {"store_decimal_as_integer": True, "store_schema": False}, {"version": "2.4"})
BLOOMED = ("i32", "i64", "u32", "f64", "f32", "text", "wide", "few", "d9_2", "d18_4", "d38_10", "date", "t_us", "ts_us", "uuid",
           "fixed", "bytes", "rid", "a.b.c.d", "a.b.c.e", "whole.n", "u64", "d28_10", "json", "view", "huge")


def with_ids(schema):
    """The schema with field ids at its top (pyarrow numbers what is below)."""
    return pa.schema([f.with_metadata({"PARQUET:field_id": str(1000 + i)}) for i, f in enumerate(schema)])


def arrow_options(full):
    """(name, options, rewritten columns, what is special) of all files."""
    everything = itertools.product(ENCODINGS, CODECS, ("1.0", "2.0"))
    for n, (encoding, codec, version) in enumerate(everything):
        if not full and n % 9 != n // 12 % 9:
            continue
        options = {"compression": codec, "data_page_version": version, "row_group_size": GROUPS[n % 5],
                   **SIZES[n % 7 % 5], **ASIDE[n % 11 % 5], **LAYOUT[n % 13 % 6]}
        yield f"arrow {n} {encoding} {codec} v{version[0]}", encoding, options, n


def write_arrow(path, rows, encoding, options, n):
    """`exact`: whether equality is answered by filters or dictionaries."""
    table, options = rows.table, dict(options)
    if options.get("version") == "2.4":  # nanoseconds would become microseconds
        options.pop("version")
    if n % 3 == 0:
        table = table.cast(with_ids(table.schema))
    chosen = ENCODINGS[encoding]
    if isinstance(chosen, tuple):
        options.update(use_dictionary=False, column_encoding=encodings_of(
            table.schema, chosen, options.get("store_decimal_as_integer")))
        if options.get("use_compliant_nested_type") is False:
            options.pop("use_compliant_nested_type")  # leaves would have other names
    else:
        options.update(chosen)
    blooms = n % 4 == 1
    if blooms:
        options["bloom_filter_options"] = {name: {"ndv": rows.count, "fpp": 0.01} for name in BLOOMED
                                           if name.split(".")[0] in table.column_names}
    if n % 6 == 2:
        options["sorting_columns"] = [pq.SortingColumn(table.column_names.index("rid"))]
    pq.write_table(table, path, **options)
    return {"blooms": blooms, "dictionary": encoding == "dictionary"}


def run_arrow(report, folder, rows, full):
    for name, encoding, options, n in arrow_options(full):
        path = os.path.join(folder, f"arrow{n}.parquet")
        made = write_arrow(path, rows, encoding, options, n)
        check = Check(report, f"{name} {options}", path, rows)
        check.whole()
        pace = 3 if full else 31
        chosen = rows.conditions[n % pace::pace]
        if made["blooms"]:
            bloomed = [c for c in chosen if c.column.name in BLOOMED]
            check.under_conditions(bloomed, exact=True)
            chosen = [c for c in chosen if c.column.name not in BLOOMED]
        check.under_conditions(chosen)
        check.finish()
        os.remove(path)
