#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A licence line in every source file, no banned call, no path of anybody's machine, nothing that is left to do."""
import os
import re

import house

SOURCES = (".c", ".h", ".def", ".py", ".sh", ".cmake", ".yaml", "CMakeLists.txt")
DATA = ("tests/fixtures/cuda/", "tests/fixtures/hip/", "tests/fuzz/corpus/", "tests/cli/", "tests/real/expect/")
LICENCE = "SPDX-License-Identifier: Apache-2.0"
# Calls that take no length, keep hidden state or ask the clock; an artifact's bytes may reach none of them.
BANNED = ("strcpy strcat stpcpy sprintf vsprintf strtok strtok_r gets atoi atol atoll atof gmtime localtime ctime asctime alloca "
          "strncpy strncat sscanf scanf rand srand tmpnam tempnam mktemp system popen").split()
NEVER_RUN = "execl execlp execle execv execve execvp execvpe fexecve posix_spawn posix_spawnp dlopen dlsym".split()
# tests/cli cases and recipes hold made-up paths; everything else must not.
MACHINE = re.compile(r"(?<![\w$./])/(?:home|root|work|Users|mnt|srv)/[\w.]|(?<![\w./])\.\./shared\b|\bshared/(?:design|data|fixtures|real)\b")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")

wrong = []
everything = house.files()
for path in everything:
    if path.startswith(DATA) and not path.endswith(".py"):
        continue
    text = house.read(path)
    head = text.split("\n", 3)[:3]
    if (path.endswith(SOURCES) or head[0].startswith("#!")) and not any(LICENCE in line for line in head):
        wrong.append("%s: no '%s' in its first lines" % (path, LICENCE))
    if path in ("LICENSE", "tests/house/sources.py") or path.startswith("tests/fixtures/"):
        continue
    for n, line in enumerate(text.split("\n"), 1):
        if MACHINE.search(line):
            wrong.append("%s:%d: a path of one machine: %s" % (path, n, line.strip()[:100]))
        if UNFINISHED.search(line):
            wrong.append("%s:%d: unfinished: %s" % (path, n, line.strip()[:100]))
for path in house.files(*house.PRODUCT, "tests", ends=(".c", ".h")):
    banned = BANNED + (NEVER_RUN if not path.startswith("tests/") else [])
    for n, line in enumerate(house.code(path).split("\n"), 1):
        for name in re.findall(r"(?<![\w.>])(\w+)\s*\(", line):
            if name in banned:
                wrong.append("%s:%d: %s is banned" % (path, n, name))
for path in house.files(*house.PRODUCT, ends=".h"):
    guard = "POSTERN_" + re.sub(r"^src/", "", path)[:-2].upper().replace("/", "_") + "_H"
    if not re.search(r"#ifndef %s\n#define %s\n" % (guard, guard), house.read(path)):
        wrong.append("%s: no include guard %s" % (path, guard))
house.finish(wrong)
