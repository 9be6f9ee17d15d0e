# SPDX-License-Identifier: Apache-2.0
"""What make-image.sh is built on: folders to layer tars, layer tars to images.

  ocibuild.py snap ROOT STATE                    remember what ROOT holds (content hashes)
  ocibuild.py commit ROOT STATE LAYER.tar        write what changed since STATE (whiteouts too), and renew STATE
  ocibuild.py sources ROOT N                     grow a tree of N small Python files under ROOT's dist-packages
  ocibuild.py seal LAYERS                        write down what LAYERS and the recipe are, now that all is there
  ocibuild.py sealed LAYERS                      exit status 0 when they still are, else 1
  ocibuild.py image FORM COMPRESSION OUT LAYERS  put LAYERS/*.tar (+ .txt beside each) together; packed layers stay beside the plain ones

Same input, same bytes: entries sorted, owners 0, times at most SOURCE_DATE_EPOCH, no atime or ctime.
Compression is by `pigz -n -6` (a stream like the one pushers write) or `zstd -3`, so a version of these is an input too.
"""
import hashlib
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tarfile
import time

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1700000000"))
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
SITE = "usr/local/lib/python3.11/dist-packages"
COMPRESS = {"gzip": ["pigz", "-n", "-6", "-c"], "zstd": ["zstd", "-3", "-q", "-c"], "none": None}
# What a build leaves behind by chance: clocks, caches, package lists.
SKIP = ("proc", "sys", "dev", "run", "tmp", "var/log", "var/tmp", "var/cache", "var/lib/apt/lists", "etc/machine-id", "etc/resolv.conf",
        "etc/hostname", "usr/sbin/policy-rc.d")
RECIPE = ("make-image.sh", "ocibuild.py", "wheels.txt", "wheels-later.txt")
SUFFIX = {"gzip": "+gzip", "zstd": "+zstd", "none": ""}


# ---- folder to layer ------------------------------------------------------------------------------------------------

def sha_file(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            h.update(block)
    return h.hexdigest()


def look(root, old):
    """path -> (kind, mode, size, mtime_ns, ino, content); old spares hashing what stat says is the same."""
    seen, todo = {}, [""]
    while todo:
        folder = todo.pop()
        for e in os.scandir(os.path.join(root, folder)):
            path = folder + e.name
            if path in SKIP or path.endswith("-old") and path.startswith("var/lib/dpkg/"):
                continue
            st = e.stat(follow_symlinks=False)
            kind, content = stat.S_IFMT(st.st_mode), None
            if kind == stat.S_IFDIR:
                todo.append(path + "/")
            elif kind == stat.S_IFLNK:
                content = os.readlink(e.path)
            elif kind == stat.S_IFREG:
                was = old.get(path)
                same = was and was[2:5] == (st.st_size, st.st_mtime_ns, st.st_ino)
                content = was[5] if same else sha_file(e.path)
            else:
                continue                                    # devices and sockets of a chroot are no content
            size = st.st_size if kind == stat.S_IFREG else 0
            seen[path] = (kind, stat.S_IMODE(st.st_mode), size, st.st_mtime_ns, st.st_ino, content)
    return seen


def changed(new, old):
    for path, now in new.items():
        was = old.get(path)
        if was is None or was[:3] != now[:3] or was[5] != now[5]:
            yield path


def removed(new, old):
    """Names to white out: only the topmost of a removed tree."""
    for path in old:
        if path not in new:
            parent = path.rpartition("/")[0]
            if not parent or (parent in new and new[parent][0] == stat.S_IFDIR):
                yield path


def member(name, mode, mtime, kind=tarfile.REGTYPE, size=0, link=""):
    t = tarfile.TarInfo(name)
    t.mode, t.mtime, t.type, t.size, t.linkname = mode, min(int(mtime), EPOCH), kind, size, link
    t.uid = t.gid = 0
    return t


def commit(root, state, out):
    old = {}
    if os.path.exists(state):
        with open(state, "rb") as f:
            old = pickle.load(f)
    new = look(root, old)
    paths = set(changed(new, old))
    for path in list(paths):                                # parents first, as every builder writes them
        while path := path.rpartition("/")[0]:
            paths.add(path)
    gone = {}
    for path in removed(new, old):
        parent, _, name = path.rpartition("/")
        gone[(parent + "/" if parent else "") + ".wh." + name] = True
        while parent:
            paths.add(parent)
            parent = parent.rpartition("/")[0]
    first = {}                                              # inode -> first name: later ones are hard links
    with tarfile.open(out, "w", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape") as tar:
        for path in sorted(paths | set(gone)):
            if path in gone:
                tar.addfile(member(path, 0o644, EPOCH))
                continue
            kind, mode, size, mtime, ino, content = new[path]
            mtime //= 10**9
            if kind == stat.S_IFDIR:
                tar.addfile(member(path + "/", mode, mtime, tarfile.DIRTYPE))
            elif kind == stat.S_IFLNK:
                tar.addfile(member(path, 0o777, mtime, tarfile.SYMTYPE, link=content))
            elif ino in first:
                tar.addfile(member(path, mode, mtime, tarfile.LNKTYPE, link=first[ino]))
            else:
                first[ino] = path
                with open(os.path.join(root, path), "rb") as f:
                    tar.addfile(member(path, mode, mtime, size=size), f)
    snap(root, state, new)


def snap(root, state, seen=None):
    with open(state, "wb") as f:
        pickle.dump(look(root, {}) if seen is None else seen, f)


def sources(root, count):
    """N files like a big site-packages: real Python text cut to lengths that follow a fixed sequence; 200 files a package."""
    texts = []
    for base in ("usr/lib/python3.11", "usr/share"):
        for folder, dirs, names in os.walk(os.path.join(root, base)):
            dirs.sort()
            texts += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".py")]
    texts = [open(t, "rb").read() for t in texts if os.path.isfile(t)]
    texts = [t for t in texts if len(t) > 512] or [b"def f():\n    return 0\n" * 400]
    seed, made, package = 12345, 0, 0
    while made < count:
        name = "pkg_%04d" % package
        here = os.path.join(root, SITE, name)
        info = os.path.join(root, SITE, "%s-1.%d.0.dist-info" % (name, package))
        record = []
        for i in range(min(197, count - made)):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            text = texts[seed % len(texts)]
            size = (0, 180, 700, 1500, 2600, 4200, 6800, 11000)[(seed >> 8) % 8]
            sub = os.path.join(here, *("sub%d" % ((i >> s) % 4) for s in range(0, (seed >> 12) % 4)))
            os.makedirs(sub, exist_ok=True)
            data = (b"# %s %d\n" % (name.encode(), i) + text)[:size]
            path = os.path.join(sub, "module_%03d.py" % i if i else "__init__.py")
            with open(path, "wb") as f:
                f.write(data)
            record.append("%s,,%d" % (os.path.relpath(path, os.path.join(root, SITE)), len(data)))
        os.makedirs(info, exist_ok=True)
        for leaf, text in (("METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: 1.%d.0\n" % (name, package)),
                           ("WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
                           ("RECORD", "\n".join(record) + "\n")):
            with open(os.path.join(info, leaf), "w") as f:
                f.write(text)
        made, package = made + len(record) + 3, package + 1


# ---- layers to image ------------------------------------------------------------------------------------------------

class Store:
    """blobs/sha256 of a layout."""

    def __init__(self, top):
        self.top = os.path.join(top, "blobs", "sha256")
        os.makedirs(self.top, exist_ok=True)

    def bytes(self, data):
        digest = hashlib.sha256(data).hexdigest()
        with open(os.path.join(self.top, digest), "wb") as f:
            f.write(data)
        return digest, len(data)

    def json(self, value):
        return self.bytes(json.dumps(value, separators=(",", ":"), sort_keys=True).encode())

    def layer(self, tar, how):
        """Put one tar, compressed, into the store: (digest, size, diff_id)."""
        packed = tar + "." + how if COMPRESS[how] else tar
        if not os.path.exists(packed):
            with open(packed + ".part", "wb") as f:
                subprocess.run(COMPRESS[how] + [tar], stdout=f, check=True)
            os.rename(packed + ".part", packed)
        digest = sha_file(packed)
        try:
            os.link(packed, os.path.join(self.top, digest))
        except OSError:
            shutil.copyfile(packed, os.path.join(self.top, digest))
        return digest, os.path.getsize(packed), digest if how == "none" else sha_file(tar)


def put_image(store, made, how, notes):
    """made = [(digest, size, diff_id)], notes = [history text]; the manifest's descriptor."""
    history = [{"created": CREATED, "created_by": n} for n in notes]
    history.append({"created": CREATED, "created_by": "ENV LD_LIBRARY_PATH=/usr/local/nvidia/lib64", "empty_layer": True})
    config = {"architecture": "amd64", "os": "linux", "created": CREATED,
              "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "LD_LIBRARY_PATH=/usr/local/nvidia/lib64"],
                         "Cmd": ["python3"], "Labels": {"org.opencontainers.image.title": "postern-bench"}},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + m[2] for m in made]}, "history": history}
    cdigest, csize = store.json(config)
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:" + cdigest, "size": csize},
                "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar" + SUFFIX[how],
                            "digest": "sha256:" + d, "size": s} for d, s, _ in made]}
    digest, size = store.json(manifest)
    return {"mediaType": manifest["mediaType"], "digest": "sha256:" + digest, "size": size,
            "platform": {"architecture": "amd64", "os": "linux"}}, cdigest


def finish(top, descriptors):
    with open(os.path.join(top, "oci-layout"), "w") as f:
        f.write('{"imageLayoutVersion":"1.0.0"}')
    with open(os.path.join(top, "index.json"), "w") as f:
        json.dump({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": descriptors}, f,
                  separators=(",", ":"), sort_keys=True)


def layer_files(folder):
    names = sorted(n for n in os.listdir(folder) if n.endswith(".tar"))
    notes = []
    for n in names:
        note = os.path.join(folder, n[:-4] + ".txt")
        notes.append(open(note).read().strip() if os.path.exists(note) else n)
    return [os.path.join(folder, n) for n in names], notes


def pack(top, out, last):
    """A layout as one tar, sorted, with the named members at the end (as docker save does)."""
    names = []
    for folder, dirs, files in os.walk(top):
        dirs.sort()
        rel = os.path.relpath(folder, top)
        names += [("" if rel == "." else rel + "/") + f for f in files]
    names.sort(key=lambda n: (n in last, n))
    with tarfile.open(out, "w", format=tarfile.PAX_FORMAT) as tar:
        for folder in ("blobs/", "blobs/sha256/"):
            tar.addfile(member(folder, 0o755, EPOCH, tarfile.DIRTYPE))
        for n in names:
            path = os.path.join(top, n)
            with open(path, "rb") as f:
                tar.addfile(member(n, 0o644, EPOCH, size=os.path.getsize(path)), f)


def image(form, how, out, layers):
    top = out if form == "oci-dir" else out + ".dir"
    store = Store(top)
    tars, notes = layer_files(layers)
    made = [store.layer(t, how) for t in tars]
    desc, cdigest = put_image(store, made, how, notes)
    desc["annotations"] = {"org.opencontainers.image.ref.name": "latest"}
    if form == "docker-save":
        desc["annotations"]["io.containerd.image.name"] = "localhost/postern-bench:latest"
        entry = {"Config": "blobs/sha256/" + cdigest, "RepoTags": ["postern-bench:latest"],
                 "Layers": ["blobs/sha256/" + m[0] for m in made]}
        if how == "none":                                   # 25 to 28 with the classic store; 29 writes neither
            entry["LayerSources"] = {"sha256:" + m[2]: {"mediaType": "application/vnd.oci.image.layer.v1.tar",
                                                        "size": m[1], "digest": "sha256:" + m[0]} for m in made}
            with open(os.path.join(top, "repositories"), "w") as f:
                json.dump({"postern-bench": {"latest": made[-1][2]}}, f)
        with open(os.path.join(top, "manifest.json"), "w") as f:
            json.dump([entry], f, separators=(",", ":"))
    finish(top, [desc])
    if form != "oci-dir":
        pack(top, out, {"index.json", "manifest.json", "oci-layout", "repositories"})
        subprocess.run(["rm", "-rf", top], check=True)


def content(layers):
    """A line for each file of the recipe and of the layers."""
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(here, n) for n in RECIPE]
    paths += [os.path.join(layers, n) for n in sorted(os.listdir(layers)) if n.endswith((".tar", ".txt"))]
    return "".join("%s  %s\n" % (sha_file(p), os.path.basename(p)) for p in paths)


def seal(layers):
    with open(os.path.join(layers, "complete"), "w") as f:
        f.write(content(layers))


def sealed(layers):
    try:
        with open(os.path.join(layers, "complete")) as f:
            return f.read() == content(layers)
    except (OSError, UnicodeDecodeError):
        return False


VERBS = {"snap": lambda a: snap(*a), "commit": lambda a: commit(*a), "sources": lambda a: sources(a[0], int(a[1])),
         "seal": lambda a: seal(*a), "sealed": lambda a: sys.exit(not sealed(*a)), "image": lambda a: image(*a)}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in VERBS:
        raise SystemExit(__doc__)
    VERBS[sys.argv[1]](sys.argv[2:])
