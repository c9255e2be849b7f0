#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: platforms.sh [--build DIR] [--must] [PLATFORM ...]
# What of other platforms this machine can try, one row each, and how it went:
#   arm64  the product compiles for 64-bit ARM and glibc (gcc-aarch64-linux-gnu)
#   musl   the product compiles against musl (musl-tools)
#   i386   the product compiles for 32-bit x86 and glibc (gcc-multilib)
# Warnings are errors. Without names: all of them. A platform whose compiler is not
# here is "not tried", which --must makes a failure.
#   --build DIR  a finished build of gcc's (build-test/gcc)
# Exit status: 0 nothing failed, 1 something did, 2 wrong usage.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build-test/gcc
must=no
platforms=()
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=${2:?--build needs a folder}; shift ;;
    --must) must=yes ;;
    -h | --help) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    arm64 | musl | i386) platforms+=("$1") ;;
    *) echo "platforms.sh: what is \"$1\"? See --help." >&2; exit 2 ;;
    esac
    shift
done
[ "${#platforms[@]}" -gt 0 ] || platforms=(arm64 musl i386)
[ -f "$build/compile_commands.json" ] ||
    { echo "platforms.sh: no build in $build" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2317
compile() {
    "$top/scripts/compile_for.py" --build "$build" "$@"
}

# Functions that the loop at the end calls:
# shellcheck disable=SC2317
try_arm64() {
    command -v aarch64-linux-gnu-gcc >/dev/null || return 77
    compile --compiler aarch64-linux-gnu-gcc --other-processor \
        --headers "$work/arm64"
}

# Debian 12's musl has neither renameat2() nor statx().
# shellcheck disable=SC2317
try_musl() {
    command -v musl-gcc >/dev/null || return 77
    compile --compiler musl-gcc --headers "$work/musl" \
        --replace src/platform/linux_calls.c=src/platform/linux_calls_absent.c
}

# -Wno-psabi: notes about layouts that no two compilers share here.
# shellcheck disable=SC2317
try_i386() {
    echo 'int main(void){return 0;}' >"$work/i386.c"
    gcc -m32 "$work/i386.c" -o "$work/i386.out" 2>/dev/null || return 77
    compile --compiler gcc --option=-m32 --option=-Wno-psabi \
        --headers "$work/i386"
}

failed=0
for platform in "${platforms[@]}"; do
    status=0
    "try_$platform" >"$work/log" 2>&1 || status=$?
    case $status in
    0) result=ok ;;
    77)
        result="not tried"
        echo "its compiler is not here" >"$work/log"
        [ "$must" = no ] || failed=1
        ;;
    *)
        result=FAILED
        failed=1
        head -n 20 "$work/log"
        ;;
    esac
    printf '%-6s  %-9s  %s\n' "$platform" "$result" "$(tail -n 1 "$work/log")"
done
exit "$failed"
