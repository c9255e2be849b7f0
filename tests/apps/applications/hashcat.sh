# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(hashcat)
runs='`hashcat`: an MD5 among 200 words'
compared='the word it finds'
own_cache=1
# Its programs include files of its folder.
reads_files=--read-files

run_application() {
    seq -f 'password%g' 200 >words
    app hashcat --force -m 0 -a 0 --potfile-disable --logfile-disable \
        --restore-disable -o "$artifact/found" \
        "$(printf password173 | md5sum | cut -c 1-32)" words
}
