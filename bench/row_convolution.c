/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convolution beside the matrix product that it is once its image is laid
 * out (im2col), which is not timed: AlexNet's second layer, 96 to 256 channels
 * in two groups, 5x5 on 27x27.
 */
#include "row.h"

#include "failure.h"

#include <string.h>

enum { PAIRS = 11, MOST_PAIRS = 101, TENSORS = 3 };
enum { GROUPS = 2, IN = 48, OUT = 128, SIZE = 27, WINDOW = 5 };

/* A primitive with what it is run with: src, weights, dst. */
struct job {
    dnnl_stream_t stream; /* borrowed */
    dnnl_memory_desc_t md[TENSORS];
    dnnl_memory_t memory[TENSORS];
    dnnl_primitive_t primitive;
};

static bool add_tensor(struct job *job, int i, dnnl_engine_t engine, int ndims,
        const dnnl_dims_t dims)
{
    void *data = NULL;
    dnnl_status_t st = dnnl_memory_desc_create_with_strides(
            &job->md[i], ndims, dims, dnnl_f32, NULL);
    if (st == dnnl_success)
        st = dnnl_memory_create(
                &job->memory[i], job->md[i], engine, DNNL_MEMORY_ALLOCATE);
    if (st == dnnl_success) st = dnnl_memory_map_data(job->memory[i], &data);
    if (st == dnnl_success) {
        memset(data, 0, dnnl_memory_desc_get_size(job->md[i]));
        st = dnnl_memory_unmap_data(job->memory[i], data);
    }
    return succeeded(st, "dnnl_memory_create");
}

static bool add_primitive(
        struct job *job, dnnl_status_t described, dnnl_primitive_desc_t pd)
{
    dnnl_status_t st = described;
    if (st == dnnl_success) st = dnnl_primitive_create(&job->primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    return succeeded(st, "dnnl_primitive_create");
}

static bool open_convolution(
        struct job *job, dnnl_engine_t engine, dnnl_dim_t images)
{
    const dnnl_dims_t src = {images, GROUPS * IN, SIZE, SIZE};
    const dnnl_dims_t weights = {GROUPS, OUT, IN, WINDOW, WINDOW};
    const dnnl_dims_t dst = {images, GROUPS * OUT, SIZE, SIZE};
    const dnnl_dims_t strides = {1, 1};
    const dnnl_dims_t padding = {WINDOW / 2, WINDOW / 2};
    dnnl_primitive_desc_t pd = NULL;
    if (!add_tensor(job, 0, engine, 4, src)
            || !add_tensor(job, 1, engine, 5, weights)
            || !add_tensor(job, 2, engine, 4, dst))
        return false;
    dnnl_status_t st = dnnl_convolution_forward_primitive_desc_create(&pd,
            engine, dnnl_forward_inference, dnnl_convolution_direct, job->md[0],
            job->md[1], NULL, job->md[2], strides, NULL, padding, padding,
            NULL);
    return add_primitive(job, st, pd);
}

static bool open_product(
        struct job *job, dnnl_engine_t engine, dnnl_dim_t images)
{
    const dnnl_dim_t pixels = images * SIZE * SIZE;
    const dnnl_dim_t taps = (dnnl_dim_t)IN * WINDOW * WINDOW;
    const dnnl_dims_t src = {GROUPS, OUT, taps};
    const dnnl_dims_t weights = {GROUPS, taps, pixels};
    const dnnl_dims_t dst = {GROUPS, OUT, pixels};
    dnnl_primitive_desc_t pd = NULL;
    if (!add_tensor(job, 0, engine, 3, src)
            || !add_tensor(job, 1, engine, 3, weights)
            || !add_tensor(job, 2, engine, 3, dst))
        return false;
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            &pd, engine, job->md[0], job->md[1], NULL, job->md[2], NULL);
    return add_primitive(job, st, pd);
}

static void close_job(struct job *job)
{
    dnnl_primitive_destroy(job->primitive);
    for (int i = 0; i < TENSORS; i++) {
        dnnl_memory_destroy(job->memory[i]);
        dnnl_memory_desc_destroy(job->md[i]);
    }
}

static bool run(void *arg, double *value)
{
    const struct job *job = arg;
    const dnnl_exec_arg_t args[TENSORS] = {{DNNL_ARG_SRC, job->memory[0]},
            {DNNL_ARG_WEIGHTS, job->memory[1]}, {DNNL_ARG_DST, job->memory[2]}};
    uint64_t start = clock_ns();
    dnnl_status_t st =
            dnnl_primitive_execute(job->primitive, job->stream, TENSORS, args);
    if (st == dnnl_success) st = dnnl_stream_wait(job->stream);
    *value = (double)(clock_ns() - start);
    return succeeded(st, "dnnl_primitive_execute");
}

static bool measure(struct bench *bench, const struct row *row,
        const struct subject *subject, dnnl_dim_t images, struct result *result)
{
    struct object o; /* for its engine */
    struct job convolution;
    struct job product;
    double ignored;
    memset(&convolution, 0, sizeof convolution);
    memset(&product, 0, sizeof product);
    if (!bench_need_engine(bench)
            || !object_open(&o, subject, &bench->device, &bench->engine_blob,
                    OBJECT_SIZE))
        return false;
    bool done = succeeded(dnnl_stream_create(&convolution.stream, o.engine,
                                  dnnl_stream_default_flags),
            "dnnl_stream_create");
    product.stream = convolution.stream;
    /* The first runs are not counted. */
    done = done && open_convolution(&convolution, o.engine, images)
           && open_product(&product, o.engine, images)
           && run(&convolution, &ignored) && run(&product, &ignored)
           && measure_pairs((struct side){run, &convolution},
                   (struct side){run, &product},
                   effort_of(bench->repeat, PAIRS, MOST_PAIRS), row->target,
                   row->name, result);
    close_job(&convolution);
    close_job(&product);
    dnnl_stream_destroy(convolution.stream);
    object_close(&o);
    return done;
}

bool measure_convolution(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure(bench, row, subject, 1, result);
}

bool measure_convolution_batch(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure(bench, row, subject, 8, result);
}
