/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL devices of this machine, in the order of engine indices. */
#ifndef DNNL_CACHE_GPU_DEVICES_H
#define DNNL_CACHE_GPU_DEVICES_H

#include "dnnl_cache.h"

struct device_list {
    cl_device_id *devices;
    size_t count;
};

/* Lists GPUs of all platforms, then accelerators, then the rest; count 0 where
 * no driver is installed. Pair with device_list_fini(). Statuses:
 * dnnl_success; dnnl_out_of_memory. */
dnnl_status_t device_list_read(struct device_list *list);
void device_list_fini(struct device_list *list);

#endif /* DNNL_CACHE_GPU_DEVICES_H */
