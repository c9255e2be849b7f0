/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer.h: an application that uses oneDNN's interface and no cache: a layer of
 * a neural network, dst = relu(src * weights). With an attached store it still
 * starts warm.
 */
#ifndef DNNL_CACHE_EXAMPLES_LAYER_H
#define DNNL_CACHE_EXAMPLES_LAYER_H

#include "support/device.h"

struct layer {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t src_md, weights_md, dst_md;
    dnnl_memory_t src, weights, dst;
    dnnl_primitive_desc_t matmul_pd, relu_pd;
    dnnl_primitive_t matmul, relu;
};

/* Creates a layer in zeroed memory and runs it. The caller calls layer_fini(),
 * also after a failure. */
dnnl_status_t layer_compute(struct layer *layer, const struct device *device);

/* Prints the sum of dst, and compares dst with the expected result. */
dnnl_status_t layer_check(const struct layer *layer, bool *right);

void layer_fini(struct layer *layer);

#endif /* DNNL_CACHE_EXAMPLES_LAYER_H */
