/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a build (drivers/build_marks.h). */
#ifndef DNNL_CACHE_GPU_BUILD_MARK_H
#define DNNL_CACHE_GPU_BUILD_MARK_H

#include "dnnl_cache.h"
#include "src/drivers/build_marks.h"

/* The mark of what is built for the device under this ID: another one for
 * another ID, and for files of the driver that were replaced since, even by
 * equal ones. "" if the driver needs none, or if there is no ID (size 0).
 * Statuses: dnnl_success; those of device_identify(). */
dnnl_status_t build_mark_make(char mark[build_mark_size], cl_device_id device,
        const uint8_t *id, size_t size, bool is_il);

/* Before a build with the mark, in the same thread. */
void build_mark_announce(const char *mark, cl_device_id device);

#endif /* DNNL_CACHE_GPU_BUILD_MARK_H */
