#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions that postern's own code needs for three inputs, held against committed numbers: a guard that no load disturbs.

usage: instructions.py [--bless] POSTERN FIXED_RANDOM COMPILER      COMPILER: what built both, as "GNU 12.2.0 x86_64"

valgrind --tool=callgrind counts at -j0, and of its output only what was executed in POSTERN itself is added up: the C library and
libcrypto take other ways on other processors (under glibc.cpu.hwcaps the whole moves by 7 %, postern's own part by nothing), and
libraries change with the system. FIXED_RANDOM is preloaded: keys of hash tables are random. More than 5 % above fails; more
than 5 % below passes and asks for the better number. --bless writes instructions.tsv. Exit 77: no valgrind, another compiler;
an input is skipped where another zlib packs it to other bytes.
"""
import collections
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import demo_image  # noqa: E402
import demo_wheel  # noqa: E402

TABLE = HERE / "instructions.tsv"
HEADER = "# What instructions.py counts and how; a change of a number says its reason in the commit.\ninput\tsha256\tcompiler\tinstructions\n"
MOST = 5  # percent
FIXTURES = HERE.parent / "fixtures"
LIBRARIES = ("cuda/libk_shared_stripped.so", "hip/libmulti_comp.so", "cuda/libptxonly.so", "cuda/libembed.so")


def fixture(name):
    return (FIXTURES / name).read_bytes()


def library(i):
    """Real code and device code in front, 512 KiB that look like code and 512 KiB of names behind: every byte is searched."""
    names = b"".join(b"_ZN3lib%d6kernelILi%dEEvPKfPf\0" % (i, k) for k in range(20000))
    return fixture(LIBRARIES[i % len(LIBRARIES)]) + hashlib.shake_256(b"%d" % i).digest(512 << 10) + names[:512 << 10]


def wheel(path):
    members = [("fast/__init__.py", b"")]
    members += [(f"fast/lib/libfast{i}.so", library(i)) for i in range(8)]
    members += [(f"fast/models/part{i:03}.py", b"WEIGHT = %d\n" % i * 50) for i in range(400)]
    demo_wheel.make(path, name="fast", members=members)
    return path


def image(path):
    """Two gzip layers: small files under packages, then libraries over them."""
    info = [(f"opt/site/pkg{i:03}-1.0.dist-info/METADATA", b"Metadata-Version: 2.1\nName: pkg%03d\nVersion: 1.0\n" % i) for i in range(100)]
    files = [(f"opt/site/pkg{i // 50:03}/sub{i % 7}/module_{i:05}.py", b"VALUE = %d\n" % i * (i % 40)) for i in range(5000)]
    tars = [demo_image.tar(sorted(info + files)), demo_image.tar([(f"usr/lib/libfast{i}.so.1", library(i)) for i in range(4)])]
    os.mkdir(path)
    packed = [("layer.v1.tar+gzip", gzip.compress(tar, mtime=0)) for tar in tars]
    demo_image.Image(path).write(tars, packed, [{"created_by": "COPY a /"}, {"created_by": "COPY b /"}], {"Env": ["PATH=/bin"]}, "bench/small:1")
    return os.path.join(path, "index.json")


def fatbins(path):
    """One library with 6,000 fatbins and bundles of device code."""
    code = (fixture("cuda/mode_balance.fatbin"), fixture("cuda/lto.fatbin"), fixture("hip/ccob_v3.hipfb"))
    code = [c + bytes(-len(c) % 4096) for c in code]
    with open(path, "wb") as f:
        library_bytes = fixture(LIBRARIES[0])
        f.write(library_bytes + bytes(-len(library_bytes) % 4096) + b"".join(code) * 2000)
    return path


INPUTS = {"wheel": wheel, "image": image, "fatbins": fatbins}


def own_instructions(lines, program):
    """Of callgrind's output: the self cost of what lies in the object PROGRAM."""
    names, cost, at, inclusive = {}, collections.Counter(), None, False
    for line in lines:
        m = re.match(r"(c?ob)=\((\d+)\)(?: (.*))?$", line)
        if m:
            names.setdefault(m[2], m[3])
            at = m[2] if m[1] == "ob" else at
        elif line.startswith("calls="):
            inclusive = True  # the next line counts what was called, which stands at its own place, too
        elif re.match(r"[0-9+*-]", line):
            words = line.split()
            cost[at] += int(words[1]) if len(words) > 1 and not inclusive else 0
            inclusive = False
    return sum(n for key, n in cost.items() if names.get(key) == program)


def count(postern, preload, path, scratch):
    out = os.path.join(scratch, "callgrind.out")
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, postern, "scan", "-j0", "-f", "json", path]
    done = subprocess.run(command, cwd=scratch, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "LD_PRELOAD": preload}, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[-1000:]}")
    with open(out, encoding="utf-8", errors="replace") as f:
        return own_instructions(f.read().splitlines(), os.path.realpath(postern))


def measured(postern, preload):
    """{input: (sha256, instructions)}"""
    found = {}
    for name, make in INPUTS.items():
        with tempfile.TemporaryDirectory() as scratch:
            made = os.path.join(scratch, name)
            with open(make(made), "rb") as f:
                digest = hashlib.sha256(f.read()).hexdigest()
            found[name] = digest, count(postern, preload, made, scratch)
    return found


def committed():
    rows = [line.split("\t") for line in TABLE.read_text(encoding="ascii").splitlines()[2:]]
    return {name: (digest, compiler, int(number)) for name, digest, compiler, number in rows}


def judge(name, now, then):
    """(verdict, line): "passed", "failed" or "skipped"."""
    if now[0] != then[0]:
        return "skipped", f"skipped: {name}: this machine packs the input to other bytes"
    more = 100 * (now[1] - then[2])
    line = f"{name}: {now[1]:,} instructions, {more / then[2]:+.1f} % against the committed number"
    if more > MOST * then[2]:
        return "failed", line + f"; {MOST} % more are allowed"
    better = more < -MOST * then[2]
    return "passed", line + "; commit the better number: cmake --build --preset release --target bless_instructions" * better


def with_vectors(compiler):
    """The search for magics has a way for each kind of vectors that the processor has, and valgrind has those too."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
            flags = next((line.split() for line in f if line.startswith("flags")), [])
    except OSError:
        flags = []
    return compiler + " avx2" * ("avx2" in flags)


def main():
    bless, arguments = sys.argv[1:2] == ["--bless"], sys.argv[1:]
    postern, preload, compiler = arguments[bless:]
    compiler = with_vectors(compiler)
    if not shutil.which("valgrind"):
        print("skipped: needs valgrind")
        return 77
    if not bless and {compiler} != {row[1] for row in committed().values()}:
        print(f"skipped: the numbers are of {', '.join(sorted({row[1] for row in committed().values()}))}, this is {compiler}")
        return 77
    found = measured(os.path.abspath(postern), os.path.abspath(preload))
    if bless:
        TABLE.write_text(HEADER + "".join(f"{n}\t{d}\t{compiler}\t{c}\n" for n, (d, c) in found.items()), encoding="ascii")
        return 0
    verdicts = [judge(name, found[name], then) for name, then in committed().items()]
    print("\n".join(line for _, line in verdicts))
    print("{} passed, {} failed, {} skipped".format(*([v for v, _ in verdicts].count(w) for w in ("passed", "failed", "skipped"))))
    return int(any(v == "failed" for v, _ in verdicts))


if __name__ == "__main__":
    sys.exit(main())
