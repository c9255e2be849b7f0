#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: platforms.sh [--tier merge|full] [--build DIR] [--folder DIR] [--must]
#                     [--resume] [--minutes N] [PLATFORM ...]
# What of other platforms this machine can try, a row for each platform and tier:
# how many files were compiled, or tests run, how many of them failed, and the
# first step that did. Warnings are errors.
#
# merge: the product compiles; nothing is linked.
#   arm64   64-bit ARM and glibc (gcc-aarch64-linux-gnu)
#   musl    musl (musl-tools)
#   i386    32-bit x86 and glibc (gcc-multilib)
# full: that, and tests are built and run.
#   arm64   tests without a driver, by qemu-user (g++-aarch64-linux-gnu); the demo
#           on PoCL for ARM
#   s390x   big-endian, by qemu-user (g++-s390x-linux-gnu): tests of units, fuzz
#           targets and stores; blobs written there are read here, and the reverse
#   musl    tests of units, fuzz targets and stores, linked statically
#   i386    tests of units, fuzz targets and the model loader
#   trixie  scripts/test.sh, and the product compiles with clang, in a Debian 13
#           that mmdebstrap makes (root only)
#   sid     the same in what becomes the next Debian; only if it is named
#
# Without names: all of the tier. A platform that cannot be tried here says so and
# is "not tried"; a row of which only a part cannot be tried says which ("without
# demo"). --must makes both a failure. Tests that a platform cannot run are
# in scripts/platforms/NAME.txt, with the reason.
#   --build DIR   a finished build of gcc's, for merge, and for s390x the other side
#                 of blobs (build-test/gcc; if that is not there, build)
#   --folder DIR  where roots of other systems and builds are kept (build-test/platforms);
#                 logs: DIR/NAME-TIER.log
#   --resume      leaves out what has passed in this folder of the same sources:
#                 after a run that was ended, or with a failure that may be chance.
#                 Such a row counts what passed then, and says "in parts"
#   --minutes N   what the full row of one platform may take (25; of another Debian
#                 120; 0: no limit). Then it is ended, and is "not finished", as is
#                 one that is killed: never ok. A test of these rows has 10 minutes,
#                 in emulation 20
# Exit status: 0 nothing failed, 1 something did, 2 wrong usage.
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
gcc_build=$top/build-test/gcc
[ -d "$gcc_build" ] || gcc_build=$top/build
base=$top/build-test/platforms
tier=merge
must=no
resume=no
minutes=
platforms=()
while [ $# -gt 0 ]; do
    case $1 in
    --build) gcc_build=${2:?--build needs a folder}; shift ;;
    --folder) base=${2:?--folder needs a folder}; shift ;;
    --tier) tier=${2:?--tier needs a name}; shift ;;
    --must) must=yes ;;
    --resume) resume=yes ;;
    --minutes)
        minutes=${2:?--minutes needs a number}
        [[ $minutes =~ ^[0-9]+$ ]] ||
            { echo "platforms.sh: not a number: $minutes" >&2; exit 2; }
        shift
        ;;
    -h | --help) sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"; exit 0 ;;
    arm64 | s390x | musl | i386 | trixie | sid) platforms+=("$1") ;;
    *) echo "platforms.sh: what is \"$1\"? See --help." >&2; exit 2 ;;
    esac
    shift
done
case $tier in
merge | full) ;;
*) echo "platforms.sh: no tier \"$tier\"" >&2; exit 2 ;;
esac
[ "${#platforms[@]}" -gt 0 ] || platforms=(arm64 s390x musl i386 trixie)
mkdir -p "$base" || exit 2
base=$(cd "$base" && pwd)
root=$top
runs=$base/runs
jobs=${DNNL_CACHE_TEST_JOBS:-$(nproc)}
cd "$top" || exit 2
. scripts/test_runs.sh
. scripts/platform_runs.sh
choose_environment

# row PLATFORM TIER: what was done, and how it went.
row() {
    local log=$base/$1-$2.log status=0 result=ok step=- counts
    local noted=$base/$1-$2 # of part() and optional(); runs share the folder
    local deadline
    deadline=$(deadline_of "$1" "$2")
    rm -f "$noted.step" "$noted.left_out"
    ("$2_$1") >"$log" 2>&1 || status=$?
    case $status in
    0)
        if [ -s "$noted.left_out" ]; then
            step="without $(cat "$noted.left_out")"
            [ "$must" = no ] || failed=1
        fi
        grep -q '^[0-9]* passed in an earlier part$' "$log" && result="in parts"
        ;;
    75)
        result="not finished"
        failed=1
        step="$(cat "$noted.step" 2>/dev/null), $(reached "$log")"
        ;;
    77)
        result="not tried"
        step=$(tail -n 1 "$log")
        [ "$must" = no ] || failed=1
        ;;
    *)
        result=FAILED
        failed=1
        step="$(cat "$noted.step" 2>/dev/null): $(first_failure "$log")"
        ;;
    esac
    counts=$(counted "$log")
    # shellcheck disable=SC2086 # three words
    printf '%-8s %-6s %-12s %6s %-5s %6s  %s\n' "$1" "$2" "$result" \
        $counts "$step"
}

failed=0
printf '%-8s %-6s %-12s %6s %-5s %6s  %s\n' platform tier result run of failed \
    "first failing step"
for platform in "${platforms[@]}"; do
    for each in merge full; do
        [ "$each" = merge ] || [ "$tier" = full ] || continue
        [ "$(type -t "${each}_$platform")" = function ] || continue
        row "$platform" "$each"
    done
done
exit "$failed"
