/* SPDX-License-Identifier: Apache-2.0 */
/* value.h: a tensor of the command's, from a file or for one. */
#ifndef DNNL_CACHE_MODEL_COMMAND_VALUE_H
#define DNNL_CACHE_MODEL_COMMAND_VALUE_H

#include "dnnl_cache/dnnl_cache_model.h"
#include "model/base/failure.h"

enum { value_max_ndims = 8 };

struct value {
    dnnl_cache_model_type_t type;
    int ndims;
    int64_t dims[value_max_ndims];
    size_t size; /* bytes of its elements, in row-major order */
    void *data;  /* owned */
};

/* Elements; false if they are more than fit into 46 bits of bytes, or if a
 * dimension is negative. */
bool value_count(int ndims, const int64_t *dims, uint64_t *count);

/* Sets the size and makes room; type and dimensions are there. */
bool value_allocate(struct value *value, struct failure *failure);

/* An element as a number. */
double value_element(const struct value *value, size_t i);

/* Sets an element to the nearest that its type has. */
void value_put(struct value *value, size_t i, double element);

/* What an input is told: borrows the value's dimensions. */
dnnl_cache_model_tensor_t value_tensor(const struct value *value);

/* A zeroed one is fine. */
void value_fini(struct value *value);

#endif /* DNNL_CACHE_MODEL_COMMAND_VALUE_H */
