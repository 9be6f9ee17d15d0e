#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fetch.sh SET FOLDER [LIST...]
# Downloads the pinned public wheels of a set (ci, large, or all) into FOLDER and checks size and SHA-256.
# List: wheels.tsv beside this script, unless others are named. A wheel that is already there and right
# is kept; one that is there and wrong is fetched again. Needs pip (python3-pip) and sha256sum. Nothing is installed or run.
# Exit status: 0 all there, 1 some could not be had, 2 wrong use.

set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2

usage() { echo "usage: $0 ci|large|all FOLDER [LIST...]" >&2; exit 2; }
[ $# -ge 2 ] || usage
set_wanted=$1; folder=$2; shift 2
case $set_wanted in ci|large|all) ;; *) usage ;; esac
[ $# -gt 0 ] || set -- "$here/wheels.tsv"

if [ -n "${PIP:-}" ]; then pip=$PIP
elif python3 -m pip --version >/dev/null 2>&1; then pip='python3 -m pip'
elif pip3 --version >/dev/null 2>&1; then pip=pip3
elif pip --version >/dev/null 2>&1; then pip=pip
else echo "fetch.sh: no pip found; on Debian: apt-get install python3-pip" >&2; exit 2; fi

if command -v sha256sum >/dev/null 2>&1; then sum='sha256sum'
elif command -v shasum >/dev/null 2>&1; then sum='shasum -a 256'
else echo "fetch.sh: neither sha256sum nor shasum found" >&2; exit 2; fi

mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd) || exit 2
work=$(mktemp -d "$folder/.fetch.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

found=0
for list in "$@"; do
    [ -f "$list" ] || { echo "fetch.sh: no list $list, skipped" >&2; continue; }
    found=1
    # columns are found by the header's names: name, version, filename, sha256, bytes, set
    awk -F '\t' -v want="$set_wanted" -v list="$list" '
        /^#/ || NF == 0 { next }
        !head { for (i = 1; i <= NF; i++) col[$i] = i; head = 1
                n = split("name version filename sha256 bytes set", need, " ")
                for (i = 1; i <= n; i++) if (!(need[i] in col)) {
                    printf "fetch.sh: %s has no column %s\n", list, need[i] > "/dev/stderr"; exit 2 }
                next }
        want == "all" || $col["set"] == want {
            print $col["name"], $col["version"], $col["filename"], $col["sha256"], $col["bytes"] }
    ' "$list" >>"$work/rows" || exit 2
done
[ ! -f "$work/rows" ] || sort -u "$work/rows" >"$work/todo"
[ $found = 1 ] || { echo "fetch.sh: no list to read" >&2; exit 2; }
[ -s "$work/todo" ] || { echo "fetch.sh: no wheel in set $set_wanted" >&2; exit 2; }

right() { # FILE SHA256 BYTES
    [ -f "$1" ] && [ "$(wc -c <"$1" | tr -d ' ')" = "$3" ] && [ "$($sum "$1" | cut -d ' ' -f 1)" = "$2" ]
}

have=0; new=0; bad=0; total=$(wc -l <"$work/todo" | tr -d ' ')
while read -r name version file sha bytes; do
    case $file in */*|.*|*' '*) echo "fetch.sh: odd file name $file, skipped" >&2; bad=$((bad + 1)); continue ;; esac
    if right "$folder/$file" "$sha" "$bytes"; then have=$((have + 1)); continue; fi

    case $file in
        *.whl) ;;
        *) echo "fetch.sh: $file is no wheel" >&2; bad=$((bad + 1)); continue ;;
    esac

    # the last three parts of a wheel's name are its tags: python, abi, platform; each may be a dotted list
    stem=${file%.whl}; plats=${stem##*-}; stem=${stem%-*}; abis=${stem##*-}; stem=${stem%-*}; pys=${stem##*-}
    py=${pys%%.*}
    case $pys in *.*) for p in $(echo "$pys" | tr . ' '); do case $p in py3*|cp3*) py=$p ;; esac; done ;; esac
    case $py in
        cp3?*|py3?*) v=${py#??3}; version_opt=3.$v ;;
        *) version_opt=3.12 ;;
    esac
    tags="--implementation cp --python-version $version_opt"
    for a in $(echo "$abis" | tr . ' '); do tags="$tags --abi $a"; done
    for p in $(echo "$plats" | tr . ' '); do tags="$tags --platform $p"; done

    echo "fetch.sh: $file ($((bytes / 1000)) kB)" >&2
    # shellcheck disable=SC2086
    if ! $pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all: \
            --ignore-requires-python $tags --dest "$work" "$name==$version" </dev/null >"$work/log" 2>&1; then
        echo "fetch.sh: pip could not get $name==$version for these tags: $tags" >&2
        sed 's/^/  pip: /' "$work/log" | tail -n 5 >&2
        bad=$((bad + 1)); continue
    fi
    if [ ! -f "$work/$file" ]; then
        got=$(cd "$work" && ls -- *.whl 2>/dev/null | tr '\n' ' ')
        echo "fetch.sh: wanted $file, pip brought ${got:-nothing}" >&2
        rm -f "$work"/*.whl; bad=$((bad + 1)); continue
    fi
    if right "$work/$file" "$sha" "$bytes"; then
        mv -f "$work/$file" "$folder/$file" && new=$((new + 1))
    else
        echo "fetch.sh: $file differs from the pinned one: $(wc -c <"$work/$file" | tr -d ' ') bytes, $($sum "$work/$file" | cut -d ' ' -f 1)" >&2
        rm -f "$work/$file"; bad=$((bad + 1))
    fi
done <"$work/todo"

echo "fetch.sh: set $set_wanted: $total files, $have were there, $new fetched, $bad missing" >&2
[ $bad = 0 ]
