#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check.py POSTERN FOLDER ci|large|all [-j N] [--same] [--unpacked] [--only ID] [--keep FOLDER]

Holds `postern scan -f json` against what other tools found in the pinned public wheels (README.md, expect/*.tsv): every
row about needs, names, search paths, CUDA and ROCm symbols, static runtimes and device code, and no device code besides.
  --same      also: -j0, -j1, -j8 and a second run write the same bytes, and a pipe all but the name
  --unpacked  also: the folder that a wheel unpacks to gives the same objects, byte for byte
  --keep      keeps each JSON in a folder
Wheels that are not in FOLDER are skipped. Exit status: 0, 1 when something differs, 2 wrong use, 77 when nothing was there.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import truth

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
try:
    import schema_check
except ImportError:
    schema_check = None
MOST = 20


def run_scan(postern, path, jobs, piped=subprocess.DEVNULL):
    """(JSON bytes, exit status, messages) of a scan; a run has ten minutes."""
    command = [postern, "scan", "-f", "json"] + (["-j", str(jobs)] if jobs is not None else []) + [str(path)]
    done = subprocess.run(command, stdin=piped, capture_output=True, timeout=600, check=False)
    return done.stdout, done.returncode, done.stderr.decode(errors="replace").strip()


def objects_text(raw):
    """The objects of the only artifact, as they stand in the compact JSON."""
    start = raw.index(b'"objects":[')
    return raw[start:raw.index(b'],"stores":[', start)]


def differing_object(a, b):
    """A line that names the first object that differs."""
    one, two = ({o["path"]: o for o in json.loads(r)["artifacts"][0]["objects"]} for r in (a, b))
    for path in sorted(set(one) | set(two)):
        if path not in one or path not in two:
            return f"object only {'in the wheel' if path in one else 'in the folder'}: {path}"
        if one[path] != two[path]:
            keys = [k for k in one[path] if one[path].get(k) != two[path].get(k)]
            return f"object differs between wheel and folder: {path}: {', '.join(keys) or 'members'}"
    return "objects differ between wheel and folder in their order"


def check_unpacked(postern, wheel, raw, jobs):
    with tempfile.TemporaryDirectory(prefix="postern-real-") as folder:
        with zipfile.ZipFile(wheel) as z:
            z.extractall(folder)
        other, status, said = run_scan(postern, folder, jobs)
    if status != 0:
        return [f"unpacked: exit status {status}: {said[-300:]}"]
    return [] if objects_text(raw) == objects_text(other) else [differing_object(raw, other)]


def unnamed(raw):
    return {k: v for k, v in json.loads(raw)["artifacts"][0].items() if k != "name"}


def check_same(postern, wheel, raw):
    lines = [f"-j{jobs} writes other bytes" for jobs in (0, 1, 8, 8) if run_scan(postern, wheel, jobs)[0] != raw]
    with subprocess.Popen(["cat", wheel], stdout=subprocess.PIPE) as cat:
        piped = run_scan(postern, "-", 2, cat.stdout)[0]
    a, b = unnamed(raw), unnamed(piped)
    return lines + [f"{k} is another one through a pipe" for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]


def check_wheel(options, wheel, rows, validators):
    """Every difference, as lines."""
    raw, status, said = run_scan(options.postern, wheel, options.j)
    if options.keep:
        pathlib.Path(options.keep, wheel.name + ".json").write_bytes(raw)
    if status != 0:
        said = f"exit status {status}: {said[-300:]}"
        if status != 3:
            return [said]
    else:
        said = None
    try:
        document = json.loads(raw)
        artifact = document["artifacts"][0]
    except (ValueError, KeyError, IndexError) as e:
        return [f"no inventory: {e}"]
    lines = [said] if said else []
    lines += [f"incomplete: {p.get('path', '-')}: {p['reason']}" for p in artifact["incomplete"]]
    if not artifact["complete"]:
        lines.append("complete is false")
    if schema_check:
        lines += schema_check.check("schema", raw, validators)
    for row in rows:
        expect = truth.read(HERE / "expect" / f"{row['id']}.tsv")
        lines += truth.compare(expect, row["truth"], artifact)
    others = [truth.read(HERE / "expect" / f"{row['id']}.tsv") for row in rows]
    lines += truth.compare_device_code(others, artifact)
    if options.same:
        lines += check_same(options.postern, wheel, raw)
    if options.unpacked:
        lines += check_unpacked(options.postern, wheel, raw, options.j)
    return list(dict.fromkeys(lines))


def wheels_of(name, only):
    """{file name: rows}: two rows may tell of one wheel."""
    wheels = {}
    lines = (HERE / "wheels.tsv").read_text(encoding="utf-8").splitlines()
    head = lines[0].split("\t")
    for line in lines[1:]:
        row = dict(zip(head, line.split("\t")))
        if (name in ("all", row["set"]) and not only) or row["id"] in only:
            wheels.setdefault(row["filename"], []).append(row)
    return wheels


def main():
    p = argparse.ArgumentParser(usage=__doc__.splitlines()[0])
    p.add_argument("postern")
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("set", choices=("ci", "large", "all"))
    p.add_argument("-j", type=int)
    p.add_argument("--same", action="store_true")
    p.add_argument("--unpacked", action="store_true")
    p.add_argument("--only", action="append", default=[])
    p.add_argument("--keep")
    options = p.parse_args()
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    if not schema_check:
        print("schemas are not checked: python3-jsonschema is missing")
    passed = failed = skipped = 0
    validators = {}
    for name, rows in wheels_of(options.set, options.only).items():
        wheel = options.folder / name
        ids = ", ".join(r["id"] for r in rows)
        if not wheel.is_file():
            print(f"skipped: {ids}: not in the folder")
            skipped += 1
            continue
        started = time.monotonic()
        try:
            lines = check_wheel(options, wheel, rows, validators)
        except subprocess.TimeoutExpired:
            lines = ["did not end within ten minutes"]
        passed += not lines
        failed += bool(lines)
        print(f"{'FAILED ' if lines else 'ok     '} {ids}  {time.monotonic() - started:.1f} s", flush=True)
        for line in lines[:MOST]:
            print(f"    {line}")
        if len(lines) > MOST:
            print(f"    and {len(lines) - MOST} more")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 77 if passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
