/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector times a matrix of u4 weights, with zero points and scales by groups
 * along k, beside the same product of f16 weights: what a language model
 * computes for each word that it writes. Both are one row of src; time goes
 * into reading the weights.
 */
#include "row.h"

#include "failure.h"

#include <string.h>

enum { PAIRS = 11, MOST_PAIRS = 101, MOST_TENSORS = 5 };
enum { K = 4096, N = 4096, GROUP = 128 };
/* In one sample, waited for once: a product may be shorter than that takes. */
enum { RUNS = 20 };

/* A primitive with what it is run with. */
struct job {
    dnnl_stream_t stream; /* borrowed */
    int count;
    dnnl_memory_desc_t md[MOST_TENSORS];
    dnnl_exec_arg_t args[MOST_TENSORS];
    dnnl_primitive_t primitive;
};

/* Adds a tensor whose bytes are all the same. */
static bool add_tensor(struct job *job, int arg, dnnl_engine_t engine,
        const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag,
        int byte)
{
    void *data = NULL;
    dnnl_memory_desc_t *md = &job->md[job->count];
    dnnl_exec_arg_t *to = &job->args[job->count];
    job->count++;
    to->arg = arg;
    dnnl_status_t st = dnnl_memory_desc_create_with_tag(md, 2, dims, type, tag);
    if (st == dnnl_success)
        st = dnnl_memory_create(&to->memory, *md, engine, DNNL_MEMORY_ALLOCATE);
    if (st == dnnl_success) st = dnnl_memory_map_data(to->memory, &data);
    if (st == dnnl_success) {
        memset(data, byte, dnnl_memory_desc_get_size(*md));
        st = dnnl_memory_unmap_data(to->memory, data);
    }
    return succeeded(st, "dnnl_memory_create");
}

/* src, weights, dst. */
static bool add_tensors(struct job *job, dnnl_engine_t engine,
        dnnl_data_type_t weights, dnnl_format_tag_t tag)
{
    const dnnl_dims_t src = {1, K};
    const dnnl_dims_t matrix = {K, N};
    const dnnl_dims_t dst = {1, N};
    return add_tensor(job, DNNL_ARG_SRC, engine, src, dnnl_f16, dnnl_ab, 0x21)
           && add_tensor(
                   job, DNNL_ARG_WEIGHTS, engine, matrix, weights, tag, 0x21)
           && add_tensor(job, DNNL_ARG_DST, engine, dst, dnnl_f16, dnnl_ab, 0);
}

static bool add_numbers(struct job *job, dnnl_engine_t engine)
{
    const dnnl_dims_t dims = {K / GROUP, N};
    return add_tensor(job, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, engine,
                   dims, dnnl_u4, dnnl_ab, 0x88)
           && add_tensor(job, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, engine,
                   dims, dnnl_f16, dnnl_ab, 0x21);
}

static dnnl_status_t set_numbers(dnnl_primitive_attr_t attr)
{
    const dnnl_dims_t groups = {GROUP, 1};
    const int both = 3;
    dnnl_status_t st = dnnl_primitive_attr_set_fpmath_mode_v2(
            attr, dnnl_fpmath_mode_f16, 1);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_zero_points(
                attr, DNNL_ARG_WEIGHTS, both, 2, groups, dnnl_u4);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_scales(
                attr, DNNL_ARG_WEIGHTS, both, 2, groups, dnnl_f16);
    return st;
}

static bool open_job(struct job *job, dnnl_engine_t engine,
        dnnl_data_type_t weights, dnnl_format_tag_t tag)
{
    const bool is_compressed = weights == dnnl_u4;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    if (!add_tensors(job, engine, weights, tag)
            || (is_compressed && !add_numbers(job, engine)))
        return false;
    dnnl_status_t st = dnnl_primitive_attr_create(&attr);
    if (st == dnnl_success && is_compressed) st = set_numbers(attr);
    if (st == dnnl_success)
        st = dnnl_matmul_primitive_desc_create(
                &pd, engine, job->md[0], job->md[1], NULL, job->md[2], attr);
    if (st == dnnl_success) st = dnnl_primitive_create(&job->primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    return succeeded(st, "dnnl_matmul_primitive_desc_create");
}

static void close_job(struct job *job)
{
    dnnl_primitive_destroy(job->primitive);
    for (int i = 0; i < job->count; i++) {
        dnnl_memory_destroy(job->args[i].memory);
        dnnl_memory_desc_destroy(job->md[i]);
    }
}

static bool run(void *arg, double *value)
{
    const struct job *job = arg;
    dnnl_status_t st = dnnl_success;
    uint64_t start = clock_ns();
    for (int i = 0; i < RUNS && st == dnnl_success; i++)
        st = dnnl_primitive_execute(
                job->primitive, job->stream, job->count, job->args);
    if (st == dnnl_success) st = dnnl_stream_wait(job->stream);
    *value = (double)(clock_ns() - start) / (double)RUNS;
    return succeeded(st, "dnnl_primitive_execute");
}

static bool measure(struct bench *bench, const struct row *row,
        const struct subject *subject, dnnl_format_tag_t tag,
        struct result *result)
{
    struct object o; /* for its engine */
    struct job compressed;
    struct job half;
    double ignored;
    memset(&compressed, 0, sizeof compressed);
    memset(&half, 0, sizeof half);
    if (!bench_need_engine(bench)
            || !object_open(&o, subject, &bench->device, &bench->engine_blob,
                    OBJECT_SIZE))
        return false;
    bool done = succeeded(dnnl_stream_create(&compressed.stream, o.engine,
                                  dnnl_stream_default_flags),
            "dnnl_stream_create");
    half.stream = compressed.stream;
    /* The first runs are not counted. */
    done = done && open_job(&compressed, o.engine, dnnl_u4, tag)
           && open_job(&half, o.engine, dnnl_f16, tag)
           && run(&compressed, &ignored) && run(&half, &ignored)
           && measure_pairs((struct side){run, &compressed},
                   (struct side){run, &half},
                   effort_of(bench->repeat, PAIRS, MOST_PAIRS), row->target,
                   row->name, result);
    close_job(&compressed);
    close_job(&half);
    dnnl_stream_destroy(compressed.stream);
    object_close(&o);
    return done;
}

bool measure_compressed(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure(bench, row, subject, dnnl_ab, result);
}

bool measure_compressed_transposed(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure(bench, row, subject, dnnl_ba, result);
}
