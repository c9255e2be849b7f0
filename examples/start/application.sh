#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# application.sh: an application that is not changed starts warm. Any command that
# uses OpenCL can stand in the place of clpeak (apt install clpeak).
set -eu

# ---- Twice -------------------------------------------------------------------

dnnl-cache-run --wait --stats -- clpeak --kernel-latency    # compiles, and keeps
dnnl-cache-run --stats -- clpeak --kernel-latency           # loads
dnnl-cache list --long                                      # what is kept
