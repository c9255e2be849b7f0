#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_release.sh SOURCE
# The source release of the commit that is checked out: the same bytes each time,
# and what is built from it has the identity of what is built from the commit.
set -euo pipefail

source=$1
if ! git -C "$source" rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
    echo "skipped: $source is not a git repository"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

fail() {
    echo "FAILED: $*"
    exit 1
}

# The commit alone, without what the developer has not committed.
git clone -q --no-local "$source" "$work/clone"
clone=$work/clone

echo "== the same bytes each time"
(umask 077 && TZ=Asia/Tokyo "$clone/scripts/release.sh" --out "$work/one")
sleep 1
touch "$clone"/README.md
(umask 022 && cd / && "$clone/scripts/release.sh" --out "$work/two" HEAD) >/dev/null
diff -r "$work/one" "$work/two" || fail "two releases of a commit differ"
(cd "$work/one" && sha256sum --check --quiet ./*.sha256) || fail "wrong sum"
tarball=$(echo "$work"/one/*.tar.gz)

echo "== what it has"
mkdir "$work/unpacked"
tar -C "$work/unpacked" -xzf "$tarball"
name=$(basename "$tarball" .tar.gz)
release=$work/unpacked/$name
[ "$(ls "$work/unpacked")" = "$name" ] || fail "more than one folder: $(ls "$work/unpacked")"
[ ! -e "$release/.git" ] || fail "it has a repository"
head=$(git -C "$clone" rev-parse HEAD)
grep -qx "$head" "$release/cmake/commit.txt" || fail "it does not name its commit"
diff <(git -C "$clone" ls-files | sort) \
    <(cd "$release" && find . -type f -o -type l | sed 's|^\./||' | sort) ||
    fail "other files than the commit"

# identity FOLDER: what a library built from FOLDER says of itself.
identity() {
    rm -f "$work/identity.c"
    cmake -DOUT="$work/identity.c" -DSOURCE_DIR="$1" \
        -P "$1/cmake/BuildIdentity.cmake"
    cat "$work/identity.c"
}
echo "== the same identity"
of_clone=$(identity "$clone")
grep -q "\"$head\"" <<<"$of_clone" || fail "the identity lacks the commit"
diff <(echo "$of_clone") <(identity "$release") || fail "another identity"
# Within a repository of somebody else's it is still its own.
git init -q "$work/unpacked"
git -C "$work/unpacked" -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
diff <(echo "$of_clone") <(identity "$release") ||
    fail "it took the commit of the repository around it"
# An edited source has another.
echo "/* edited */" >>"$release/src/common/hash.c"
! diff <(echo "$of_clone") <(identity "$release") >/dev/null ||
    fail "an edited source has the same identity"

echo "== versions have to agree"
sed -i 's/^version: .*/version: 9.9.9/' "$clone/CITATION.cff"
git -C "$clone" -c user.name=a -c user.email=a@b commit -qam "another version"
if "$clone/scripts/release.sh" --out "$work/three" >"$work/log" 2>&1; then
    fail "released with two versions"
fi
grep -q 'CITATION.cff has version "9.9.9"' "$work/log" ||
    { cat "$work/log"; fail "did not say which version is wrong"; }
[ -z "$(ls "$work/three")" ] || fail "a release that failed left files"
"$clone/scripts/release.sh" --out "$work/three" HEAD~1 >/dev/null
diff -r "$work/one" "$work/three" || fail "an older commit gives other bytes"
echo "release: the tarball is the commit"
