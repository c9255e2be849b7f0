/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in memory, asked for by many threads: built once, limited, used in
 * any order. */
#include "crowd.h"
#include "in_memory.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <stdlib.h>

static struct crowd crowd;

TEST_RIG(ProgramCache, ThreeHundredThreadsBuildAProgramOnce)
{
    dnnl_cache_statistics_t before = rig_statistics();
    crowd_gather(&crowd, rig->engine, 300, NULL);
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_EQ(before.program_builds + 1, after.program_builds);
    EXPECT_EQ(before.program_waits + 299, after.program_waits);
    cl_program first = NULL;
    for (size_t i = 0; i < 300; i++) {
        cl_program object = NULL;
        ASSERT_OK(crowd.guests[i].status);
        EXPECT_OK(dnnl_cache_program_get_cl_program(
                crowd.guests[i].program, &object));
        if (i == 0) first = object;
        EXPECT_PTR_EQ(first, object);
    }
    crowd_end(&crowd);
}

TEST_RIG(ProgramCache, TwoHundredThreadsWithRoomForTwoLeaveTwo)
{
    uint64_t one = bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one + one / 2));
    crowd_start(&crowd, rig->engine, 200, false, NULL);
    crowd_join(&crowd);
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_EQ(2, now.program_entries);
    EXPECT_EQ(2 * one, now.program_bytes);
    for (size_t i = 0; i < 200; i++) {
        ASSERT_OK(crowd.guests[i].status);
        expect_kernel(crowd.guests[i].program, "scale"); /* lives on */
    }
    crowd_end(&crowd);
    struct fake_opencl_objects alive;
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(2, alive.programs);
    no_limit();
}

TEST_RIG(ProgramCache, ThreeHundredThreadsWithRoomForNoneLeaveNone)
{
    uint64_t one = bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(one - 1));
    crowd_start(&crowd, rig->engine, 300, false, NULL);
    crowd_join(&crowd);
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_EQ(0, now.program_entries);
    EXPECT_EQ(0, now.program_bytes);
    EXPECT_EQ(0, now.kernel_entries);
    for (size_t i = 0; i < 300; i++)
        EXPECT_OK(crowd.guests[i].status);
    crowd_end(&crowd);
    struct fake_opencl_objects alive;
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    no_limit();
}

/* ---- All of it at once --------------------------------------------------- */

enum { PLAYERS = 16, MOVES = 150, NUMBERS = 12 };

struct player {
    pthread_t thread;
    dnnl_engine_t engine;
    uint64_t one; /* what a program counts */
    uint64_t random;
};

static unsigned draw(struct player *p, unsigned below)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(p->random >> 33) % below;
}

static void use_kernel(struct player *p, unsigned n)
{
    dnnl_cache_kernel_t kernel = NULL;
    dnnl_cache_program_desc_t desc = describe_number(p->engine, n);
    dnnl_status_t st = dnnl_cache_kernel_create(
            &kernel, desc, draw(p, 2) == 0 ? "scale" : "fill");
    if (st != dnnl_out_of_memory) EXPECT_OK(st);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void use_program(struct player *p, unsigned n)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    dnnl_cache_program_desc_t desc = describe_number(p->engine, n);
    dnnl_status_t st = dnnl_cache_program_create(&program, desc);
    if (st == dnnl_success)
        st = dnnl_cache_kernel_create_from_program(&kernel, program, "fill");
    if (st != dnnl_out_of_memory) EXPECT_OK(st);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void set_limit(struct player *p)
{
    unsigned room = draw(p, NUMBERS + 2);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(
            room > NUMBERS ? DNNL_CACHE_NO_LIMIT : room * p->one));
}

static void *play(void *arg)
{
    struct player *p = arg;
    for (int i = 0; i < MOVES; i++) {
        unsigned n = draw(p, NUMBERS);
        switch (draw(p, 12)) {
        case 0:
            set_limit(p);
            break;
        case 1:
            fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
            break;
        case 2:
            EXPECT_LE(rig_statistics().program_entries, NUMBERS + 1);
            break;
#ifdef DNNL_CACHE_TEST_PRIMITIVES
        case 3: {
            dnnl_primitive_t primitive = NULL;
            dnnl_primitive_desc_t pd = relu_desc(p->engine, 1 + n, 0.0f);
            dnnl_status_t st = dnnl_primitive_create(&primitive, pd);
            if (st != dnnl_out_of_memory) EXPECT_OK(st);
            EXPECT_OK(dnnl_primitive_destroy(primitive));
            EXPECT_OK(dnnl_primitive_desc_destroy(pd));
            break;
        }
#endif
        case 4:
        case 5:
            use_program(p, n);
            break;
        default:
            use_kernel(p, n);
            break;
        }
    }
    return NULL;
}

TEST_RIG(ProgramCache, ThreadsDoEverythingInAnyOrder)
{
    struct log_capture log;
    struct player players[PLAYERS];
    struct fake_opencl_objects alive;
    uint64_t seed = test_seed();
    uint64_t one = bytes_of_one(rig->engine);
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    EXPECT_FALSE(touch_relu(rig->engine)); /* the probe */
#endif
    log_capture_start(&log);
    for (unsigned i = 0; i < PLAYERS; i++) {
        players[i] = (struct player){
                .engine = rig->engine, .one = one, .random = seed + i};
        if (pthread_create(&players[i].thread, NULL, play, &players[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < PLAYERS; i++)
        pthread_join(players[i].thread, NULL);
    log_capture_stop(&log);
    /* Nobody uses anything: what is alive is in memory, and leaves with it. */
    fake_opencl_fail("clBuildProgram", 0, 0);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_LE(now.program_bytes, 2 * one);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(now.program_entries, alive.programs);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_EQ(0, alive.kernels);
    EXPECT_EQ(0, rig_statistics().kernel_entries);
    EXPECT_EQ(0, rig_statistics().fast_kernel_entries);
    no_limit();
}
