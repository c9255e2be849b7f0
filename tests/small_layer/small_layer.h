/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all OpenCL layers of the tests have: the functions by which a loader
 * takes a layer in. A layer is small_layer.c and one file more, which says what
 * it is called and which calls it takes.
 */
#ifndef DNNL_CACHE_TESTS_SMALL_LAYER_H
#define DNNL_CACHE_TESTS_SMALL_LAYER_H

#include <CL/cl_layer.h>

#include <stdbool.h>

/* The next layer's calls, or the loader's own; fixed by then. */
extern const cl_icd_dispatch *target;

/* The layer's: what clGetLayerInfo answers. */
extern const char layer_name[];

/* The layer's: puts its calls into the table; what is not in it is passed on.
 * False: it cannot work. */
bool layer_init(cl_icd_dispatch *own);

#endif /* DNNL_CACHE_TESTS_SMALL_LAYER_H */
