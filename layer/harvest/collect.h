/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the driver for the facts of a program that it built from source. */
#ifndef DNNL_CACHE_LAYER_COLLECT_H
#define DNNL_CACHE_LAYER_COLLECT_H

#include "build/facts.h"

/* Writes the record of the program's build for the device. Creates and releases
 * kernel objects: nobody may build the program meanwhile. False: a query
 * failed, or memory ran out. The caller frees bytes->data. */
bool collect_facts(cl_program program, cl_device_id device, uint64_t compile_ns,
        bool is_early, struct bytes *bytes);

#endif /* DNNL_CACHE_LAYER_COLLECT_H */
