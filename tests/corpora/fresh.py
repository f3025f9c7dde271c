#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command in a working directory and a data directory that are new and are removed behind it.

  fresh.py COMMAND [ARGS...]        (standard input and output are the command's)
"""
import os
import shutil
import subprocess
import sys
import tempfile

command = [os.path.abspath(sys.argv[1]) if os.path.exists(sys.argv[1]) else sys.argv[1]] + sys.argv[2:]
folder = tempfile.mkdtemp(prefix="frazil-")
try:
    code = subprocess.run(command, cwd=folder,
                          env=dict(os.environ, FRAZIL_DATA=os.path.join(folder, "data"))).returncode
finally:
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(code)
