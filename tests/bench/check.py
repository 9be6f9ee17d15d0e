#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check.py [--offline] POSTERN FOLDER small|full

Makes the image of make-image.sh in all its forms and holds `postern scan` of each to README.md's truth: -j0, -j1 and -j8 write
the same bytes, all forms say the same, every row of truth.tsv and every ELF file of the layers is there, in time and memory.
FOLDER keeps wheels and plain layers; --offline makes no layers. Exit status: 0, 1 when something differs, 2 wrong use,
77 when the image cannot be made here. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import ocibuild
import plain as plain_layers
import truth

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import schema_check  # noqa: E402

TOOLS = ("mmdebstrap", "skopeo", "pigz", "zstd", "readelf")
FORMS = [(form, how) for how in ("gzip", "zstd", "none") for form in ("oci-dir", "oci-tar", "docker-save")] + [("docker-archive", "none")]
SECONDS = {"small": 30, "full": 180}
MEGABYTES = 256
MOST = 20
# A process of its own: what a child is said to have used at most begins with what its parent had when it was made.
MEASURE = """import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)"""


class Wrong(Exception):
    """What was found in one form; the message is the line to print."""


def cannot_make(folder, image, offline):
    """Why the image cannot be made here, or None."""
    missing = [t for t in TOOLS if not shutil.which(t)]
    if missing:
        return f"{', '.join(missing)} not installed"
    if ocibuild.sealed(folder / f"layers-{image}"):
        return None
    if offline:
        return "offline"
    if os.getuid() != 0:
        return "making the image needs root"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return "making the image needs root that may mount"
    return None


class Runs:
    """Scans of one image, their longest time and largest process."""

    def __init__(self, postern, image, scratch):
        self.postern, self.seconds, self.scratch = postern, SECONDS[image], scratch
        self.slowest = self.largest = 0

    def scan(self, path, *arguments, piped=False):
        used = self.scratch / "used"
        started = time.monotonic()
        command = [sys.executable, "-c", MEASURE, used, self.postern, "scan", *arguments]
        try:
            with subprocess.Popen(["cat", path if piped else "/dev/null"], stdout=subprocess.PIPE) as cat:
                done = subprocess.run([*command, "-" if piped else path], stdin=cat.stdout, capture_output=True, timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired as e:
            raise Wrong(f"{' '.join(arguments)}: longer than {self.seconds} s") from e
        megabytes = int(used.read_text(encoding="ascii")) / 1024
        self.slowest, self.largest = max(self.slowest, time.monotonic() - started), max(self.largest, megabytes)
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode != 0:
            raise Wrong(f"{' '.join(arguments)}: exit status {done.returncode}: {said[-300:]}{incomplete(done.stdout)}")
        if megabytes > MEGABYTES:
            raise Wrong(f"{' '.join(arguments)}: {megabytes:.0f} MiB in one process, {MEGABYTES} are allowed")
        return done.stdout


def incomplete(raw):
    try:
        return "; ".join(f"layer {p.get('layer')}: {p['reason']}" for p in json.loads(raw)["artifacts"][0]["incomplete"])
    except (ValueError, KeyError, IndexError):
        return ""


def without_form(artifact):
    """What must be the same in every form, as {name: value}."""
    same = {k: v for k, v in artifact.items() if k not in ("name", "kind", "reference", "image_id", "manifest_digest", "file_digest")}
    same["layers"] = [{k: v for k, v in row.items() if k not in ("digest", "bytes", "compression")} for row in artifact["layers"]]
    return same


def unnamed(raw):
    artifact = json.loads(raw)["artifacts"][0]
    artifact.pop("name")
    return json.dumps(artifact)


def scan_form(runs, path):
    """(artifact, text) of one form; its bytes are the same at every -j and through a pipe, and valid."""
    raw = runs.scan(path, "-f", "json", "-j1")
    for jobs in ("-j0", "-j8"):
        if runs.scan(path, "-f", "json", jobs) != raw:
            raise Wrong(f"{jobs} writes other bytes than -j1")
    if path.is_file() and unnamed(runs.scan(path, "-f", "json", piped=True)) != unnamed(raw):
        raise Wrong("a pipe gives something else")
    problems = schema_check.check("schema", raw, {})
    if problems:
        raise Wrong(problems[0])
    return json.loads(raw)["artifacts"][0], runs.scan(path).decode()


def differences(artifact, plain, form, how, first):
    lines = list(truth.of_layers(artifact, plain, how))
    # Docker's own archives are layouts too, and that side is preferred.
    kind = "docker-archive" if form == "docker-archive" else "oci-layout"
    if artifact["kind"] != kind or not artifact["complete"]:
        lines.append(f"kind is {artifact['kind']}, complete is {artifact['complete']}")
    if first:
        a, b = without_form(first), without_form(artifact)
        lines += [f"differs from the first form: {k}" for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]
    return lines


class Count:
    """What is printed and added up."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, name, lines):
        self.passed += not lines
        self.failed += bool(lines)
        print(f"{'FAILED ' if lines else 'ok     '}{name}", flush=True)
        for line in lines[:MOST]:
            print(f"    {line}")
        if len(lines) > MOST:
            print(f"    and {len(lines) - MOST} more")

    def skip(self, line):
        self.skipped += 1
        print(f"skipped: {line}")


def make(folder, image, form, how, out):
    done = subprocess.run([HERE / "make-image.sh", "-p", image, "-c", how, "-f", form, "-w", folder, out], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise Wrong(f"cannot be made: {done.stdout.decode(errors='replace').strip()[-2000:]}")


def layers_of(folder):
    return sorted(folder.glob("*.tar"))


def drop_packed(layers):
    for path in layers.glob("*.tar.*"):
        path.unlink()


def check_forms(options, scratch, count):
    """(artifact, text, plain layers) of the first form that could be scanned."""
    layers = options.folder / f"layers-{options.image}"
    runs = Runs(options.postern, options.image, scratch)
    first = text = plain = before = None
    for form, how in FORMS:
        out = scratch / "image"
        if how != before:
            drop_packed(layers)
        before = how
        started = time.monotonic()
        try:
            make(options.folder, options.image, form, how, out)
            made = time.monotonic()
            plain = plain or plain_layers.Image(layers_of(layers), scratch)
            artifact, said = scan_form(runs, out)
            lines = differences(artifact, plain, form, how, first)
            first, text = first or artifact, text or said
        except Wrong as e:
            lines, made = [str(e)], started
        count.add(f"{form}, {how}  {made - started:.1f} s to make, {time.monotonic() - made:.1f} s in all to check", lines)
        shutil.rmtree(out, ignore_errors=True)
        out.unlink(missing_ok=True)
        if not plain:
            break  # no layers, no form
    drop_packed(layers)
    print(f"slowest scan {runs.slowest:.1f} s, largest process {runs.largest:.0f} MiB")
    return first, text, plain


def hold_truth(image, artifact, plain, text, count):
    count.add("every ELF file of the layers", list(truth.of_elves(artifact, plain)))
    count.add("files, sums, oddities", list(truth.of_whole(artifact, plain, image)))
    for row in truth.rows(image):
        line = truth.hold(artifact, plain, text, row)
        name = " ".join(word for word in row[1:] if word != "-")
        if isinstance(line, truth.Later):
            count.skip(f"{row[1]}: {row[3]}: {line}")
        else:
            count.add(name, [line] if line else [])


def main():
    p = argparse.ArgumentParser(usage=__doc__.splitlines()[0])
    p.add_argument("--offline", action="store_true")
    p.add_argument("postern", type=os.path.abspath)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("image", choices=("small", "full"))
    options = p.parse_args()
    reason = cannot_make(options.folder, options.image, options.offline)
    if reason:
        print(f"skipped: {reason}")
        return 77
    options.folder.mkdir(parents=True, exist_ok=True)
    count = Count()
    with open(options.folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in options.folder.glob("image-*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix="image-", dir=options.folder) as scratch:
            artifact, text, plain = check_forms(options, pathlib.Path(scratch), count)
    if artifact:
        hold_truth(options.image, artifact, plain, text, count)
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    return 1 if count.failed or not artifact else 0


if __name__ == "__main__":
    sys.exit(main())
