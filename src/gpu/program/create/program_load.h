/* SPDX-License-Identifier: Apache-2.0 */
/* Programs from the binaries of verified blobs. */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_LOAD_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_LOAD_H

#include "src/gpu/program/create/program_acquire.h"

/* Hands the driver the finalised form of a blob's program, if there is one that
 * is fit for it, else the binary. Sets what the driver took. Statuses: as
 * program_acquire() with a blob. */
dnnl_status_t program_load(const struct program_recipe *recipe,
        const struct program_blob *blob, struct program_trace *trace,
        struct program **out);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_LOAD_H */
