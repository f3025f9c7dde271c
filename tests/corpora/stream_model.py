# SPDX-License-Identifier: Apache-2.0
"""A plain model of streaming SQL: what a changelog is, row by row, with Python values and no state
worth the name. It follows Flink's operators one to one (GroupAggFunction, the window operator,
a filter that looks at each row alone) and is slow on purpose: every result is computed anew from
the bag of rows that the group holds.

A change is (op, row): op is +I -U +U -D, row a tuple. A column is (name, type), types as SQL text.
Values: int, float, Decimal, str, bool, bytes, datetime.date, datetime.datetime (naive: TIMESTAMP;
aware, UTC: TIMESTAMP_LTZ), None, and for nested types Row, list, dict.
"""
import datetime
import re
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

INSERTS = ("+I", "+U")
EPOCH = datetime.datetime(1970, 1, 1)


class Row(tuple):
    """A value of type ROW."""


# Types --------------------------------------------------------------------------------------------


def bare(type_text):
    return type_text.replace(" NOT NULL", "")


def sum_type(type_text):
    m = re.match(r"DECIMAL\((\d+), (\d+)\)", type_text)
    return f"DECIMAL(38, {m.group(2)})" if m else bare(type_text)


def avg_type(type_text):
    m = re.match(r"DECIMAL\((\d+), (\d+)\)", type_text)
    return f"DECIMAL(38, {max(6, int(m.group(2)))})" if m else bare(type_text)


def scale_of(type_text):
    m = re.match(r"DECIMAL\((\d+), (\d+)\)", type_text)
    return int(m.group(2)) if m else None


def wrap(value, type_text):
    bits = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}.get(bare(type_text))
    if bits is None:
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def java_double(value):
    """Double.toString: the shortest digits, with an exponent from 1e7 and below 1e-3."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if str(value)[0] == "-" else "0.0"
    sign = "-" if value < 0 else ""
    digits, exponent = format(abs(value), ".17e").split("e")
    for precision in range(0, 17):
        text = format(abs(value), f".{precision}e")
        if float(text) == abs(value):
            digits, exponent = text.split("e")
            break
    digits, exponent = digits.replace(".", ""), int(exponent)
    digits = digits.rstrip("0") or "0"
    if -3 <= exponent < 7:
        if exponent < 0:
            return sign + "0." + "0" * (-exponent - 1) + digits
        digits = digits.ljust(exponent + 2, "0")
        return sign + digits[:exponent + 1] + "." + digits[exponent + 1:]
    return sign + digits[0] + "." + (digits[1:] or "0") + "E" + str(exponent)


def escape(text):
    out = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\u{ord(m.group(0)):04x}", out)


def show(value, type_text, nested=False):
    """The text of a value, as the typed format prints it (before its escapes)."""
    kind = bare(type_text)
    if value is None:
        return "NULL" if nested else "\\N"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if kind == "DOUBLE":
        return java_double(value)
    if scale_of(kind) is not None:
        return f"{value:.{scale_of(kind)}f}"
    if isinstance(value, bytes):
        return "x'" + value.hex() + "'"
    if isinstance(value, datetime.datetime):
        digits = int(re.search(r"\((\d)\)", kind).group(1))
        text = value.strftime("%H:%M:%S") + f".{value.microsecond:06d}"
        day = f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
        return day + " " + (text[:9 + digits] if digits else text[:8])
    if isinstance(value, datetime.date):
        return f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
    if isinstance(value, Row):
        return "(" + ", ".join(show(v, t, True) for v, t in zip(value, row_types(kind))) + ")"
    if isinstance(value, list):
        element = kind[len("ARRAY<"):-1]
        return "[" + ", ".join(show(v, element, True) for v in value) + "]"
    if isinstance(value, dict):
        key, val = split_types(kind[len("MAP<"):-1])
        return "{" + ", ".join(show(k, key, True) + "=" + show(v, val, True)
                               for k, v in value.items()) + "}"
    return str(value)


def split_types(text):
    parts, depth, cur = [], 0, ""
    for c in text:
        depth += c in "<(" and 1 or c in ">)" and -1 or 0
        if c == "," and depth == 0:
            parts.append(cur.strip())
            cur = ""
        else:
            cur += c
    return parts + [cur.strip()]


def row_types(kind):
    return [re.sub(r"^`[^`]*` ", "", p) for p in split_types(kind[len("ROW<"):-1])]


def line(op, row, types):
    cells = [c if v is None else escape(c) for v, c in
             ((v, show(v, t)) for v, t in zip(row, types))]
    return (op, cells)


# Keys ---------------------------------------------------------------------------------------------


def frozen(value):
    if isinstance(value, (list, Row)):
        return (type(value).__name__,) + tuple(frozen(v) for v in value)
    if isinstance(value, dict):
        return ("map",) + tuple(sorted((frozen(k), repr(frozen(v))) for k, v in value.items()))
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    if isinstance(value, bool):
        return ("bool", value)
    return value


def key_of(row, at):
    return tuple(frozen(row[i]) for i in at)


# Relations ----------------------------------------------------------------------------------------


class Relation:
    """Columns and changes, in order. `marks`, where there are any, are the watermarks before and after
    each change."""

    def __init__(self, columns, changes, marks=None):
        self.columns, self.changes, self.marks = columns, changes, marks

    def at(self, name):
        return [c[0] for c in self.columns].index(name)

    def type(self, name):
        return self.columns[self.at(name)][1]

    def retracts(self):
        return any(op != "+I" for op, _ in self.changes)

    def filter(self, predicate):
        kept = [i for i, (_, row) in enumerate(self.changes) if predicate(row) is True]
        marks = None if self.marks is None else [self.marks[i] for i in kept]
        return Relation(self.columns, [self.changes[i] for i in kept], marks)

    def project(self, columns, function):
        return Relation(columns, [(op, tuple(function(row))) for op, row in self.changes],
                        self.marks)

    def final(self):
        bag, sample = Counter(), {}
        for op, row in self.changes:
            key = key_of(row, range(len(row)))
            bag[key] += 1 if op in INSERTS else -1
            sample[key] = row
        if any(n < 0 for n in bag.values()):
            raise ValueError("the model took back a row that is not there")
        return [sample[k] for k, n in bag.items() for _ in range(n)]


def union_all(relations):
    return Relation(relations[0].columns, [c for r in relations for c in r.changes])


class Call:
    """An aggregate: kind is COUNT, SUM, AVG, MIN or MAX; column None is *; condition(row) a FILTER."""

    def __init__(self, kind, column=None, distinct=False, condition=None):
        self.kind, self.column, self.distinct, self.condition = kind, column, distinct, condition

    def type(self, relation, grouped=True):
        """NOT NULL where no group can be without a value."""
        if self.kind == "COUNT":
            return "BIGINT NOT NULL"
        argument = relation.type(self.column)
        kind = {"SUM": sum_type, "AVG": avg_type}.get(self.kind, bare)(argument)
        never_null = argument != bare(argument) and grouped and self.condition is None
        return kind + " NOT NULL" if never_null else kind

    def value(self, relation, rows):
        if self.condition is not None:
            rows = [r for r in rows if self.condition(r) is True]
        if self.column is None:
            return len(rows)
        at = relation.at(self.column)
        values = [r[at] for r in rows if r[at] is not None]
        if self.distinct:
            values = list({frozen(v): v for v in values}.values())
        if self.kind == "COUNT":
            return len(values)
        if not values:
            return None
        if self.kind == "MIN":
            return min(values)
        if self.kind == "MAX":
            return max(values)
        argument = relation.type(self.column)
        total = sum(values[1:], values[0])
        if self.kind == "SUM":
            return wrap(total, argument)
        if isinstance(total, Decimal):
            unit = Decimal(1).scaleb(-scale_of(avg_type(argument)))
            return (total / len(values)).quantize(unit, rounding=ROUND_HALF_UP)
        if isinstance(total, float):
            return total / len(values)
        total = wrap(total, "BIGINT")  # the sum's type, whatever the argument's
        return abs(total) // len(values) * (-1 if total < 0 else 1)


def group_by(relation, keys, calls, names, needs_before=True):
    """GROUP BY keys: each row of the input may change its group's result."""
    at = [relation.at(k) for k in keys]
    columns = [relation.columns[i] for i in at] + [(n, c.type(relation, bool(keys)))
                                                   for n, c in zip(names, calls)]
    retracts, groups, out = relation.retracts(), {}, []
    for op, row in relation.changes:
        key = key_of(row, at)
        if key not in groups:
            if op not in INSERTS:
                continue
            groups[key] = ([], None, tuple(row[i] for i in at))
        rows, before, shown = groups[key]
        if op in INSERTS:
            rows.append(row)
        else:
            rows.remove(row)
        after = tuple(c.value(relation, rows) for c in calls)
        if not rows and retracts:
            out.append(("-D", shown + before))
            del groups[key]
            continue
        if before is None:
            out.append(("+I", shown + after))
        elif key_of(before, range(len(before))) != key_of(after, range(len(after))):
            if needs_before:
                out.append(("-U", shown + before))
            out.append(("+U", shown + after))
        groups[key] = (rows, after, shown)
    return Relation(columns, out)


def inner_join(left, right, pairs, null_safe=False, condition=None):
    """The final rows only: between two inputs the order is free."""
    at = [(left.at(a), right.at(b)) for a, b in pairs]
    out = []
    for a in left.final():
        for b in right.final():
            equal = all(frozen(a[i]) == frozen(b[k]) if null_safe else
                        a[i] is not None and b[k] is not None and frozen(a[i]) == frozen(b[k])
                        for i, k in at)
            if equal and (condition is None or condition(a + b) is True):
                out.append(("+I", a + b))
    return Relation(left.columns + right.columns, out)


# Event time ---------------------------------------------------------------------------------------


def millis(time):
    plain = time.replace(tzinfo=None) if time.tzinfo else time
    delta = plain - EPOCH
    return (delta.days * 86400 + delta.seconds) * 1000 + delta.microseconds // 1000


def from_millis(ms):
    return EPOCH + datetime.timedelta(milliseconds=ms)


def with_watermark(relation, column, delay_ms):
    """A watermark after every row: the largest time so far less the delay; none up to 1970, as behind
    every source that makes no watermarks itself."""
    at, high, marks = relation.at(column), 0, []
    for _, row in relation.changes:
        if row[at] is not None:
            high = max(high, millis(row[at]) - delay_ms)
        marks.append((marks[-1][1] if marks else None, high or None))
    return Relation(relation.columns, relation.changes, marks)


def tumble(relation, column, size_ms, keys, calls, names):
    """GROUP BY keys, window_start, window_end over TUMBLE. Columns: keys, start, end, calls; and of
    what it hands on, `marks` are the watermarks at which each result came."""
    time_at, at = relation.at(column), [relation.at(k) for k in keys]
    columns = [relation.columns[i] for i in at] + [
        ("window_start", "TIMESTAMP(3) NOT NULL"), ("window_end", "TIMESTAMP(3) NOT NULL")] + [
        (n, c.type(relation)) for n, c in zip(names, calls)]
    windows, out, marks, mark = {}, [], [], None

    def fire(upto, before):
        first = len(out)
        for end in sorted(e for e in windows if upto is None or e - 1 <= upto):
            for shown, rows in windows.pop(end).values():
                out.append(("+I", shown + (from_millis(end - size_ms), from_millis(end)) + tuple(
                    c.value(relation, rows) for c in calls)))
                marks.append((before, before))
        if len(out) > first:
            marks[-1] = (before, upto)  # the watermark follows what it fired

    def advance(to):
        nonlocal mark
        if to is not None and (mark is None or to > mark):
            fire(to, mark)
            mark = to

    for (op, row), (before, after) in zip(relation.changes, relation.marks):
        advance(before)  # rows that a filter left out have moved it, too
        time = millis(row[time_at])
        end = time // size_ms * size_ms + size_ms
        if mark is None or end - 1 > mark:
            group = windows.setdefault(end, {}).setdefault(
                key_of(row, at), (tuple(row[i] for i in at), []))
            group[1].append(row)
        advance(after)
    fire(None, mark)
    return Relation(columns, out, marks)
