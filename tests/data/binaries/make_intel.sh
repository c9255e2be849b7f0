#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes intel-*.bin and spirv.bin in the current folder with ocloc of Debian 12's
# packages, which are unpacked, not installed: needs no GPU. Other versions of the
# compiler make other bytes.
set -eu
names="intel-opencl-icd libigc1 libigdfcl1 libopencl-clang14 libllvmspirvlib14
    libllvm14 libclang-cpp14"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
here=$PWD
cd "$folder"
for name in $names; do
    apt-get download "$name"
    dpkg-deb -x "$name"_*.deb .
done
cat > scale.cl << 'SOURCE'
__kernel void scale(__global float *x, float a) { x[get_global_id(0)] *= a; }
SOURCE
libraries=$folder/usr/lib/x86_64-linux-gnu
compile() { # name, device, options
    name=$1 device=$2
    shift 2
    LD_LIBRARY_PATH=$libraries:$libraries/intel-opencl usr/bin/ocloc compile \
        -file scale.cl -device "$device" -64 -output out -out_dir out "$@"
    mv out/*.bin "$here/$name.bin"
}
for device in skl tgllp dg2 pvc; do
    compile "intel-old-$device" "$device"
done
mv out/*pvc.spv "$here/spirv.bin"
compile intel-old-dg2-alone dg2 -exclude_ir
for device in tgllp dg2 pvc; do
    compile "intel-zebin-$device" "$device" --format zebin
done
compile intel-zebin-pvc-alone pvc -exclude_ir --format zebin
