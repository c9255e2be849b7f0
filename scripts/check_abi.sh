#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/check_abi.sh [--update] [--dumps FOLDER] [--build FOLDER]
# Compares the interface of each shared library with that of the last release, of
# which abi/ has a dump (libabigail): functions, and the types of their arguments as
# the public headers show them. What is new is listed; what is gone or different
# fails, unless the number in the library's SONAME is higher. --update writes the
# dumps: at each release, and before it if a change is meant (CONTRIBUTING.md).
# The libraries are built with debugging information, in a temporary folder or in
# that of --build. Exit status: 0 compatible, 1 not, 2 wrong usage or no libabigail.
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
dumps=$top/abi
build=
update=
while [ $# -gt 0 ]; do
    case $1 in
    --update) update=yes ;;
    --dumps | --build)
        [ $# -gt 1 ] || { echo "check_abi.sh: $1 needs a folder" >&2; exit 2; }
        mkdir -p "$2"
        printf -v "${1#--}" '%s' "$(cd "$2" && pwd)"
        shift
        ;;
    -h | --help)
        sed -n '3,10s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *)
        echo "check_abi.sh: no option $1 (--help lists them)" >&2
        exit 2
        ;;
    esac
    shift
done
for command in abidw abidiff objdump xz; do
    command -v "$command" >/dev/null ||
        { echo "check_abi.sh: no $command (scripts/install_packages.sh full)" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${build:-$work/build}
build_libraries() {
    cmake -S "$top" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON \
        -DDNNL_CACHE_TESTS=OFF -DDNNL_CACHE_EXAMPLES=OFF -DDNNL_CACHE_TOOLS=OFF \
        -DDNNL_CACHE_BENCH=OFF &&
        cmake --build "$build" -j "$(nproc)" --target dnnl_cache_shared_libraries
}
build_libraries >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

soname() {
    objdump -p "$1" | sed -n 's/^ *SONAME *//p'
}
# Types that a public header does not show in full may change.
public=(--headers-dir "$top/include" --headers-dir "$build/include")
bad=0
found=0
for link in "$build"/lib/libdnnl_cache*.so; do
    [ -n "$(soname "$link")" ] || continue # a module
    name=$(basename "$link" .so)
    found=$((found + 1))
    abidw --no-show-locs --no-corpus-path --no-comp-dir-path \
        --no-parameter-names --drop-private-types --exported-interfaces-only \
        "${public[@]}" --out-file "$work/$name.new" "$link"
    if [ -n "$update" ]; then
        xz -9e <"$work/$name.new" >"$dumps/$name.abi.xz"
        echo "$name: written"
        continue
    fi
    if [ ! -f "$dumps/$name.abi.xz" ]; then
        echo "$name: no dump; scripts/check_abi.sh --update writes it"
        bad=$((bad + 1))
        continue
    fi
    xz -d <"$dumps/$name.abi.xz" >"$work/$name.old"
    before=$(sed -n "1,/soname=/s/.* soname='\([^']*\)'.*/\1/p" "$work/$name.old")
    if [ "$before" != "$(soname "$link")" ]; then
        echo "$name: $(soname "$link") does not replace $before: not compared"
        continue
    fi
    rc=0
    abidiff --no-show-locs "$work/$name.old" "$work/$name.new" >"$work/new" || true
    abidiff --no-show-locs --no-added-syms "$work/$name.old" "$work/$name.new" \
        >"$work/report" || rc=$?
    if [ "$rc" = 0 ]; then
        echo "$name: compatible with the dump, new functions:" \
            "$(grep -c "^  \[A\] 'function" "$work/new" || true)"
        continue
    fi
    echo "$name: not compatible with the dump (abidiff: $rc)"
    cat "$work/report"
    bad=$((bad + 1))
done
[ "$found" -gt 0 ] || { echo "check_abi.sh: no library was built" >&2; exit 1; }
for dump in "$dumps"/*.abi.xz; do
    name=$(basename "$dump" .abi.xz)
    [ -e "$build/lib/$name.so" ] ||
        { echo "$name: there is a dump, and no library"; bad=$((bad + 1)); }
done
if [ "$bad" -gt 0 ]; then
    echo "Restore the interface, or raise DNNL_CACHE_SOVERSION in CMakeLists.txt" \
        "(CONTRIBUTING.md)."
    exit 1
fi
