#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: install_packages.sh [--list] [build] [package] [demo] [test] [merge] [full]
# Installs the Debian packages a purpose needs and this machine lacks; says
# nothing if none is missing. build: to build and run the library and the
# examples; package: to make packages of all of it; demo: scripts/demo.sh; test:
# scripts/test.sh (the default); merge and full: scripts/test.sh --merge and --full.
# --list: prints their names, separated by spaces, and installs nothing.
# Names with a version in them are those of this release of Debian's or Ubuntu's.
# docs/reference/dependencies.md says what each package is for.
set -euo pipefail

# release_version PACKAGE: the first number of what is installed or could be.
release_version() {
    LC_ALL=C apt-cache policy "$1" 2>/dev/null |
        sed -n 's/^  Candidate: \([0-9]*:\)\{0,1\}\([0-9]*\)[.].*/\2/p'
}

# Which LLVM is in PoCL.
llvm_of_pocl() {
    LC_ALL=C apt-cache depends libpocl2 libpocl2t64 2>/dev/null |
        sed -n 's/^ *Depends: libllvm\([0-9]*\).*/\1/p' | tail -n 1
}

# Of Debian 12, if apt has no lists yet.
clang=$(release_version clang || true)
clang=${clang:-14}
llvm=$(llvm_of_pocl || true)
llvm=${llvm:-15}

build=(
    binutils
    cmake
    g++
    gcc
    git
    libc6-dev
    libjpeg-dev
    libonnx-dev
    libpng-dev
    libprotobuf-c-dev
    libsodium-dev
    libsqlite3-dev
    libxxhash-dev
    libzstd-dev
    make
    ocl-icd-opencl-dev
    opencl-headers
    pkg-config
    pocl-opencl-icd
    protobuf-c-compiler
    uthash-dev
)
package=(
    dpkg-dev
    libcurl4-openssl-dev
    libhiredis-dev
)
# What configuring the tests asks for, and an application.
demo=(
    clpeak
    libcurl4-openssl-dev
    libgtest-dev
    libhiredis-dev
)
test=(
    "${package[@]}"
    groff-base
    libclblast-dev
    libdnnl-dev
    libgtest-dev
    nginx-light
    ninja-build
    openssl
    python3
    redis-server
    util-linux
)
merge=(
    clang
    clang-format
    clang-tidy
    environment-modules
    fish
    doxygen
    gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross
    "libclang-rt-$clang-dev"
    lintian
    musl-tools
    qemu-user
    shellcheck
    spin
    strace
    tcsh
    yamllint
)
full=(
    abigail-tools
    bubblewrap
    g++-aarch64-linux-gnu
    g++-multilib
    g++-s390x-linux-gnu
    furo
    gcovr
    "libclang-$llvm-dev"
    "llvm-$llvm-dev"
    mesa-opencl-icd
    mmdebstrap
    oclgrind
    python3-breathe
    python3-myst-parser
    python3-sphinx
    python3-venv
    valgrind
    xz-utils
)

wanted=()
list=
if [ "${1:-}" = --list ]; then
    list=yes
    shift
fi
for purpose in "${@:-test}"; do
    case $purpose in
    build) wanted+=("${build[@]}") ;;
    package) wanted+=("${build[@]}" "${package[@]}") ;;
    demo) wanted+=("${build[@]}" "${demo[@]}") ;;
    test) wanted+=("${build[@]}" "${test[@]}") ;;
    merge) wanted+=("${build[@]}" "${test[@]}" "${merge[@]}") ;;
    full) wanted+=("${build[@]}" "${test[@]}" "${merge[@]}" "${full[@]}") ;;
    -h | --help)
        sed -n '3,11s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *)
        echo "install_packages.sh: no purpose \"$purpose\"" >&2
        exit 2
        ;;
    esac
done

if [ -n "$list" ]; then
    echo "${wanted[*]}"
    exit 0
fi

if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian system. Needed are: ${wanted[*]}" >&2
    echo "Going on with what is there." >&2
    exit 0
fi

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case $state in
    ii*) ;;
    *) missing+=("$package") ;;
    esac
done
[ "${#missing[@]}" = 0 ] && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "Packages are missing, and neither root nor sudo (without a" \
            "password) is at hand. Please run, as root:" >&2
        echo "    apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo -n)
fi

echo "Installing: ${missing[*]}"
log=$(mktemp)
# Tests start servers of their own: a package's is not started as a service.
policy=/usr/sbin/policy-rc.d
made_policy=
clean_up() {
    rm -f "$log"
    [ -z "$made_policy" ] || "${as_root[@]}" rm -f "$policy"
}
trap clean_up EXIT
if [ ! -e "$policy" ]; then
    made_policy=yes
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
fi
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q \
        -o DPkg::Lock::Timeout=120 "$@" </dev/null >>"$log" 2>&1
}
# The list of packages may be old or absent; look again before giving up.
if ! apt install -y --no-install-recommends "${missing[@]}"; then
    if ! { apt update &&
        apt install -y --no-install-recommends "${missing[@]}"; }; then
        cat "$log" >&2
        echo "Could not install: ${missing[*]}" >&2
        exit 1
    fi
fi
