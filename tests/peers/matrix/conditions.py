# SPDX-License-Identifier: Apache-2.0
"""Conditions on the columns of the matrix, the rows that each leaves by Python's reckoning, and which
row groups bounds leave.

Order and equality are Flink's: NaN equals NaN and is above all other values, -0 equals 0; a comparison
with NULL holds for no row.
"""
import dataclasses

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


def rank(value):
    if isinstance(value, float):
        return (1, 0.0) if value != value else (0, value)
    return value


@dataclasses.dataclass
class Condition:
    column: object
    op: str           # one of COMPARISONS, IN, IS NULL, IS NOT NULL, LIKE
    values: list      # keys; of LIKE the prefix, whose absence from a pattern is not looked at
    sql: str
    rows: list = None # that it leaves

    def holds(self, value):
        if self.op == "IS NULL":
            return value is None
        if self.op == "IS NOT NULL":
            return value is not None
        if value is None:
            return False
        if self.op == "LIKE":
            return value.startswith(self.values[0])
        mine = rank(value)
        others = [rank(v) for v in self.values]
        if self.op == "IN":
            return mine in others
        other = others[0]
        return {"=": mine == other, "<>": mine != other, "<": mine < other, "<=": mine <= other,
                ">": mine > other, ">=": mine >= other}[self.op]

    def may_hold(self, part, nan_is_counted=False):
        """Whether bounds and the null count of these values leave the condition open."""
        nulls = sum(v is None for v in part)
        if self.op == "IS NULL":
            return nulls > 0
        if nulls == len(part):
            return False
        if self.op == "IS NOT NULL":
            return True
        known = [v for v in part if v is not None and v == v]
        floats = any(isinstance(v, float) for v in part)
        has_nan = len(known) + nulls < len(part) if nan_is_counted else floats
        wants_nan = self.op in (">", ">=", "<>") or any(v != v for v in self.values)
        if not known or (has_nan and wants_nan):
            return True
        low, high = min(known), max(known)
        first = self.values[0]
        if self.op == "LIKE":
            size = len(first)
            return low[:size] <= first <= high[:size]
        if self.op in ("=", "IN"):
            return any(v != v or low <= v <= high for v in self.values)
        return {"<>": not low == high == first, "<": low < first, "<=": low <= first,
                ">": high > first, ">=": high >= first}[self.op]


def name_sql(name):
    return ".".join(f"`{part}`" for part in name.split("."))


def like_sql(column, prefix):
    if any(c in prefix for c in b"%_\\"):
        return None
    literal = column.sql(prefix)
    return f"{name_sql(column.name)} LIKE {literal[:-1]}%'"


def picks(column):
    """Constants: from the middle of the ascending ones, of nobody, the smallest, the greatest, corners."""
    values = [v for v in column.keys if v is not None and column.sql(v) is not None]
    if not values:
        return []
    plain = [v for v in values if v == v]
    out = [values[len(values) // 8], min(plain, key=rank), max(plain, key=rank), values[len(values) * 3 // 4]]
    out += [v for v in values if v != v][:1] + [v for v in values if isinstance(v, float) and abs(v) == float("inf")][:1]
    if column.absent is not None and column.sql(column.absent) is not None:
        out.insert(1, column.absent)
    return list({repr(v): v for v in out}.values())


def of_column(column):
    """All conditions on one column or leaf, with the rows that they leave."""
    name = name_sql(column.name)
    out = [Condition(column, op, [], f"{name} {op}") for op in ("IS NULL", "IS NOT NULL")]
    values = picks(column) if column.sql is not None and column.keys is not None else []
    for value in values:
        out += [Condition(column, op, [value], f"{name} {op} {column.sql(value)}") for op in COMPARISONS]
    if len(values) > 1:
        several = values[:3]
        out.append(Condition(column, "IN", several, f"{name} IN ({', '.join(column.sql(v) for v in several)})"))
        out.append(Condition(column, "IN", several, " OR ".join(f"{name} = {column.sql(v)}" for v in several)))
    if column.texts:
        for value in values[:4]:
            prefix = value.decode()[:9].encode()
            sql = like_sql(column, prefix)
            if prefix and sql:
                out.append(Condition(column, "LIKE", [prefix], sql))
    for one in out:
        one.rows = [i for i, v in enumerate(column.keys) if one.holds(v)]
    return out


def of_columns(columns):
    return [c for column in columns for leaf in [column, *column.leaves] if leaf.keys is not None
            for c in of_column(leaf)]
