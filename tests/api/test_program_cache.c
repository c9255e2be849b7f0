/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in memory: built once by many, limited, evicted, out of memory. */
#include "identity_process.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 300, STACK = 1 << 18 };

static dnnl_cache_statistics_t statistics_now(void)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&now));
    return now;
}

/* A program like all others but for a number: its binary is as large. */
static dnnl_cache_program_desc_t describe_number(
        dnnl_engine_t engine, unsigned n)
{
    char options[32];
    snprintf(options, sizeof options, "-DNUMBER=%05u", n);
    return describe(engine, scale_source, options);
}

/* Creates program n and lets go of it; true if it was found in memory. */
static bool touch(dnnl_engine_t engine, unsigned n)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc = describe_number(engine, n);
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    bool hit = program != NULL
               && info_of(program).origin == dnnl_cache_origin_memory_hit;
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return hit;
}

static void no_limit(void)
{
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
}

/* What one of the numbered programs counts. */
static uint64_t bytes_of_one(dnnl_engine_t engine)
{
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    uint64_t before = statistics_now().program_bytes;
    (void)touch(engine, 99999);
    uint64_t bytes = statistics_now().program_bytes - before;
    EXPECT_GT(bytes, 0);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    no_limit();
    return bytes;
}

/* ---- Many threads -------------------------------------------------------- */

struct crowd {
    pthread_barrier_t start;
    dnnl_engine_t engine;
    bool is_same; /* all ask for one program, else each for its own */
    const char *options;
    size_t count;
    struct guest {
        struct crowd *crowd;
        unsigned number;
        pthread_t thread;
        dnnl_cache_program_desc_t desc;
        dnnl_cache_program_t program;
        dnnl_status_t status;
    } guests[MOST_THREADS];
};

static void *attend(void *arg)
{
    struct guest *g = arg;
    pthread_barrier_wait(&g->crowd->start);
    g->status = dnnl_cache_program_create(&g->program, g->desc);
    return NULL;
}

/* Starts the threads, each with a descriptor of its own. */
static void crowd_start(struct crowd *c, dnnl_engine_t engine, size_t count,
        bool is_same, const char *options)
{
    pthread_attr_t attributes;
    memset(c, 0, sizeof *c);
    c->engine = engine;
    c->count = count;
    pthread_barrier_init(&c->start, NULL, (unsigned)count);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    for (unsigned i = 0; i < count; i++) {
        struct guest *g = &c->guests[i];
        g->crowd = c;
        g->desc = is_same ? describe(engine, scale_source, options)
                          : describe_number(engine, i);
        if (pthread_create(&g->thread, &attributes, attend, g) != 0) abort();
    }
    pthread_attr_destroy(&attributes);
}

static void crowd_join(struct crowd *c)
{
    for (size_t i = 0; i < c->count; i++)
        pthread_join(c->guests[i].thread, NULL);
}

/* Gives up what the threads made. */
static void crowd_end(struct crowd *c)
{
    for (size_t i = 0; i < c->count; i++) {
        EXPECT_OK(dnnl_cache_program_destroy(c->guests[i].program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(c->guests[i].desc));
    }
    pthread_barrier_destroy(&c->start);
}

/* Returns once so many more have waited for builds than before. */
static void await_waits(uint64_t before, uint64_t more)
{
    const struct timespec nap = {0, 1000000};
    for (int i = 0; i < 60000; i++) {
        if (statistics_now().program_waits >= before + more) return;
        nanosleep(&nap, NULL);
    }
    test_fail(__FILE__, __LINE__, "too few threads wait");
}

/* All of them find the build under way: it is held up until they do. */
static void crowd_gather(struct crowd *c, dnnl_engine_t engine, size_t count,
        const char *options)
{
    uint64_t waits = statistics_now().program_waits;
    fake_opencl_block_builds(true);
    crowd_start(c, engine, count, true, options);
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    await_waits(waits, count - 1);
    fake_opencl_block_builds(false);
    crowd_join(c);
}

static struct crowd crowd;

TEST_C(ProgramCache, ThreeHundredThreadsBuildAProgramOnce)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_statistics_t before = statistics_now();
    crowd_gather(&crowd, rig.engine, 300, NULL);
    dnnl_cache_statistics_t after = statistics_now();
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
    rig_close(&rig);
}

TEST_C(ProgramCache, TwoHundredThreadsWithRoomForTwoLeaveTwo)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one + one / 2));
    crowd_start(&crowd, rig.engine, 200, false, NULL);
    crowd_join(&crowd);
    dnnl_cache_statistics_t now = statistics_now();
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
    rig_close(&rig);
}

TEST_C(ProgramCache, ThreeHundredThreadsWithRoomForNoneLeaveNone)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(one - 1));
    crowd_start(&crowd, rig.engine, 300, false, NULL);
    crowd_join(&crowd);
    dnnl_cache_statistics_t now = statistics_now();
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
    rig_close(&rig);
}

static void expect_log_of(
        const_dnnl_cache_program_desc_t desc, const char *expected)
{
    char log[256] = "";
    size_t size = sizeof log;
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, log));
    EXPECT_STR_EQ(expected, log);
    EXPECT_EQ(strlen(expected) + 1, size);
}

TEST_C(ProgramCache, AllWhoWaitedGetTheSameBuildLog)
{
    struct rig rig;
    struct log_capture log;
    char first[256] = "";
    size_t size = sizeof first;
    rig_open(&rig, 0);
    fake_opencl_set("BUILD_LOG", "line 7: it does not please me");
    log_capture_start(&log);
    crowd_gather(&crowd, rig.engine, 300, "-DFAKE_BUILD_FAILURE");
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(
            crowd.guests[0].desc, &size, first));
    EXPECT_NOT_NULL(strstr(first, "it does not please me"));
    for (size_t i = 0; i < 300; i++) {
        EXPECT_STATUS(dnnl_runtime_error, crowd.guests[i].status);
        EXPECT_NULL(crowd.guests[i].program);
        expect_log_of(crowd.guests[i].desc, first);
    }
    /* It is forgotten: the next one builds again, and is told anew. */
    dnnl_cache_program_t program = NULL;
    fake_opencl_set("BUILD_LOG", "nor now");
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_program_create(&program, crowd.guests[0].desc));
    EXPECT_EQ(2, fake_opencl_source_builds());
    size = sizeof first;
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(
            crowd.guests[0].desc, &size, first));
    EXPECT_NOT_NULL(strstr(first, "nor now"));
    EXPECT_EQ(0, statistics_now().program_entries);
    log_capture_stop(&log);
    crowd_end(&crowd);
    rig_close(&rig);
}

/* The compiler has no part in them. */
TEST_C(ProgramCache, LogOfACompilationGoesWithTheNextOtherFailure)
{
    struct rig rig;
    struct log_capture log;
    const uint8_t nonsense[64] = {0};
    dnnl_cache_program_t program = NULL;
    rig_open(&rig, 0);
    fake_opencl_set("BUILD_LOG", "line 7");
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc =
            describe(rig.engine, scale_source, "-DFAKE_BUILD_FAILURE");
    for (int i = 0; i < 2; i++) {
        char text[64] = "";
        size_t size = sizeof text;
        EXPECT_STATUS(
                dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
        EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, text));
        EXPECT_NOT_NULL(strstr(text, "line 7"));
        EXPECT_OK(dnnl_cache_engine_set_compile_mode(
                rig.engine, dnnl_cache_compile_mode_cached_only));
        if (i == 0)
            EXPECT_STATUS(
                    dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
        else
            EXPECT_STATUS(dnnl_cache_blob_corrupt,
                    dnnl_cache_program_create_from_cache_blob(
                            &program, desc, sizeof nonsense, nonsense));
        EXPECT_OK(dnnl_cache_engine_set_compile_mode(
                rig.engine, dnnl_cache_compile_mode_normal));
        expect_log_of(desc, "");
    }
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(ProgramCache, DescriptorWithoutAFailureHasAnEmptyLog)
{
    struct rig rig;
    char log[1] = {'x'};
    size_t size = 0;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    expect_log_of(desc, "");
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, NULL));
    EXPECT_EQ(1, size);
    size = 0;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_get_build_log(desc, &size, log));
    EXPECT_EQ(1, size);
    EXPECT_EQ('x', log[0]);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

static uint64_t limit_of_callback; /* to be set; 0: was, or none */

static void set_when_told(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    uint64_t bytes = limit_of_callback;
    (void)level;
    (void)text;
    (void)user;
    limit_of_callback = 0;
    if (bytes != 0) EXPECT_OK(dnnl_cache_set_program_cache_limit(bytes));
}

/* While one is applied a callback sets another: as two threads may. */
TEST_C(ProgramCache, LimitSetWhileOneIsAppliedHolds)
{
    struct rig rig;
    uint64_t limit = 0;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    no_limit();
    for (unsigned n = 0; n < 20; n++)
        (void)touch(rig.engine, n);
    EXPECT_OK(dnnl_cache_set_log_callback(set_when_told, NULL));
    limit_of_callback = 2 * one + one / 2;
    fake_opencl_fail("clGetProgramInfo", 1, CL_OUT_OF_RESOURCES);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1000 * one));
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    EXPECT_EQ(0, limit_of_callback);
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&limit));
    EXPECT_EQ(2 * one + one / 2, limit);
    for (unsigned n = 20; n < 30; n++)
        (void)touch(rig.engine, n);
    EXPECT_EQ(2 * one, statistics_now().program_bytes);
    EXPECT_EQ(2, statistics_now().program_entries);
    no_limit();
    rig_close(&rig);
}

/* ---- Out of memory ------------------------------------------------------- */

/* Whatever is in memory is given up, in other contexts, too. */
static void expect_emptied_once(cl_int error)
{
    struct rig rig;
    struct log_capture log;
    dnnl_engine_t other = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(100 * one));
    (void)touch(rig.engine, 1);
    (void)touch(other, 2);
    dnnl_cache_program_desc_t desc = describe_number(rig.engine, 1);
    EXPECT_OK(dnnl_cache_kernel_create(&kernel, desc, "fill"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_EQ(2, statistics_now().program_entries);
    dnnl_cache_statistics_t before = statistics_now();
    unsigned long builds = fake_opencl_source_builds();

    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, error);
    EXPECT_FALSE(touch(rig.engine, 3));
    log_capture_stop(&log);

    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(builds + 1, fake_opencl_source_builds()); /* the other failed */
    EXPECT_EQ(before.program_builds + 2, after.program_builds);
    EXPECT_EQ(before.program_failures + 1, after.program_failures);
    EXPECT_EQ(before.program_evictions + 2, after.program_evictions);
    EXPECT_EQ(1, after.program_entries);
    EXPECT_EQ(one, after.program_bytes);
    EXPECT_EQ(0, after.kernel_entries);
    EXPECT_EQ(0, after.fast_kernel_entries);
    /* The accounts are right: there is room for as many as before. */
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_TRUE(touch(rig.engine, 3));
    EXPECT_TRUE(touch(rig.engine, 1));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(other));
    no_limit();
    rig_close(&rig);
}

TEST_C(ProgramCache, OutOfHostMemoryOnceIsOneBuildMoreAndEmptiesAll)
{
    expect_emptied_once(CL_OUT_OF_HOST_MEMORY);
}

TEST_C(ProgramCache, OutOfResourcesOnceIsOneBuildMoreAndEmptiesAll)
{
    expect_emptied_once(CL_OUT_OF_RESOURCES);
}

/* Without a limit and with one that is far away, it is the same. */
TEST_C(ProgramCache, OutOfMemoryEmptiesWithoutALimit)
{
    struct rig rig;
    struct log_capture log;
    rig_open(&rig, 0);
    (void)touch(rig.engine, 1);
    (void)touch(rig.engine, 2);
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_FALSE(touch(rig.engine, 3));
    log_capture_stop(&log);
    EXPECT_EQ(1, statistics_now().program_entries);
    rig_close(&rig);
}

/* Through a kernel's look-up and a primitive's, builds are nested: only the one
 * that has run out of memory is tried again. */
TEST_C(ProgramCache, OutOfMemoryForGoodIsTwoBuildsHoweverDeep)
{
    struct rig rig;
    struct log_capture log;
    dnnl_cache_kernel_t kernel = NULL;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe_number(rig.engine, 1);
    log_capture_start(&log);
    fake_opencl_set("BUILD_ERROR", "-6");
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_cache_kernel_create(&kernel, desc, "fill"));
    EXPECT_EQ(2, fake_opencl_source_builds());
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    dnnl_primitive_t primitive = NULL;
    fake_opencl_set("BUILD_ERROR", NULL);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    fake_opencl_set("BUILD_ERROR", "-6");
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_STATUS(dnnl_out_of_memory, dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(builds + 2, fake_opencl_source_builds());
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(ProgramCache, OutOfMemoryForGoodIsTwoBuildsAndAFailure)
{
    struct rig rig;
    struct log_capture log;
    dnnl_cache_program_t program = (dnnl_cache_program_t)&rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe_number(rig.engine, 1);
    dnnl_cache_statistics_t before = statistics_now();
    log_capture_start(&log);
    fake_opencl_set("BUILD_ERROR", "-6"); /* CL_OUT_OF_HOST_MEMORY */
    EXPECT_STATUS(
            dnnl_out_of_memory, dnnl_cache_program_create(&program, desc));
    EXPECT_EQ(2, fake_opencl_source_builds());
    fake_opencl_set("BUILD_ERROR", NULL);
    log_capture_stop(&log);
    EXPECT_PTR_EQ(&rig, program);
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(before.program_builds + 2, after.program_builds);
    EXPECT_EQ(before.program_failures + 2, after.program_failures);
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* ---- The limit ----------------------------------------------------------- */

TEST_C(ProgramCache, HasNoLimitAtFirst)
{
    uint64_t bytes = 0;
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&bytes));
    EXPECT_TRUE(bytes == DNNL_CACHE_NO_LIMIT);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(5));
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&bytes));
    EXPECT_EQ(5, bytes);
    no_limit();
}

TEST_C(ProgramCache, LeastRecentlyUsedLeavesFirst)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(3 * one));
    for (unsigned n = 0; n < 3; n++)
        EXPECT_FALSE(touch(rig.engine, n));
    EXPECT_TRUE(touch(rig.engine, 0)); /* 1 is the oldest now */
    EXPECT_FALSE(touch(rig.engine, 3));
    EXPECT_TRUE(touch(rig.engine, 2));
    EXPECT_TRUE(touch(rig.engine, 0));
    EXPECT_TRUE(touch(rig.engine, 3));
    EXPECT_EQ(3, statistics_now().program_entries);
    EXPECT_FALSE(touch(rig.engine, 1)); /* 2 left for it */
    EXPECT_FALSE(touch(rig.engine, 2));
    no_limit();
    rig_close(&rig);
}

/* With room for two and three in turns, none is ever found. */
TEST_C(ProgramCache, CyclesThatDoNotFitMissAlways)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    for (unsigned n = 0; n < 9; n++) {
        EXPECT_FALSE(touch(rig.engine, n % 3));
        EXPECT_LE(statistics_now().program_entries, 2);
    }
    no_limit();
    rig_close(&rig);
}

TEST_C(ProgramCache, WithinItsLimitKeepsAll)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    uint64_t evictions = statistics_now().program_evictions;
    EXPECT_OK(dnnl_cache_set_program_cache_limit(10 * one));
    for (unsigned n = 0; n < 10; n++)
        EXPECT_FALSE(touch(rig.engine, n));
    for (unsigned n = 0; n < 10; n++)
        EXPECT_TRUE(touch(rig.engine, n));
    EXPECT_EQ(evictions, statistics_now().program_evictions);
    EXPECT_EQ(10 * one, statistics_now().program_bytes);
    no_limit();
    rig_close(&rig);
}

/* Programs that came while nobody asked for their size are counted then. */
TEST_C(ProgramCache, LimitSetLaterHoldsForWhatIsThere)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    unsigned long queries = fake_opencl_count("clGetProgramInfo");
    for (unsigned n = 0; n < 5; n++)
        (void)touch(rig.engine, n);
    EXPECT_EQ(queries, fake_opencl_count("clGetProgramInfo"));
    EXPECT_EQ(0, statistics_now().program_bytes);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    EXPECT_EQ(2, statistics_now().program_entries);
    EXPECT_EQ(2 * one, statistics_now().program_bytes);
    EXPECT_TRUE(touch(rig.engine, 4));
    EXPECT_TRUE(touch(rig.engine, 3));
    EXPECT_FALSE(touch(rig.engine, 2));
    no_limit();
    rig_close(&rig);
}

/* PoCL compiles when it is asked for a binary: that is part of the time. */
TEST_C(ProgramCache, SizesAreAskedForWhileTheTimeRuns)
{
    struct rig rig;
    rig_open(&rig, 0);
    (void)bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    dnnl_cache_program_desc_t desc = describe_number(rig.engine, 1);
    fake_opencl_set("SIZES_MS", "20");
    dnnl_cache_program_t program = create(desc);
    fake_opencl_set("SIZES_MS", NULL);
    EXPECT_GE(info_of(program).driver_ns, 20000000);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    no_limit();
    rig_close(&rig);
}

/* Its bytes cannot be counted: it is not kept while they are. */
TEST_C(ProgramCache, ProgramOfUnknownSizeIsNotKeptWithinALimit)
{
    struct rig rig;
    struct log_capture log;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(9 * one));
    EXPECT_FALSE(touch(rig.engine, 1));
    log_capture_start(&log);
    fake_opencl_set("SIZES_MS", "!-5"); /* CL_OUT_OF_RESOURCES */
    EXPECT_FALSE(touch(rig.engine, 2));
    EXPECT_EQ(1, statistics_now().program_entries);
    EXPECT_EQ(one, statistics_now().program_bytes);
    no_limit(); /* and nobody asks */
    EXPECT_FALSE(touch(rig.engine, 3));
    EXPECT_EQ(2, statistics_now().program_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(9 * one));
    EXPECT_EQ(1, statistics_now().program_entries);
    fake_opencl_set("SIZES_MS", NULL);
    EXPECT_TRUE(touch(rig.engine, 1));
    EXPECT_EQ(one, statistics_now().program_bytes);
    log_capture_stop(&log);
    no_limit();
    rig_close(&rig);
}

TEST_C(ProgramCache, LimitIsOfEachContext)
{
    struct rig rig;
    dnnl_engine_t other = NULL;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(one));
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_FALSE(touch(other, 1));
    EXPECT_EQ(2, statistics_now().program_entries);
    EXPECT_TRUE(touch(rig.engine, 1));
    EXPECT_TRUE(touch(other, 1));
    EXPECT_OK(dnnl_engine_destroy(other));
    no_limit();
    rig_close(&rig);
}

TEST_C(ProgramCache, LimitOfNothingIsOff)
{
    struct rig rig;
    rig_open(&rig, 0);
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    EXPECT_EQ(0, statistics_now().program_entries);
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_FALSE(touch(rig.engine, 1));
    no_limit();
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_TRUE(touch(rig.engine, 1));
    rig_close(&rig);
}

static void launch_on(cl_command_queue queue, cl_kernel kernel, cl_mem buffer)
{
    const float factor = 2.0f;
    const size_t size = 1;
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof factor, &factor));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size,
                                  NULL, 0, NULL, NULL));
}

static void count_launch(const struct fake_opencl_launch *launch, size_t count,
        const struct fake_opencl_arg *arguments, void *user)
{
    (void)launch;
    (void)count;
    (void)arguments;
    atomic_fetch_add((atomic_int *)user, 1);
}

TEST_C(ProgramCache, EvictedWhileExecutingLivesUntilReleased)
{
    struct rig rig;
    struct fake_opencl_objects alive;
    atomic_int launches = 0;
    cl_int error;
    cl_kernel object = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    rig_open(&rig, 0);
    cl_command_queue queue =
            clCreateCommandQueue(rig.context, rig.device, 0, &error);
    cl_mem buffer =
            clCreateBuffer(rig.context, CL_MEM_READ_WRITE, 64, NULL, &error);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_kernel_create(&kernel, desc, "scale"));
    ASSERT_OK(dnnl_cache_kernel_get_cl_kernel(kernel, &object));
    fake_opencl_set_kernel_body("scale", count_launch, &launches);
    launch_on(queue, object, buffer);

    EXPECT_OK(dnnl_cache_set_program_cache_limit(1)); /* evicts it */
    EXPECT_EQ(0, statistics_now().program_entries);
    EXPECT_EQ(0, statistics_now().kernel_entries);
    EXPECT_EQ(0, statistics_now().fast_kernel_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(1, alive.programs);
    launch_on(queue, object, buffer);
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    EXPECT_EQ(2, atomic_load(&launches));

    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_EQ(0, alive.kernels);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    no_limit();
    rig_close(&rig);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
/* A primitive of its own program, by alpha's sign or a data type. */
static bool touch_relu(dnnl_engine_t engine)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    bool hit = origin_of(primitive) == dnnl_cache_origin_memory_hit;
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return hit;
}

TEST_C(ProgramCache, EvictedProgramTakesItsPrimitivesAlong)
{
    struct rig rig;
    rig_open(&rig, 0);
    EXPECT_FALSE(touch_relu(rig.engine));
    EXPECT_TRUE(touch_relu(rig.engine));
    EXPECT_EQ(1, statistics_now().primitive_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    EXPECT_EQ(0, statistics_now().primitive_entries);
    no_limit();
    EXPECT_FALSE(touch_relu(rig.engine));
    rig_close(&rig);
}

TEST_C(ProgramCache, PrimitiveWhoseProgramHasNoRoomIsNotKept)
{
    struct rig rig;
    struct fake_opencl_objects alive;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f); /* the probe */
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    EXPECT_FALSE(touch_relu(rig.engine));
    EXPECT_EQ(0, statistics_now().primitive_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    no_limit();
    rig_close(&rig);
}

/* With no room for any program, primitives do not keep them either. */
TEST_C(ProgramCache, LimitReachesWhatOnlyPrimitivesKeep)
{
    struct rig rig;
    struct fake_opencl_objects alive;
    rig_open(&rig, 0);
    EXPECT_FALSE(touch_relu(rig.engine));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    EXPECT_FALSE(touch_relu(rig.engine));
    EXPECT_FALSE(touch_relu(rig.engine));
    EXPECT_EQ(0, statistics_now().primitive_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    no_limit();
    rig_close(&rig);
}

/* Primitives that share a program would keep its older generations alive. */
TEST_C(ProgramCache, CompiledAgainWithinALimitTheOldOneLeaves)
{
    enum { COUNT = 4 };
    struct rig rig;
    struct fake_opencl_objects alive;
    dnnl_primitive_desc_t descs[COUNT];
    dnnl_primitive_t primitive = NULL;
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    for (int i = 0; i < COUNT; i++) {
        descs[i] = relu_desc(rig.engine, 100 + i, 0.5f);
        EXPECT_OK(dnnl_primitive_create(&primitive, descs[i]));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
    }
    EXPECT_EQ(1, statistics_now().program_entries);
    uint64_t evictions = statistics_now().primitive_evictions;
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig.engine, dnnl_cache_compile_mode_recompile));
    for (int i = 0; i < COUNT; i++) {
        EXPECT_OK(dnnl_primitive_create(&primitive, descs[i]));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        EXPECT_EQ(1, statistics_now().program_entries);
        fake_opencl_live_objects(&alive);
        EXPECT_EQ(1, alive.programs);
    }
    EXPECT_EQ(evictions, statistics_now().primitive_evictions);
    for (int i = 0; i < COUNT; i++)
        EXPECT_OK(dnnl_primitive_desc_destroy(descs[i]));
    no_limit();
    rig_close(&rig);
}

/* A primitive that is found in memory is a use of its program. */
TEST_C(ProgramCache, HitsOfPrimitivesCountAsUse)
{
    struct rig rig;
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    EXPECT_FALSE(touch_relu(rig.engine));
    uint64_t relu = statistics_now().program_bytes;
    EXPECT_OK(dnnl_cache_set_program_cache_limit(relu + one));
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_TRUE(touch_relu(rig.engine));
    EXPECT_FALSE(touch(rig.engine, 2)); /* 1 left for it, not the relu's */
    EXPECT_TRUE(touch_relu(rig.engine));
    EXPECT_FALSE(touch(rig.engine, 1));
    no_limit();
    rig_close(&rig);
}
#endif

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
            EXPECT_LE(statistics_now().program_entries, NUMBERS + 1);
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

TEST_C(ProgramCache, ThreadsDoEverythingInAnyOrder)
{
    struct rig rig;
    struct log_capture log;
    struct player players[PLAYERS];
    struct fake_opencl_objects alive;
    uint64_t seed = test_seed();
    rig_open(&rig, 0);
    uint64_t one = bytes_of_one(rig.engine);
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    EXPECT_FALSE(touch_relu(rig.engine)); /* the probe */
#endif
    log_capture_start(&log);
    for (unsigned i = 0; i < PLAYERS; i++) {
        players[i] = (struct player){
                .engine = rig.engine, .one = one, .random = seed + i};
        if (pthread_create(&players[i].thread, NULL, play, &players[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < PLAYERS; i++)
        pthread_join(players[i].thread, NULL);
    log_capture_stop(&log);
    /* Nobody uses anything: what is alive is in memory, and leaves with it. */
    fake_opencl_fail("clBuildProgram", 0, 0);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    dnnl_cache_statistics_t now = statistics_now();
    EXPECT_LE(now.program_bytes, 2 * one);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(now.program_entries, alive.programs);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_EQ(0, alive.kernels);
    EXPECT_EQ(0, statistics_now().kernel_entries);
    EXPECT_EQ(0, statistics_now().fast_kernel_entries);
    no_limit();
    rig_close(&rig);
}

/* ---- The environment ----------------------------------------------------- */

static void expect_in_process(
        const char *key, const char *expected, const char *one, const char *two)
{
    const char *const environment[] = {one, two, NULL};
    struct identity process;
    identity_init(&process, environment, NULL);
    char *value = identity_value(&process, key);
    EXPECT_STR_EQ(expected, value);
    free(value);
    identity_fini(&process);
}

TEST_C(ProgramCacheEnvironment, SetsTheLimit)
{
    expect_in_process("program_limit", "none", NULL, NULL);
    expect_in_process("program_limit", "4096",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=4096", NULL);
}

TEST_C(ProgramCacheEnvironment, ThresholdOfZeroIsNoLimit)
{
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=0", NULL);
}

TEST_C(ProgramCacheEnvironment, NonsenseIsNoNumber)
{
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=-1", NULL);
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=12k", NULL);
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=99999999999999999999999",
            NULL);
    expect_in_process("program_limit", "none", "DNNL_CACHE_IN_MEM=no", NULL);
    expect_in_process("log0",
            "memory: the environment variable DNNL_CACHE_IN_MEM is no number: "
            "ignored",
            "DNNL_CACHE_IN_MEM=no", NULL);
    expect_in_process("log0",
            "memory: the environment variable "
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD is no number: ignored",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=12k", NULL);
}

/* print_ids creates a program and asks for it again. */
TEST_C(ProgramCacheEnvironment, TurnsMemoryOffAndOn)
{
    expect_in_process("program_again", "memory", NULL, NULL);
    expect_in_process("program_again", "memory", "DNNL_CACHE_IN_MEM=1", NULL);
    expect_in_process("program_again", "compiled", "DNNL_CACHE_IN_MEM=0", NULL);
    expect_in_process("program_limit", "0", "DNNL_CACHE_IN_MEM=0", NULL);
    expect_in_process("program_limit", "0", "DNNL_CACHE_IN_MEM=0",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=4096");
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_C(ProgramCacheEnvironment, TurnsThePrimitiveCacheOffUnlessItsOwnSaysElse)
{
    expect_in_process("capacity", "1024", "DNNL_CACHE_IN_MEM=1", NULL);
    expect_in_process("capacity", "0", "DNNL_CACHE_IN_MEM=0", NULL);
    expect_in_process("capacity", "7", "DNNL_CACHE_IN_MEM=0",
            "ONEDNN_PRIMITIVE_CACHE_CAPACITY=7");
}
#endif
