#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: packages_i386.sh FOLDER
# Puts what a build with -m32 links on a Debian system for x86-64 into FOLDER, from
# Debian's packages for i386, and FOLDER/toolchain.cmake for that build. Nothing of
# the system changes. g++-multilib has the compilers' own part.
set -euo pipefail

if [ $# != 1 ] || [[ $1 == -* ]]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0"
    [ "${1:-}" = --help ] && exit 0
    exit 2
fi
mkdir -p "$1/lists/partial" "$1/packages" "$1/root"
folder=$(cd "$1" && pwd)
packages=(
    libhiredis-dev libhiredis0.14
    libjpeg62-turbo libjpeg62-turbo-dev
    libpng-dev libpng16-16
    libprotobuf-c-dev libprotobuf-c1
    libsodium-dev libsodium23
    libsqlite3-0 libsqlite3-dev
    libxxhash-dev libxxhash0
    libzstd-dev libzstd1
    ocl-icd-libopencl1 ocl-icd-opencl-dev
    zlib1g zlib1g-dev
)
if [ ! -e "$folder/complete" ]; then
    apt() {
        apt-get -q -o APT::Architectures::=amd64 -o APT::Architectures::=i386 \
            -o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root "$@"
    }
    # One list that cannot be had matters only if a package is then missing.
    apt update >"$folder/log" 2>&1 || true
    if ! (cd "$folder/packages" &&
        apt download "${packages[@]/%/:i386}" >>"$folder/log" 2>&1); then
        cat "$folder/log" >&2
        exit 1
    fi
    for file in "$folder"/packages/*.deb; do
        dpkg-deb -x "$file" "$folder/root"
    done
    # Absolute links lead out of the folder.
    find "$folder/root" -type l -lname '/*' -printf '%p %l\n' |
        while read -r link target; do
            ln -sfn "$folder/root$target" "$link"
        done
    touch "$folder/complete"
fi

libraries="$folder/root/usr/lib/i386-linux-gnu $folder/root/lib/i386-linux-gnu"
linker=
for library in $libraries; do
    linker+="-L$library -Wl,-rpath,$library "
done
cat >"$folder/pkg-config" <<END
#!/bin/sh
PKG_CONFIG_LIBDIR="$folder/root/usr/lib/i386-linux-gnu/pkgconfig" \\
PKG_CONFIG_SYSROOT_DIR="$folder/root" exec pkg-config "\$@"
END
chmod +x "$folder/pkg-config"
cat >"$folder/toolchain.cmake" <<END
set(CMAKE_C_FLAGS_INIT "-m32 -isystem $folder/root/usr/include/i386-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT "-m32")
foreach(kind EXE SHARED MODULE)
    set(CMAKE_\${kind}_LINKER_FLAGS_INIT "$linker")
endforeach()
set(PKG_CONFIG_EXECUTABLE "$folder/pkg-config")
set(OpenCL_INCLUDE_DIR /usr/include)
set(OpenCL_LIBRARY "$folder/root/usr/lib/i386-linux-gnu/libOpenCL.so")
END
