/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps objects of others loaded, although they may be unloaded. */
#ifndef DNNL_CACHE_LAYER_PIN_H
#define DNNL_CACHE_LAYER_PIN_H

#include <CL/cl.h>
#include <stdbool.h>

/* The object that has this code stays loaded until the process ends. False: it
 * cannot be kept. */
bool pin_code(const void *code);

/* The same for the driver of a device. The library knows a device by its handle
 * for as long as the process runs: of a driver that was unloaded, another
 * version's device may get the same one. */
void pin_driver(cl_device_id device);

#endif /* DNNL_CACHE_LAYER_PIN_H */
