/* SPDX-License-Identifier: Apache-2.0 */
/* Memories that are one number on the host. */
#include "src/gpu/memory/memory.h"

#include <stdlib.h>
#include <string.h>

dnnl_status_t dnnl_memory_create_host_scalar(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, void *scalar_ptr)
{
    if (memory == NULL || memory_desc == NULL || scalar_ptr == NULL
            || memory_desc->format_kind != dnnl_format_kind_host_scalar)
        return dnnl_invalid_arguments;
    struct dnnl_memory *m = calloc(1, sizeof *m);
    if (m == NULL) return dnnl_out_of_memory;
    m->md = *memory_desc;
    m->size = dnnl_memory_desc_get_size(memory_desc);
    memcpy(&m->scalar, scalar_ptr, m->size);
    *memory = m;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_host_scalar_value(
        const_dnnl_memory_t memory, void *value)
{
    if (memory == NULL || value == NULL || !memory_is_host_scalar(memory))
        return dnnl_invalid_arguments;
    memcpy(value, &memory->scalar, memory->size);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_set_host_scalar_value(
        dnnl_memory_t memory, const void *value)
{
    if (memory == NULL || value == NULL || !memory_is_host_scalar(memory))
        return dnnl_invalid_arguments;
    memcpy(&memory->scalar, value, memory->size);
    return dnnl_success;
}
