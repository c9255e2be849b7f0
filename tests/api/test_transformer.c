/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Twelve layers of a transformer's encoder on a driver: how many programs they
 * are, what each step computes, and the same from blobs, where nothing is
 * compiled. A step is held against the reference of what it was fed, which the
 * device computed itself: so each has a tolerance of its own.
 */
#include "run_primitive.h"
#include "test.h"
#include "transformer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 12, MOST_PROGRAMS = 10 };

/* BERT-base's layer, each size divided, and odd where it may be. */
static const struct transformer_sizes sizes = {2, 13, 6, 10, 240};

struct layer {
    dnnl_memory_t memory[LAYER_TENSORS]; /* NULL: nothing, or another's */
    dnnl_primitive_t primitives[TRANSFORMER_STEPS];
};

struct encoder {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct layer layers[LAYERS];
};

/* What a primitive is made from. */
struct blob {
    uint8_t *bytes;
    size_t size;
};

/* ---- Tensors ------------------------------------------------------------- */

static dnnl_memory_t make_memory(
        dnnl_engine_t engine, enum transformer_tensor tensor, void *handle)
{
    dnnl_memory_t memory = NULL;
    dnnl_memory_desc_t md = transformer_md(&sizes, tensor);
    EXPECT_OK(dnnl_memory_create(&memory, md, engine, handle));
    dnnl_memory_desc_destroy(md);
    return memory;
}

/* The numbers of a tensor, which the caller frees. */
static float *read_numbers(dnnl_memory_t memory)
{
    const_dnnl_memory_desc_t md;
    void *mapped;
    EXPECT_OK(dnnl_memory_get_memory_desc(memory, &md));
    size_t size = dnnl_memory_desc_get_size(md);
    float *numbers = malloc(size);
    if (numbers == NULL) abort();
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    memcpy(numbers, mapped, size);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    return numbers;
}

/* Weights such that numbers stay around 1 from layer to layer. */
static void fill(dnnl_memory_t memory, double low, double high, uint64_t *seed)
{
    const_dnnl_memory_desc_t md;
    float *mapped;
    EXPECT_OK(dnnl_memory_get_memory_desc(memory, &md));
    size_t count = dnnl_memory_desc_get_size(md) / sizeof *mapped;
    EXPECT_OK(dnnl_memory_map_data(memory, (void **)&mapped));
    for (size_t i = 0; i < count; i++)
        mapped[i] = (float)(low
                            + (high - low)
                                      * ((double)random_below(seed, 1 << 20)
                                              / (1 << 20)));
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

/* The last quarter of a text's words is padding, as after a tokenizer. */
static void fill_mask(dnnl_memory_t memory)
{
    float *mapped;
    EXPECT_OK(dnnl_memory_map_data(memory, (void **)&mapped));
    for (dnnl_dim_t i = 0; i < sizes.batch * sizes.length; i++)
        mapped[i] = i % sizes.length < sizes.length * 3 / 4 ? 0.0f : -1e4f;
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

static void fill_layer(struct layer *l, bool is_first, uint64_t *seed)
{
    static const enum transformer_tensor matrices[] = {LAYER_QKV_WEIGHTS,
            LAYER_OUT_WEIGHTS, LAYER_INNER_WEIGHTS, LAYER_OUTER_WEIGHTS};
    static const enum transformer_tensor vectors[] = {LAYER_QKV_BIAS,
            LAYER_OUT_BIAS, LAYER_INNER_BIAS, LAYER_OUTER_BIAS,
            LAYER_NORM_SHIFT, LAYER_LAST_SHIFT};
    for (size_t i = 0; i < COUNT(matrices); i++)
        fill(l->memory[matrices[i]], -0.25, 0.25, seed);
    for (size_t i = 0; i < COUNT(vectors); i++)
        fill(l->memory[vectors[i]], -0.1, 0.1, seed);
    fill(l->memory[LAYER_NORM_SCALE], 0.5, 1.5, seed);
    fill(l->memory[LAYER_LAST_SCALE], 0.5, 1.5, seed);
    fill_mask(l->memory[LAYER_MASK]);
    if (is_first) fill(l->memory[LAYER_SRC], -2.0, 2.0, seed);
}

/* ---- The encoder --------------------------------------------------------- */

/* What each layer has of its own; its src is the dst of the one before. */
static void make_memories(struct encoder *e, uint64_t seed)
{
    for (int i = 0; i < LAYERS; i++) {
        struct layer *l = &e->layers[i];
        for (int t = LAYER_SRC; t < LAYER_TENSORS; t++) {
            enum transformer_tensor tensor = (enum transformer_tensor)t;
            enum transformer_tensor whole = transformer_whole(tensor);
            void *handle = DNNL_MEMORY_ALLOCATE;
            if (tensor == LAYER_SRC && i > 0) {
                EXPECT_OK(dnnl_memory_get_data_handle(
                        e->layers[i - 1].memory[LAYER_DST], &handle));
            } else if (whole != tensor) {
                EXPECT_OK(
                        dnnl_memory_get_data_handle(l->memory[whole], &handle));
            }
            l->memory[t] = make_memory(e->engine, tensor, handle);
        }
        fill_layer(l, i == 0, &seed);
    }
}

/* Compiles, or loads if there are blobs; a failure is noted. */
static void make_primitives(
        struct encoder *e, const struct blob blobs[TRANSFORMER_STEPS])
{
    for (int i = 0; i < LAYERS * TRANSFORMER_STEPS; i++) {
        const int step = i % TRANSFORMER_STEPS;
        dnnl_primitive_t *out =
                &e->layers[i / TRANSFORMER_STEPS].primitives[step];
        dnnl_primitive_desc_t pd = NULL;
        ASSERT_OK(transformer_describe(&pd, e->engine, &sizes, step));
        dnnl_status_t st =
                blobs == NULL ? dnnl_primitive_create(out, pd)
                              : dnnl_primitive_create_from_cache_blob(out, pd,
                                      blobs[step].size, blobs[step].bytes);
        EXPECT_OK(st);
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    }
}

static void execute(const struct encoder *e)
{
    for (int i = 0; i < LAYERS; i++)
        for (int step = 0; step < TRANSFORMER_STEPS; step++) {
            struct transformer_argument list[TRANSFORMER_MAX_ARGS];
            dnnl_exec_arg_t args[TRANSFORMER_MAX_ARGS];
            int count = transformer_arguments(step, list);
            for (int a = 0; a < count; a++)
                args[a] = (dnnl_exec_arg_t){
                        list[a].arg, e->layers[i].memory[list[a].tensor]};
            EXPECT_OK(dnnl_primitive_execute(
                    e->layers[i].primitives[step], e->stream, count, args));
        }
    EXPECT_OK(dnnl_stream_wait(e->stream));
}

static void open_encoder(struct encoder *e, dnnl_engine_t engine,
        const struct blob *blobs, uint64_t seed)
{
    memset(e, 0, sizeof *e);
    e->engine = engine;
    ASSERT_OK(
            dnnl_stream_create(&e->stream, engine, dnnl_stream_default_flags));
    make_memories(e, seed);
    make_primitives(e, blobs);
}

static void close_encoder(struct encoder *e)
{
    for (int i = LAYERS - 1; i >= 0; i--) {
        for (int step = 0; step < TRANSFORMER_STEPS; step++)
            dnnl_primitive_destroy(e->layers[i].primitives[step]);
        for (int t = 0; t < LAYER_TENSORS; t++)
            dnnl_memory_destroy(e->layers[i].memory[t]);
    }
    dnnl_stream_destroy(e->stream);
}

/* ---- What is expected ---------------------------------------------------- */

/* The tensors of a layer in host memory. */
struct numbers {
    float *data[LAYER_TENSORS];
    struct reference_tensor view[LAYER_TENSORS];
};

static void read_layer(struct numbers *n, const struct layer *l)
{
    memset(n, 0, sizeof *n);
    for (int t = LAYER_SRC; t < LAYER_TENSORS; t++) {
        enum transformer_tensor whole =
                transformer_whole((enum transformer_tensor)t);
        dnnl_memory_desc_t md =
                transformer_md(&sizes, (enum transformer_tensor)t);
        struct reference_tensor *v = &n->view[t];
        const dnnl_dims_t *dims, *strides;
        dnnl_dim_t offset = 0;
        if (n->data[whole] == NULL)
            n->data[whole] = read_numbers(l->memory[whole]);
        EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &v->ndims));
        EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_dims, &dims));
        EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_strides, &strides));
        EXPECT_OK(dnnl_memory_desc_query(
                md, dnnl_query_submemory_offset_s64, &offset));
        memcpy(v->dims, *dims, sizeof *dims);
        memcpy(v->strides, *strides, sizeof *strides);
        v->type = dnnl_f32;
        v->data = n->data[whole] + offset;
        dnnl_memory_desc_destroy(md);
    }
}

static void free_layer(struct numbers *n)
{
    for (int t = 0; t < LAYER_TENSORS; t++)
        free(n->data[t]);
}

static struct reference_value expected_norm(const struct numbers *n,
        const struct transformer_step *s, const dnnl_dims_t place)
{
    const struct reference_tensor *src = &n->view[s->src];
    const struct reference_box line = {{place[0], 0}, {1, src->dims[1]}};
    const struct reference_statistics statistics =
            reference_statistics(src, &line);
    return reference_normalize(reference_at(src, place), &statistics,
            TRANSFORMER_EPSILON, (double)n->data[s->weights][place[1]],
            (double)n->data[s->bias][place[1]]);
}

static struct reference_value expected_at_step(
        const struct numbers *n, int step, const dnnl_dims_t place)
{
    const struct transformer_step *s = &transformer_steps[step];
    const struct reference_tensor *src = &n->view[s->src];
    if (s->kind == dnnl_softmax)
        return reference_softmax(src, dnnl_softmax_accurate, 3, place);
    if (s->kind == dnnl_layer_normalization) return expected_norm(n, s, place);
    struct reference_value v = reference_matmul(src, &n->view[s->weights],
            s->bias != LAYER_NONE ? &n->view[s->bias] : NULL, src->ndims,
            place);
    if (s->is_scaled)
        v = reference_eltwise(
                dnnl_eltwise_linear, v, transformer_score_scale(&sizes), 0.0f);
    if (s->has_gelu)
        v = reference_eltwise(dnnl_eltwise_gelu_erf, v, 0.0f, 0.0f);
    if (s->addend != LAYER_NONE) {
        v.value += reference_at(&n->view[s->addend], place);
        v.tolerance += (double)FLT_EPSILON * (fabs(v.value) + v.tolerance);
    }
    return v;
}

static void expect_step(const struct numbers *n, int step)
{
    const struct reference_tensor *dst = &n->view[transformer_steps[step].dst];
    for (dnnl_dim_t i = 0; i < reference_count(dst); i++) {
        dnnl_dims_t place;
        reference_place(dst, i, place);
        struct reference_value v = expected_at_step(n, step, place);
        float actual = (float)reference_at(dst, place);
        EXPECT_TRUE(isfinite(actual));
        if (reference_is_close(v, actual)) continue;
        test_fail(__FILE__, __LINE__, "step %d, element %lld: %g, not %g +- %g",
                step, (long long)i, (double)actual, v.value, v.tolerance);
        return;
    }
}

/* ---- Blobs --------------------------------------------------------------- */

static void get_blobs(
        const struct encoder *e, struct blob blobs[TRANSFORMER_STEPS])
{
    for (int step = 0; step < TRANSFORMER_STEPS; step++) {
        const_dnnl_primitive_t primitive = e->layers[0].primitives[step];
        struct blob *b = &blobs[step];
        EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &b->size, NULL));
        b->bytes = malloc(b->size);
        if (b->bytes == NULL) abort();
        EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &b->size, b->bytes));
    }
}

static dnnl_cache_statistics_t statistics(void)
{
    dnnl_cache_statistics_t s = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&s));
    return s;
}

/* ---- Tests --------------------------------------------------------------- */

/* The engine's probe is not a primitive's program. */
static dnnl_engine_t probed_engine(void)
{
    (void)test_takes_half();
    return test_engine();
}

TEST_C(Transformer, NeedsFewProgramsAndNoneFromBlobs)
{
    const uint64_t seed = test_seed();
    static struct encoder cold, warm;
    struct blob blobs[TRANSFORMER_STEPS];
    struct numbers n;
    dnnl_engine_t engine = probed_engine();
    const dnnl_cache_statistics_t before = statistics();
    open_encoder(&cold, engine, NULL, seed);
    const uint64_t programs =
            statistics().programs_compiled - before.programs_compiled;
    printf("%d primitives, %d programs\n", LAYERS * TRANSFORMER_STEPS,
            (int)programs);
    EXPECT_TRUE(programs >= 1 && programs <= MOST_PROGRAMS);
    execute(&cold);
    for (int l = 0; l < LAYERS && !test_has_failed(); l += LAYERS - 1) {
        read_layer(&n, &cold.layers[l]);
        for (int step = 0; step < TRANSFORMER_STEPS; step++)
            expect_step(&n, step);
        free_layer(&n);
    }

    get_blobs(&cold, blobs);
    engine = test_warm_engine();
    const dnnl_cache_statistics_t loading = statistics();
    open_encoder(&warm, engine, blobs, seed);
    execute(&warm);
    const dnnl_cache_statistics_t loaded = statistics();
    EXPECT_EQ(0, loaded.programs_compiled - loading.programs_compiled);
    EXPECT_EQ((int)programs,
            (int)(loaded.programs_loaded - loading.programs_loaded));
    dnnl_memory_desc_t md = transformer_md(&sizes, LAYER_DST);
    size_t size = dnnl_memory_desc_get_size(md);
    float *first = read_numbers(cold.layers[LAYERS - 1].memory[LAYER_DST]);
    float *again = read_numbers(warm.layers[LAYERS - 1].memory[LAYER_DST]);
    EXPECT_BYTES_EQ(first, size, again, size);
    free(first);
    free(again);
    dnnl_memory_desc_destroy(md);
    for (int step = 0; step < TRANSFORMER_STEPS; step++)
        free(blobs[step].bytes);
    close_encoder(&warm);
    close_encoder(&cold);
}
