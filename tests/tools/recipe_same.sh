#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recipe_same.sh NAME OUT: runs make-NAME.sh into OUT and compares with the committed files of tests/fixtures/NAME, byte for
# byte. Exit 77 where the vendor's compiler is missing, or is another release than the one that made the committed files.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 cuda|hip OUT" >&2; exit 2; }
tools=$(cd "$(dirname "$0")" && pwd)
case $1 in
cuda) made='Build cuda_13.0.r13.0/compiler.36424714_0' here=$(nvcc --version 2>/dev/null | tail -n 1) ;;
hip) made='Debian clang version 19.1.7 (3~deb12u1)' here=$(clang++-19 --version 2>/dev/null | head -n 1) ;;
esac
if [ -n "$here" ] && [ "$here" != "$made" ]; then
	echo "recipe/$1: the committed files are of '$made', here is '$here'"
	exit 77
fi
"$tools/../fixtures/make-$1.sh" "$2" >/dev/null
"$tools/fixtures.sh" "$1" "$2.committed"
differ=0
for file in "$2.committed"/*; do
	cmp "$file" "$2/${file##*/}" || differ=1
done
rm -rf "$2.committed"
exit $differ
