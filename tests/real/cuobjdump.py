#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""cuobjdump.py POSTERN FOLDER CACHE: `postern targets -f json` and NVIDIA's cuobjdump agree on libraries of the ci set.

FOLDER holds the wheels (fetch.sh ci FOLDER). cuobjdump comes from the Python index with pip into CACHE and is unpacked into
a temporary folder; nothing is installed. Exit status: 0 agreed, 1 not, 2 wrong use, 77 when it could not be had here.
"""
import collections
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

TOOL = ("nvidia-cuda-cuobjdump", "13.5.37", "nvidia_cuda_cuobjdump-13.5.37-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58")
LIBRARIES = (
    ("xformers-0.0.35-py39-none-manylinux_2_28_x86_64.whl", "xformers/_C.so"),
    ("torchvision-0.29.2-py3-none-manylinux_2_28_x86_64.whl", "torchvision.libs/libnvjpeg.4a0b5c81.so.13"),
)
# What it looks at. It does not see: code in any other section (.ldata of cuFFT, .cask_resource of cuSPARSELt, .rodata of
# CUPTI and onnxruntime), bare cubins, LTO IR. Its short list (--list-elf) drops the f of family targets, so the long one is
# read; it must be told -all, or it leaves out __nv_relfatbin. From 13.0 on it refuses a whole file for one entry below
# sm_50 (catboost) and cubins of nvlink 12.1 (bitsandbytes).
SECTIONS = (".nv_fatbin", "__nv_relfatbin")
ENTRY = re.compile(r"^Fatbin (elf|ptx) code:\n=+\narch = (\S+)\ncode version = \[(\d+),(\d+)\]", re.M)


def fetch_tool(cache):
    """The wheel of cuobjdump in the cache, or None."""
    name, version, file, digest = TOOL
    path = cache / file
    if not path.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--dest", str(cache), f"{name}=={version}"],
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        return None
    return path


def unpack(wheel, member, folder):
    with zipfile.ZipFile(wheel) as z:
        return pathlib.Path(z.extract(member, folder))


def by_cuobjdump(tool, library):
    """{(target, PTX ISA or "-"): entries}"""
    out = subprocess.run([tool, "-all", library], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    rows = collections.Counter()
    for kind, arch, major, minor in ENTRY.findall(out):
        rows[(arch, "-") if kind == "elf" else (arch.replace("sm_", "compute_"), f"{major}.{minor}")] += 1
    return rows


def by_postern(postern, library):
    """The same, and how many images lie where cuobjdump does not look."""
    out = subprocess.run([postern, "targets", "-f", "json", library], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    rows, elsewhere = collections.Counter(), 0
    for d in (d for f in json.loads(out)["files"] for d in f["device_code"] if d["backend"] == "cuda"):
        if d["where"] in SECTIONS and d["container"] == "fatbin" and d["form"] != "intermediate":
            rows[d["target"], d.get("isa", "-")] += d["count"]
        else:
            elsewhere += d["count"]
    return rows, elsewhere


def compare(postern, tool, library, member):
    """True when both say the same."""
    theirs = by_cuobjdump(tool, library)
    ours, elsewhere = by_postern(postern, library)
    same = ours == theirs and theirs
    print(f"{'ok     ' if same else 'FAILED '} {member}: {sum(theirs.values())} entries, {len(theirs)} targets; "
          f"{elsewhere} images lie where cuobjdump does not look")
    for key in sorted(set(ours) | set(theirs)):
        if ours[key] != theirs[key]:
            print(f"    {key[0]} {key[1]}: {theirs[key]} by cuobjdump, {ours[key]} by postern")
    return same


def main(postern, folder, cache):
    if platform.machine() != "x86_64":
        print("skipped: cuobjdump is an x86_64 program")
        return 77
    wheel = fetch_tool(pathlib.Path(cache))
    if not wheel:
        print(f"skipped: {TOOL[0]} {TOOL[1]} could not be had with pip")
        return 77
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="postern-cuobjdump-") as work:
        tool = unpack(wheel, next(n for n in zipfile.ZipFile(wheel).namelist() if n.endswith("/bin/cuobjdump")), work)
        os.chmod(tool, 0o755)
        for file, member in LIBRARIES:
            if not pathlib.Path(folder, file).is_file():
                print(f"skipped: {file} is not in the folder")
                skipped += 1
                continue
            same = compare(postern, tool, unpack(pathlib.Path(folder, file), member, work), member)
            passed += bool(same)
            failed += not same
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__.splitlines()[0], file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
