#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: musl_root.sh FOLDER
# What a build against musl includes and links on Debian, in FOLDER, and
# FOLDER/toolchain.cmake for that build: links to the headers of libraries, their
# static libraries, and OpenCL's calls, which end the process: such a build has no
# loader. Those libraries were made for glibc; musl has the same types on x86-64
# (https://wiki.musl-libc.org/functional-differences-from-glibc.html), and
# tests/harness/fortified.c the calls that it lacks.
# Exit status: 0 all is there; 2 wrong usage; 77 musl-tools, or static libraries of
# the packages that install_packages.sh names, are missing.
set -euo pipefail

if [ $# != 1 ] || [[ $1 == -* ]]; then
    sed -n '3,11s/^# \{0,1\}//p' "$0"
    [ "${1:-}" = --help ] && exit 0
    exit 2
fi
scripts=$(cd "$(dirname "$0")" && pwd)
lacks() {
    echo "musl_root.sh: $*" >&2
    exit 77
}
command -v musl-gcc >/dev/null || lacks "no musl-gcc"
[ "$(uname -m)" = x86_64 ] || lacks "not on $(uname -m)"
mkdir -p "$1/include" "$1/lib" "$1/pkgconfig"
folder=$(cd "$1" && pwd)

python3 -B -c '
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import compile_for
compile_for.link_headers(pathlib.Path(sys.argv[2]))' "$scripts" "$folder/include"

for name in libsodium:sodium libsqlite3:sqlite3 libxxhash:xxhash libzstd:zstd; do
    package=${name%:*}
    [ "$package" != libsqlite3 ] || package=sqlite3
    file=$(gcc -print-file-name="${name%:*}.a")
    [ -f "$file" ] || lacks "no ${name%:*}.a"
    cp -f "$file" "$folder/lib/"
    cat >"$folder/pkgconfig/$package.pc" <<END
Name: $package
Description: for musl
Version: $(pkg-config --modversion "$package")
Libs: -L$folder/lib -l${name#*:}
END
done

loader=$(gcc -print-file-name=libOpenCL.so)
[ -f "$loader" ] || lacks "no libOpenCL.so"
nm -D --defined-only "$loader" |
    sed -n 's/.* T \(cl[A-Z][A-Za-z0-9]*\)\(@.*\)\{0,1\}$/\1/p' | sort -u |
    sed 's/.*/__attribute__((weak)) void &(void);\nvoid &(void) { __builtin_trap(); }/' \
        >"$folder/opencl.c"
for source in "$folder/opencl.c:libOpenCL.a" \
    "$scripts/../tests/harness/fortified.c:libfortified.a"; do
    musl-gcc -O2 -fno-builtin -c "${source%:*}" -o "$folder/object.o"
    rm -f "$folder/lib/${source#*:}"
    ar rc "$folder/lib/${source#*:}" "$folder/object.o"
done

cat >"$folder/pkg-config" <<END
#!/bin/sh
PKG_CONFIG_LIBDIR="$folder/pkgconfig" exec pkg-config "\$@"
END
chmod +x "$folder/pkg-config"
cat >"$folder/toolchain.cmake" <<END
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_C_FLAGS_INIT "-idirafter $folder/include")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_C_STANDARD_LIBRARIES "$folder/lib/libfortified.a -lm")
set(PKG_CONFIG_EXECUTABLE "$folder/pkg-config")
set(OpenCL_INCLUDE_DIR "$folder/include")
set(OpenCL_LIBRARY "$folder/lib/libOpenCL.a")
END
