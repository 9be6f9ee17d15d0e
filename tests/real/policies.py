#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""policies.py POSTERN FOLDER

`postern check` of real wheels in FOLDER (fetch.sh ci): the verdict that a person would give, and the same bytes from the wheel and
from the inventory that `postern scan` wrote of it. The last line is `N passed, N failed, N skipped`.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# What stands in their names and on their pages: wheel, policy, exit status, findings at grade fail.
VERDICTS = (
    ("numpy", "cpu", 0, []),
    ("numpy", "rocm", 1, ["backend-required-missing"]),
    ("nvidia_cuda_runtime_cu12", "cpu", 1, ["backend-forbidden"]),
    ("nvidia_cuda_runtime_cu12", "rocm", 1, ["backend-forbidden", "backend-required-missing"]),
    ("xformers", "cpu", 1, ["backend-forbidden"]),
    ("xformers", "rocm", 1, ["backend-forbidden", "backend-required-missing"]),
    ("jax_rocm7_plugin", "cpu", 1, ["backend-forbidden"]),
    ("jax_rocm7_plugin", "rocm", 0, []),
    ("openmm_hip_6", "rocm", 0, []),
)


def check(postern, policy, artifact):
    done = subprocess.run([postern, "check", "--policy", HERE / "policies" / (policy + ".yaml"), "--date", "2026-12-01", "-f", "json", artifact],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
    return done.returncode, done.stdout


def judge(postern, wheel, policy, want, findings, scratch):
    """Lines that say what is wrong."""
    status, raw = check(postern, policy, wheel)
    if status != want:
        return [f"exit status {status}, not {want}"]
    result = json.loads(raw)
    found = sorted({f["id"] for f in result["artifacts"][0]["findings"] if f["grade"] == "fail"})
    inventory = scratch / "inventory.json"
    with open(inventory, "wb") as out:
        subprocess.run([postern, "scan", "-f", "json", wheel], stdin=subprocess.DEVNULL, stdout=out, check=False)
    lines = [] if found == findings else [f"{', '.join(found) or 'nothing'} fails, not {', '.join(findings) or 'nothing'}"]
    return lines + ([] if check(postern, policy, inventory) == (status, raw) else ["its inventory is judged otherwise"])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="postern-policies-") as scratch:
        for name, policy, want, findings in VERDICTS:
            wheels = sorted(pathlib.Path(sys.argv[2]).glob(name + "-*.whl"))
            lines = judge(sys.argv[1], wheels[0], policy, want, findings, pathlib.Path(scratch)) if wheels else ["it is not there"]
            print(f"{'FAILED ' if lines else 'ok     '}{name}, {policy}")
            for line in lines:
                print(f"    {line}")
            passed, failed = passed + (not lines), failed + bool(lines)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
