#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh --build DIR --out DIR
# The store over HTTP and dnnl-cache on an S3 server that compares each
# signature with botocore's (s3_server.py). moto and botocore come from PyPI,
# into a virtual environment in the folder --out, which is kept. Ends with 77 if
# they cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    *)
        sed -n '3,7s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
done
build=$(cd "$build" && pwd)
packages=('moto[server,s3]==5.2.5' 'botocore==1.44.5' 'boto3==1.44.5')

venv=$out/python
if [ "$(cat "$venv/packages" 2>/dev/null)" != "${packages[*]}" ]; then
    rm -rf "$venv"
    mkdir -p "$out"
    if ! { python3 -m venv "$venv" &&
        "$venv/bin/pip" install --quiet --disable-pip-version-check \
            --retries 1 --timeout 20 "${packages[@]}"; } >"$out/pip.log" 2>&1
    then
        tail -n 3 "$out/pip.log"
        echo "skipped: moto and botocore cannot be had from PyPI"
        exit 77
    fi
    echo "${packages[*]}" >"$venv/packages"
fi

work=$(mktemp -d)
server=
clean_up() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT

"$venv/bin/python" "$here/s3_server.py" "$work/port" "$work/log" \
    >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 600); do
    [ ! -e "$work/port" ] || break
    kill -0 "$server" 2>/dev/null || { cat "$work/server.log"; exit 1; }
    sleep 0.1
done
[ -e "$work/port" ] || { echo "the S3 server does not start"; exit 1; }
place=http://127.0.0.1:$(cat "$work/port")

DNNL_CACHE_TEST_S3=$place "$build/bin/test_http_s3"
grep -q ' 403 ' "$work/log" || { echo "no wrong signature was refused"; exit 1; }

# ---- dnnl-cache ------------------------------------------------------------

export AWS_ACCESS_KEY_ID=test-id AWS_SECRET_ACCESS_KEY=test-secret
unset AWS_SESSION_TOKEN DNNL_CACHE_REMOTE DNNL_CACHE_STORE
tool=$build/bin/dnnl-cache
options='insecure=1&timeout_ms=60000&aws_region=eu-west-1'
url="$place/fleet/tool?$options"

# expect STATUS WORDS COMMAND ...
expect() {
    local status=$1 words=$2 rc=0
    shift 2
    echo "+ $*"
    "$@" >"$work/said" 2>&1 || rc=$?
    if [ "$rc" != "$status" ] || ! grep -q -- "$words" "$work/said"; then
        tail -n 30 "$work/said"
        echo "ended with $rc, or did not say: $words"
        exit 1
    fi
}

# Real blobs, of the fake driver.
expect 0 compiled env OCL_ICD_VENDORS="$build/tests/fake_opencl/vendors" \
    "$build/bin/persistent_cache" --store "$work/local"
expect 0 '8 copied' "$tool" copy "$work/local" "$url"
puts() {
    grep -c '^PUT /fleet/tool/' "$work/log"
}
[ "$(puts)" = 8 ] || { echo "not each entry was put once"; exit 1; }
expect 0 '0 copied' "$tool" copy "$work/local" "$url"
[ "$(puts)" = 8 ] || { echo "what is there was copied again"; exit 1; }
expect 0 'entries  *8' "$tool" --store "$url" stats
expect 0 'intact  *8' "$tool" --store "$url" verify
expect 0 primitive "$tool" --store "$url" list
expect 0 '8 exported' "$tool" --store "$url" export "$work/archive"
expect 0 '8 copied' "$tool" copy "$url" "$work/other"
expect 0 'intact  *8' "$tool" --store "$work/other" verify
expect 0 '8 imported' "$tool" --store "$place/fleet/again?$options" \
    import "$work/archive"
echo "S3: passed"
