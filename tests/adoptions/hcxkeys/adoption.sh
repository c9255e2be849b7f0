# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
letter=a
title='hcxkeys: `wlangenpmkocl`'
licence=MIT
origin=debian name=hcxkeys version=6.2.1
archive_name=hcxkeys_6.2.1.orig.tar.gz
sha256=18c5b7cbc848c3fc936d0c09b6ec6a56d6bd7b1c2d9b93475ce4eaa01a80c595
packages=(gcc make pkg-config libssl-dev)
runs='the keys of 200 passwords'
compared='the file of keys'

build_application() {
    make -C "$source" CFLAGS='-O2 -w'
}

run_application() {
    seq -f 'password%g' 200 >words
    "$built/source/wlangenpmkocl" -e network -i words -a "$artifact/keys"
}
