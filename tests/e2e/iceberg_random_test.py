#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random Iceberg tables against a model that is written from the specification alone.

  iceberg_random_test.py [--seeds 1-40] [--keep DIR]

tests/peers/odd_tables/random_table.py makes a table from a seed: nested types at depth, schemas that
evolve at depth, files in Parquet and Avro with any layout and statistics, several partition specs,
position deletes, deletion vectors, equality deletes, manifests written again. Each is read whole, at every
snapshot, with its metadata columns, and under predicates on every column.

Needs the Python of tests/peers/lake/install.sh. The last line is "N passed, N failed".
"""
import argparse
import collections
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(os.path.dirname(HERE), "peers")
sys.path[:0] = [HERE, os.path.join(PEERS, "lake"), os.path.join(PEERS, "odd_tables")]
import judge  # noqa: E402

if __name__ == "__main__":
    judge.own_python(os.path.abspath(__file__))
import canon  # noqa: E402
import random_table  # noqa: E402
from iceberg_odd_tables_test import ask_all, column_predicates, differ  # noqa: E402


def canonical(fields, rows):
    """One line a row, not sorted."""
    arrow = random_table.table_of(fields, rows)
    hints = [canon.hint_of(random_table.by_name(f["type"])) for f in fields]
    columns = [canon.encode(arrow.column(i), hints[i]) for i in range(arrow.num_columns)]
    names = [canon.text(f["name"]) for f in fields]
    return ["{" + ",".join(f"{n}:{c[i]}" for n, c in zip(names, columns)) + "}" for i in range(len(rows))]


def with_more(line, row):
    _, _, place, number, sequence, spec = row
    lineage = f'"_row_id":{"null" if number is None else number},"_last_updated_sequence_number":{"null" if number is None else sequence},'
    return '{"_spec_id":' + str(spec) + f',"_pos":{place},' + lineage + line[1:]


def questions(made, path):
    """(name, SQL, wanted lines)."""
    table = f"ICEBERG_TABLE('{path}')"
    fields = made.schemas[-1]["fields"]
    rows = made.snapshots[-1]["rows"]
    lines = canonical(fields, [r[0] for r in rows])
    yield "whole", f"SELECT * FROM {table}", collections.Counter(lines)
    more = "_spec_id, _pos, _row_id, _last_updated_sequence_number, *"
    full = [with_more(line, row) for line, row in zip(lines, rows)]
    yield "metadata columns", f"SELECT {more} FROM {table}", collections.Counter(full)
    for snapshot in made.snapshots[:-1]:
        schema = next(s for s in made.schemas if s["id"] == snapshot["schema-id"])
        want = canonical(schema["fields"], [r[0] for r in snapshot["rows"]])
        yield f"snapshot {snapshot['sequence-number']}", f"SELECT * FROM {table} FOR SYSTEM_VERSION AS OF {snapshot['snapshot-id']}", collections.Counter(want)
    for name, select, condition, want in column_predicates([random_table.json_field(f) for f in fields], [json.loads(x) for x in lines], full):
        if condition is None:
            yield name, f"SELECT {select} FROM {table} AS t", want
        else:
            yield name, f"SELECT {more} FROM {table} AS t WHERE {condition}", want


def run(seed, folder):
    made = random_table.make(seed, folder)
    asked = list(questions(made, made.write_metadata()))
    answers, said = ask_all([sql for _, sql, _ in asked])
    problems = [(name, sql, differ(got, want)) for (name, sql, want), got in zip(asked, answers)]
    return len(asked), [p for p in problems if p[2]], said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1-40")
    parser.add_argument("--keep", help="the tables that fail go here")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    passed = failed = 0
    for seed in range(int(first), int(last or first) + 1):
        with tempfile.TemporaryDirectory() as folder:
            count, problems, said = run(seed, os.path.join(folder, "t"))
            passed += count - len(problems)
            failed += len(problems)
            for name, sql, problem in problems[:5]:
                print(f"FAIL seed {seed} {name}: {problem}\n    {sql[-300:]}", flush=True)
            if problems:
                print(f"seed {seed}: {len(problems)} of {count} failed; {said[:600]}", flush=True)
                if arguments.keep:
                    shutil.copytree(folder, os.path.join(arguments.keep, str(seed)), dirs_exist_ok=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
