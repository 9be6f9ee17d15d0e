# SPDX-License-Identifier: Apache-2.0
"""What plain layer tars hold and what their overlay shows, by tarfile, zipfile, hashlib and readelf."""
import hashlib
import io
import os
import re
import subprocess
import tempfile
import zipfile
import tarfile

DYNAMIC = re.compile(r"\((NEEDED|SONAME|RPATH|RUNPATH)\).*\[(.*)\]$")


class Content:
    """One file under all its hard-linked names."""

    def __init__(self, layer, name, size):
        self.layer, self.names, self.size = layer, [name], size
        self.dynamic = None   # of ELF files: {"needed": [...], "soname": "…", …}
        self.inside = 0       # files in a zip file
        self.hidden_by = None


class Layer:
    """One tar: digest, size, build step."""

    def __init__(self, path):
        digest = hashlib.sha256()
        with open(path, "rb") as f:
            while block := f.read(1 << 20):
                digest.update(block)
        self.digest, self.bytes = "sha256:" + digest.hexdigest(), os.path.getsize(path)
        with open(path.with_suffix(".txt"), encoding="utf-8") as f:
            self.step = f.read().strip()


def read_dynamic(contents, paths):
    """Fills .dynamic of each from readelf, which is told many files at once."""
    out = subprocess.run(["readelf", "-dW", "/dev/null", *paths], capture_output=True, text=True, errors="replace",
                         env={**os.environ, "LC_ALL": "C"}, check=False).stdout
    by_path = dict(zip(paths, contents))
    now = None
    for line in out.split("\n"):
        if line.startswith("File: "):
            now = by_path.get(line[6:])
        elif now and (m := DYNAMIC.search(line)):
            key = m[1].lower()
            if key == "needed":
                now.dynamic.setdefault(key, []).append(m[2])
            else:
                now.dynamic[key] = m[2]


def look_into(content, f, scratch, elves):
    head = f.read(4)
    if head == b"\x7fELF":
        content.dynamic = {}
        path = os.path.join(scratch, str(len(elves)))
        with open(path, "wb") as out:
            out.write(head)
            while block := f.read(1 << 20):
                out.write(block)
        elves.append((content, path))
    elif head == b"PK\x03\x04":
        content.inside = sum(not i.is_dir() for i in zipfile.ZipFile(io.BytesIO(head + f.read())).infolist())


class Image:
    """Every file that is shipped, and what is left of them: view is {path: Content}, without folders and links."""

    def __init__(self, tars, scratch):
        self.layers = [Layer(t) for t in tars]
        self.all, self.view = [], {}
        for index, path in enumerate(tars):
            with tempfile.TemporaryDirectory(dir=scratch) as room, tarfile.open(path) as tar:
                self.apply(index, tar, room)
        for c in self.all:
            c.hidden_by = None if any(self.view.get(n) is c for n in c.names) else c.hidden_by

    def gone(self, name, index):
        for path in [p for p in self.view if p == name or p.startswith(name + "/")]:
            self.view.pop(path).hidden_by = index

    def apply(self, index, tar, room):
        here, elves = {}, []
        for m in tar:
            folder, _, base = m.name.rstrip("/").rpartition("/")
            name = m.name.rstrip("/")
            if base.startswith(".wh."):
                self.gone((folder + "/" if folder else "") + base[4:], index)
            elif m.isreg():
                here[name] = Content(index, name, m.size)
                look_into(here[name], tar.extractfile(m), room, elves)
                self.all.append(here[name])
            elif m.islnk():
                here[name] = here[m.linkname]
                here[name].names.append(name)
            elif not m.isdir():
                self.gone(name, index)
        for name, content in here.items():
            if name in self.view:
                self.view[name].hidden_by = index
            self.view[name] = content
        if elves:
            read_dynamic(*zip(*[(c, p) for c, p in elves]))

    def elves(self):
        return [c for c in self.all if c.dynamic is not None]

    def files(self):
        """Names, and files in zip files."""
        return len(self.view) + sum(c.inside for c in self.view.values())

    def visible(self):
        return list({id(c): c for c in self.view.values()}.values())
