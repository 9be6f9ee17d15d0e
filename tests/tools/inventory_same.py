#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An inventory that is read and written again has the same bytes.

usage: inventory_same.py POSTERN PROGRAM FOLDER|FILE...

Every file and folder in the folders is scanned; PROGRAM (inventory_again.c) reads what comes out, compact, indented and with the
members of all objects in another order, from a file and through a pipe, and writes it again. The last line is `N passed, N failed,
N skipped`, counted in inputs.
"""
import json
import os
import subprocess
import sys
import tempfile

# Of the shell and of the tests, not an artifact.
NO_ARTIFACT = {"CASES.tsv", "expect"}


def scan(postern, path, *options):
    return subprocess.run([postern, "scan", "-f", "json", *options, path], capture_output=True, check=False).stdout


def backwards(value):
    """The same value with the members of every object in another order, and one more in each that nobody knows."""
    if isinstance(value, dict):
        turned = {k: backwards(v) if k != "labels" else v for k, v in reversed(list(value.items()))}
        return dict(turned, later=[{"x": [1.5, None]}, "\u00e9"])
    return [backwards(v) for v in value] if isinstance(value, list) else value


def again(program, document, scratch, piped):
    if piped:
        return subprocess.run([program], input=document, capture_output=True, check=False)
    path = os.path.join(scratch, "inventory.json")
    with open(path, "wb") as f:
        f.write(document)
    return subprocess.run([program, path], capture_output=True, check=False)


def compare(postern, program, path, scratch):
    """Lines that say what is wrong with this input."""
    want = scan(postern, path)
    turned = json.dumps(backwards(json.loads(want)), ensure_ascii=True, separators=(" ,\n", " :\t")).encode()
    forms = [("compact", want, True), ("compact, verified", scan(postern, path, "--verify"), False),
             ("indented", scan(postern, path, "--pretty"), False), ("in another order", turned, False)]
    wrong = []
    for name, document, piped in forms:
        r = again(program, document, scratch, piped)
        expected = document if name.startswith("compact") else want
        if r.returncode or r.stdout != expected:
            at = next((i for i, (a, b) in enumerate(zip(r.stdout, expected)) if a != b), min(len(r.stdout), len(expected)))
            wrong.append("%s: exit status %d, byte %d: %r, not %r; %s" % (
                name, r.returncode, at, r.stdout[max(at - 40, 0):at + 40], expected[max(at - 40, 0):at + 40], r.stderr.decode()))
    return wrong


def inputs(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        else:
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)) if name not in NO_ARTIFACT)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    postern, program, passed, failed = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), 0, 0
    with tempfile.TemporaryDirectory(prefix="postern-inventory-") as scratch:
        for path in inputs(sys.argv[3:]):
            wrong = compare(postern, program, path, scratch)
            if wrong:
                print("FAIL %s:\n  %s" % (path, "\n  ".join(wrong)))
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    sys.exit(failed != 0 or passed == 0)


if __name__ == "__main__":
    main()
