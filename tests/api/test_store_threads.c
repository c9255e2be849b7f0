/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixteen threads create, execute and destroy engines, primitives and programs
 * with a store that misses, fails, lies and damages what it gives, while one
 * more thread attaches and detaches stores and changes compile modes and the
 * primitive cache. Nothing but a miss may come of it, every execution computes
 * what it should, and no two threads race (ThreadSanitizer).
 * DNNL_CACHE_TEST_LONG=1 does ten times as much.
 */
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "src/gpu/kinds/lines.h"

#include "test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS = 16,
    ROUNDS = 30,
    EXECUTIONS = 4,
    ENGINES = 3,
    MOST_ELEMENTS = 3
};

/* ---- Chance -------------------------------------------------------------- */

/* Of the thread: the order of threads is chance enough. */
static _Thread_local uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* ---- A store that does its worst ----------------------------------------- */

struct chaos {
    dnnl_cache_store_t callbacks; /* to attach */
    struct memory_store inner;    /* what is really there */
};

/* The bytes are the asker's own copy: the store may damage them. */
static void damage(size_t *size, const uint8_t **blob)
{
    uint8_t *bytes = (uint8_t *)(uintptr_t)*blob;
    if (draw(2) == 0)
        bytes[draw((unsigned)*size)] ^= (uint8_t)(1u << draw(8));
    else
        *size = 1 + draw((unsigned)*size);
}

static dnnl_status_t chaos_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct chaos *c = user;
    const struct memory_store_entry *other;
    struct bytes copy;
    switch (draw(10)) {
    case 0:
        return dnnl_cache_miss;
    case 1:
        return (dnnl_status_t)(int)draw(200);
    case 2: /* another one's, if there is any at that place */
        other = &c->inner.entries[draw(4)];
        pthread_mutex_lock(&c->inner.lock);
        copy = bytes_copy(other->id.data, other->id.size);
        pthread_mutex_unlock(&c->inner.lock);
        dnnl_status_t st = c->inner.callbacks.get(
                &c->inner, copy.size, copy.data, size, blob);
        bytes_free(&copy);
        return st;
    default:
        break;
    }
    dnnl_status_t st =
            c->inner.callbacks.get(&c->inner, id_size, id, size, blob);
    if (st == dnnl_success && draw(4) == 0) damage(size, blob);
    return st;
}

static void chaos_release(void *user, size_t size, const uint8_t *blob)
{
    struct chaos *c = user;
    c->inner.callbacks.release(&c->inner, size, blob);
}

static dnnl_status_t chaos_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct chaos *c = user;
    if (draw(6) == 0) return dnnl_out_of_memory;
    return c->inner.callbacks.put(&c->inner, id_size, id, size, blob, metadata);
}

static dnnl_status_t chaos_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct chaos *c = user;
    if (draw(6) == 0) return dnnl_runtime_error;
    return c->inner.callbacks.remove(&c->inner, id_size, id);
}

static void chaos_open(struct chaos *c)
{
    memory_store_open(&c->inner);
    c->callbacks =
            (dnnl_cache_store_t){.struct_size = sizeof(dnnl_cache_store_t),
                    .user = c,
                    .get = chaos_get,
                    .release = chaos_release,
                    .put = chaos_put,
                    .remove = chaos_remove};
}

/* ---- What the kernels compute -------------------------------------------- */

/* A relu of one dense line; the warm-up's has no elements. */
static void relu_body(const struct fake_opencl_launch *launch,
        size_t narguments, const struct fake_opencl_arg *arguments, void *user)
{
    struct elementwise_params params;
    (void)launch;
    (void)user;
    if (narguments < 3 || arguments[2].size != sizeof params) return;
    memcpy(&params, arguments[2].value, sizeof params);
    const float *src = arguments[0].memory;
    float *dst = arguments[1].memory;
    for (int i = 0; i < params.line; i++)
        dst[i] = src[i] > 0 ? src[i] : params.alpha * src[i];
}

static void scale_body(const struct fake_opencl_launch *launch,
        size_t narguments, const struct fake_opencl_arg *arguments, void *user)
{
    float factor;
    (void)user;
    if (narguments < 2) return;
    float *x = arguments[0].memory;
    memcpy(&factor, arguments[1].value, sizeof factor);
    for (size_t i = 0; i < launch->global[0]; i++)
        x[i] *= factor;
}

/* ---- Workers ------------------------------------------------------------- */

struct world {
    struct rig rig;
    dnnl_engine_t engines[ENGINES]; /* two of one context, one of its own */
    struct chaos stores[2];
    uint64_t seed;
    unsigned rounds;
    pthread_barrier_t start;
    atomic_uint at_work;
    atomic_uint made; /* objects that came to be */
};

struct worker {
    struct world *world;
    unsigned number;
    pthread_t thread;
};

/* Modes change all the time: what must not be compiled is a miss. */
static bool is_made(struct world *w, dnnl_status_t st)
{
    if (st != dnnl_cache_miss) EXPECT_OK(st);
    if (st == dnnl_success) atomic_fetch_add(&w->made, 1);
    return st == dnnl_success;
}

static void expect_relu(
        dnnl_engine_t engine, dnnl_primitive_t primitive, int n, float alpha)
{
    float *mapped = NULL;
    dnnl_memory_t src = NULL;
    dnnl_memory_t dst = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_desc_t md = vector_desc(n);
    float first = (float)draw(1000);
    EXPECT_OK(dnnl_memory_create(&src, md, engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_create(&dst, md, engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_stream_create(&stream, engine, dnnl_stream_in_order));
    ASSERT_OK(dnnl_memory_map_data(src, (void **)&mapped));
    for (int i = 0; i < n; i++)
        mapped[i] = i % 2 == 0 ? first + (float)i : -first - (float)i;
    EXPECT_OK(dnnl_memory_unmap_data(src, mapped));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (int i = 0; i < EXECUTIONS; i++)
        EXPECT_OK(dnnl_primitive_execute(primitive, stream, 2, args));
    EXPECT_OK(dnnl_stream_wait(stream));
    ASSERT_OK(dnnl_memory_map_data(dst, (void **)&mapped));
    for (int i = 0; i < n; i++) {
        float x = first + (float)i;
        EXPECT_TRUE(mapped[i] == (i % 2 == 0 ? x : -x * alpha));
    }
    EXPECT_OK(dnnl_memory_unmap_data(dst, mapped));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_memory_destroy(src));
    EXPECT_OK(dnnl_memory_destroy(dst));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

/* A primitive, and at times another one from its blob. */
static void use_primitive(struct world *w, dnnl_engine_t engine)
{
    int n = 1 + (int)draw(MOST_ELEMENTS);
    float alpha = draw(2) == 0 ? 0.5f : 0.25f;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    if (!is_made(w, try_relu_desc(&pd, engine, n, alpha))) return;
    if (is_made(w, dnnl_primitive_create(&primitive, pd))) {
        expect_relu(engine, primitive, n, alpha);
        if (draw(3) == 0) {
            dnnl_primitive_t warm = NULL;
            struct bytes blob = primitive_blob(primitive);
            EXPECT_OK(dnnl_primitive_create_from_cache_blob(
                    &warm, pd, blob.size, blob.data));
            expect_relu(engine, warm, n, alpha);
            EXPECT_OK(dnnl_primitive_destroy(warm));
            bytes_free(&blob);
        }
    }
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

static void expect_scale(dnnl_engine_t engine, dnnl_cache_program_t program)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_kernel kernel = NULL;
    cl_int error;
    float x[4] = {1, 2, 3, (float)draw(100)};
    float factor = (float)(1 + draw(50));
    size_t global = 4;
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(engine, &context));
    EXPECT_OK(dnnl_ocl_interop_get_device(engine, &device));
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_mem buffer =
            clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "scale", &kernel));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof factor, &factor));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL,
                                  &global, NULL, 0, NULL, NULL));
    float y[4] = {0};
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0,
                                  sizeof y, y, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        EXPECT_TRUE(y[i] == factor * x[i]);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(buffer));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
}

static void use_program(struct world *w, dnnl_engine_t engine)
{
    static const char *const options[] = {"", "-DA", "-DB", "-DC"};
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc =
            describe(engine, scale_source, options[draw(4)]);
    if (is_made(w, dnnl_cache_program_create(&program, desc))) {
        expect_scale(engine, program);
        if (draw(2) == 0) EXPECT_OK(dnnl_cache_program_capture(program));
        if (draw(3) == 0) {
            struct bytes blob = program_blob(program);
            dnnl_cache_program_t warm = create_from(desc, &blob);
            expect_scale(engine, warm);
            EXPECT_OK(dnnl_cache_program_destroy(warm));
            bytes_free(&blob);
        }
    }
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* An engine of the worker's own, at times from another one's blob. It may have
 * a store and a mode that the changes of the process's do not reach, so that
 * however threads are scheduled there is something to do. */
static void use_own_engine(struct world *w)
{
    dnnl_engine_t engine = NULL;
    size_t size = 0;
    if (draw(2) == 0) {
        EXPECT_OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
    } else if (is_made(w, dnnl_ocl_interop_engine_get_cache_blob(
                                  w->engines[draw(ENGINES)], &size, NULL))) {
        uint8_t *blob = malloc(size);
        if (blob == NULL) abort();
        EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob(
                w->engines[0], &size, blob));
        EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
                &engine, w->rig.device, w->rig.context, size, blob));
        free(blob);
    }
    if (engine == NULL) return;
    if (draw(2) == 0)
        EXPECT_OK(dnnl_cache_engine_set_store(
                engine, &w->stores[draw(2)].callbacks));
    if (draw(2) == 0)
        EXPECT_OK(dnnl_cache_engine_set_compile_mode(
                engine, dnnl_cache_compile_mode_normal));
    use_primitive(w, engine);
    use_program(w, engine);
    EXPECT_OK(dnnl_engine_destroy(engine));
}

static void *work(void *arg)
{
    struct worker *me = arg;
    struct world *w = me->world;
    state = w->seed + 0x9e3779b97f4a7c15u * (me->number + 1);
    pthread_barrier_wait(&w->start);
    for (unsigned round = 0; round < w->rounds; round++) {
        dnnl_engine_t engine = w->engines[draw(ENGINES)];
        switch (draw(4)) {
        case 0:
        case 1:
            use_primitive(w, engine);
            break;
        case 2:
            use_program(w, engine);
            break;
        default:
            use_own_engine(w);
            break;
        }
    }
    atomic_fetch_sub(&w->at_work, 1);
    return NULL;
}

/* ---- The one who changes everything -------------------------------------- */

static void change_something(struct world *w)
{
    dnnl_engine_t engine = w->engines[draw(ENGINES)];
    const dnnl_cache_store_t *store =
            draw(4) == 0 ? NULL : &w->stores[draw(2)].callbacks;
    /* Normal most of the time, so that there is something to do. */
    dnnl_cache_compile_mode_t mode =
            draw(2) == 0 ? dnnl_cache_compile_mode_normal
                         : (dnnl_cache_compile_mode_t)draw(3);
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    switch (draw(7)) {
    case 0:
        EXPECT_OK(dnnl_cache_set_default_store(store));
        break;
    case 1:
        EXPECT_OK(dnnl_cache_engine_set_store(engine, store));
        break;
    case 2:
        EXPECT_OK(dnnl_cache_set_compile_mode(mode));
        break;
    case 3:
        EXPECT_OK(dnnl_cache_engine_set_compile_mode(engine, mode));
        break;
    case 4:
        EXPECT_OK(dnnl_set_primitive_cache_capacity((int)draw(20)));
        break;
    case 5:
        EXPECT_OK(dnnl_cache_engine_set_blob_compression(
                engine, (dnnl_cache_compression_t)draw(2)));
        break;
    default:
        EXPECT_OK(dnnl_cache_get_statistics(&statistics));
        break;
    }
}

static void *change(void *arg)
{
    struct world *w = arg;
    state = w->seed;
    pthread_barrier_wait(&w->start);
    while (atomic_load(&w->at_work) > 0) {
        change_something(w);
        sched_yield();
    }
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal));
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
    return NULL;
}

/* ---- The world ----------------------------------------------------------- */

static void world_open(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->seed = test_seed();
    const char *wanted = getenv("DNNL_CACHE_TEST_LONG");
    w->rounds =
            wanted != NULL && strcmp(wanted, "1") == 0 ? 10 * ROUNDS : ROUNDS;
    rig_open(&w->rig, 0);
    fake_opencl_set_kernel_body("eltwise", relu_body, NULL);
    fake_opencl_set_kernel_body("scale", scale_body, NULL);
    w->engines[0] = w->rig.engine;
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &w->engines[1], w->rig.device, w->rig.context));
    EXPECT_OK(dnnl_engine_create(&w->engines[2], dnnl_gpu, 0));
    for (size_t i = 0; i < 2; i++)
        chaos_open(&w->stores[i]);
    EXPECT_OK(dnnl_cache_set_default_store(&w->stores[0].callbacks));
    /* Known facts, so that engine blobs can always be had. */
    struct bytes facts = engine_blob(w->engines[0]);
    EXPECT_GT(facts.size, 0);
    bytes_free(&facts);
    pthread_barrier_init(&w->start, NULL, WORKERS + 1);
    atomic_init(&w->at_work, WORKERS);
}

/* Whatever is left in the stores is intact: they damaged copies only. */
static void expect_intact(struct memory_store *store)
{
    unsigned all = memory_store_count(store, dnnl_cache_blob_kind_undef);
    unsigned engines = memory_store_count(store, dnnl_cache_blob_kind_engine);
    unsigned programs = memory_store_count(store, dnnl_cache_blob_kind_program);
    EXPECT_EQ(all, engines + programs);
    EXPECT_LE(engines, 1);
    EXPECT_LE(programs, 5); /* the relu's, and scale with four options */
}

static void world_close(struct world *w)
{
    EXPECT_OK(dnnl_engine_destroy(w->engines[2]));
    EXPECT_OK(dnnl_engine_destroy(w->engines[1]));
    rig_close(&w->rig);
    for (size_t i = 0; i < 2; i++) {
        expect_intact(&w->stores[i].inner);
        memory_store_close(&w->stores[i].inner);
    }
    pthread_barrier_destroy(&w->start);
}

TEST_C(StoreThreads, MayDoEverythingAtOnce)
{
    struct world w;
    struct worker workers[WORKERS];
    pthread_t changer;
    dnnl_cache_statistics_t before = rig_statistics();
    world_open(&w);
    ASSERT_EQ(0, pthread_create(&changer, NULL, change, &w));
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i].world = &w;
        workers[i].number = i;
        ASSERT_EQ(
                0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    }
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_join(changer, NULL);
    /* All of it has happened. */
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_GT(atomic_load(&w.made), WORKERS);
    EXPECT_GT(now.store_hits, before.store_hits);
    EXPECT_GT(now.store_misses, before.store_misses);
    EXPECT_GT(now.store_puts, before.store_puts);
    EXPECT_GT(now.store_failures, before.store_failures);
    EXPECT_GT(now.blobs_rejected, before.blobs_rejected);
    EXPECT_GT(now.programs_compiled, before.programs_compiled);
    EXPECT_GT(now.programs_loaded, before.programs_loaded);
    world_close(&w);
}
