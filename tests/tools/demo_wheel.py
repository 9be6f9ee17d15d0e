#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small wheel that brings accelerator code in by the side door: nothing in its metadata says so. The same bytes every time.

usage: demo_wheel.py OUT.whl    (or, in tests: make(path, name=..., members=...))
"""
import base64
import hashlib
import os
import sys
import zipfile

FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures")
MEMBERS = (
    ("sidedoor/__init__.py", b"from . import _ops\n"),
    ("sidedoor/lib/libops_cuda.so", "cuda/libk_shared_stripped.so"),
    ("sidedoor/lib/libops_hip.so", "hip/libmulti_comp.so"),
    ("sidedoor/kernels/fast.fatbin", "cuda/mode_default.fatbin"),
)


def make(path, name="sidedoor", version="1.0", tag="py3-none-manylinux_2_28_x86_64", members=MEMBERS, metadata=""):
    info = "%s-%s.dist-info/" % (name, version)
    files = [(n, open(os.path.join(FIXTURES, d), "rb").read() if isinstance(d, str) else d) for n, d in members]
    files.append((info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: demo\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()))
    files.append((info + "METADATA", ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s" % (name, version, metadata)).encode()))
    record = ["%s,sha256=%s,%d\n" % (n, base64.urlsafe_b64encode(hashlib.sha256(d).digest()).decode().rstrip("="), len(d)) for n, d in files]
    files.append((info + "RECORD", "".join(record + [info + "RECORD,,\n"]).encode()))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for n, d in files:
            member = zipfile.ZipInfo(n, (2026, 1, 1, 0, 0, 0))
            member.external_attr = 0o100644 << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(member, d)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(sys.argv[1])
