# SPDX-License-Identifier: Apache-2.0
"""scripts/bench: postern beside yardsticks, in turn, in one run.

Builds the release, makes what is measured where it is not there yet, and prints a line a row: the ratio to the yardstick (taken round by
round; median, least, most), the goal, wall and processor time, peak memory and bytes written. What cannot be measured here is
named as skipped. Exit status: 0 measured, 1 something failed (with --strict also: falls short or skipped), 2 wrong use.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import figures
import inputs
import measure
import rows
import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "postern" / "images"


def parser():
    p = argparse.ArgumentParser(prog="bench", description=__doc__.partition("\n\n")[2], formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--images", metavar="DIR", type=pathlib.Path, default=CACHE,
                   help="where layers, wheels and images lie, or are made and kept: 13 GB, with --quick 1 GB (default: the cache of scripts/test)")
    p.add_argument("--only", metavar="ROW,...", help="measure these rows; * stands for anything, as in 'wheel-j2:*'")
    p.add_argument("--list", action="store_true", help="name the rows and end")
    p.add_argument("--rounds", metavar="N", type=int, help="rounds after one that warms the file cache (default 7; with --quick 3)")
    p.add_argument("--quick", action="store_true", help="the small image (Debian only), a tenth of the files, two wheels, no large libraries")
    p.add_argument("--offline", action="store_true", help="download nothing; what is not there is skipped")
    p.add_argument("--build", metavar="DIR", type=pathlib.Path, help="measure what is built there, instead of building build/release")
    p.add_argument("--json", metavar="FILE", help="write every run's figures")
    p.add_argument("--markdown", metavar="FILE", help="write tables; a page that has the marks gets them between the marks")
    p.add_argument("--strict", action="store_true", help="exit status 1 when a row falls short of its goal or is skipped")
    return p


def build():
    """build/release, as everybody builds it."""
    for command in ([str(ROOT / "scripts/setup"), "tests"], ["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release", "-j", str(os.cpu_count())]):
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(f"bench: '{' '.join(command)}' failed:\n{done.stdout.decode(errors='replace')[-3000:]}")
    return ROOT / "build/release"


def refuse(text):
    print(f"bench: {text}", file=sys.stderr)
    sys.exit(2)


def version(*argv):
    """What a program calls its version."""
    name = os.path.basename(argv[0])
    if not shutil.which(argv[0]):
        return f"no {name}"
    out = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False).stdout
    number = re.search(rb"\d+\.\d[\w.]*", out)
    return f"{name} {number[0].decode()}" if number else name


def say(text):
    """Progress, for people only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measured_ratio(row, ours, theirs, rounds):
    """Both in turn, so often; the first round only warms the file cache."""
    sides = {"postern": [], "beside": []}
    for turn in range(rounds + 1):
        for side, command in (("beside", theirs), ("postern", ours)):
            say(f"{row.name}: round {turn} of {rounds}, {side}")
            cost = measure.run(command)
            if turn:
                sides[side].append(cost)
    say("")
    walls = {side: [c.wall for c in costs] for side, costs in sides.items()}
    middle, least, most = figures.ratios(walls["postern"], walls["beside"])
    noise = figures.noise(walls["beside"])
    watched = measure.run(ours, sampled=True)
    return {"value": middle, "least": least, "most": most, "peak": watched.peak, "samples": watched.samples,
            "written": max(c.written for c in sides["postern"] + [watched]),
            **{side: {"command": str(command), "wall": statistics.median(walls[side]), "cpu": statistics.median(c.cpu for c in sides[side]),
                      "walls": walls[side], "cpus": [c.cpu for c in sides[side]]} for side, command in (("postern", ours), ("beside", theirs))},
            "notes": [f"noisy: the yardstick's slowest run took {noise:.2f} times its quickest"] * (noise > figures.NOISY)}


def measured_peak(ours, rounds):
    runs = [measure.run(ours, sampled=True) for _ in range(min(rounds, 3))]
    most = max(runs, key=lambda c: c.peak)
    return {"value": most.peak, "peak": most.peak, "samples": most.samples, "written": max(c.written for c in runs), "notes": [],
            "postern": {"command": str(ours), "wall": most.wall, "cpu": most.cpu}}


def measured_written(commands):
    """The kernel's count, and who opened what: a file in memory is not in the count."""
    runs = [measure.run(c, sampled=True) for c in commands]
    opened = [measure.opened_for_writing(c) for c in commands]
    if None in opened:
        notes = ["not looked at which files are opened for writing: strace cannot be used here"]
    else:
        lines = sum(opened, [])
        notes = lines[:5] or [f"no file is opened for writing, made, changed or removed in {len(commands)} scans (strace)"]
    return {"value": sum(c.written for c in runs), "peak": max(c.peak for c in runs), "written": sum(c.written for c in runs),
            "opened": opened, "notes": notes, "postern": {"command": " ; ".join(map(str, commands)), "wall": sum(c.wall for c in runs),
                                                          "cpu": sum(c.cpu for c in runs)}}


def measured(row, have, tools, rounds):
    """The row's figures, or why there are none."""
    result = {"name": row.name, "what": row.what, "yardstick": row.yardstick, "unit": row.unit, "goal": row.goal}
    try:
        prepared = row.prepare(have, tools)
        if row.unit == "ratio":
            ours, theirs, *goal = prepared
            result["goal"] = goal[0] if goal else row.goal
            result |= measured_ratio(row, ours, theirs, rounds)
            result["ok"] = figures.reaches(result["value"], result["goal"])
        elif row.unit == "MiB":
            result |= measured_peak(prepared, rounds)
            result["ok"] = result["value"] <= row.goal * rows.MEBIBYTE
        else:
            result |= measured_written(prepared)
            result["ok"] = result["value"] <= row.goal and not any(result["opened"])
    except inputs.Missing as e:
        result["skipped"] = str(e)
    return result


def chosen(have, options):
    every = list(rows.rows(have, options.quick))
    if not options.only:
        return every
    wanted = options.only.split(",")
    for pattern in wanted:
        if not any(fnmatch.fnmatchcase(r.name, pattern) for r in every):
            refuse(f"no row '{pattern}'; --list names them")
    return [r for r in every if any(fnmatch.fnmatchcase(r.name, pattern) for pattern in wanted)]


def main(arguments=None):
    options = parser().parse_args(arguments)
    rounds = options.rounds if options.rounds is not None else 3 if options.quick else 7
    if rounds < 1:
        parser().error("--rounds must be 1 or more")
    for path in filter(None, (options.json, options.markdown)):
        if not os.access(path if os.path.exists(path) else os.path.dirname(path) or ".", os.W_OK):
            refuse(f"cannot write '{path}'")
    have = inputs.Inputs(options.images, options.quick, options.offline)
    todo = chosen(have, options)
    if options.list:
        print("\n".join(f"{r.name:30} {r.what}" for r in todo))
        return 0
    at = (options.build or build()).absolute()
    tools = rows.Tools(*(str(at / name) for name in ("postern", "tests/read_heads", "tests/inflate_members")))
    for tool in vars(tools).values():
        if not os.access(tool, os.X_OK):
            refuse(f"no '{tool}': build it with its tests")
    run = {"version": version(tools.postern, "--version"), "rounds": rounds, "processors": len(os.sched_getaffinity(0)),
           "interval_ms": round(measure.INTERVAL * 1000), "load_before": os.getloadavg()[0], "quick": options.quick,
           "tools": [version("igzip", "--version"), version("zstd", "--version"), version("openssl", "version")], "rows": []}
    print(tables.setting(run), flush=True)
    failed = False
    for row in todo:
        try:
            result = measured(row, have, tools, rounds)
        except measure.Failed as e:
            result, failed = {"name": row.name, "what": row.what, "unit": row.unit, "skipped": f"failed: {e}"}, True
        run["rows"].append(result)
        print(tables.line(result), flush=True)
    print(tables.summary(run))
    if options.json:
        tables.write_json(options.json, run)
    if options.markdown:
        tables.write_markdown(options.markdown, run)
    return 1 if failed or (options.strict and not all(r.get("ok") for r in run["rows"])) else 0


if __name__ == "__main__":
    sys.exit(main())
