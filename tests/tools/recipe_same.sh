#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recipe_same.sh NAME OUT: runs make-NAME.sh into OUT and compares with the committed files of tests/fixtures/NAME, byte for
# byte. Exit 77 where the vendor's compiler is missing. Another release of a compiler may give other bytes: then commit them.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 cuda|hip OUT" >&2; exit 2; }
tools=$(cd "$(dirname "$0")" && pwd)
"$tools/../fixtures/make-$1.sh" "$2" >/dev/null
"$tools/fixtures.sh" "$1" "$2.committed"
differ=0
for file in "$2.committed"/*; do
	cmp "$file" "$2/${file##*/}" || differ=1
done
rm -rf "$2.committed"
exit $differ
