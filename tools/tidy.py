#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Style as a test: what HACKING.md asks of every source file.

Lines of at most 100 columns, files of at most 800 lines, functions of at most 70 lines, an SPDX line
first, ASCII only, a comment at the head of every header, file stems unique in the tree, symbols that
name their file, no leftovers. Exceptions stand in tools/tidy_exceptions.txt, each with its reason;
one that is no longer needed is a fault, so the list can only shrink.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINE_MAX, FILE_MAX, FUNCTION_MAX = 100, 800, 70
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
RAW_MALLOC = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free)\s*\(")


def files():
    for top in ("src", "fuzz", "bench", "tests", "sim"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def check_text(path, text):
    lines = text.split("\n")
    if not lines[0].startswith("// SPDX-License-Identifier: Apache-2.0"):
        yield "spdx", 1, "the first line is the SPDX line"
    if len(lines) - 1 > FILE_MAX:
        yield "file-length", 1, f"{len(lines) - 1} lines, at most {FILE_MAX}"
    if path.endswith(".h") and not (len(lines) > 2 and lines[2].startswith("// ")):
        yield "head", 3, "a header begins with what it is for"
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_MAX:
            yield "line-length", number, f"{len(line)} columns, at most {LINE_MAX}"
        if LEFTOVER.search(line):
            yield "leftover", number, "a leftover; open an issue instead"
        if not line.replace("…", "").replace("–", "").replace("−", "").replace("×", "").isascii():
            yield "ascii", number, "ASCII only (besides … – − × in comments)"
        if path.startswith("src/") and not path.startswith("src/base/mem.c") and \
                not path.endswith("_test.c") and RAW_MALLOC.search(line.split("//")[0]):
            yield "malloc", number, "memory comes from base/mem.h"


def function_lengths(paths):
    try:
        out = subprocess.run(
            ["ctags", "-x", "--_xformat=%{input}\t%{line}\t%{end}\t%{name}", "--kinds-C=f",
             "--fields=+e", "--language-force=C"] + paths,
            cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return
    for row in out.split("\n")[:-1]:
        path, line, end, name = row.split("\t")
        if end.isdigit() and int(end) - int(line) + 1 > FUNCTION_MAX:
            yield path, int(line), f"{name}: {int(end) - int(line) + 1} lines, at most {FUNCTION_MAX}"


def stem_clashes(paths):
    seen = {}
    for path in paths:
        key = os.path.splitext(os.path.basename(path))
        if key in seen and path.startswith("src/"):
            yield path, 1, f"the name is taken by {seen[key]}"
        seen.setdefault(key, path)


def main():
    paths = list(files())
    faults = []
    for path in paths:
        text = open(os.path.join(ROOT, path), encoding="utf-8").read()
        faults += [(path, rule, line, what) for rule, line, what in check_text(path, text)]
    tested = [p for p in paths if p.endswith(".c") and not p.endswith("_test.c")]
    faults += [(p, "function-length", line, what) for p, line, what in function_lengths(tested)]
    faults += [(p, "stem", line, what) for p, line, what in stem_clashes(paths)]
    allowed = set()
    for row in open(os.path.join(ROOT, "tools/tidy_exceptions.txt"), encoding="utf-8"):
        if row.strip() and not row.startswith("#"):
            path, rule = row.split()[:2]
            allowed.add((path, rule))
    bad = [f for f in faults if (f[0], f[1]) not in allowed]
    unused = allowed - {(f[0], f[1]) for f in faults}
    for path, rule, line, what in bad:
        print(f"{path}:{line}: {rule}: {what}")
    for path, rule in sorted(unused):
        print(f"tools/tidy_exceptions.txt: {path} {rule}: no longer needed")
    count = len(bad) + len(unused)
    print(f"{len(paths) - len({f[0] for f in bad})} passed, {count} failed")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
