/* SPDX-License-Identifier: Apache-2.0 */
/* The window that convolution and pooling slide over an image. All functions
 * are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_WINDOW_H
#define DNNL_CACHE_GPU_PRIMITIVES_WINDOW_H

#include "src/gpu/primitive/primitive_desc.h"

/* Spatial dimensions are z, y, x in kernels; missing ones, at the front, have
 * size 1. */
enum { Z, Y, X, SPATIAL };

/* The place in a kernel's arrays of spatial dimension d of `spatial`. */
static inline int window_axis(int spatial, int d)
{
    return SPATIAL - spatial + d;
}

/* Why windows are refused. */
#define REFUSAL_WINDOW \
    "the sizes, strides, dilations and paddings do not agree with dst"

/* What a creation call says of a window. Sizes are those of its spatial
 * dimensions, the others unset. */
struct window {
    int spatial;
    dnnl_dims_t in, out, kernel;
    dnnl_dims_t strides, dilates, padding_l, padding_r;
};

/* How windows are seen by kernels: mirrors the members of these names, in this
 * order, in structs of kernels/convolution.cl and pooling.cl. */
struct window_params {
    cl_int out[SPATIAL];
    cl_int in[SPATIAL];
    cl_int kernel[SPATIAL];
    cl_int stride[SPATIAL];
    cl_int step[SPATIAL]; /* from tap to tap: dilation + 1 */
    cl_int padding[SPATIAL];
};

/* Sets how the window moves. dilates may be NULL, for none, and so may
 * padding_r, for that of the left. False if there is no such number of spatial
 * dimensions. */
bool window_set(struct window *w, int spatial, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r);

/* Sets the spatial sizes of the image that the window slides over, of what
 * comes out, and of the window. */
void window_set_sizes(struct window *w, const dnnl_dim_t *in,
        const dnnl_dim_t *out, const dnnl_dim_t *kernel);

/* From the first place of the window to behind its last, in dimension d of a
 * window that is consistent. */
static inline dnnl_dim_t window_range(const struct window *w, int d)
{
    return (w->kernel[d] - 1) * (w->dilates[d] + 1) + 1;
}

/* True if the numbers are in their domains and `out` is as large as the others
 * make it. */
bool window_is_consistent(const struct window *w);

/* True if kernels can compute every place of the window, also in the padding,
 * in 32 bits, and count the window's places. */
bool window_fits_int32(const struct window *w);

/* Copies what descriptors keep of a window, but its size. */
void window_describe(const struct window *w, struct dnnl_primitive_desc *pd);

/* What kernels get of a descriptor's window, given the sizes as in
 * window_set_sizes(). */
void window_fill(struct window_params *params,
        const struct dnnl_primitive_desc *pd, const dnnl_dim_t *in,
        const dnnl_dim_t *out, const dnnl_dim_t *kernel);

/* The strides of spatial dimensions, as kernels have them. */
void window_fill_strides(
        cl_int out[SPATIAL], int spatial, const dnnl_dim_t *strides);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_WINDOW_H */
