/* SPDX-License-Identifier: Apache-2.0 */
/* npy.h: NumPy's files of one array, versions 1 to 3. */
#ifndef DNNL_CACHE_MODEL_COMMAND_NPY_H
#define DNNL_CACHE_MODEL_COMMAND_NPY_H

#include "model/command/value.h"

/* True if bytes begin like one. */
bool npy_is(const uint8_t *bytes, size_t size);

/* Fills in a value, which the caller ends with value_fini(): of either byte
 * order, in C or Fortran order. Elements: float16 to float64, bool,
 * integers but uint64. Nothing of the bytes is trusted. */
bool npy_parse(struct value *value, const uint8_t *bytes, size_t size,
        struct failure *failure);

/* The bytes of a file of version 1, which the caller frees; NULL when out of
 * memory. The same value gives the same bytes. */
uint8_t *npy_format(const struct value *value, size_t *size);

#endif /* DNNL_CACHE_MODEL_COMMAND_NPY_H */
