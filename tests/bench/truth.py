# SPDX-License-Identifier: Apache-2.0
"""The rows of truth.tsv, and what plain.py found, against an artifact of an inventory."""
import collections
import fnmatch
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


class Later(str):
    """A reason why a row cannot be held yet."""


def rows(image):
    """(layer or None, path, fact, value) of an image."""
    lines = (HERE / "truth.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        whose, layer, path, fact, value = line.split("\t")
        if whose in ("both", image):
            yield None if layer == "-" else int(layer), path, fact, value


def matching(things, key, layer, pattern):
    return [t for t in things if fnmatch.fnmatchcase(t[key], pattern) and layer in (None, t.get("layer"))]


def number(what, want, got):
    return None if int(want) == got else f"{want} {what} in truth, {got} found"


def has_evidence(o, words):
    """Backend, kind, value (may be left out) and strength."""
    return any((e["backend"], e["kind"], e["strength"]) == (words[0], words[1], words[-1]) and (len(words) == 3 or e["value"] == words[2])
               for e in o["evidence"])


def of_object(o, fact, value):
    """Why an object is not what a row says, or None."""
    code = o["device_code"]
    words = value.split()
    if fact == "evidence":
        return None if has_evidence(o, words) else "no such evidence"
    if fact == "targets":
        got = sorted({d["target"] for d in code if d["form"] == "native"})
        return None if got == words else f"found {' '.join(got)}"
    if fact == "units":
        return number("units", value, o.get("units", 0))
    if fact == "images":
        return number("images", words[2], sum(d["count"] for d in code if [d["container"], d["where"]] == words[:2]))
    return number("images", words[1], sum(d["count"] for d in code if d["form"] == words[0]))


def of_level(artifact, value):
    """`mentioned` is the most that a backend may be; the others are exact."""
    backend, want = value.split()
    got = next((b["level"] for b in artifact["summary"]["backends"] if b["backend"] == backend), "")
    return None if got == want or want == "mentioned" and not got else f"it is {got or 'not there'}"


def lower_layers(artifact, plain, path, backend):
    want = sum(c.size for c in plain.elves() if c.hidden_by is not None and fnmatch.fnmatchcase(c.names[0], path))
    got = next((b["bytes"]["lower_layers"] for b in artifact["summary"]["backends"] if b["backend"] == backend), 0)
    return number("bytes", want, got) if want else "no such file is hidden"


def hold(artifact, plain, text, row):
    """None, a line about what differs, or a Later."""
    layer, path, fact, value = row
    objects = matching(artifact["objects"], "path", layer, path)
    if fact in ("evidence", "targets", "units", "images", "forms"):
        lines = [f"{o['path']}: {line}" for o in objects if (line := of_object(o, fact, value))]
        return lines[0] if lines else None if objects else "no such object"
    if fact in ("objects", "visible", "hidden"):
        return number("objects", value, sum(fact == "objects" or o["visible"] == (fact == "visible") for o in objects))
    if fact in ("package", "packages"):
        found = matching(artifact["packages"], "id", layer, path)
        if fact == "packages":
            return number("packages", value, len(found))
        return None if [p["visible"] for p in found] == [value == "visible"] else f"found {found}"
    if fact == "anomalies":
        name, want = value.split()
        return number("rows", want, sum(a["id"] == name for a in matching(artifact["anomalies"], "path", layer, path)))
    simple = {"level": lambda: of_level(artifact, value), "lower-layers": lambda: lower_layers(artifact, plain, path, value),
              "layers": lambda: number("layers", value, len(artifact["layers"])),
              "platform": lambda: None if artifact["platform"] == value else "another one",
              "env": lambda: None if artifact["config"]["env"] == [value] else f"found {artifact['config']['env']}",
              "step": lambda: None if value in [step["created_by"] for step in artifact["layers"]] else "no such step",
              "text": lambda: None if value in text else "not in the text", "later": lambda: Later("not in the inventory yet")}
    return simple[fact]()


def of_layers(artifact, plain, how):
    for i, (a, p) in enumerate(zip(artifact["layers"], plain.layers)):
        want = {"index": i, "diff_id": p.digest, "verified": True, "compression": how, "unpacked": p.bytes, "created_by": p.step, "step": i + 1}
        for key, value in want.items():
            if a.get(key) != value:
                yield f"layer {i}: {key}: '{value}' in truth, '{a.get(key)}' found"


def elf_facts(names, layer, size, visible, dynamic):
    return tuple(sorted(names)), layer, size, visible, tuple(sorted((k, str(v)) for k, v in dynamic.items()))


def of_elves(artifact, plain):
    """Every ELF file of every layer, visible or not, with what readelf says; and no other."""
    want = collections.Counter(elf_facts(c.names, c.layer, c.size, c.hidden_by is None, c.dynamic) for c in plain.elves())
    got = collections.Counter()
    for o in artifact["objects"]:
        if o["type"] == "elf":
            dynamic = {k: o["elf"][k] for k in ("needed", "soname", "rpath", "runpath") if o["elf"].get(k)}
            got[elf_facts([o["path"], *o.get("links", [])], o["layer"], o["bytes"], o["visible"], dynamic)] += 1
    yield from (f"only in the layers: {key}" for key in want - got)
    yield from (f"only found: {key}" for key in got - want)


def of_whole(artifact, plain, image):
    """Layers, files and sums; nothing may be odd that no row names, no backend above what the rows say."""
    visible = plain.visible()
    want = {"files": plain.files(), "elf": sum(c.dynamic is not None for c in visible), "bytes": sum(c.size for c in visible)}
    for key, value in want.items():
        if artifact["summary"][key] != value:
            yield f"{key}: {value} in truth, {artifact['summary'][key]} found"
    known = list(rows(image))
    odd = [path for _, path, fact, _ in known if fact == "anomalies"]
    yield from (f"odd: {a['path']}: {a['reason']}" for a in artifact["anomalies"] if not any(fnmatch.fnmatchcase(a["path"], p) for p in odd))
    levels = {value.split()[0] for _, _, fact, value in known if fact == "level"}
    yield from (f"{b['backend']} is {b['level']}" for b in artifact["summary"]["backends"] if b["backend"] not in levels and b["level"] != "mentioned")
    yield from (f"incomplete: {p['reason']}" for p in artifact["incomplete"])
    yield from (f"ambiguous: {p}" for p in artifact["ambiguous"])
