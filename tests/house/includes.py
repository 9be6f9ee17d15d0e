#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Knowledge points down only, the four families never include one another, and a third-party header has one place."""
import os
import re

import house

FAMILIES = ("extractors", "elf", "rules", "reports")
# Which folder may see which third-party header.
THIRD = (
    (r"(libelf|gelf|elf)\.h|elfutils/.*", "elf"), (r"zip\.h", "extractors"), (r"yaml\.h", "rules"),
    (r"(isa-l/)?(igzip_lib|crc|crc64)\.h|isa-l\.h|isa-l/.*", "src/base"), (r"zstd.*\.h", "src/base"), (r"lz4.*\.h", "src/base"),
    (r"zlib\.h", "src/base"), (r"cjson/.*|cJSON\.h", "src/base"), (r"openssl/.*", "src/base"), (r"lzma\.h", "src/base"),
    (r"sqlite3\.h", "src/base"), (r"archive.*\.h", "extractors/stream/tar.c"),
)
SYSTEM = re.compile(r"(assert|ctype|dirent|endian|errno|fcntl|fnmatch|\w+intrin|inttypes|langinfo|limits|locale|math|poll|pthread|regex|sched|setjmp|"
                    r"signal|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|termios|time|unistd|wchar|"
                    r"(sys|linux|sanitizer)/\w+)\.h$")


def layer(path):
    """(rank, family): what lies lower may be included."""
    for top, rank in (("src/base/", 0), ("src/model/", 1)):
        if path.startswith(top):
            return rank, None
    top = path.split("/")[0]
    return (2, top) if top in FAMILIES else (3, None)


def target(path, name):
    for where in ("", "src", os.path.dirname(path)):
        found = os.path.normpath(os.path.join(where, name))
        if os.path.exists(os.path.join(house.ROOT, found)):
            return found
    return None


wrong = []
for path in house.files(*house.PRODUCT, ends=(".c", ".h", ".def")):
    rank, family = layer(path)
    for n, line in enumerate(house.read(path).split("\n"), 1):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not m:
            continue
        place = "%s:%d: %s" % (path, n, m.group(2))
        if m.group(1) == "<":
            homes = [home for pattern, home in THIRD if re.fullmatch(pattern, m.group(2))]
            if homes and path != homes[0] and not path.startswith(homes[0] + "/"):
                wrong.append("%s belongs to %s only" % (place, homes[0]))
            if not homes and not SYSTEM.match(m.group(2)):
                wrong.append("%s is neither of the system nor a library with a place" % place)
            continue
        found = target(path, m.group(2))
        if not found:
            wrong.append("%s is not in the tree" % place)
            continue
        to_rank, to_family = layer(found)
        if to_rank > rank:
            wrong.append("%s points upward" % place)
        if family and to_family and family != to_family:
            wrong.append("%s: %s knows %s" % (place, family, to_family))
house.finish(wrong)
