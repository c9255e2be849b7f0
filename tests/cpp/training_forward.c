/* SPDX-License-Identifier: Apache-2.0 */
/* In C, the forward part of a training step: a convolution that chooses its
 * layouts, then max pooling, which keeps in a workspace where the largest
 * numbers were. */
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 2, IC = 3, OC = 4, SIZE = 10, POOLED = SIZE / 2 };
enum { SRC = N * IC * SIZE * SIZE, WEIGHTS = OC * IC * 3 * 3 };
enum { DST = N * OC * POOLED * POOLED };

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
        values[i] = (float)((int)(i * 7 % 23) - 11);
}

static dnnl_memory_desc_t describe(const dnnl_dims_t dims, int is_any)
{
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(
            &md, 4, dims, dnnl_f32, is_any ? dnnl_format_tag_any : dnnl_nchw));
    return md;
}

static dnnl_memory_t make_memory(
        const_dnnl_memory_desc_t md, dnnl_engine_t engine, const float *values)
{
    dnnl_memory_t memory;
    void *mapped;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    if (values == NULL) return memory;
    CHECK(dnnl_memory_map_data(memory, &mapped));
    for (size_t i = 0; i < dnnl_memory_desc_get_size(md) / sizeof *values; i++)
        ((float *)mapped)[i] = values[i];
    CHECK(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

static void run(dnnl_primitive_desc_t pd, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args)
{
    dnnl_primitive_t primitive;
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_primitive_execute(primitive, stream, nargs, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(primitive));
}

/* The memory in the layout that is wanted: itself, or a reordered one, and the
 * first is destroyed. */
static dnnl_memory_t in_layout(const_dnnl_memory_desc_t wanted,
        dnnl_memory_t given, dnnl_engine_t engine, dnnl_stream_t stream)
{
    const_dnnl_memory_desc_t md;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_memory_get_memory_desc(given, &md));
    if (dnnl_memory_desc_equal(md, wanted)) return given;
    dnnl_memory_t made = make_memory(wanted, engine, NULL);
    CHECK(dnnl_reorder_primitive_desc_create(
            &pd, md, engine, wanted, engine, NULL));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_FROM, given}, {DNNL_ARG_TO, made}};
    run(pd, stream, 2, args);
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(given));
    return made;
}

/* ---- The layers ---------------------------------------------------------- */

static dnnl_memory_t convolve(dnnl_engine_t engine, dnnl_stream_t stream,
        const float *src, const float *weights)
{
    const dnnl_dims_t ones = {1, 1}, src_dims = {N, IC, SIZE, SIZE};
    const dnnl_dims_t weights_dims = {OC, IC, 3, 3};
    const dnnl_dims_t dst_dims = {N, OC, SIZE, SIZE};
    dnnl_memory_desc_t any[] = {describe(src_dims, 1),
            describe(weights_dims, 1), describe(dst_dims, 1)};
    dnnl_memory_desc_t plain[] = {
            describe(src_dims, 0), describe(weights_dims, 0)};
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_training, dnnl_convolution_direct, any[0], any[1],
            NULL, any[2], ones, NULL, ones, ones, NULL));
    dnnl_memory_t src_memory =
            in_layout(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0),
                    make_memory(plain[0], engine, src), engine, stream);
    dnnl_memory_t weights_memory = in_layout(
            dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0),
            make_memory(plain[1], engine, weights), engine, stream);
    dnnl_memory_t dst =
            make_memory(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0),
                    engine, NULL);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src_memory},
            {DNNL_ARG_WEIGHTS, weights_memory}, {DNNL_ARG_DST, dst}};
    run(pd, stream, 3, args);
    for (int i = 0; i < 3; i++)
        CHECK(dnnl_memory_desc_destroy(any[i]));
    for (int i = 0; i < 2; i++)
        CHECK(dnnl_memory_desc_destroy(plain[i]));
    CHECK(dnnl_memory_destroy(src_memory));
    CHECK(dnnl_memory_destroy(weights_memory));
    CHECK(dnnl_primitive_desc_destroy(pd));
    return dst;
}

/* Destroys src. */
static dnnl_memory_t pool(
        dnnl_engine_t engine, dnnl_stream_t stream, dnnl_memory_t src)
{
    const dnnl_dims_t twos = {2, 2}, zeros = {0, 0};
    const dnnl_dims_t dims = {N, OC, POOLED, POOLED};
    const_dnnl_memory_desc_t src_md;
    dnnl_memory_desc_t any = describe(dims, 1);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_memory_get_memory_desc(src, &src_md));
    CHECK(dnnl_pooling_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_training, dnnl_pooling_max, src_md, any, twos, twos,
            zeros, zeros, zeros, NULL));
    const_dnnl_memory_desc_t workspace_md =
            dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
    if (dnnl_memory_desc_get_size(workspace_md) == 0)
        check(dnnl_runtime_error, "the workspace's description");
    dnnl_memory_t workspace = make_memory(workspace_md, engine, NULL);
    dnnl_memory_t dst =
            make_memory(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0),
                    engine, NULL);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_WORKSPACE, workspace}};
    run(pd, stream, 3, args);
    CHECK(dnnl_memory_destroy(workspace));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_desc_destroy(any));
    CHECK(dnnl_primitive_desc_destroy(pd));
    return dst;
}

/* ---- The same in plain loops --------------------------------------------- */

static float convolved_at(
        const float *src, const float *weights, int i, int o, int y, int x)
{
    float sum = 0.0f;
    for (int k = 0; k < IC * 9; k++) {
        const int c = k / 9, sy = y + k / 3 % 3 - 1, sx = x + k % 3 - 1;
        if (sy >= 0 && sy < SIZE && sx >= 0 && sx < SIZE)
            sum += src[((i * IC + c) * SIZE + sy) * SIZE + sx]
                   * weights[o * IC * 9 + k];
    }
    return sum;
}

static void compute(const float *src, const float *weights, float *dst)
{
    for (int d = 0; d < DST; d++) {
        const int x = d % POOLED * 2, y = d / POOLED % POOLED * 2;
        const int o = d / POOLED / POOLED % OC, i = d / POOLED / POOLED / OC;
        dst[d] = convolved_at(src, weights, i, o, y, x);
        for (int k = 1; k < 4; k++) {
            const float s =
                    convolved_at(src, weights, i, o, y + k / 2, x + k % 2);
            if (s > dst[d]) dst[d] = s;
        }
    }
}

int main(void)
{
    static float src[SRC], weights[WEIGHTS], expected[DST];
    const dnnl_dims_t dims = {N, OC, POOLED, POOLED};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    void *mapped;
    fill(src, SRC);
    fill(weights, WEIGHTS);
    compute(src, weights, expected);
    CHECK(dnnl_engine_create(&engine, dnnl_gpu, program_engine_index()));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    dnnl_memory_desc_t plain = describe(dims, 0);
    dnnl_memory_t result = in_layout(plain,
            pool(engine, stream, convolve(engine, stream, src, weights)),
            engine, stream);
    CHECK(dnnl_memory_map_data(result, &mapped));
    const int is_same = program_same("dst", DST, expected, mapped);
    CHECK(dnnl_memory_unmap_data(result, mapped));
    CHECK(dnnl_memory_destroy(result));
    CHECK(dnnl_memory_desc_destroy(plain));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    if (is_same) printf("dst: right\n");
    return is_same ? 0 : 1;
}
