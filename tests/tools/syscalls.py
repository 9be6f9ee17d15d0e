# SPDX-License-Identifier: Apache-2.0
"""What a run asks of the kernel, seen by strace: the files that it opens and the sockets of a network that it makes."""
import os
import re
import shutil
import subprocess
import tempfile

OPENED = re.compile(r"\bopen(?:at2?)?(?:\(| resumed>).* = \d+<([^>]*)>")
SOCKET = re.compile(r"\b(?:socket\(AF_INET|socket\(AF_NETLINK|connect\().*")


# What a worker may open: before it reads a byte it lets go of what the parent holds, and asks how much memory it was born with;
# sanitizers ask more of that kind.
OF_WORKERS = re.compile(r"/dev/null|/proc/\d+/.*")


def trace(command, inside):
    """(files opened below the folder or file `inside`, other files, of these what processes but the first opened and must not,
    network calls), or None where strace cannot look."""
    if not shutil.which("strace"):
        return None
    with tempfile.NamedTemporaryFile(prefix="postern-") as log:
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # the leak checker is a tracer of its own
        r = subprocess.run(["strace", "-f", "-y", "-qq", "-e", "trace=open,openat,openat2,socket,connect", "-o", log.name] + command,
                           env=env, stdin=subprocess.DEVNULL, capture_output=True)
        lines = log.read().decode("utf-8", "replace").split("\n")
    if b"strace: " in r.stderr:
        return None
    inside = os.path.realpath(inside)
    first = lines[0].split(" ")[0]
    files = [(line.split(" ")[0], m.group(1)) for line, m in ((line, OPENED.search(line)) for line in lines) if m]
    below = [f for _, f in files if f == inside or f.startswith(inside + "/")]
    of_workers = sorted({f for pid, f in files if pid != first and not OF_WORKERS.fullmatch(f)})
    return below, sorted({f for _, f in files} - set(below)), of_workers, [line for line in lines if SOCKET.search(line)]
