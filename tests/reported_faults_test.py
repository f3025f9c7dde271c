#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the tests that REPORTED_FAULTS.md names are there. The last line is "N passed, N failed"."""
import os
import re
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def tables_of(corpus):
    with tarfile.open(os.path.join(HERE, "corpora", corpus + ".tar.xz")) as archive:
        return {name.split("/")[1] for name in archive.getnames() if "/" in name}


def sources():
    listed = subprocess.run(["find", os.path.join(ROOT, "src"), HERE, "-name", "*_test.c", "-o", "-name", "*.py"],
                            capture_output=True, text=True, check=True).stdout.split()
    return {os.path.basename(path): path for path in listed}


def main():
    with open(os.path.join(HERE, "REPORTED_FAULTS.md"), encoding="utf-8") as file:
        text = file.read().split("\n## ", 1)[1]
    with open(os.path.join(HERE, "suites.txt"), encoding="utf-8") as file:
        suites = {line.split("|")[0].strip() for line in file if "|" in line}
    known = {"odd": tables_of("odd-iceberg"), "spark": tables_of("spark-iceberg"), "suite": suites}
    files, passed, failed = sources(), 0, 0
    for row in (line for line in text.split("\n") if line.startswith("| ") and not line.startswith("| |")):
        names = re.findall(r"`((?:odd|spark|suite):[^`]+|[a-z_]+\.(?:c|py)::[^`]+)`", row)
        missing = []
        for name in names:
            if "::" in name:
                path, case = name.split("::")
                body = open(files[path], encoding="utf-8").read() if path in files else ""
                is_there = re.search(rf"\b{re.escape(case)}\b", body) is not None
            else:
                kind, what = name.split(":")
                is_there = what in known[kind]
            if not is_there:
                missing.append(name)
        is_reasoned = bool(names) or re.search(r"here|not written|no reading", row) is not None
        passed += is_reasoned and not missing
        failed += not is_reasoned or bool(missing)
        if missing or not is_reasoned:
            print(f"FAIL {row[:80]}: {missing or 'neither a test nor a reason'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
