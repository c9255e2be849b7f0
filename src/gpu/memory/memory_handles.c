/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that number a memory's buffers. Every layout here has one. */
#include "dnnl_cache.h"

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        int nhandles, void **handles)
{
    if (nhandles != 1 || handles == NULL) return dnnl_invalid_arguments;
    return dnnl_memory_create(memory, memory_desc, engine, handles[0]);
}

dnnl_status_t dnnl_memory_get_data_handle_v2(
        const_dnnl_memory_t memory, void **handle, int index)
{
    if (index != 0) return dnnl_invalid_arguments;
    return dnnl_memory_get_data_handle(memory, handle);
}

dnnl_status_t dnnl_memory_set_data_handle_v2(
        dnnl_memory_t memory, void *handle, int index)
{
    if (index != 0) return dnnl_invalid_arguments;
    return dnnl_memory_set_data_handle(memory, handle);
}

dnnl_status_t dnnl_memory_map_data_v2(
        const_dnnl_memory_t memory, void **mapped_ptr, int index)
{
    if (index != 0) return dnnl_invalid_arguments;
    return dnnl_memory_map_data(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_unmap_data_v2(
        const_dnnl_memory_t memory, void *mapped_ptr, int index)
{
    if (index != 0) return dnnl_invalid_arguments;
    return dnnl_memory_unmap_data(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t memory_desc,
        dnnl_query_t what, int index, void *result)
{
    if (memory_desc == NULL || result == NULL || index != 0)
        return dnnl_invalid_arguments;
    if (what != dnnl_query_num_handles_s32)
        return dnnl_memory_desc_query(memory_desc, what, result);
    *(int *)result = 1;
    return dnnl_success;
}

size_t dnnl_memory_desc_get_size_v2(
        const_dnnl_memory_desc_t memory_desc, int index)
{
    return index == 0 ? dnnl_memory_desc_get_size(memory_desc) : 0;
}

dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles,
        void **handles)
{
    if (nhandles != 1 || handles == NULL) return dnnl_invalid_arguments;
    return dnnl_ocl_interop_memory_create(
            memory, memory_desc, engine, memory_kind, handles[0]);
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object_v2(
        const_dnnl_memory_t memory, cl_mem *mem_object, int index)
{
    if (index != 0) return dnnl_invalid_arguments;
    return dnnl_ocl_interop_memory_get_mem_object(memory, mem_object);
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object_v2(
        dnnl_memory_t memory, cl_mem mem_object, int index)
{
    if (index != 0) return dnnl_invalid_arguments;
    return dnnl_ocl_interop_memory_set_mem_object(memory, mem_object);
}
