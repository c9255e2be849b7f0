/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in memory, when threads come and programs leave. */
#include "kernels.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- Threads ------------------------------------------------------------- */

enum { THREADS = 32, ROUNDS = 50 };

struct user {
    pthread_t thread;
    const_dnnl_cache_program_desc_t descs[2];
};

/* The object is this thread's alone while it has it: what it sets stays. */
static void *use_kernels(void *arg)
{
    const struct user *u = arg;
    for (int i = 0; i < ROUNDS; i++) {
        dnnl_cache_kernel_t kernel = kernel_of(u->descs[i % 2], "scale");
        const float factor = 1.0f;
        EXPECT_EQ(2 - i % 2, argument_count(kernel));
        if (i % 2 == 0)
            EXPECT_EQ(CL_SUCCESS, clSetKernelArg(object_of(kernel), 1,
                                          sizeof factor, &factor));
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    }
    return NULL;
}

static void use_from_all_threads(struct rig *rig)
{
    struct user users[THREADS];
    dnnl_cache_program_desc_t one = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig->engine, other_source, NULL);
    for (int i = 0; i < THREADS; i++) {
        users[i].descs[0] = one;
        users[i].descs[1] = two;
        if (pthread_create(&users[i].thread, NULL, use_kernels, &users[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
}

TEST_RIG(KernelCache, ThreadsBuildAProgramAndKernelOnce)
{
    dnnl_cache_statistics_t before = rig_statistics();
    use_from_all_threads(rig);
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_EQ(before.kernel_builds + 2, after.kernel_builds);
}

/* Programs leave all the time, with kernels in use and about to enter. */
TEST_RIG(KernelCache, ThreadsLoseNothingToEvictions)
{
    struct fake_opencl_objects alive;
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    use_from_all_threads(rig);
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_EQ(0, now.program_entries);
    EXPECT_EQ(0, now.kernel_entries);
    EXPECT_EQ(0, now.fast_kernel_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
}

/* ---- Evictions ----------------------------------------------------------- */

TEST_RIG(KernelCache, LosesTheKernelsOfAnEvictedProgram)
{
    dnnl_cache_program_desc_t one = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig->engine, other_source, NULL);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "fill")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(two, "scale")));
    EXPECT_EQ(3, rig_statistics().kernel_entries);
    EXPECT_EQ(3, rig_statistics().fast_kernel_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(
            rig_statistics().program_bytes - 1)); /* the older one goes */
    EXPECT_EQ(1, rig_statistics().program_entries);
    EXPECT_EQ(1, rig_statistics().kernel_entries);
    EXPECT_EQ(1, rig_statistics().fast_kernel_entries);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(two, "scale")));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
}

/* A kernel found without its program is a use of the program. */
TEST_RIG(KernelCache, HitsCountAsUseOfTheProgram)
{
    dnnl_cache_program_desc_t one = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig->engine, other_source, NULL);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(two, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale"))); /* a hit */
    EXPECT_OK(dnnl_cache_set_program_cache_limit(
            rig_statistics().program_bytes - 1));
    EXPECT_EQ(1, rig_statistics().program_entries);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale")));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
}
