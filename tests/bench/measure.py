# SPDX-License-Identifier: Apache-2.0
"""Runs a command and says what it cost: wall and processor time, proportional memory, bytes written, files opened for writing."""
import dataclasses
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
import time

INTERVAL = 0.01  # seconds between two looks at the memory
# Calls that make, fill or change a file; /dev/null and its like are no files.
TRACED = "open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,ftruncate,unlink,unlinkat"
OPENS = re.compile(r"(?:open|openat|openat2)\(.*?(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)")
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)")


class Failed(Exception):
    """A command that did not end as it must; the message says how."""


@dataclasses.dataclass
class Command:
    """Pipelines, one after another; each is a list of argument lists. Standard output is dropped, or read to its end and counted."""
    steps: list
    reads: bool = False

    def __str__(self):
        return " && ".join(" | ".join(shlex.join(map(str, argv)) for argv in step) for step in self.steps)


@dataclasses.dataclass
class Cost:
    wall: float
    cpu: float
    written: int
    output: int = 0
    peak: int = None
    samples: int = 0


def bytes_written():
    """What the kernel counted for this process and all that it has waited for, and so on down: bytes handed to a file system on
    a disk. Pipes do not count, nor do files in memory, which is why opened_for_writing() looks, too."""
    with open("/proc/self/io", encoding="ascii") as f:
        return int(re.search(r"^write_bytes: (\d+)", f.read(), re.M)[1])


def tree(pid):
    """The process and all below it."""
    found, todo = [], [pid]
    while todo:
        pid = todo.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
                    todo += map(int, f.read().split())
        except OSError:  # it ended meanwhile
            pass
    return found


def proportional(pid):
    """PSS of one process, in bytes: a page that N processes share counts 1/N."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
            m = re.search(r"^Pss: +(\d+) kB", f.read(), re.M)
        return int(m[1]) * 1024 if m else 0
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Sampler(threading.Thread):
    """Looks at a tree of processes again and again: the largest sum of proportional shares that was seen."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.samples, self.stop, self.wrong = pid, 0, 0, threading.Event(), None
        if not os.path.exists("/proc/thread-self/children"):
            self.wrong = "this kernel does not tell the children of a process"

    def run(self):
        while not self.stop.wait(INTERVAL):
            try:
                self.peak = max(self.peak, sum(map(proportional, tree(self.pid))))
                self.samples += 1
            except PermissionError as e:
                self.wrong = f"memory of a process cannot be looked at: {e}"

    def end(self):
        self.stop.set()
        self.join()
        if self.wrong:
            raise Failed(self.wrong)


def start(step, reads, err):
    """The processes of one pipeline."""
    running, source = [], subprocess.DEVNULL
    for i, argv in enumerate(step):
        sink = subprocess.PIPE if reads or i < len(step) - 1 else subprocess.DEVNULL
        running.append(subprocess.Popen(list(map(str, argv)), stdin=source, stdout=sink, stderr=err))
        if i:
            source.close()
        source = running[-1].stdout
    return running


def run_step(step, reads, sampled, err):
    """(processor seconds, bytes of output, sampler) of one pipeline; the last process is the one that is sampled."""
    running = start(step, reads, err)
    sampler = Sampler(running[-1].pid) if sampled else None
    if sampler:
        sampler.start()
    output = cpu = 0
    if reads:
        with running[-1].stdout as source:
            while block := os.read(source.fileno(), 1 << 20):
                output += len(block)
    for process in running:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu += used.ru_utime + used.ru_stime
    if sampler:
        sampler.end()
    for process in running:
        if process.returncode:
            said = os.pread(err, 500, 0).decode(errors="replace").strip()
            raise Failed(f"{shlex.join(process.args)}: exit status {process.returncode}: {said}")
    return cpu, output, sampler


def run(command, sampled=False):
    """Cost of one run. Sampling takes time of its own: a run that is sampled is not one to compare times by."""
    err = os.memfd_create("stderr")  # no file on a disk
    try:
        before, started = bytes_written(), time.monotonic()
        done = [run_step(step, command.reads, sampled, err) for step in command.steps]
        wall = time.monotonic() - started
        cost = Cost(wall, sum(d[0] for d in done), bytes_written() - before, sum(d[1] for d in done))
        if sampled:
            cost.peak, cost.samples = max(d[2].peak for d in done), sum(d[2].samples for d in done)
        return cost
    finally:
        os.close(err)


def writes(line):
    """Does this line of strace tell of a file that is opened for writing, made or changed?"""
    m = CALL.match(line)
    if not m or " = -1 " in line or '"/dev/null"' in line:
        return False
    return bool(OPENS.match(m[1] + "(" + m[2])) if m[1].startswith("open") else True


def can_trace():
    """strace may be missing, or forbidden where a container forbids ptrace."""
    return bool(shutil.which("strace")) and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


def opened_for_writing(command):
    """Lines of strace about files that any process of the command opened for writing, made, changed or removed; None: cannot be traced."""
    if not can_trace():
        return None
    with tempfile.NamedTemporaryFile() as trace:
        strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=" + TRACED, "-o", trace.name]
        run(Command([step[:-1] + [strace + list(step[-1])] for step in command.steps], command.reads))
        return [line.strip() for line in trace.read().decode(errors="replace").splitlines() if writes(line)]
