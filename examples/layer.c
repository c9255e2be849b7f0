/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

#include "example.h"

/* Integers, so that every order of adding gives the same numbers. */
enum { batch = 8, inputs = 64, outputs = 32 };

static float src_at(int i)
{
    return (float)(i * 31 % 17 - 8);
}

static float weight_at(int i)
{
    return (float)(i * 29 % 13 - 6);
}

static dnnl_status_t make_tensor(dnnl_memory_desc_t *md, dnnl_memory_t *memory,
        dnnl_engine_t engine, int rows, int columns, float (*value)(int i))
{
    void *mapped;
    dnnl_status_t st = dnnl_memory_desc_create_with_tag(
            md, 2, (dnnl_dims_t){rows, columns}, dnnl_f32, dnnl_ab);
    if (st == dnnl_success)
        st = dnnl_memory_create(memory, *md, engine, DNNL_MEMORY_ALLOCATE);
    if (st != dnnl_success || value == NULL) return st;
    st = dnnl_memory_map_data(*memory, &mapped);
    if (st != dnnl_success) return st;
    for (int i = 0; i < rows * columns; i++)
        ((float *)mapped)[i] = value(i);
    return dnnl_memory_unmap_data(*memory, mapped);
}

static dnnl_status_t make_primitives(struct layer *l)
{
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(&l->matmul_pd,
            l->engine, l->src_md, l->weights_md, NULL, l->dst_md, NULL);
    if (st == dnnl_success)
        st = dnnl_eltwise_forward_primitive_desc_create(&l->relu_pd, l->engine,
                dnnl_forward_inference, dnnl_eltwise_relu, l->dst_md, l->dst_md,
                0.0f, 0.0f, NULL);
    if (st == dnnl_success)
        st = dnnl_primitive_create(&l->matmul, l->matmul_pd);
    if (st == dnnl_success) st = dnnl_primitive_create(&l->relu, l->relu_pd);
    return st;
}

static dnnl_status_t execute(const struct layer *l)
{
    const dnnl_exec_arg_t matmul_args[] = {{DNNL_ARG_SRC, l->src},
            {DNNL_ARG_WEIGHTS, l->weights}, {DNNL_ARG_DST, l->dst}};
    const dnnl_exec_arg_t relu_args[] = {
            {DNNL_ARG_SRC, l->dst}, {DNNL_ARG_DST, l->dst}};
    dnnl_status_t st =
            dnnl_primitive_execute(l->matmul, l->stream, 3, matmul_args);
    if (st == dnnl_success)
        st = dnnl_primitive_execute(l->relu, l->stream, 2, relu_args);
    return st == dnnl_success ? dnnl_stream_wait(l->stream) : st;
}

dnnl_status_t layer_compute(struct layer *l, const struct device *device)
{
    dnnl_status_t st = dnnl_ocl_interop_engine_create(
            &l->engine, device->id, device->context);
    if (st == dnnl_success)
        st = dnnl_stream_create(
                &l->stream, l->engine, dnnl_stream_default_flags);
    if (st == dnnl_success)
        st = make_tensor(&l->src_md, &l->src, l->engine, batch, inputs, src_at);
    if (st == dnnl_success)
        st = make_tensor(&l->weights_md, &l->weights, l->engine, inputs,
                outputs, weight_at);
    if (st == dnnl_success)
        st = make_tensor(&l->dst_md, &l->dst, l->engine, batch, outputs, NULL);
    if (st == dnnl_success) st = make_primitives(l);
    return st == dnnl_success ? execute(l) : st;
}

dnnl_status_t layer_check(const struct layer *l, bool *right)
{
    double sum = 0.0;
    void *mapped;
    dnnl_status_t st = dnnl_memory_map_data(l->dst, &mapped);
    if (st != dnnl_success) return st;
    *right = true;
    for (int i = 0; i < batch * outputs; i++) {
        float expected = 0.0f;
        for (int k = 0; k < inputs; k++)
            expected += src_at(i / outputs * inputs + k)
                        * weight_at(k * outputs + i % outputs);
        if (expected < 0.0f) expected = 0.0f;
        if (((float *)mapped)[i] != expected) *right = false;
        sum += (double)((float *)mapped)[i];
    }
    example_print_result(sum, *right);
    return dnnl_memory_unmap_data(l->dst, mapped);
}

void layer_fini(struct layer *l)
{
    dnnl_primitive_destroy(l->matmul);
    dnnl_primitive_destroy(l->relu);
    dnnl_primitive_desc_destroy(l->matmul_pd);
    dnnl_primitive_desc_destroy(l->relu_pd);
    dnnl_memory_destroy(l->src);
    dnnl_memory_destroy(l->weights);
    dnnl_memory_destroy(l->dst);
    dnnl_memory_desc_destroy(l->src_md);
    dnnl_memory_desc_destroy(l->weights_md);
    dnnl_memory_desc_destroy(l->dst_md);
    dnnl_stream_destroy(l->stream);
    dnnl_engine_destroy(l->engine);
}
