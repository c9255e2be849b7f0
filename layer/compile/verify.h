/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: DNNL_CACHE_COMPILE_MODE=verify. What is loaded is compiled as well,
 * beside it, and both are compared: what the driver says of them, and their
 * machine code where that can be (verify_code.h). */
#ifndef DNNL_CACHE_LAYER_COMPILE_VERIFY_H
#define DNNL_CACHE_LAYER_COMPILE_VERIFY_H

#include "layer/programs/build_call.h"

/* After load(). False: the entry differs from what is compiled now, which has
 * been told; it is removed, and the call's build is to be compiled. True also
 * where it cannot be compared, and in other modes. */
bool verify_loaded(struct build_call *call);

/* The same of a failure that was kept (failed.h), after the driver built the
 * program. why: how they differ; NULL: they do not. */
void verify_count_failure(const char *why);

/* A load that is not compared, as of a link. */
void verify_skip(void);

/* At the end of the process: how many were compared, and how many differed; of
 * how many the machine code was not compared, and why. */
void verify_report(void);

#endif /* DNNL_CACHE_LAYER_COMPILE_VERIFY_H */
