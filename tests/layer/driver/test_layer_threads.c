/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads under the layer: 64 programs built by 8 threads, each program by
 * two of them at once, half of them with a callback. Meanwhile the capture asks
 * for binaries. ThreadSanitizer sees the layer, the library, the stores and the
 * driver.
 */
#include "application.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, PROGRAMS = 64, BUILDS = 2 * PROGRAMS };

struct worker {
    const struct application *application;
    unsigned number;
    pthread_t thread;
};

/* What a build's callback tells. */
struct notice {
    pthread_mutex_t lock; /* guards the rest; leaf */
    pthread_cond_t called;
    unsigned calls;
    cl_program program;
};

static void CL_CALLBACK note_call(cl_program program, void *user)
{
    struct notice *notice = user;
    pthread_mutex_lock(&notice->lock);
    notice->calls++;
    notice->program = program;
    pthread_cond_signal(&notice->called);
    pthread_mutex_unlock(&notice->lock);
}

static void build_with_callback(cl_program program, const char *options)
{
    struct notice notice = {
            PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL};
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, options, note_call, &notice));
    pthread_mutex_lock(&notice.lock);
    int waited = 0;
    while (notice.calls == 0 && waited == 0)
        waited = pthread_cond_timedwait(&notice.called, &notice.lock, &until);
    EXPECT_EQ(1, notice.calls);
    EXPECT_PTR_EQ(program, notice.program);
    pthread_mutex_unlock(&notice.lock);
    pthread_mutex_destroy(&notice.lock);
    pthread_cond_destroy(&notice.called);
}

/* Another reference that comes and goes, and a question that makes some
 * drivers work. */
static void ask_more(cl_program program)
{
    size_t size = 0;
    cl_uint references = 0;
    EXPECT_EQ(CL_SUCCESS, clRetainProgram(program));
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof size, &size, NULL));
    EXPECT_GT(size, 0);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
                                  sizeof references, &references, NULL));
    EXPECT_EQ(1, references);
}

static void build_one(const struct application *a, unsigned number)
{
    char kernel[32];
    char options[32];
    char source[128];
    (void)snprintf(kernel, sizeof kernel, "k%u", number);
    (void)snprintf(options, sizeof options, "-DN=%u", number);
    (void)snprintf(source, sizeof source,
            "kernel void %s(global int *x) { *x = N; }", kernel);
    cl_program program = program_of_source(a, source);
    if (number % 2 == 0)
        build_with_callback(program, options);
    else
        build(program, options);
    expect_built(program, a->devices[0], options, kernel);
    if (number % 4 < 2) ask_more(program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

/* Each program is one of two neighbours', who come to it at the same time. */
static void *build_many(void *user)
{
    const struct worker *worker = user;
    for (unsigned i = 0; i < PROGRAMS / THREADS; i++) {
        const unsigned own = worker->number;
        const unsigned next = (own + 1) % THREADS;
        build_one(worker->application, i * THREADS + own);
        build_one(worker->application, i * THREADS + next);
    }
    return NULL;
}

static void run_threads(const struct application *a)
{
    struct worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].application = a;
        workers[i].number = i;
        ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, build_many,
                             &workers[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_join(workers[i].thread, NULL));
}

static void compile_all(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    run_threads(&a);
    EXPECT_GE(source_builds(&a), PROGRAMS);
    application_close(&a);
}

static void find_all(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    run_threads(&a);
    EXPECT_EQ(0, source_builds(&a));
    application_close(&a);
}

TEST_C(LayerThreads, BuildManyPrograms)
{
    static const char *const soon[] = {"DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    ASSERT_EQ(0, run_application(soon, compile_all, NULL));
    EXPECT_EQ(BUILDS, counted("hits") + counted("misses"));
    EXPECT_GE(counted("misses"), PROGRAMS);
    EXPECT_EQ(0, counted("store_failures"));

    ASSERT_EQ(0, run_application(soon, find_all, NULL));
    EXPECT_EQ(BUILDS, counted("hits"));
    EXPECT_EQ(0, counted("misses"));
}

/* With nothing but memory to find them in, and with nothing but the disk. */
TEST_C(LayerThreads, BuildManyProgramsOnOneLevel)
{
    static const char *const memory[] = {
            "DNNL_CACHE_PERSISTENT=0", "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    static const char *const disk[] = {
            "DNNL_CACHE_IN_MEM=0", "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    ASSERT_EQ(0, run_application(memory, compile_all, NULL));
    EXPECT_EQ(BUILDS, counted("hits") + counted("misses"));
    ASSERT_EQ(0, run_application(disk, compile_all, NULL));
    ASSERT_EQ(0, run_application(disk, find_all, NULL));
    EXPECT_EQ(BUILDS, counted("disk_hits"));
}

/* ---- fork() -------------------------------------------------------------- */

static void *build_thrice(void *user)
{
    for (int i = 0; i < 3; i++)
        build_many(user);
    return NULL;
}

/* A child that ends at once, as of system(): the parent's locks are as they
 * were, and what the child inherits does not hold it up. */
static void fork_while_building(void *user)
{
    struct application a;
    struct worker workers[THREADS];
    (void)user;
    application_open(&a, 1);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.application = &a, .number = i};
        ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, build_thrice,
                             &workers[i]));
    }
    for (int i = 0; i < 40; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0) _exit(7);
        ASSERT_EQ(child, waitpid(child, &status, 0));
        EXPECT_EQ(7, WEXITSTATUS(status));
    }
    for (unsigned i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_join(workers[i].thread, NULL));
    application_close(&a);
}

TEST_C(LayerThreads, MayBuildWhileOneForks)
{
    static const char *const soon[] = {"DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    ASSERT_EQ(0, run_application(soon, fork_while_building, NULL));
    EXPECT_EQ(3 * BUILDS, counted("hits") + counted("misses"));
}

static void use_outside(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "outside", "");
    application_close(&a);
}

/* In the middle of a compilation: the child asks for the program that another
 * thread of its parent's has the driver build, which is not there, and has
 * others built. */
static int go_on_amid(const struct application *a, cl_program program)
{
    cl_build_status status = 77;
    char source[256];
    fake_opencl_block_builds(false);
    (void)clGetProgramBuildInfo(program, a->devices[0], CL_PROGRAM_BUILD_STATUS,
            sizeof status, &status, NULL);
    EXPECT_TRUE(status == CL_BUILD_NONE || status == CL_BUILD_IN_PROGRESS);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_SOURCE,
                                  sizeof source, source, NULL));
    use_program(a, "inside", "");
    return test_has_failed();
}

struct amid {
    cl_program program;
    pthread_t thread;
};

static void *build_amid(void *user)
{
    const struct amid *amid = user;
    build(amid->program, "");
    return NULL;
}

static void fork_amid_a_build(void *user)
{
    enum { most_seconds = 300 };
    struct application a;
    struct amid amid;
    int status = -1;
    (void)user;
    application_open(&a, 1);
    amid.program = program_of_source(
            &a, "kernel void outside(global float *x) { *x = 1.0f; }");
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&amid.thread, NULL, build_amid, &amid));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(most_seconds); /* instead of waiting for ever */
        _exit(go_on_amid(&a, amid.program));
    }
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    fake_opencl_block_builds(false);
    ASSERT_EQ(0, pthread_join(amid.thread, NULL));
    expect_built(amid.program, a.devices[0], "", "outside");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(amid.program));
    application_close(&a);
}

TEST_C(LayerThreads, MayForkAmidABuild)
{
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("ThreadSanitizer ends a child that starts threads");
#endif
#ifdef DNNL_CACHE_TEST_ASAN
    SKIP_TEST("its malloc() would wait in the child for a lost thread");
#endif
    ASSERT_EQ(0, run_application(NULL, fork_amid_a_build, NULL));
    ASSERT_EQ(0, run_application(NULL, use_outside, NULL));
    EXPECT_EQ(1, counted("hits"));
}

#ifdef DNNL_CACHE_TEST_ASAN
static const bool is_asan = true;
#else
static const bool is_asan = false;
#endif

/* Programs that are compiled before the fork, and then kept by another thread.
 */
static unsigned long new_before = 1;

/* A child that goes on with OpenCL, as this driver allows. What it compiles is
 * kept: its parent finds it. */
static void *fork_and_go_on_here(void *user)
{
    const struct application *a = user;
    int status = -1;
    use_program(a, "before", "");
    const pid_t child = fork();
    if (child == 0) {
        use_program(a, "before", "");
        use_program(a, "inside", "");
        exit(test_has_failed());
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    use_program(a, "inside", "");
    EXPECT_EQ(new_before, source_builds(a));
    use_program(a, "after", "");
    return NULL;
}

static void fork_and_go_on(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    fork_and_go_on_here(&a);
    application_close(&a);
}

static void use_before(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "before", "");
    application_close(&a);
}

static void fork_elsewhere_and_go_on(void *user)
{
    struct application a;
    pthread_t thread;
    (void)user;
    application_open(&a, 1);
    ASSERT_EQ(0, pthread_create(&thread, NULL, fork_and_go_on_here, &a));
    ASSERT_EQ(0, pthread_join(thread, NULL));
    application_close(&a);
}

TEST_C(LayerThreads, MayForkAChildThatGoesOn)
{
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("ThreadSanitizer ends a child that starts threads");
#endif
    if (is_asan) { /* its malloc() would wait in the child for a lost thread */
        ASSERT_EQ(0, run_application(NULL, use_before, NULL));
        new_before = 0;
    }
    ASSERT_EQ(0, run_application(NULL, fork_and_go_on, NULL));
}

TEST_C(LayerThreads, MayForkAChildThatGoesOnElsewhere)
{
#ifdef DNNL_CACHE_TEST_ASAN
    SKIP_TEST("in such a child LeakSanitizer does not see the main stack");
#endif
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("ThreadSanitizer ends a child that starts threads");
#endif
    ASSERT_EQ(0, run_application(NULL, fork_elsewhere_and_go_on, NULL));
}

/* ---- Callbacks ----------------------------------------------------------- */

struct chain {
    const struct application *application;
    atomic_uint left; /* callbacks still to come */
};

static void build_next(struct chain *chain, cl_program program);

/* Uses the program, gives it up and builds the next one, all of it on whatever
 * thread the callback comes on. */
static void CL_CALLBACK go_on(cl_program program, void *user)
{
    struct chain *chain = user;
    const unsigned left = atomic_load(&chain->left) - 1;
    expect_built(program, chain->application->devices[0], "", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    if (left > 0) {
        atomic_store(&chain->left, left);
        build_next(chain, program_of_source(chain->application,
                                  "kernel void one(global int *x) {}"));
    } else {
        atomic_store(&chain->left, 0);
    }
}

static void build_next(struct chain *chain, cl_program program)
{
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", go_on, chain));
}

static void follow_chain(void *user)
{
    const struct timespec a_while = {.tv_nsec = 1000000};
    struct application a;
    struct chain chain = {.application = &a};
    (void)user;
    application_open(&a, 1);
    atomic_init(&chain.left, 10);
    build_next(
            &chain, program_of_source(&a, "kernel void one(global int *x) {}"));
    for (int i = 0; i < 60000 && atomic_load(&chain.left) > 0; i++)
        nanosleep(&a_while, NULL);
    EXPECT_EQ(0, atomic_load(&chain.left));
    application_close(&a);
}

TEST_C(LayerThreads, MayBuildAndReleaseInCallbacks)
{
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(NULL, follow_chain, NULL));
        EXPECT_EQ(10, counted("hits") + counted("misses"));
    }
    EXPECT_EQ(10, counted("hits"));
}

/* ---- One program --------------------------------------------------------- */

static const char *const own_options[] = {"-DA", "-DB", "-DC", "-DD"};

struct rival {
    cl_program program;
    size_t number;
};

static void CL_CALLBACK note_nothing(cl_program program, void *user)
{
    (void)program;
    (void)user;
}

/* One way, and then the other; who comes too early may be refused. */
static void *build_in_turns(void *user)
{
    static const char *const name = "header";
    const struct rival *rival = user;
    for (size_t i = 0; i < 100; i++) {
        (void)clBuildProgram(rival->program, 0, NULL,
                own_options[(i + rival->number) % 4],
                i % 2 == 0 ? note_nothing : NULL, NULL);
        if (i % 5 == 0) /* the driver's alone */
            (void)clCompileProgram(rival->program, 0, NULL, "-DX", 1,
                    &rival->program, (const char **)(uintptr_t)&name, NULL,
                    NULL);
    }
    return NULL;
}

static void build_one_by_many(void *user)
{
    struct application a;
    struct rival rivals[4];
    pthread_t threads[4];
    (void)user;
    application_open(&a, 1);
    for (int round = 0; round < 20; round++) {
        char text[128];
        (void)snprintf(
                text, sizeof text, "kernel void r%d(global int *x) {}", round);
        cl_program program = program_of_source(&a, text);
        for (size_t i = 0; i < 4; i++) {
            rivals[i] = (struct rival){program, i};
            ASSERT_EQ(0, pthread_create(&threads[i], NULL, build_in_turns,
                                 &rivals[i]));
        }
        for (size_t i = 0; i < 4; i++)
            ASSERT_EQ(0, pthread_join(threads[i], NULL));
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    }
    application_close(&a);
}

/* Whatever was kept is what its name says. */
static void expect_own(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < 4; i++) {
            char kernel[16];
            char text[128];
            (void)snprintf(kernel, sizeof kernel, "r%d", round);
            (void)snprintf(text, sizeof text,
                    "kernel void %s(global int *x) {}", kernel);
            cl_program program = program_of_source(&a, text);
            build(program, own_options[i]);
            expect_built(program, a.devices[0], own_options[i], kernel);
            EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
        }
    application_close(&a);
}

TEST_C(LayerThreads, MayBuildOneProgramInDifferentWays)
{
    static const char *const quick[] = {
            "FAKE_OPENCL_BUILD_MS=0", "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    for (int i = 0; i < 6; i++) {
        ASSERT_EQ(0, run_application(quick, build_one_by_many, NULL));
        ASSERT_EQ(0, run_application(NULL, expect_own, NULL));
    }
}

/* ---- The exit ------------------------------------------------------------ */

static void *build_for_ever(void *user)
{
    const struct worker *worker = user;
    for (unsigned i = 0;; i++)
        build_one(worker->application, i % PROGRAMS);
    return NULL;
}

/* The process ends while threads are building: nothing may hang or crash. */
static void leave_while_building(void *user)
{
    static struct application a;
    static struct worker workers[THREADS];
    (void)user;
    application_open(&a, 1);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.application = &a, .number = i};
        ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, build_for_ever,
                             &workers[i]));
        ASSERT_EQ(0, pthread_detach(workers[i].thread));
    }
    const struct timespec a_while = {.tv_nsec = 50000000};
    nanosleep(&a_while, NULL);
}

TEST_C(LayerThreads, MayBuildWhenTheProcessEnds)
{
    for (int i = 0; i < 5 && !test_has_failed(); i++)
        EXPECT_EQ(0, run_application(NULL, leave_while_building, NULL));
}
