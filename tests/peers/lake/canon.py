# SPDX-License-Identifier: Apache-2.0
"""Canonical NDJSON: one row a line, the same text whichever engine read the table.

The rules are in README.md ("Canonical rows"). Values come in as Arrow data, so that PyIceberg,
DuckDB and Spark share this one conversion.
"""

import datetime
import decimal
import json
import struct
import uuid

import pyarrow as pa

_EPOCH = datetime.date(1970, 1, 1).toordinal()


def text(value):
    """JSON text of a Python string, unescaped but for what JSON demands."""
    return json.dumps(value, ensure_ascii=False)


def number32(value):
    """Shortest decimal text that reads back to the same 32-bit float."""
    for digits in range(1, 10):
        shown = f"{value:.{digits}g}"
        try:
            if struct.pack("<f", float(shown)) == struct.pack("<f", value):
                return repr(float(shown))
        except OverflowError:  # rounded up beyond the largest float
            continue
    return repr(value)


def floating(value, single):
    if value is None:
        return "null"
    if value != value:
        return '"NaN"'
    if value in (float("inf"), float("-inf")):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return number32(value) if single else repr(value)


def day_text(days):
    """ISO date of a day ordinal, also beyond what Python's date holds."""
    try:
        return datetime.date.fromordinal(days + _EPOCH).isoformat()
    except (ValueError, OverflowError):
        # civil-from-days (proleptic Gregorian), for years outside 1..9999
        z = days + 719468
        era = z // 146097
        doe = z - era * 146097
        yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
        doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
        mp = (5 * doy + 2) // 153
        day = doy - (153 * mp + 2) // 5 + 1
        month = mp + 3 if mp < 10 else mp - 9
        year = yoe + era * 400 + (1 if month <= 2 else 0)
        sign = "-" if year < 0 else ("+" if year > 9999 else "")
        return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def clock_text(ticks, per_second):
    """HH:MM:SS with 6 or 9 decimals from ticks since midnight."""
    seconds, fraction = divmod(ticks, per_second)
    digits = 9 if per_second == 1_000_000_000 else 6
    if per_second < 1_000_000:
        fraction *= 1_000_000 // per_second
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:0{digits}d}"


def stamp_text(ticks, unit, zoned):
    per_second = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}[unit]
    days, rest = divmod(ticks, 86400 * per_second)
    return f"{day_text(days)}T{clock_text(rest, per_second)}{'+00:00' if zoned else ''}"


def decimal_text(value):
    return format(value, "f")


def _ints(array):
    """Underlying integers of a date, time or timestamp array."""
    width = array.type.bit_width
    return array.view(pa.int32() if width == 32 else pa.int64()).to_pylist()


def encode(array, hint=None):
    """List of JSON texts, one an element, of an Arrow array.

    hint is 'uuid' or 'json' for columns whose Arrow type does not say so; for a struct, list or map
    it is a dict of hints by child name ('element', 'key' and 'value' for list and map).
    """
    if isinstance(array, pa.ChunkedArray):
        return [shown for chunk in array.chunks for shown in encode(chunk, hint)]
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            hint = "uuid"
        if kind.extension_name in ("arrow.json",):
            hint = "json"
        array = array.storage
        kind = array.type
    if pa.types.is_dictionary(kind):
        return encode(array.dictionary_decode(), hint)
    if pa.types.is_null(kind):
        return ["null"] * len(array)
    if pa.types.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        if hint == "variant":
            return [None if v is None else variant_text(v) for v in array.to_pylist()]
        hints = hint if isinstance(hint, dict) else {}
        children = [encode(c, hints.get(n)) for n, c in zip(names, array.flatten())]
        present = array.is_valid().to_pylist()
        keys = [text(n) for n in names]
        return [
            "{" + ",".join(f"{k}:{c[i]}" for k, c in zip(keys, children)) + "}" if ok else "null"
            for i, ok in enumerate(present)
        ]
    if pa.types.is_map(kind):
        hints = hint if isinstance(hint, dict) else {}
        offsets = array.offsets.to_pylist()
        keys = encode(array.keys, hints.get("key"))
        values = encode(array.items, hints.get("value"))
        out = []
        for i, ok in enumerate(array.is_valid().to_pylist()):
            if not ok:
                out.append("null")
                continue
            pairs = sorted(
                f"[{keys[j]},{values[j]}]" for j in range(offsets[i], offsets[i + 1])
            )
            out.append("[" + ",".join(pairs) + "]")
        return out
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        hints = hint if isinstance(hint, dict) else {}
        offsets = array.offsets.to_pylist()
        values = encode(array.values, hints.get("element"))
        return [
            "[" + ",".join(values[offsets[i] : offsets[i + 1]]) + "]" if ok else "null"
            for i, ok in enumerate(array.is_valid().to_pylist())
        ]
    if pa.types.is_date32(kind):
        return ["null" if v is None else text(day_text(v)) for v in _ints(array)]
    if pa.types.is_date64(kind):
        return encode(array.cast(pa.date32()))
    if pa.types.is_time(kind):
        per = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}[kind.unit]
        return ["null" if v is None else text(clock_text(v, per)) for v in _ints(array)]
    if pa.types.is_timestamp(kind):
        zoned = kind.tz is not None
        return [
            "null" if v is None else text(stamp_text(v, kind.unit, zoned)) for v in _ints(array)
        ]
    if pa.types.is_boolean(kind):
        return [{None: "null", True: "true", False: "false"}[v] for v in array.to_pylist()]
    if pa.types.is_integer(kind):
        return ["null" if v is None else str(v) for v in array.to_pylist()]
    if pa.types.is_floating(kind):
        single = pa.types.is_float32(kind)
        return [floating(v, single) for v in array.to_pylist()]
    if pa.types.is_decimal(kind):
        return ["null" if v is None else text(decimal_text(v)) for v in array.to_pylist()]
    out = []
    for v in array.to_pylist():
        if v is None:
            out.append("null")
        elif isinstance(v, uuid.UUID):
            out.append(text(str(v)))
        elif isinstance(v, (bytes, bytearray)):
            out.append(text(str(uuid.UUID(bytes=bytes(v))) if hint == "uuid" else v.hex()))
        elif hint == "json":
            out.append(json_text(v))
        elif hint == "uuid":
            out.append(text(v.lower()))
        else:
            out.append(text(v))
    return out


class _Literal(float):
    """A float that prints as the text it was made of."""

    def __new__(cls, shown):
        made = super().__new__(cls, shown)
        made.shown = shown
        return made

    def __repr__(self):
        return self.shown


def _number(shown):
    plain = format(decimal.Decimal(shown).normalize(), "f")
    return plain if len(plain) < 40 else repr(float(shown))


def json_text(source):
    """JSON of a variant's JSON text: keys sorted, numbers in plain notation."""

    def show(v):
        if isinstance(v, dict):
            return "{" + ",".join(f"{text(k)}:{show(v[k])}" for k in sorted(v)) + "}"
        if isinstance(v, list):
            return "[" + ",".join(show(x) for x in v) + "]"
        if isinstance(v, _Literal):
            return _number(v.shown)
        if v is None or isinstance(v, bool):
            return {None: "null", True: "true", False: "false"}[v]
        return str(v) if isinstance(v, int) else text(v)

    return show(json.loads(source, parse_float=_Literal))


def variant_text(value):
    """Variant stored as {metadata, value}: both as hex."""
    return "{" + ",".join(f"{text(k)}:{text(value[k].hex())}" for k in ("metadata", "value")) + "}"


def rows(table, hints=None):
    """Sorted canonical lines of an Arrow table."""
    hints = hints or {}
    names = table.schema.names
    columns = [encode(table.column(i), hints.get(n)) for i, n in enumerate(names)]
    keys = [text(n) for n in names]
    lines = [
        "{" + ",".join(f"{k}:{c[i]}" for k, c in zip(keys, columns)) + "}"
        for i in range(table.num_rows)
    ]
    return sorted(lines, key=lambda s: s.encode())


def hint_of(kind):
    """Hint for an Iceberg type as it stands in table metadata."""
    if isinstance(kind, str):
        return {"uuid": "uuid", "variant": "json"}.get(kind)
    if kind["type"] == "struct":
        found = {f["name"]: hint_of(f["type"]) for f in kind["fields"]}
        return {k: v for k, v in found.items() if v} or None
    if kind["type"] == "list":
        inner = hint_of(kind["element"])
        return {"element": inner} if inner else None
    inner = {"key": hint_of(kind["key"]), "value": hint_of(kind["value"])}
    return {k: v for k, v in inner.items() if v} or None
