# SPDX-License-Identifier: Apache-2.0
"""What the house tests share: which files there are, and how a test says what is wrong."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRODUCT = ("src", "extractors", "elf", "rules", "reports")
IGNORED = {".git", "build", "__pycache__"}


def files(*tops, ends=None):
    """Paths below the root, sorted; of these top folders, or of all and the root's own files."""
    found = []
    for top in tops or ("",):
        for folder, names, here in os.walk(os.path.join(ROOT, top)):
            names[:] = [n for n in names if n not in IGNORED and not n.startswith("build")]
            found += [os.path.relpath(os.path.join(folder, n), ROOT) for n in here if n not in IGNORED]
    return sorted(f for f in found if not ends or f.endswith(ends))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def code(path):
    """C text without comments and string contents; lines stay where they are."""
    def blank(m):
        text = m.group(0)
        return '""' if text[0] == '"' else "' '" if text[0] == "'" else re.sub(r"[^\n]", " ", text)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, read(path), flags=re.S)


def finish(wrong):
    """Prints what is wrong, one line each, and ends with the status of a test."""
    for line in wrong:
        print(line)
    print("%d wrong" % len(wrong) if wrong else "all right")
    sys.exit(bool(wrong))
