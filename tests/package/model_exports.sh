#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: model_exports.sh LIBRARY HEADER
# The shared library of the model loader exports the functions of its header, and
# nothing else.
set -euo pipefail
export LC_ALL=C
diff <(nm -D --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort -u) \
    <(grep -oE '\bdnnl_cache_model_[a-z_]+\(' "$2" | tr -d '(' | sort -u)
echo "exports: as declared"
