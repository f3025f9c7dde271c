#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against the layer table in CMakeLists.txt.

  check_layers.py            fails when a file includes what its layer may not
  check_layers.py --graph    prints the table as it is used, for ARCHITECTURE.md

A layer includes its own folder and the layers named in its DEPS; *_int.h only from its own folder.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/([^"]+)"', re.M)


def table():
    text = open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8").read()
    rows = re.findall(r"^layer\((\w+)\s+DEPS\s*([\w ]*?)\s*LIBS", text, re.M)
    return {name: set(deps.split()) for name, deps in rows}


def sources(layer):
    for folder, _, files in os.walk(os.path.join(ROOT, "src", layer)):
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                yield os.path.join(folder, name)


def main():
    layers = table()
    used = {layer: set() for layer in layers}
    faults = []
    for layer, deps in layers.items():
        for path in sources(layer):
            text = open(path, encoding="utf-8").read()
            here = os.path.relpath(path, ROOT)
            for other, rest in INCLUDE.findall(text):
                if other not in layers:
                    faults.append(f"{here}: includes {other}/{rest}: no such layer")
                elif other != layer and other not in deps:
                    faults.append(f"{here}: {layer} may not include {other} ({other}/{rest})")
                elif other != layer and rest.endswith("_int.h"):
                    faults.append(f"{here}: {other}/{rest} is private to its folder")
                elif not os.path.exists(os.path.join(ROOT, "src", other, rest)):
                    faults.append(f"{here}: {other}/{rest} does not exist")
                if other != layer:
                    used[layer].add(other)
    if "--graph" in sys.argv:
        for layer in layers:
            print(f"| {layer} | {' '.join(d for d in layers if d in used[layer]) or '-'} |")
        return 0
    print("\n".join(faults))
    print(f"{len(layers) - bool(faults)} passed, {len(faults)} failed" if faults
          else f"{len(layers)} passed, 0 failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
