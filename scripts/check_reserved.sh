#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_reserved.sh BUILD
# Functions of the product, static ones too, have no name that the C library
# defines or that C23 gives to it: with a newer library's headers they would not
# compile. BUILD is a finished build.
set -euo pipefail

build=$1
# C23's that glibc 2.36 (Debian 12) does not have.
newer=(free_aligned_sized free_sized memalignment memset_explicit strfromd128
    unreachable)
# The tool defines these on purpose, for drivers that it loads.
meant=(fdatasync fsync)

mapfile -t objects < <(find "$build"/{src,stores,layer,tools,model} -name '*.o' \
    -not -path '*/tests/*')
[ "${#objects[@]}" -gt 100 ] || { echo "no build in $build" >&2; exit 2; }
library=$(ldd "$(command -v bash)" | sed -n 's/.*=> \(.*libc\.[^ ]*\) .*/\1/p')
[ -f "$library" ] || { echo "no C library is found" >&2; exit 2; }
maths=$(dirname "$library")/libm.so.6

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm --defined-only "${objects[@]}" | awk '$2 ~ /^[tTW]$/ { sub(/\..*/, "", $3); print $3 }' |
    sort -u >"$work/ours"
{
    # One @: for old programs alone, no header declares it.
    nm -D --defined-only "$library" "$maths" | awk '$3 ~ /@@/ { sub(/@.*/, "", $3); print $3 }'
    printf '%s\n' "${newer[@]}"
} | sort -u >"$work/theirs"
printf '%s\n' "${meant[@]}" | sort >"$work/meant"
found=$(comm -12 "$work/ours" "$work/theirs" | comm -23 - "$work/meant")
if [ -n "$found" ]; then
    echo "names of the C library's:" >&2
    echo "$found" >&2
    exit 1
fi
echo "reserved names: none among $(wc -l <"$work/ours") functions"
