#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_chroot.sh SOURCE BUILD
# The packages of a finished build, in a fresh Debian 12 that holds nothing else: what
# a user types to install them, to start an application warm, to build the examples
# and to remove all of it. Then the source release is built there, where git is
# missing, with make, and packaged. Takes some minutes, and the packages of Debian
# from where this machine has them from. Skipped, with the reason, where no such
# system can be made.
set -euo pipefail
export LC_ALL=C

source=$1
build=$2
. "$source/tests/package/fresh_debian.sh"
for command in dpkg-deb cpack; do
    command -v "$command" >/dev/null || skip "no $command"
done

# typed USER COMMAND: as that user types it; the output is in $work/typed, too.
typed() {
    local user=$1 prompt='$'
    [ "$user" != root ] || prompt='#'
    echo "$prompt $2"
    if [ "$user" = root ]; then
        inside sh -c "cd /packages && $2" >"$work/typed" 2>&1
    else
        # A user of its own home, without root's environment.
        inside setpriv --reuid "$user" --regid "$user" --clear-groups \
            env HOME="/home/$user" sh -c "cd && $2" >"$work/typed" 2>&1
    fi || { cat "$work/typed"; fail "$2"; }
}
# shown LINES: of what the command printed.
shown() {
    tail -n "$1" "$work/typed" | sed 's/^/    /'
}
printed() {
    grep -qE "$1" "$work/typed" || { cat "$work/typed"; fail "no \"$1\""; }
}
# left: files that look like ours, but for those of users and of this test.
left() {
    inside find / -xdev \( -path /proc -o -path /sys -o -path /home -o -path /packages \) -prune \
        -o -iname '*dnnl[-_]cache*' -print -o -name 'model_loader*' -print
}

# ---- Install, and start an application warm --------------------------------------

echo "== install"
mkdir "$root/packages"
cpack --config "$build/packages/CPackConfig.cmake" -G DEB -B "$work/out" \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack"; }
cp "$work"/out/*.deb "$root/packages"
[ -z "$(left)" ] || fail "not a fresh system: $(left)"
inside apt-get -q update >"$work/log" 2>&1 ||
    { cat "$work/log"; skip "its apt cannot reach the sources"; }
inside useradd --create-home user
typed root "apt install --yes ./*.deb"
shown 3
typed root "dpkg --audit"
[ ! -s "$work/typed" ] || { cat "$work/typed"; fail "dpkg finds faults"; }
typed root "ldconfig -p"
printed 'libdnnl_cache_persistent_cache\.so\.[0-9]+ .*/lib/x86_64-linux-gnu/'
typed root "apt install --yes clpeak"

echo "== a cached application, in three commands"
# PoCL's own cache is off, so that what is loaded comes from ours.
inside sh -c 'echo export POCL_KERNEL_CACHE=0 >/home/user/driver'
typed user ". ./driver; dnnl-cache-run --wait --stats -- clpeak --kernel-latency"
shown 12
cp "$work/typed" "$work/cold"
typed user ". ./driver; dnnl-cache-run --stats -- clpeak --kernel-latency"
shown 12
cp "$work/typed" "$work/warm"
typed user "dnnl-cache list"
shown 4
# count FILE NAME: a number of the statistics.
count() {
    sed -n "s/^ *$2  *\([0-9.]*\)\$/\1/p" "$1" | tail -n 1
}
[ "$(count "$work/cold" misses)" -ge 1 ] || fail "the first start compiled nothing"
[ "$(count "$work/cold" hits)" = 0 ] || fail "the first start was not the first"
[ "$(count "$work/warm" misses)" = 0 ] || fail "the second start compiled"
[ "$(count "$work/warm" hits)" -ge 1 ] || fail "the second start loaded nothing"
[ -d "$root/home/user/.cache/dnnl_cache" ] || fail "no cache in the user's home"
for page in dnnl-cache dnnl-cache-run model_loader; do
    [ -f "$root/usr/share/man/man1/$page.1.gz" ] ||
        [ -f "$root/etc/dpkg/dpkg.cfg.d/excludes" ] || fail "no manual page $page"
done

# ---- Develop -----------------------------------------------------------------------

echo "== the installed examples"
typed root "apt install --yes --no-install-recommends gcc g++ make cmake pkg-config"
doc=/usr/share/doc/dnnl-cache-doc/examples
typed user "cmake -S $doc -B by_cmake"
typed user "cmake --build by_cmake --parallel 2"
shown 1
typed user "mkdir by_make && cd by_make && make -j 2 -f $doc/Makefile"
shown 1
typed user "mkdir kept kept_cnn"
for start in 'compiled [1-9]' 'nothing compiled'; do
    for example in "by_make/existing_program kept" \
        "by_cmake/cnn_warm_start kept_cnn"; do
        typed user ". ./driver; $example"
        shown 2
        printed "$start"
    done
done

# ---- The source release, without git ------------------------------------------------

if git -C "$source" rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
    echo "== the source release"
    git clone -q --no-local "$source" "$work/clone"
    "$work/clone/scripts/release.sh" --out "$root/home/user" >/dev/null
    commit=$(git -C "$work/clone" rev-parse HEAD)
    chmod 644 "$root"/home/user/*.tar.gz
    # What the build needs, but for git.
    mapfile -t needed < <(sed -n '/^build=(/,/^)/s/^ \{4\}//p' \
        "$source/scripts/install_packages.sh" | grep -vx git)
    typed root "apt install --yes --no-install-recommends ${needed[*]} \
libcurl4-openssl-dev libhiredis-dev dpkg-dev"
    ! inside sh -c 'command -v git' || fail "git is there"
    typed user "tar -xf dnnl_cache-*.tar.gz"
    typed user "cd dnnl_cache-*/ && cmake -B build -DDNNL_CACHE_TESTS=OFF \
-DDNNL_CACHE_BENCH=OFF -DCMAKE_BUILD_TYPE=Debug"
    typed user "cd dnnl_cache-*/ && cmake --build build --parallel 2 --target package"
    shown 2
    grep -rqF "$commit" "$root"/home/user/dnnl_cache-*/build/lib/libdnnl_cache.so.? ||
        fail "the library does not know its commit"
    diff <(cd "$root/packages" && ls ./*.deb) \
        <(cd "$root"/home/user/dnnl_cache-*/build && ls ./*.deb) ||
        fail "the release gives other packages"
fi

# ---- Remove, and purge ---------------------------------------------------------------

echo "== remove, and purge"
packages=$(for deb in "$work"/out/*.deb; do dpkg-deb -f "$deb" Package; done |
    tr '\n' ' ')
typed root "apt remove --yes $packages"
shown 3
remaining=$(left | grep -v '^/var/lib/dpkg/info/dnnl-cache-tools\.\(list\|postrm\)$' ||
    true)
[ -z "$remaining" ] || fail "removed, but there is still: $remaining"
typed root "ldconfig -p"
! grep dnnl_cache "$work/typed" || fail "ldconfig still knows a library"
[ -d "$root/home/user/.cache/dnnl_cache" ] || fail "the user's cache is gone"
# Only this package has anything that a removal leaves.
typed root "apt purge --yes dnnl-cache-tools"
printed 'caches of users are kept'
grep -A 6 'caches of users are kept' "$work/typed" | sed 's/^/    /'
[ -z "$(left)" ] || fail "purged, but there is still: $(left)"
[ -d "$root/home/user/.cache/dnnl_cache" ] || fail "the user's cache is gone"
echo "packages: installed, used and removed in a fresh Debian 12, $((SECONDS - started)) s"
