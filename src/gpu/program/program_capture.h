/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture asks the driver for. program.h decides when, and only once. */
#ifndef DNNL_CACHE_GPU_PROGRAM_CAPTURE_H
#define DNNL_CACHE_GPU_PROGRAM_CAPTURE_H

#include "gpu/program/program.h"

/* What compiling said before linking, then the driver's build log. */
dnnl_status_t program_read_log(const struct program *p, struct buffer *log);

/* Reads binary, log, kernels and launches, makes the finalised form, and puts
 * all of it into the program. For who has begun p->captured. */
dnnl_status_t program_read_capture(struct program *p);

/* Undoes it, for the same: the next one reads anew. */
void program_drop_capture(struct program *p);

#endif /* DNNL_CACHE_GPU_PROGRAM_CAPTURE_H */
