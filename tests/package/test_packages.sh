#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_packages.sh SOURCE BUILD
# The packages of a finished build: what is in them, what they need, and whether what
# they install works where it was unpacked. tests/package/test_chroot.sh installs
# them into a system of their own.
set -euo pipefail
export LC_ALL=C

source=$1
build=$2
for command in cpack dpkg-deb dpkg-shlibdeps objdump strip pkg-config make; do
    if ! command -v "$command" >/dev/null; then
        echo "skipped: no $command"
        exit 77
    fi
done
work=$(mktemp -d)
# Other installations from this build are still to be removed by its "uninstall".
[ ! -f "$build/install_manifest.txt" ] ||
    cp "$build/install_manifest.txt" "$work/manifest"
clean_up() {
    rm -f "$build/install_manifest.txt"
    [ ! -f "$work/manifest" ] || mv "$work/manifest" "$build/install_manifest.txt"
    rm -rf "$work"
}
trap clean_up EXIT
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_GENERATOR DESTDIR \
    MAKEFLAGS

fail() {
    echo "FAILED: $*"
    exit 1
}
quietly() {
    echo "+ $*"
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$1"; }
}

echo "== made from what is built"
quietly cpack --config "$build/packages/CPackConfig.cmake" -B "$work/out"
multiarch=$(sed -n 's/^set(CPACK_DNNL_CACHE_MULTIARCH "\(.*\)")/\1/p' \
    "$build/packages/CPackConfig.cmake")
version=$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")/\1/p' \
    "$build/packages/CPackConfig.cmake")
(cd "$work/out" && ls ./*.deb ./*.tar.gz)
for deb in "$work"/out/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    dpkg-deb -x "$deb" "$work/root"
    mkdir -p "$work/lists" "$work/control/$name"
    dpkg-deb -e "$deb" "$work/control/$name"
    dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed 's|^\./||' |
        sort >"$work/lists/$name"
done

echo "== every installed file is in one package"
quietly cmake --install "$build" --prefix "$work/prefix"
# Where packages have what is installed below a prefix.
(cd "$work/prefix" && find . \( -type f -o -type l \) -printf '%y %P\n') |
    sed -E -e "/^f [^ ]*\.so$/s|^f lib/|f usr/lib/$multiarch/dnnl_cache/|" \
        -e "s#^(.) lib/([^/]*\.(so|a)|[^/]*\.so\..*|(cmake|pkgconfig)/.*)\$#\1 usr/lib/$multiarch/\2#" \
        -e "s|^(.) share/doc/dnnl_cache/|\1 usr/share/doc/dnnl-cache-doc/|" \
        -e "/^. share\/man\//s|\$|.gz|" \
        -e "/^. usr\//!s|^(.) |\1 usr/|" -e 's|^. ||' | sort >"$work/installed"
sort "$work"/lists/* | grep -vE \
    '^usr/share/(doc/[^/]*/(copyright|changelog(\.Debian)?\.gz)|lintian/overrides/[^/]*)$' \
    >"$work/packaged"
diff "$work/installed" "$work/packaged" ||
    fail "installed files (<) and files in packages (>) differ"
echo "$(wc -l <"$work/packaged") files"

# has PACKAGE PATTERN ...: a file of each pattern, in that package.
has() {
    local package=$1 pattern
    shift
    for pattern in "$@"; do
        grep -qE "^usr/$pattern\$" "$work/lists/$package" ||
            fail "$package has no $pattern"
    done
}
# control PACKAGE FIELD
control() {
    sed -n "s/^$2: //p" "$work/control/$1/control"
}
# needs PACKAGE PATTERN ..., needs_not: what stands in its Depends.
needs() {
    local package=$1 pattern
    shift
    for pattern in "$@"; do
        control "$package" Depends | tr ',' '\n' | sed 's/^ //' |
            grep -qE "^$pattern" ||
            fail "$package does not depend on $pattern: $(control "$package" Depends)"
    done
}

echo "== what is where"
lib=lib/$multiarch
own="\(= $version-[0-9]+\)"
so=$(sed -n 's/^set(CPACK_DNNL_CACHE_SOVERSION "\(.*\)")/\1/p' \
    "$build/packages/CPackConfig.cmake")
has "libdnnl-cache$so" "$lib/libdnnl_cache\.so\.$so"
has "libdnnl-cache-stores$so" "$lib/libdnnl_cache_stores\.so\.$so"
has "libdnnl-cache-persistent-cache$so" \
    "$lib/libdnnl_cache_persistent_cache\.so\.$so"
has libdnnl-cache-dev "$lib/libdnnl_cache\.so" include/dnnl_cache.h \
    include/dnnl_cache/persistent_cache.h "$lib/pkgconfig/dnnl_cache.pc" \
    "$lib/cmake/dnnl_cache/dnnl_cache-config.cmake"
has dnnl-cache-tools bin/dnnl-cache bin/dnnl-cache-run \
    "$lib/dnnl_cache/libdnnl_cache_layer.so" \
    "$lib/dnnl_cache/libdnnl_cache_probe.so" share/man/man1/dnnl-cache.1.gz \
    share/man/man1/dnnl-cache-run.1.gz \
    share/bash-completion/completions/dnnl-cache-run \
    lib/systemd/user/dnnl-cache-refresh.timer
has dnnl-cache-doc share/doc/dnnl-cache-doc/README.md \
    share/doc/dnnl-cache-doc/docs/start/program.md \
    share/doc/dnnl-cache-doc/examples/Makefile \
    share/doc/dnnl-cache-doc/examples/start/{application,fleet,model}\.sh \
    share/doc/dnnl-cache-doc/examples/start/{program.c,framework.cpp,python.py} \
    share/doc/dnnl-cache-doc/examples/start/Containerfile
needs "libdnnl-cache-stores$so" "libdnnl-cache$so $own" libsqlite3-0
needs "libdnnl-cache-persistent-cache$so" "libdnnl-cache-stores$so $own"
needs libdnnl-cache-dev "libdnnl-cache$so $own" "libdnnl-cache-stores$so $own" \
    "libdnnl-cache-persistent-cache$so $own" opencl-headers
needs dnnl-cache-tools "libdnnl-cache$so $own" libzstd1 ocl-icd-libopencl1
if [ -f "$work/lists/dnnl-cache-store-http" ]; then
    has dnnl-cache-store-http "$lib/dnnl_cache/libdnnl_cache_http.so"
    needs dnnl-cache-store-http libcurl4
fi
if [ -f "$work/lists/dnnl-cache-store-redis" ]; then
    has dnnl-cache-store-redis "$lib/dnnl_cache/libdnnl_cache_redis.so"
    needs dnnl-cache-store-redis libhiredis
fi
if [ -f "$work/lists/dnnl-cache-model-loader" ]; then
    has dnnl-cache-model-loader bin/model_loader share/man/man1/model_loader.1.gz
    needs dnnl-cache-model-loader "libdnnl-cache$so $own"
fi
if [ -f "$work/lists/libdnnl-cache-model$so" ]; then
    has "libdnnl-cache-model$so" "$lib/libdnnl_cache_model\.so\.$so" \
        libexec/dnnl_cache/model_compile
    needs "libdnnl-cache-model$so" "libdnnl-cache-stores$so $own" libprotobuf-c1
    needs dnnl-cache-model-loader "libdnnl-cache-model$so $own"
    needs libdnnl-cache-dev "libdnnl-cache-model$so $own"
fi
for name in "$work"/control/*; do
    name=${name##*/}
    for field in Maintainer Section Source Priority; do
        [ -n "$(control "$name" "$field")" ] || fail "$name has no $field"
    done
    has "$name" "share/doc/$name/copyright" "share/doc/$name/changelog.Debian.gz"
    case $name in
    dnnl-cache-store-*) ;;
    *)
        ! control "$name" Depends | grep -E 'curl|hiredis' ||
            fail "$name needs the library of a protocol"
        ;;
    esac
    # ldconfig has to know a library, and other packages which package has it.
    if grep -qE "^usr/$lib/[^/]*\.so\.[0-9]+\$" "$work/lists/$name"; then
        grep -q 'activate-noawait ldconfig' "$work/control/$name/triggers" ||
            fail "$name has no trigger"
        grep -q "^libdnnl_cache[a-z_]* $so $name (>= " \
            "$work/control/$name/shlibs" || fail "$name has no shlibs"
        # And a release has to be compared with the next one.
        while read -r library _; do
            [ -f "$source/abi/$library.abi.xz" ] ||
                fail "abi/ has no dump of $library (scripts/check_abi.sh --update)"
        done <"$work/control/$name/shlibs"
    fi
done
sh -n "$work/control/dnnl-cache-tools/postrm"
# A variable that the reader shall see.
# shellcheck disable=SC2016
sh "$work/control/dnnl-cache-tools/postrm" purge |
    grep -qF '$XDG_CACHE_HOME/dnnl_cache' || fail "purge does not say where caches are"
[ -z "$(sh "$work/control/dnnl-cache-tools/postrm" remove)" ] ||
    fail "remove says something"

echo "== nothing of the build in it"
! grep -rlIF -e "$work" -e "$build" "$work/root" "$work/control" ||
    fail "files name the folder of the build"
while IFS= read -r file; do
    ! objdump -p "$file" 2>/dev/null | grep -E 'RPATH|RUNPATH' ||
        fail "$file has a run path"
done < <(find "$work/root" -type f \( -name '*.so*' -o -path '*/bin/*' \))
[ -z "$(find "$work/root" \( -perm /022 -o -type d -not -perm 755 \) -not -type l)" ] ||
    fail "wrong modes"

if command -v lintian >/dev/null; then
    echo "== lintian"
    # Its Perl modules leave temporary files.
    mkdir "$work/lintian"
    quietly env TMPDIR="$work/lintian" lintian --fail-on error,warning --tag-display-limit 0 --allow-root \
        "$work"/out/*.deb
    ! grep -E '^(E|W):' "$work/log" || fail "lintian"
else
    echo "no lintian: not asked"
fi

# ---- What packages install works ---------------------------------------------------

export LD_LIBRARY_PATH=$work/root/usr/$lib HOME=$work/home
unset XDG_CACHE_HOME
mkdir "$HOME"
echo "== unpacked packages"
quietly "$work/root/usr/bin/dnnl-cache" --version
# Its layer is found, and the modules of servers: nobody listens there.
quietly "$work/root/usr/bin/dnnl-cache-run" --print
grep -qF "$work/root/usr/$lib/dnnl_cache/libdnnl_cache_layer.so" "$work/log" ||
    { cat "$work/log"; fail "not the layer of the packages"; }
# modules PREFIX
modules() {
    local kind
    for kind in http redis; do
        [ -f "$work/lists/dnnl-cache-store-$kind" ] || continue
        echo "+ module for $kind, in $1"
        ! "$1/bin/dnnl-cache" --store "$kind://127.0.0.1:1?insecure=1" verify \
            >"$work/log" 2>&1 || fail "verified nothing"
        grep -qE 'cannot list|cannot be read' "$work/log" ||
            { cat "$work/log"; fail "the module was not found"; }
    done
}
modules "$work/root/usr"
echo "+ the manual page of model_loader has its options"
gzip -dc "$work/root/usr/share/man/man1/model_loader.1.gz" | sed 's/\\-/-/g' \
    >"$work/page"
for option in $("$work/root/usr/bin/model_loader" --help |
    sed -n 's/^ *\(--[a-z-]*\).*/\1/p'); do
    grep -qF -e "$option" "$work/page" ||
        fail "model/model_loader.1 lacks $option"
done
quietly cmake -S "$source/tests/package/installed" -B "$work/consumer" \
    -DCMAKE_PREFIX_PATH="$work/root/usr" -DEXPECT_PRIMITIVES=1 \
    -DCOMPONENTS="persistent_cache;stores" -DCMAKE_BUILD_TYPE=Debug
grep -qE "^dnnl_cache_DIR:PATH=$work/root/usr/$lib/cmake" \
    "$work/consumer/CMakeCache.txt" || fail "another package was found"
quietly cmake --build "$work/consumer"
quietly "$work/consumer/consumer"
quietly "$work/consumer/stores_consumer" "$work/kept"
unset LD_LIBRARY_PATH

echo "== the tarball, and its removal"
tarball=$(echo "$work"/out/*.tar.gz)
mkdir "$work/opt"
tar -C "$work/opt" --strip-components=1 -xzf "$tarball"
diff <(cd "$work/prefix" && find . -type f -o -type l | sort) \
    <(cd "$work/opt" && find . -type f -o -type l | grep -vxE \
        './share/(dnnl_cache/(uninstall.sh|files.txt)|doc/dnnl_cache/LICENSE)' |
        sort) || fail "the tarball has other files"
quietly "$work/opt/bin/dnnl-cache" --version
quietly "$work/opt/bin/dnnl-cache-run" --print
grep -qF "$work/opt/lib/libdnnl_cache_layer.so" "$work/log" ||
    { cat "$work/log"; fail "not the layer of the tarball"; }
modules "$work/opt"
grep -q '^ExecStart=/usr/local/bin/dnnl-cache refresh' \
    "$work/opt/lib/systemd/user/dnnl-cache-refresh.service" ||
    fail "the unit does not name the usual prefix"
! grep -rlIF -e "$work" -e "$build" "$work/opt" ||
    fail "files of the tarball name the folder of the build"

echo "== the installed examples"
examples=$work/opt/share/doc/dnnl_cache/examples
quietly cmake -S "$examples" -B "$work/examples" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_PREFIX_PATH="$work/opt"
quietly cmake --build "$work/examples" --target persistent_cache
cmake --build "$work/examples" --target help >"$work/targets"
mkdir "$work/examples-make"
quietly env PKG_CONFIG_PATH="$work/opt/lib/pkgconfig" make -j 2 \
    -C "$work/examples-make" -f "$examples/Makefile" CFLAGS=-O0 CXXFLAGS=-O0
count=0
for file in "$source"/examples/*.c "$source"/examples/*.cpp; do
    grep -qE '^int main\(' "$file" || continue
    example=${file##*/}
    example=${example%.c}
    [ "$example" != getting_started.cpp ] || example=getting_started_cpp
    example=${example%.cpp}
    grep -qx "\.\.\. $example" "$work/targets" ||
        fail "CMakeLists.txt lacks $example"
    [ -x "$work/examples-make/$example" ] || fail "Makefile lacks $example"
    LD_LIBRARY_PATH=$work/opt/lib quietly "$work/examples-make/$example" --help
    count=$((count + 1))
done
[ "$count" -ge 10 ] || fail "only $count examples"
quietly "$work/examples/persistent_cache" --help

echo "own" >"$work/opt/share/doc/dnnl_cache/own_file"
quietly "$work/opt/share/dnnl_cache/uninstall.sh"
left=$(cd "$work/opt" && find . -type f -o -type l)
[ "$left" = ./share/doc/dnnl_cache/own_file ] || fail "left behind: $left"
rm "$work/opt/share/doc/dnnl_cache/own_file"
cp "$source/packaging/uninstall.sh" "$work/opt"
! "$work/opt/uninstall.sh" >"$work/log" 2>&1 || fail "it ran outside of a prefix"

echo "== uninstall"
mkdir "$work/build"
cp "$build/install_manifest.txt" "$work/build"
echo "own" >"$work/prefix/lib/own_file"
quietly cmake -DBUILD="$work/build" -P "$source/cmake/Uninstall.cmake"
left=$(cd "$work/prefix" && find . -mindepth 1 | sort | tr '\n' ' ')
[ "$left" = "./lib ./lib/own_file " ] || fail "left behind: $left"
[ ! -e "$work/build/install_manifest.txt" ] || fail "the manifest is still there"
if cmake -DBUILD="$work/build" -P "$source/cmake/Uninstall.cmake" \
    >"$work/log" 2>&1; then
    fail "it removed what was not installed"
fi
echo "packages: complete, and they work"
