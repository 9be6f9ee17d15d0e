#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An image folder made anew with a small ELF file in the place of each regular file, so that the merged tree can be seen: the
inventory lists objects, and only counts other files. Names, links, whiteouts and their order stay as they are.

usage: solid_image.py [IMAGE OUT], without arguments the ELF file itself
"""
import gzip
import hashlib
import json
import os
import struct
import subprocess
import sys

SIMPLE = b"012345"  # types that every reader sees alike
ELF = (b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 2, 1)
       + b"\0" * 64 + struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 192, 11, 0, 0, 1, 0) + b"\0.shstrtab\0")


class NotSimple(Exception):
    pass


def unpacked(blob):
    if blob[:2] == b"\x1f\x8b":
        return gzip.decompress(blob)
    if blob[257:262] == b"ustar" or not blob.strip(b"\0"):
        return blob
    return subprocess.run(["zstd", "-q", "-d", "-c", "--long=27"], input=blob, stdout=subprocess.PIPE, check=True).stdout


def header(h, size):
    h = h[:124] + b"%011o\0" % size + h[136:148] + b" " * 8 + h[156:]
    return h[:148] + b"%06o\0 " % sum(h) + h[156:]


def solid(tar):
    out, at = b"", 0
    while tar[at:at + 512].strip(b"\0"):
        h = tar[at:at + 512]
        kind, size = h[156:157], int(h[124:135], 8)
        if kind not in b"xg" + SIMPLE or b"GNUSparse" in h:
            raise NotSimple(kind)
        whole = h + tar[at + 512:at + 512 + (size + 511) // 512 * 512]
        name = h[:100].rstrip(b"\0").rsplit(b"/", 1)[-1]
        if kind == b"0" and not name.startswith(b".wh."):
            whole = header(h, len(ELF)) + ELF + b"\0" * (-len(ELF) % 512)
        out += whole
        at += 512 + (size + 511) // 512 * 512
    return out + b"\0" * 1024


def make(source, out):
    def read(d):
        with open(os.path.join(source, "blobs", *d["digest"].split(":")), "rb") as f:
            return f.read()

    def write(data, d):
        digest = hashlib.sha256(data).hexdigest()
        with open(os.path.join(out, "blobs", "sha256", digest), "wb") as f:
            f.write(data)
        d.update(digest="sha256:" + digest, size=len(data))

    os.makedirs(os.path.join(out, "blobs", "sha256"))
    with open(os.path.join(source, "index.json"), "rb") as f:
        index = json.load(f)
    image = index["manifests"][0]
    manifest = json.loads(read(image))
    config = json.loads(read(manifest["config"]))
    config["rootfs"]["diff_ids"] = []
    for layer in manifest["layers"]:
        tar = solid(unpacked(read(layer)))
        config["rootfs"]["diff_ids"].append("sha256:" + hashlib.sha256(tar).hexdigest())
        layer["mediaType"] = "application/vnd.oci.image.layer.v1.tar"
        write(tar, layer)
    write(json.dumps(config).encode(), manifest["config"])
    write(json.dumps(manifest).encode(), image)
    index["manifests"] = [image]
    for name, data in (("index.json", json.dumps(index).encode()), ("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')):
        with open(os.path.join(out, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.stdout.buffer.write(ELF)
    elif len(sys.argv) == 3:
        make(sys.argv[1], sys.argv[2])
    else:
        sys.exit(__doc__)
