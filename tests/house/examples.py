#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md and docs/ are run: in a ```console block each `$ postern ...` must print what stands below it.

usage: examples.py POSTERN

A line of three dots stands for any number of lines. What `$ cat FILE` shows is that file, where there is none yet. The folder holds the inputs of tests/cli (side.whl, serve and others). A command
that begins otherwise is only looked up: scripts must exist.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import house

sys.path[:0] = [os.path.join(house.ROOT, "tests", n) for n in ("cli", "tools")]
import run as cli

postern = os.path.abspath(sys.argv[1])
wrong, ran = [], 0
with tempfile.TemporaryDirectory(prefix="postern-examples-") as top:
    work, bin_ = os.path.join(top, "work"), os.path.join(top, "bin")
    os.mkdir(work)
    os.mkdir(bin_)
    os.symlink(postern, os.path.join(bin_, "postern"))
    cli.demo_wheel.make(os.path.join(work, "side.whl"))
    cli.demo_image.make(os.path.join(work, "serve"))
    for name, source in cli.INPUTS:
        shutil.copyfile(os.path.join(cli.FIXTURES, source), os.path.join(work, name))
    env = dict(os.environ, PATH=bin_ + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
    for doc in ["README.md"] + house.files("docs", ends=".md"):
        if not os.path.exists(os.path.join(house.ROOT, doc)):
            wrong.append("%s is not there" % doc)
            continue
        for block in re.findall(r"^```console\n(.*?)^```", house.read(doc), re.M | re.S):
            for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                script = re.match(r"(?:sudo )?\./(\S+)", command)
                if script and not os.access(os.path.join(house.ROOT, script.group(1)), os.X_OK):
                    wrong.append("%s: no program '%s'" % (doc, script.group(1)))
                if command.startswith("cat ") and not os.path.exists(os.path.join(work, command[4:])):
                    with open(os.path.join(work, command[4:]), "w", encoding="utf-8") as f:
                        f.write(output)
                if not command.startswith("postern "):
                    continue
                ran += 1
                r = subprocess.run(["sh", "-c", command], cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, timeout=60)
                if not cli.lines_match(output.split("\n"), r.stdout.split("\n"), match=str.__eq__):
                    wrong.append("%s: '%s' prints\n%s" % (doc, command, r.stdout))
if not ran and not wrong:
    wrong.append("README.md shows no run of postern")
house.finish(wrong)
