#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: configurations.sh [--folder DIR] [--resume] [NAME ...]
# Builds the project as others may: each switch off alone, all off, without each
# package that is optional, and otherwise than usual. Warnings are errors. A row for
# each: what came of it, and seconds.
#
#   no-SWITCH       -DDNNL_CACHE_SWITCH=OFF, the rest as usual, without the tests
#   all-off         the library alone; its tests, without a driver, are run
#   without-WHAT    sqlite, libcurl, hiredis, libpng, libjpeg, gtest, git, python,
#                   clang: as on a machine that lacks it; the build says in one line
#                   what is left out
#   static, unity, lto, debug (-O0), c23 (compiled with -std=gnu2x)
#   subdirectory, fetchcontent   as a part of another project; its program is run
#
# Without names: all. Builds go to DIR (build-test/configurations) and are removed
# if they succeed; logs are kept. --resume: what has succeeded with these sources, in
# this folder, is not built again, and its row says "before".
# Exit status: 0 all built, 1 some did not, 2 wrong usage.
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
base=$top/build-test/configurations
jobs=${DNNL_CACHE_TEST_JOBS:-$(nproc)}
switches=(PRIMITIVES STORES TOOLS EXAMPLES LOADER BENCH PYTHON INSTALL)
packages=(sqlite libcurl hiredis libpng libjpeg gtest git python clang)
others=(all-off static unity lto debug c23 subdirectory fetchcontent)
known=("${switches[@]/#/no-}" "${packages[@]/#/without-}" "${others[@]}")
names=()
resume=no
while [ $# -gt 0 ]; do
    case $1 in
    --folder) base=${2:?--folder needs a folder}; shift ;;
    --resume) resume=yes ;;
    -h | --help) sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"; exit 0 ;;
    *)
        [[ " ${known[*]} " == *" $1 "* ]] ||
            { echo "configurations.sh: what is \"$1\"? See --help." >&2; exit 2; }
        names+=("$1")
        ;;
    esac
    shift
done
[ "${#names[@]}" -gt 0 ] || names=("${known[@]}")
mkdir -p "$base" || exit 2
base=$(cd "$base" && pwd)
root=$top
runs=$base/runs
. "$top/scripts/test_runs.sh"
choose_environment

# configured NAME OPTIONS ...; made NAME OPTIONS ...: that, and built. Without tests
# unless told otherwise. inside: a command that both are run with.
inside=()
configured() {
    local name=$1
    shift
    "${inside[@]}" cmake -S "$top" -B "$base/$name" -G Ninja \
        -DDNNL_CACHE_WERROR=ON -DDNNL_CACHE_TESTS=OFF "$@"
}

made() {
    configured "$@" && NINJA_STATUS='[%p] ' "${inside[@]}" \
        cmake --build "$base/$1" -j "$jobs"
}

# lacking NAME MODULES OPTIONS ...: made where pkg-config finds no such modules.
lacking() {
    local name=$1 pattern=$2 script=$base/pkg-config-$1
    shift 2
    cat >"$script" <<END
#!/bin/sh
for argument; do
    case \$argument in
    $pattern) exit 1 ;;
    esac
done
exec pkg-config "\$@"
END
    chmod +x "$script" && made "$name" -DPKG_CONFIG_EXECUTABLE="$script" "$@"
}

# hiding PROGRAMS COMMAND ...: none of these programs can be run in the build.
hiding() {
    # Expanded by the shell inside.
    # shellcheck disable=SC2016
    local inside=(unshare --user --map-root-user --mount sh -c '
        for program in $1; do
            [ ! -e "$program" ] ||
                mount --bind /dev/null "$(realpath "$program")" || exit 77
        done
        shift
        exec "$@"' sh "$1")
    shift
    "${inside[@]}" true || { echo "nothing can be hidden here"; return 77; }
    "$@"
}

# says NAME TEXT: the log says it, in one line.
says() {
    [ "$(grep -c -e "$2" "$base/$1.log")" = 1 ] && return
    echo "error: not said in one line: $2"
    return 1
}

without() {
    local name=without-$1 tests=-DDNNL_CACHE_TESTS=ON
    case $1 in
    sqlite)
        lacking "$name" 'sqlite3*' "$tests" &&
            says "$name" "SQLite not found: pack stores are left out" &&
            says "$name" "SQLite not found: the tests are left out"
        ;;
    libcurl)
        lacking "$name" 'libcurl*' "$tests" &&
            says "$name" "stores over HTTP are left out" &&
            says "$name" "libcurl 7.87 not found: the tests are left out"
        ;;
    hiredis)
        lacking "$name" 'hiredis*' "$tests" &&
            says "$name" "stores on Redis are left out" &&
            says "$name" "hiredis not found: the tests are left out"
        ;;
    libpng) lacking "$name" 'libpng*' && says "$name" "libPNG not found" ;;
    libjpeg) lacking "$name" 'libjpeg*' && says "$name" "libJPEG not found" ;;
    gtest)
        made "$name" "$tests" -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON &&
            says "$name" "GoogleTest not found: the tests are left out"
        ;;
    git) hiding "$(command -v git)" made "$name" ;;
    # Tests use them; to build is what the product's users do.
    python)
        hiding "$(command -v python3)" configured "$name" "$tests" &&
            hiding "$(command -v python3)" made "$name"
        ;;
    clang)
        hiding "$(command -v clang) $(command -v clang++)" \
            configured "$name" "$tests" && made "$name"
        ;;
    esac
}

# consumer NAME OPTIONS ...: another project, and its program.
consumer() {
    local name=$1
    shift
    cmake -S "$top/tests/package/subdirectory" -B "$base/$name" -G Ninja \
        -DDNNL_CACHE_SOURCE="$top" -DDNNL_CACHE_STORES=ON "$@" &&
        cmake --build "$base/$name" -j "$jobs" && "$base/$name/consumer"
}

# The tests of a build of the library alone.
library_tests() {
    local options=(-L '^(unit|fuzz|api)$' -LE '^(device|merge|full)$') programs
    mapfile -t programs < <("$top/scripts/test_programs.py" "$base/$1" \
        "${options[@]}")
    ninja -C "$base/$1" -j "$jobs" "${programs[@]}" &&
        run_tests "$1" "$1" "${options[@]}"
}

configuration() {
    local name=$1 all_off=() switch
    case $name in
    no-PYTHON) made "$name" -DDNNL_CACHE_PYTHON=OFF ;;
    # Off unless tests are built.
    no-*) made "$name" -DDNNL_CACHE_PYTHON=ON "-DDNNL_CACHE_${name#no-}=OFF" ;;
    without-*) without "${name#without-}" ;;
    all-off)
        for switch in "${switches[@]}"; do
            all_off+=("-DDNNL_CACHE_$switch=OFF")
        done
        made "$name" "${all_off[@]}" &&
            configured "$name" "${all_off[@]}" -DDNNL_CACHE_TESTS=ON &&
            library_tests "$name"
        ;;
    static) made "$name" -DBUILD_SHARED_LIBS=OFF ;;
    unity) made "$name" -DCMAKE_UNITY_BUILD=ON ;;
    lto) made "$name" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON ;;
    debug) made "$name" -DCMAKE_BUILD_TYPE=Debug ;;
    c23)
        made "$name" && "$top/scripts/compile_for.py" --build "$base/$name" \
            --compiler gcc --option=-std=gnu2x
        ;;
    subdirectory) consumer "$name" ;;
    fetchcontent) consumer "$name" -DCONSUMER_FETCHES=ON ;;
    esac
}

failed=0
state=$(state_of_sources)
printf '%-18s %-9s %5s  %s\n' configuration result s "first words of a failure"
for name in "${names[@]}"; do
    started=$SECONDS status=0 words=
    if [ "$resume" = yes ] && [ -n "$state" ] &&
        [ "$(cat "$base/$name.ok" 2>/dev/null)" = "$state" ]; then
        printf '%-18s %-9s %5s\n' "$name" before -
        continue
    fi
    rm -rf "${base:?}/$name" "$base/$name.ok"
    (configuration "$name") >"$base/$name.log" 2>&1 || status=$?
    case $status in
    0)
        result=ok
        rm -rf "${base:?}/$name"
        echo "$state" >"$base/$name.ok"
        ;;
    77)
        result="not tried"
        words=$(tail -n 1 "$base/$name.log")
        ;;
    *)
        result=FAILED
        failed=1
        words=$(grep -m 1 -iE 'error|failed' "$base/$name.log" | cut -c 1-100)
        ;;
    esac
    printf '%-18s %-9s %5d  %s\n' "$name" "$result" $((SECONDS - started)) "$words"
done
exit "$failed"
