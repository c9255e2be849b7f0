#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Arrows point down only: who may include what. Names each line that breaks the
# rule; a rule of CONTRIBUTING.md, section Layers.
set -euo pipefail
cd "$(dirname "$0")/.."

broken=0
report() {
    echo "$1"
    broken=1
}

# includes DIR: "file:line: name" of every include in C, C++ and OpenCL C.
includes() {
    find "$1" -type f \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cl' \) \
        -exec grep -nHE '^[[:space:]]*#[[:space:]]*(include|import)' {} + |
        sed -E 's/^([^:]+:[0-9]+):[^"<]*(["<][^">]*)[">].*/\1: \2/' || true
}

# layer DIR ALLOWED: quoted includes match the pattern, none reaches CL/
# unless the third argument says so.
layer() {
    local dir=$1 allowed=$2 opencl=${3:-}
    [ -d "$dir" ] || return 0
    local place name
    while IFS=' ' read -r place name; do
        case $name in
        '<'*)
            if [ -z "$opencl" ] && [[ $name =~ ^'<'(CL|OpenCL)/ ]]; then
                report "$place $name>: no OpenCL below src/gpu"
            fi
            ;;
        '"'*)
            [[ ${name#\"} =~ ^($allowed)$ ]] ||
                report "$place $name\": not for $dir"
            ;;
        *) report "$place cannot tell what is included" ;;
        esac
    done < <(includes "$dir")
}

own='[^/]+\.h' # beside the file
layer src/common "dnnl_cache_types\.h|common/[^/]+|$own"
layer src/blob "dnnl_cache_types\.h|(common|blob)/[^/]+|$own"
layer src/process "process/[^/]+|$own"
layer src/drivers "dnnl_cache_types\.h|drivers/[^/]+|$own"
layer src/includes "dnnl_cache_types\.h|(common|blob|process|drivers|includes)/[^/]+|$own"

# room NAME USES [BELOW]: a folder of src/gpu, the others that it includes, and
# what else of src.
rooms=()
room() {
    rooms+=("$1")
    layer "src/gpu/$1" \
        "dnnl_cache(_types)?\.h|(common|blob|process${3:+|$3})/[^/]+|gpu/($1${2:+|$2})/[^/]+|$own" \
        opencl
}
room kernels
room device '' drivers
room engine 'device|kernels'
room program 'device|engine' 'drivers|includes'
room memory 'device|engine'
room primitive 'device|engine|kernels|memory|program'
room kinds 'device|engine|kernels|memory|program|primitive'
while IFS= read -r file; do
    in_room=
    for name in "${rooms[@]}"; do
        [[ $file != src/gpu/$name/* ]] || in_room=yes
    done
    [ -n "$in_room" ] || report "$file: in no room of src/gpu"
done < <(find src/gpu -type f ! -path src/gpu/CMakeLists.txt)

# What is outside src lives on the public headers. The layer follows includes
# with the same code as the library, layer and tools know the same of drivers, and
# they and the stores keep descriptors and judge owners in the same way.
for dir in stores layer loader examples tools bench python; do
    [ -d "$dir" ] || continue
    while IFS=' ' read -r place name; do
        name=${name#[\"<]}
        [[ ! $dir/$name =~ ^(layer/(includes|drivers)|tools/drivers|(stores|layer|tools)/process)/ ]] || continue
        if [[ $name =~ (^|/)src/ ]] || [ -e "src/$name" ] ||
            [[ $name =~ ^(\.\./)*(common|blob|includes|gpu)/ ]]; then
            report "$place $name is private to the library"
        fi
    done < <(includes "$dir")
    while IFS= read -r line; do
        [[ $line != layer/CMakeLists.txt:*dnnl_cache_includes* ]] || continue
        [[ $line != tools/common/CMakeLists.txt:*/src/\$\{layer\}\"* ]] || continue
        report "$line: links or sees what is private to the library"
    done < <(find "$dir" -name CMakeLists.txt -exec grep -nHE \
        'dnnl_cache_(common|blob|includes|gpu)([^_a-z]|$)|SOURCE_DIR\}"?/src([/"]|$)' {} + || true)
done

# Each of these folders includes headers of its own, those of tools/common, and
# those that users have: <dnnl_cache/...> for the stores, too.
# folder DIR OTHERS ...: quoted includes are files beside, in DIR, or in OTHERS.
folder() {
    local dir=$1 place name found other
    shift
    while IFS=' ' read -r place name; do
        [[ $name == '"'* ]] || continue
        name=${name#\"}
        found=
        for other in "$(dirname "${place%%:*}")" "$dir" "$@" include; do
            [ ! -e "$other/$name" ] || found=yes
        done
        [ -n "$found" ] || report "$place \"$name\": not for $dir"
    done < <(includes "$dir")
}
folder stores src
folder layer tools/common src
folder loader tools/common
folder tools/common src
folder tools/dnnl_cache tools/common src
folder examples tools/common
folder bench tools/common
# Its shared object has the stores inside, and calls OpenCL as the layer does.
folder python layer stores

[ "$broken" = 0 ] && echo "layers: every arrow points down"
exit "$broken"
