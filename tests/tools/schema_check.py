#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""schema_check.py FILE...: validates each JSON against the schema that its `schema` member names ("-" is standard input).

Exit status: 0 all valid, 1 some are not, 2 wrong use.
"""
import json
import pathlib
import sys

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "reports" / "schema"
MOST = 10


def load_schema(name):
    """The validator for "postern-inventory/1"."""
    kind, _, version = name.partition("/")
    if not kind.startswith("postern-") or not version.isdigit() or not kind.replace("-", "").isalpha():
        raise ValueError(f"schema {name!r} is none of ours")
    schema = json.loads((SCHEMAS / f"{kind}-{version}.schema.json").read_text(encoding="utf-8"))
    cls = jsonschema.validators.validator_for(schema)
    cls.check_schema(schema)
    return cls(schema)


def refuse_doubles(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key stands twice among {sorted(keys)}")
    return dict(pairs)


def refuse_constant(word):
    raise ValueError(f"{word} is not JSON")


def read_document(raw):
    """Strict: UTF-8, one newline at the end, no double keys, no NaN, no null."""
    if not raw.endswith(b"\n") or raw.endswith(b"\n\n"):
        raise ValueError("not exactly one newline at the end")
    return json.loads(raw.decode("utf-8"), object_pairs_hook=refuse_doubles, parse_constant=refuse_constant)


def check(name, raw, validators):
    """Problems of one document, as lines."""
    try:
        document = read_document(raw)
        wanted = document["schema"]
        if wanted not in validators:
            validators[wanted] = load_schema(wanted)
    except (ValueError, KeyError, OSError, TypeError) as e:
        return [f"{name}: {e}"]
    lines = []
    for error in validators[wanted].iter_errors(document):
        place = "/".join(str(p) for p in error.absolute_path)
        lines.append(f"{name}: {place or 'document'}: {error.message[:300]}")
        if len(lines) > MOST:
            break
    return lines


def main(names):
    if not names:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    validators = {}
    bad = 0
    for name in names:
        raw = sys.stdin.buffer.read() if name == "-" else pathlib.Path(name).read_bytes()
        lines = check(name, raw, validators)
        bad += bool(lines)
        for line in lines:
            print(line, file=sys.stderr)
    print(f"{len(names) - bad} of {len(names)} valid")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
