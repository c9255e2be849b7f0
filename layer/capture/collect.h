/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the driver for the facts of a program that it built from source. */
#ifndef DNNL_CACHE_LAYER_CAPTURE_COLLECT_H
#define DNNL_CACHE_LAYER_CAPTURE_COLLECT_H

#include "layer/programs/build.h"

/* Writes the record of the build, which is in this program of the driver's, for
 * its device of this index. Creates and releases kernel objects: nobody may
 * build the program meanwhile. False: a query failed, or memory ran out. The
 * caller frees bytes->data. */
bool collect_facts(cl_program program, struct build *build, size_t device,
        struct bytes *bytes);

/* What compiling took the application, for the records that are written from
 * now on; 0: what it takes here. dnnl-cache refresh calls it, which compiles
 * once more, in a process whose compiler is not warm, and beside others. */
void dnnl_cache_layer_set_compile_ns(uint64_t ns);

/* The binaries that are asked for from now on are full (facts.h), or not. */
void dnnl_cache_layer_set_full(bool is_full);

/* What compiling the build took, as told or as measured. */
uint64_t collect_compile_ns(const struct build *build);

#endif /* DNNL_CACHE_LAYER_CAPTURE_COLLECT_H */
