/* SPDX-License-Identifier: Apache-2.0 */
/* This library's side. */
#include "test_platform.h"

#include "side_parts.h"

#include <stdlib.h>
#include <string.h>

struct session {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};

static void session_close(void *session)
{
    struct session *s = (struct session *)session;
    if (s == NULL) return;
    dnnl_stream_destroy(s->stream);
    dnnl_engine_destroy(s->engine);
    free(s);
}

static void *session_open(void)
{
    struct session *s = (struct session *)calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->engine = test_platform_engine();
    if (s->engine == NULL
            || dnnl_stream_create(
                       &s->stream, s->engine, dnnl_stream_default_flags)
                       != dnnl_success) {
        session_close(s);
        return NULL;
    }
    return s;
}

/* A tensor of rows * columns; values may be NULL. */
static dnnl_memory_t make_memory(
        const struct session *s, int rows, int columns, const float *values)
{
    const dnnl_dims_t dims = {rows, columns};
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_t memory = NULL;
    void *mapped;
    if (dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab)
                    == dnnl_success
            && dnnl_memory_create(&memory, md, s->engine, DNNL_MEMORY_ALLOCATE)
                       == dnnl_success
            && values != NULL
            && dnnl_memory_map_data(memory, &mapped) == dnnl_success) {
        memcpy(mapped, values, dnnl_memory_desc_get_size(md));
        dnnl_memory_unmap_data(memory, mapped);
    }
    dnnl_memory_desc_destroy(md);
    return memory;
}

static const_dnnl_memory_desc_t desc_of(dnnl_memory_t memory)
{
    const_dnnl_memory_desc_t md = NULL;
    if (memory != NULL) dnnl_memory_get_memory_desc(memory, &md);
    return md;
}

/* Runs a primitive and takes its result. Destroys the descriptor. */
static int execute(const struct session *s, dnnl_primitive_desc_t pd, int nargs,
        const dnnl_exec_arg_t *args, dnnl_memory_t dst, float *result)
{
    dnnl_primitive_t primitive = NULL;
    void *mapped = NULL;
    int fine = dnnl_primitive_create(&primitive, pd) == dnnl_success
               && dnnl_primitive_execute(primitive, s->stream, nargs, args)
                          == dnnl_success
               && dnnl_stream_wait(s->stream) == dnnl_success
               && dnnl_memory_map_data(dst, &mapped) == dnnl_success;
    if (fine) {
        memcpy(result, mapped, dnnl_memory_desc_get_size(desc_of(dst)));
        fine = dnnl_memory_unmap_data(dst, mapped) == dnnl_success;
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    return fine;
}

static int matmul(void *session, int m, int k, int n, const float *src,
        const float *weights, float *dst)
{
    const struct session *s = (const struct session *)session;
    dnnl_memory_t a = make_memory(s, m, k, src);
    dnnl_memory_t b = make_memory(s, k, n, weights);
    dnnl_memory_t c = make_memory(s, m, n, NULL);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
    dnnl_primitive_desc_t pd = NULL;
    int fine = dnnl_matmul_primitive_desc_create(&pd, s->engine, desc_of(a),
                       desc_of(b), NULL, desc_of(c), NULL)
                       == dnnl_success
               && execute(s, pd, 3, args, c, dst);
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    dnnl_memory_destroy(c);
    return fine;
}

static int relu(void *session, int count, const float *src, float *dst)
{
    const struct session *s = (const struct session *)session;
    dnnl_memory_t a = make_memory(s, 1, count, src);
    dnnl_memory_t b = make_memory(s, 1, count, NULL);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}};
    dnnl_primitive_desc_t pd = NULL;
    int fine = dnnl_eltwise_forward_primitive_desc_create(&pd, s->engine,
                       dnnl_forward_inference, dnnl_eltwise_relu, desc_of(a),
                       desc_of(b), 0.0f, 0.0f, NULL)
                       == dnnl_success
               && execute(s, pd, 2, args, b, dst);
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    return fine;
}

const struct side *side_of_ours(void)
{
    static const struct side side =
            SIDE_OF(session_open, matmul, relu, session_close);
    return &side;
}
