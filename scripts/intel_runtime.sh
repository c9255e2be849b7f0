#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: intel_runtime.sh FOLDER
# Intel's OpenCL runtime for CPUs (x86-64) in a virtual environment in FOLDER,
# from PyPI, 830 MB: the packages of intel_runtime.txt, of exactly these bytes.
# What is there already stays. Prints what a process needs in its environment to
# have that driver, and no other, below the system's own loader:
#
#     env $(scripts/intel_runtime.sh FOLDER) DNNL_CACHE_TEST_PLATFORM=Intel \
#         ctest --test-dir build -L device
#
# It brings a loader of Khronos' of 2026, which is in FOLDER/loader then.
set -euo pipefail

case ${1:-} in
'' | -h | --help)
    sed -n '3,12s/^# \{0,1\}//p' "$0"
    [ -n "${1:-}" ] || exit 2
    exit 0
    ;;
esac
packages=$(cd "$(dirname "$0")" && pwd)/intel_runtime.txt
mkdir -p "$1"
folder=$(cd "$1" && pwd)
case $folder in
*[[:space:]]*)
    echo "intel_runtime.sh: white space in $folder" >&2
    exit 2
    ;;
esac

# What was installed last; written when all of it is there.
if ! cmp -s "$packages" "$folder/installed" ||
    [ ! -e "$folder/loader/libOpenCL.so.1" ]; then
    rm -rf "$folder/python" "$folder/vendors" "$folder/loader" \
        "$folder/installed"
    {
        python3 -m venv "$folder/python"
        "$folder/python/bin/pip" install --disable-pip-version-check \
            --no-cache-dir --no-deps --only-binary :all: --require-hashes \
            --requirement "$packages"
    } >&2
    # Its own loader would be found first by who has its folder in a path.
    mkdir "$folder/vendors" "$folder/loader"
    cp -L "$folder/python/lib/libOpenCL.so.1" "$folder/loader"
    rm -f "$folder"/python/lib/libOpenCL.so*
    ln -s "$folder"/python/lib/lib{svml,irng,imf,intlc}.so* "$folder/loader"
    echo "$folder/python/lib/libintelocl.so" >"$folder/vendors/intel.icd"
    cp "$packages" "$folder/installed"
fi
[ -r "$folder/python/lib/libintelocl.so" ]
echo "OCL_ICD_VENDORS=$folder/vendors"
