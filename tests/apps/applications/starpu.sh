# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(starpu-examples)
runs='its examples `vector_scal`, `variable` and `matvecmult`, on OpenCL alone'
compared='what they print of results'

# Some print to standard output and some to standard error.
run_application() {
    local example path
    for example in vector_scal variable matvecmult; do
        path=$(dpkg -L starpu-examples |
            grep "^/usr/lib/.*/examples/$example\$") || return
        STARPU_NCPU=0 STARPU_NOPENCL=1 STARPU_OPENCL_ON_CPUS=1 \
            STARPU_SILENT=1 app "$path" >"$artifact/$example" 2>&1 || return
    done
}
