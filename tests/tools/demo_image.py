#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A two-layer OCI image: a ROCm base, and one build step later a CUDA wheel that came in by the side door. The same bytes every
time, no tool of anybody's needed.

usage: demo_image.py OUT [LAYERS]        OUT: a new folder. LAYERS: 1 leaves the wheel out
"""
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile

import demo_wheel

SITE = "opt/venv/lib/python3.12/site-packages/"
ROCM = (("rocmops/__init__.py", b"from . import _ops\n"), ("rocmops/libops_hip.so", "hip/libmulti_comp.so"))
CUDA = (("fastattn/__init__.py", b"from . import _ops\n"), ("fastattn/libattn.so", "cuda/libk_shared_stripped.so"),
        ("fastattn/kernels.fatbin", "cuda/mode_default.fatbin"))
HISTORY = (
    {"created_by": "COPY rootfs / # base"},
    {"created_by": "ENV LD_LIBRARY_PATH=/opt/rocm/lib", "empty_layer": True},
    {"created_by": "RUN pip install -r requirements.txt"},
)


def tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), 0o644, 1767225600
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def installed(**wheel):
    """The members of a wheel at the place where pip puts them."""
    packed = io.BytesIO()
    demo_wheel.make(packed, **wheel)
    with zipfile.ZipFile(packed) as z:
        return [(SITE + n, z.read(n)) for n in z.namelist()]


def layers():
    base = [("etc/os-release", b"ID=debian\nVERSION_ID=\"12\"\n"), ("usr/lib/os-release", b"ID=debian\n")]
    return (base + installed(name="rocmops", version="2.1+rocm6.4", members=ROCM), installed(name="fastattn", version="1.3", members=CUDA))


class Image:
    """An OCI image folder; blob() gives a descriptor."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "blobs", "sha256"), exist_ok=True)

    def file(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data)

    def blob(self, kind, data):
        digest = hashlib.sha256(data).hexdigest()
        self.file("blobs/sha256/" + digest, data)
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}

    def write(self, tars, packed, history, config, name):
        """packed: one (media type, bytes) a layer."""
        diff_ids = ["sha256:" + hashlib.sha256(t).hexdigest() for t in tars]
        config = {"architecture": "amd64", "os": "linux", "config": config, "rootfs": {"type": "layers", "diff_ids": diff_ids}, "history": list(history)}
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                    "config": self.blob("config.v1+json", json.dumps(config).encode()), "layers": [self.blob(k, d) for k, d in packed]}
        image = self.blob("manifest.v1+json", json.dumps(manifest).encode())
        image["platform"] = {"architecture": "amd64", "os": "linux"}
        image["annotations"] = {"org.opencontainers.image.ref.name": name}
        self.file("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
        self.file("index.json", json.dumps({"schemaVersion": 2, "manifests": [image]}).encode())


def make(folder, most=2):
    tars = [tar(files) for files in layers()[:most]]
    history = HISTORY if most == 2 else HISTORY[:2]
    config = {"Env": ["PATH=/opt/venv/bin:/usr/bin", "LD_LIBRARY_PATH=/opt/rocm/lib"], "Entrypoint": ["python3", "-m", "serve"]}
    Image(folder).write(tars, [("layer.v1.tar+gzip", gzip.compress(t, mtime=0)) for t in tars], history, config, "demo/serve:1.4-rocm")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 2)
