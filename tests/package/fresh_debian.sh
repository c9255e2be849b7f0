# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that need a fresh Debian 12, which apt and mmdebstrap make: its root
# is $root, below the folder $work, which goes at the end; `inside` runs commands in
# it. Skipped, with the reason, where no such system can be made.

skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "FAILED: $*"
    exit 1
}
[ "$(id -u)" = 0 ] || skip "only root can enter another system's root"
for command in mmdebstrap apt-config unshare; do
    command -v "$command" >/dev/null || skip "no $command"
done
grep -q '^VERSION_CODENAME=bookworm' /etc/os-release ||
    skip "this is not Debian 12, whose sources of packages are needed"
work=$(mktemp -d)
root=$work/root
clean_up() {
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
chmod 755 "$work"

echo "== a fresh Debian 12"
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [ ! -s "$file" ] || sources+=("$file")
done
[ "${#sources[@]}" -gt 0 ] || skip "apt of this machine has no sources"
started=$SECONDS
mmdebstrap --variant=apt --mode=root bookworm "$root" "${sources[@]}" \
    >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    skip "mmdebstrap could not make a Debian 12"
}
echo "made in $((SECONDS - started)) s, $(du -sh "$root" | cut -f1)"
# How this machine's apt reaches its sources.
apt-config dump Acquire 2>/dev/null |
    grep -iE '^Acquire::(https?|ftp)::' >"$root/etc/apt/apt.conf.d/99test" || true
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

# inside COMMAND ...: in the new system, with mounts that end with the command.
inside() {
    # Expanded by the shell inside.
    # shellcheck disable=SC2016
    unshare --mount sh -c '
        root=$1
        shift
        mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
            mount --rbind /dev "$root/dev" || exit 125
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            ${http_proxy:+http_proxy="$http_proxy"} \
            ${https_proxy:+https_proxy="$https_proxy"} "$@"' sh "$root" "$@"
}
status=0
inside true || status=$?
[ "$status" = 0 ] || skip "cannot mount and enter it (status $status)"
