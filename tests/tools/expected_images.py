# SPDX-License-Identifier: Apache-2.0
"""Facts of the images tables (tests/fixtures/expected/README.md): layers, provenance, and the merged tree.

The inventory lists ELF files and only counts others. So that the whole tree can be held against the table, simple images are
scanned a second time with an ELF file in the place of every file (solid_image.py): `Said.solid` is that inventory, or None.
Layers count from 0 in the tables and in the inventory.
"""
import os
import re

# The recipe makes bombs of 16 MiB here; the table speaks of its default, 256 MiB.
SCALED = {"268436992": "16778752"}
NOT_COUNTED = "folders and symbolic links are not counted"
LATER = {"symlinks.count": NOT_COUNTED, "dirs": NOT_COUNTED}
SMALL_FILES = 4096  # all that the other files of an image have, whose sizes the table does not name
# Hostile images whose tars every reader sees alike.
SIMPLE_HOSTILE = ("traversal", "symlink-write", "symlink-write-layers", "symlink-then-dir", "duplicates", "whiteout-names")


def items(value):
    return [] if value == "none" else value.split(",")


def differ(got, want):
    return None if got == want else "found %s" % (got,)


def layers(s):
    return s.a.get("layers", [])


def objects(s):
    """Real objects, or, where there are none, those of the solid image."""
    return s.objects if s.objects or not s.solid else s.solid["objects"]


def at(o):
    return "%s@%s" % (o["path"], o.get("layer", "?"))


def names_of(artifact):
    """Visible names of an inventory and the layer of each, None where it is a further name of a hard link."""
    names = {}
    for o in artifact["objects"]:
        if o["visible"]:
            names.update({n: None for n in o.get("links", [])})
            names[o["path"]] = o.get("layer")
    return names


def visible(s, op, value):
    got = sorted(at(o) for o in objects(s) if o["visible"])
    if op == ">=":
        missing = [w for w in items(value) if w not in [g.split("@")[0] for g in got]]
        return "not there: %s in %s" % (missing, got) if missing else None
    return differ(got, sorted(items(value)))


def hidden(s, op, value):
    return differ(sorted(at(o) for o in objects(s) if not o["visible"]), sorted(items(value)))


def tree_names(s, want):
    """want: name -> layer, None where that does not matter."""
    got = names_of(s.solid)
    if sorted(got) != sorted(want):
        return "missing %s, too many %s" % (sorted(set(want) - set(got)), sorted(set(got) - set(want)))
    wrong = [(n, got[n], layer) for n, layer in want.items() if None not in (layer, got[n]) and got[n] != layer]
    return "wrong layers %s" % wrong if wrong else None


def files(s, op, value):
    names = [n for n in items(value) if "->" not in n]
    number = int(value) if value.isdigit() else len(names)
    got = s.a["summary"]["files"]
    if got < number if op == ">=" else got != number:
        return "%d files" % got
    return tree_names(s, dict.fromkeys(names)) if s.solid and op == "=" and not value.isdigit() else None


def tree(s, op, value):
    with open(os.path.join(s.folder, value), encoding="utf-8") as f:
        rows = [line.split("\t") for line in f.read().split("\n") if line]
    want = {path: int(layer) for path, kind, layer, _ in rows if kind == "f"}
    if s.a["summary"]["files"] != len(want):
        return "%d files, not %d" % (s.a["summary"]["files"], len(want))
    strange = [at(o) for o in s.objects if o["visible"] and want.get(o["path"]) != o.get("layer")]
    return "not so in the tree: %s" % strange if strange else tree_names(s, want) if s.solid else None


def links(s, op, value):
    names = [(o["path"], o.get("links", [])) for o in objects(s)]
    want = sorted(items(value))
    return None if any(want in (sorted(more), sorted(more + [path])) for path, more in names if more) else "found %s" % names


def gone(s, op, value):
    there = [n for n in items(value) if n in names_of(s.solid or s.a)]
    return "still there: %s" % there if there else None


def replaced(s, op, value):
    got = names_of(s.solid)
    return None if all(got.get(n) for n in items(value)) else "layers %s" % [(n, got.get(n)) for n in items(value)]


def layer_of(key):
    def fact(s, op, value):
        return differ(names_of(s.solid).get(key.split(".", 1)[1]), int(value))
    return fact


def ambiguous(s, op, value):
    got, want = set(s.a.get("ambiguous", [])), set(items(value))
    may = want | {p for k, _, v in s.facts if k == "differs" for p in items(v)}
    return None if want <= got <= may else "found %s" % sorted(got)


def overlay(s, op, value):
    """The tree of overlay engines as measured (engines.tsv), or, where they refuse the image, umoci's; then it is not certain."""
    if value == "refused" and not s.a.get("ambiguous"):
        return "nothing is ambiguous"
    with open(os.path.join(s.folder, "engines.tsv"), encoding="utf-8") as f:
        rows = [line.split("\t") for line in f.read().split("\n") if line]
    text = next(t for case, engine, t in rows if case == s.case and engine == ("overlay" if value == "read" else "umoci"))
    names = [n.split("=")[0] for n in text.split() if "=" in n]
    return tree_names(s, dict.fromkeys(names)) if names else None


def missing(s, op, value):
    rows = s.a["incomplete"]
    for what in (w.replace("layer ", "") for w in items(value)):
        if not any(r.get("layer") == int(what) if what.isdigit() else what in r["reason"] for r in rows):
            return "no row for %s in %s" % (what, rows)
    return None


def one_size(s, op, value):
    """Seen as the sum when there is one file."""
    return differ(s.a["summary"]["bytes"], int(value)) if s.a["summary"]["files"] == 1 else "%d files" % s.a["summary"]["files"]


def all_sizes(s, op, value):
    """Seen in the sum: the other files of the image are small."""
    more = s.a["summary"]["bytes"] - sum(int(v.split(":")[1]) for v in items(value))
    return None if 0 <= more < SMALL_FILES else "%d bytes more" % more


def outer_size(s, op, value):
    """Seen in the sum: the other file is `inner` and a newline."""
    return differ(s.a["summary"]["bytes"], int(value) + 6)


def fetched(s, op, value):
    seen = s.opened()
    return seen if isinstance(seen, str) else "network: %s" % seen[2] if seen[2] else None


def blobs_read(s, op, value):
    seen = s.opened()
    if isinstance(seen, str):
        return seen
    number = sum("/blobs/" in f for f in seen[0])
    return None if 0 < number <= int(value) else "%d blobs" % number


def finding(s, op, value):
    return None if any(r["id"] == value for r in s.a["incomplete"]) else "found %s" % s.a["incomplete"]


def place(s, op, value):
    """`at=offset`: the row says where the bytes end."""
    return None if any(re.search(r"\d", r["reason"]) for r in s.a["incomplete"]) else "found %s" % s.a["incomplete"]


def no_tar(s, op, value):
    return None if s.mentions("tar") else "no row says that the layer is no tar: %s" % s.problems


def from_layers(key):
    def fact(s, op, value):
        got = [str(x[key]) for x in layers(s) if key in x]
        return differ(got, items(value))
    return fact


FACTS = {
    "layers": lambda s, op, v: differ(len(layers(s)), int(v)),
    "platform": lambda s, op, v: differ(s.a.get("platform"), v),
    "reference": lambda s, op, v: differ(s.a.get("reference"), v),
    "reference.ends": lambda s, op, v: None if s.a.get("reference", "").endswith(v) else "found %s" % s.a.get("reference"),
    "complete": lambda s, op, v: differ(str(s.a["complete"]).lower(), v),
    "compression": from_layers("compression"), "steps": from_layers("step"), "created_by": from_layers("created_by"),
    "env": lambda s, op, v: differ(s.a.get("config", {}).get("env", []), items(v)),
    "digest": lambda s, op, v: None if all(x["digest"].startswith(v + ":") for x in layers(s)) else "found %s" % layers(s),
    "verified": lambda s, op, v: None if all(x["verified"] is (v == "true") for x in layers(s)) else "found %s" % layers(s),
    "unpacked": lambda s, op, v: differ([x["unpacked"] for x in layers(s)], [int(SCALED.get(v, v))]),
    "anomaly.layers": lambda s, op, v: differ(sorted({str(r["layer"]) for r in s.a["anomalies"] if "layer" in r}), items(v)),
    "visible": visible, "hidden": hidden, "files": files, "tree": tree, "links": links, "gone": gone, "replaced": replaced,
    "files.count": files, "ambiguous": ambiguous, "overlay": overlay, "missing": missing, "finding": finding, "at": place,
    "differs": lambda s, op, v: None,  # what `ambiguous` may also have
    "fetched": fetched, "blobs.read": blobs_read, "sizes": all_sizes, "size.outer.tar": outer_size,
    "depth": lambda s, op, v: differ(s.a["summary"]["files"], 0),
    "size.m": one_size, "size.longname.txt": one_size, "layer.kind": no_tar,
}
FACTS.update({"layer." + n: layer_of("layer." + n) for n in "egz"})
