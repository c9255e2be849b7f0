#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_package.sh SOURCE BUILD EXPECT_PRIMITIVES [PART ...]
# Uses the library and its stores as others do: installed and found by CMake or
# pkg-config. BUILD is a finished build. What has to be built besides, in parts:
#   static        static, without primitives, and the examples with that
#   storeless     shared, without primitives and stores
#   subdirectory  in another project's tree
#   programs      tools, model loader and examples, with the installed library
#   one           one of these, another one each time; its name is printed.
#                 The projects of all are configured, which takes seconds
set -euo pipefail

source=$1
build=$2
primitives=$3
shift 3
known=(static storeless subdirectory programs)
parts=("$@")
[ "$*" != one ] || parts=("${known[RANDOM % ${#known[@]}]}")
for part in "${parts[@]}"; do
    case " ${known[*]} " in
    *" $part "*) ;;
    *) echo "test_package.sh: no part $part" >&2; exit 2 ;;
    esac
done
here=$source/tests/package
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-2}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The library's own settings must not come from the outside.
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_GENERATOR

quietly() {
    echo "+ $*"
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

# installation NAME BUILD: installs to $work/NAME by way of another place, so
# that nothing can hold its first path.
installation() {
    local unit=$work/moved/lib/systemd/user/dnnl-cache-refresh.service
    quietly cmake --install "$2" --prefix "$work/moved"
    if grep -v "^$work/moved/" "$2/install_manifest.txt"; then
        echo "installed outside of the prefix"
        exit 1
    fi
    [ ! -f "$unit" ] || grep -q "^ExecStart=$work/moved/bin/" "$unit" ||
        { echo "the unit runs another program"; exit 1; }
    mv "$work/moved" "$work/$1"
    [ -z "$(find "$work/$1" \( -path '*oneapi*' -o -name 'dnnl.h*' \) \
        -not -path '*/onednn_compat/*')" ] ||
        { echo "an installed file has a name of oneDNN's"; exit 1; }
}

# pc_path NAME: where the installation keeps its pkg-config file.
pc_path() {
    dirname "$(find "$work/$1" -name dnnl_cache.pc)"
}

# by_find_package NAME EXPECT_PRIMITIVES
by_find_package() {
    quietly cmake -S "$here/installed" -B "$work/$1-cmake" \
        -DCMAKE_PREFIX_PATH="$work/$1" -DEXPECT_PRIMITIVES="$2"
    quietly cmake --build "$work/$1-cmake"
    quietly "$work/$1-cmake/consumer"
    quietly "$work/$1-cmake/compat_consumer"
}

# by_old_project NAME EXPECT_PRIMITIVES
by_old_project() {
    quietly cmake -S "$here/old_project" -B "$work/$1-old" \
        -DCMAKE_PREFIX_PATH="$work/$1" -DEXPECT_PRIMITIVES="$2"
    quietly cmake --build "$work/$1-old"
    quietly "$work/$1-old/consumer"
}

# by_pkg_config NAME EXPECT_PRIMITIVES [FLAGS OF PKG-CONFIG ...]
by_pkg_config() {
    local name=$1 expect=$2 flags
    shift 2
    flags=$(PKG_CONFIG_PATH=$(pc_path "$name") pkg-config "$@" --cflags \
        --libs dnnl_cache)
    # Word splitting is what pkg-config's answer is made for.
    # shellcheck disable=SC2086
    quietly "${CC:-cc}" -std=c99 -D EXPECT_PRIMITIVES="$expect" \
        "$here/consumer.c" -o "$work/$name-pkg-config" $flags \
        -Wl,-rpath,"$(dirname "$(pc_path "$name")")"
    quietly "$work/$name-pkg-config"
    flags=$(PKG_CONFIG_PATH=$(pc_path "$name") pkg-config "$@" --cflags \
        --libs dnnl_cache_onednn_compat)
    # shellcheck disable=SC2086
    quietly "${CXX:-c++}" -std=c++11 "$here/compat_consumer.cpp" \
        -o "$work/$name-compat-pkg-config" $flags \
        -Wl,-rpath,"$(dirname "$(pc_path "$name")")"
    quietly "$work/$name-compat-pkg-config"
}

# use_components FOLDER: runs the programs that keep something in a store.
use_components() {
    rm -rf "$work/kept"
    quietly "$1/stores_consumer" "$work/kept/store"
    [ -f "$work/kept/store/size.txt" ] || { echo "no store was made"; exit 1; }
    quietly "$1/persistent_cache_consumer" "$work/kept/cache"
    [ -d "$work/kept/cache" ] || { echo "no cache was made"; exit 1; }
}

# components NAME EXPECT_PRIMITIVES: stores and persistent_cache, found by both.
components() {
    local name=$1 dir=$work/$1-components part flags
    quietly cmake -S "$here/installed" -B "$dir" -DEXPECT_PRIMITIVES="$2" \
        -DCMAKE_PREFIX_PATH="$work/$name" -DCOMPONENTS=stores
    ! grep -q persistent_cache_consumer "$dir/Makefile" ||
        { echo "stores alone gave persistent_cache"; exit 1; }
    quietly cmake -S "$here/installed" -B "$dir" \
        -DCOMPONENTS="persistent_cache;stores"
    quietly cmake --build "$dir"
    use_components "$dir"
    mkdir "$dir/pkg-config"
    for part in stores persistent_cache; do
        flags=$(PKG_CONFIG_PATH=$(pc_path "$name") pkg-config --cflags --libs \
            "dnnl_cache_$part")
        # shellcheck disable=SC2086
        quietly "${CC:-cc}" -std=c99 "$here/${part}_consumer.c" \
            -o "$dir/pkg-config/${part}_consumer" $flags \
            -Wl,-rpath,"$(dirname "$(pc_path "$name")")"
    done
    use_components "$dir/pkg-config"
}

# refused NAME WORDS COMPONENTS: CMake stops, and says so in these words;
# but goes on if the components are optional.
refused() {
    local dir=$work/$1-refused
    rm -rf "$dir"
    echo "+ find_package(dnnl_cache COMPONENTS $3) must fail"
    if cmake -S "$here/installed" -B "$dir" -DEXPECT_PRIMITIVES=0 \
        -DCMAKE_PREFIX_PATH="$work/$1" -DCOMPONENTS="$3" >"$work/log" 2>&1; then
        echo "found what is not there: $3"
        exit 1
    fi
    # CMake breaks lines where it likes.
    tr -s ' \n' ' ' <"$work/log" | grep -qF "$2" ||
        { cat "$work/log"; echo "did not say: $2"; exit 1; }
    quietly cmake -S "$here/installed" -B "$dir" -DREQUIRED=
    ! grep -q stores_consumer "$dir/Makefile" ||
        { echo "found what is not there: $3"; exit 1; }
}

# store_exports LIBRARY LIST: exactly the names on the list.
store_exports() {
    local dynamic=()
    case $1 in *.so*) dynamic=(-D) ;; esac
    echo "+ names of ${1##*/}"
    diff <(nm "${dynamic[@]}" -g --defined-only "$1" |
        awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' | sort) <(sort <<<"$2")
}
# functions NAME PREFIX: those of that prefix in the installed headers.
functions() {
    grep -ohE "$2_[a-z_]+\(" "$work/$1"/include/dnnl_cache/*.h |
        tr -d '(' | sort -u
}

# installed_exports NAME SUFFIX
installed_exports() {
    store_exports "$(find "$work/$1" -name "libdnnl_cache_stores.$2")" \
        "$(functions "$1" "dnnl_cache_(store|recording)")"
    store_exports "$(find "$work/$1" -name "libdnnl_cache_persistent_cache.$2")" \
        "$(functions "$1" dnnl_cache_persistent)"
}

# modules NAME: what speaks a server's protocol is found where it is installed,
# has one name for others, and what loads it needs neither library of it.
modules() {
    local prefix=$work/$1 file kind
    while IFS= read -r file; do
        ! objdump -p "$file" | grep -E 'NEEDED +lib(curl|hiredis)' ||
            { echo "$file needs it"; exit 1; }
    done < <(find "$prefix" \( -name 'libdnnl_cache*.so' -o \
        -path '*/bin/dnnl-cache' \) -not -name 'libdnnl_cache_http.so' \
        -not -name 'libdnnl_cache_redis.so')
    for kind in http redis; do
        file=$(find "$prefix" -name "libdnnl_cache_$kind.so")
        [ -n "$file" ] || { echo "no module for $kind"; exit 1; }
        store_exports "$file" dnnl_cache_remote_module
        # Nobody listens there: that comes behind finding the module.
        echo "+ the installed dnnl-cache finds the module for $kind"
        "$prefix/bin/dnnl-cache" --store "$kind://127.0.0.1:1?insecure=1" \
            verify >"$work/log" 2>&1 && { echo "verified nothing"; exit 1; }
        grep -qE 'cannot list|cannot be read' "$work/log" ||
            { cat "$work/log"; exit 1; }
    done
}

# models NAME: the library of the model loader, found by both. What a program
# that embeds it lacks is compiled by the installed helper; then it is warm. The
# command and the helper are where they can be found.
models() {
    local prefix=$work/$1 dir=$work/$1-models way flags
    local model=$source/tests/data/onnx/models/Conv1d.onnx
    store_exports "$(find "$prefix" -name 'libdnnl_cache_model.so')" \
        "$(functions "$1" dnnl_cache_model)"
    [ -x "$prefix/libexec/dnnl_cache/model_compile" ] ||
        { echo "no model_compile"; exit 1; }
    quietly cmake -S "$here/installed" -B "$dir" -DEXPECT_PRIMITIVES=1 \
        -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS=model
    quietly cmake --build "$dir" --target model_consumer
    mkdir "$dir/pkg-config"
    flags=$(PKG_CONFIG_PATH=$(pc_path "$1") pkg-config --cflags --libs \
        dnnl_cache_model)
    # shellcheck disable=SC2086
    quietly "${CC:-cc}" -std=c99 "$here/model_consumer.c" \
        -o "$dir/pkg-config/model_consumer" $flags \
        -Wl,-rpath,"$(dirname "$(pc_path "$1")")"
    quietly "$prefix/bin/model_loader" "$model" --list
    for way in "$dir" "$dir/pkg-config"; do
        echo "+ $way/model_consumer"
        if ! "$way/model_consumer" "$model" "$work/models" >"$work/log" 2>&1; then
            grep -q 'no OpenCL device' "$work/log" ||
                { cat "$work/log"; exit 1; }
            echo "no OpenCL device: not run"
        elif [ "$way" != "$dir" ]; then
            grep -q '^warm on' "$work/log" || { cat "$work/log"; exit 1; }
        fi
    done
    for file in man/man1/model_loader.1 \
        bash-completion/completions/model_loader; do
        [ -f "$prefix/share/$file" ] ||
            { echo "not installed: share/$file"; exit 1; }
    done
}

# own_names NAME: a program's own names beside all installed headers.
own_names() {
    local dir=$work/$1-names flags
    mkdir "$dir"
    flags=$(PKG_CONFIG_PATH=$(pc_path "$1") pkg-config --cflags --libs \
        dnnl_cache_stores dnnl_cache_persistent_cache)
    (cd "$work/$1/include" && find . -name '*.h*' \
        -not -path '*/onednn_compat/*') |
        sed 's|^\./\(.*\)$|#include <\1>|' | sort >"$dir/all_headers.h"
    grep -q bucket_store "$dir/all_headers.h" || { echo "no headers"; exit 1; }
    # shellcheck disable=SC2086
    quietly "${CXX:-c++}" -std=c++11 -Wall -Wextra -Werror -I "$dir" \
        "$here/own_names.cpp" -o "$dir/cpp" $flags \
        -Wl,-rpath,"$(dirname "$(pc_path "$1")")"
    sed -i '/hpp/d' "$dir/all_headers.h"
    # shellcheck disable=SC2086
    quietly "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -I "$dir" \
        "$here/own_names.c" -o "$dir/c" $flags \
        -Wl,-rpath,"$(dirname "$(pc_path "$1")")"
    quietly "$dir/c" "$dir/kept"
    quietly "$dir/cpp" "$dir/kept"
}

# library OPTIONS ...: configures and builds the library alone in $work/build, not
# optimized: that takes long, and is no matter here.
library() {
    rm -rf "$work/build"
    quietly cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug \
        -DDNNL_CACHE_TESTS=OFF \
        -DDNNL_CACHE_EXAMPLES=OFF -DDNNL_CACHE_TOOLS=OFF \
        -DDNNL_CACHE_LOADER=OFF -DDNNL_CACHE_BENCH=OFF "$@"
    quietly cmake --build "$work/build" -j "$jobs"
}

# examples NAME EXPECT_PRIMITIVES: builds them as a project of their own: all of
# them, or those that need no primitives.
examples() {
    local example expect found=no
    quietly cmake -S "$source/examples" -B "$work/$1-examples" \
        -DCMAKE_PREFIX_PATH="$work/$1"
    quietly cmake --build "$work/$1-examples" -j "$jobs"
    for example in "$source"/examples/*.c; do
        example=${example##*/}
        example=${example%.c}
        # The others are parts of examples.
        grep -q '^int main(' "$source/examples/$example.c" || continue
        expect=$2
        case $example in existing_program | warm_service) expect=1 ;; esac
        if [ "$expect" = 0 ]; then
            [ ! -e "$work/$1-examples/$example" ] ||
                { echo "$example was built without primitives"; exit 1; }
            continue
        fi
        quietly "$work/$1-examples/$example" --help
        grep -q "^usage: $example " "$work/log" ||
            { echo "$example does not tell its usage"; exit 1; }
        found=yes
    done
    [ "$found" = yes ] || { echo "no example was built"; exit 1; }
}

echo "== installed, as built"
installation shared "$build"
by_find_package shared "$primitives"
by_old_project shared "$primitives"
by_pkg_config shared "$primitives"
components shared "$primitives"
refused shared 'there is no component "sotres"; there are: stores' sotres
own_names shared
modules shared
if [ -n "$(find "$work/shared" -name libdnnl_cache_model.so)" ]; then
    models shared
else
    refused shared 'installed without the component "model" (build it with' model
fi
case $(find "$work/shared" -name 'libdnnl_cache_stores.*') in
*.so*) installed_exports shared so ;;
*) installed_exports shared a ;;
esac

echo "== the tool, installed and moved"
tool=$work/shared/bin/dnnl-cache
if [ -x "$tool" ]; then
    quietly "$tool" --store "$work/store" import \
        "$source/tests/data/archives/good.archive"
    quietly "$tool" --store "$work/store" verify
    for file in man/man1/dnnl-cache.1 bash-completion/completions/dnnl-cache \
        man/man1/dnnl-cache-run.1 bash-completion/completions/dnnl-cache-run \
        dnnl_cache/dnnl_cache_linker_names.json; do
        [ -f "$work/shared/share/$file" ] ||
            { echo "not installed: share/$file"; exit 1; }
    done
    # The layer is looked for beside the runner, and loaded to see that it can.
    quietly "$work/shared/bin/dnnl-cache-run" -- true
    layers=$("$work/shared/bin/dnnl-cache-run" --print)
    grep -qF "'$(find "$work/shared" -name libdnnl_cache_layer.so)'" \
        <<<"$layers" ||
        { echo "not the installed layer: $layers"; exit 1; }
fi

static_part() {
    echo "== static, without primitives"
    library -DBUILD_SHARED_LIBS=OFF -DDNNL_CACHE_PRIMITIVES=OFF \
        -DDNNL_CACHE_TOOLS=ON
    "$source/scripts/check_exports.sh" \
        "$(find "$work/build" -name libdnnl_cache.a)" "" -DDNNL_CACHE_PRIMITIVES=0
    installation static "$work/build"
    by_find_package static 0
    by_pkg_config static 0
    by_pkg_config static 0 --static
    quietly "$work/static/bin/dnnl-cache" --version
    modules static
    components static 0
    own_names static
    installed_exports static a
    echo "== the examples, with the static library without primitives"
    examples static 0
}

storeless_part() {
    echo "== shared, without primitives"
    library -DBUILD_SHARED_LIBS=ON -DDNNL_CACHE_PRIMITIVES=OFF \
        -DDNNL_CACHE_STORES=OFF
    "$source/scripts/check_exports.sh" \
        "$(find "$work/build" -name libdnnl_cache.so)" "" -DDNNL_CACHE_PRIMITIVES=0
    installation storeless "$work/build"
    # Documents are the same for all.
    [ -z "$(find "$work/storeless" -name '*stores*' -not -path '*/share/doc/*')" ] ||
        { echo "stores were installed unasked"; exit 1; }
    refused storeless 'installed without the component "stores" (build it with' \
        stores
}

subdirectory_part() {
    echo "== as a subdirectory"
    quietly cmake -S "$here/subdirectory" -B "$work/subdirectory" \
        -DDNNL_CACHE_SOURCE="$source"
    quietly cmake --build "$work/subdirectory" -j "$jobs"
    quietly "$work/subdirectory/consumer"
    quietly "$work/subdirectory/compat_consumer"
    quietly cmake -S "$here/subdirectory" -B "$work/subdirectory-stores" \
        -DDNNL_CACHE_SOURCE="$source" -DDNNL_CACHE_STORES=ON
    quietly cmake --build "$work/subdirectory-stores" -j "$jobs"
    use_components "$work/subdirectory-stores"
}

programs_part() {
    echo "== the tool, with the installed library"
    quietly cmake -S "$source/tools" -B "$work/tools" \
        -DCMAKE_PREFIX_PATH="$work/shared"
    quietly cmake --build "$work/tools" -j "$jobs"
    for name in dnnl-cache dnnl-cache-run; do
        quietly "$(find "$work/tools" -name "$name" -type f -perm -u+x)" --version
    done
    if [ -x "$build/bin/model_loader" ]; then
        echo "== the model loader, with the installed library"
        quietly cmake -S "$source/model" -B "$work/loader" \
            -DCMAKE_PREFIX_PATH="$work/shared"
        quietly cmake --build "$work/loader" -j "$jobs"
        quietly "$(find "$work/loader" -name model_loader -type f -perm -u+x)" \
            --help
    fi
    echo "== the examples, with the installed library"
    examples shared "$primitives"
}

# The projects of all parts, as far as CMake's targets go.
configure_all() {
    local name
    for name in tools model; do
        [ "$name" = tools ] || [ -x "$build/bin/model_loader" ] || continue
        quietly cmake -S "$source/$name" -B "$work/configured-$name" \
            -DCMAKE_PREFIX_PATH="$work/shared"
    done
    quietly cmake -S "$here/subdirectory" -B "$work/configured-stores" \
        -DDNNL_CACHE_SOURCE="$source" -DDNNL_CACHE_STORES=ON
}

[ "$*" != one ] || configure_all
for part in "${parts[@]}"; do
    "${part}_part"
done
echo "package: the library can be used: installed ${parts[*]}"
