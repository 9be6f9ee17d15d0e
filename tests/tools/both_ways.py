#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every zip archive below FOLDER gives the same facts by its directory and as a stream, but for those that TABLE lists.

usage: both_ways.py BOTH_WAYS TABLE FOLDER
"""
import os
import subprocess
import sys

tool, table, folder = sys.argv[1:]
archives = []
for where, _, names in os.walk(folder):
    for name in sorted(names):
        path = os.path.join(where, name)
        with open(path, "rb") as f:
            data = f.read()
        if data[:2] == b"PK" or b"PK\5\6" in data[-70000:]:
            archives.append(path)
expected = {}
with open(table, encoding="utf-8") as f:
    for line in f:
        if line.strip() and not line.startswith("#"):
            name, verdict, reason = line.rstrip("\n").split("\t")[:3]
            expected[name] = (verdict, reason)
run = subprocess.run([tool] + sorted(archives), capture_output=True, text=True, errors="replace", check=False)
wrong = []
seen = set()
for line in run.stdout.splitlines():
    name, verdict, reason = line.split("\t")
    seen.add(name)
    if (verdict, reason) != expected.get(name, ("same", "")):
        wrong.append("%s: %s (%s), expected %s" % (name, verdict, reason, expected.get(name, ("same", ""))))
wrong += ["%s is in the table, and there is no such archive" % name for name in sorted(set(expected) - seen)]
if run.returncode or len(seen) != len(archives) or len(archives) < 40:
    wrong.append("%d of %d archives were read, status %d: %s" % (len(seen), len(archives), run.returncode, run.stderr))
print("\n".join(wrong + ["%d archives, %d wrong" % (len(archives), len(wrong))]))
sys.exit(1 if wrong else 0)
