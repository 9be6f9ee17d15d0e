#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What comes through a pipe gives the bytes of the same file, but for the name.

usage: same_pipe.py POSTERN FOLDER...

Every file in the folders, and every folder in them as a tar, is scanned as a file and through a pipe (at -j2 and -j0); a tar also
compressed as a whole. The last line is `N passed, N failed, N skipped`, counted in inputs.
"""
import gzip
import json
import os
import subprocess
import sys
import tarfile
import tempfile

# What a pipe cannot say as a file does.
OTHERWISE = {
    "CASES.tsv": "a file that is the artifact has its name as path",
    "expect": "no artifact",
}


def scan(postern, jobs, path, piped):
    """(exit status, the artifact without its names) of a scan."""
    command = [postern, "scan", "-f", "json", jobs, "-" if piped else path]
    with open(path, "rb") as f, subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE) as cat:
        r = subprocess.run(command, stdin=cat.stdout, capture_output=True, check=False)
    a = json.loads(r.stdout)["artifacts"][0]
    a.pop("name")
    a.pop("file_digest", None) if path.endswith(".gz") else None
    for p in a["incomplete"]:
        p["reason"] = p["reason"].replace("'%s'" % ("-" if piped else path), "NAME")
    return r.returncode, a


def differences(a, b, path=""):
    """Lines that say where two JSON values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(set(a) | set(b)) for d in differences(a.get(k), b.get(k), path + "/" + k)]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, "%s/%d" % (path, i))]
    return [] if a == b else ["%s: %s, by pipe %s" % (path, str(a)[:200], str(b)[:200])]


def compare(postern, path, scratch):
    """Lines that say what is wrong with this input."""
    want = scan(postern, "-j2", path, False)
    piped = {jobs: scan(postern, jobs, path, True)[1] for jobs in ("-j2", "-j0")}
    if want[0] != 0 and not any("file_digest" in a for a in piped.values()):
        want[1].pop("file_digest", None)  # it begins like an image, and is refused as one: its layers were hashed
    wrong = [d for a in piped.values() for d in differences(want[1], a)]
    wrong += ["exit status %d, by pipe %d" % (want[0], s) for s in {scan(postern, "-j2", path, True)[0]} - {want[0]}]
    if not path.endswith(".tar") or wrong:
        return wrong
    packed = os.path.join(scratch, "packed.gz")
    with open(path, "rb") as f, open(packed, "wb") as out:
        out.write(gzip.compress(f.read(), 1, mtime=0))
    want[1].pop("file_digest", None)
    if want[1]["kind"] == "rootfs-tar":
        return []  # a layer of its own: it says how it is compressed
    for piped in (False, True):
        wrong += ["packed: " + d for d in differences(want[1], {k: v for k, v in scan(postern, "-j2", packed, piped)[1].items()})
                  if "/reason: cannot scan" not in d and "NAME" not in d]
    return wrong


def inputs(folders, scratch):
    """(name, path) of everything to scan."""
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name in OTHERWISE:
                continue
            if os.path.isdir(path):
                packed = os.path.join(scratch, "folder.tar")
                with tarfile.open(packed, "w") as t:
                    for base, dirs, files in os.walk(path):
                        dirs.sort()
                        for n in sorted(files):
                            t.add(os.path.join(base, n), os.path.relpath(os.path.join(base, n), path), recursive=False)
                path = packed
            yield name, path


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    postern, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory(prefix="postern-pipe-") as scratch:
        for name, path in inputs(sys.argv[2:], scratch):
            wrong = compare(postern, path, scratch)
            if wrong:
                print("FAIL %s:\n  %s" % (name, "\n  ".join(wrong[:5])))
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    sys.exit(failed != 0 or passed == 0)


if __name__ == "__main__":
    main()
