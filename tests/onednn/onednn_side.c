/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2's side, through its C interface. */
#include <oneapi/dnnl/dnnl.h>

#include "side_parts.h"

#include <stdlib.h>

struct session {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};

static void session_close(void *session)
{
    struct session *s = session;
    if (s == NULL) return;
    if (s->stream != NULL) dnnl_stream_destroy(s->stream);
    if (s->engine != NULL) dnnl_engine_destroy(s->engine);
    free(s);
}

static void *session_open(void)
{
    struct session *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    if (dnnl_engine_create(&s->engine, dnnl_cpu, 0) != dnnl_success
            || dnnl_stream_create(
                       &s->stream, s->engine, dnnl_stream_default_flags)
                       != dnnl_success) {
        session_close(s);
        return NULL;
    }
    return s;
}

/* A tensor of rows * columns in the caller's array. */
static dnnl_memory_t make_memory(const struct session *s,
        dnnl_memory_desc_t *md, int rows, int columns, const float *values)
{
    const dnnl_dims_t dims = {rows, columns};
    dnnl_memory_t memory = NULL;
    if (dnnl_memory_desc_init_by_tag(md, 2, dims, dnnl_f32, dnnl_ab)
                    != dnnl_success
            || dnnl_memory_create(
                       &memory, md, s->engine, (void *)(uintptr_t)values)
                       != dnnl_success)
        return NULL;
    return memory;
}

/* Makes a primitive of what is described, and runs it. */
static int execute(const struct session *s, const_dnnl_op_desc_t desc,
        int nargs, const dnnl_exec_arg_t *args)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    int fine = dnnl_primitive_desc_create(&pd, desc, NULL, s->engine, NULL)
                       == dnnl_success
               && dnnl_primitive_create(&primitive, pd) == dnnl_success
               && dnnl_primitive_execute(primitive, s->stream, nargs, args)
                          == dnnl_success
               && dnnl_stream_wait(s->stream) == dnnl_success;
    if (primitive != NULL) dnnl_primitive_destroy(primitive);
    if (pd != NULL) dnnl_primitive_desc_destroy(pd);
    return fine;
}

static void destroy(dnnl_memory_t memory)
{
    if (memory != NULL) dnnl_memory_destroy(memory);
}

static int matmul(void *session, int m, int k, int n, const float *src,
        const float *weights, float *dst)
{
    const struct session *s = session;
    dnnl_memory_desc_t mds[3];
    dnnl_memory_t a = make_memory(s, &mds[0], m, k, src);
    dnnl_memory_t b = make_memory(s, &mds[1], k, n, weights);
    dnnl_memory_t c = make_memory(s, &mds[2], m, n, dst);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
    dnnl_matmul_desc_t desc;
    int fine = a != NULL && b != NULL && c != NULL
               && dnnl_matmul_desc_init(&desc, &mds[0], &mds[1], NULL, &mds[2])
                          == dnnl_success
               && execute(s, &desc, 3, args);
    destroy(a);
    destroy(b);
    destroy(c);
    return fine;
}

static int relu(void *session, int count, const float *src, float *dst)
{
    const struct session *s = session;
    dnnl_memory_desc_t mds[2];
    dnnl_memory_t a = make_memory(s, &mds[0], 1, count, src);
    dnnl_memory_t b = make_memory(s, &mds[1], 1, count, dst);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}};
    dnnl_eltwise_desc_t desc;
    int fine = a != NULL && b != NULL
               && dnnl_eltwise_forward_desc_init(&desc, dnnl_forward_inference,
                          dnnl_eltwise_relu, &mds[0], 0.0f, 0.0f)
                          == dnnl_success
               && execute(s, &desc, 2, args);
    destroy(a);
    destroy(b);
    return fine;
}

const struct side *side_of_onednn(void)
{
    static const struct side side =
            SIDE_OF(session_open, matmul, relu, session_close);
    return &side;
}
