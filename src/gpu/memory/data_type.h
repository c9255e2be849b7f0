/* SPDX-License-Identifier: Apache-2.0 */
/* Families of the data types that kernels have. */
#ifndef DNNL_CACHE_GPU_DATA_TYPE_H
#define DNNL_CACHE_GPU_DATA_TYPE_H

#include "dnnl_cache/onednn/types.h"

#include <stdbool.h>

static inline bool data_type_is_float(dnnl_data_type_t type)
{
    return type == dnnl_f32 || type == dnnl_f16 || type == dnnl_bf16;
}

static inline bool data_type_is_byte(dnnl_data_type_t type)
{
    return type == dnnl_s8 || type == dnnl_u8;
}

/* Two elements a byte, the first in the lower bits. */
static inline bool data_type_is_half_byte(dnnl_data_type_t type)
{
    return type == dnnl_s4 || type == dnnl_u4;
}

static inline bool data_type_is_integer(dnnl_data_type_t type)
{
    return type == dnnl_s32 || data_type_is_byte(type);
}

#endif /* DNNL_CACHE_GPU_DATA_TYPE_H */
