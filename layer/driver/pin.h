/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps drivers loaded, although their loader may unload them. */
#ifndef DNNL_CACHE_LAYER_PIN_H
#define DNNL_CACHE_LAYER_PIN_H

#include <CL/cl.h>

/* The driver of a device stays loaded until the process ends. The library knows
 * a device by its handle for as long as the process runs: of a driver that was
 * unloaded, another version's device may get the same one. */
void pin_driver(cl_device_id device);

#endif /* DNNL_CACHE_LAYER_PIN_H */
