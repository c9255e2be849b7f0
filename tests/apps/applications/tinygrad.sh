# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-venv)
pypi=(tinygrad==0.14.0 numpy==2.4.6)
runs='a product of matrices, a sum and a softmax; `CCACHE=0`'
compared='the numbers'
# Makes programs of the binaries that it got.
passed_on=binary

run_application() {
    app env DEV=CL CCACHE=0 "$python" "$here/applications/tensors.py" \
        "$artifact/numbers"
}
