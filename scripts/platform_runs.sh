# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by platforms.sh, after test_runs.sh: what is tried on each platform. A
# function TIER_PLATFORM returns 0, 77 (its last line says why it was not tried),
# or something else.
: "${noted:=}" "${top:?}" "${base:?}" "${gcc_build:?}" "${runs:?}" "${jobs:?}"
: "${minutes:=}" "${resume:=no}" "${deadline:=0}"

# part NAME COMMAND ...: the first part that fails is what the row names.
part() {
    local name=$1 status=0
    shift
    echo "== $name"
    "$@" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || [ -e "$noted.step" ] ||
        echo "$name" >"$noted.step"
    return "$status"
}

# optional NAME COMMAND ...: the same of a part whose 77 is no 77 of the row.
optional() {
    local status=0
    part "$@" || status=$?
    [ "$status" = 77 ] || return "$status"
    echo "$1" >"$noted.left_out"
}

# counted LOG: how many ran, of what, and how many failed; of a run that was ended,
# which has no last line, those that it told.
counted() {
    awk '/^[0-9]+ files, [0-9]+ failed$/ { all += $1; bad += $3; kind = "files" }
        /^[0-9]+ passed in an earlier part$/ { all += $1; kind = "tests" }
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
            told++; if (!/ Passed /) failed++; kind = "tests" }
        /^[0-9]+% tests passed, [0-9]+ tests? failed out of/ {
            all += $NF; bad += $4; kind = "tests"; told = failed = 0 }
        END { print all + told, kind ? kind : "-", bad + failed }' "$1"
}

# reached LOG: how far its tests came.
reached() {
    sed -n 's/^ *\([0-9]*\)\/\([0-9]*\) Test *#.*/after \1 of \2 tests/p' "$1" |
        tail -n 1
}

# first_failure LOG: its first words that say what failed.
first_failure() {
    grep -m 1 -E '(error:|Error |\*\*\*(Failed|Timeout|Exception)|FAILED|: status)' \
        "$1" | cut -c 1-100 || tail -n 1 "$1"
}

# ---- The time of a row ----------------------------------------------------------

# deadline_of PLATFORM TIER: when its row is to end, in this shell's SECONDS; 0:
# there is no limit.
deadline_of() {
    local limit=$minutes
    case $2-$1 in
    merge-*) limit=0 ;;
    full-trixie | full-sid) limit=${limit:-120} ;;
    *) limit=${limit:-25} ;;
    esac
    [ "$limit" = 0 ] && echo 0 || echo $((SECONDS + 60 * limit))
}

# within COMMAND ...: until the row's deadline; 75 if it was ended then. It has a
# process group, of which all ends with it: ctest leaves its tests running.
within() (
    status=0
    [ "$deadline" != 0 ] || { "$@"; exit; }
    rest=$((deadline - SECONDS))
    [ "$rest" -gt 0 ] || exit 75
    set -m
    "$@" &
    work=$!
    trap 'kill -TERM -- "-$work" 2>/dev/null' INT TERM HUP
    { sleep "$rest" && kill -TERM -- "-$work"; } 2>/dev/null &
    clock=$!
    wait "$work" || status=$?
    if kill -- "-$clock" 2>/dev/null; then exit "$status"; fi
    sleep 5
    kill -KILL -- "-$work" 2>/dev/null
    echo "not finished: its time is over"
    exit 75
)

# ---- The product compiles -----------------------------------------------------

# product COMPILER OPTIONS ...: of compile_for.py.
product() {
    [ -f "$gcc_build/compile_commands.json" ] ||
        { echo "no build in $gcc_build"; return 77; }
    scripts/compile_for.py --build "$gcc_build" --compiler "$@"
}

merge_arm64() {
    command -v aarch64-linux-gnu-gcc >/dev/null ||
        { echo "no aarch64-linux-gnu-gcc"; return 77; }
    part compile product aarch64-linux-gnu-gcc --other-processor \
        --headers "$base/headers-arm64"
}

# Debian 12's musl has neither renameat2() nor statx().
merge_musl() {
    command -v musl-gcc >/dev/null || { echo "no musl-gcc"; return 77; }
    part compile product musl-gcc --headers "$base/headers-musl" \
        --replace src/platform/linux_calls.c=src/platform/linux_calls_absent.c
}

# -Wno-psabi: notes about layouts that no two compilers share here.
merge_i386() {
    echo 'int main(void){return 0;}' >"$base/probe.c"
    gcc -m32 "$base/probe.c" -o "$base/probe" 2>/dev/null ||
        { echo "gcc -m32 does not work"; return 77; }
    part compile product gcc --option=-m32 --option=-Wno-psabi \
        --option=-D_FILE_OFFSET_BITS=64 \
        --headers "$base/headers-i386"
}

# ---- Tests are built and run ----------------------------------------------------

# without PLATFORM PATTERN: the names in its list that match, one a line.
without() {
    sed -n "s/^\\($2\\) .*/\\1/p" "scripts/platforms/$1.txt" 2>/dev/null
}

# configured NAME OPTIONS ...: a build with the toolchain in the folder NAME, of the
# sources by a link beside it: from whichever clone it is asked for, the compiler
# sees the same names, and ccache what it has compiled. Of another clone's sources
# nothing is taken for built: they may be older, and different.
configured() {
    local name=$1 sources=$base/$1/sources
    shift
    if [ "$(readlink "$sources")" != "$top" ] ||
        ! grep -qxFs "CMAKE_HOME_DIRECTORY:INTERNAL=$sources" \
            "$base/$name/build/CMakeCache.txt"; then
        rm -rf "$base/$name/build"
        ln -sfn "$top" "$sources" || return
    fi
    cmake -S "$sources" -B "$base/$name/build" -G Ninja -DDNNL_CACHE_WERROR=ON \
        -DCMAKE_TOOLCHAIN_FILE="$base/$name/toolchain.cmake" \
        -DDNNL_CACHE_BENCH=OFF -DDNNL_CACHE_PYTHON=OFF \
        -DDNNL_CACHE_TEST_QUICK=ON -DDNNL_CACHE_TEST_TIMEOUT="$seconds_a_test" \
        "$@"
}
seconds_a_test=600

# built NAME CTEST_OPTIONS ...: the programs of those tests, and what
# extra_targets names.
built() {
    local build=$base/$1/build programs
    shift
    mapfile -t programs < <(scripts/test_programs.py "$build" "$@")
    [ "${#programs[@]}" -gt 0 ] || { echo "error: no tests"; return 1; }
    NINJA_STATUS='[%p] ' ninja -C "$build" -k 0 -j "$jobs" "${programs[@]}" \
        "${extra_targets[@]}"
}
extra_targets=()

# passed_before NAME: the tests that have passed with the same sources, one a line.
# What a run tells goes to NAME/tests.log, behind a line with their state.
passed_before() {
    local log=$base/$1/tests.log state
    state=$(state_of_sources)
    if [ "$resume" = no ] || [ -z "$state" ] ||
        [ "$(head -n 1 "$log" 2>/dev/null)" != "$state" ]; then
        echo "$state" >"$log"
    fi
    sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([A-Za-z0-9_]*\) .* Passed .*/\1/p' \
        "$log" | sort -u
}

# told NAME COMMAND ...
told() {
    local log=$base/$1/tests.log
    shift
    "$@" 2>&1 | tee -a "$log"
}

# tests_of NAME CTEST_OPTIONS ...: built and run; launcher as in test_runs.sh.
tests_of() {
    local name=$1 entries passed
    shift
    mapfile -t passed < <(passed_before "$name")
    entries=$({ without "$name" '[A-Za-z0-9_]*'; printf '%s\n' "${passed[@]}"; } |
        grep . | paste -sd '|')
    local options=("$@" -LE '^(device|merge|full|checks|package|headers)$'
        -E "^(${entries:-none})\$")
    DNNL_CACHE_TEST_WITHOUT=$(without "$name" '[A-Za-z0-9_]*[.][A-Za-z0-9_]*' |
        paste -sd :)
    export DNNL_CACHE_TEST_WITHOUT
    if [ "${#passed[@]}" -gt 0 ]; then
        echo "${#passed[@]} passed in an earlier part"
        scripts/test_programs.py "$base/$name/build" "${options[@]}" \
            >/dev/null || return 0
    fi
    part build within built "$name" "${options[@]}" &&
        part tests within told "$name" \
            run_tests "$name" "$name/build" "${options[@]}"
}

emulated() {
    local status=0
    scripts/in_emulation.py "$1" true || status=$?
    [ "$status" = 0 ] || return 77
}

full_arm64() {
    local seconds_a_test=1200
    local launcher=(scripts/in_emulation.py arm64)
    local extra_targets=(persistent_cache build_counter_layer)
    emulated arm64 && part packages scripts/cross_root.sh arm64 "$base/arm64" &&
        part configure configured arm64 || return
    tests_of arm64 -L '^(unit|fuzz|stores|tools|threads|api)$' || return
    optional demo within demo_arm64
}

# this_machines PROGRAM ...: copies of them, in the folder that is printed.
this_machines() {
    local folder=$base/programs name
    mkdir -p "$folder"
    for name; do
        cp -L "$(type -P "$name")" "$folder/" || return
    done
    echo "$folder"
}

# In ARM's root, whose compiler PoCL calls. It has no shell, and what emulates its
# programs is this machine's, with this machine's libraries.
demo_arm64() {
    local libraries=/usr/lib/x86_64-linux-gnu programs
    command -v bwrap >/dev/null || { echo "no bwrap"; return 77; }
    programs=$(this_machines awk bash cat cmp dd dirname env find grep head mkdir \
        mktemp nproc od realpath rm sed sort stat tail tr wc) || return
    mkdir -p "$base/arm64/root$libraries" "$base/arm64/root/usr/lib64"
    scripts/in_emulation.py arm64 bwrap --bind "$base/arm64/root" / \
        --dev-bind /dev /dev --bind /proc /proc --ro-bind /sys /sys --tmpfs /tmp \
        --ro-bind /lib64 /usr/lib64 --ro-bind "$libraries" "$libraries" \
        --bind "$base" "$base" --ro-bind "$top" "$top" --chdir "$top" \
        --unsetenv OCL_ICD_VENDORS --setenv HOME /tmp --setenv TMPDIR /tmp \
        --setenv PATH "$programs:/usr/bin" \
        bash scripts/demo.sh --as-is --build "$base/arm64/build"
}

full_s390x() {
    local seconds_a_test=1200
    # shellcheck disable=SC2034 # run_tests
    local launcher=(scripts/in_emulation.py s390x)
    local extra_targets=(blob_exchange)
    emulated s390x && part packages scripts/cross_root.sh s390x "$base/s390x" &&
        part configure configured s390x -DDNNL_CACHE_LOADER=OFF || return
    tests_of s390x -L '^(unit|fuzz|stores)$' || return
    part "blobs of one and the other" within exchanged
}

# on_driver BUILD DRIVER COMMAND ...: with that fake driver of the build's.
on_driver() {
    local vendors=$1/tests/fake_opencl/vendors$2
    shift 2
    OCL_ICD_VENDORS=$vendors "$@"
}

# Blobs that a big-endian machine wrote, here, and the reverse: intact, and stale,
# since its driver has other files. Of one driver they are the same bytes but for a
# checksum and a digest of those files.
exchanged() {
    local here=$gcc_build there=$base/s390x/build blobs=$base/s390x/blobs status=0
    local emulator=(scripts/in_emulation.py s390x) driver name
    ninja -C "$here" -j "$jobs" blob_exchange ||
        { echo "error: no build in $here"; return 1; }
    for driver in "" _rebuilt; do
        rm -rf "$blobs"
        mkdir -p "$blobs"/{here,there}
        on_driver "$here" "$driver" "$here/bin/blob_exchange" write "$blobs/here" &&
            on_driver "$there" "$driver" "${emulator[@]}" \
                "$there/bin/blob_exchange" write "$blobs/there" || return
        on_driver "$here" "" "$here/bin/blob_exchange" stale "$blobs/there" ||
            { echo "FAILED: written there, read here"; status=1; }
        on_driver "$there" "" "${emulator[@]}" "$there/bin/blob_exchange" stale \
            "$blobs/here" || { echo "FAILED: written here, read there"; status=1; }
        for name in engine program; do
            are_alike "$blobs"/{here,there}/"$name.blob" ||
                { echo "FAILED: $name: other bytes"; status=1; }
        done
    done
    return "$status"
}

# 16 bytes of checksum and 32 of the digest may differ.
are_alike() {
    [ "$(stat -c %s "$1")" = "$(stat -c %s "$2")" ] &&
        [ "$(cmp -l "$1" "$2" | wc -l)" -le 48 ]
}

full_musl() {
    part libraries scripts/musl_root.sh "$base/musl" &&
        part configure configured musl -DBUILD_SHARED_LIBS=OFF \
            -DDNNL_CACHE_TEST_PLAIN=ON -DDNNL_CACHE_TOOLS=OFF \
            -DDNNL_CACHE_EXAMPLES=OFF -DDNNL_CACHE_LOADER=OFF &&
        tests_of musl -L '^(unit|fuzz|stores)$'
}

full_i386() {
    part packages scripts/cross_root.sh i386 "$base/i386" &&
        part configure configured i386 -DCMAKE_C_COMPILER=gcc \
            -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_FLAGS="-m32 -Wno-psabi" &&
        tests_of i386 -L '^(unit|fuzz|model)$'
}

# ---- Another Debian ---------------------------------------------------------------

# in_debian NAME COMMAND ...: with the sources and this folder where they are here.
in_debian() {
    local system=$base/$1/root history
    shift
    # A worktree has its commits elsewhere.
    history=$(git -C "$top" rev-parse --path-format=absolute --git-common-dir \
        2>/dev/null) || history=$top
    DNNL_CACHE_TEST_JOBS=$jobs entered "$system" "$history" "$@"
}

entered() {
    local system=$1 history=$2
    shift 2
    # Expanded by the shell inside.
    # shellcheck disable=SC2016
    unshare --mount sh -c '
        root=$1 top=$2 base=$3 history=$4
        shift 4
        mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
            mount --rbind /dev "$root/dev" || exit 77
        for folder in "$history" "$top" "$base"; do
            mkdir -p "$root$folder" &&
                mount --bind "$folder" "$root$folder" || exit 77
        done
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            LC_ALL=C.UTF-8 HOME=/root ${http_proxy:+http_proxy="$http_proxy"} \
            ${https_proxy:+https_proxy="$https_proxy"} \
            CCACHE_DIR="$base/ccache" \
            DNNL_CACHE_TEST_JOBS="$DNNL_CACHE_TEST_JOBS" \
            DNNL_CACHE_TEST_DIR="$base/test-$(basename "${root%/root}")" \
            sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$top" "$@"' \
        sh "$system" "$top" "$base" "$history" "$@"
}

# debian SUITE: that system with what the tests need; kept for the next time.
debian() {
    local folder=$base/$1 packages options=()
    packages=$(scripts/install_packages.sh --list test)
    packages+=" ccache clang"
    [ "$(cat "$folder/made" 2>/dev/null)" != "$packages" ] || return 0
    [ "$(id -u)" = 0 ] || { echo "only root can enter another root"; return 77; }
    command -v mmdebstrap >/dev/null || { echo "no mmdebstrap"; return 77; }
    rm -rf --one-file-system "$folder/root" "$folder/made"
    mkdir -p "$folder"
    # A mirror of sid may be older than the mirror says it should be.
    [ "$1" != sid ] || options=(--aptopt='Acquire::Check-Valid-Until "false"')
    mmdebstrap --variant=apt --mode=root --include="${packages// /,}" \
        "${options[@]}" "$1" "$folder/root" >"$folder/log" 2>&1 ||
        { tail -n 20 "$folder/log"; echo "mmdebstrap could not make it"; return 77; }
    apt-config dump Acquire 2>/dev/null |
        grep -iE '^Acquire::(https?|ftp)::' \
            >"$folder/root/etc/apt/apt.conf.d/99test" || true
    cp -L /etc/resolv.conf /etc/hosts "$folder/root/etc/" 2>/dev/null || true
    echo "$packages" >"$folder/made"
}

# Newer compilers know warnings that ours do not, newer libraries names that were
# ours.
tests_in() {
    part packages debian "$1" &&
        part "scripts/test.sh" within in_debian "$1" scripts/test.sh &&
        part "compile, clang" within in_debian "$1" scripts/compile_for.py \
            --build "$base/test-$1/gcc" --compiler clang
}

full_trixie() {
    tests_in trixie
}

full_sid() {
    tests_in sid
}
