#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make-image.sh [-p full|small] [-c gzip|zstd|none] [-f FORM] -w WORK OUT: an image like a GPU serving image, of real content.
#
#   layer 1 a Debian root with Python · 2 libraries by apt (full: one with AMD device code) · 3 CUDA wheels by pip
#   · 4 whiteouts of one of them, and a ROCm wheel · 5 a site-packages of many small files
#
#   -p full   needs Debian and PyPI, about 3 GB of disk and some minutes; small needs Debian only and under a minute
#   -c        how layers are compressed (gzip)
#   -f        oci-dir (OUT is a folder), oci-tar, docker-save (Docker 25 to 28 with -c none, like 29 otherwise),
#             docker-archive (the older dialect, written by skopeo: layers are always plain)
#   -w WORK   wheels, plain and packed layers stay here, so that the next form costs only putting together. Layers that are not
#             whole, or not of this recipe, are made anew.
#
# Run as root. Needs mmdebstrap, skopeo, pigz, zstd, python3 with pip.
set -eu

usage() { sed -n '3,/^set -eu/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
profile=full how=gzip form=oci-dir work=
while getopts p:c:f:w: o; do
	case $o in p) profile=$OPTARG ;; c) how=$OPTARG ;; f) form=$OPTARG ;; w) work=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
if [ $# -ne 1 ] || [ -z "$work" ]; then usage; fi
case $profile in (full|small) ;; (*) usage ;; esac
case $how in (gzip|zstd|none) ;; (*) usage ;; esac
case $form in (oci-dir|oci-tar|docker-save|docker-archive) ;; (*) usage ;; esac

here=$(cd "$(dirname "$0")" && pwd)
out=$1
[ ! -e "$out" ] || { echo "make-image: '$out' exists" >&2; exit 2; }
for t in mmdebstrap skopeo pigz zstd; do
	command -v $t >/dev/null || { echo "make-image: $t is missing" >&2; exit 2; }
done
mkdir -p "$work"
work=$(cd "$work" && pwd)
BENCH_TOOL="$here/ocibuild.py" BENCH_ROOT="$work/root-$profile" BENCH_STATE="$work/state-$profile" BENCH_LAYERS="$work/layers-$profile"
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH BENCH_TOOL BENCH_STATE BENCH_LAYERS
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

site=$BENCH_ROOT/usr/local/lib/python3.11/dist-packages
case $profile in
(full)  libraries="libgomp1 libopenblas0-pthread libnuma1 libibverbs1 libpng16-16 libjpeg62-turbo ocl-icd-libopencl1 libze1 librocrand1" files=60000 ;;
(small) libraries="ocl-icd-libopencl1 libze1" files=2000 ;;
esac

tool() { /usr/bin/python3 "$BENCH_TOOL" "$@"; }
layer() { # NAME NOTE: what changed since the layer before
	tool commit "$BENCH_ROOT" "$BENCH_STATE" "$BENCH_LAYERS/$1.tar"
	echo "$2" > "$BENCH_LAYERS/$1.txt"
}

debian_layers() {
	sources=/etc/apt/sources.list.d/debian.sources
	[ -e $sources ] || sources=/etc/apt/sources.list
	grep -q bookworm $sources || sources=http://deb.debian.org/debian
	BENCH_LIBRARIES=$libraries; export BENCH_LIBRARIES
	# The hooks run with the new root as $1 and the outer apt; expansion is theirs.
	# shellcheck disable=SC2016
	mmdebstrap --quiet --mode=root --variant=minbase --include=python3 \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook='python3 "$BENCH_TOOL" commit "$1" "$BENCH_STATE" "$BENCH_LAYERS/1-debian.tar"' \
		--customize-hook='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq -y --no-install-recommends -oAPT::Sandbox::User=root -oDPkg::Chroot-Directory="$1" install $BENCH_LIBRARIES >/dev/null 2>&1' \
		--customize-hook='python3 "$BENCH_TOOL" commit "$1" "$BENCH_STATE" "$BENCH_LAYERS/2-libraries.tar"' \
		--customize-hook='cd "$BENCH_LAYERS" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq -oAPT::Sandbox::User=root download librocrand1' \
		bookworm "$BENCH_ROOT" $sources
	echo "FROM debian:bookworm, python3" > "$BENCH_LAYERS/1-debian.txt"
	echo "RUN apt-get install $libraries" > "$BENCH_LAYERS/2-libraries.txt"
	tool snap "$BENCH_ROOT" "$BENCH_STATE"
}

pip_install() { # LIST: into the image, from the cache, hashes checked
	platforms="--platform manylinux2014_x86_64"
	for v in 17 24 27 28 34; do platforms="$platforms --platform manylinux_2_${v}_x86_64"; done
	target="$platforms --python-version 3.11 --implementation cp --only-binary=:all: --no-deps"
	mkdir -p "$work/wheels"
	pip="/usr/bin/python3 -m pip --disable-pip-version-check -q"
	# shellcheck disable=SC2086
	$pip download $target --require-hashes --no-cache-dir -d "$work/wheels" -r "$1"
	# shellcheck disable=SC2086
	$pip install $target --require-hashes --no-index --find-links "$work/wheels" --no-compile --root-user-action=ignore \
		--upgrade --target "$site" -r "$1" 2>/dev/null
}

full_layers() {
	pip_install "$here/wheels.txt"
	layer 3-cuda-wheels "RUN pip install nvidia-cuda-runtime-cu12 nvidia-cufft-cu12 cupy-cuda12x triton torchvision numpy bitsandbytes"
	rm -rf "$site"/bitsandbytes "$site"/bitsandbytes-*
	pip_install "$here/wheels-later.txt"
	layer 4-change "RUN pip uninstall -y bitsandbytes && pip install onnxruntime-rocm"
}

small_layers() { # no wheels: Debian's own library under a wheel's name, one copy of it deleted later
	mkdir -p "$site/rocm_pkg.libs" "$site/rocm_pkg-1.0.dist-info"
	dpkg-deb -x "$BENCH_LAYERS"/librocrand1_*.deb "$BENCH_LAYERS/deb"
	lib=$(find "$BENCH_LAYERS/deb" -name 'librocrand.so.1.*' -type f)
	cp "$lib" "$site/rocm_pkg.libs/librocrand-0a1b2c3d.so.1.1"
	cp "$lib" "$site/rocm_pkg.libs/librocrand-deadbeef.so.1.0"
	printf 'Metadata-Version: 2.1\nName: rocm-pkg\nVersion: 1.0\n' > "$site/rocm_pkg-1.0.dist-info/METADATA"
	layer 3-wheel "RUN pip install rocm-pkg"
	rm "$site/rocm_pkg.libs/librocrand-deadbeef.so.1.0"
	rm -rf "$BENCH_ROOT/usr/share/perl5"
	mkdir -p "$site/other"
	echo 'import ctypes; ctypes.CDLL("libcuda.so.1")' > "$site/other/__init__.py"
	layer 4-change "RUN rm librocrand-deadbeef && pip install other"
}

made=yes mid=
clear() {
	rm -rf --one-file-system "$BENCH_ROOT" "$BENCH_STATE" "$BENCH_LAYERS"
}
trap '[ -n "$made" ] || clear; [ -z "$mid" ] || rm -rf "$mid"' EXIT
trap 'exit 1' HUP INT TERM

if ! tool sealed "$BENCH_LAYERS"; then
	made=
	clear
	mkdir -p "$BENCH_LAYERS"
	debian_layers
	"${profile}_layers"
	tool sources "$BENCH_ROOT" "$files"
	layer 5-sources "COPY site-packages"
	rm -rf --one-file-system "$BENCH_ROOT" "$BENCH_STATE" "$BENCH_LAYERS"/deb "$BENCH_LAYERS"/*.deb
	tool seal "$BENCH_LAYERS"
	made=yes
fi

case $form in
(docker-archive)
	mid=$(mktemp -d "$work/layout.XXXXXX")
	tool image oci-dir none "$mid" "$BENCH_LAYERS"
	skopeo --insecure-policy copy -q "oci:$mid:latest" "docker-archive:$out:postern-bench:latest" ;;
(*) tool image "$form" "$how" "$out" "$BENCH_LAYERS" ;;
esac
case $form in
(docker-*) name="docker-archive:$out" ;;
(oci-tar)  name="oci-archive:$out" ;;
(oci-dir)  name="oci:$out:latest" ;;
esac
echo "made $profile image, $how, $form: skopeo sees $(skopeo inspect --format '{{len .Layers}}' "$name") layers"
