/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/value.h"

#include "model/base/half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool value_count(int ndims, const int64_t *dims, uint64_t *count)
{
    const uint64_t addressed = SIZE_MAX / 2 / sizeof(double);
    const uint64_t most =
            addressed < UINT64_C(1) << 43 ? addressed : UINT64_C(1) << 43;
    *count = 1;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 0) return false;
        const uint64_t dim = (uint64_t)dims[d];
        if (*count != 0 && dim > most / *count) return false;
        *count *= dim;
    }
    return true;
}

bool value_allocate(struct value *value, struct failure *failure)
{
    uint64_t count;
    if (!value_count(value->ndims, value->dims, &count))
        return fail(failure, "no tensor has such dimensions");
    value->size = (size_t)count * dnnl_cache_model_type_size(value->type);
    value->data = malloc(value->size + 1);
    return value->data != NULL || fail_out_of_memory(failure);
}

double value_element(const struct value *value, size_t i)
{
    switch (value->type) {
    case dnnl_cache_model_type_f64:
        return ((const double *)value->data)[i];
    case dnnl_cache_model_type_s64:
        return (double)((const int64_t *)value->data)[i];
    case dnnl_cache_model_type_s32:
        return ((const int32_t *)value->data)[i];
    case dnnl_cache_model_type_f16:
        return (double)half_to_float(((const uint16_t *)value->data)[i]);
    case dnnl_cache_model_type_u8:
        return ((const uint8_t *)value->data)[i];
    case dnnl_cache_model_type_s8:
        return ((const int8_t *)value->data)[i];
    case dnnl_cache_model_type_s16:
        return ((const int16_t *)value->data)[i];
    case dnnl_cache_model_type_u16:
        return ((const uint16_t *)value->data)[i];
    case dnnl_cache_model_type_u32:
        return ((const uint32_t *)value->data)[i];
    case dnnl_cache_model_type_boolean:
        return ((const uint8_t *)value->data)[i] != 0;
    default:
        return (double)((const float *)value->data)[i];
    }
}

void value_put(struct value *value, size_t i, double element)
{
    switch (value->type) {
    case dnnl_cache_model_type_f16:
        ((uint16_t *)value->data)[i] = half_from_float((float)element);
        break;
    case dnnl_cache_model_type_f64:
        ((double *)value->data)[i] = element;
        break;
    case dnnl_cache_model_type_u8:
        ((uint8_t *)value->data)[i] =
                (uint8_t)fmin(255.0, fmax(0.0, round(element)));
        break;
    case dnnl_cache_model_type_s8:
        ((int8_t *)value->data)[i] =
                (int8_t)fmin(127.0, fmax(-128.0, round(element)));
        break;
    case dnnl_cache_model_type_s32:
        ((int32_t *)value->data)[i] =
                (int32_t)fmin(INT32_MAX, fmax(INT32_MIN, round(element)));
        break;
    case dnnl_cache_model_type_s16:
        ((int16_t *)value->data)[i] =
                (int16_t)fmin(INT16_MAX, fmax(INT16_MIN, round(element)));
        break;
    case dnnl_cache_model_type_u16:
        ((uint16_t *)value->data)[i] =
                (uint16_t)fmin(UINT16_MAX, fmax(0.0, round(element)));
        break;
    case dnnl_cache_model_type_u32:
        ((uint32_t *)value->data)[i] =
                (uint32_t)fmin(UINT32_MAX, fmax(0.0, round(element)));
        break;
    case dnnl_cache_model_type_s64:
        ((int64_t *)value->data)[i] = (int64_t)round(element);
        break;
    case dnnl_cache_model_type_boolean:
        ((uint8_t *)value->data)[i] = element != 0.0;
        break;
    default:
        ((float *)value->data)[i] = (float)element;
    }
}

dnnl_cache_model_tensor_t value_tensor(const struct value *value)
{
    dnnl_cache_model_tensor_t is = DNNL_CACHE_MODEL_TENSOR_INIT;
    is.type = value->type;
    is.ndims = value->ndims;
    is.dims = value->dims;
    is.size = value->size;
    return is;
}

void value_fini(struct value *value)
{
    free(value->data);
    *value = (struct value){0};
}
