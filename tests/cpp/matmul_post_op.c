/* SPDX-License-Identifier: Apache-2.0 */
/* In C, from the host's memory and back: dst = relu(src x weights + bias). */
#include "dnnl.h" /* as older programs have it */
#include "oneapi/dnnl/dnnl_debug.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { M = 5, K = 7, N = 6 };

/* Ends the program if a call fails. */
static void check(dnnl_status_t status, const char *call)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "%s: %s\n", call, dnnl_status2str(status));
    exit(1);
}
#define CHECK(call) check(call, #call)

/* Numbers of both signs; their products and sums are exact. */
static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((int)(i * 5 % 11) - 5);
}

static dnnl_memory_desc_t matrix_desc(dnnl_dim_t rows, dnnl_dim_t columns)
{
    dnnl_memory_desc_t md;
    const dnnl_dims_t dims = {rows, columns};
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    return md;
}

/* Copies a tensor from one memory to another, on whichever engines they are. */
static void copy(dnnl_memory_t from, dnnl_memory_t to, dnnl_stream_t stream)
{
    const_dnnl_memory_desc_t from_md, to_md;
    dnnl_engine_t from_engine, to_engine;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    CHECK(dnnl_memory_get_memory_desc(from, &from_md));
    CHECK(dnnl_memory_get_memory_desc(to, &to_md));
    CHECK(dnnl_memory_get_engine(from, &from_engine));
    CHECK(dnnl_memory_get_engine(to, &to_engine));
    CHECK(dnnl_reorder_primitive_desc_create(
            &pd, from_md, from_engine, to_md, to_engine, NULL));
    CHECK(dnnl_primitive_create(&reorder, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(dnnl_primitive_execute(reorder, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* The values on the engine. Needs the host's engine and a stream. */
static dnnl_memory_t upload(const_dnnl_memory_desc_t md, float *values,
        dnnl_engine_t host, dnnl_engine_t engine, dnnl_stream_t stream)
{
    dnnl_memory_t from, to;
    CHECK(dnnl_memory_create(&from, md, host, values));
    CHECK(dnnl_memory_create(&to, md, engine, DNNL_MEMORY_ALLOCATE));
    copy(from, to, stream);
    CHECK(dnnl_memory_destroy(from));
    return to;
}

static dnnl_primitive_t create_matmul(dnnl_engine_t engine,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
        const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst)
{
    dnnl_post_ops_t post_ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t matmul;
    CHECK(dnnl_post_ops_create(&post_ops));
    CHECK(dnnl_post_ops_append_eltwise(
            post_ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    CHECK(dnnl_post_ops_destroy(post_ops));
    CHECK(dnnl_matmul_primitive_desc_create(
            &pd, engine, src, weights, bias, dst, attr));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_primitive_create(&matmul, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    return matmul;
}

int main(void)
{
    static float src[M * K], weights[K * N], bias[N], dst[M * N];
    static float expected[M * N];
    fill(src, M * K);
    fill(weights, K * N);
    fill(bias, N);
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = bias[n];
            for (size_t k = 0; k < K; k++)
                sum += src[m * K + k] * weights[k * N + n];
            expected[m * N + n] = sum > 0.0f ? sum : 0.0f;
        }
    }

    dnnl_engine_t host, engine;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&host, dnnl_cpu, 0));
    CHECK(dnnl_engine_create(&engine, dnnl_gpu, program_engine_index()));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));

    dnnl_memory_desc_t src_md = matrix_desc(M, K);
    dnnl_memory_desc_t weights_md = matrix_desc(K, N);
    dnnl_memory_desc_t bias_md = matrix_desc(1, N);
    dnnl_memory_desc_t dst_md = matrix_desc(M, N);
    dnnl_memory_t src_memory = upload(src_md, src, host, engine, stream);
    dnnl_memory_t weights_memory =
            upload(weights_md, weights, host, engine, stream);
    dnnl_memory_t bias_memory = upload(bias_md, bias, host, engine, stream);
    dnnl_memory_t dst_memory, result;
    CHECK(dnnl_memory_create(
            &dst_memory, dst_md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&result, dst_md, host, dst));

    dnnl_primitive_t matmul =
            create_matmul(engine, src_md, weights_md, bias_md, dst_md);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src_memory},
            {DNNL_ARG_WEIGHTS, weights_memory}, {DNNL_ARG_BIAS, bias_memory},
            {DNNL_ARG_DST, dst_memory}};
    CHECK(dnnl_primitive_execute(matmul, stream, 4, args));
    copy(dst_memory, result, stream);

    CHECK(dnnl_primitive_destroy(matmul));
    CHECK(dnnl_memory_destroy(src_memory));
    CHECK(dnnl_memory_destroy(weights_memory));
    CHECK(dnnl_memory_destroy(bias_memory));
    CHECK(dnnl_memory_destroy(dst_memory));
    CHECK(dnnl_memory_destroy(result));
    CHECK(dnnl_memory_desc_destroy(src_md));
    CHECK(dnnl_memory_desc_destroy(weights_md));
    CHECK(dnnl_memory_desc_destroy(bias_md));
    CHECK(dnnl_memory_desc_destroy(dst_md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    CHECK(dnnl_engine_destroy(host));
    return program_same("dst", M * N, expected, dst) ? 0 : 1;
}
