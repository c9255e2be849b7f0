/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors from files of ONNX, see tests/data/onnx. */
#ifndef DNNL_CACHE_TESTS_API_ONNX_TENSOR_H
#define DNNL_CACHE_TESTS_API_ONNX_TENSOR_H

#include "tensors.h"

/* Makes an f32 tensor, its last dimension innermost, of the file
 * tests/data/onnx/<name>.pb. Aborts if it is not there or says something else.
 * Pair with tensor_fini(). */
void onnx_tensor_init(struct tensor *t, const char *name);

/* Expects the tensor's elements within `relative` of the file's, of each or of
 * 1 if that is more, in the same shape; NaN is NaN. */
void onnx_expect(const struct tensor *t, const char *name, double relative);

#endif /* DNNL_CACHE_TESTS_API_ONNX_TENSOR_H */
