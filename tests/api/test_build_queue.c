/* SPDX-License-Identifier: Apache-2.0 */
/* Background builds: in which order, how often, by whom, and what jobs are
 * told. The worker is held up in the driver, or in a callback. */
#include "in_memory.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only a failure comes near it. */
static const uint64_t minutes = 120000000000u;

enum { MOST_ENDED = 256 };

/* What callbacks were told, in their order. */
struct told {
    pthread_mutex_t lock; /* guards the rest; leaf */
    pthread_cond_t moved;
    size_t count;
    const char *names[MOST_ENDED];
    dnnl_status_t statuses[MOST_ENDED];
    pthread_t threads[MOST_ENDED];
};

/* A queue, an engine to build for, and what its callbacks were told. */
struct bench {
    struct rig rig;
    dnnl_cache_build_queue_t queue;
    struct told told;
};

/* What a callback gets. */
struct wish {
    struct bench *bench;
    const char *name;
};

static void bench_open(struct bench *b, uint32_t workers)
{
    dnnl_cache_build_queue_options_t options =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    memset(b, 0, sizeof *b);
    pthread_mutex_init(&b->told.lock, NULL);
    pthread_cond_init(&b->told.moved, NULL);
    rig_open(&b->rig, 0);
    options.workers = workers;
    EXPECT_OK(dnnl_cache_build_queue_create(&b->queue, &options));
}

static void bench_close(struct bench *b)
{
    EXPECT_OK(dnnl_cache_build_queue_destroy(b->queue));
    rig_close(&b->rig);
    pthread_cond_destroy(&b->told.moved);
    pthread_mutex_destroy(&b->told.lock);
}

static void tell(struct told *told, const char *name, dnnl_status_t status)
{
    pthread_mutex_lock(&told->lock);
    if (told->count < MOST_ENDED) {
        told->names[told->count] = name;
        told->statuses[told->count] = status;
        told->threads[told->count++] = pthread_self();
    }
    pthread_cond_broadcast(&told->moved);
    pthread_mutex_unlock(&told->lock);
}

static void await_told(struct told *told, size_t count)
{
    pthread_mutex_lock(&told->lock);
    while (told->count < count)
        pthread_cond_wait(&told->moved, &told->lock);
    pthread_mutex_unlock(&told->lock);
}

static void note_end(
        dnnl_cache_build_job_t job, dnnl_status_t status, void *user)
{
    const struct wish *wish = user;
    (void)job;
    tell(&wish->bench->told, wish->name, status);
}

static void expect_told(
        struct told *told, size_t i, const char *name, dnnl_status_t status)
{
    ASSERT_GT(told->count, i);
    EXPECT_STR_EQ(name, told->names[i]);
    EXPECT_STATUS(status, told->statuses[i]);
}

/* Submits program n. */
static dnnl_cache_build_job_t submit(
        struct bench *b, unsigned n, int priority, struct wish *wish)
{
    dnnl_cache_build_job_t job = NULL;
    dnnl_cache_program_desc_t desc = describe_number(b->rig.engine, n);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            b->queue, desc, priority, note_end, wish, &job));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return job;
}

/* Keeps all workers in the driver, with programs 9000 and on, until
 * fake_opencl_block_builds(false). */
static void occupy(struct bench *b, unsigned workers)
{
    fake_opencl_block_builds(true);
    for (unsigned i = 0; i < workers; i++) {
        dnnl_cache_program_desc_t desc =
                describe_number(b->rig.engine, 9000 + i);
        EXPECT_OK(dnnl_cache_build_queue_submit(
                b->queue, desc, 1000, NULL, NULL, NULL));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(workers));
}

static void release_all(struct bench *b)
{
    fake_opencl_block_builds(false);
    EXPECT_OK(dnnl_cache_build_queue_wait(b->queue, minutes));
}

static dnnl_cache_build_state_t state_of(dnnl_cache_build_job_t job)
{
    dnnl_cache_build_state_t state = dnnl_cache_build_waiting;
    EXPECT_OK(dnnl_cache_build_job_get_state(job, &state));
    return state;
}

static dnnl_cache_build_progress_t progress_of(struct bench *b)
{
    dnnl_cache_build_progress_t progress = {.struct_size = sizeof progress};
    EXPECT_OK(dnnl_cache_build_queue_get_progress(b->queue, &progress));
    EXPECT_EQ(progress.submitted, progress.waiting + progress.building
                                          + progress.done + progress.failed
                                          + progress.cancelled);
    return progress;
}

/* ---- Order and number ---------------------------------------------------- */

TEST_C(BuildQueue, BuildsTheMostUrgentFirst)
{
    struct bench b;
    static const int priorities[] = {0, 5, 0, -1, 5, 1, 6};
    static const unsigned programs[] = {0, 1, 2, 3, 4, 5, 3};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    static const char *const expected[] = {"c", "g", "d", "b", "e", "f", "a"};
    struct wish wishes[COUNT(names)];
    dnnl_cache_build_job_t jobs[COUNT(names)];
    bench_open(&b, 1);
    occupy(&b, 1);
    for (unsigned i = 0; i < COUNT(names); i++) {
        wishes[i] = (struct wish){&b, names[i]};
        jobs[i] = submit(&b, programs[i], priorities[i], &wishes[i]);
    }
    EXPECT_OK(dnnl_cache_build_job_set_priority(jobs[2], 7));
    EXPECT_EQ(COUNT(names), progress_of(&b).waiting);
    EXPECT_EQ(1, progress_of(&b).building);
    release_all(&b);
    EXPECT_STATUS(
            dnnl_not_required, dnnl_cache_build_job_set_priority(jobs[2], 8));
    EXPECT_EQ(COUNT(names) + 1, progress_of(&b).done);
    EXPECT_EQ(0, progress_of(&b).left_ns);
    await_told(&b.told, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        expect_told(&b.told, i, expected[i], dnnl_success);
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    bench_close(&b);
}

TEST_C(BuildQueue, HasSoManyWorkersAndNoMore)
{
    struct bench b;
    struct wish wish = {&b, "more"};
    bench_open(&b, 3);
    occupy(&b, 3);
    dnnl_cache_build_job_t job = submit(&b, 0, 0, &wish);
    EXPECT_EQ(3, progress_of(&b).building);
    EXPECT_EQ(1, progress_of(&b).waiting);
    EXPECT_EQ(3, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_build_waiting, state_of(job));
    release_all(&b);
    EXPECT_EQ(dnnl_cache_build_done, state_of(job));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
}

/* Jobs come while the build waits, and while it is under way. */
TEST_C(BuildQueue, BuildsAProgramOnceForAllItsJobs)
{
    struct bench b;
    struct wish wish = {&b, "same"};
    dnnl_cache_build_job_t jobs[4];
    cl_program objects[4];
    bench_open(&b, 1);
    occupy(&b, 1);
    jobs[0] = submit(&b, 1, 0, &wish);
    jobs[1] = submit(&b, 1, 0, &wish);
    jobs[2] = submit(&b, 2, 3, &wish); /* raised by the next */
    jobs[3] = submit(&b, 1, 4, &wish);
    release_all(&b);
    EXPECT_EQ(3, fake_opencl_source_builds());
    await_told(&b.told, 4);
    for (size_t i = 0; i < COUNT(jobs); i++) {
        dnnl_cache_program_t program = NULL;
        EXPECT_OK(dnnl_cache_build_job_wait(jobs[i], 0, &program));
        EXPECT_OK(dnnl_cache_program_get_cl_program(program, &objects[i]));
        expect_kernel(program, "scale");
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    EXPECT_PTR_EQ(objects[0], objects[1]);
    EXPECT_PTR_EQ(objects[0], objects[3]);
    EXPECT_TRUE(objects[0] != objects[2]);
    bench_close(&b);
}

TEST_C(BuildQueue, SharesABuildThatIsUnderWay)
{
    struct bench b;
    struct wish wish = {&b, "again"};
    bench_open(&b, 2);
    occupy(&b, 1);
    dnnl_cache_build_job_t job = submit(&b, 9000, 0, &wish);
    EXPECT_EQ(dnnl_cache_build_building, state_of(job));
    EXPECT_EQ(2, progress_of(&b).building);
    release_all(&b);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_EQ(2, progress_of(&b).done);
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
}

/* A program belongs to a context. */
TEST_C(BuildQueue, BuildsForEachContext)
{
    struct bench b;
    struct rig other;
    dnnl_cache_program_t programs[2] = {NULL, NULL};
    dnnl_cache_build_job_t jobs[2];
    bench_open(&b, 1);
    rig_open(&other, 0);
    occupy(&b, 1);
    dnnl_engine_t engines[] = {b.rig.engine, other.engine};
    for (size_t i = 0; i < 2; i++) {
        dnnl_cache_program_desc_t desc = describe_number(engines[i], 1);
        EXPECT_OK(dnnl_cache_build_queue_submit(
                b.queue, desc, 0, NULL, NULL, &jobs[i]));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    release_all(&b);
    EXPECT_EQ(3, fake_opencl_source_builds());
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_cache_build_job_wait(jobs[i], 0, &programs[i]));
        EXPECT_OK(dnnl_cache_program_destroy(programs[i]));
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    EXPECT_OK(dnnl_engine_destroy(other.engine));
    other.engine = NULL;
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(other.context));
    bench_close(&b);
}

/* A program that has no ID is each job's own. */
TEST_C(BuildQueue, BuildsProgramsWithoutAnId)
{
    struct bench b;
    dnnl_cache_build_job_t jobs[2];
    bench_open(&b, 1);
    dnnl_cache_program_desc_t desc = describe(
            b.rig.engine, "#include <nowhere.h>\n__kernel void k() {}\n", "");
    fake_opencl_block_builds(true);
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_build_queue_submit(
                b.queue, desc, 0, NULL, NULL, &jobs[i]));
    release_all(&b);
    EXPECT_EQ(2, fake_opencl_source_builds());
    for (size_t i = 0; i < 2; i++) {
        EXPECT_GE(state_of(jobs[i]), dnnl_cache_build_done);
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bench_close(&b);
}

/* ---- Failures ------------------------------------------------------------ */

static void expect_log(dnnl_cache_program_desc_t desc)
{
    char log[4096] = "";
    size_t size = sizeof log;
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, log));
    EXPECT_GT(size, sizeof "");
    EXPECT_GT(strlen(log), 0);
}

TEST_C(BuildQueue, TellsAFailureToItsJobsAlone)
{
    struct bench b;
    struct wish wishes[] = {{&b, "bad"}, {&b, "good"}};
    dnnl_cache_build_job_t jobs[2];
    dnnl_cache_program_desc_t descs[2];
    dnnl_cache_program_t program = NULL;
    bench_open(&b, 1);
    occupy(&b, 1);
    for (size_t i = 0; i < 2; i++) {
        descs[i] = describe(b.rig.engine, "FAKE_BUILD_FAILURE\n", "");
        EXPECT_OK(dnnl_cache_build_queue_submit(
                b.queue, descs[i], 0, note_end, &wishes[0], &jobs[i]));
    }
    dnnl_cache_build_job_t good = submit(&b, 1, -1, &wishes[1]);
    release_all(&b);
    EXPECT_EQ(3, fake_opencl_source_builds());
    await_told(&b.told, 3);
    for (size_t i = 0; i < 2; i++) {
        expect_log(descs[i]); /* before anything asks for the job */
        EXPECT_EQ(dnnl_cache_build_failed, state_of(jobs[i]));
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_build_job_wait(jobs[i], 0, &program));
        EXPECT_NULL(program);
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
        EXPECT_OK(dnnl_cache_program_desc_destroy(descs[i]));
    }
    expect_told(&b.told, 0, "bad", dnnl_runtime_error);
    expect_told(&b.told, 1, "bad", dnnl_runtime_error);
    expect_told(&b.told, 2, "good", dnnl_success);
    EXPECT_EQ(2, progress_of(&b).failed);
    EXPECT_OK(dnnl_cache_build_job_destroy(good));
    bench_close(&b);
}

TEST_C(BuildQueue, CompilesNothingInCachedOnlyMode)
{
    struct bench b;
    struct wish wish = {&b, "cached"};
    bench_open(&b, 1);
    rig_set_mode(&b.rig, dnnl_cache_compile_mode_cached_only);
    dnnl_cache_build_job_t job = submit(&b, 1, 0, &wish);
    EXPECT_STATUS(
            dnnl_cache_miss, dnnl_cache_build_job_wait(job, minutes, NULL));
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
}

/* ---- Cancelling ---------------------------------------------------------- */

TEST_C(BuildQueue, DropsWhatIsCancelledBeforeItBegins)
{
    struct bench b;
    struct wish wishes[] = {
            {&b, "dropped"}, {&b, "shared"}, {&b, "kept"}, {&b, "more urgent"}};
    dnnl_cache_program_t program = NULL;
    bench_open(&b, 1);
    occupy(&b, 1);
    dnnl_cache_build_job_t dropped = submit(&b, 1, 0, &wishes[0]);
    dnnl_cache_build_job_t shared = submit(&b, 2, 9, &wishes[1]);
    dnnl_cache_build_job_t kept = submit(&b, 2, 0, &wishes[2]);
    EXPECT_OK(dnnl_cache_build_job_destroy(submit(&b, 3, 4, &wishes[3])));
    EXPECT_OK(dnnl_cache_build_job_cancel(dropped));
    EXPECT_OK(dnnl_cache_build_job_cancel(shared));
    EXPECT_EQ(2, b.told.count); /* on this thread */
    expect_told(&b.told, 0, "dropped", dnnl_not_required);
    expect_told(&b.told, 1, "shared", dnnl_not_required);
    EXPECT_STATUS(dnnl_not_required, dnnl_cache_build_job_cancel(dropped));
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_build_job_wait(dropped, UINT64_MAX, &program));
    EXPECT_NULL(program);
    EXPECT_EQ(dnnl_cache_build_cancelled, state_of(dropped));
    EXPECT_STATUS(
            dnnl_not_required, dnnl_cache_build_job_set_priority(shared, 1));
    EXPECT_EQ(2, progress_of(&b).cancelled);
    release_all(&b);
    await_told(&b.told, 4);
    expect_told(&b.told, 2, "more urgent", dnnl_success);
    expect_told(&b.told, 3, "kept", dnnl_success);
    EXPECT_EQ(3, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_build_job_destroy(dropped));
    EXPECT_OK(dnnl_cache_build_job_destroy(shared));
    EXPECT_OK(dnnl_cache_build_job_destroy(kept));
    bench_close(&b);
}

TEST_C(BuildQueue, FinishesWhatIsCancelledUnderWay)
{
    struct bench b;
    struct wish wish = {&b, "begun"};
    bench_open(&b, 1);
    fake_opencl_block_builds(true);
    dnnl_cache_build_job_t job = submit(&b, 1, 0, &wish);
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    EXPECT_OK(dnnl_cache_build_job_cancel(job));
    EXPECT_EQ(1, b.told.count);
    expect_told(&b.told, 0, "begun", dnnl_not_required);
    EXPECT_EQ(dnnl_cache_build_cancelled, state_of(job));
    EXPECT_EQ(0, progress_of(&b).building);
    release_all(&b);
    EXPECT_EQ(dnnl_cache_build_cancelled, state_of(job));
    EXPECT_EQ(1, b.told.count);
    EXPECT_TRUE(touch(b.rig.engine, 1)); /* it is in memory */
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
}

/* ---- Waiting ------------------------------------------------------------- */

TEST_C(BuildQueue, WaitsNoLongerThanAllowed)
{
    struct bench b;
    struct wish wish = {&b, "late"};
    dnnl_cache_program_t program = NULL;
    bench_open(&b, 1);
    occupy(&b, 1);
    dnnl_cache_build_job_t job = submit(&b, 1, 0, &wish);
    EXPECT_STATUS(
            dnnl_not_required, dnnl_cache_build_job_wait(job, 0, &program));
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_build_job_wait(job, 1000000, &program));
    EXPECT_NULL(program);
    EXPECT_STATUS(dnnl_not_required, dnnl_cache_build_queue_wait(b.queue, 0));
    EXPECT_STATUS(
            dnnl_not_required, dnnl_cache_build_queue_wait(b.queue, 1000000));
    fake_opencl_block_builds(false);
    EXPECT_OK(dnnl_cache_build_job_wait(job, minutes, &program));
    expect_kernel(program, "fill");
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    EXPECT_OK(dnnl_cache_build_queue_wait(b.queue, minutes));
    bench_close(&b);
}

/* Keeps the worker in its callback, not in the driver. */
struct held {
    struct bench *bench;
    pthread_mutex_t lock; /* guards the rest; leaf */
    pthread_cond_t moved;
    bool is_there;
    bool may_go;
};

static void hold(dnnl_cache_build_job_t job, dnnl_status_t status, void *user)
{
    struct held *held = user;
    (void)job;
    (void)status;
    pthread_mutex_lock(&held->lock);
    held->is_there = true;
    pthread_cond_broadcast(&held->moved);
    while (!held->may_go)
        pthread_cond_wait(&held->moved, &held->lock);
    pthread_mutex_unlock(&held->lock);
}

static void hold_worker(struct held *held, struct bench *b)
{
    dnnl_cache_program_desc_t desc = describe_number(b->rig.engine, 9000);
    memset(held, 0, sizeof *held);
    held->bench = b;
    pthread_mutex_init(&held->lock, NULL);
    pthread_cond_init(&held->moved, NULL);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            b->queue, desc, 1000, hold, held, NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    pthread_mutex_lock(&held->lock);
    while (!held->is_there)
        pthread_cond_wait(&held->moved, &held->lock);
    pthread_mutex_unlock(&held->lock);
}

static void let_go(struct held *held)
{
    pthread_mutex_lock(&held->lock);
    held->may_go = true;
    pthread_cond_broadcast(&held->moved);
    pthread_mutex_unlock(&held->lock);
}

static void held_fini(struct held *held)
{
    pthread_cond_destroy(&held->moved);
    pthread_mutex_destroy(&held->lock);
}

/* The only worker is busy: whoever waits without a limit builds. */
TEST_C(BuildQueue, IsHelpedByThoseWhoWaitWithoutLimit)
{
    struct bench b;
    struct held held;
    struct wish wishes[] = {{&b, "first"}, {&b, "wanted"}, {&b, "last"}};
    dnnl_cache_build_job_t jobs[3];
    dnnl_cache_program_t program = NULL;
    bench_open(&b, 1);
    hold_worker(&held, &b);
    for (unsigned i = 0; i < 3; i++)
        jobs[i] = submit(&b, i, -(int)i, &wishes[i]);
    EXPECT_OK(dnnl_cache_build_job_wait(jobs[1], UINT64_MAX, &program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_EQ(dnnl_cache_build_waiting, state_of(jobs[0]));
    EXPECT_OK(dnnl_cache_build_queue_wait(b.queue, UINT64_MAX));
    static const char *const order[] = {"wanted", "first", "last"};
    for (size_t i = 0; i < 3; i++) {
        expect_told(&b.told, i, order[i], dnnl_success);
        EXPECT_TRUE(pthread_equal(b.told.threads[i], pthread_self()));
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    let_go(&held);
    bench_close(&b);
    held_fini(&held);
}

/* ---- Those who create meanwhile ------------------------------------------ */

static void *create_9000(void *arg)
{
    struct bench *b = arg;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc = describe_number(b->rig.engine, 9000);
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return NULL;
}

TEST_C(BuildQueue, SharesItsBuildsWithThoseWhoCreate)
{
    struct bench b;
    pthread_t thread;
    const struct timespec nap = {0, 1000000};
    bench_open(&b, 1);
    const uint64_t waits = rig_statistics().program_waits;
    occupy(&b, 1);
    if (pthread_create(&thread, NULL, create_9000, &b) != 0) abort();
    while (rig_statistics().program_waits == waits)
        nanosleep(&nap, NULL);
    fake_opencl_block_builds(false);
    pthread_join(thread, NULL);
    EXPECT_EQ(1, fake_opencl_source_builds());
    bench_close(&b);
}

TEST_C(BuildQueue, FindsWhatWasCreatedMeanwhile)
{
    struct bench b;
    struct held held;
    struct wish wish = {&b, "found"};
    dnnl_cache_program_t program = NULL;
    bench_open(&b, 1);
    hold_worker(&held, &b);
    dnnl_cache_build_job_t job = submit(&b, 1, 0, &wish);
    EXPECT_FALSE(touch(b.rig.engine, 1));
    EXPECT_EQ(dnnl_cache_build_waiting, state_of(job));
    let_go(&held);
    EXPECT_OK(dnnl_cache_build_job_wait(job, minutes, &program));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(program).origin);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
    held_fini(&held);
}

TEST_C(BuildQueue, LoadsWhatTheStoreHas)
{
    struct bench b;
    struct wish wish = {&b, "stored"};
    struct memory_store store;
    dnnl_cache_program_t program = NULL;
    memory_store_open(&store);
    bench_open(&b, 2);
    EXPECT_OK(dnnl_cache_engine_set_store(b.rig.engine, &store.callbacks));
    dnnl_cache_build_job_t job = submit(&b, 1, 0, &wish);
    EXPECT_OK(dnnl_cache_build_job_wait(job, minutes, &program));
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    EXPECT_OK(dnnl_cache_build_queue_wait(b.queue, minutes));
    await_told(&b.told, 1);
    EXPECT_OK(dnnl_cache_build_queue_destroy(b.queue));
    rig_close(&b.rig);

    rig_open(&b.rig, 0);
    EXPECT_OK(dnnl_cache_build_queue_create(&b.queue, NULL));
    EXPECT_OK(dnnl_cache_engine_set_store(b.rig.engine, &store.callbacks));
    job = submit(&b, 1, 0, &wish);
    program = NULL;
    EXPECT_OK(dnnl_cache_build_job_wait(job, minutes, &program));
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
    memory_store_close(&store);
}

/* ---- Callbacks ----------------------------------------------------------- */

struct chain {
    struct bench *bench;
    unsigned next;
};

static void go_on(dnnl_cache_build_job_t job, dnnl_status_t status, void *user)
{
    enum { links = 5 };
    struct chain *chain = user;
    dnnl_cache_program_t program = NULL;
    EXPECT_OK(status);
    EXPECT_OK(dnnl_cache_build_job_wait(job, 0, &program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    tell(&chain->bench->told, "link", status);
    if (++chain->next == links) return;
    dnnl_cache_program_desc_t desc =
            describe_number(chain->bench->rig.engine, chain->next);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            chain->bench->queue, desc, 0, go_on, chain, NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_C(BuildQueue, TakesJobsFromCallbacks)
{
    struct bench b;
    struct chain chain = {&b, 0};
    bench_open(&b, 1);
    dnnl_cache_program_desc_t desc = describe_number(b.rig.engine, 0);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            b.queue, desc, 0, go_on, &chain, NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    await_told(&b.told, 5);
    EXPECT_EQ(5, fake_opencl_source_builds());
    bench_close(&b);
}

/* The only worker waits for another job, and may not destroy the queue. */
static void wait_for_another(
        dnnl_cache_build_job_t job, dnnl_status_t status, void *user)
{
    struct wish *wish = user;
    struct wish inner = {wish->bench, "inner"};
    (void)job;
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_build_queue_destroy(wish->bench->queue));
    dnnl_cache_build_job_t other = submit(wish->bench, 2, 0, &inner);
    EXPECT_OK(dnnl_cache_build_job_wait(other, UINT64_MAX, NULL));
    EXPECT_OK(dnnl_cache_build_job_destroy(other));
    EXPECT_OK(dnnl_cache_build_queue_wait(wish->bench->queue, UINT64_MAX));
    tell(&wish->bench->told, wish->name, status);
}

TEST_C(BuildQueue, MayBeWaitedForInCallbacks)
{
    struct bench b;
    struct wish wish = {&b, "outer"};
    bench_open(&b, 1);
    dnnl_cache_program_desc_t desc = describe_number(b.rig.engine, 1);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            b.queue, desc, 0, wait_for_another, &wish, NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    await_told(&b.told, 2);
    expect_told(&b.told, 0, "inner", dnnl_success);
    expect_told(&b.told, 1, "outer", dnnl_success);
    bench_close(&b);
}

/* While the store is asked for a program, the job's builder waits for that very
 * call. */
struct circle {
    struct bench *bench;
    dnnl_cache_build_job_t job;
    dnnl_status_t status;
    uint64_t waits; /* before the worker began */
    bool is_inside;
};

static void wait_in_store(enum memory_store_place place, void *arg)
{
    struct circle *circle = arg;
    const struct timespec nap = {0, 1000000};
    if (place != memory_store_asked || circle->is_inside) return;
    circle->is_inside = true;
    dnnl_cache_program_desc_t desc =
            describe_number(circle->bench->rig.engine, 1);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            circle->bench->queue, desc, 0, NULL, NULL, &circle->job));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    while (rig_statistics().program_waits == circle->waits)
        nanosleep(&nap, NULL);
    circle->status = dnnl_cache_build_job_wait(circle->job, UINT64_MAX, NULL);
}

/* Whichever of the two waits first: the other builds for itself, or is refused.
 */
TEST_C(BuildQueue, EndsWaitsInACircle)
{
    struct bench b;
    struct memory_store store;
    bench_open(&b, 1);
    memory_store_open(&store);
    struct circle circle = {.bench = &b, .status = dnnl_success};
    circle.waits = rig_statistics().program_waits;
    store.hook = wait_in_store;
    store.hook_arg = &circle;
    EXPECT_OK(dnnl_cache_engine_set_store(b.rig.engine, &store.callbacks));
    EXPECT_FALSE(touch(b.rig.engine, 1));
    if (circle.status != dnnl_success)
        EXPECT_STATUS(dnnl_runtime_error, circle.status);
    EXPECT_OK(dnnl_cache_build_job_wait(circle.job, minutes, NULL));
    EXPECT_EQ(
            circle.status == dnnl_success ? 2 : 1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_build_job_destroy(circle.job));
    store.hook = NULL;
    bench_close(&b);
    memory_store_close(&store);
}

static void count_progress(
        const dnnl_cache_build_progress_t *progress, void *user)
{
    struct bench *b = user;
    EXPECT_EQ(sizeof *progress, progress->struct_size);
    if (progress->waiting > 0) EXPECT_GT(progress->left_ns, 0);
    tell(&b->told, "progress", dnnl_success);
}

TEST_C(BuildQueue, TellsItsProgress)
{
    struct bench b;
    dnnl_cache_build_queue_options_t options =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    bench_open(&b, 1);
    EXPECT_OK(dnnl_cache_build_queue_destroy(b.queue));
    options.workers = 1;
    options.progress = count_progress;
    options.user = &b;
    EXPECT_OK(dnnl_cache_build_queue_create(&b.queue, &options));
    struct wish wishes[] = {{&b, "a"}, {&b, "b"}};
    for (unsigned i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_build_job_destroy(submit(&b, i, 0, &wishes[i])));
    await_told(&b.told, 4);
    expect_told(&b.told, 0, "a", dnnl_success);
    expect_told(&b.told, 1, "progress", dnnl_success);
    expect_told(&b.told, 2, "b", dnnl_success);
    bench_close(&b);
}

/* ---- The end ------------------------------------------------------------- */

static void *destroy_queue(void *arg)
{
    struct bench *b = arg;
    EXPECT_OK(dnnl_cache_build_queue_destroy(b->queue));
    return NULL;
}

TEST_C(BuildQueue, MayBeDestroyedWhileItBuilds)
{
    struct bench b;
    pthread_t thread;
    struct wish wishes[] = {{&b, "built"}, {&b, "left"}};
    dnnl_cache_program_t program = NULL;
    bench_open(&b, 1);
    fake_opencl_block_builds(true);
    dnnl_cache_build_job_t built = submit(&b, 1, 0, &wishes[0]);
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    dnnl_cache_build_job_t left = submit(&b, 2, 0, &wishes[1]);
    EXPECT_OK(dnnl_cache_build_job_destroy(submit(&b, 3, 0, &wishes[1])));
    if (pthread_create(&thread, NULL, destroy_queue, &b) != 0) abort();
    await_told(&b.told, 2);
    expect_told(&b.told, 0, "left", dnnl_not_required);
    expect_told(&b.told, 1, "left", dnnl_not_required);
    fake_opencl_block_builds(false);
    pthread_join(thread, NULL);
    expect_told(&b.told, 2, "built", dnnl_success);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_build_job_wait(built, UINT64_MAX, &program));
    expect_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_build_job_wait(left, UINT64_MAX, NULL));
    EXPECT_OK(dnnl_cache_build_job_destroy(built));
    EXPECT_OK(dnnl_cache_build_job_destroy(left));
    b.queue = NULL;
    bench_close(&b);
}

/* While it is being destroyed, a callback cannot submit. */
static void submit_too_late(
        dnnl_cache_build_job_t job, dnnl_status_t status, void *user)
{
    struct wish *wish = user;
    dnnl_cache_build_job_t none = NULL;
    dnnl_cache_program_desc_t desc =
            describe_number(wish->bench->rig.engine, 7);
    (void)job;
    EXPECT_STATUS(dnnl_not_required, status);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_build_queue_submit(
                    wish->bench->queue, desc, 0, note_end, user, &none));
    EXPECT_NULL(none);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    tell(&wish->bench->told, wish->name, status);
}

TEST_C(BuildQueue, TakesNoJobsWhileItIsDestroyed)
{
    struct bench b;
    struct held held;
    pthread_t thread;
    struct wish wish = {&b, "late"};
    bench_open(&b, 1);
    hold_worker(&held, &b);
    dnnl_cache_program_desc_t desc = describe_number(b.rig.engine, 1);
    EXPECT_OK(dnnl_cache_build_queue_submit(
            b.queue, desc, 0, submit_too_late, &wish, NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    if (pthread_create(&thread, NULL, destroy_queue, &b) != 0) abort();
    await_told(&b.told, 1);
    let_go(&held);
    pthread_join(thread, NULL);
    EXPECT_EQ(1, b.told.count);
    b.queue = NULL;
    bench_close(&b);
    held_fini(&held);
}

/* The child has the queue, but not its workers; a lock of it may be held. */
static int use_in_child(struct bench *b, dnnl_cache_build_job_t job,
        dnnl_cache_program_desc_t desc)
{
    dnnl_cache_build_state_t state;
    dnnl_cache_build_progress_t progress = {.struct_size = sizeof progress};
    const dnnl_status_t statuses[] = {
            dnnl_cache_build_queue_submit(b->queue, desc, 0, NULL, NULL, NULL),
            dnnl_cache_build_queue_wait(b->queue, UINT64_MAX),
            dnnl_cache_build_queue_get_progress(b->queue, &progress),
            dnnl_cache_build_job_wait(job, UINT64_MAX, NULL),
            dnnl_cache_build_job_get_state(job, &state),
            dnnl_cache_build_job_set_priority(job, 1),
            dnnl_cache_build_job_cancel(job)};
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i] != dnnl_runtime_error) return 1 + (int)i;
    if (dnnl_cache_build_job_destroy(job) != dnnl_success) return 100;
    return dnnl_cache_build_queue_destroy(b->queue) == dnnl_success ? 0 : 101;
}

TEST_C(BuildQueue, IsTheParentsInAChild)
{
    struct bench b;
    struct wish wish = {&b, "parent's"};
    int status = -1;
    bench_open(&b, 1);
    occupy(&b, 1);
    dnnl_cache_build_job_t job = submit(&b, 1, 0, &wish);
    dnnl_cache_program_desc_t desc = describe_number(b.rig.engine, 2);
    const pid_t child = fork();
    if (child == 0) _exit(use_in_child(&b, job, desc));
    ASSERT_GT(child, 0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    release_all(&b);
    EXPECT_EQ(dnnl_cache_build_done, state_of(job));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    bench_close(&b);
}

/* ---- Many threads -------------------------------------------------------- */

enum { SUBMITTERS = 8, JOBS = 100, PROGRAMS = 25 };

struct submitter {
    pthread_t thread;
    struct bench *bench;
    unsigned first;
    atomic_uint *ended;
};

static void count_end(
        dnnl_cache_build_job_t job, dnnl_status_t status, void *user)
{
    const struct submitter *s = user;
    (void)job;
    EXPECT_TRUE(status == dnnl_success || status == dnnl_not_required);
    atomic_fetch_add(s->ended, 1);
}

/* Every eighth job is cancelled, others are waited for, or raised, or left. */
static void *submit_some(void *arg)
{
    struct submitter *s = arg;
    for (unsigned i = s->first; i < JOBS; i += SUBMITTERS) {
        dnnl_cache_build_job_t job = NULL;
        dnnl_cache_program_desc_t desc =
                describe_number(s->bench->rig.engine, i % PROGRAMS);
        EXPECT_OK(dnnl_cache_build_queue_submit(
                s->bench->queue, desc, (int)(i % 3), count_end, s, &job));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        if (s->first == 0)
            (void)dnnl_cache_build_job_cancel(job);
        else if (s->first < 3)
            EXPECT_OK(dnnl_cache_build_job_wait(
                    job, s->first == 1 ? minutes : UINT64_MAX, NULL));
        else if (s->first == 3)
            (void)dnnl_cache_build_job_set_priority(job, 9);
        EXPECT_OK(dnnl_cache_build_job_destroy(job));
    }
    return NULL;
}

TEST_C(BuildQueue, ServesManyThreads)
{
    struct bench b;
    atomic_uint ended = 0;
    struct submitter submitters[SUBMITTERS];
    bench_open(&b, 3);
    for (unsigned i = 0; i < SUBMITTERS; i++) {
        submitters[i] =
                (struct submitter){.bench = &b, .first = i, .ended = &ended};
        if (pthread_create(
                    &submitters[i].thread, NULL, submit_some, &submitters[i])
                != 0)
            abort();
    }
    for (unsigned i = 0; i < SUBMITTERS; i++)
        pthread_join(submitters[i].thread, NULL);
    EXPECT_OK(dnnl_cache_build_queue_wait(b.queue, UINT64_MAX));
    const dnnl_cache_build_progress_t progress = progress_of(&b);
    EXPECT_EQ(JOBS, progress.submitted);
    EXPECT_EQ(0, progress.failed);
    EXPECT_EQ(JOBS, progress.done + progress.cancelled);
    EXPECT_LE(fake_opencl_source_builds(), PROGRAMS);
    EXPECT_OK(dnnl_cache_build_queue_destroy(b.queue));
    EXPECT_EQ(JOBS, atomic_load(&ended));
    b.queue = NULL;
    bench_close(&b);
}

/* ---- Arguments ----------------------------------------------------------- */

TEST_C(BuildQueue, RefusesWrongArguments)
{
    struct bench b;
    dnnl_cache_build_queue_t none = NULL;
    dnnl_cache_build_job_t job = NULL;
    dnnl_cache_build_state_t state;
    dnnl_cache_build_queue_options_t options =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    dnnl_cache_build_progress_t progress = {0};
    bench_open(&b, 0);
    dnnl_cache_program_desc_t desc = describe_number(b.rig.engine, 1);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_create(NULL, &options));
    options.workers = DNNL_CACHE_MAX_BUILD_WORKERS + 1;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_create(&none, &options));
    options.workers = 1;
    options.struct_size--;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_create(&none, &options));
    EXPECT_NULL(none);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_submit(NULL, desc, 0, NULL, NULL, &job));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_submit(b.queue, NULL, 0, NULL, NULL, &job));
    EXPECT_NULL(job);
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_build_queue_wait(NULL, 0));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_get_progress(NULL, &progress));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_get_progress(b.queue, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_queue_get_progress(b.queue, &progress));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_build_job_wait(NULL, 0, NULL));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_build_job_set_priority(NULL, 0));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_build_job_cancel(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_build_job_get_state(NULL, &state));
    EXPECT_OK(dnnl_cache_build_job_destroy(NULL));
    EXPECT_OK(dnnl_cache_build_queue_destroy(NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bench_close(&b);
}
