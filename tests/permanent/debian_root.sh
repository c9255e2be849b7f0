#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: debian_root.sh SOURCE BUILD
# The recipes of docs/how_to/keep_the_layer_on.md in a fresh Debian 12, with Environment Modules
# and with Lmod, which exclude each other. Exits with 77 without root, mmdebstrap
# or Debian's servers.
set -euo pipefail

source=$1
build=$2
suite=bookworm
packages=libcurl4,libhiredis0.14,libsodium23,libsqlite3-0,libxxhash0,libzstd1
packages+=,ocl-icd-libopencl1,pocl-opencl-icd,systemd,util-linux,procps

if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap >/dev/null; then
    echo "mmdebstrap or the rights of root are not there"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for modules in environment-modules lmod; do
    echo "== Debian with $modules"
    if ! mmdebstrap --quiet --variant=minbase --include="$packages,$modules" \
        "$suite" "$work/$modules" >"$work/log" 2>&1; then
        cat "$work/log"
        ! grep -qE 'Could not (resolve|connect)|Temporary failure' "$work/log" ||
            exit 77
        exit 1
    fi
    python3 -B "$source/tests/permanent/test_recipes.py" "$source" "$build" \
        "$work/$modules" >"$work/log" 2>&1 || {
        code=$?
        cat "$work/log"
        exit "$code"
    }
    cat "$work/log"
    grep -q '^modules: /' "$work/log" || { echo "no module was loaded"; exit 1; }
    grep -q '^PoCL: warm' "$work/log" || { echo "PoCL did not run"; exit 1; }
    rm -rf "${work:?}/$modules"
done
