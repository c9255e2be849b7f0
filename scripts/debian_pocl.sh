#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: debian_pocl.sh SUITE FOLDER [COMMAND ...]
# PoCL of another Debian release, such as trixie (6.0) or sid (7.1), with all
# that it needs, unpacked into FOLDER/root, about 600 MB. What is there already
# stays. Runs the command with that root in place of the machine's, which needs
# bubblewrap: a test that was built here finds that PoCL, and no other driver.
#
#     scripts/debian_pocl.sh trixie FOLDER build/bin/test_layer_device \
#         --gtest_filter='LayerCompiled.IsKept*'
#
# Packages come from the machine's Debian mirror, by apt with folders of its own
# in place of /var/lib/apt. The release must be newer than the machine's: what
# was built here needs a C library that is as new.
#
# Exit status: that of the command; 2 wrong usage; 77 the packages cannot be
# had, or bubblewrap is missing.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '3,18s/^# \{0,1\}//p' "$0"
    exit 2
fi
suite=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
mirror=http://deb.debian.org/debian
keys=/usr/share/keyrings/debian-archive-keyring.gpg
# Of the machine, for what was built here: newer releases have newer ones.
libraries=(libsodium.so.23 libsqlite3.so.0 libxxhash.so.0)

lacks() {
    echo "debian_pocl.sh: $*" >&2
    exit 77
}

private_apt() {
    apt-get -q -o Dir::State="$folder/apt/state" \
        -o Dir::State::lists="$folder/apt/lists" \
        -o Dir::State::status="$folder/apt/status" \
        -o Dir::Cache="$folder/apt/cache" \
        -o Dir::Etc::sourcelist="$folder/apt/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null -o APT::Install-Recommends=0 \
        -o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

unpack() {
    local name package
    rm -rf "$folder/apt" "$folder/root"
    mkdir -p "$folder"/apt/{state,lists/partial,cache/archives/partial} \
        "$folder/root"
    # As the package base-files has them, which is not needed otherwise.
    for name in bin lib lib64 sbin; do
        ln -s "usr/$name" "$folder/root/$name"
    done
    : >"$folder/apt/status"
    echo "deb [signed-by=$keys] $mirror $suite main" \
        >"$folder/apt/sources.list"
    private_apt update &&
        private_apt -y --download-only install pocl-opencl-icd \
            ocl-icd-libopencl1 libstdc++6 dash coreutils \
            diffutils findutils grep || return 1
    for package in "$folder"/apt/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$folder/root" || return 1
    done
    rm -rf "$folder/apt"
    echo "$suite" >"$folder/unpacked"
}

command -v bwrap >/dev/null || lacks "bubblewrap is not installed"
if [ "$(cat "$folder/unpacked" 2>/dev/null)" != "$suite" ]; then
    rm -f "$folder/unpacked"
    unpack >"$folder/unpack.log" 2>&1 ||
        lacks "no packages of $suite, see $folder/unpack.log"
    mkdir -p "$folder/libraries"
    for library in "${libraries[@]}"; do
        path=$(ldconfig -p | sed -n "s|^\s*$library .*=> ||p" | head -n 1)
        [ -z "$path" ] || cp -L "$path" "$folder/libraries"
    done
fi
[ $# -gt 0 ] || exit 0

top=$(cd "$(dirname "$0")/.." && pwd)
beside=$(dirname "$folder") # builds, too
exec bwrap --bind "$folder/root" / --dev /dev --proc /proc --ro-bind /sys /sys \
    --bind /tmp /tmp --bind "$top" "$top" --bind "$beside" "$beside" \
    --setenv LD_LIBRARY_PATH "$folder/libraries" \
    --unsetenv OCL_ICD_VENDORS --chdir "$PWD" "$@"
