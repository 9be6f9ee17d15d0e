# SPDX-License-Identifier: Apache-2.0
"""The rows of the benchmark: what is run, beside which yardstick, and the goal."""
import dataclasses
import shutil
import subprocess
import typing

import figures
import inputs
from measure import Command

MEBIBYTE = 1 << 20


@dataclasses.dataclass
class Row:
    """prepare(inputs, tools) gives (what is measured, yardsticks, goal); it raises inputs.Missing where something is not there."""
    name: str
    what: str
    yardstick: str
    unit: str  # "ratio", "MiB" or "bytes"
    goal: typing.Any  # a number, or None: prepare says
    prepare: typing.Callable
    commands: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Tools:
    """What the build folder holds."""
    postern: str
    read_heads: str
    inflate_members: str

    def scan(self, *arguments):
        return Command([[[self.postern, "scan", "-f", "json", *arguments]]], reads=True)

    def scan_pipe(self, path, *arguments):
        return Command([[["cat", path], [self.postern, "scan", "-f", "json", *arguments, "-"]]], reads=True)


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            raise inputs.Missing(f"{program} is not installed")


def of_image(how, arguments, *yardsticks):
    """Yardsticks are argument lists that get the layers' files, in order, and run one after another."""
    def prepare(have, tools):
        needs(*(y[0] for y in yardsticks))
        image = have.image(how)
        layers = inputs.blobs(image)
        return tools.scan(*arguments, image), Command([[[*y, *layers]] for y in yardsticks])
    return prepare


INFLATE, UNZSTD, HASH = ["igzip", "-dc"], ["zstd", "-dcq"], ["openssl", "dgst", "-sha256"]


def of_folder(jobs):
    def prepare(have, tools):
        folder = have.folder()
        return tools.scan(f"-j{jobs}", folder), Command([[[tools.read_heads, folder]]])
    return prepare


def of_pipe(have, tools):
    needs(HASH[0])
    archive = have.image("none", form="docker-save")
    return tools.scan_pipe(archive, "-j2"), Command([[["cat", archive], HASH]])


def of_wheel(name, jobs):
    def prepare(have, tools):
        path, members = have.wheel(name)
        inflate = [tools.inflate_members, path, members]
        if jobs == 1:
            needs(HASH[0])
            return tools.scan("-j1", path), Command([[inflate], [[*HASH, path]]])
        timed = [subprocess.run([inflate[0], "-t", *inflate[1:]], capture_output=True, check=True).stdout.split() for _ in range(5)]
        quickest = [min(map(int, member)) for member in zip(*timed)]
        return tools.scan("-j2", path), Command([[inflate]]), figures.wheel_goal(quickest)
    return prepare


def written(have, tools):
    """One scan of each kind of input, -j2."""
    image = have.image("gzip")
    return [tools.scan("-j2", image), tools.scan_pipe(have.image("none", form="docker-save"), "-j2"), tools.scan("-j2", have.folder())]


def wheel_rows(have, quick):
    names = [n for n in have.wheel_names() if not quick or n in ("numpy", "torchvision")]
    for jobs, yardstick in ((1, "ISA-L inflate of its ELF members, SHA-256 of the file"), (2, "ISA-L inflate of its ELF members")):
        for name in names:
            yield Row(f"wheel-j{jobs}:{name}", f"wheel {name}, `-j{jobs}`", yardstick, "ratio", 1.1 if jobs == 1 else None, of_wheel(name, jobs))


def rows(have, quick):
    many = f"{have.many:,}"
    yield Row("gzip-j2", "gzip layers, `-j2`, digests included", "`igzip -dc` of all layers, one after another", "ratio", 0.75,
              of_image("gzip", ["-j2"], INFLATE))
    yield Row("gzip-j1", "gzip layers, `-j1`", "`igzip -dc`, then `openssl dgst -sha256`", "ratio", 1.1,
              of_image("gzip", ["-j1"], INFLATE, HASH))
    yield Row("zstd-j2", "zstd layers, `-j2`", "`zstd -dc` of all layers, one after another", "ratio", 0.65,
              of_image("zstd", ["-j2"], UNZSTD))
    for jobs in 1, 2:  # the goals name no number of workers: the yardstick is one process, and two are what most figures are about
        yield Row(f"plain-j{jobs}", f"uncompressed layers, `-j{jobs}`", "`openssl dgst -sha256` of all layers", "ratio", 1.1,
                  of_image("none", [f"-j{jobs}"], HASH))
        yield Row(f"plain-no-digests-j{jobs}", f"uncompressed layers, `-j{jobs} --no-digests`", "`openssl dgst -sha256` of all layers", "ratio", 0.25,
                  of_image("none", [f"-j{jobs}", "--no-digests"], HASH))
        yield Row(f"folder-j{jobs}", f"a folder of {have.count:,} files, {have.elves:,} ELF, `-j{jobs}`",
                  "`find -type f` that reads 64 bytes of each, in C", "ratio", 2.0, of_folder(jobs))
    yield from wheel_rows(have, quick)
    yield Row("pipe", "`docker save` with plain layers through a pipe, `-j2`", "`cat` of it into `openssl dgst -sha256`", "ratio", 1.2, of_pipe)
    yield Row("memory-large", "peak memory, `-j2`: gzip layers with cuBLAS (a library of 518 MB) and rocSPARSE (1.3 GB)", "–", "MiB", 256,
              lambda have, tools: tools.scan("-j2", have.large_libraries()))
    yield Row("memory-many", f"peak memory, `-j2`: an image of {many} small files", "–", "MiB", 256,
              lambda have, tools: tools.scan("-j2", have.many_files()))
    yield Row("written", "bytes written, `-j2`: an image, a pipe, a folder", "–", "bytes", 0, written)
