# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-simtk libopenmm-plugins)
runs='ten steps of eight atoms, in mixed precision'
compared='energy and positions, to six digits'

run_application() {
    app python3 "$here/applications/atoms.py" "$artifact/state"
}
