#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small files by the million cost tens of bytes each: a tar of them, and an image of it, are read as a whole within the limits.

usage: many_files.py [--files N] [--megabytes N] POSTERN

The tar is gzip-compressed, has 50 files a folder and paths of 70 bytes. Of every process of a scan at -j2 the kernel says the
largest memory; it has to be below --megabytes. Workers have the limit job-memory besides. The last line is
`N passed, N failed, N skipped`, counted in forms.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zlib

IN_FOLDER = 50
ME = "--measured"  # a process of its own for each scan, since the kernel only keeps the largest of all children


def header(name, kind):
    h = bytearray(512)
    h[:len(name)] = name
    h[100:108] = b"0000644\0"
    h[124:136] = b"00000000000\0"
    h[136:148] = b"14000000000\0"
    h[148:156] = b" " * 8
    h[156:157] = kind
    h[257:265] = b"ustar\00000"
    return h


def sealed(h, total):
    h[148:156] = b"%06o\0 " % total
    return bytes(h)


def tar(path, files):
    """How many bytes the tar has, and its digest."""
    z, pieces, size, digest = zlib.compressobj(1, zlib.DEFLATED, 31), [], 0, hashlib.sha256()
    with open(path, "wb") as out:
        for i in range(0, files, IN_FOLDER):
            folder = b"usr/lib/python3/site-packages/package%04d/module%06d/" % (i // IN_FOLDER // 200, i // IN_FOLDER)
            h = header(folder, b"5")
            pieces.append(sealed(h, sum(h)))
            h = header(folder, b"0")
            base, n = sum(h), len(folder)
            for k in range(min(IN_FOLDER, files - i)):
                name = b"%s_%08x.py" % ((b"parser", b"writer", b"values")[k % 3], (i + k) * 2654435761 % (1 << 32))
                h[n:n + len(name)] = name
                pieces.append(sealed(h, base + sum(name)))
            if len(pieces) > 4000 or i + IN_FOLDER >= files:
                data = b"".join(pieces) + (bytes(1024) if i + IN_FOLDER >= files else b"")
                out.write(z.compress(data))
                digest.update(data)
                pieces = []
        out.write(z.flush())
    return digest.hexdigest()


def image(folder, layer, diff_id):
    blobs = os.path.join(folder, "blobs/sha256")
    os.makedirs(blobs)

    def put(kind, document):
        data = json.dumps(document).encode()
        name = hashlib.sha256(data).hexdigest()
        with open(os.path.join(blobs, name), "wb") as f:
            f.write(data)
        return {"mediaType": "application/vnd.oci.image.%s.v1+json" % kind, "digest": "sha256:" + name, "size": len(data)}

    with open(layer, "rb") as f:
        name = hashlib.file_digest(f, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(f.read()).hexdigest()
    os.link(layer, os.path.join(blobs, name))
    config = put("config", {"architecture": "amd64", "os": "linux", "config": {},
                            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + diff_id]}})
    manifest = put("manifest", {"schemaVersion": 2, "config": config, "layers": [
        {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": "sha256:" + name, "size": os.path.getsize(layer)}]})
    for name, document in (("oci-layout", {"imageLayoutVersion": "1.0.0"}), ("index.json", {"schemaVersion": 2, "manifests": [manifest]})):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            json.dump(document, f)


def measured(command):
    import resource
    status = subprocess.run(command, check=False).returncode
    print("\n%d %d" % (status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))


def check(postern, form, files, megabytes):
    run = subprocess.run([sys.executable, __file__, ME, postern, "scan", "-f", "json", "-j2", form], stdout=subprocess.PIPE, check=True)
    report, last = run.stdout.rsplit(b"\n\n", 1)
    status, most = (int(x) for x in last.split())
    a = json.loads(report)["artifacts"][0]
    wrong = []
    if status or not a["complete"]:
        wrong.append("exit %d, %s" % (status, a["incomplete"]))
    if a["summary"]["files"] != files:
        wrong.append("%d files" % a["summary"]["files"])
    if most > megabytes:
        wrong.append("%d MiB, %d are allowed" % (most, megabytes))
    print("%s: %s" % (a["kind"], "; ".join(wrong) or "%d files, %d MiB" % (files, most)))
    return not wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--files", type=int, default=600000)
    p.add_argument("--megabytes", type=int, default=64)
    p.add_argument("postern")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        forms = [os.path.join(folder, "root.tar.gz"), os.path.join(folder, "image")]
        image(forms[1], forms[0], tar(forms[0], o.files))
        passed = sum([check(os.path.abspath(o.postern), form, o.files, o.megabytes) for form in forms])
    print("%d passed, %d failed, 0 skipped" % (passed, len(forms) - passed))
    return passed < len(forms)


if __name__ == "__main__":
    if sys.argv[1:2] == [ME]:
        measured(sys.argv[2:])
    else:
        sys.exit(main())
