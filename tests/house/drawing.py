#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The drawing of docs/architecture.md against the tree: every path in it exists, every folder of sources is in it."""
import os
import re

import house

DOC = "docs/architecture.md"
text = house.read(DOC)
drawing = re.search(r"^```text\n(.*?)^```", text, re.M | re.S)
wrong = []
names = [line.split()[0] for line in drawing.group(1).split("\n") if line.strip()] if drawing else []
if not names:
    wrong.append("%s: no drawing" % DOC)
for name in names:
    if not os.path.exists(os.path.join(house.ROOT, name)) or name.endswith("/") != os.path.isdir(os.path.join(house.ROOT, name)):
        wrong.append("%s: '%s' is not in the tree" % (DOC, name))
folders = {os.path.dirname(f) + "/" for f in house.files(*house.PRODUCT, ends=(".c", ".yaml", ".json"))} | {"tests/", "scripts/"}
for folder in sorted(folders - {"src/"} - set(names)):
    wrong.append("%s: the drawing has no '%s'" % (DOC, folder))
# Paths named anywhere in the documents: `path/file` in backquotes, and links.
for doc in house.files(ends=".md"):
    if doc.startswith("tests/"):
        continue
    tops = tuple(t + "/" for t in house.PRODUCT + ("tests", "scripts", "docs", "cmake"))
    for path in re.findall(r"`([\w./-]+)`", house.read(doc)) + [os.path.normpath(os.path.join(os.path.dirname(doc), p))
                                                                 for p in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", house.read(doc))]:
        if path.startswith(tops) and "NAME" not in path and not os.path.exists(os.path.join(house.ROOT, path)):
            wrong.append("%s: '%s' is not in the tree" % (doc, path))
house.finish(wrong)
