#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/release.sh [--out FOLDER] [COMMIT]
# Makes the source release of a commit (HEAD): FOLDER/dnnl_cache-VERSION.tar.gz and a
# file with its SHA-256. The same commit always gives the same bytes. The tarball
# needs no git to be built, and what is built from it has the identity of what is
# built from the commit. FOLDER is the current folder unless it is given.
set -euo pipefail
export LC_ALL=C

out=.
commit=HEAD
while [ $# -gt 0 ]; do
    case $1 in
    --out)
        [ $# -gt 1 ] || { echo "release.sh: --out needs a folder" >&2; exit 2; }
        out=$2
        shift
        ;;
    -h | --help)
        sed -n '3,7s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    -*)
        echo "release.sh: no option $1 (--help lists them)" >&2
        exit 2
        ;;
    *) commit=$1 ;;
    esac
    shift
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."

commit=$(git rev-parse --verify --quiet "$commit^{commit}") ||
    { echo "release.sh: no such commit" >&2; exit 1; }
# at FILE: its text in that commit.
at() {
    git show "$commit:$1"
}

# Where the version is said.
version=$(at CMakeLists.txt |
    sed -n 's/^project(dnnl_cache VERSION \([0-9.]*\).*/\1/p')
[ -n "$version" ] || { echo "release.sh: CMakeLists.txt has no version" >&2; exit 1; }
wrong=
says() {
    [ "$2" = "$version" ] && return
    echo "release.sh: $1 has version \"$2\", not $version" >&2
    wrong=yes
}
number() {
    at include/dnnl_cache/base.h |
        sed -n "s/^#define DNNL_CACHE_VERSION_$1 \([0-9]*\)$/\1/p"
}
says include/dnnl_cache/base.h "$(number MAJOR).$(number MINOR).$(number PATCH)"
says CITATION.cff "$(at CITATION.cff | sed -n 's/^version: //p')"
says packaging/debian/changelog "$(at packaging/debian/changelog |
    sed -n '1s/^[^(]*(\(.*\)-[^-]*) .*/\1/p')"
# "## [Unreleased]: 0.1.0" until the day, then "## [0.1.0] - 2026-12-01".
says CHANGELOG.md "$(at CHANGELOG.md | sed -n -e 's/^## \[Unreleased\]: //p' \
    -e 's/^## \[\([0-9.]*\)\].*/\1/p' | sed -n 1p)"
[ -z "$wrong" ] || exit 1

name=dnnl_cache-$version
tarball=$out/$name.tar.gz
# The commit's time is that of all files; gzip adds neither name nor time.
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" |
    gzip -9n >"$tarball.new"
mv "$tarball.new" "$tarball"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
cat "$tarball.sha256"
