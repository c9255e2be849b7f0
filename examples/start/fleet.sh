#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fleet.sh: two machines, here two folders of one, and a server between them. What
# one compiles the other one loads. Run again, both find what they have kept.
# docs/how_to/fleet.md is for servers that stay.
set -eu

# started PROCESS: it is the server of that port, and is stopped at the end. Ends the
# script if the server does not start, as when another one has the port.
started() {
    process=$1
    trap 'kill "$process" 2>/dev/null && wait "$process" || true' EXIT
    until redis-cli -p 6390 info server 2>/dev/null | grep -q "^process_id:$1[^0-9]"; do
        kill -0 "$1" 2>/dev/null || { echo "fleet.sh: see redis.log" >&2; exit 1; }
        sleep 0.1
    done
}

# ---- A fleet -----------------------------------------------------------------

redis-server --port 6390 --save "" --logfile redis.log &  # on the server
started $!
[ -e fleet.key ] || dnnl-cache key make fleet.key         # on all machines the same
server="redis://127.0.0.1:6390?key_file=$PWD/fleet.key"
dnnl-cache-run --wait --dir one --remote "$server" -- clpeak --kernel-latency
dnnl-cache-run --stats --dir two --remote "$server" -- clpeak --kernel-latency
