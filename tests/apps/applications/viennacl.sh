# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(libviennacl-dev g++ ocl-icd-opencl-dev)
runs='a program of 20 lines: two vectors and a matrix'
compared='what it prints: a product, a norm, a vector'

prepare_application() {
    g++ -O1 -w -DVIENNACL_WITH_OPENCL -DCL_TARGET_OPENCL_VERSION=120 \
        "$here/applications/vectors.cpp" -o "$folder/vectors" -lOpenCL
}

run_application() {
    app "$folder/vectors" >"$artifact/printed"
}
