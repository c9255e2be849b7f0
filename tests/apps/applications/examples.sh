# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python-pyopencl-doc python3-pyopencl python3-numpy)
moves=(/usr/lib/python3/dist-packages/pyopencl)
runs="pyopencl's examples \`demo_array\`, \`demo_elementwise\` and \`narray\`;"
runs+=' `PYOPENCL_NO_CACHE=1`'
compared='what they print'

run_application() {
    local example
    for example in demo_array demo_elementwise narray; do
        app env PYOPENCL_NO_CACHE=1 PYOPENCL_CTX=0 python3 \
            "/usr/share/doc/python-pyopencl-doc/examples/$example.py" \
            >"$artifact/$example" || return
    done
}
