#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fleet.sh: two machines, here two folders of one, and a server between them. What
# one compiles the other one loads. docs/how_to/fleet.md is for servers that stay.
set -eu

# ---- A fleet -----------------------------------------------------------------

redis-server --port 6390 --save "" --daemonize yes       # on the server
dnnl-cache key make fleet.key                             # on all machines the same
server="redis://127.0.0.1:6390?key_file=$PWD/fleet.key"
dnnl-cache-run --wait --dir one --remote "$server" -- clpeak --kernel-latency
dnnl-cache-run --stats --dir two --remote "$server" -- clpeak --kernel-latency
