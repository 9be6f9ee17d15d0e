#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files up to 400 lines, interfaces 150, functions 60, and up to 20 ways through one function."""
import os
import re
import shutil
import subprocess
import sys

import house

FILE, HEADER, FUNCTION, WAYS = 400, 150, 60, 20
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")

if not shutil.which("ctags"):
    print("needs ctags (Debian: universal-ctags)")
    sys.exit(77)
wrong = []
sources = house.files(*house.PRODUCT, "tests", ends=(".c", ".h"))
for path in sources + house.files("tests", "scripts", "cmake", ends=(".py", ".sh", ".cmake", ".txt")):
    lines, most = house.read(path).count("\n"), HEADER if path.endswith(".h") and not path.startswith("tests/") else FILE
    if lines > most:
        wrong.append("%s: %d lines, %d are allowed" % (path, lines, most))
tags = subprocess.run(["ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=f", "--fields=+ne", "-f", "-"] + sources,
                      cwd=house.ROOT, capture_output=True, text=True, check=True).stdout
functions = 0
for tag in tags.split("\n"):
    m = re.search(r"^(\S+)\t(\S+)\t.*\tline:(\d+).*\tend:(\d+)", tag)
    if not m:
        continue
    functions += 1
    name, path, first, last = m.group(1), m.group(2), int(m.group(3)), int(m.group(4))
    if last - first + 1 > FUNCTION:
        wrong.append("%s:%d: %s has %d lines, %d are allowed" % (path, first, name, last - first + 1, FUNCTION))
    ways = 1 + len(BRANCH.findall("\n".join(house.code(path).split("\n")[first - 1:last])))
    if ways > WAYS:
        wrong.append("%s:%d: %s has %d ways through it, %d are allowed" % (path, first, name, ways, WAYS))
if not functions:
    wrong.append("ctags found no function")
house.finish(wrong)
