# SPDX-License-Identifier: Apache-2.0
"""Frazil as the matrix uses it: many statements in one process, the rows of each apart."""
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FRAZIL = os.environ.get("FRAZIL", os.path.join(ROOT, "build", "release", "frazil"))
MARK = '{"mark":'
SCAN = re.compile(r"scan 1: files \d+ of \d+(?:, row groups (\d+) of (\d+))?(?:, pages (\d+) of (\d+))?"
                  r"(?:, bytes (\d+) of (\d+))?")


class Refused(Exception):
    pass


def run(statements, parallelism=1, data=None):
    """The lines of each statement, canonical. Refused where one fails: what it said."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql", encoding="utf-8", errors="surrogatepass") as script:
        script.write("SET 'table.local-time-zone' = 'UTC';\n"
                     f"SET 'parallelism.default' = '{parallelism}';\n")
        for i, statement in enumerate(statements):
            script.write(f"SELECT {i} AS mark;\n{statement};\n")
        script.flush()
        with tempfile.TemporaryDirectory() as own:
            done = subprocess.run([FRAZIL, "sql", "--data", data or own, "--format", "canonical", "-f", script.name],
                                  capture_output=True, timeout=600)
    if done.returncode != 0:
        raise Refused(f"exit {done.returncode}: {done.stderr.decode(errors='replace')[:600]}")
    out = []
    for line in done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        if line.startswith(MARK):
            out.append([])
        else:
            out[-1].append(line)
    return out


def rows_of(path, columns="*", where=None):
    name = path.replace("'", "''")
    return f"SELECT {columns} FROM '{name}'" + (f" WHERE {where}" if where else "")


def counters(lines):
    """(row groups read, of, pages read, of, bytes read, of) as EXPLAIN ANALYZE tells them; zeros where it
    says nothing."""
    found = SCAN.search(json.loads(lines[0])["result"])
    return tuple(int(v or 0) for v in found.groups()) if found else None
