#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""selftest.py: the comparison itself, on layers and an artifact written by hand: right passes, each change is seen."""
import copy
import io
import pathlib
import shutil
import sys
import tarfile
import tempfile

import plain
import truth

SITE = "usr/local/lib/python3.11/dist-packages"
PROGRAM = pathlib.Path(shutil.which("true")).read_bytes()  # needs libc.so.6, and has no soname
GFX = "gfx1030 gfx803 gfx900:xnack- gfx906:xnack- gfx908:xnack- gfx90a:xnack+ gfx90a:xnack-".split()
VISIBLE, HIDDEN = (f"{SITE}/rocm_pkg.libs/librocrand-{name}" for name in ("0a1b2c3d.so.1.1", "deadbeef.so.1.0"))
STEPS = [value for _, _, fact, value in truth.rows("small") if fact == "step"]
TEXT = "25 MB more in layer 2, hidden by layer 3: librocrand-deadbeef.so.1.0"


def make_layers(folder):
    """Five tars; a name in the place of bytes makes a hard link."""
    libraries = [(f"usr/lib/{name}", PROGRAM) for name in ("libOpenCL.so.1.0.0", "libze_loader.so.1.8.0")]
    files = [[("bin/a", b"text"), ("bin/b", "bin/a")], libraries, [(VISIBLE, PROGRAM), (HIDDEN, PROGRAM)],
             [(HIDDEN.replace("librocrand", ".wh.librocrand"), b""), ("bin/.wh.b", b"")], [("c", b"")]]
    for i, layer in enumerate(files):
        with tarfile.open(folder / f"{i}.tar", "w") as tar:
            for name, data in layer:
                member = tarfile.TarInfo(name)
                if isinstance(data, str):
                    member.type, member.linkname, data = tarfile.LNKTYPE, data, b""
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        (folder / f"{i}.txt").write_text(STEPS[i] + "\n", encoding="utf-8")


def an_object(path, layer, visible=True, evidence=(), code=()):
    return {"path": path, "layer": layer, "bytes": len(PROGRAM), "visible": visible, "type": "elf", "elf": {"needed": ["libc.so.6"]},
            "evidence": [dict(zip(("backend", "kind", "value", "strength"), e)) for e in evidence], "units": 1,
            "device_code": [{"target": t, "form": "native", "container": "bundle", "where": ".hip_fatbin", "count": 1} for t in code]}


def right(image):
    bundled = ("vendor-library", "x", "bundled")
    needs = [("rocm", "needed", "libamdhip64.so.5", "hard")]
    names = ["rocm-pkg@1.0"] + [f"pkg-{i:04}@1.{i}.0" for i in range(10)]
    levels = {"opencl": "carried", "intel-gpu": "carried", "rocm": "needed", "intel-npu": "mentioned"}
    return {"platform": "linux/amd64", "config": {"env": ["LD_LIBRARY_PATH=/usr/local/nvidia/lib64"]}, "incomplete": [], "ambiguous": [],
            "layers": [{"index": i, "diff_id": p.digest, "verified": True, "compression": "gzip", "unpacked": p.bytes, "created_by": p.step,
                        "step": i + 1} for i, p in enumerate(image.layers)],
            "objects": [an_object("usr/lib/libOpenCL.so.1.0.0", 1, evidence=[("opencl", *bundled)]),
                        an_object("usr/lib/libze_loader.so.1.8.0", 1, evidence=[("intel-gpu", *bundled)]),
                        an_object(VISIBLE, 2, evidence=needs, code=GFX), an_object(HIDDEN, 2, False, needs, GFX)],
            "packages": [{"id": f"pypi:{n}", "layer": 4 if n[0] == "p" else 2, "visible": True} for n in names],
            "anomalies": [{"id": "record-mismatch", "path": f"{SITE}/pkg_{i:04}-1.{i}.0.dist-info/RECORD", "reason": "no hash"} for i in range(10)],
            "summary": {"files": 5, "elf": 3, "bytes": 3 * len(PROGRAM) + 4, "backends": [
                {"backend": b, "level": v, "bytes": {"lower_layers": len(PROGRAM) if b == "rocm" else 0}} for b, v in levels.items()]}}


CHANGES = {
    "a layer's digest": lambda a: a["layers"][2].update(diff_id="sha256:0"),
    "a layer that is not verified": lambda a: a["layers"][2].update(verified=False),
    "a step of another layer": lambda a: a["layers"][2].update(created_by=STEPS[1]),
    "a layer that is lost": lambda a: a["layers"].pop(),
    "another platform": lambda a: a.update(platform="linux/arm64"),
    "an environment that is lost": lambda a: a["config"].update(env=[]),
    "a file that is lost": lambda a: a["objects"].pop(0),
    "a hidden file that is lost": lambda a: a["objects"].pop(),
    "a hidden file that is shown": lambda a: a["objects"][3].update(visible=True),
    "a file in another layer": lambda a: a["objects"][0].update(layer=0),
    "a need that is lost": lambda a: a["objects"][1]["elf"].update(needed=[]),
    "a soname that is not there": lambda a: a["objects"][1]["elf"].update(soname="libx.so"),
    "an object of layer 4": lambda a: a["objects"].append(an_object("x", 4)),
    "evidence that is lost": lambda a: a["objects"][2]["evidence"].clear(),
    "another strength": lambda a: a["objects"][2]["evidence"][0].update(strength="weak"),
    "a target that is misread": lambda a: a["objects"][2]["device_code"][2].update(target="gfx900"),
    "an image that is lost": lambda a: a["objects"][2]["device_code"][0].update(count=0),
    "a unit too many": lambda a: a["objects"][2].update(units=2),
    "a package that is lost": lambda a: a["packages"].pop(),
    "a package that is hidden": lambda a: a["packages"][0].update(visible=False),
    "an oddity too many": lambda a: a["anomalies"].append({"id": "archive-malformed", "path": "x", "reason": "odd"}),
    "an oddity that is lost": lambda a: a["anomalies"].pop(),
    "a file too many": lambda a: a["summary"].update(files=6),
    "bytes too many": lambda a: a["summary"].update(bytes=1),
    "another level": lambda a: a["summary"]["backends"][2].update(level="carried"),
    "cuda that is carried": lambda a: a["summary"]["backends"].append({"backend": "cuda", "level": "carried"}),
    "a backend that no row names": lambda a: a["summary"]["backends"][3].update(level="carried"),
    "hidden bytes that are lost": lambda a: a["summary"]["backends"][2]["bytes"].update(lower_layers=0),
    "something incomplete": lambda a: a["incomplete"].append({"reason": "cut"}),
    "something ambiguous": lambda a: a["ambiguous"].append("lib"),
}


def lines_of(artifact, image, text=TEXT):
    lines = [*truth.of_layers(artifact, image, "gzip"), *truth.of_elves(artifact, image), *truth.of_whole(artifact, image, "small")]
    held = [(row, truth.hold(artifact, image, text, row)) for row in truth.rows("small")]
    return lines + [f"{row}: {line}" for row, line in held if line and not isinstance(line, truth.Later)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_layers(pathlib.Path(folder))
        image = plain.Image(sorted(pathlib.Path(folder).glob("*.tar")), folder)
    failed = [f"the right artifact: {line}" for line in lines_of(right(image), image)]
    failed += ["not seen: a text without the hidden file"] * (not lines_of(right(image), image, ""))
    for name, change in CHANGES.items():
        artifact = copy.deepcopy(right(image))
        change(artifact)
        failed += [f"not seen: {name}"] * (not lines_of(artifact, image))
    print("\n".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
