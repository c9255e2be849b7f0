# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-venv python3-dev g++ ocl-icd-opencl-dev)
pypi=(pyvkfft==2025.1.1 pyopencl==2026.1.4 numpy==2.4.6)
runs='a transform of 8 x 8 there and back; `LD_PRELOAD=libOpenCL.so.1`'
compared='the numbers'

# pyopencl's wheel has a loader of its own, pyvkfft takes the system's: one has
# to serve both.
run_application() {
    app env LD_PRELOAD=libOpenCL.so.1 PYOPENCL_NO_CACHE=1 "$python" \
        "$here/applications/there_and_back.py" "$artifact/numbers"
}
