/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls below this layer: those of the next layer or of the driver.
 *
 * The library and the stores are linked into the layer, and next_layer.c
 * defines each OpenCL function that they call as a hidden one that goes
 * straight down. So the layer never intercepts its own calls, and it needs no
 * loader.
 */
#ifndef DNNL_CACHE_LAYER_TARGET_H
#define DNNL_CACHE_LAYER_TARGET_H

#include <CL/cl_icd.h>

/* Set when a loader takes the layer in, before any other call can come;
 * loaders.h says when it changes. */
extern const cl_icd_dispatch *_Atomic next_layer;

#endif /* DNNL_CACHE_LAYER_TARGET_H */
