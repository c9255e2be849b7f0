/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/blake2b_wide.h"

#if BLAKE2B_WIDE

#define LANES 4
#define LANES_TARGET "avx2"
#include "src/common/blake2b_lanes.h"

const struct blake2b_wide blake2b_avx2 = {LANES, digest_lanes};

#endif
