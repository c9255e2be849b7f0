# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
letter=b
title='clFFT'
licence=Apache-2.0
origin=debian name=clfft version=2.12.2
archive_name=clfft_2.12.2.orig.tar.gz
sha256=a7d98c858196cd08fea4d9d6b91790f875e999827ebec3ee9da16515c6c0bd4f
packages=(gcc g++ make cmake)
removed=(src/library/fft_binary_lookup.cpp src/library/fft_binary_lookup.h
    src/library/md5sum.c src/library/md5sum.h)
runs='`transforms.c`: three transforms, forth and back'
compared='all values'
own=own

build_application() {
    cmake -S "$source/src" -B "$built/build" -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_CLIENT=OFF -DBUILD_EXAMPLES=OFF -DBUILD_TEST=OFF \
        -DBUILD_LOADLIBRARIES=OFF -DBUILD_RUNTIME=ON -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_CXX_FLAGS='-fpermissive -w' &&
        cmake --build "$built/build" &&
        gcc -O1 -w -DCL_TARGET_OPENCL_VERSION=120 "$here/clfft/transforms.c" \
            -I "$source/src/include" -I "$built/build/include" \
            -L "$built/build/library" -Wl,-rpath,"$built/build/library" \
            -Wl,--allow-shlib-undefined -lclFFT -lOpenCL \
            -o "$built/transforms"
}

# The folder that clFFT's own cache and the one in its place use.
run_application() {
    if [ -z "$without_cache" ]; then
        mkdir -p "$XDG_CACHE_HOME/clfft" && chmod 700 "$XDG_CACHE_HOME/clfft"
        export CLFFT_CACHE_PATH=$XDG_CACHE_HOME/clfft
    fi
    "$built/transforms" "$artifact/values"
}

without_cache=
without_own_cache() {
    without_cache=1
}
