#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# model.sh: a network as an ONNX file starts warm.
#
#     ./model.sh resnet50.onnx [OPTION ...]
#
# Options are model_loader's, such as --input data=cat.jpg --top 5. What changes the
# programs (--shape, --device) belongs into both lines.
set -eu
[ $# -gt 0 ] || { echo "usage: model.sh MODEL.onnx [OPTION ...]" >&2; exit 2; }

# ---- Twice -------------------------------------------------------------------

model_loader "$1" --prepare    # compiles, and keeps in ~/.cache/dnnl_cache_models
model_loader "$@"              # loads, and runs
