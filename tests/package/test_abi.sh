#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_abi.sh SOURCE
# The libraries of this tree fit the dumps of their interfaces in abi/; and the check
# finds a function that is gone, a constant with another value and a structure of
# another size, each planted in a copy of the dumps.
set -euo pipefail

source=$1
check=$source/scripts/check_abi.sh
for command in abidw abidiff xz; do
    command -v "$command" >/dev/null || { echo "skipped: no $command"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== this tree"
"$check" --build "$work/build"

# planted NAME LIBRARY SED: the check has to fail, and to name the library.
planted() {
    local name=$1 library=$2 status=0
    echo "== $name"
    rm -rf "$work/dumps"
    cp -r "$source/abi" "$work/dumps"
    xz -d <"$source/abi/$library.abi.xz" | sed "$3" >"$work/changed"
    ! cmp -s "$work/changed" <(xz -d <"$source/abi/$library.abi.xz") ||
        { echo "FAILED: nothing was planted"; exit 1; }
    xz <"$work/changed" >"$work/dumps/$library.abi.xz"
    "$check" --build "$work/build" --dumps "$work/dumps" >"$work/log" 2>&1 ||
        status=$?
    if [ "$status" != 1 ] ||
        ! grep -q "^$library: not compatible" "$work/log" ||
        ! grep -q "$4" "$work/log"; then
        cat "$work/log"
        echo "FAILED: status $status"
        exit 1
    fi
    grep -m 1 "$4" "$work/log"
}
planted "a function that is gone" libdnnl_cache \
    's/dnnl_cache_blob_inspect/dnnl_cache_blob_gone/' dnnl_cache_blob_gone
planted "a constant with another value" libdnnl_cache \
    "s/<enumerator name='dnnl_runtime_error' value='[0-9]*'/<enumerator name='dnnl_runtime_error' value='99'/" \
    dnnl_runtime_error
planted "a structure of another size" libdnnl_cache_stores \
    "/<class-decl name='dnnl_cache_store_chain_options'/s/size-in-bits='[0-9]*'/size-in-bits='64'/" \
    dnnl_cache_store_chain_options

echo "== another SONAME"
cp "$source"/abi/*.xz "$work/dumps"
xz -d <"$source/abi/libdnnl_cache.abi.xz" |
    sed "s/soname='libdnnl_cache.so.[0-9]*'/soname='libdnnl_cache.so.old'/
         s/dnnl_cache_blob_inspect/dnnl_cache_blob_gone/" |
    xz >"$work/dumps/libdnnl_cache.abi.xz"
"$check" --build "$work/build" --dumps "$work/dumps"
echo "abi: compatible"
