/* SPDX-License-Identifier: Apache-2.0 */
/* A program's binary is asked for while another thread runs its kernel, which
 * PoCL 3.1 survives only if the kernel does not say how large its groups are
 * (layer/driver/quirks.h). */
#include "bytes.h"

#include "test.h"
#include "test_platform.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* Enough for a kernel to run nearly always; batches, so that there is one
 * between two waits. */
enum { elements = 1 << 18, batch = 8 };

struct use {
    dnnl_engine_t engine;
    dnnl_primitive_t primitive;
    atomic_uint batches; /* that have run */
    atomic_bool is_over;
};

static dnnl_memory_desc_t vector(void)
{
    dnnl_memory_desc_t md = NULL;
    const dnnl_dims_t dims = {elements};
    EXPECT_OK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    return md;
}

static void *run(void *argument)
{
    struct use *use = argument;
    dnnl_memory_desc_t md = vector();
    dnnl_memory_t memory = NULL;
    dnnl_stream_t stream = NULL;
    EXPECT_OK(
            dnnl_memory_create(&memory, md, use->engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_stream_create(
            &stream, use->engine, dnnl_stream_default_flags));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    do {
        for (int i = 0; i < batch; i++)
            EXPECT_OK(dnnl_primitive_execute(use->primitive, stream, 2, args));
        EXPECT_OK(dnnl_stream_wait(stream));
        atomic_fetch_add(&use->batches, 1);
    } while (!atomic_load(&use->is_over));
    dnnl_stream_destroy(stream);
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(md);
    return NULL;
}

static void use_open(struct use *use, dnnl_engine_t engine, dnnl_alg_kind_t alg)
{
    dnnl_memory_desc_t md = vector();
    dnnl_primitive_desc_t pd = NULL;
    *use = (struct use){.engine = engine};
    EXPECT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, alg, md, md, 0.5f, 0.25f, NULL));
    EXPECT_OK(dnnl_primitive_create(&use->primitive, pd));
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
}

static void wait_for(struct use *use, unsigned batches)
{
    const struct timespec nap = {0, 1000000};
    while (atomic_load(&use->batches) < batches)
        nanosleep(&nap, NULL);
}

/* The blob while the kernel runs. */
static void expect_blob(dnnl_engine_t engine, dnnl_alg_kind_t alg)
{
    struct use use;
    pthread_t thread;
    use_open(&use, engine, alg);
    ASSERT_TRUE(use.primitive != NULL);
    ASSERT_EQ(0, pthread_create(&thread, NULL, run, &use));
    wait_for(&use, 1);
    struct bytes blob = primitive_blob(use.primitive);
    EXPECT_GT(blob.size, 0);
    /* What runs now would meet what the driver has compiled. */
    wait_for(&use, atomic_load(&use.batches) + 2);
    atomic_store(&use.is_over, true);
    pthread_join(thread, NULL);
    bytes_free(&blob);
    dnnl_primitive_destroy(use.primitive);
}

TEST_C(CaptureDevice, MayHappenWhileTheKernelRuns)
{
    static const dnnl_alg_kind_t algs[] = {dnnl_eltwise_relu, dnnl_eltwise_tanh,
            dnnl_eltwise_abs, dnnl_eltwise_linear, dnnl_eltwise_logistic};
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL) return;
    for (size_t i = 0; i < sizeof algs / sizeof *algs; i++)
        expect_blob(engine, algs[i]);
    dnnl_engine_destroy(engine);
}
