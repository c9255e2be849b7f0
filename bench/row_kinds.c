/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of one primitive of each kind that was loaded from its blob beside a
 * run of the same one that the driver compiled: the code of a finalised form is
 * to be as fast as what the driver makes itself.
 */
#include "row.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = 11,
    MOST_PAIRS = 101,
    TENSORS = 4,
    RUNS = 16, /* of one sample, so that starting them does not count */
    MODULUS = 17
};

struct tensor {
    int arg; /* DNNL_ARG_*; 0: none */
    int ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t tag; /* 0: dense */
};

struct kind {
    const char *row;
    struct tensor tensors[TENSORS];
    dnnl_status_t (*describe)(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
            dnnl_memory_desc_t *md);
};

/* ---- The kinds ----------------------------------------------------------- */

#define IMAGES          \
    {                   \
        4, 64, 128, 128 \
    }
#define LINES      \
    {              \
        4096, 1024 \
    }
#define SQUARE   \
    {            \
        768, 768 \
    }

static const dnnl_dims_t ones = {1, 1};
static const dnnl_dims_t threes = {3, 3};
enum { EPSILON_INVERSE = 100000 };
static const float epsilon = 1.0f / (float)EPSILON_INVERSE;

static dnnl_status_t batch_normalization(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md[0], md[1], epsilon, 0, NULL);
}

static dnnl_status_t binary(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_binary_primitive_desc_create(
            pd, engine, dnnl_binary_mul, md[0], md[1], md[2], NULL);
}

static dnnl_status_t concat(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_concat_primitive_desc_create(pd, engine, md[2], 2, 1,
            (const_dnnl_memory_desc_t const *)md, NULL);
}

static dnnl_status_t convolution(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_convolution_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_convolution_direct, md[0], md[1], NULL,
            md[2], ones, NULL, ones, NULL, NULL);
}

static dnnl_status_t deconvolution(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_deconvolution_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_deconvolution_direct, md[0], md[1],
            NULL, md[2], ones, NULL, ones, NULL, NULL);
}

static dnnl_status_t eltwise(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_tanh, md[0], md[1], 0.0f, 0.0f,
            NULL);
}

static dnnl_status_t group_normalization(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    enum { groups = 8 };
    return dnnl_group_normalization_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], groups, epsilon, 0, NULL);
}

static dnnl_status_t inner_product(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_inner_product_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], NULL, md[2], NULL);
}

static dnnl_status_t layer_normalization(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_layer_normalization_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], NULL, epsilon, 0, NULL);
}

static dnnl_status_t lrn(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    enum { window = 5 };
    return dnnl_lrn_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_lrn_across_channels, md[0], md[1],
            window, epsilon, 0.75f, 1.0f, NULL);
}

static dnnl_status_t product(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_matmul_primitive_desc_create(
            pd, engine, md[0], md[1], NULL, md[2], NULL);
}

static dnnl_status_t pooling(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_pooling_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_pooling_max, md[0], md[1], ones,
            threes, NULL, ones, NULL, NULL);
}

static dnnl_status_t prelu(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_prelu_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md[0], md[1], md[2], NULL);
}

static dnnl_status_t reduction(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_reduction_primitive_desc_create(
            pd, engine, dnnl_reduction_sum, md[0], md[1], 0.0f, 0.0f, NULL);
}

static dnnl_status_t reorder(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_reorder_primitive_desc_create(
            pd, md[0], engine, md[1], engine, NULL);
}

static dnnl_status_t resampling(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_resampling_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_resampling_linear, NULL, md[0], md[1],
            NULL);
}

static dnnl_status_t shuffle(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    enum { axis = 1, group_size = 4 };
    return dnnl_shuffle_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], axis, group_size, NULL);
}

static dnnl_status_t softmax(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    return dnnl_softmax_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_softmax_accurate, md[0], md[1], 1,
            NULL);
}

static dnnl_status_t sum(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_memory_desc_t *md)
{
    static const float scales[] = {2.0f, 3.0f};
    return dnnl_sum_primitive_desc_create(pd, engine, md[2], 2, scales,
            (const_dnnl_memory_desc_t const *)md, NULL);
}

#define SRC(n, ...)                     \
    {                                   \
        DNNL_ARG_SRC, n, __VA_ARGS__, 0 \
    }
#define DST(n, ...)                     \
    {                                   \
        DNNL_ARG_DST, n, __VA_ARGS__, 0 \
    }
#define WEIGHTS(n, ...)                     \
    {                                       \
        DNNL_ARG_WEIGHTS, n, __VA_ARGS__, 0 \
    }
#define SECOND(n, ...)                    \
    {                                     \
        DNNL_ARG_SRC_1, n, __VA_ARGS__, 0 \
    }
#define ONE_OF_MANY(i, n, ...)                         \
    {                                                  \
        DNNL_ARG_MULTIPLE_SRC + (i), n, __VA_ARGS__, 0 \
    }

static const struct kind kinds[] = {
        {"run_batch_normalization", {SRC(4, IMAGES), DST(4, IMAGES)},
                batch_normalization},
        {"run_binary",
                {SRC(4, IMAGES), SECOND(4, {1, 64, 1, 1}), DST(4, IMAGES)},
                binary},
        {"run_concat",
                {ONE_OF_MANY(0, 4, IMAGES), ONE_OF_MANY(1, 4, IMAGES),
                        DST(4, {4, 128, 128, 128})},
                concat},
        {"run_convolution",
                {SRC(4, {1, 64, 56, 56}), WEIGHTS(4, {64, 64, 3, 3}),
                        DST(4, {1, 64, 56, 56})},
                convolution},
        {"run_deconvolution",
                {SRC(4, {1, 64, 56, 56}), WEIGHTS(4, {64, 64, 3, 3}),
                        DST(4, {1, 64, 56, 56})},
                deconvolution},
        {"run_eltwise", {SRC(4, IMAGES), DST(4, IMAGES)}, eltwise},
        {"run_group_normalization", {SRC(4, IMAGES), DST(4, IMAGES)},
                group_normalization},
        {"run_inner_product",
                {SRC(2, SQUARE), WEIGHTS(2, SQUARE), DST(2, SQUARE)},
                inner_product},
        {"run_layer_normalization", {SRC(2, LINES), DST(2, LINES)},
                layer_normalization},
        {"run_lrn", {SRC(4, IMAGES), DST(4, IMAGES)}, lrn},
        {"run_matmul", {SRC(2, SQUARE), WEIGHTS(2, SQUARE), DST(2, SQUARE)},
                product},
        {"run_pooling", {SRC(4, IMAGES), DST(4, IMAGES)}, pooling},
        {"run_prelu",
                {SRC(4, IMAGES), WEIGHTS(4, {1, 64, 1, 1}), DST(4, IMAGES)},
                prelu},
        {"run_reduction", {SRC(2, LINES), DST(2, {4096, 1})}, reduction},
        {"run_reorder", {SRC(4, IMAGES), {DNNL_ARG_DST, 4, IMAGES, dnnl_acdb}},
                reorder},
        {"run_resampling", {SRC(4, {4, 64, 64, 64}), DST(4, IMAGES)},
                resampling},
        {"run_shuffle", {SRC(4, IMAGES), DST(4, IMAGES)}, shuffle},
        {"run_softmax", {SRC(2, LINES), DST(2, LINES)}, softmax},
        {"run_sum",
                {ONE_OF_MANY(0, 4, IMAGES), ONE_OF_MANY(1, 4, IMAGES),
                        DST(4, IMAGES)},
                sum},
};

static const struct kind *kind_of(const struct row *row)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].row, row->name) == 0) return &kinds[i];
    failure_set("there is no such kind");
    return NULL;
}

/* ---- One of them --------------------------------------------------------- */

/* Both primitives run on the same memories. */
struct job {
    dnnl_engine_t engine; /* borrowed */
    dnnl_stream_t stream;
    int count;
    dnnl_memory_desc_t md[TENSORS];
    dnnl_memory_t memory[TENSORS];
    dnnl_exec_arg_t args[TENSORS];
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t compiled;
    dnnl_primitive_t loaded;
};

struct runs {
    struct job *job;
    dnnl_primitive_t primitive;
};

/* Small numbers, of which none is special. */
static bool fill(dnnl_memory_t memory, size_t size)
{
    void *data = NULL;
    if (!succeeded(dnnl_memory_map_data(memory, &data), "dnnl_memory_map_data"))
        return false;
    float *values = data;
    for (size_t i = 0; i < size / sizeof *values; i++)
        values[i] = (float)(i % MODULUS) / (float)MODULUS - 0.4f;
    return succeeded(
            dnnl_memory_unmap_data(memory, data), "dnnl_memory_unmap_data");
}

static bool add_tensor(struct job *job, const struct tensor *tensor)
{
    const int i = job->count++;
    dnnl_status_t st =
            tensor->tag != 0
                    ? dnnl_memory_desc_create_with_tag(&job->md[i],
                            tensor->ndims, tensor->dims, dnnl_f32, tensor->tag)
                    : dnnl_memory_desc_create_with_strides(&job->md[i],
                            tensor->ndims, tensor->dims, dnnl_f32, NULL);
    if (st == dnnl_success)
        st = dnnl_memory_create(
                &job->memory[i], job->md[i], job->engine, DNNL_MEMORY_ALLOCATE);
    job->args[i] = (dnnl_exec_arg_t){tensor->arg, job->memory[i]};
    return succeeded(st, "dnnl_memory_create")
           && fill(job->memory[i], dnnl_memory_desc_get_size(job->md[i]));
}

static bool get_blob(dnnl_primitive_t primitive, struct bytes *blob)
{
    size_t size = 0;
    dnnl_status_t st = dnnl_primitive_get_cache_blob(primitive, &size, NULL);
    if (st == dnnl_success && !bytes_resize(blob, size)) return false;
    if (st == dnnl_success)
        st = dnnl_primitive_get_cache_blob(primitive, &size, blob->data);
    return succeeded(st, "dnnl_primitive_get_cache_blob");
}

static bool create_anew(
        struct job *job, dnnl_cache_compile_mode_t mode, dnnl_primitive_t *out)
{
    dnnl_status_t st = dnnl_cache_engine_set_compile_mode(job->engine, mode);
    if (st == dnnl_success) st = dnnl_primitive_create(out, job->pd);
    return succeeded(st, "dnnl_primitive_create");
}

/* Nothing of it stays in memory. */
static void destroy(dnnl_primitive_t *primitive)
{
    int capacity;
    dnnl_primitive_destroy(*primitive);
    *primitive = NULL;
    if (dnnl_get_primitive_cache_capacity(&capacity) != dnnl_success) return;
    dnnl_set_primitive_cache_capacity(0);
    dnnl_set_primitive_cache_capacity(capacity);
}

static bool open_job(
        struct job *job, const struct kind *kind, dnnl_engine_t engine)
{
    job->engine = engine;
    if (!succeeded(dnnl_stream_create(
                           &job->stream, engine, dnnl_stream_default_flags),
                "dnnl_stream_create"))
        return false;
    for (int i = 0; i < TENSORS && kind->tensors[i].arg != 0; i++)
        if (!add_tensor(job, &kind->tensors[i])) return false;
    return succeeded(kind->describe(&job->pd, engine, job->md), kind->row);
}

/* In a context of its own, since programs stay in the memory of theirs. */
static bool make_blob(const struct kind *kind, struct object *o,
        struct job *job, struct bytes *blob)
{
    return open_job(job, kind, o->engine)
           && create_anew(job, dnnl_cache_compile_mode_normal, &job->compiled)
           && get_blob(job->compiled, blob);
}

/* A compilation that is asked for anew takes nothing from memory. */
static bool create_both(struct job *job, const struct bytes *blob)
{
    dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_statistics_t after = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_get_statistics(&before);
    const bool done =
            succeeded(dnnl_primitive_create_from_cache_blob(
                              &job->loaded, job->pd, blob->size, blob->data),
                    "dnnl_primitive_create_from_cache_blob")
            && create_anew(
                    job, dnnl_cache_compile_mode_recompile, &job->compiled);
    dnnl_cache_get_statistics(&after);
    if (done
            && (after.programs_loaded != before.programs_loaded + 1
                    || after.programs_compiled
                               != before.programs_compiled + 1)) {
        failure_set("not one program was loaded and one compiled");
        return false;
    }
    return done;
}

static void close_job(struct job *job)
{
    destroy(&job->loaded);
    destroy(&job->compiled);
    dnnl_primitive_desc_destroy(job->pd);
    for (int i = 0; i < job->count; i++) {
        dnnl_memory_destroy(job->memory[i]);
        dnnl_memory_desc_destroy(job->md[i]);
    }
    dnnl_stream_destroy(job->stream);
}

static bool run(void *arg, double *value)
{
    const struct runs *runs = arg;
    const struct job *job = runs->job;
    const uint64_t start = clock_ns();
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < RUNS && st == dnnl_success; i++)
        st = dnnl_primitive_execute(
                runs->primitive, job->stream, job->count, job->args);
    if (st == dnnl_success) st = dnnl_stream_wait(job->stream);
    *value = (double)(clock_ns() - start) / (double)RUNS;
    return succeeded(st, "dnnl_primitive_execute");
}

static bool measure_job(struct job *job, const struct bytes *blob,
        const struct bench *bench, const struct row *row, struct result *result)
{
    double ignored;
    if (!create_both(job, blob)) return false;
    struct runs loaded = {job, job->loaded};
    struct runs compiled = {job, job->compiled};
    /* The first runs are not counted. */
    return run(&loaded, &ignored) && run(&compiled, &ignored)
           && measure_pairs((struct side){run, &loaded},
                   (struct side){run, &compiled},
                   effort_of(bench->repeat, PAIRS, MOST_PAIRS), row->target,
                   row->name, result);
}

/* Objects for their engines. */
static bool open_object(
        struct bench *bench, const struct subject *subject, struct object *o)
{
    return bench_need_engine(bench)
           && object_open(o, subject, &bench->device, &bench->engine_blob,
                   OBJECT_SIZE);
}

bool measure_kind(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    const struct kind *kind = kind_of(row);
    struct job maker = {.engine = NULL};
    struct job job = {.engine = NULL};
    struct bytes blob = {NULL, 0};
    struct object o[2];
    if (kind == NULL || !open_object(bench, subject, &o[0])) return false;
    bool done = make_blob(kind, &o[0], &maker, &blob);
    close_job(&maker);
    /* The first stays open: making a context anew may take seconds. */
    if (done && open_object(bench, subject, &o[1])) {
        done = open_job(&job, kind, o[1].engine)
               && measure_job(&job, &blob, bench, row, result);
        close_job(&job);
        object_close(&o[1]);
    } else {
        done = false;
    }
    object_close(&o[0]);
    bytes_fini(&blob);
    return done;
}
