#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what scripts/test ran. usage: count.py FOLDER

FOLDER holds NAME.xml (JUnit of ctest) and NAME.out (a step's output, then "exit N"). A test that prints a line "N passed, N failed,
N skipped" counts so often, another once. Names what failed or was skipped; the last line is the sum.
"""
import os
import re
import sys
import xml.etree.ElementTree

SUM = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def counted(text, status):
    """[passed, failed, skipped] of one test: status is "passed", "failed" or "skipped"."""
    sums = SUM.findall(text)
    n = [int(x) for x in sums[-1]] if sums and status != "skipped" else [0, 0, 0]
    if status == "failed" and not n[1]:
        n[1] = 1
    if not sum(n):
        n[("passed", "failed", "skipped").index(status)] = 1
    return n


def of_suite(path):
    """(name, status, output) of each test."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        output = "".join(e.text or "" for e in case.iter("system-out"))
        failed = case.get("status") == "fail" or case.find("failure") is not None
        # Not run at all (its folder of inputs could not be made) is no pass and no skip.
        skipped = case.find("skipped") is not None and "SKIP_RETURN_CODE" in (case.find("skipped").get("message") or "")
        ran = case.get("status") == "run"
        yield case.get("name"), "failed" if failed else "skipped" if skipped else "passed" if ran else "failed", output


def of_step(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        output = f.read()
    status = re.search(r"^exit (\d+)\s*\Z", output, re.M)
    status = status.group(1) if status else "1"
    yield os.path.basename(path)[:-4], {"0": "passed", "77": "skipped"}.get(status, "failed"), output


total = [0, 0, 0]
said = []
for name in sorted(os.listdir(sys.argv[1])):
    path = os.path.join(sys.argv[1], name)
    suite = name[:-4] + " " if name.endswith(".xml") else ""
    for test, status, output in of_suite(path) if name.endswith(".xml") else of_step(path) if name.endswith(".out") else ():
        n = counted(output, status)
        total = [a + b for a, b in zip(total, n)]
        if status == "failed":
            said.append("FAILED   %s%s" % (suite, test))
        elif status == "skipped":
            said.append("skipped  %s%s: %s" % (suite, test, next((line for line in output.split("\n") if line.strip()), "").removeprefix("skipped: ")))
        said += ["skipped  %s%s: %s" % (suite, test, line[9:]) for line in output.split("\n") if line.startswith("skipped: ") and status != "skipped"]
print("\n".join(dict.fromkeys(said)))
print("%d passed, %d failed, %d skipped" % tuple(total))
sys.exit(total[1] != 0 or not total[0])
