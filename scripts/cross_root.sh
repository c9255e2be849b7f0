#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: cross_root.sh ARCHITECTURE FOLDER
# What a build for another architecture includes and links, from Debian's packages
# (scripts/debian_root.sh), in FOLDER/root, and FOLDER/toolchain.cmake for that
# build. Nothing of the system changes. What is built finds its libraries in that
# root, and runs here: i386 by itself, others by scripts/in_emulation.py.
#   arm64  64-bit ARM (g++-aarch64-linux-gnu), with PoCL
#   s390x  big-endian, 64 bits (g++-s390x-linux-gnu)
#   i386   32 bits (g++-multilib); the compilers are chosen by the build
# Exit status: 0 all is there; 2 wrong usage; 77 the compiler is missing, or the
# packages cannot be had.
set -euo pipefail

if [ $# != 2 ] || [[ $1 == -* ]]; then
    sed -n '3,13s/^# \{0,1\}//p' "$0"
    [ "${1:-}" = --help ] && exit 0
    exit 2
fi
architecture=$1
packages=(
    libc6-dev
    libcurl4-openssl-dev
    libgtest-dev
    libhiredis-dev
    libjpeg-dev
    libonnx-dev
    libpng-dev
    libprotobuf-c-dev
    libsodium-dev
    libsqlite3-dev
    libstdc++-12-dev
    libxxhash-dev
    libzstd-dev
    ocl-icd-opencl-dev
    opencl-headers
    uthash-dev
)
case $architecture in
arm64)
    processor=aarch64
    triplet=aarch64-linux-gnu
    loader=lib/ld-linux-aarch64.so.1
    packages+=(pocl-opencl-icd)
    ;;
s390x)
    processor=s390x
    triplet=s390x-linux-gnu
    loader=lib/ld64.so.1
    ;;
i386)
    triplet=i386-linux-gnu
    loader=lib/ld-linux.so.2
    ;;
*)
    echo "cross_root.sh: no architecture \"$architecture\"" >&2
    exit 2
    ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
root=$folder/root
if [ "$architecture" = i386 ]; then
    echo 'int main(void){return 0;}' |
        gcc -m32 -x c - -o "$folder/probe" 2>"$folder/log" ||
        { echo "cross_root.sh: gcc -m32 does not work" >&2; exit 77; }
elif ! command -v "$triplet-g++" >/dev/null; then
    echo "cross_root.sh: no $triplet-g++" >&2
    exit 77
fi
"$(dirname "$0")/debian_root.sh" bookworm "$architecture" "$folder" \
    "${packages[@]}"

libraries=$root/usr/lib/$triplet
cat >"$folder/pkg-config" <<END
#!/bin/sh
PKG_CONFIG_LIBDIR="$libraries/pkgconfig:$root/usr/share/pkgconfig" \\
PKG_CONFIG_SYSROOT_DIR="$root" exec pkg-config "\$@"
END
chmod +x "$folder/pkg-config"

# --disable-new-dtags: also for what a library loads, as OpenCL's loader drivers.
linker="-Wl,--dynamic-linker=$root/$loader -Wl,--disable-new-dtags"
linker+=" -Wl,-rpath,$libraries"
{
    if [ "$architecture" = i386 ]; then
        cat <<END
set(CMAKE_C_FLAGS_INIT -m32)
set(CMAKE_CXX_FLAGS_INIT -m32)
END
    else
        cat <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $processor)
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_CXX_COMPILER $triplet-g++)
END
    fi
    cat <<END
set(CMAKE_SYSROOT "$root")
set(CMAKE_LIBRARY_ARCHITECTURE $triplet)
set(CMAKE_FIND_ROOT_PATH "$root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_\${kind} ONLY)
endforeach()
foreach(kind EXE SHARED MODULE)
    set(CMAKE_\${kind}_LINKER_FLAGS_INIT "$linker")
endforeach()
set(PKG_CONFIG_EXECUTABLE "$folder/pkg-config")
set(OpenCL_INCLUDE_DIR "$root/usr/include")
set(OpenCL_LIBRARY "$libraries/libOpenCL.so")
END
} >"$folder/toolchain.cmake"
