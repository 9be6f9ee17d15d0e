#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone. usage: headers.py COMPILER"""
import subprocess
import sys

import house

wrong = []
for path in house.files(*house.PRODUCT, ends=".h"):
    r = subprocess.run([sys.argv[1], "-std=c17", "-D_GNU_SOURCE", "-I.", "-Isrc", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                        "-fsyntax-only", "-x", "c", "-include", path, "/dev/null"], cwd=house.ROOT, capture_output=True, text=True)
    if r.returncode:
        wrong.append("%s: %s" % (path, "\n".join(r.stderr.split("\n")[:4])))
house.finish(wrong)
