#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: PREFIX/share/dnnl_cache/uninstall.sh
# Removes what was unpacked from the tarball of dnnl_cache into PREFIX: the files
# that files.txt beside this script lists, and the folders that are empty then.
set -eu

own=$(cd "$(dirname "$0")" && pwd)
prefix=${own%/share/dnnl_cache}
if [ "$prefix" = "$own" ] || [ ! -f "$own/files.txt" ]; then
    echo "uninstall.sh: $own is not share/dnnl_cache of an installation" >&2
    exit 1
fi
cd "$prefix"
list=$(cat "$own/files.txt")

# A folder's line is behind those of what is in it. Folders that every system has
# stay.
echo "$list" | while IFS= read -r path; do
    case $path in
    bin | etc | include | lib | share | share/doc | share/man | share/man/man1) ;;
    *)
        if [ -d "$path" ] && [ ! -L "$path" ]; then
            rmdir "$path" 2>/dev/null || true
        else
            rm -f "$path"
        fi
        ;;
    esac
done
echo "Removed dnnl_cache from $prefix. Users' caches stay:"
# What a user types.
# shellcheck disable=SC2016
echo '    $XDG_CACHE_HOME/dnnl_cache, else ~/.cache/dnnl_cache'
