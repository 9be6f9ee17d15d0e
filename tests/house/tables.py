#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each list.def is sorted, unique and complete: a file a row, a row a file. The other tables are sorted and unique."""
import os
import re

import house

PREFIX = {"CHECK": "checks_", "EXTRACTOR": "extractor_", "REPORT": "report_", "DEVICE_FORMAT": "device_", "COMMAND": "command_"}
# Sorted by their text: table, macro. (limits.def, finding.def, options.def)
BY_TEXT = (("src/base/limits.def", "LIMIT"), ("src/model/finding.def", "FINDING"), ("src/options.def", "OPTION"))
wrong = []


def ordered(table, names):
    if not names:
        wrong.append("%s: no rows" % table)
    for a, b in zip(names, names[1:]):
        if a >= b:
            wrong.append("%s: '%s' stands before '%s'" % (table, a, b))


for table in [f for f in house.files(*house.PRODUCT) if f.endswith("/list.def")]:
    rows = re.findall(r"^([A-Z_]+)\((\w+)", house.read(table), re.M)
    names = [n for _, n in rows]
    kinds = {k for k, _ in rows}
    if len(kinds) != 1 or not kinds <= set(PREFIX):
        wrong.append("%s: rows of %s" % (table, sorted(kinds)))
        continue
    ordered(table, names)
    prefix, folder = PREFIX[kinds.pop()], os.path.dirname(table)
    for name in names:
        if not os.path.exists(os.path.join(house.ROOT, folder, name + ".c")):
            wrong.append("%s: '%s' has no %s/%s.c" % (table, name, folder, name))
    defined = {}
    for path in house.files(folder, ends=".c"):
        if os.path.dirname(path) == folder:
            for name in re.findall(r"^const struct \w+ %s(\w+)\s*=" % prefix, house.code(path), re.M):
                defined[name] = path
    for name in names:
        if defined.get(name, "%s/%s.c" % (folder, name)) != "%s/%s.c" % (folder, name) or name not in defined:
            wrong.append("%s: %s/%s.c does not define %s%s" % (table, folder, name, prefix, name))
    for name in sorted(set(defined) - set(names)):
        wrong.append("%s: %s of %s has no row" % (table, name, defined[name]))
for table, macro in BY_TEXT:
    text = house.read(table)
    rows = re.findall(r"^%s\(.*$" % macro, text, re.M)
    ordered(table, [re.search(r'"([^"]*)"', row).group(1) for row in rows])
    for row in rows:
        if row.count('""'):
            wrong.append("%s: an empty text in %s" % (table, row[:60]))
house.finish(wrong)
