#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: python/test.sh [--out DIR] [--quick] [--keep]
#
# Builds the wheel ("pip wheel ./python"), installs it into a fresh virtual
# environment with pyopencl and NumPy from PyPI, and with no compiler in PATH, and
# runs, on PoCL:
#
#   - the package's tests and the listings of its documents (python/tests)
#   - the ten lines of docs/start/python.md: a later start is 20 times as fast as the
#     first one (scripts/results.py --measure python)
#   - pyopencl's own tests of building programs, from its source distribution,
#     without the layer and under enable_layer(), with an empty and a filled store:
#     the verdicts are the same
#   - mypy --strict on the package
#   - what the wheel needs of the system: libc alone
#
# --quick leaves pyopencl's tests, mypy and the times out. --out DIR is where all
# of it is built (default: a temporary folder, removed at the end unless --keep).
#
# Exit status: 0 everything passed, 1 something failed, 2 wrong usage.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out='' quick='' keep=''
while [ $# -gt 0 ]; do
    case $1 in
    --out)
        out=${2:?--out needs a folder}
        shift
        ;;
    --quick) quick=yes ;;
    --keep) keep=yes ;;
    -h | --help)
        sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
        exit 0
        ;;
    *)
        echo "test.sh: no option $1 (--help lists them)" >&2
        exit 2
        ;;
    esac
    shift
done
if [ -n "$out" ]; then
    mkdir -p "$out"
    out=$(cd "$out" && pwd)
    rm -rf "${out:?}"/{wheel,venv,bin,sdist,tools,stores,vendors,home,pytest}
else
    out=$(mktemp -d)
    [ -n "$keep" ] || trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out"/{wheel,bin,sdist,stores,vendors,home}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

say() {
    echo "== $*"
}

say "the wheel"
cd "$root"
python3 -m venv "$out/tools"
"$out/tools/bin/pip" -q wheel ./python --no-deps -w "$out/wheel"
wheel=("$out"/wheel/dnnl_cache-*.whl)
echo "${wheel[0]##*/}"
[[ ${wheel[0]##*/} =~ ^dnnl_cache-[0-9.]+-py3-none-linux_[a-z0-9_]+\.whl$ ]]

# From here on: no compiler, no system's caches, PoCL alone.
for name in bash env python3 sh ls cat sed uname dirname getconf ldconfig readelf; do
    ! found=$(command -v "$name") || ln -s "$found" "$out/bin/$name"
done
head -n 1 /etc/OpenCL/vendors/pocl.icd >"$out/vendors/pocl.icd"
export HOME="$out/home" XDG_CACHE_HOME="$out/home/.cache" \
    OCL_ICD_VENDORS="$out/vendors" DNNL_CACHE_TEST_SOURCES="$root"
without_compiler() {
    PATH="$out/venv/bin:$out/bin" "$@"
}

say "a fresh environment without a compiler"
python3 -m venv "$out/venv"
for name in cc gcc clang c++ ld cmake make ninja; do
    if without_compiler bash -c "command -v $name" >/dev/null; then
        echo "$name is in PATH"
        exit 1
    fi
done
without_compiler pip install -q --only-binary :all: "${wheel[0]}"
without_compiler pip list --format freeze
python=$out/venv/bin/python

say "what the wheel needs of the system"
package=$("$python" -c 'import os, dnnl_cache; print(os.path.dirname(dnnl_cache.__file__))')
for file in "$package"/{libdnnl_cache_python.so,libdnnl_cache_layer.so,dnnl-cache}; do
    needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
    echo "${file##*/}: $needed"
    for library in $needed; do
        case $library in
        libc.so.6 | libm.so.6 | libgcc_s.so.1 | ld-linux-x86-64.so.2) ;;
        *)
            echo "needs $library"
            exit 1
            ;;
        esac
    done
done
[ -s "$package/py.typed" ] || [ -e "$package/py.typed" ]
ls "$package"/../dnnl_cache-*.dist-info/licenses

say "the tool starts without a loader, and says so"
with_nothing() {
    DNNL_CACHE_OPENCL_LIBRARY=/nowhere/libOpenCL.so.1 "$package/dnnl-cache" "$@"
}
with_nothing --version
"$python" -c "import dnnl_cache; dnnl_cache.Store('$out/stores/empty').close()"
with_nothing --store "$out/stores/empty" list >/dev/null
if with_nothing identity >"$out/identity" 2>&1; then
    echo "found a device without a loader"
    exit 1
fi
grep -q 'libOpenCL' "$out/identity"
# With pyopencl's loader, whatever the system has.
without_compiler python -m dnnl_cache identity >"$out/identity"
grep -q 'Portable Computing Language' "$out/identity"
without_compiler dnnl-cache --version

# PoCL links what it has compiled.
ln -s "$(command -v ld)" "$out/bin/ld"
for test in test_unit test_foreign test_device test_docs; do
    say "$test.py"
    mkdir -p "$out/home/pocl"
    without_compiler env POCL_CACHE_DIR="$out/home/pocl" \
        python "$root/python/tests/$test.py" 2>"$out/$test.log" || {
        tail -n 60 "$out/$test.log"
        exit 1
    }
    tail -n 3 "$out/$test.log"
done
[ -z "$quick" ] || exit 0

say "mypy --strict"
"$out/tools/bin/pip" -q install mypy
# Where the package is, with pyopencl's and NumPy's types beside it.
(cd "$root/python" && "$out/tools/bin/mypy" --strict --python-executable \
    "$python" --cache-dir "$out/mypy" dnnl_cache)

say "the ten lines"
scripts/results.py --measure python --print --python "$python" --rounds 3 \
    --least 20

say "pyopencl's own tests of building"
"$out/tools/bin/pip" -q install pytest --target "$out/pytest"
version=$("$python" -c 'from importlib.metadata import version; print(version("pyopencl"))')
"$out/tools/bin/pip" -q download "pyopencl==$version" --no-binary pyopencl \
    --no-deps -d "$out/sdist"
tar -xf "$out/sdist/pyopencl-$version.tar.gz" -C "$out/sdist"
cat >"$out/run_tests.py" <<'END'
"""run_tests.py STORE|- FILTER: pytest in this process, under the layer or not."""
import sys

store, words = sys.argv[1:]
if store != "-":
    import dnnl_cache
    dnnl_cache.enable_layer(store, stats=True)
import pytest
status = pytest.main(["-v", "-p", "no:cacheprovider", "test_wrapper.py", "-k", words])
if store != "-":
    assert dnnl_cache.is_layer_loaded()
sys.exit(status)
END
building=(get_info int_ptr invalid_kernel_names that_python_args_fail vector_args
    header_dep_handling context_dep_memoize can_build_and_run_binary
    program_valued_get_info global_offset spirv compile_link empty_ndrange
    capture_call set_arg_none)
# verdicts NAME STORE: the outcome of each test of building, in NAME.verdicts. The
# exit status says whether tests failed; the verdicts are compared.
verdicts() {
    local pocl=$out/home/pocl-$1 words
    mkdir -p "$pocl"
    words=$(printf ' or test_%s' "${building[@]}")
    (cd "$out/sdist/pyopencl-$version/test" && without_compiler env \
        PYTHONPATH="$out/pytest" POCL_CACHE_DIR="$pocl" POCL_KERNEL_CACHE=0 \
        PYOPENCL_NO_CACHE=1 PYOPENCL_TEST=0:0 \
        python "$out/run_tests.py" "$2" "${words# or }") >"$out/$1.log" 2>&1 || true
    sed -nE 's/^(test_wrapper.py::.* (PASSED|FAILED|ERROR|SKIPPED|XFAIL)).*/\1/p' \
        "$out/$1.log" >"$out/$1.verdicts"
}
verdicts plain -
verdicts layer-cold "$out/stores/pyopencl"
verdicts layer-warm "$out/stores/pyopencl"
if [ "$(grep -c PASSED "$out/plain.verdicts")" -lt 10 ]; then
    tail -n 60 "$out/plain.log"
    exit 1
fi
for run in layer-cold layer-warm; do
    if ! diff "$out/plain.verdicts" "$out/$run.verdicts"; then
        tail -n 60 "$out/$run.log"
        exit 1
    fi
done
sed 's/\[.*\]//' "$out/layer-warm.verdicts"
# hits NAME: what the layer found.
hits() {
    sed -n 's/^  hits  *//p' "$out/$1.log"
}
echo "the layer's hits: cold $(hits layer-cold), warm $(hits layer-warm)"
[ "$(hits layer-warm)" -ge 10 ]
