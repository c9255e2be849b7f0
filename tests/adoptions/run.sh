#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: tests/adoptions/run.sh [OPTION ...]
#
# Programs of others that use the library: fetches their sources, applies the
# patch that is here, builds them as they were and with the patch, and runs both.
# All runs must make the same; the second run of a patched program must compile
# nothing. Measures starts without a cache, with an empty store, with a full one,
# and with the caches that there are without the library; then eight processes at
# once.
#
#   --list         names of the adoptions
#   --only NAME    one of them; may be given more than once
#   --build DIR    where the project was built (build in the project)
#   --out DIR      where sources and logs go (adoptions in the build); sources that
#                  are there are used again
#   --rounds N     how often each start is measured (5)
#   --eight N      how often eight at once are (1)
#   --json FILE    puts the results into FILE; others that it has stay
#   --no-install   fails if a Debian package is missing
#   --help
#
# Sources come from Debian's source packages, by apt with a folder of its own in
# place of /var/lib/apt, and from PyPI's; each must have the checksum that is
# written here. An adoption whose source or packages cannot be had is skipped,
# with the reason.
#
# The driver is PoCL with its own cache off, every process with an empty folder
# for it, but where that cache is measured.
#
# Exit status: 0 all adoptions hold or were skipped, 1 one does not hold, 2 wrong
# usage, 3 something of the project is missing.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
max_lines=149 # of a patch

usage() {
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
}

# fail STATUS WORD ...; in an adoption, which is a process of its own, a status
# of 3 means to skip it.
fail() {
    echo "${*:2}" >&2
    exit "$1"
}

all_adoptions() {
    local file
    for file in "$here"/*/adoption.sh; do
        basename "$(dirname "$file")"
    done
}

# ---- Command line ----------------------------------------------------------

build=$root/build
out=
json=
rounds=5
eight=1
# shellcheck disable=SC2034 # packages.sh reads it
install=1
adoptions=()
while [ $# -gt 0 ]; do
    case $1 in
    --build | --out | --json)
        [ $# -gt 1 ] || fail 2 "run.sh: $1 needs a value"
        printf -v "${1#--}" %s "$(realpath -m "$2")"
        shift
        ;;
    --rounds | --eight)
        [[ ${2-} =~ ^[0-9]+$ ]] || fail 2 "run.sh: $1 needs a number"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
    --only)
        if [[ ${2-} = */* ]] || ! [ -f "$here/${2-}/adoption.sh" ]; then
            fail 2 "run.sh: no adoption \"${2-}\"; --list names them"
        fi
        adoptions+=("$2")
        shift
        ;;
    --no-install) install= ;;
    --list)
        all_adoptions
        exit 0
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) fail 2 "run.sh: no option $1; see --help" ;;
    esac
    shift
done
[ "$rounds" -gt 0 ] || fail 2 "run.sh: --rounds needs a number over 0"
[ "${#adoptions[@]}" -gt 0 ] || mapfile -t adoptions < <(all_adoptions)
out=${out:-$build/adoptions}

# shellcheck source=tests/apps/packages.sh
. "$here/../apps/packages.sh"

# ---- Sources ---------------------------------------------------------------

# apt with a state of its own, which knows source packages of Debian's.
private_apt() {
    local apt=$out/apt file
    if ! [ -f "$apt/conf" ]; then
        rm -rf "$apt"
        mkdir -p "$apt"/{lists/partial,cache/archives/partial,sources}
        for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
            [ -f "$file" ] && sed -n '/debian/s/^deb /deb-src /p' "$file"
        done >"$apt/sources/all.list"
        for file in /etc/apt/sources.list.d/*.sources; do
            grep -qs '^URIs:.*debian' "$file" || continue
            sed 's/^Types:.*/Types: deb-src/' "$file" \
                >"$apt/sources/$(basename "$file")"
        done
        cat >"$apt/conf.new" <<EOF
Dir::State "$apt";
Dir::State::status "/var/lib/dpkg/status";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
APT::Sandbox::User "";
EOF
        APT_CONFIG=$apt/conf.new apt-get -q update </dev/null &&
            mv "$apt/conf.new" "$apt/conf" || return
    fi
    APT_CONFIG=$apt/conf "$@" </dev/null
}

fetch_debian() {
    private_apt apt-get -q source --download-only --tar-only "$name"
}

# Debian's Python may be without pip; a virtual environment has one.
fetch_pypi() {
    [ -f "$out/pip/complete" ] ||
        { /usr/bin/python3 -m venv "$out/pip" && touch "$out/pip/complete"; } &&
        "$out/pip/bin/python" -m pip download --quiet --no-deps \
            --no-binary "$name" "$name==$version"
} </dev/null

is_right() {
    echo "$sha256  $1" | sha256sum --check --status 2>/dev/null
}

# The source of the adoption, as it was and with the patch, in $folder/plain and
# $folder/adopted.
prepare_sources() {
    local archives=$out/archives variant archive
    archive=$archives/$archive_name
    mkdir -p "$archives"
    if ! is_right "$archive"; then
        (cd "$archives" && "fetch_$origin") >"$folder/fetch" 2>&1
        is_right "$archive" ||
            fail 3 "no source $archive_name; see $folder/fetch"
    fi
    for variant in plain adopted; do
        rm -rf "${folder:?}/$variant"
        mkdir -p "$folder/$variant/source"
        tar -xf "$archive" -C "$folder/$variant/source" --strip-components=1 ||
            fail 1 "cannot unpack $archive_name"
    done
    patch --directory "$folder/adopted/source" --strip=1 --fuzz=0 --batch \
        <"$here/$adoption/$adoption.patch" >"$folder/patch" 2>&1 ||
        fail 1 "the patch does not apply; see $folder/patch"
    count_lines >"$folder/lines"
    (cd "$folder/adopted/source" && rm -f "${removed[@]}")
}

# Lines that the patch adds, lines that it removes, and lines of the files that
# are removed as a whole.
count_lines() {
    local added taken whole=0
    added=$(grep -v '^+++ ' "$here/$adoption/$adoption.patch" | grep -c '^+')
    taken=$(grep -v '^--- ' "$here/$adoption/$adoption.patch" | grep -c '^-')
    [ $((added + taken)) -le "$max_lines" ] ||
        fail 1 "the patch has $((added + taken)) lines; at most $max_lines"
    if [ "${#removed[@]}" != 0 ]; then
        whole=$(cd "$folder/plain/source" && cat "${removed[@]}" | wc -l)
    fi
    echo "$added $taken $whole"
}

# ---- Builds ----------------------------------------------------------------

# A virtual environment of the variant's, with its source and other packages.
install_python() {
    rm -rf "$built/python"
    /usr/bin/python3 -m venv "$built/python" &&
        "$built/python/bin/python" -m pip install --quiet "$source" "$@"
}

build_variant() {
    local variant=$1 source=$folder/$1/source built=$folder/$1
    (
        export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-2}
        if [ "$variant" = adopted ]; then
            export PKG_CONFIG_PATH=$libraries/pkgconfig CMAKE_PREFIX_PATH=$prefix
        fi
        build_application
    ) </dev/null >"$folder/$variant/log" 2>&1 ||
        fail 1 "$variant does not build; see $folder/$variant/log"
}

# ---- Runs ------------------------------------------------------------------
#
#   none    as it was, without a cache
#   cold    with the patch and an empty store; ends when programs are kept
#   warm    with the patch, and the store that "cold" filled
#   own     as it was, with a full cache of its own
#   driver  as it was, with the driver's full cache

clean_environment() {
    local name
    for name in $(compgen -e); do
        case $name in
        LANG | SHELL | TERM | USER | LOGNAME | TMPDIR) ;;
        *) unset "$name" ;;
        esac
    done
    export PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 HOME=$1
    export XDG_CACHE_HOME=$1/.cache PYTHONDONTWRITEBYTECODE=1
    export OCL_ICD_VENDORS=$out/vendors
    mkdir -p "$XDG_CACHE_HOME"
    chmod 700 "$1" "$XDG_CACHE_HOME"
}

# one_process KIND HOME FOLDER: what it makes is in FOLDER/artifact.
one_process() {
    local kind=$1 home=$2 run=$3 built=$folder/plain artifact=$3/artifact
    local status=0
    mkdir -p "$home" "$artifact" "$run/pocl" "$run/work"
    (
        clean_environment "$home"
        export POCL_KERNEL_CACHE=0 POCL_CACHE_DIR=$run/pocl
        case $kind in
        none) without_own_cache ;;
        driver)
            without_own_cache
            export POCL_KERNEL_CACHE=1 POCL_CACHE_DIR=$home/pocl
            ;;
        cold | warm)
            built=$folder/adopted
            export LD_LIBRARY_PATH=$libraries
            export DNNL_CACHE_STATS=${run%/process*}/stats
            ;;
        esac
        cd "$run/work" && run_application </dev/null
    ) >"$run/stdout" 2>"$run/stderr" || status=$?
    echo "$status" >"$run/status"
    rm -rf "$run/pocl"
}

# start KIND HOME FOLDER [N]: N processes at once.
start() {
    local began i pids=()
    rm -rf "$3"
    mkdir -p "$3"
    began=$(date +%s%N)
    for ((i = 1; i <= ${4:-1}; i++)); do
        one_process "$1" "$2" "$3/process$i" &
        pids+=($!)
    done
    wait "${pids[@]}"
    echo "$((($(date +%s%N) - began) / 1000000))" >"$3/ms"
    cut -d ' ' -f 1 /proc/loadavg >"$3/load"
}

run_rounds() {
    local i kind home=$folder/home
    rm -rf "$home" "$folder/runs"
    # What fills the caches of others is not measured.
    for kind in $own driver; do
        start "$kind" "$home/$kind" "$folder/runs/fill/$kind"
    done
    for ((i = 1; i <= rounds; i++)); do
        rm -rf "$home/store"
        for kind in none cold warm $own driver; do
            case $kind in
            none) start none "$home/none$i" "$folder/runs/$i/none" ;;
            cold | warm) start "$kind" "$home/store" "$folder/runs/$i/$kind" ;;
            *) start "$kind" "$home/$kind" "$folder/runs/$i/$kind" ;;
            esac
        done
    done
    for ((i = 1; i <= eight; i++)); do
        rm -rf "$home/store"
        for kind in none cold warm $own driver; do
            case $kind in
            none) start none "$home/eight$i" "$folder/runs/eight$i/none" 8 ;;
            cold | warm) start "$kind" "$home/store" "$folder/runs/eight$i/$kind" 8 ;;
            *) start "$kind" "$home/$kind" "$folder/runs/eight$i/$kind" 8 ;;
            esac
        done
    done
}

# ---- One adoption ----------------------------------------------------------

# What adoption.sh may set is local here. adoption_results.py judges what is left in
# $folder.
adopt() {
    # shellcheck disable=SC2034 # read by their names below
    local letter='' title='' licence='' origin='' name='' version='' sha256='' \
        archive_name='' packages=() removed=() runs='' compared='' own='' \
        adoption=$1 folder=$out/$1 field
    without_own_cache() { :; }
    # shellcheck source=/dev/null
    . "$here/$adoption/adoption.sh"
    mkdir -p "$folder"
    rm -f "$folder/skipped"
    install_packages "${packages[@]}" patch >"$folder/packages"
    prepare_sources
    build_variant plain
    build_variant adopted
    for field in letter title licence name version runs compared own origin; do
        printf '%s\n' "${!field}"
    done >"$folder/fields"
    dpkg-query -W -f '${Package} ${Version}\n' pocl-opencl-icd >"$folder/driver"
    run_rounds
}

# ---- The run ---------------------------------------------------------------

if [ -n "$(ls -A "$out" 2>/dev/null)" ] && ! [ -d "$out/vendors" ]; then
    fail 2 "run.sh: $out holds something else"
fi
mkdir -p "$out/vendors" || exit 3
prefix=$out/prefix
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" >"$out/install.log" 2>&1 ||
    fail 3 "run.sh: cannot install $build: build the project first"
libraries=$(find "$prefix" -name 'libdnnl_cache_persistent_cache.so' \
    -exec dirname {} \;)
[ -n "$libraries" ] || fail 3 "run.sh: $build has no persistent cache"
problem=$(install_packages pocl-opencl-icd python3-venv ocl-icd-opencl-dev 2>&1) || {
    echo "all adoptions skipped: $problem"
    exit 0
}
cp /etc/OpenCL/vendors/pocl.icd "$out/vendors/" || fail 3 "run.sh: no PoCL"

failed=
for adoption in "${adoptions[@]}"; do
    printf '%-10s ' "$adoption"
    status=0
    problem=$( (adopt "$adoption") 2>&1) || status=$?
    case $status in
    0)
        "$here/adoption_results.py" --line ${json:+--json "$json"} \
            "$out/$adoption" || failed=1
        ;;
    3) echo "skipped: $problem" ;;
    *)
        echo "FAILED  $problem"
        failed=1
        ;;
    esac
done
[ -z "$failed" ]
