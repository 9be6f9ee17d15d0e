#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""selftest_bench.py POSTERN READ_HEADS INFLATE_MEMBERS: scripts/bench can fail, its sums are right, its measures see what they must."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import bench
import figures
import inputs
import instructions
import measure
import rows
import tables
from measure import Command

PYTHON = sys.executable
HOLD = "import os, time; b = bytearray(64 << 20); b[::4096] = b'x' * len(b[::4096]); "
MIB = 1 << 20


def raises(kind, function, *arguments):
    try:
        function(*arguments)
    except kind as e:
        return str(e) or "yes"
    return ""


def test_sums(scratch):
    yield figures.ratios([2, 6, 3], [1, 2, 3]) == (2, 1, 3), "ratios are taken round by round, not of the medians"
    yield raises(ValueError, figures.ratios, [1], [1, 2]), "rounds without a partner"
    yield figures.reaches(0.75, 0.75) and figures.reaches(0.7549, 0.75) and not figures.reaches(0.7551, 0.75), "a figure is held to what is printed"
    yield figures.wheel_goal([80, 20]) == 0.9, "the largest member bounds a wheel"
    yield figures.wheel_goal([30, 30, 40]) == 0.6, "two workers bound a wheel"
    yield figures.wheel_goal([7]) == 1.1, "one member is not shared"
    yield figures.noise([2, 3, 4]) == 2, "noise"


def test_measures(scratch):
    cost = measure.run(Command([[["head", "-c", "100000", "/dev/zero"], ["cat"]]], reads=True))
    yield cost.output == 100000 and cost.written == 0, "what goes through a pipe is read and not written"
    yield "exit status 1" in raises(measure.Failed, measure.run, Command([[["false"]]])), "a command that fails"
    yield raises(measure.Failed, measure.run, Command([[["false"], ["cat"]]], reads=True)), "a command that fails inside a pipeline"
    burn = measure.run(Command([[["sh", "-c", f"{PYTHON} -c 'import time\nwhile time.process_time() < 0.3: pass'; true"]]]))
    yield burn.cpu >= 0.3, "processor time of a process below"
    alone = measure.run(Command([[["sh", "-c", f"{PYTHON} -c \"{HOLD} time.sleep(0.8)\"; true"]]]), sampled=True)
    yield 64 * MIB <= alone.peak < 110 * MIB and alone.samples > 3, f"memory of a process below: {alone.peak}"
    shared = measure.run(Command([[[PYTHON, "-c", HOLD + "os.fork(); time.sleep(0.8)"]]]), sampled=True)
    yield 64 * MIB <= shared.peak < 110 * MIB, f"memory that two processes share counts once: {shared.peak}"
    if subprocess.run(["stat", "-f", "-c", "%T", scratch], capture_output=True, text=True, check=True).stdout.strip() not in ("tmpfs", "overlayfs"):
        cost = measure.run(Command([[["sh", "-c", f"head -c 1000000 /dev/zero > '{scratch}/written'; true"]]]))
        yield cost.written >= 1000000, f"bytes that a process below writes: {cost.written}"
    if not measure.can_trace():
        print("skipped: strace cannot be used here")
        return
    yield measure.opened_for_writing(Command([[["sh", "-c", f"(touch '{scratch}/made'); true"]]])), "a file that is made"
    yield measure.opened_for_writing(Command([[["mkdir", f"{scratch}/folder"]]])), "a folder that is made"
    yield measure.opened_for_writing(Command([[["sh", "-c", "cat /etc/passwd > /dev/null"]]])) == [], "reading is not writing"


def test_yardsticks(scratch, read_heads, inflate_members):
    folder = pathlib.Path(scratch, "tree")
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/x").write_bytes(b"\x7fELF" + bytes(100))
    (folder / "y").write_bytes(b"")
    (folder / "z").symlink_to("a/b/x")
    (folder / "loop").symlink_to("a")
    said = subprocess.run([read_heads, folder], capture_output=True, text=True, check=True).stdout
    yield said == "2 files, 1 ELF\n", f"read_heads: {said}"
    yield subprocess.run([read_heads, folder / "none"], capture_output=True, check=False).returncode == 1, "a folder that is not there"
    program, wheel, members = b"\x7fELF" + os.urandom(1 << 19) + bytes(1 << 20), folder / "a.whl", folder / "list"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in (("a.py", b"pass\n" * 9), ("a.so", program), ("b.so", program[:2000])):
            z.writestr(name, data)
    found = inputs.elf_members(wheel)
    with zipfile.ZipFile(wheel) as z:
        yield [size for _, size in found] == [m.compress_size for m in z.infolist()[1:]], "ELF members of a wheel"
    members.write_text("".join(f"{o} {s}\n" for o, s in found), encoding="ascii")
    times = subprocess.run([inflate_members, "-t", wheel, members], capture_output=True, text=True, check=True).stdout.split()
    yield len(times) == 2 and int(times[0]) > int(times[1]), "a time a member"
    for wrong, line in (("cut off", f"{found[0][0]} {found[0][1] // 2}\n"), ("no deflate", f"{found[0][0] - 7} {found[0][1]}\n")):
        members.write_text(line, encoding="ascii")
        done = subprocess.run([inflate_members, wheel, members], capture_output=True, text=True, check=False)
        yield done.returncode == 1 and wrong in done.stderr, f"a member that is {wrong}"


def missing(have, tools):
    raise inputs.Missing("no such input")


def a_row(name, unit, goal, prepare):
    return rows.Row(name, "what", "beside", unit, goal, prepare)


SLOW, QUICK, BROKEN = (Command([[["sleep", seconds]]]) for seconds in ("0.6", "0.01", "much"))


def test_rows(scratch, build):
    made = [a_row("slow", "ratio", 1.1, lambda h, t: (SLOW, QUICK)), a_row("quick", "ratio", 1.1, lambda h, t: (QUICK, SLOW)),
            a_row("own-goal", "ratio", None, lambda h, t: (SLOW, QUICK, 1000)), a_row("not-there", "ratio", 1.1, missing),
            a_row("large", "MiB", 10, lambda h, t: Command([[[PYTHON, "-c", HOLD + "time.sleep(0.8)"]]])),
            a_row("small", "MiB", 10, lambda h, t: SLOW), a_row("reads", "bytes", 0, lambda h, t: [QUICK]),
            a_row("writes", "bytes", 0, lambda h, t: [Command([[["touch", f"{scratch}/by-row"]]])]),
            a_row("broken", "ratio", 1.1, lambda h, t: (BROKEN, QUICK))]
    bench.rows.rows = lambda have, quick: made
    page, figures_file = pathlib.Path(scratch, "page.md"), pathlib.Path(scratch, "figures.json")

    def run(*arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = bench.main(["--images", scratch, "--build", build, "--rounds", "1", *arguments])
        return status, out.getvalue()

    page.write_text(f"# before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n", encoding="utf-8")
    status, said = run("--json", str(figures_file), "--markdown", str(page))
    result = {r["name"]: r for r in json.loads(figures_file.read_text(encoding="utf-8"))["rows"]}
    wanted = {"slow": False, "quick": True, "own-goal": True, "large": False, "small": True, "reads": True}
    yield {n: result[n].get("ok") for n in wanted} == wanted, f"verdicts: {said}"
    yield result["writes"]["ok"] is not measure.can_trace(), "a file of no bytes is written, too"
    yield result["not-there"]["skipped"] == "no such input" and "skipped: no such input" in said, "a skipped row is named"
    yield status == 1 and "failed: sleep much" in said, "a command that fails, fails the run"
    yield result["own-goal"]["goal"] == 1000 and result["slow"]["least"] > 2, "goals and spreads"
    text = page.read_text(encoding="utf-8")
    yield text.startswith("# before\n") and text.endswith(f"{tables.END}\nafter\n") and "old" not in text, "only the marked part of a page is replaced"
    yield "falls short" in text and "`not-there` was skipped: no such input" in text, "the page says what was not reached"
    yield run("--only", "quick,own-*")[0] == 0 and run("--only", "quick", "--strict")[0] == 0, "what is reached"
    yield run("--only", "slow")[0] == 0 and run("--only", "slow", "--strict")[0] == 1, "--strict"
    yield run("--only", "not-there", "--strict")[0] == 1, "--strict, skipped"
    with contextlib.redirect_stderr(io.StringIO()) as err:
        yield raises(SystemExit, run, "--only", "nothing") == "2" and "no row 'nothing'" in err.getvalue(), "a row that there is not"


CALLGRIND = """ob=(1) /bin/ours
fn=(1) main
10 5
+3 7
cob=(2) /lib/libc.so.6
cfn=(2) memcpy
calls=1 0
12 1000
ob=(2)
fn=(2)
0 300
ob=(1)
fn=(3) more
* 11"""


def test_instructions(scratch):
    yield instructions.own_instructions(CALLGRIND.splitlines(), "/bin/ours") == 23, "only what was executed in the program counts"
    yield instructions.own_instructions(CALLGRIND.splitlines(), "/lib/libc.so.6") == 300, "what is called counts once, at its own place"
    then = ("digest", "compiler", 1000)
    for number, verdict, word in ((1000, "passed", "+0.0 %"), (1050, "passed", "+5.0 %"), (1051, "failed", "5 % more are allowed"),
                                  (951, "passed", "-4.9 %"), (949, "passed", "commit the better number")):
        said = instructions.judge("input", ("digest", number), then)
        yield said[0] == verdict and word in said[1], f"{number} of 1000: {said}"
    yield instructions.judge("input", ("other", 1000), then)[0] == "skipped", "other bytes have other numbers"


def main():
    postern, read_heads, inflate_members = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        scratch = os.path.abspath(scratch)
        for test, more in ((test_sums, ()), (test_measures, ()), (test_yardsticks, (read_heads, inflate_members)),
                           (test_rows, (os.path.dirname(postern),)), (test_instructions, ())):
            for right, what in test(scratch, *more):
                failed += not right
                print("" if right else f"FAILED {test.__name__}: {what}\n", end="")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
