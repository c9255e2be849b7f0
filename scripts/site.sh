#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: site.sh [--out DIR] [--headers]
# Builds the documentation site: DIR/html/index.html (default: build-site), from
# README.md, CHANGELOG.md, CONTRIBUTING.md, docs/**/*.md, tests/*/README.md and the
# public headers.
# Fails if Doxygen or Sphinx warns, if a link leads nowhere, or if a public
# symbol has no comment. --headers builds no page, and checks the comments only.
# The packages: scripts/install_packages.sh full; --headers: merge.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build-site
headers_only=
while [ $# -gt 0 ]; do
    case $1 in
    --out)
        [ $# -ge 2 ] || { echo "site.sh: --out needs a folder" >&2; exit 2; }
        mkdir -p "$2"
        out=$(cd "$2" && pwd)
        shift
        ;;
    --headers) headers_only=yes ;;
    -h | --help)
        sed -n '3,9s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *)
        echo "site.sh: unknown argument \"$1\"" >&2
        exit 2
        ;;
    esac
    shift
done
tools=(doxygen)
[ -n "$headers_only" ] || tools+=(sphinx-build)
for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null && continue
    echo "site.sh: $tool is missing: run scripts/install_packages.sh full" >&2
    exit 1
done

cd "$root"
# Nothing of an earlier build: a page that is gone must not satisfy a link.
rm -rf "$out/xml" "$out/pages" "$out/html" "$out/doctrees"
mkdir -p "$out"

headers=$(python3 -B scripts/site_pages.py --headers "$root" | tr '\n' ' ')
{
    cat docs/site/Doxyfile
    printf 'INPUT = %s\nOUTPUT_DIRECTORY = "%s"\n' "$headers" "$out"
} >"$out/Doxyfile"
doxygen "$out/Doxyfile"
if [ -n "$headers_only" ]; then
    exec python3 -B scripts/site_check.py "$out/xml"
fi

mkdir -p "$out/pages"
python3 -B scripts/site_pages.py "$root" "$out/pages"
DNNL_CACHE_SITE_ROOT=$root DNNL_CACHE_SITE_XML=$out/xml \
    sphinx-build -q -W --keep-going -j auto -c docs/site -d "$out/doctrees" \
    -b html "$out/pages" "$out/html"
python3 -B scripts/site_check.py "$out/xml" "$out/html"
echo "$out/html/index.html"
