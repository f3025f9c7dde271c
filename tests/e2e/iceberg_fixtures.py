#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables written by Spark (fixtures/spark-iceberg), read by us: every kept snapshot, rows equal.

  iceberg_fixtures.py TOOL [FIXTURES]

TOOL is tests/tools/iceberg_tool, built. What cannot be read yet must be refused with the words of
REFUSED, and nothing else may be. Without fixtures everything is skipped. The last line is "N passed, N failed, N skipped".
"""
import decimal
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

REFUSED = {
    "position_deletes_orc": "",
    "mixed_formats": "data files of format",
}
LINEAGE = "metadata=_row_id,_last_updated_sequence_number"
# What these snapshots hold by the specification is told by their row counts here: see
# iceberg_tables_test.py.
BY_SPECIFICATION = {
    "equality_deletes_partitioned": {
        "snapshot=3214683057221521093": 8,
        "snapshot=4343062963965328999": 18,
        "snapshot=7008392533623832976": 17,
    },
}


def aggregate(query, lines):
    """The answer to the one query that a fixture has in place of rows."""
    if query != "SELECT count(*) AS n, sum(id) AS total, min(id) AS lo, max(id) AS hi FROM t":
        return f"unknown query {query}"
    ids = [json.loads(line)["id"] for line in lines]
    return (f'{{"n":{len(ids)},"total":{sum(ids)},"lo":{min(ids)},"hi":{max(ids)}}}')


def sort_key(value):
    if isinstance(value, str):
        try:
            return decimal.Decimal(value)
        except decimal.InvalidOperation:
            return value  # dates and times sort as text
    return value


def check_figures(command, rows, skipped):
    """COUNT, MIN and MAX from metadata: what is known must be what the rows say."""
    done = subprocess.run([*command, "figures=1"], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"figures: {done.stderr.strip()[:300]}"
    rows = [json.loads(row) for row in rows]
    for line in done.stdout.splitlines():
        kind, rest = line.split(" ", 1)
        if rest.endswith(" unknown"):
            continue
        if kind == "rows":
            column, want, got = "*", str(len(rows)), rest[2:]
        else:
            column = next((c for c in sorted(rows[0] if rows else (), key=len, reverse=True)
                           if rest.startswith(c + " ")), None)
            if column is None or column in skipped:
                continue  # no row to compare with, or a null that is a value
            got = rest[len(column) + 1:]
            values = [row[column] for row in rows if row[column] is not None]
            if kind == "count":
                want = str(len(values))
            elif not values:
                want = "null"
            else:
                want = (min if kind == "min" else max)(values, key=sort_key)
                got = json.loads(got)
        if got != want:
            return f"{kind} of {column} from metadata is {got}, the rows say {want}"
    return ""


def check(tool, folder, meta, arguments, expected, table):
    command = [tool, "read-file", os.path.join(folder, meta["metadata"]),
               f"map={meta['location']}={folder}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        words = REFUSED.get(table)
        if words is not None and words in done.stderr and "cannot be read yet" in done.stderr:
            return None
        return f"refused: {done.stderr.strip()[:500]}"
    with open(expected, encoding="utf-8") as lines:
        want = sorted(lines.read().splitlines())
    got = sorted(done.stdout.splitlines())
    rows = BY_SPECIFICATION.get(table, {}).get(arguments[0] if arguments else "")
    if rows is not None:
        return "" if len(got) == rows else f"{len(got)} rows, by the specification {rows}"
    if "query" in meta["expected"]:
        got = [aggregate(meta["expected"]["query"], got)]
    if got == want:
        is_plain = "query" not in meta["expected"] and not arguments[:1] == [LINEAGE]
        variants = ["v"] if table.startswith("variant") else []
        return check_figures(command, got, variants) if is_plain else ""
    first = next((pair for pair in zip(got, want) if pair[0] != pair[1]), ("", ""))
    return f"{len(got)} rows, expected {len(want)}: {first[0][:300]} is not {first[1][:300]}"


def main():
    tool = os.path.abspath(sys.argv[1])
    fixtures = (sys.argv[2] if len(sys.argv) > 2 else os.environ.get(
        "FRAZIL_FIXTURES", os.path.join(ROOT, "..", "shared", "fixtures")))
    home = os.path.join(fixtures, "spark-iceberg")
    if not os.path.isdir(home):
        print("no fixtures\n0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = refused = 0
    for table in sorted(os.listdir(home)):
        folder = os.path.join(home, table)
        path = os.path.join(folder, "meta.json")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as text:
            meta = json.load(text)
        if "metadata" not in meta:
            continue
        wanted = [([f"snapshot={s['snapshot-id']}"], s["file"]) for s in meta.get("snapshots", [])
                  if s.get("file")]
        if meta.get("expected", {}).get("file"):
            wanted.append(([], meta["expected"]["file"]))
        if os.path.exists(os.path.join(folder, "expected", "lineage.ndjson")):
            wanted.append(([LINEAGE],
                           os.path.join("expected", "lineage.ndjson")))
        for arguments, expected in wanted:
            verdict = check(tool, folder, meta, arguments, os.path.join(folder, expected), table)
            if verdict is None:
                refused += 1
            elif verdict == "":
                passed += 1
            else:
                failed += 1
                print(f"FAIL {table} {' '.join(arguments)}: {verdict}")
    print(f"{refused} snapshots refused by name")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
