#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""selftest.py: the comparison itself, on an artifact written by hand from xformers.tsv: right passes, each change is seen."""
import copy
import pathlib
import sys

import truth

EXPECT = truth.read(pathlib.Path(__file__).resolve().parent / "expect" / "xformers.tsv")
PATH = "xformers/_C.so"


def code(target, form, count, **more):
    return {"backend": "cuda", "target": target, "form": form, "container": "fatbin", "where": ".nv_fatbin", "count": count, **more}


def right():
    rows = [code("compute_80", "portable", 11, isa="8.7")]
    for target in ("sm_75", "sm_80", "sm_90a"):
        rows += [code(target, "native", 8), code(target, "stub", 3)]
    needed = [value for path, value in EXPECT["needed"] if path == PATH]
    names = [f"cudaCall{i}" for i in range(18)]
    return {"objects": [{"path": PATH, "type": "elf", "elf": {"needed": needed}, "device_code": rows, "evidence": [
        {"kind": "symbol", "value": "cuda-runtime", "strength": "hard", "names": names}]}], "stores": []}


def lines_of(artifact):
    return truth.compare(EXPECT, "cuda", artifact) + truth.compare_device_code([EXPECT], artifact)


def changed(change):
    artifact = copy.deepcopy(right())
    change(artifact["objects"][0])
    return lines_of(artifact)


CHANGES = {
    "a need that is lost": lambda o: o["elf"]["needed"].pop(),
    "a need too many": lambda o: o["elf"]["needed"].append("libx.so"),
    "a runpath that is not there": lambda o: o["elf"].update(runpath=""),
    "a symbol that is lost": lambda o: o["evidence"][0]["names"].pop(),
    "weak for strong": lambda o: o["evidence"][0].update(strength="weak"),
    "a runtime linked in": lambda o: o["evidence"].append({"kind": "static-runtime", "value": "cudart", "strength": "embedded"}),
    "an image that is lost": lambda o: o["device_code"][1].update(count=7),
    "a stub told as native": lambda o: o["device_code"][2].update(form="native"),
    "relocatable for native": lambda o: o["device_code"][1].update(form="relocatable"),
    "a target that is misread": lambda o: o["device_code"][5].update(target="sm_90"),
    "a bare cubin too many": lambda o: o["device_code"].append(code("sm_75", "native", 1) | {"container": "cubin"}),
    "PTX text too many": lambda o: o["device_code"].append(code("compute_50", "portable", 1, isa="4.0") | {"container": "ptx"}),
    "code of another backend": lambda o: o["device_code"].append(code("gfx90a", "native", 1) | {"backend": "rocm", "container": "bundle"}),
    "code of an unknown kind": lambda o: o["device_code"].append(code("sm_75", "unknown", 1)),
}


def main():
    failed = [f"the right artifact: {line}" for line in lines_of(right())]
    failed += [f"not seen: {name}" for name, change in CHANGES.items() if not changed(change)]
    for line in failed:
        print(line)
    print(f"{1 + len(CHANGES) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
