#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_subject.sh FILE
# The first line of a commit message: "scope: imperative subject", at most 72
# characters, no full stop.
set -euo pipefail
subject=$(head -n 1 "$1")
case $subject in
'Merge '* | 'Revert '* | 'fixup! '* | 'squash! '*) exit 0 ;;
esac
if [ "${#subject}" -gt 72 ]; then
    echo "the subject has ${#subject} characters, more than 72: $subject"
    exit 1
fi
if ! [[ $subject =~ ^[a-z0-9_/,\ -]+:\ [^\ ].*[^.]$ ]]; then
    echo "not \"scope: subject\" without a full stop: $subject"
    exit 1
fi
