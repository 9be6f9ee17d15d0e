#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of tests/cli: a case is a folder.

usage: run.py [--bless] [--seconds N] POSTERN [CASE...]

  cmd            what is typed, run by sh in a new folder; its comments say what the case proves
  exit           the exit status
  stdout.exact   what standard output is, byte for byte; or
  stdout.glob    line by line with * and ?; a line of three dots stands for any number of lines. Absent: nothing is written
  stderr.exact, stderr.glob   the same for standard error

`postern` in cmd is the program under test. The folder holds side.whl (the wheel of tests/tools/demo_wheel.py), fast.fatbin,
bundle.hipfb and libops.so from the committed fixtures, and serve (the image of tests/tools/demo_image.py) when cmd names it.
JSON on standard output and every *.json that a case leaves is validated. --bless writes exit and *.exact anew (*.glob are left to their author); the diff is the review.
"""
import argparse
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import demo_image
import demo_wheel
import schema_check

FIXTURES = os.path.join(HERE, "..", "fixtures")
INPUTS = (("fast.fatbin", "cuda/mode_default.fatbin"), ("bundle.hipfb", "hip/ccob_v2.hipfb"), ("libops.so", "cuda/libk_shared_stripped.so"))


def play(options, case):
    """(exit status, stdout, stderr, what is wrong with its JSON)."""
    with tempfile.TemporaryDirectory(prefix="postern-cli-") as top:
        work, bin_, home = (os.path.join(top, n) for n in ("work", "bin", "home"))
        for folder in (work, bin_, home):
            os.mkdir(folder)
        os.symlink(options.postern, os.path.join(bin_, "postern"))
        demo_wheel.make(os.path.join(work, "side.whl"))
        for name, source in INPUTS:
            shutil.copyfile(os.path.join(FIXTURES, source), os.path.join(work, name))
        env = {"PATH": bin_ + ":" + os.environ["PATH"], "HOME": home, "TMPDIR": home, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
        with open(os.path.join(HERE, case, "cmd"), encoding="utf-8") as f:
            script = f.read()
        if "serve" in script:
            demo_image.make(os.path.join(work, "serve"))
        r = subprocess.run(["sh", "-c", script], cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=options.seconds)
        wrong = []
        documents = [("stdout", r.stdout)] if r.stdout[:1] == b"{" else []
        for folder, _, names in os.walk(work):
            if "oci-layout" in names:
                continue  # an image's own JSON
            documents += [(n, open(os.path.join(folder, n), "rb").read()) for n in names if n.endswith(".json")]
        for name, text in documents:
            wrong += schema_check.check(name, text, {})[:3]
        return r.returncode, r.stdout.decode("utf-8", "backslashreplace"), r.stderr.decode("utf-8", "backslashreplace"), wrong


def stored(case, name):
    path = os.path.join(HERE, case, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return f.read()


def glob(line, pattern):
    return fnmatch.fnmatchcase(line, pattern.replace("[", "[[]"))


def lines_match(patterns, lines, match=glob):
    """Lists of patterns and lines; "..." stands for any number of lines."""
    reach = {0}
    for p in patterns:
        if p == "...":
            reach = set(range(min(reach), len(lines) + 1)) if reach else set()
        else:
            reach = {i + 1 for i in reach if i < len(lines) and match(lines[i], p)}
    return len(lines) in reach


def differs(case, stream, got):
    exact, patterns = stored(case, stream + ".exact"), stored(case, stream + ".glob")
    if patterns is not None:
        if not lines_match(patterns.split("\n"), got.split("\n")):
            return "%s is not as %s.glob says:\n%s" % (stream, stream, got)
    elif got != (exact or ""):
        return "%s is not as %s.exact says:\n%s" % (stream, stream, got)
    return None


def bless(case, stream, got):
    path = os.path.join(HERE, case, stream + ".exact")
    if stored(case, stream + ".glob") is not None:
        return
    if got:
        with open(path, "w", encoding="utf-8") as f:
            f.write(got)
    elif os.path.exists(path):
        os.remove(path)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bless", action="store_true")
    p.add_argument("--seconds", type=int, default=60)
    p.add_argument("postern", type=os.path.abspath)
    p.add_argument("cases", nargs="*")
    options = p.parse_args()
    cases = options.cases or sorted(n for n in os.listdir(HERE) if os.path.exists(os.path.join(HERE, n, "cmd")))
    failed = 0
    for case in cases:
        status, out, err, wrong = play(options, case)
        if options.bless:
            with open(os.path.join(HERE, case, "exit"), "w", encoding="utf-8") as f:
                f.write("%d\n" % status)
            bless(case, "stdout", out)
            bless(case, "stderr", err)
        want = int(stored(case, "exit"))
        if status != want:
            wrong.append("exit status is %d, not %d" % (status, want))
        wrong += [d for d in (differs(case, "stdout", out), differs(case, "stderr", err)) if d]
        failed += bool(wrong)
        for w in wrong:
            print("FAIL %s: %s" % (case, w))
    print("%d passed, %d failed, 0 skipped" % (len(cases) - failed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
