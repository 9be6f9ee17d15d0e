# SPDX-License-Identifier: Apache-2.0
"""What is measured: images, folders and wheels, made once by recipes and kept in a folder."""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import check
import ocibuild

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import many_files  # noqa: E402

SITE = "usr/local/lib/python3.11/dist-packages/"
DEBIAN = ("librocsparse0", "5.3.0+dfsg-2", "688878bb8cb9ec7970e7b632828d91336a6819860fb0c306372eb6a7199b3b8e")


class Missing(Exception):
    """An input that cannot be had here; the message says why."""


def sh(*argv, **more):
    done = subprocess.run(list(map(str, argv)), stdin=subprocess.DEVNULL, capture_output=True, check=False, **more)
    if done.returncode:
        raise Missing(f"'{argv[0]}' failed: {(done.stderr or done.stdout).decode(errors='replace').strip()[-300:]}")
    return done.stdout


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def files_below(folder):
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if not os.path.islink(os.path.join(at, name))]


def folder_of_files(folder, plain, count, elves):
    """A Debian root that is grown to so many files, so many of them ELF: its own, copied under other names, and Python sources."""
    folder.mkdir()
    sh("tar", "-x", "--no-same-owner", "-f", plain, "-C", folder)
    sh("chmod", "-R", "u+rwX", folder)
    own = sorted(path for path in files_below(folder) if is_elf(path))
    for path in own[elves:]:
        os.unlink(path)
    for i in range(max(0, elves - len(own))):
        copy = folder / f"usr/local/lib/copies/{i // 50:03}/{i:05}-{os.path.basename(own[i % len(own)])}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(own[i % len(own)], copy)
    ocibuild.sources(str(folder), max(0, count - len(files_below(folder))))
    texts = sorted(path for path in files_below(folder) if path.endswith(".py"))
    for path in texts[:max(0, len(files_below(folder)) - count)]:  # the recipe fills its last package
        os.unlink(path)


def elf_members(path):
    """(offset, deflated bytes) of each ELF file in a wheel."""
    found = []
    with zipfile.ZipFile(path) as z, open(path, "rb") as raw:
        for m in z.infolist():
            with z.open(m) as f:
                if f.read(4) != b"\x7fELF":
                    continue
            if m.compress_type != zipfile.ZIP_DEFLATED:
                raise Missing(f"{m.filename} is not deflated")
            raw.seek(m.header_offset + 26)
            lengths = raw.read(4)
            found.append((m.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), m.compress_size))
    return found


def wheel_layer(wheel, out):
    """What pip would install, as a layer."""
    with zipfile.ZipFile(wheel) as z, tarfile.open(out, "w", format=tarfile.PAX_FORMAT) as tar:
        for m in sorted(z.infolist(), key=lambda m: m.filename):
            with z.open(m) as f:
                tar.addfile(ocibuild.member(SITE + m.filename, 0o644, ocibuild.EPOCH, size=m.file_size), f)


class Inputs:
    """Everything lies in DIR/bench, beside the layers and wheels that it is made of; a recipe that has changed makes its input anew."""

    def __init__(self, folder, quick, offline):
        self.top, self.quick, self.offline = pathlib.Path(os.path.abspath(folder)), quick, offline
        self.profile = "small" if quick else "full"
        self.count, self.elves, self.many = (20000, 100, 300000) if quick else (200000, 1000, 3000000)

    def kept(self, name, recipe, make):
        """DIR/bench/NAME, made by make(path) unless this recipe made it before."""
        path, note = self.top / "bench" / name, self.top / "bench" / (name + ".recipe")
        recipe = hashlib.sha256(recipe.encode()).hexdigest()
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.lock():
            if path.exists() and note.exists() and note.read_text(encoding="ascii") == recipe:
                return path
            part = path.with_name("part")
            for old in (note, path, part):
                shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
            print(f"making {name}", file=sys.stderr, flush=True)
            try:
                make(part)
            except OSError as e:
                raise Missing(f"{name} cannot be made: {e}") from e
            part.rename(path)
            note.write_text(recipe, encoding="ascii")
        return path

    @contextlib.contextmanager
    def lock(self):
        """The same that check.py holds: both pack the layers of DIR."""
        with open(self.top / "lock", "w", encoding="ascii") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            yield

    def image(self, how, form="oci-dir"):
        """By make-image.sh, which downloads what its layers need when they are not there."""
        def make(out):
            reason = check.cannot_make(self.top, self.profile, self.offline)
            if reason:
                raise Missing(reason)
            sh(HERE / "make-image.sh", "-p", self.profile, "-c", how, "-f", form, "-w", self.top, out)
            check.drop_packed(self.top / f"layers-{self.profile}")

        recipe = "".join((HERE / name).read_text(encoding="utf-8") for name in ocibuild.RECIPE)
        return self.kept(f"{self.profile}-{how}-{form}", recipe, make)

    def folder(self):
        debian = blobs(self.image("none"))[0]
        recipe = f"{self.count} {self.elves} {debian.name} " + (HERE / "ocibuild.py").read_text(encoding="utf-8")
        return self.kept(f"folder-{self.count}", recipe, lambda out: folder_of_files(out, debian, self.count, self.elves))

    def many_files(self):
        recipe = (HERE.parent / "tools/many_files.py").read_text(encoding="utf-8")

        def make(out):
            layer = out.with_name("part.tar.gz")
            try:
                many_files.image(str(out), str(layer), many_files.tar(str(layer), self.many))
            finally:
                layer.unlink(missing_ok=True)

        return self.kept(f"many-{self.many}", f"{self.many} {recipe}", make)

    def wheel_names(self):
        """Names of the pinned wheels."""
        texts = [(HERE / name).read_text(encoding="utf-8") for name in ("wheels.txt", "wheels-later.txt")]
        return re.findall(r"^([\w-]+)==", "\n".join(texts), re.M)

    def wheel(self, name):
        """The file, and a list of its ELF members for inflate_members."""
        found = sorted((self.top / "wheels").glob(name.replace("-", "_") + "-*.whl"))
        if not found:
            raise Missing(f"no wheel of {name} in '{self.top / 'wheels'}'")
        lines = "".join(f"{offset} {size}\n" for offset, size in elf_members(found[0]))
        if not lines:
            raise Missing(f"{name} has no ELF file")
        members = self.top / "bench" / (name + ".members")
        members.parent.mkdir(exist_ok=True)
        members.write_text(lines, encoding="ascii")
        return found[0], members

    def large_parts(self):
        """The pinned wheel and the pinned package of the large libraries, fetched when they are not there."""
        wheels = self.top / "wheels"
        if not self.offline:
            sh(HERE.parent / "real/fetch.sh", "all", wheels, HERE / "large.tsv")
        wheel = next(iter(sorted(wheels.glob("nvidia_cublas_cu12-*.whl"))), None)
        name, version, digest = DEBIAN
        package = wheels / f"{name}_{version}_amd64.deb"
        if not package.exists() and not self.offline:
            sh("apt-get", "-q", "download", f"{name}={version}", cwd=wheels)
        if not wheel or not package.exists():
            raise Missing("offline: no nvidia-cublas-cu12 and librocsparse0")
        if ocibuild.sha_file(package) != digest:
            raise Missing(f"'{package}' is not the pinned one")
        return wheel, package

    def large_libraries(self):
        """An image of PyPI's cuBLAS and Debian's rocSPARSE, a gzip layer each."""
        if self.quick:
            raise Missing("not with --quick")

        def make(out):
            wheel, package = self.large_parts()
            layers = out.with_name("part-layers")
            shutil.rmtree(layers, ignore_errors=True)
            layers.mkdir()
            try:
                wheel_layer(wheel, layers / "1-cublas.tar")
                with open(layers / "2-rocsparse.tar", "wb") as f:
                    subprocess.run(["dpkg-deb", "--fsys-tarfile", package], stdout=f, check=True)
                ocibuild.image("oci-dir", "gzip", str(out), str(layers))
            finally:
                shutil.rmtree(layers)

        return self.kept("large-libraries", f"{(HERE / 'large.tsv').read_text(encoding='ascii')} {DEBIAN}", make)


def blobs(image):
    """Files of the layers of an OCI folder, in their order."""
    def blob(descriptor):
        return image / "blobs" / descriptor["digest"].replace(":", "/")

    index = json.loads((image / "index.json").read_text(encoding="utf-8"))
    manifest = json.loads(blob(index["manifests"][0]).read_text(encoding="utf-8"))
    return [blob(layer) for layer in manifest["layers"]]
