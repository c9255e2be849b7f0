# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
letter=d
title='tinygrad: its runtime `CL`'
licence=MIT
origin=pypi name=tinygrad version=0.14.0
archive_name=tinygrad-0.14.0.tar.gz
sha256=437be6bb7481ec26e332e4f4342f6ea09e41258e62c5c09f4a9ed7aeb7829a07
runs='`train.py`: two steps of training a small network'
compared='losses and weights'
own=own

build_application() {
    install_python numpy==2.4.6
}

run_application() {
    DEV=CL "$built/python/bin/python" "$here/tinygrad/train.py" \
        "$artifact/weights"
}

without_own_cache() {
    export CCACHE=0
}
