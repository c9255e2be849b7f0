/* SPDX-License-Identifier: Apache-2.0 */
#include "small_primitives.h"

#include <stdlib.h>

static dnnl_memory_desc_t must_have(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;
    if (dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag)
            != dnnl_success)
        abort();
    return md;
}

dnnl_memory_desc_t vector_desc(dnnl_dim_t n)
{
    const dnnl_dims_t dims = {n};
    return must_have(1, dims, dnnl_f32, dnnl_a);
}

dnnl_memory_desc_t matrix_desc(dnnl_dim_t rows, dnnl_dim_t columns)
{
    const dnnl_dims_t dims = {rows, columns};
    return must_have(2, dims, dnnl_f32, dnnl_ab);
}

dnnl_status_t try_relu_desc(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        dnnl_dim_t n, float alpha)
{
    dnnl_memory_desc_t md = vector_desc(n);
    dnnl_status_t st = dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_relu, md, md, alpha, 0.0f,
            NULL);
    dnnl_memory_desc_destroy(md);
    return st;
}

dnnl_primitive_desc_t relu_desc(dnnl_engine_t engine, dnnl_dim_t n, float alpha)
{
    dnnl_primitive_desc_t pd = NULL;
    (void)try_relu_desc(&pd, engine, n, alpha);
    return pd;
}

dnnl_primitive_desc_t matmul_desc(dnnl_engine_t engine, dnnl_dim_t n)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = matrix_desc(n, n);
    (void)dnnl_matmul_primitive_desc_create(
            &pd, engine, md, md, NULL, md, NULL);
    dnnl_memory_desc_destroy(md);
    return pd;
}

dnnl_status_t try_reorder_desc(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        dnnl_dim_t n, dnnl_data_type_t type)
{
    const dnnl_dims_t dims = {n};
    dnnl_memory_desc_t src = vector_desc(n);
    dnnl_memory_desc_t dst = must_have(1, dims, type, dnnl_a);
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, src, engine, dst, engine, NULL);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    return st;
}

dnnl_status_t run_relu(
        dnnl_engine_t engine, dnnl_primitive_t primitive, dnnl_dim_t n)
{
    dnnl_memory_desc_t md = vector_desc(n);
    dnnl_memory_t memory = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_status_t st =
            dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE);
    if (st != dnnl_success) goto out;
    st = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    if (st != dnnl_success) goto out;
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    st = dnnl_primitive_execute(primitive, stream, 2, args);
    if (st == dnnl_success) st = dnnl_stream_wait(stream);
out:
    dnnl_stream_destroy(stream);
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(md);
    return st;
}

dnnl_cache_origin_t origin_of(const_dnnl_primitive_t primitive)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    if (dnnl_cache_primitive_get_creation_info(primitive, &info)
            != dnnl_success)
        abort();
    return info.origin;
}
