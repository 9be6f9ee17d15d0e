# SPDX-License-Identifier: Apache-2.0
"""The rows of expect/*.tsv against an artifact of an inventory, as README.md maps them."""
import collections
import re

ELF_TEXT = ("soname", "rpath", "runpath")
NATIVE = ("native", "stub", "relocatable")

# Families of symbols as the truth counted them, first match first; only those of CUDA and ROCm.
FAMILIES = {
    "cuda": [
        ("cufile", r"cuFile[A-Z]"), ("cuda-driver", r"cu[A-Z]"), ("cuda-runtime", r"(__)?cuda[A-Z]"), ("cublaslt", r"cublasLt"),
        ("cublas", r"cublas"), ("cudnn", r"cudnn"), ("cufft", r"cufft"), ("curand", r"curand"), ("cusparselt", r"cusparseLt"),
        ("cusparse", r"cusparse"), ("cusolver", r"cusolver"), ("cutensor", r"cutensor"), ("nccl", r"p?nccl[A-Z]"),
        ("nvrtc", r"nvrtc"), ("nvml", r"nvml[A-Z]"), ("nvjitlink", r"(__)?nvJitLink"), ("nvjpeg", r"nvjpeg"),
        ("npp", r"npp(i|s|Get|Set)"), ("cupti", r"cupti"), ("nvtx", r"nvtx"),
        ("nvinfer", r"createInfer"),
        ("hip", r"(__)?hip[A-Z]"), ("hiplib", r"hip(blas|fft|rand|sparse|solver|rtc)"),
        ("roclib", r"roc(blas|solver|sparse|fft|rand|alution|prim)_"), ("hsa", r"hsa_"), ("miopen", r"miopen[A-Z]"),
    ],
    "other": [
        ("hip", r"(__)?hip[A-Z]"), ("hiplibs", r"hip(blas|blaslt|sparse|sparselt|solver|fft|rand|tensor|dnn)"), ("hiprtc", r"hiprtc"),
        ("hsa", r"hsa_"), ("roclibs", r"roc(blas|solver|sparse|fft|rand|alution|prim)_"), ("miopen", r"miopen[A-Z]"),
        ("roctx", r"(roctx|roctracer_|rocprofiler_)"), ("smi", r"(rsmi|amdsmi)_"), ("nccl", r"p?nccl[A-Z]"),
        ("cuda-driver", r"cu[A-Z]"), ("cuda-runtime", r"(__)?cuda[A-Z]"),
        ("cuda-libs", r"(cublas|cudnn|cufft|curand|cusparse|cusolver|cutensor|nvrtc|nvml|nvjpeg|nvJitLink)"),
    ],
}
FAMILIES = {k: [(name, re.compile(rx)) for name, rx in v] for k, v in FAMILIES.items()}


def read(path):
    """{fact: {(path, value): count}}"""
    facts = collections.defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        name, fact, value, count, _ = line.split("\t")
        facts[fact][name, value] = int(count)
    return facts


def differences(what, want, got):
    """Lines for rows that differ: both are {key: count}."""
    for key in sorted(set(want) | set(got), key=str):
        a, b = want.get(key, 0), got.get(key, 0)
        if a != b:
            name = ": ".join(str(k) for k in key) if isinstance(key, tuple) else key
            yield f"{what}: {name}: {a} in truth, {b} found"


def elf_facts(artifact):
    for o in artifact["objects"]:
        if "elf" in o:
            for needed in o["elf"]["needed"]:
                yield "needed", o["path"], needed
            for fact in ELF_TEXT:
                if fact in o["elf"]:
                    yield fact, o["path"], o["elf"][fact]


def family_of(symbol, kind):
    return next((name for name, rx in FAMILIES[kind] if rx.match(symbol)), None)


def symbol_counts(artifact, kind):
    """({(path, family): all}, {(path, family): weak}) counted again from the names of the evidence."""
    every, weak = collections.Counter(), collections.Counter()
    for o in artifact["objects"]:
        names = {}
        for e in o["evidence"]:
            if e["kind"] == "symbol":
                for name in e["names"]:
                    names[name] = names.get(name, True) and e["strength"] == "weak"
        for name, is_weak in names.items():
            family = family_of(name, kind)
            if family:
                every[o["path"], family] += 1
                weak[o["path"], family] += is_weak
    return every, +weak


def compare(expect, kind, artifact):
    """Everything but device code."""
    lines = []
    told = {path for fact in ("needed", "machine", *ELF_TEXT) for path, _ in expect[fact]}
    got = collections.defaultdict(collections.Counter)
    for fact, path, value in elf_facts(artifact):
        if path in told:
            got[fact][path, value] = 1
    for fact in ("needed", *ELF_TEXT):
        lines += differences(fact, {k: 1 for k in expect[fact]}, got[fact])
    known = {name for name, _ in FAMILIES[kind]}
    every, weak = symbol_counts(artifact, kind)
    lines += differences("undefined", {k: n for k, n in expect["undefined"].items() if k[1] in known}, every)
    if kind == "cuda":
        lines += differences("undefined-weak", {k: n for k, n in expect["undefined-weak"].items() if k[1] in known}, weak)
    static = {(o["path"], e["value"]): 1 for o in artifact["objects"] for e in o["evidence"] if e["kind"] == "static-runtime"}
    if kind == "cuda":
        lines += differences("static-runtime", {k: 1 for k in expect["static-runtime"]}, static)
    return lines


def store_of(path, stores):
    """The store that a file or folder of the truth lies in, or is."""
    return next((s for s in stores if path == s + "/" or path.startswith(s + "/")), None)


def true_code(truths, stores):
    """The truth about device code of CUDA and ROCm, as {fact: {key: count}}."""
    want = collections.defaultdict(dict)
    below = collections.Counter()
    inner = {"native": "native", "portable": "portable", "intermediate": "intermediate", "native-nokernel": "native-nokernel",
             "native-relocatable": "native-relocatable"}
    for expect in truths:
        seen = collections.Counter()
        for fact, rows in expect.items():
            for (path, value), count in rows.items():
                if fact in inner and re.match(r"(sm_|compute_|lto_|gfx)", value):
                    store = store_of(path, stores)
                    if store and fact == "native":
                        seen[store, value] += count
                    else:
                        want[inner[fact]][path, value] = count
                elif fact == "native-bare":
                    target, where = value.split(" ")
                    want["native-bare"][path, target, where.replace("(file)", "(archive)")] = count
                elif fact == "ptx-text":
                    want["ptx-text"][path, value.split(" ")[-1]] = want["ptx-text"].get((path, value.split(" ")[-1]), 0) + count
                elif fact == "loose-file" and value.split(" ")[0] in ("cubin", "ptx"):
                    store, target = store_of(path, stores), value.split(" ")[-1]
                    if store:
                        seen[store, target] += count
                    else:
                        want["loose"][path, target.replace("sm_", "compute_") if value.startswith("ptx") else target] = count
        for key, count in seen.items():
            below[key] = max(below[key], count)
    want["store"] = dict(below)
    return want


def found_fact(o, d):
    """(fact, key) of a device-code row."""
    path, target, form = o["path"], d["target"], d["form"]
    if d["where"] == "@file" and d["container"] in ("cubin", "ptx"):
        return "loose", (path, target)
    if d["container"] == "cubin":
        # The walker calls a relocatable cubin without notes by its number alone; whether it is a, f or plain is in no byte of it.
        if form == "relocatable" and target.endswith(" (suffix unknown)"):
            target = target.split(" ")[0]
        return "native-bare", (path, target, "(archive)" if o["type"] == "archive" else d["where"])
    if d["container"] == "ptx":
        return "ptx-text", (path, d.get("isa", "-"))
    if form in NATIVE:
        return "native", (path, target)
    return (form, (path, target)) if form in ("portable", "intermediate") else ("unknown", (path, target))


def found_code(artifact):
    got = collections.defaultdict(collections.Counter)
    for o in artifact["objects"]:
        for d in o["device_code"]:
            if d["backend"] not in ("cuda", "rocm"):
                continue
            fact, key = found_fact(o, d)
            got[fact][key] += d["count"]
            if fact == "native" and d["form"] == "relocatable":
                got["native-relocatable"][key] += d["count"]
            if fact == "native" and d["form"] == "stub" and d["backend"] == "cuda":
                got["native-nokernel"][key] += d["count"]
    for s in artifact["stores"]:
        for t in s["targets"]:
            if s["backend"] in ("cuda", "rocm"):
                got["store"][s["path"], t["target"]] += t["files"]
    return got


def compare_device_code(truths, artifact):
    """Every row of the truth, and nothing besides."""
    want = true_code(truths, sorted(s["path"] for s in artifact["stores"]))
    got = found_code(artifact)
    lines = []
    for fact in sorted(set(want) | set(got)):
        lines += differences(fact, want[fact], got[fact])
    return lines
