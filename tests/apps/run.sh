#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: tests/apps/run.sh [OPTION ...] [APPLICATION ...]
#
# Runs applications of others under the OpenCL layer, unmodified: without the
# layer, with an empty store, with the store that this filled, and those that
# have a cache of their own once more with that. Compares what they make, counts
# below the layer what the driver was made to compile, and says which of them
# hold what is promised: the warm run compiles nothing; or, where programs cannot
# be kept, all runs compile the same. Without names, all applications.
#
#   --list           names of the applications
#   --quick          two of them, the quickest
#   --build DIR      where the project was built (build in the project)
#   --out DIR        where logs go, replaced (apps in the build)
#   --json FILE      writes the results as JSON, too
#   --markdown FILE  and the table of docs/reference/applications.md
#   --counts FILE    writes how many programs each has, and which are not kept
#                    for which reason, as JSON; nothing that a clock measured
#   --records        keeps a record of each cold run, "record" in the folder of the
#                    application, for assembly_count
#   --prove          keeps a record of each cold run, and compiles what its store
#                    has then again, from that, and compares (dnnl-cache prove)
#   --replay FROM:TO records them on one driver (pocl, rusticl or oclgrind),
#                    replays that on another into an empty store, and runs them
#                    there: with another empty store, with the replayed one, and
#                    with the one that the first of these filled. --json adds to
#                    the file, --markdown writes the table of docs/reference/applications.md
#   --no-install     fails if a Debian package is missing
#   --help
#
# The driver is PoCL with its own cache off, every process with an empty folder
# for it; DNNL_CACHE_TEST_ICD names another driver's ICD file. Packages of PyPI's
# go, in the versions that are named here, into virtual environments under --out;
# those of an earlier run are used again.
#
# Exit status: 0 all applications hold, 1 one does not, 2 wrong usage,
# 3 something needed is missing.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
quick=(hcxkeys gegl)

usage() {
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
}

# fail STATUS WORD ...
fail() {
    echo "run.sh: ${*:2}" >&2
    exit "$1"
}

all_applications() {
    local file
    for file in "$here"/applications/*.sh; do
        basename "$file" .sh
    done
}

# ---- Command line ----------------------------------------------------------

build=$root/build
out=
json=
markdown=
counts=
install=1
records=
prove=
replay=
applications=()
while [ $# -gt 0 ]; do
    case $1 in
    --replay)
        [[ ${2-} =~ ^(pocl|rusticl|oclgrind):(pocl|rusticl|oclgrind)$ ]] ||
            fail 2 "$1 needs FROM:TO, each pocl, rusticl or oclgrind"
        replay=$2
        shift
        ;;
    --build | --out | --json | --markdown | --counts)
        [ $# -gt 1 ] || fail 2 "$1 needs a value"
        printf -v "${1#--}" %s "$(realpath -m "$2")"
        shift
        ;;
    --records) records=1 ;;
    --prove) records=1 prove=1 ;;
    --quick) applications+=("${quick[@]}") ;;
    --no-install) install= ;;
    --list)
        all_applications
        exit 0
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*) fail 2 "no option $1; see --help" ;;
    *)
        if [[ $1 = */* ]] || ! [ -f "$here/applications/$1.sh" ]; then
            fail 2 "no application \"$1\"; --list names them"
        fi
        applications+=("$1")
        ;;
    esac
    shift
done
[ -z "$replay" ] || [ -z "$counts" ] || fail 2 "--replay has no --counts"
[ -z "$replay" ] || [ -z "$prove" ] || fail 2 "--replay has no --prove"
[ "${#applications[@]}" -gt 0 ] || mapfile -t applications < <(all_applications)
out=${out:-$build/apps}

# ---- What is needed --------------------------------------------------------

layer=$build/lib/libdnnl_cache_layer.so
counter=$build/lib/libbuild_counter_layer.so
gpu=$build/lib/libas_gpu_layer.so
for file in "$layer" "$counter" "$gpu"; do
    [ -f "$file" ] || fail 3 "no ${file#"$root"/}: build the project first"
done

# shellcheck source=tests/apps/packages.sh
. "$here/packages.sh"

# A virtual environment with packages of PyPI's, in $python.
install_pypi() {
    local venv
    venv=$venvs/$(printf '%s\n' "$@" | md5sum | cut -c 1-16)
    python=$venv/bin/python
    [ -f "$venv/complete" ] && return
    [ -n "$install" ] || fail 3 "missing packages of PyPI's: $*"
    echo "Installing: $*"
    rm -rf "$venv"
    # The Debian interpreter, whatever comes first in PATH.
    { /usr/bin/python3 -m venv "$venv" &&
        "$venv/bin/pip" install --quiet "$@"; } \
        </dev/null >>"$out/packages.log" 2>&1 ||
        fail 3 "could not install $*; see $out/packages.log"
    touch "$venv/complete"
}

# ---- One application -------------------------------------------------------

# app COMMAND ...: one process of the application's, under this run's layers,
# with an empty folder for PoCL. Its status and its time are noted.
app() {
    local cache start status=0
    cache=$(mktemp -d "$run/pocl.XXXXXX")
    start=$(date +%s%N)
    OPENCL_LAYERS=$layers POCL_CACHE_DIR=$cache \
        timeout --kill-after=5 600 "${under[@]}" "$@" </dev/null || status=$?
    echo "$status $(($(date +%s%N) - start)) $1" >>"$run/processes"
    rm -rf "$cache"
    return "$status"
}

# Something that only prepares; its time does not count.
app_without_layers() {
    POCL_CACHE_DIR=$run/pocl timeout --kill-after=5 600 "$@" </dev/null
}

# Nothing of a developer's settings, and nothing of an earlier run but what the
# run is about, reaches an application.
clean_environment() {
    local name
    for name in $(compgen -e); do
        case $name in
        LANG | SHELL | TERM | USER | LOGNAME | TMPDIR) ;;
        *) unset "$name" ;;
        esac
    done
    export PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8
    export PYTHONDONTWRITEBYTECODE=1 HOME=$1
    export XDG_CACHE_HOME=$1/.cache XDG_CONFIG_HOME=$1/.config
    export XDG_DATA_HOME=$1/.local/share XDG_RUNTIME_DIR=$1
    export OCL_ICD_VENDORS=$vendors POCL_KERNEL_CACHE=0
    export RUSTICL_ENABLE=llvmpipe MESA_SHADER_CACHE_DISABLE=true
    export BUILD_COUNTER_FILE=$run/counts
    export DNNL_CACHE_DIR=$store DNNL_CACHE_STATS=$run/stats \
        DNNL_CACHE_PRINT_DEBUG=1 DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=unlimited
    [ -z "$record" ] || export DNNL_CACHE_RECORD=$record
    mkdir -p "$XDG_CACHE_HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME"
    chmod 700 "$1"
}

# run_once NAME LAYERS [HOME]: HOME stays after the run; an empty one if none
# is named. The layer that is named first is next to the driver.
run_once() {
    local run=$folder/$1 layers=$2 home=${3:-$folder/$1/home} status=0
    local work=$run/work artifact=$run/artifact
    mkdir -p "$work" "$artifact" "$home"
    (
        clean_environment "$home"
        cd "$work" && run_application
    ) >"$run/stdout" 2>"$run/stderr" || status=$?
    echo "$status" >"$run/status"
}

# The driver's runs without the layer, with an empty store, and with what that
# has then.
run_plain() {
    run_once bare "$below"
    record=${records:+$folder/record}
    run_once cold "$below:$layer"
    record=
    run_once warm "$below:$layer" "$folder/home"
    [ -z "$own_cache" ] || run_once own "$below:$layer" "$folder/home"
    printf '%s\n' "$driver" >"$folder/driver"
}

# --prove. Only in the environment of the runs are IDs the same.
prove_store() {
    local run=$folder/prove status=0
    mkdir -p "$run/home"
    (
        clean_environment "$run/home"
        # shellcheck disable=SC2086 # no word, or one
        POCL_CACHE_DIR=$run/pocl "$build/bin/dnnl-cache" prove --store "$store" \
            --record "$folder/record" --layer "$layer" $reads_files
    ) >"$run/stdout" 2>"$run/stderr" || status=$?
    sed -n '/ programs: proved /,$p' "$run/stdout"
    [ "$status" != 1 ] || is_wrong=1
    case $status in 0 | 1 | 6) ;; *) echo "prove: exit status $status" ;; esac
}

# --replay.
run_replay() {
    local store=$folder/recorded_store vendors=$out/vendors/${replay%:*} status=0
    local under=("$build/bin/dnnl-cache-run" --layer "$layer" --no-wait
        --record "$folder/record" --)
    local tool=$build/bin/dnnl-cache run=$folder/replay start
    run_once recorded "${as_gpu:+$gpu}"
    vendors=$out/vendors/${replay#*:} under=() store=$folder/cold_store
    record=$folder/record_there
    run_once cold "$below:$layer"
    record=
    mkdir -p "$run/home"
    start=$(date +%s%N)
    (
        clean_environment "$run/home"
        # shellcheck disable=SC2086 # no word, or one
        POCL_CACHE_DIR=$run/pocl "$tool" replay "$folder/record" \
            --store "$folder/store" --layer "$layer" --json $reads_files
    ) >"$run/replayed" 2>"$run/stderr" || status=$?
    echo "$status $(($(date +%s%N) - start)) replay" >"$run/processes"
    "$tool" record diff --json "$folder/record" "$folder/record_there" \
        >"$folder/diff" 2>>"$run/stderr"
    store=$folder/store
    run_once first "$below:$layer"
    store=$folder/cold_store
    run_once warm "$below:$layer"
    printf '%s\n' "$reads_files" >"$folder/reads_files"
    cp "$out/vendors/${replay%:*}/version" "$folder/from"
    cp "$out/vendors/${replay#*:}/version" "$folder/driver"
}

# The runs of one application; the judgement is results.py's.
run_all() {
    local packages=() pypi=() runs='' compared='' own_cache='' not_kept=''
    # shellcheck disable=SC2034 # applications use $python
    local as_gpu='' passed_on='' python='' reads_files='' folder=$out/$1 below=$counter
    local store=$out/$1/store record='' vendors=$out/vendors under=()
    prepare_application() { :; }
    # shellcheck source=/dev/null
    source "$here/applications/$1.sh"
    mkdir -p "$folder"
    install_packages "${packages[@]}"
    [ "${#pypi[@]}" = 0 ] || install_pypi "${pypi[@]}"
    [ -z "$as_gpu" ] || below=$gpu:$counter
    prepare_application >"$folder/prepared" 2>&1 ||
        fail 3 "could not prepare $1; see $folder/prepared"
    if [ -n "$replay" ]; then run_replay; else run_plain; fi
    [ -z "$prove" ] || prove_store
    printf '%s\n' "$runs" >"$folder/runs"
    printf '%s\n' "$compared" >"$folder/compared"
    printf '%s\n' "$not_kept" >"$folder/not_kept"
    printf '%s\n' "$passed_on" >"$folder/passed_on"
    if [ "${#pypi[@]}" != 0 ]; then
        printf '%s\n' "${pypi[0]/==/ }"
    else
        dpkg-query -W -f '${Package} ${Version}\n' "${packages[0]}"
    fi >"$folder/version"
}

# ---- The run ---------------------------------------------------------------

# Only what an earlier run left is replaced.
if [ -n "$(ls -A "$out" 2>/dev/null)" ] && ! [ -d "$out/vendors" ]; then
    fail 2 "$out holds something else"
fi
venvs=$out/python
find "$out" -mindepth 1 -maxdepth 1 ! -path "$venvs" -exec rm -rf {} + \
    2>/dev/null
mkdir -p "$out/vendors" || exit 3
install_packages pocl-opencl-icd python3
if [ -z "$replay" ]; then
    cp "${DNNL_CACHE_TEST_ICD:-/etc/OpenCL/vendors/pocl.icd}" "$out/vendors/" ||
        fail 3 "no driver"
    driver=$(dpkg-query -W -f '${Package} ${Version}' pocl-opencl-icd)
    driver=${DNNL_CACHE_TEST_ICD:-$driver}
fi
for name in ${replay/:/ }; do
    case $name in
    pocl) package=pocl-opencl-icd ;;
    rusticl) package=mesa-opencl-icd ;;
    oclgrind) package=oclgrind ;;
    esac
    install_packages "$package"
    mkdir -p "$out/vendors/$name"
    cp "/etc/OpenCL/vendors/$name.icd" "$out/vendors/$name/" 2>/dev/null ||
        echo "/usr/lib/$name/lib$name-rt-icd.so" \
            >"$out/vendors/$name/$name.icd" # Oclgrind comes without a file
    dpkg-query -W -f '${Package} ${Version}\n' "$package" \
        >"$out/vendors/$name/version"
done
judge=$here/${replay:+replay_}results.py
is_wrong=

for application in "${applications[@]}"; do
    printf '%-14s ' "$application"
    run_all "$application"
    "$judge" --line "$out/$application"
done
echo
"$judge" ${json:+--json "$json"} ${markdown:+--markdown "$markdown"} \
    ${counts:+--counts "$counts"} \
    "${applications[@]/#/$out/}" || exit
[ -z "$is_wrong" ] || fail 1 "an entry is not what the driver makes: see prove/"
