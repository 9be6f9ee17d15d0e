# SPDX-License-Identifier: Apache-2.0
"""The facts of tests/fixtures/expected/*.tsv (their README defines them), each a function of what `postern scan` said.

A function gets the run and the value and gives None when the fact holds, else what was found instead. A fact that no function
knows is an error, not a pass; what cannot be seen yet stands in LATER_FACTS or LATER_CASES, with the reason, and is counted
as skipped.
"""
import collections
import fnmatch
import re

import expected_images

FORMS = ("native", "stub", "relocatable", "portable", "intermediate", "unknown")
CODECS = ("none", "zstd", "lz4", "zlib", "xz", "obfuscated")

# Whole cases that need a reader of a later issue: (pattern, reason).
LATER_CASES = (
    ("kpack_*", "kpack archives are not read yet"),
    ("*.kpack", "kpack archives are not read yet"),
    ("newdrv.o", "LLVM offload binaries are not read yet"),
    ("of_*", "LLVM offload binaries are not read yet"),
    ("spv_*", "SPIR-V modules are not read yet"),
)
# Directory entries that are more or fewer than files with a place of their own; what is right was counted by hand.
FILES_OF_MEMBERS = {
    "other/cbar-2.0-h0_0.conda": 3 + 1 + 4,  # its two tars are entered, each member counts
    "hostile-zips/names-raw.zip": 4,  # one name is longer than path-bytes
    "hostile-zips/nested.zip": 8 + 64 + 512,  # two levels are entered, each member counts
    "hostile-zips/symlink-member.zip": 3,  # one is a link
    "hostile-zips/traversal.zip": 6,  # "", "." and ".." name nothing, "dir/" is a folder
}
# Only the recipe can make them: they hold a vendor's runtime, which is not ours to commit.
NOT_COMMITTED = ("libk_static.so", "libk_static_stripped.so")

NOT_IN_INVENTORY = "the inventory has no field for it"
LATER_FACTS = {
    "for": "kpack archives are not read yet",
    "images": "LLVM offload binaries are not read yet",
    "form": "LLVM offload binaries are not read yet",
    "kpack": "kpack references are not read yet",
    "kernel_name": "kpack references are not read yet",
    "wrappers": NOT_IN_INVENTORY,
    "fatbins": NOT_IN_INVENTORY,
    "allocated": "the runner bounds time and resident memory of the whole process instead",
    "inflated": "the runner bounds time and resident memory of the whole process instead",
    "steps": "the runner bounds the time instead",
}


def left_out_case(case, what, exists):
    """The reason why a case is not tried, or None."""
    if not exists and case in NOT_COMMITTED:
        return "needs nvcc"
    if not exists and case.startswith(("skopeo", "umoci")):
        return "needs %s" % re.match("[a-z]+", case).group()
    for pattern, reason in LATER_CASES:
        if fnmatch.fnmatchcase(case, pattern):
            return reason
    return None


def arguments(what):
    """One list of arguments for each call: `--image p0 (to p9)` are ten."""
    text = next((f.split("=", 1)[1] for f in what.split("; ") if f.startswith("args=")), "")
    m = re.match(r"(.*\D)(\d) \(to \D(\d)\)$", text)
    texts = [m.group(1) + str(n) for n in range(int(m.group(2)), int(m.group(3)) + 1)] if m else [text]
    return [t.split() for t in texts]


def parse(what):
    """(key, operator, value) of each fact; those of `args=` and `noargs=` are left out."""
    facts = []
    for text in filter(None, what.split("; ")):
        m = re.match(r"(.*?)(>=|<=|=)(.*)$", text)
        if not m:
            raise ValueError("no fact: '%s'" % text)
        if m.group(1) not in ("args", "noargs"):
            facts.append(m.groups())
    return facts


def without_arguments(what):
    """(exit status, names that are said) of the call with none, or None."""
    m = re.search(r"(?:^|; )noargs=exit (\d) \((.*?)\)", what)
    return m and (int(m.group(1)), m.group(2).split(","))


class Said:
    """What one scan said of one artifact."""

    def __init__(self, case, artifact, stdout, stderr, tools, facts=(), image=False, folder="", solid=None):
        self.case, self.a = case, artifact
        self.facts, self.image, self.folder, self.solid = facts, image, folder, solid
        self.stdout, self.stderr = stdout, stderr
        self.rows_of = tools.rows_of  # path beside the case -> its device-code rows
        self.findings = tools.findings  # id -> whether `postern check` has it, None when postern knows no such finding
        self.opened = tools.opened  # -> (files it opened inside the case, files outside, sockets), or why nobody could look
        self.objects = artifact.get("objects", [])
        self.rows = [r for o in self.objects for r in o.get("device_code", [])]
        self.problems = artifact.get("incomplete", []) + artifact.get("anomalies", [])
        self.evidence = [e for o in self.objects for e in o.get("evidence", [])]

    def object(self):
        return self.objects[0] if self.objects else {}

    def elf(self):
        return self.object().get("elf", {})

    def package(self):
        return self.a.get("packages", [{}])[0] if self.a.get("packages") else {}

    def mentions(self, *words):
        """Problem rows that hold all of these words."""
        return [p for p in self.problems if all(w in "%s %s" % (p.get("path", ""), p.get("reason", "")) for w in words)]


def items(value):
    return [] if value == "none" else [""] if value == '""' else value.split(",")


def compare(op, got, want):
    """Numbers by operator; lists equal, or `>=` at least these."""
    if isinstance(want, int):
        ok = got == want if op == "=" else got <= want if op == "<=" else got >= want
    elif isinstance(want, list) and op == ">=":
        ok = not collections.Counter(want) - collections.Counter(got)
    else:
        ok = got == want
    return None if ok else "found %s" % shorten(got)


def shorten(x):
    text = repr(x)
    return text if len(text) < 300 else text[:300] + "..."


def rows_fact(s, key, op, value):
    """FORM|TARGET|CODEC|WHERE, FORM|TARGET, FORM|TARGET:CODEC, or FORM alone: images counted."""
    parts = key.split("|")
    if len(parts) == 2 and ":" in parts[1] and parts[1].rsplit(":", 1)[1] in CODECS:
        parts[1:] = parts[1].rsplit(":", 1)
    want = dict(zip(("form", "target", "codec", "where"), parts))
    got = sum(r["count"] for r in s.rows if all(r.get(k) == v for k, v in want.items()))
    problem = compare(op, got, int(value))
    return problem and "%s of %s" % (problem, shorten([tuple(r.get(k) for k in ("form", "target", "codec", "where", "count")) for r in s.rows]))


def rows_number(s, op, value):
    if value.isdigit():
        return compare(op, len(s.rows), int(value))
    key = lambda r: tuple(r.get(k) for k in ("backend", "target", "form", "codec", "count", "bytes"))
    return compare(op, sorted(map(key, s.rows)), sorted(map(key, s.rows_of(value))))


def kernels_of(form):
    def fact(s, op, value):
        rows = [r for r in s.rows if r["form"] in form]
        bad = [r for r in rows if r.get("kernels") != int(value) * r["count"]]
        return None if rows and not bad else "found %s" % shorten([(r["target"], r.get("kernels")) for r in rows])
    return fact


def unit_sets(s, op, value):
    got = [("+".join(u["targets"])) for o in s.objects for u in o.get("unit_sets", []) for _ in range(u["count"])]
    return compare(op, sorted(got), sorted(items(value)))


def each_row(key):
    def fact(s, op, value):
        got = sorted({r.get(key, "none") for r in s.rows})
        return compare(op, got, [value])
    return fact


def unknown_target(s, op, value):
    got = [r["target"] for r in s.rows]
    return None if got and all(t.startswith(value) for t in got) else "found %s" % got


def elf_field(key):
    def fact(s, op, value):
        got = str(s.elf().get(key, "none"))
        return compare(op, got, "" if value == '""' else value)
    return fact


def elf_list(key):
    def fact(s, op, value):
        return compare(op, s.elf().get(key, []), items(value))
    return fact


def elf_type(s, op, value):
    got = s.object().get("type") if value == "archive" else s.elf().get("type")
    return compare(op, got, value)


def evidence(s, op, value):
    got = ["/".join((e["backend"], e["kind"], e["value"], e["strength"])) for e in s.evidence]
    return compare(">=", got, [value])


def dlopen(s, op, value):
    """Only names that the rule data knows can be evidence; the others must not be."""
    names = [n.split(":")[0] for n in items(value)]
    got = [e["value"] for e in s.evidence if e["kind"] == "dlopen"]
    want = [n for n in names if n.startswith("libcuda.so")]
    return compare("=", sorted(got), sorted(want))


def members(s, op, value):
    if s.object().get("type") == "archive":
        return SKIP(NOT_IN_INVENTORY)
    return compare(op, s.a["summary"]["files"], FILES_OF_MEMBERS.get(s.case, int(value)))


class SKIP(str):
    """A fact that holds no answer here, and why."""


def record(s, op, value):
    r = s.package().get("record")
    if r is None:
        return "no record"
    got = ["%s:%s" % (n.replace(",", "\\x2c"), p) for k, p in (("missing", "absent"), ("unlisted", "unlisted"), ("size_differs", "size"), ("hash_differs", "hash"))
           for n in r.get(k, [])]
    if value == "ok":
        return compare("=", got, [])
    want = items(value)
    for name, problem in (w.rsplit(":", 1) for w in want if w.endswith((":weak", ":no-hash"))):
        if not s.mentions(name):
            return "no row says that %s is %s" % (name, problem)
    want = [w for w in want if not w.endswith((":weak", ":no-hash"))]
    return compare(op, sorted(got), sorted(want))


def one_object(s, op, value):
    path, *facts = value.split(" ")
    found = [o for o in s.objects if o["path"] == path]
    if not found:
        return "objects: %s" % shorten([o["path"] for o in s.objects])
    for fact in facts:
        key, want = fact.split("=", 1)
        elf = found[0].get("elf", {})
        got = ",".join(elf.get("needed", [])) if key == "needed" else elf.get(key.replace("verdef.base", "verdef_base"))
        if got != want:
            return "%s: %s" % (key, shorten(got))
    return None


def requires(s, op, value):
    got = [r["name"] for r in s.package().get("requires", [])]
    return compare(op, got if op == ">=" else sorted(got), sorted(items(value)))


def declares(s, op, value):
    got = ["/".join(d.get(k, "") for k in ("backend", "by", "value")) for d in s.package().get("declares", [])]
    # An extra or a requirement may declare more; `none` is none at all.
    if value == "none":
        return compare("=", got, [])
    return None if any(g == value or g.startswith(value + "/") for g in got) else "found %s" % got


def overlap(s, op, value):
    """Members whose bytes another one has, too: a row may stand for more like it."""
    rows = s.mentions("its bytes belong to another member")
    more = [re.search(r"\(and (\d+) more like it\)", r["reason"]) for r in rows]
    return compare(op, sum(1 + int(m.group(1)) if m else 1 for m in more), int(value))


def message(s, op, value):
    text = (s.stderr + " ".join(p.get("reason", "") for p in s.problems)).lower()
    return None if value.lower() in text else "no such word in '%s'" % text.strip()


def control(s, op, value):
    bad = [c for c in s.stdout + s.stderr if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0]
    return None if len(bad) == int(value) else "found %s" % bad[:10]


def solid_names(s):
    return sorted(o["path"] for o in s.solid["objects"] if not o["path"].startswith("hidden-local!/"))


def files(s, op, value):
    return compare(op, solid_names(s), sorted(items(value)))


def one_reading(s, op, value):
    """Two readers see two archives: what is shown is what one of them sees."""
    readings = [items(v) for k, _, v in s.facts if k.startswith("files.")]
    return None if solid_names(s) in readings else "found %s" % solid_names(s)


def sizes(s, op, value):
    """Seen in the sum, when the table has the size of every file."""
    return compare("=", s.a["summary"]["bytes"], sum(int(v) for k, _, v in s.facts if k.startswith("size.")))


def links(s, op, value):
    """No file, though all files were filled; where it leads is not told."""
    there = [n for n in items(value) if n.split("->")[0] in solid_names(s)]
    return "files: %s" % there if there else None


def hidden_local(s, op, value):
    there = [o["path"] for o in s.solid["objects"]]
    return mention(s, op, value) or (None if "hidden-local!/" + value in there else "its bytes were not looked at: %s" % there)


def finding(s, op, value):
    has = s.findings(value)
    return SKIP("postern has no finding '%s' yet" % value) if has is None else None if has else "not found"


def opened(s, op, value):
    seen = s.opened()
    return seen if isinstance(seen, SKIP) else None if seen[0] and not seen[1] else "outside: %s" % seen[1]


def mention(s, op, value):
    return None if s.mentions(value) else "no problem row names it: %s" % shorten(s.problems)


def outside(s, op, value):
    bad = [o["path"] for o in s.objects if o["path"].startswith("/") or ".." in o["path"].split("/")]
    return compare("=", bad, [])


FACTS = {
    "needed": elf_list("needed"),
    "verneed": elf_list("verneed"),
    "verdef": elf_list("verdef"),
    "soname": elf_field("soname"), "rpath": elf_field("rpath"), "runpath": elf_field("runpath"),
    "machine": elf_field("machine"), "class": elf_field("class"), "endian": elf_field("endian"), "type": elf_type,
    "needed.count": lambda s, op, v: compare(op, len(s.elf().get("needed", [])), int(v)),
    "needed.first": lambda s, op, v: compare(op, s.elf().get("needed", [None])[0], v),
    "needed.last": lambda s, op, v: compare(op, s.elf().get("needed", [None])[-1], v),
    "needed.all": lambda s, op, v: compare(op, sorted(set(s.elf().get("needed", []))), [v]),
    "needed.bytes": lambda s, op, v: compare(op, sum(map(len, s.elf().get("needed", []))), int(v)),
    "needed.not": lambda s, op, v: "is there" if v in s.elf().get("needed", []) else None,
    "runpath.bytes": lambda s, op, v: compare(op, len(s.elf().get("runpath", "")), int(v)),
    "runpath.parts": lambda s, op, v: compare(op, len(s.elf().get("runpath", "").split(":")), int(v)),
    "faults": lambda s, op, v: compare(op, sum(len(o.get("faults", [])) for o in s.objects), int(v)),
    "objects": lambda s, op, v: compare(op, sum(o["type"] in ("elf", "archive") for o in s.objects), int(v)),
    "evidence": evidence, "dlopen": dlopen,
    "evidence.needed": lambda s, op, v: compare(op, sum(e["kind"] == "needed" for e in s.evidence), int(v)),
    "static-runtime": lambda s, op, v: compare(">=", [e["value"] for e in s.evidence if e["kind"] == "static-runtime"], [v]),
    "rows": rows_number,
    "count": lambda s, op, v: compare(op, sum(r["count"] for r in s.rows), int(v)),
    "device_code": lambda s, op, v: compare(op, s.rows, items(v)),
    "device_code.count": lambda s, op, v: compare(op, sum(r["count"] for r in s.rows), int(v)),
    "device_code.backend": each_row("backend"), "device_code.target": unknown_target, "target": unknown_target,
    "container": each_row("container"), "declared": each_row("declared"), "isa": each_row("isa"), "toolkit": each_row("toolkit"),
    "mismatch": lambda s, op, v: compare(op, sum(r.get("mismatch", False) for r in s.rows), int(v)),
    "offset": lambda s, op, v: compare(op, min((r["offset"] for r in s.rows), default=-1), int(v)),
    "kernels": lambda s, op, v: compare(op, sum(r.get("kernels", 0) for r in s.rows), int(v)),
    "kernels.each": kernels_of(("native", "portable")), "kernels.native": kernels_of(("native",)),
    "units": lambda s, op, v: compare(op, sum(o.get("units", 0) for o in s.objects), int(v)), "unit_sets": unit_sets,
    "bare.amdgpu": lambda s, op, v: compare(op, sorted("%s:%d" % (r["target"], r["count"]) for r in s.rows if r["container"] == "amdgpu"), items(v)),
    "unknown.kind": lambda s, op, v: None if any(v in r["target"] for r in s.rows) else mention(s, op, v),
    "members": members, "record": record, "object": one_object, "requires": requires, "declares": declares,
    "requires.not": lambda s, op, v: "is there" if v in [r["name"] for r in s.package().get("requires", [])] else None,
    "requires.count": lambda s, op, v: compare(op, len(s.package().get("requires", [])), int(v)),
    "requires.x.applies": lambda s, op, v: compare(op, [r.get("applies", "absent") for r in s.package().get("requires", []) if r["name"] == "x"], [v]),
    "package": lambda s, op, v: compare(op, s.package().get("id"), v),
    "tags": lambda s, op, v: compare(op, s.package().get("tags"), items(v)),
    "purelib": lambda s, op, v: compare(op, str(s.package().get("purelib")).lower(), v),
    "variant": lambda s, op, v: compare(op, s.package().get("variant"), v),
    "world": lambda s, op, v: compare(op, s.a.get("world"), v), "kind": lambda s, op, v: compare(op, s.a.get("kind"), v),
    "level.cuda": lambda s, op, v: compare(op, [b["level"] for b in s.a["summary"]["backends"] if b["backend"] == "cuda"], [v]),
    "path": lambda s, op, v: compare(op, sorted(p.get("path", "") for p in s.a["incomplete"]), items(v)),
    "files": files, "files.zipfile": one_reading, "files.libzip": one_reading, "size.a": sizes, "size.b": sizes, "links": links,
    "hidden-local": hidden_local, "archives": lambda s, op, v: mention(s, op, "two archives"), "check": finding, "later": finding, "opened": opened,
    "duplicate": mention, "prefix": mention, "trailing": mention, "reason": mention, "overlap": overlap,
    "message": message, "raw.control.bytes": control, "outside": outside,
}


def known(key, image=False):
    if image and (key in expected_images.FACTS or key in expected_images.LATER):
        return True
    return key in FACTS or key in LATER_FACTS or key in FORMS or "|" in key


def check(said, key, op, value):
    """None when the fact holds, SKIP, or what was found instead."""
    if said.image and key in expected_images.LATER:
        return SKIP(expected_images.LATER[key])
    if said.image and key in expected_images.FACTS and (key, op) != ("steps", "<="):
        return expected_images.FACTS[key](said, op, value)
    if key in LATER_FACTS:
        return SKIP(LATER_FACTS[key])
    if "|" in key or key in FORMS:
        return rows_fact(said, key, op, value)
    return FACTS[key](said, op, value)
