/* SPDX-License-Identifier: Apache-2.0 */
/* import_quantize.h: what operators of quantized tensors share. All return a
 * tensor, or graph_none after a failure. */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_QUANTIZE_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_QUANTIZE_H

#include "model/import/import.h"

/* A scale or a zero point of the tensor x, which must be given, in dimensions
 * that are broadcast to those of x: a number for all, one for each element of
 * the attribute "axis", or one for each block along it. */
int import_quantize_parameter(struct import *im, size_t input, int x);

/* x, of f32, rounded, with the zero point (graph_none: 0) added, and cut to the
 * numbers of a type. */
int import_emit_saturated(
        struct import *im, int x, int zero, enum graph_type type, int output);

/* x less its zero point (graph_none: 0), as i32. */
int import_emit_centered(struct import *im, int x, int zero);

/* The product, as MatMul has it, of integers of 8 or 16 bits less their zero
 * points, which are broadcast to them (graph_none: 0): exact, as i32. As f32,
 * which a Cast asks for, it is a product of floats alone where that is exact.
 */
int import_emit_exact_matmul(
        struct import *im, int a, int a_zero, int b, int b_zero, int output);

/* Fails unless it is a type of 8 or 16 bits. */
bool import_quantize_type(struct import *im, enum graph_type type);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_QUANTIZE_H */
