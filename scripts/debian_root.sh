#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: debian_root.sh SUITE ARCHITECTURE FOLDER PACKAGE ...
# Packages of a Debian release (bookworm, trixie, sid), of any architecture, with
# all that they depend on, unpacked into FOLDER/root: headers and libraries for a
# compiler's --sysroot, or what a program of that architecture needs to run. No
# script of a package runs. If the packages that are there were asked for with the
# same words, nothing happens.
#
# Packages come from deb.debian.org, by apt with folders of its own in place of
# /var/lib/apt, and of the machine's settings with those of proxies alone: no hook
# of the machine runs, and nothing but FOLDER changes.
#
# Exit status: 0 all is there; 2 wrong usage; 77 the packages cannot be had, see
# FOLDER/unpack.log.
set -euo pipefail

if [ $# -lt 4 ]; then
    sed -n '3,16s/^# \{0,1\}//p' "$0"
    [ "${1:-}" = --help ] && exit 0
    exit 2
fi
suite=$1
architecture=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
shift 3
mirror=http://deb.debian.org/debian
keys=/usr/share/keyrings/debian-archive-keyring.gpg
asked="$suite $architecture $*"

# The machine's own settings would be read after APT_CONFIG's.
private_settings() {
    {
        echo 'Dir::Etc::parts "/dev/null";'
        echo 'Dir::Etc::main "/dev/null";'
        apt-config dump Acquire | grep -iE '^Acquire::(https?|ftp)::' || true
    } >"$folder/apt/apt.conf"
}

private_apt() {
    APT_CONFIG=$folder/apt/apt.conf apt-get -q -o Dir::State="$folder/apt/state" \
        -o Dir::State::lists="$folder/apt/lists" \
        -o Dir::State::status="$folder/apt/status" \
        -o Dir::Cache="$folder/apt/cache" \
        -o Dir::Etc::sourcelist="$folder/apt/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null -o APT::Install-Recommends=0 \
        -o APT::Architecture="$architecture" \
        -o APT::Architectures="$architecture" -o APT::Sandbox::User=root \
        -o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

# Each step with its "return": the caller asks how it went, which switches set -e
# off inside.
unpack() {
    local name package
    rm -rf "$folder/apt" "$folder/root" || return 1
    mkdir -p "$folder"/apt/{state,lists/partial,cache/archives/partial} \
        "$folder"/root/usr/{bin,lib,sbin} || return 1
    # As the package base-files has them, which is not needed otherwise.
    for name in bin lib lib32 lib64 sbin; do
        mkdir -p "$folder/root/usr/$name" &&
            ln -s "usr/$name" "$folder/root/$name" || return 1
    done
    : >"$folder/apt/status" &&
        echo "deb [signed-by=$keys] $mirror $suite main" \
            >"$folder/apt/sources.list" &&
        private_settings && private_apt update &&
        private_apt -y --download-only install "$@" || return 1
    for package in "$folder"/apt/cache/archives/*.deb; do
        # dpkg-deb -x would put a folder in place of the link /lib.
        dpkg-deb --fsys-tarfile "$package" |
            tar -x --keep-directory-symlink -C "$folder/root" || return 1
    done
    rm -rf "$folder/apt" || return 1
    # Absolute links lead out of the folder; these are right in a chroot as well.
    find "$folder/root" -type l -lname '/*' -printf '%p %l\n' |
        while read -r link target; do
            ln -sfnr "$folder/root$target" "$link" || return 1
        done
}

[ "$(cat "$folder/unpacked" 2>/dev/null)" != "$asked" ] || exit 0
rm -f "$folder/unpacked"
if ! unpack "$@" >"$folder/unpack.log" 2>&1; then
    echo "debian_root.sh: no packages of $suite for $architecture, see" \
        "$folder/unpack.log" >&2
    exit 77
fi
echo "$asked" >"$folder/unpacked"
