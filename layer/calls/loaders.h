/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loaders of OpenCL in the process.
 *
 * Each that takes the layer in gets a table of its own, since each finds
 * platforms by itself. Below that all come to the same drivers, so all calls of
 * the layer's own go through one of them, the first that is there
 * (`next_layer`). Its table is copied: the one that it gave belongs to the
 * loader, or to a layer below, and may be gone before a thread has returned
 * from a call.
 */
#ifndef DNNL_CACHE_LAYER_LOADERS_H
#define DNNL_CACHE_LAYER_LOADERS_H

#include <CL/cl_icd.h>
#include <stdbool.h>

/* How many loaders the process has: objects named libOpenCL... that are loaded
 * now, the system's, and copies that Python packages bring. What is linked into
 * a program is not seen. */
unsigned loaders_count(void);

/* The calls that follow come one at a time. */

/* The loader that this code is part of takes the layer in and has these calls,
 * the first `entries` of the table. Returns its table of the layer's, as large
 * as it gave one, which is that one's copy and is never freed; NULL: no memory.
 */
cl_icd_dispatch *loaders_add(
        const void *code, const cl_icd_dispatch *below, cl_uint entries);

/* It lets the layer go: from now on nothing of the layer's own calls it. False:
 * it had not taken the layer in. */
bool loaders_remove(const void *code);

/* Has any the layer? */
bool loaders_have_one(void);

#endif /* DNNL_CACHE_LAYER_LOADERS_H */
