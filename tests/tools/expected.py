#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every case of a table of tests/fixtures/expected against the program.

usage: expected.py [--seconds N] [--megabytes N] [-j N] [--only PATTERN] POSTERN TABLE FOLDER

For each case: scan at -j0, -j1 and -j8 as JSON must give the same bytes and the table's answer, exit status, id and facts;
text and `targets` must agree in exit status. No signal, no sanitizer report, no run longer than --seconds, nothing written,
every JSON valid by its schema. The last line is `N passed, N failed, N skipped`, counted in cases and facts left out.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import zipfile

import expected_facts
import expected_images
import schema_check
import solid_image
import syscalls

STATUS = {"read": (0,), "anomaly": (0,), "incomplete": (3,), "refused": (3,)}
REPORTS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error", "UndefinedBehaviorSanitizer", "Assertion")
VALIDATORS = {}
HASHED_A_SECOND = 1 << 29  # SHA-256 of a 5.4 GB file, holes included, has to be allowed for; of small files it is nothing


class Wrong(Exception):
    pass


def listing(folder):
    return sorted((os.path.join(d, n), os.lstat(os.path.join(d, n)).st_mtime_ns) for d, _, names in os.walk(folder) for n in names)


def run(options, arguments):
    """(exit status, stdout, stderr) of one call in an empty folder that must stay empty."""
    with tempfile.TemporaryDirectory(prefix="postern-") as empty:
        env = {"PATH": os.environ["PATH"], "HOME": empty, "TMPDIR": empty, "LC_ALL": "C.UTF-8"}
        env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
        try:
            size = os.path.getsize(arguments[-1]) if os.path.exists(arguments[-1]) else 0
            seconds = options.seconds + size // HASHED_A_SECOND
            r = subprocess.run([options.postern] + arguments, cwd=empty, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Wrong("postern %s: longer than %d s" % (" ".join(arguments), seconds))
        left = os.listdir(empty)
    out, err = r.stdout.decode("utf-8", "surrogateescape"), r.stderr.decode("utf-8", "surrogateescape")
    if r.returncode < 0 or r.returncode == 4 or any(t in err for t in REPORTS):
        raise Wrong("postern %s: exit %d\n%s" % (" ".join(arguments), r.returncode, err[-3000:]))
    if left:
        raise Wrong("wrote %s" % left)
    return r.returncode, out, err


def document(text):
    errors = schema_check.check("JSON", text.encode("utf-8", "surrogateescape"), VALIDATORS)
    if errors:
        raise Wrong("; ".join(errors[:3]))
    return json.loads(text)


def answer_wrong(answer, ids, status, artifact):
    """Why exit status and problem rows are not the table's answer, or None."""
    incomplete, anomalies = artifact.get("incomplete", []), artifact.get("anomalies", [])
    rows = {"read": [], "anomaly": anomalies, "incomplete": incomplete, "refused": incomplete}[answer]
    if status not in STATUS[answer]:
        return "exit %d, problems %s" % (status, expected_facts.shorten(incomplete + anomalies))
    if artifact.get("complete") is not (status == 0):
        return "complete is %s" % artifact.get("complete")
    if answer == "read" and anomalies + artifact.get("ambiguous", []):
        return "anomalies %s" % expected_facts.shorten(anomalies)
    if answer in ("read", "anomaly") and incomplete:
        return "incomplete %s" % expected_facts.shorten(incomplete)
    for wanted in filter(None, ids.split(",")):
        if wanted == "layer-merge-ambiguous" and artifact.get("ambiguous"):
            continue
        # What is odd stands among the anomalies, also of an artifact that is incomplete by something else.
        among = anomalies if wanted == "archive-malformed" and not any(r["id"] == wanted for r in rows) else rows
        if not any(r["id"] == wanted or r.get("limit") == wanted or (r["id"] == "scan-incomplete" and wanted in r["reason"]) for r in among):
            return "no %s in %s" % (wanted, expected_facts.shorten(rows))
    return None


class Tools:
    """What else a fact can ask of the program about a case."""

    def __init__(self, options, case, args):
        self.options, self.path, self.args = options, os.path.join(options.folder, case), args

    def rows_of(self, name):
        return rows_of(self.options, os.path.join(self.options.folder, name))

    def findings(self, name):
        """Whether `postern check` without a policy has this finding; None when postern has none of that name."""
        if run(self.options, ["rules", name])[0] != 0:
            return None
        result = document(run(self.options, ["check", "-f", "json"] + self.args + [self.path])[1])
        return any(f["id"] == name for a in result["artifacts"] for f in a["findings"])

    def opened(self):
        """(files opened in the case, others that no harmless archive opens or no worker may, network calls), or SKIP where
        nobody can look."""
        scan = [self.options.postern, "scan", "-j1"]
        with tempfile.NamedTemporaryFile(prefix="postern-") as harmless:
            zipfile.ZipFile(harmless, "w").writestr("a", "x")
            always = syscalls.trace(scan + [harmless.name], harmless.name)
        seen = syscalls.trace(scan + self.args + [self.path], self.path)
        if not always or not seen:
            return expected_facts.SKIP("needs strace")
        own = re.compile(r"^/proc/\d+/")  # each process has a folder there
        harmless = {own.sub("", f) for f in always[1]}
        return seen[0], [f for f in seen[1] if own.sub("", f) not in harmless] + always[2] + seen[2], seen[3]


def solid(options, case, facts, answer, args):
    """The inventory of the case with an ELF file in the place of every file, where the table says what its tree is."""
    filled = os.path.join(options.folder + ".solid", case)
    if os.path.exists(filled):
        return document(run(options, ["scan", "-f", "json"] + args + [filled])[1])["artifacts"][0]
    tells = {"files", "tree", "hidden", "visible", "links", "gone", "replaced"}
    path = os.path.join(options.folder, case)
    simple = options.table_name != "hostile-images" or case in expected_images.SIMPLE_HOSTILE
    if not options.images or not simple or not os.path.isdir(path) or answer == "refused" or args or not tells & {k for k, _, _ in facts}:
        return None
    with tempfile.TemporaryDirectory(prefix="postern-solid-") as top:
        try:
            solid_image.make(path, os.path.join(top, "image"))
        except (solid_image.NotSimple, KeyError, OSError):
            return None
        return document(run(options, ["scan", "-f", "json", os.path.join(top, "image")])[1])["artifacts"][0]


def try_call(options, case, answer, ids, what, args):
    """Lists of what is wrong and of facts left out, for one call."""
    path = os.path.join(options.folder, case)
    facts = expected_facts.parse(what)
    scan = ["scan", "-f", "json"] + args
    status, out, err = run(options, scan + ["-j1", path])
    for jobs in ("-j0", "-j8"):
        if run(options, scan + [jobs, path])[:2] != (status, out):
            return ["%s: other bytes than -j1" % jobs], []
    if not out:
        return ["exit %d, no inventory: %s" % (status, err.strip())], []
    artifact = document(out)["artifacts"][0]
    chosen = [a for a in args if a != "--verify"]
    text = run(options, ["scan", "-f", "text"] + args + [path])
    targets = run(options, ["targets", "-f", "json"] + chosen + [path])
    targets_text = run(options, ["targets"] + chosen + [path])
    others = [("text", text)] + [("targets", targets), ("targets text", targets_text)] * (chosen == args)
    wrong = ["%s: exit %d, json has %d" % (n, r[0], status) for n, r in others if r[0] != status]
    if targets[1]:
        document(targets[1])
    said = expected_facts.Said(case, artifact, out + text[1] + targets_text[1], err + text[2],
                               Tools(options, case, args), facts, options.images, options.folder, solid(options, case, facts, answer, args))
    problem = answer_wrong(answer, ids, status, artifact)
    if problem:
        wrong.append("answer is not '%s': %s" % (answer, problem))
    left_out = []
    for key, op, value in facts:
        problem = expected_facts.check(said, key, op, value)
        if isinstance(problem, expected_facts.SKIP):
            left_out.append("%s (%s)" % (key, problem))
        elif problem:
            wrong.append("%s%s%s: %s" % (key, op, expected_facts.shorten(value), problem))
    return wrong, left_out


def try_case(options, case, answer, ids, what):
    wrong, left_out = [], []
    for args in expected_facts.arguments(what):
        more, left_out = try_call(options, case, answer, ids, what, args)
        wrong += more
    bare = expected_facts.without_arguments(what)
    if bare:
        status, out, err = run(options, ["scan", os.path.join(options.folder, case)])
        if status != bare[0] or not all(re.search(r"\b%s\b" % name, err) for name in bare[1]):
            wrong.append("without arguments: exit %d, said '%s'" % (status, err.strip()))
    return wrong, left_out


def survives(options, case):
    """A case whose answer needs a later reader: no harm, and the same bytes each time."""
    path = os.path.join(options.folder, case)
    if os.path.exists(path):
        said = [run(options, ["scan", "-f", "json", jobs, path])[:2] for jobs in ("-j0", "-j1", "-j8")]
        document(said[0][1])
        if said != said[:1] * 3:
            raise Wrong("-j0, -j1 and -j8 give other bytes")


def rows_of(options, path):
    artifact = document(run(options, ["scan", "-f", "json", path])[1])["artifacts"][0]
    rows = [r for o in artifact["objects"] for r in o.get("device_code", [])]
    if not rows:
        raise Wrong("no rows in %s" % path)
    return rows


def rows_of_table(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    return [line.split("\t")[:4] for line in lines[1:] if line]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=int, default=5)
    p.add_argument("--only", default="*", help="cases whose name matches")
    p.add_argument("-j", type=int, default=1)
    p.add_argument("--megabytes", type=int, default=0, help="most resident memory of one process")
    p.add_argument("postern", type=os.path.abspath)
    p.add_argument("table")
    p.add_argument("folder", type=os.path.abspath)
    options = p.parse_args()
    options.table_name = os.path.basename(options.table)[len("make-"):-len(".tsv")]
    options.images = options.table_name in ("images", "ambiguous", "hostile-images")
    rows = [r for r in rows_of_table(options.table) if fnmatch.fnmatchcase(r[0], options.only)]
    if not rows:
        sys.exit("no cases")
    if not os.path.isdir(options.folder) or not os.listdir(options.folder):
        print("skipped: %s was not made" % options.folder)
        sys.exit(77)
    strange = [(row[0], key) for row in rows for key, _, _ in expected_facts.parse(row[3]) if not expected_facts.known(key, options.images)]
    if strange:
        sys.exit("no such fact: %s" % strange)
    before = listing(options.folder)
    count = {"passed": 0, "failed": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        def one(row):
            reason = expected_facts.left_out_case(row[0], row[3], os.path.exists(os.path.join(options.folder, row[0])))
            try:
                if reason:
                    survives(options, row[0])
                    return [], ["the case (%s)" % reason], True
                return try_case(options, *row) + (False,)
            except Wrong as e:
                return [str(e)], [], False
        for row, (wrong, left_out, whole) in zip(rows, pool.map(one, rows)):
            name = row[0]
            for w in wrong:
                print("FAIL %s: %s" % (name, w))
            for reason in left_out:
                print("skipped: %s: %s" % (name, reason))
            count["skipped"] += len(left_out)
            count["failed" if wrong else "passed"] += not whole
    if listing(options.folder) != before:
        print("FAIL: the inputs were changed")
        count["failed"] += 1
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print("%slargest process: %d MB" % ("FAIL: " if 0 < options.megabytes < peak else "", peak))
    count["failed"] += 0 < options.megabytes < peak
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % count)
    sys.exit(count["failed"] != 0)


if __name__ == "__main__":
    main()
