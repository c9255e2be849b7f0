#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_fresh_demo.sh SOURCE
# What a newcomer does first: scripts/demo.sh, in a clone, on a fresh Debian 12 that
# has git and nothing else. It installs what it needs by itself.
set -euo pipefail
export LC_ALL=C

source=$1
. "$source/tests/package/fresh_debian.sh"
git -C "$source" rev-parse --quiet --verify HEAD >/dev/null 2>&1 ||
    skip "there is no clone to make another of"
git clone -q --no-local "$source" "$root/home/dnnl_cache"
inside apt-get -q update >"$work/log" 2>&1 ||
    { cat "$work/log"; skip "its apt cannot reach the sources"; }
inside apt-get -q install -y --no-install-recommends git >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "git"; }
echo "== the demo"
inside sh -c "cd /home/dnnl_cache && ./scripts/demo.sh" >"$work/demo" 2>&1 ||
    { tail -n 60 "$work/demo"; fail "the demo"; }
tail -n 12 "$work/demo"
