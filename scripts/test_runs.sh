# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by test.sh and flake_campaign.sh: builds, and runs of their tests that
# disturb no other run and leave nothing behind.
#
# Needs: root (the sources), base (the folder of the builds), runs (the folder
# for results), jobs (processes at a time). launcher may name a command that
# ctest is run with, targets what of a build is made, and pocl_cache a folder that
# runs share for what PoCL compiles.
: "${root:?}" "${base:?}" "${runs:?}" "${jobs:?}"

# The tests choose what they need; a developer's settings stay outside.
choose_environment() {
    local name suppressions=$root/scripts/sanitizers
    export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
    unset CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS
    for name in "${!XDG_@}" "${!OPENCL_@}" "${!OCL_@}" "${!POCL_@}" \
        "${!RUSTICL_@}" "${!MESA_@}" "${!OCLGRIND_@}" "${!CL_CONFIG_@}" \
        "${!GTEST_@}" "${!FAKE_OPENCL_@}" "${!ONEDNN_@}" "${!DNNL_@}"; do
        case $name in
        DNNL_CACHE_TEST_PLATFORM | DNNL_CACHE_TEST_LONG) ;;
        DNNL_CACHE_TEST_*) continue ;;
        esac
        unset "$name"
    done
    # A compiler cache below HOME stays where it is when tests get another HOME.
    if [ -z "${CCACHE_DIR:-}" ] && command -v ccache >/dev/null; then
        CCACHE_DIR=$(ccache --get-config cache_dir) && export CCACHE_DIR
    fi
    # What has not changed since another run, of whatever tier, is not compiled again.
    if command -v ccache >/dev/null; then
        export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
        export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    fi
    # GCC 12's guess at the size of thread-local storage in a module that is
    # loaded later, as drivers are, is wrong where that lies 16 bytes into a
    # page: LeakSanitizer dies of reading it. And the thread in which PoCL
    # compiles first gets another stack for signals from LLVM: when it ends,
    # AddressSanitizer takes that for its own, and dies of freeing it. What a
    # test opens outlives its body, so that pointers to locals are watched.
    export ASAN_OPTIONS="intercept_tls_get_addr=0:use_sigaltstack=0:detect_stack_use_after_return=1"
    export LSAN_OPTIONS="suppressions=$suppressions/lsan.txt:print_suppressions=0"
    export UBSAN_OPTIONS="print_stacktrace=1"
    export TSAN_OPTIONS="suppressions=$suppressions/tsan.txt:ignore_noninstrumented_modules=1:history_size=4"
}

# state_of_sources: of the commit and what was changed since; nothing if that cannot
# be told.
state_of_sources() {
    local commit
    commit=$(git -C "$root" rev-parse HEAD 2>/dev/null) || return 0
    { echo "$commit"; git -C "$root" diff HEAD; } | sha256sum | cut -c 1-16
}

# ---- Builds ----------------------------------------------------------------

# build NAME CMAKE_OPTIONS ...: make would take half a minute of processor time
# for going through the targets alone.
build() {
    local dir=$base/$1
    shift
    if [ -f "$dir/CMakeCache.txt" ] &&
        ! grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$dir/CMakeCache.txt"; then
        rm -rf "$dir"
    fi
    cmake -S "$root" -B "$dir" -G Ninja -DDNNL_CACHE_WERROR=ON "$@" &&
        NINJA_STATUS='[%p] ' cmake --build "$dir" -j "$jobs" "${targets[@]}"
}
targets=()

# gcc_build [quick]: all, or what the quick tier's tests need.
gcc_build() {
    build gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        "-DDNNL_CACHE_TEST_QUICK=$([ "${1:-}" = quick ] && echo ON || echo OFF)"
}

# sanitizer_build NAME SANITIZERS CMAKE_OPTIONS ...: with asserts.
sanitizer_build() {
    local name=$1 sanitizers=$2
    shift 2
    build "$name" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2" \
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1" \
        -DDNNL_CACHE_SANITIZE="$sanitizers" -DDNNL_CACHE_BENCH=OFF \
        -DDNNL_CACHE_TEST_QUICK=OFF "$@"
}

# What asan_quick_tests runs.
asan_quick_build() {
    sanitizer_build asan address,undefined -DDNNL_CACHE_TEST_QUICK=ON
}

# What tsan_quick_tests runs.
tsan_quick_build() {
    local targets=(--target dnnl_cache_tests_of_threads)
    sanitizer_build tsan thread
}

# ---- Runs ------------------------------------------------------------------

# Which of a build's tests run where: labels of ctest (CONTRIBUTING.md).
# Here, in test.sh and in flake_campaign.sh.
slower_than_quick='^(merge|full)$'
# Tests of the tree, not of the code; once is enough. Here and in test.sh.
tree='^(headers|checks|package)$'
# Not here, but in those two.
# shellcheck disable=SC2034
{
    slower_than_merge='^full$'
    # What needs no OpenCL driver but the fake one.
    without_driver='^(unit|fuzz|stores|tools|threads|api)$'
}

# one_driver NAME LIBRARY: a folder for OCL_ICD_VENDORS with that driver alone,
# whatever else the machine has: every driver is asked for its devices when a
# test asks for platforms, and some (Mesa's) leak then, which AddressSanitizer
# takes for a fault of the test's.
one_driver() {
    mkdir -p "$base/vendors/$1" &&
        echo "$2" >"$base/vendors/$1/$1.icd"
}

# The driver that a file of the system's own names.
system_driver() {
    local file=/etc/OpenCL/vendors/$1.icd library
    library=$(head -n 1 "$file") || return
    if [ -z "$library" ]; then
        echo "$file names no driver"
        return 1
    fi
    one_driver "$1" "$library"
}

# nothing_left FOLDER ...: what tests left in folders that programs use unasked.
nothing_left() {
    local left
    left=$(find "$@" -mindepth 1 | head -n 20)
    [ -z "$left" ] && return
    echo "the tests left files behind in HOME or TMPDIR:"
    echo "$left"
    return 1
}

# temporary_folder FOLDER: its path, or of another one if FOLDER is in a folder
# of root's alone (a clone in /root), as some tests of root become another user,
# or its path is too long for the sockets that tests make 50 bytes below it.
temporary_folder() {
    local longest=57
    mkdir -p "$1" && chmod 711 "$1"
    if [ "${#1}" -le "$longest" ] && { [ "$(id -u)" != 0 ] ||
        setpriv --reuid 65534 --clear-groups test -x "$1" 2>/dev/null; }; then
        echo "$1"
    else
        rmdir "$1"
        set -- "$(mktemp -d)" && chmod 711 "$1" && echo "$1"
    fi
}

# memory_folder RUN: a folder of a run's in memory, empty, where there is room; its
# name is the run's, so that the next one removes what a killed one left.
memory_folder() {
    local folder
    folder=/dev/shm/dnnl_cache_test.$(printf %s "$1" | sha256sum | cut -c1-16)
    rm -rf "$folder" 2>/dev/null
    [ "$(df --output=avail -B 1M /dev/shm 2>/dev/null | tail -n 1)" -ge 2048 ] \
        2>/dev/null && mkdir -m 711 "$folder" 2>/dev/null && echo "$folder"
}

# in_memory COMMAND ...: runs in it keep their temporary files in memory where that
# is large enough. Stores on a disk wait for it most of the time; the tests of the
# other runs have theirs there.
in_memory() {
    local prefers_memory=1
    "$@"
}
prefers_memory=

# in_run RUN COMMAND ...: with a HOME, a folder for temporary files and drivers'
# caches of the run's own, but for pocl_cache; fails if the command succeeds and
# HOME or temporary files are left. In a shell of its own, so that it cleans up if
# it is ended.
in_run() (
    run=$1 rc=0 tmp=
    shift
    # What ends this shell ends all of its group, again and again.
    trap 'trap "" INT TERM HUP
        rm -rf "${run:?}"/{home,pocl,mesa,rustup,digests} "$tmp"' EXIT
    trap 'exit 143' INT TERM HUP
    # A run that was killed left them.
    rm -rf "${run:?}"/{home,tmp,pocl,mesa,rustup,digests}
    mkdir -p "$run"/{home,pocl,mesa}
    [ -n "$prefers_memory" ] && tmp=$(memory_folder "$run")
    [ -n "$tmp" ] || tmp=$(temporary_folder "$run/tmp") || exit 1
    mkdir -p "${pocl_cache:-$run/pocl}"
    # pip asks for the version of Rust's compiler, if there is one; rustup's makes
    # a folder in HOME then.
    HOME="$run/home" TMPDIR="$tmp" POCL_CACHE_DIR="${pocl_cache:-$run/pocl}" \
        MESA_SHADER_CACHE_DIR="$run/mesa" RUSTUP_HOME="$run/rustup" \
        DNNL_CACHE_FILE_DIGESTS="$run/digests" \
        OCL_ICD_VENDORS="$base/vendors/pocl" "$@" || rc=$?
    # A test that a signal or a sanitizer ended could not clean up, and has
    # failed already.
    [ "$rc" != 0 ] || nothing_left "$run/home" "$tmp" || rc=1
    exit "$rc"
)

# Many tests wait, for a disk, a server or one another: three at a time leave two
# processors idle a fifth of the time.
tests_at_a_time=$((2 * jobs))

# run_tests NAME BUILD CTEST_OPTIONS ...: results in $runs/NAME.
run_tests() {
    local run=$runs/$1 dir=$base/$2
    shift 2
    rm -rf "$run"
    mkdir -p "$run/gtest"
    # Which drivers the tests use: check_conformance.py asks.
    ctest --test-dir "$dir" --show-only=json-v1 "$@" >"$run/tests.json" ||
        return
    GTEST_OUTPUT="xml:$run/gtest/" in_run "$run" "${launcher[@]}" \
        ctest --test-dir "$dir" --output-on-failure --no-tests=error \
        -j "$tests_at_a_time" --output-junit "$run/ctest.xml" \
        --output-log "$run/ctest.log" "$@"
}
launcher=()
pocl_cache=

# ThreadSanitizer's memory map does not stand much randomization.
without_randomization() {
    local launcher=()
    if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
    "$@"
}

# A third of those that use a driver: most of what they take is its, which is not
# instrumented, and what the library does for it has tests on the fake driver.
asan_quick_tests() {
    local rc=0 others="$tree|^no_asan\$|$slower_than_quick"
    run_tests asan asan -LE "$others|^device\$" || rc=1
    a_third run_tests asan-device asan -L '^device$' -LE "$others" || rc=1
    return "$rc"
}

# Drivers are not instrumented: what they do looks like races. What is slow has all
# its tests in gcc's build.
tsan_quick_tests() {
    local rc=0
    without_randomization run_tests tsan tsan -L '^threads$' \
        -LE "^device\$|$slower_than_quick" || rc=1
    without_randomization a_third run_tests tsan-merge tsan -L '^threads$' \
        -L '^merge$' -LE "^(device|full)\$" || rc=1
    return "$rc"
}

# a_third COMMAND ...: runs in it have a third of each program's tests, another one
# for each state of the sources; all with DNNL_CACHE_TEST_WHOLE
# (tests/harness/harness.cpp).
a_third() {
    local launcher=("${launcher[@]}" env DNNL_CACHE_TEST_SHARE=3)
    "$@"
}
