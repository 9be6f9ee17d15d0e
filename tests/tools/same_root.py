#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One root in every form that people have it in must give the same objects, byte for byte, layers apart.

usage: same_root.py POSTERN

A folder, a tar as it is, with gzip and with zstd, an OCI image as folder and as tar with a layer that is plain, gzip and zstd, a
docker archive, one that is compressed as a whole, and all but the folders through a pipe; each at -j0 and -j2. The last line is `N passed, N failed, N skipped`, counted in forms.
"""
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import demo_image
import demo_wheel

FIXTURES = demo_wheel.FIXTURES
KERNELS = "opt/app/kernels/"


def fill(root):
    """Files of every kind: what the demo installs, committed device code, a wheel in a folder, links, a store of kernel files."""
    members = [m for files in demo_image.layers() for m in files]
    for folder in ("cuda", "hip"):
        for name in sorted(os.listdir(os.path.join(FIXTURES, folder))):
            with open(os.path.join(FIXTURES, folder, name), "rb") as f:
                members.append(("opt/%s/%s" % (folder, name), f.read()))
    cubin = next(d for n, d in members if n.endswith("/k_sm_90.cubin"))
    members += [(KERNELS + "k%d.cubin" % i, cubin) for i in range(40)]
    for name, data in members:
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
    demo_wheel.make(os.path.join(root, "opt/side.whl"))
    os.symlink("libk_lld.so", os.path.join(root, "opt/cuda/libcudart.so.13"))
    os.link(os.path.join(root, "opt/cuda/libk_relr.so"), os.path.join(root, "opt/cuda/libk_relr.so.1"))
    open(os.path.join(root, "usr/lib/libcuda.so.1"), "wb").close()


def tar_of(folder):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        for base, dirs, names in os.walk(folder):
            dirs.sort()
            for name in sorted(dirs + names):
                path = os.path.join(base, name)
                t.add(path, os.path.relpath(path, folder), recursive=False)
    return out.getvalue()


def docker(layer):
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {
        "type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
    name = hashlib.sha256(config).hexdigest() + ".json"
    manifest = json.dumps([{"Config": name, "RepoTags": ["registry.example/root:1"], "Layers": ["a/layer.tar"]}]).encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for n, data in (("a/layer.tar", layer), (name, config), ("manifest.json", manifest)):
            info = tarfile.TarInfo(n)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def make_forms(top):
    """name -> the kind that the inventory must call it; bytes of files stand in top."""
    root = os.path.join(top, "root")
    fill(root)
    plain = tar_of(root)
    packed = {"": plain, "+gzip": gzip.compress(plain, 1, mtime=0)}
    if shutil.which("zstd"):
        packed["+zstd"] = subprocess.run(["zstd", "-q", "-1", "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout
    files = {"root.tar" + how: ("rootfs-tar", data) for how, data in packed.items()}
    files.update({"docker.tar": ("docker-archive", docker(plain)), "docker.tar+gzip": ("docker-archive", gzip.compress(docker(plain), 1, mtime=0))})
    forms = {"root": "directory"}
    for how, data in packed.items():
        name = "image" + how
        demo_image.Image(os.path.join(top, name)).write([plain], [("layer.v1.tar" + how, data)], [{"created_by": "all"}], {}, "root:1")
        files[name + ".tar"] = ("oci-layout", tar_of(os.path.join(top, name)))
        forms[name] = "oci-layout"
    for name, (kind, data) in files.items():
        with open(os.path.join(top, name), "wb") as f:
            f.write(data)
        forms[name] = kind
    forms.update({"| " + name: kind for name, kind in forms.items() if os.path.isfile(os.path.join(top, name))})
    return forms


def scan(postern, top, name, jobs):
    """(what is compared, kind) of one scan; a line that says why there is none raises."""
    command = [postern, "scan", "-f", "json", jobs]
    if name.startswith("| "):
        with subprocess.Popen(["cat", os.path.join(top, name[2:])], stdout=subprocess.PIPE) as cat:
            r = subprocess.run(command + ["-"], stdin=cat.stdout, capture_output=True, text=True)
    else:
        r = subprocess.run(command + [os.path.join(top, name)], capture_output=True, text=True)
    if r.returncode:
        raise ValueError("exit %d: %s" % (r.returncode, r.stderr.strip()[-2000:] or r.stdout[:2000]))
    a = json.loads(r.stdout)["artifacts"][0]
    for part in a["objects"], a["packages"], a["stores"], a["summary"]["backends"]:
        for x in part:
            x.pop("layer", None)
            x.pop("layers", None)
    for s in a["stores"]:
        s.pop("visible", None)  # said of images only
    for b in a["summary"]["backends"]:
        b["bytes"].pop("lower_layers", None)
    return {k: a[k] for k in ("world", "objects", "packages", "stores", "summary")}, a["kind"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    postern, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory(prefix="postern-same-") as top:
        forms = make_forms(top)
        want = scan(postern, top, "root", "-j1")[0]
        if len(want["objects"]) < 20 or not want["stores"] or not any(o.get("links") for o in want["objects"]):
            sys.exit("the root does not hold what it should: %d objects, %d stores" % (len(want["objects"]), len(want["stores"])))
        for name, kind in forms.items():
            problem = None
            try:
                for jobs in ("-j0", "-j2"):
                    got, found = scan(postern, top, name, jobs)
                    parts = [k for k in want if json.dumps(got[k]) != json.dumps(want[k])]
                    lines = ["%s: %s\n  not %s" % (k, *pair) for k in parts for pair in zip(*(
                        [json.dumps(x)[:400] for x in (v[k] if isinstance(v[k], list) else [v[k]])] for v in (got, want))) if pair[0] != pair[1]]
                    problem = problem or ("kind is %s" % found if found != kind else "\n".join(parts + lines[:3]))
            except ValueError as e:
                problem = str(e)
            if problem:
                print("FAIL %s: %s" % (name, problem))
            passed, failed = passed + (not problem), failed + bool(problem)
    skipped = "root.tar+zstd" not in forms
    if skipped:
        print("skipped: zstd layers: needs zstd")
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
