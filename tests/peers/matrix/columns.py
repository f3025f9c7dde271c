# SPDX-License-Identifier: Apache-2.0
"""The columns of the matrix: each type with the values that hurt, as Arrow arrays and as what a
condition compares.

A table has five blocks of equal size, so that row groups and pages of any size meet borders:

  0  ascending values without nulls: bounds rule most of it out
  1  ascending further, a null at every seventh row
  2  nulls only
  3  the corners of the type in turn, with nulls between
  4  the values of block 0 in no order, each once: only bloom filters and dictionaries rule it out

Values of the ascending kind are those of even steps; odd ones are within the bounds and absent.
"""
import dataclasses
import datetime
import decimal
import json
import math
import typing
import uuid

import pyarrow as pa

import canon

Dec = decimal.Decimal
decimal.getcontext().prec = 80
NAN, INF = float("nan"), float("inf")
BLOCKS = 5


@dataclasses.dataclass
class Column:
    """A column, or a leaf of one that conditions can name. `keys` are its values as a condition
    compares them (numbers, bytes), None where it is null; without `sql` only nullness is asked for."""

    name: str
    array: pa.Array = None
    keys: list = None
    sql: typing.Callable = None  # a key as a literal of ours
    absent: object = None        # a key within the bounds that is nowhere
    texts: bool = False          # LIKE goes
    leaves: list = dataclasses.field(default_factory=list)  # of a struct


# ---- order of values in a column ----

def spread(rows, ramp, corners, nulls=True):
    """The values of a column: blocks as above. `ramp` maps a step to a value."""
    size, out = rows // BLOCKS, []
    block = lambda i: i // size if i // size < BLOCKS else BLOCKS - 1
    stride = next(s for s in (7919, 7907, 7901) if math.gcd(s, size) == 1)
    for i in range(rows):
        at = i % size if block(i) < BLOCKS - 1 else i - size * (BLOCKS - 1)
        kind = block(i)
        if kind == 0:
            out.append(ramp(2 * i))
        elif kind == 1:
            out.append(None if nulls and i % 7 == 0 else ramp(2 * i))
        elif kind == 2:
            out.append(None if nulls else ramp(2 * i))
        elif kind == 3:
            out.append(None if nulls and at % 5 == 4 else corners[at % len(corners)])
        else:
            out.append(ramp(2 * (at * stride % size)))
    return out


# ---- literals ----

def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def cast(kind):
    return lambda text: f"CAST({quoted(text)} AS {kind})"


def number_sql(kind):
    def literal(value):
        if isinstance(value, float):
            shown = "NaN" if value != value else repr(value).replace("inf", "Infinity")
            return cast(kind)(shown)
        return str(value) if value > -2**63 and kind != "DECIMAL" else cast("BIGINT")(str(value))
    return literal


def stamp_sql(kind, per_second, digits):
    """Literals of ticks; None where the year cannot be said."""
    def literal(ticks):
        seconds, fraction = divmod(ticks, per_second)
        if not -62135596800 <= seconds < 253402300800:
            return None
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        text = f"{moment.year:04d}{moment.strftime('-%m-%d %H:%M:%S')}"
        tail = f".{fraction * 10**digits // per_second:0{digits}d}" if digits else ""
        return cast(f"{kind}({digits})")(text + tail)
    return literal


def day_sql(days):
    if not -719162 <= days <= 2932896:
        return None
    return f"DATE '{datetime.date(1970, 1, 1) + datetime.timedelta(days=days)}'"


def time_sql(digits, per_second):
    def literal(ticks):
        return cast(f"TIME({digits})")(canon.clock_text(ticks, per_second)[:9 + digits])
    return literal


def bytes_sql(value):
    return f"x'{value.hex()}'"


# ---- flat columns ----

def flat(name, kind, values, sql, key=None, absent=None, texts=False):
    keys = [None if v is None else key(v) if key else v for v in values]
    return Column(name, pa.array(values, kind), keys, sql, absent, texts)


def integers(rows):
    for bits in (8, 16, 32, 64):
        for signed in (True, False):
            low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)
            step = max(1, (high - low) // (rows * 8))
            # From the middle on, so that values above the signed range are among them.
            ramp = lambda i, low=low, high=high, step=step: min(low + (high - low) // 3 + i * step, high - 1)
            values = spread(rows, ramp, [low, high, 0, 1, high - 1, low + 1, 2**(bits - 1) - 1])
            wide = bits == 64 and not signed
            sql = (lambda v: f"CAST('{v}' AS DECIMAL(20, 0))") if wide else number_sql("BIGINT")
            kind = getattr(pa, f"{'' if signed else 'u'}int{bits}")()
            yield flat(f"{'i' if signed else 'u'}{bits}", kind, values, sql,
                       absent=None if bits == 8 else ramp(1) if step == 1 else ramp(0) + 1)
    yield Column("bool", pa.array(values := spread(rows, lambda i: i > rows // 3, [True, False, False]),
                                  pa.bool_()), values, lambda v: str(v).upper())


def floats(rows):
    corners = [0.0, -0.0, NAN, INF, -INF, 1.5, -3.25]
    for name, kind, more in (("f32", pa.float32(), [1e-45, 3.4028234663852886e38, -3.4028234663852886e38]),
                             ("f64", pa.float64(), [5e-324, 1.7976931348623157e308, 0.1, -1.7976931348623157e308]),
                             ("f16", pa.float16(), [65504.0, -65504.0, 5.960464477539063e-08])):
        step = 0.125 if name != "f16" else 0.5
        values = spread(rows, lambda i, step=step: i * step + 2.0, corners + more)
        array = pa.array(values, pa.float64()).cast(pa.float32()).cast(kind) if name == "f16" \
            else pa.array(values, kind)
        back = array.cast(pa.float32()).to_pylist() if name == "f16" else array.to_pylist()
        yield Column(name, array, back, number_sql("DOUBLE" if name == "f64" else "FLOAT"), 2.0 + step)
    values = spread(rows, lambda i: i * 0.5 - 100, [-0.0, 0.0])
    yield flat("zeros", pa.float64(), values, number_sql("DOUBLE"), absent=-99.5)


def decimals(rows):
    for precision, scale, kind in ((1, 0, pa.decimal128), (9, 2, pa.decimal128), (9, 9, pa.decimal32),
                                   (18, 4, pa.decimal128), (18, 0, pa.decimal64), (19, 3, pa.decimal128),
                                   (28, 10, pa.decimal128), (38, 10, pa.decimal128), (38, 38, pa.decimal128),
                                   (38, 0, pa.decimal256)):
        most = 10**precision - 1
        step = max(1, most // (rows * 4))
        ramp = lambda i, step=step, most=most: min(i * step - most // 2, most)
        unscaled = spread(rows, ramp, [-most, most, 0, 1, -1, most // 3])
        values = [None if v is None else Dec(v).scaleb(-scale) for v in unscaled]
        yield flat(f"d{precision}_{scale}", kind(precision, scale), values,
                   lambda v, p=precision, s=scale: f"CAST('{v:f}' AS DECIMAL({p}, {s}))",
                   absent=Dec(ramp(0) + 1).scaleb(-scale) if step > 1 else None)


def times(rows):
    days = spread(rows, lambda i: i * 3 - 4000, [-719162, 2932896, 0, -1, -25567])
    yield flat("date", pa.date32(), days, day_sql, absent=-3999)
    yield Column("date64", pa.array([None if d is None else d * 86400000 for d in days], pa.int64()).cast(
        pa.date64()), days, day_sql, -3999)
    for name, kind, per, digits in (("t_ms", pa.time32("ms"), 10**3, 3), ("t_us", pa.time64("us"), 10**6, 6),
                                    ("t_ns", pa.time64("ns"), 10**9, 6)):
        ticks = spread(rows, lambda i, per=per: i * per * 80000 // (2 * rows), [0, 86400 * per - 1, per, 43200 * per])
        keys = [None if t is None else t // 1000 if name == "t_ns" else t for t in ticks]
        yield Column(name, pa.array(ticks, pa.int32() if name == "t_ms" else pa.int64()).cast(kind), keys,
                     time_sql(digits, 10**6 if name == "t_ns" else per), keys[0] + 1)
    for unit, per, digits in (("ms", 10**3, 3), ("us", 10**6, 6), ("ns", 10**9, 9)):
        extremes = [0, -1, 1] + ([-62135596800 * per, 253402300799 * per] if unit != "ns" else
                                 [-2**63 + 1, 2**63 - 1]) + ([-2**63, 2**63 - 1] if unit == "us" else [])
        for zone in (None, "UTC"):
            ticks = spread(rows, lambda i, per=per: (i * 86400 * 30 - 500000000) * per + 7 * (i % 9), extremes)
            array = pa.array(ticks, pa.int64()).cast(pa.timestamp(unit, zone))
            yield Column(("tz_" if zone else "ts_") + unit, array, ticks,
                         stamp_sql("TIMESTAMP_LTZ" if zone else "TIMESTAMP", per, digits), ticks[0] + 1)


TEXTS = ["", "a", "exactly 12 b", "thirteen byte", "\u00e4\u00f6\u4e2d\U0001f600", "it's \"quoted\" \\ and\ttab",
         "\uffff", "\U0010ffff", "z" * 63 + "\uffff", "z" * 62 + "\U0001f600", "y" * 1023 + "\u00e9z",
         "y" * 1024, "y" * 1021 + "\U0010ffff!", "\ud7ff\ue000", "%_like%", "long " * 1000, "\x7f\x01"]


def texts(rows):
    def keyed(name, kind, values, absent):
        return flat(name, kind, values, quoted_or_none, str.encode, absent.encode(), True)
    yield keyed("text", pa.string(), spread(rows, lambda i: f"row {i:08d} \u00e9", TEXTS), "row 00000001 \u00e9")
    yield keyed("wide", pa.large_string(), spread(rows, lambda i: "https://example.org/" * 5 + f"{i:07d}", TEXTS),
                "https://example.org/" * 5 + "0000001")
    yield keyed("few", pa.string(), spread(rows, lambda i: f"category number {i // 2 % 5 * 2}", ["", "category"]),
                "category number 3")
    yield keyed("view", pa.string_view(), spread(rows, lambda i: f"{i:05d} in view", TEXTS[:6]), "00001 in view")
    yield keyed("huge", pa.string(), spread(rows, lambda i: f"{i:06d}" + "h" * (3000 if i % 50 == 0 else 3), ["h" * 70000]),
                "000001hhh")
    corners = [b"", b"\x00", b"\xff" * 70, b"\xff\xfe", bytes(range(256)), b"\x00" * 1100]
    yield flat("bytes", pa.binary(), spread(rows, lambda i: i.to_bytes(4, "big") + b"\x80", corners), bytes_sql,
               absent=b"\x00\x00\x00\x01\x80")
    yield flat("fixed", pa.binary(5), spread(rows, lambda i: i.to_bytes(5, "big"), [b"\x00" * 5, b"\xff" * 5]),
               bytes_sql, absent=b"\x00\x00\x00\x00\x01")
    ids = spread(rows, lambda i: (i * 2**100 + 7).to_bytes(16, "big"), [b"\x00" * 16, b"\xff" * 16])
    yield Column("uuid", pa.array(ids, pa.uuid()), ids, lambda v: f"'{uuid.UUID(bytes=v)}'", (7).to_bytes(15, "big") + b"\x08")
    documents = spread(rows, lambda i: json.dumps({"n": f"{i:06d}"}), ["null", "[1, 2.50]", '"\u00e9"'])
    yield flat("json", pa.json_(), documents, quoted_or_none, str.encode, b'{"n": "000001"}')


def quoted_or_none(key):
    return quoted(key.decode())


def odd_columns(rows):
    yield flat("rid", pa.int64(), list(range(rows)), number_sql("BIGINT"), absent=rows + 1)
    yield flat("allnull", pa.int32(), [None] * rows, number_sql("BIGINT"), absent=3)
    yield flat("notype", pa.null(), [None] * rows, None)
    yield flat("same", pa.int64(), [42] * rows, number_sql("BIGINT"), absent=43)
    yield flat("duration", pa.duration("us"), spread(rows, lambda i: i * 10, [0, -1, 2**62]), None)
    big = spread(rows, lambda i: Dec(i * 10**60), [Dec(10**76 - 1), Dec(1 - 10**76)])
    yield flat("d76_0", pa.decimal256(76, 0), big, None)


# ---- nested columns ----

def nested(rows):
    def made(name, kind, ramp, corners):
        values = spread(rows, ramp, corners)
        return Column(name, pa.array(values, kind), [None if v is None else () for v in values])
    field = pa.field
    yield made("list", pa.list_(pa.int64()), lambda i: [i, i + 1, None][:i // 2 % 4], [[], [None], [None, None], [2**63 - 1]])
    yield made("texts", pa.large_list(pa.string()), lambda i: [f"tag {(i + j) % 11}" for j in range(i // 2 % 4)],
               [[], [None], ["", "\uffff"], ["x" * 5000]])
    yield made("pairs", pa.list_(pa.int32(), 2), lambda i: [i, -i], [[None, 1], [None, None]])
    yield made("lists", pa.list_(pa.list_(pa.int32())), lambda i: [[i], [], None, [None, i]][:i // 2 % 5],
               [[], [[]], [None], [[None]], [[], None, [1, 2]]])
    yield made("rows", pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())])),
               lambda i: [{"a": i, "b": None if j else f"b{i}"} for j in range(i // 2 % 3)],
               [[], [None], [{"a": None, "b": None}], [None, {"a": 1, "b": ""}]])
    yield made("emptylists", pa.list_(pa.int32()), lambda i: [], [[]])
    yield made("nulllists", pa.list_(pa.string()), lambda i: None, [None])
    yield made("map", pa.map_(pa.string(), pa.int64()), lambda i: [(f"k{j}", None if j == 2 else i * j) for j in range(i // 2 % 4)],
               [[], [("", None)], [("\uffff", 1)]])
    yield made("rowmap", pa.map_(pa.int32(), pa.struct([("x", pa.float64()), ("y", pa.list_(pa.date32()))])),
               lambda i: [(j, {"x": i / 3, "y": [i, None][:j]} if j < 2 else None) for j in range(i // 2 % 4)],
               [[], [(1, None)], [(2, {"x": NAN, "y": None})]])
    yield made("maps", pa.list_(pa.map_(pa.string(), pa.list_(pa.binary()))),
               lambda i: [[(f"m{i}", [b"", None])], None, []][:i // 2 % 4], [[], [None], [[]], [[("", None)]]])
    deep = pa.list_(pa.struct([("m", pa.map_(pa.int32(), pa.list_(pa.list_(pa.struct([("z", pa.int64())])))))]))
    yield made("deep", deep, lambda i: [{"m": [(j, [[{"z": i}], [], None] if i % 3 else None) for j in range(i // 2 % 2 + 1)]}],
               [[], [None], [{"m": None}], [{"m": []}], [{"m": [(1, [[None]])]}], [{"m": [(1, [[{"z": None}]])]}]])
    depth = pa.struct([("b", pa.struct([("c", pa.struct([("d", pa.int64()), ("e", pa.string())]))]))])
    column = made("a", depth, lambda i: {"b": {"c": {"d": i, "e": f"e{i:06d}"}}},
                  [{"b": None}, {"b": {"c": None}}, {"b": {"c": {"d": None, "e": None}}}, {"b": {"c": {"d": 7, "e": ""}}}])
    below = lambda v, *path: v if v is None or not path else below(v[path[0]], *path[1:])
    values = column.array.to_pylist()
    column.leaves = [
        Column("a.b.c.d", None, [below(v, "b", "c", "d") for v in values], number_sql("BIGINT"), 1),
        Column("a.b.c.e", None, [(lambda t: None if t is None else t.encode())(below(v, "b", "c", "e")) for v in values],
               quoted_or_none, b"e000001", True),
        Column("a.b", None, [None if below(v, "b") is None else () for v in values])]
    yield column
    plain = pa.struct([field("n", pa.int32(), nullable=False), field("s", pa.string(), nullable=False)])
    column = made("whole", plain, lambda i: {"n": i, "s": f"part {i % 50}"}, [{"n": -1, "s": ""}])
    column.leaves = [Column("whole.n", None, [None if v is None else v["n"] for v in column.array.to_pylist()],
                            number_sql("BIGINT"), 1)]
    yield column
    yield made("nullrow", pa.struct([("x", pa.int32()), ("y", pa.list_(pa.int32()))]), lambda i: None, [None])
    yield made("nullfields", pa.struct([("x", pa.int32()), ("y", pa.struct([("z", pa.string())]))]),
               lambda i: {"x": None, "y": None}, [{"x": None, "y": {"z": None}}, None])


def all_columns(rows):
    return [c for make in (odd_columns, integers, floats, decimals, times, texts, nested) for c in make(rows)]


# ---- as we print them ----

def lines_of(array):
    """One text a value, as `--format canonical` has it: what is of another type here comes as that."""
    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in lines_of(chunk)]
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return canon.encode(array) if kind.extension_name == "arrow.uuid" else lines_of(array.storage)
    if pa.types.is_dictionary(kind):
        return lines_of(array.dictionary_decode())
    valid = array.is_valid().to_pylist()
    if pa.types.is_struct(kind):
        children = [lines_of(c) for c in array.flatten()]
        keys = [canon.text(kind.field(i).name) for i in range(kind.num_fields)]
        return ["{" + ",".join(f"{k}:{c[i]}" for k, c in zip(keys, children)) + "}" if ok else "null"
                for i, ok in enumerate(valid)]
    if pa.types.is_map(kind):
        keys, values, at = lines_of(array.keys), lines_of(array.items), array.offsets.to_pylist()
        pair = lambda i: sorted(f"[{keys[j]},{values[j]}]" for j in range(at[i], at[i + 1]))
        return ["[" + ",".join(pair(i)) + "]" if ok else "null" for i, ok in enumerate(valid)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values, at = lines_of(array.values), array.offsets.to_pylist()
        return ["[" + ",".join(values[at[i]:at[i + 1]]) + "]" if ok else "null" for i, ok in enumerate(valid)]
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        values = lines_of(array.values[array.offset * size:(array.offset + len(array)) * size])
        return ["[" + ",".join(values[i * size:(i + 1) * size]) + "]" if ok else "null" for i, ok in enumerate(valid)]
    return scalar_lines(array)


def scalar_lines(array):
    kind = array.type
    if pa.types.is_float16(kind):
        array = array.cast(pa.float32())
    elif kind == pa.time64("ns"):  # a time has six digits here
        array = pa.array([None if v is None else v // 1000 for v in array.cast(pa.int64()).to_pylist()],
                         pa.int64()).cast(pa.time64("us"))
    elif kind == pa.uint64():  # DECIMAL(20, 0)
        return ["null" if v is None else f'"{v}"' for v in array.to_pylist()]
    elif pa.types.is_duration(kind):
        array = array.cast(pa.int64())
    elif pa.types.is_date64(kind):
        array = array.cast(pa.date32())
    elif pa.types.is_string_view(kind):
        array = array.cast(pa.string())
    elif pa.types.is_decimal(kind) and kind.precision > 38:  # its bytes
        size = next(n for n in range(1, 40) if 2**(8 * n - 1) > 10**kind.precision)
        return ["null" if v is None else '"' + int(v.scaleb(kind.scale)).to_bytes(size, "big", signed=True).hex() + '"'
                for v in array.to_pylist()]
    return canon.encode(array)
