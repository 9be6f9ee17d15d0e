#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fixtures.sh NAME OUT: the inputs of one table of tests/fixtures/expected in the new folder OUT.
# cuda and hip are the committed files (large ones are kept packed); the rest is made by its recipe. Exit 77 with one line: a
# tool is missing, so the tests that need this folder are skipped.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 NAME OUT" >&2; exit 2; }
tools=$(cd "$(dirname "$0")" && pwd)
fixtures=$tools/../fixtures
name=$1 out=$(readlink -m "$2")

unpack() {
	command -v zstd >/dev/null 2>&1 || { echo "fixtures.sh: needs zstd (Debian: zstd)" >&2; exit 77; }
	rm -rf "$2"
	mkdir -p "$2"
	for file in "$fixtures/$1"/*; do
		case $file in
		*.zst) packed=${file##*/}; zstd -q -d -f "$file" -o "$2/${packed%.zst}" ;;
		*) cp "$file" "$2/" ;;
		esac
	done
}

case $name in
cuda | hip)
	unpack "$name" "$out"
	;;
device-variants)
	unpack hip "$out.hip"
	# Debian's default LLVM knows all these machines, too.
	for tool in clang-19 ld.lld-19 llvm-strip-19 llvm-objcopy-19; do
		command -v "$tool" >/dev/null 2>&1 || export LLVM_SUFFIX=""
	done
	"$fixtures/make-device-variants.sh" "$out" "$fixtures/cuda/mode_none.fatbin" "$out.hip/plain.hipfb"
	rm -rf "$out.hip"
	;;
device-hostile)
	unpack hip "$out.hip"
	"$fixtures/make-device-hostile.sh" "$out" "$fixtures/cuda" "$out.hip"
	rm -rf "$out.hip"
	;;
images)
	# What skopeo and umoci write is there where they are; the table's other cases need neither.
	WITHOUT=
	for tool in skopeo umoci; do
		command -v "$tool" >/dev/null 2>&1 || WITHOUT="$WITHOUT $tool"
	done
	export WITHOUT
	"$fixtures/make-images.sh" "$out"
	;;
ambiguous)
	# The engines were asked once (ambiguous-engines.tsv).
	WITHOUT=buildah "$fixtures/make-ambiguous.sh" "$out"
	;;
hostile-images)
	"$fixtures/make-hostile-images.sh" "$out" 16
	;;
elf)
	"$fixtures/make-elf.sh" "$out"
	;;
wheels)
	"$fixtures/make-wheels.sh" "$out"
	# Once more with an ELF file in the place of each file of the zip cases: an inventory only counts other files.
	rm -rf "$out.solid" "$out.elf"
	python3 "$tools/solid_image.py" >"$out.elf"
	SOLID=$out.elf "$fixtures/make-wheels.sh" "$out.solid" >/dev/null
	rm -r "$out.elf" "$out.solid/wheels"
	;;
*)
	echo "fixtures.sh: no such fixtures: $name" >&2
	exit 2
	;;
esac
