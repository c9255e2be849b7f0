/* SPDX-License-Identifier: Apache-2.0 */
#include "blank_execution.h"

#include "test.h"

enum { MOST_SIZE = 1 << 16, MAX_ARGS = 100 };

/* ---- Arguments ----------------------------------------------------------- */

static const int plain_args[] = {DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2,
        DNNL_ARG_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_MEAN,
        DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE,
        DNNL_ARG_ATTR_DROPOUT_MASK, DNNL_ARG_ATTR_DROPOUT_PROBABILITY,
        DNNL_ARG_ATTR_DROPOUT_SEED, DNNL_ARG_ATTR_ROUNDING_SEED};

enum {
    PLAIN = COUNT(plain_args),
    SOURCES = 96,
    STEPS = 2 * DNNL_CACHE_MAX_POST_OPS,
    NUMBERS = 2 * (PLAIN + SOURCES),
    ALL_ARGS = PLAIN + SOURCES + STEPS + NUMBERS
};

/* Argument i of all that a primitive may have. */
static int possible_arg(int i)
{
    if (i < PLAIN) return plain_args[i];
    i -= PLAIN;
    if (i < SOURCES) return DNNL_ARG_MULTIPLE_SRC + i;
    i -= SOURCES;
    if (i < STEPS)
        return DNNL_ARG_ATTR_MULTIPLE_POST_OP(i / 2)
               | (i % 2 == 0 ? DNNL_ARG_SRC_1 : DNNL_ARG_WEIGHTS);
    i -= STEPS;
    return (i % 2 == 0 ? DNNL_ARG_ATTR_SCALES : DNNL_ARG_ATTR_ZERO_POINTS)
           | possible_arg(i / 2);
}

/* NULL: the primitive has no such argument. */
static const_dnnl_memory_desc_t argument_md(
        const_dnnl_primitive_desc_t pd, int arg)
{
    int ndims = 0;
    const_dnnl_memory_desc_t md =
            dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    if (md == NULL
            || dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims)
                       != dnnl_success)
        return NULL;
    return ndims > 0 ? md : NULL;
}

/* Does only execution tell something of it? Its size may be told even so: that
 * of an empty tensor is 0, whatever its strides. */
static bool is_told_later(const_dnnl_memory_desc_t md)
{
    int ndims = 0;
    dnnl_dim_t offset = 0;
    const dnnl_dims_t *dims = NULL;
    const dnnl_dims_t *strides = NULL;
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_dims, &dims));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_strides, &strides));
    EXPECT_OK(dnnl_memory_desc_query(
            md, dnnl_query_submemory_offset_s64, &offset));
    bool is_told = offset != DNNL_RUNTIME_DIM_VAL;
    for (int d = 0; d < ndims; d++)
        is_told = is_told && (*dims)[d] != DNNL_RUNTIME_DIM_VAL
                  && (*strides)[d] != DNNL_RUNTIME_DIM_VAL;
    return !is_told;
}

bool blank_execution_is_small(const_dnnl_primitive_desc_t pd)
{
    for (int i = 0; i < ALL_ARGS; i++) {
        const_dnnl_memory_desc_t md = argument_md(pd, possible_arg(i));
        if (md == NULL) continue;
        if (is_told_later(md) || dnnl_memory_desc_get_size(md) > MOST_SIZE)
            return false;
    }
    return true;
}

bool blank_execution_has_empty(const_dnnl_primitive_desc_t pd)
{
    bool has_empty = false;
    for (int i = 0; i < ALL_ARGS; i++) {
        const_dnnl_memory_desc_t md = argument_md(pd, possible_arg(i));
        has_empty =
                has_empty || (md != NULL && dnnl_memory_desc_get_size(md) == 0);
    }
    return has_empty;
}

/* ---- Execution ----------------------------------------------------------- */

/* Where an argument lies: reorders may have one on another engine. */
static dnnl_engine_t engine_of(const_dnnl_primitive_desc_t pd, int arg)
{
    dnnl_engine_t engine = NULL;
    dnnl_query_t side = arg == DNNL_ARG_SRC   ? dnnl_query_reorder_src_engine
                        : arg == DNNL_ARG_DST ? dnnl_query_reorder_dst_engine
                                              : dnnl_query_engine;
    if (dnnl_primitive_desc_query(pd, side, 0, &engine) != dnnl_success)
        EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, &engine));
    return engine;
}

static dnnl_status_t run(dnnl_engine_t engine, const_dnnl_primitive_t primitive,
        int nargs, const dnnl_exec_arg_t *args)
{
    dnnl_stream_t stream;
    dnnl_status_t st =
            dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    if (st != dnnl_success) return st;
    st = dnnl_primitive_execute(primitive, stream, nargs, args);
    if (st == dnnl_success) st = dnnl_stream_wait(stream);
    dnnl_stream_destroy(stream);
    return st;
}

dnnl_status_t blank_execution_run(
        const_dnnl_primitive_desc_t pd, const_dnnl_primitive_t primitive)
{
    dnnl_exec_arg_t args[MAX_ARGS];
    dnnl_engine_t engine = NULL;
    int nargs = 0;
    dnnl_status_t st =
            dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, &engine);
    for (int i = 0; i < ALL_ARGS && st == dnnl_success; i++) {
        int arg = possible_arg(i);
        const_dnnl_memory_desc_t md = argument_md(pd, arg);
        if (md == NULL) continue;
        args[nargs].arg = arg;
        st = dnnl_memory_create(&args[nargs].memory, md, engine_of(pd, arg),
                DNNL_MEMORY_ALLOCATE);
        if (st == dnnl_success) nargs++;
    }
    if (st == dnnl_success) st = run(engine, primitive, nargs, args);
    while (nargs > 0)
        dnnl_memory_destroy(args[--nargs].memory);
    return st;
}
