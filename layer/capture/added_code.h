/* SPDX-License-Identifier: Apache-2.0 */
/*
 * added_code.h: what PoCL compiled for launches after the application had asked
 * it for the binary.
 *
 * PoCL's answer stays the first one, so an entry that has no more is complete
 * for none of those launches. Their code is in the program's folder, which is
 * found as in stand_ins.h, and which the binary names; from there it is added
 * to the binary. Nothing is written there.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_ADDED_CODE_H
#define DNNL_CACHE_LAYER_CAPTURE_ADDED_CODE_H

#include "layer/programs/build.h"

/* Can the binary that the application got be had with what was compiled since?
 * Only where PoCL's own cache is off. */
bool added_code_suits(const struct build *build);

/* Adds what there is for the build's launches to the binary that was read.
 * True: something was, and the launches are in the binary. What cannot be added
 * stays out, and the journal has it. */
bool added_code_put(struct build *build, dnnl_cache_program_t program);

#endif /* DNNL_CACHE_LAYER_CAPTURE_ADDED_CODE_H */
