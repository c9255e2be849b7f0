# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(hcxkeys)
moves=(/usr/bin/wlangenpmkocl)
runs='`wlangenpmkocl`: the keys of 200 passwords'
compared='the file of keys'

run_application() {
    seq -f 'password%g' 200 >words
    app wlangenpmkocl -e network -i words -a "$artifact/keys"
}
