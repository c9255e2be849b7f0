/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads at once: what is built once, and who waits for whom. */
#include "blob_edit.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 16, ROUNDS = 20 };

/* ---- Threads that start together ----------------------------------------- */

struct team {
    pthread_barrier_t start;
    void *(*work)(void *);
    void *arguments[THREADS];
    pthread_t threads[THREADS];
};

struct member {
    struct team *team;
    void *argument;
};

static void *begin(void *arg)
{
    struct member m = *(struct member *)arg;
    free(arg);
    pthread_barrier_wait(&m.team->start);
    return m.team->work(m.argument);
}

/* Runs work(argument) on all threads and waits for them. Arguments of
 * `size` bytes each, one behind the other. */
static void run_together(void *(*work)(void *), void *arguments, size_t size)
{
    struct team team;
    pthread_barrier_init(&team.start, NULL, THREADS);
    team.work = work;
    for (size_t i = 0; i < THREADS; i++) {
        struct member *m = malloc(sizeof *m);
        if (m == NULL) abort();
        m->team = &team;
        m->argument = (char *)arguments + i * size;
        if (pthread_create(&team.threads[i], NULL, begin, m) != 0) abort();
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(team.threads[i], NULL);
    pthread_barrier_destroy(&team.start);
}

/* What each thread asks for, and what came of it. */
struct job {
    struct rig *rig;
    size_t number;
    dnnl_cache_program_desc_t program_desc;
    dnnl_primitive_desc_t pd;
    struct bytes blob;
    dnnl_status_t status;
    dnnl_cache_program_t program;
    dnnl_primitive_t primitive;
};

static void fill_jobs(struct job jobs[THREADS], struct rig *rig)
{
    memset(jobs, 0, THREADS * sizeof jobs[0]);
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i].rig = rig;
        jobs[i].number = i;
    }
}

/* Until another thread waits for a build under way. */
static void wait_for(uint64_t (*waits)(void), uint64_t before)
{
    const struct timespec nap = {0, 1000000};
    for (int i = 0; i < 60000; i++) {
        if (waits() != before) return;
        nanosleep(&nap, NULL);
    }
    test_fail(__FILE__, __LINE__, "nobody waits");
}

static uint64_t primitive_waits(void)
{
    return rig_statistics().primitive_waits;
}

static uint64_t program_waits(void)
{
    return rig_statistics().program_waits;
}

/* ---- Identity and probe -------------------------------------------------- */

static void *ask_engine_id(void *arg)
{
    struct job *job = arg;
    job->blob = engine_id(job->rig->device);
    return NULL;
}

TEST_C(Threads, AgreeOnAnIdentity)
{
    struct rig rig;
    struct job jobs[THREADS];
    fake_opencl_set("DEVICES", "8");
    rig_open(&rig, 7);
    fill_jobs(jobs, &rig);
    run_together(ask_engine_id, jobs, sizeof jobs[0]);
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_GT(jobs[i].blob.size, 0);
        EXPECT_TRUE(bytes_equal(&jobs[0].blob, &jobs[i].blob));
    }
    /* The driver was asked once: a name takes a call for its size and one for
     * its text, and each finaliser asks whose driver it is. */
    EXPECT_LT(fake_opencl_count("clGetPlatformInfo"), 24);
    for (size_t i = 0; i < THREADS; i++)
        bytes_free(&jobs[i].blob);
    rig_close(&rig);
}

static void *ask_engine_blob(void *arg)
{
    struct job *job = arg;
    job->blob = engine_blob(job->rig->engine);
    return NULL;
}

TEST_RIG(Threads, ProbeOnce)
{
    struct job jobs[THREADS];
    fake_opencl_set("BUILD_MS", "20");
    fill_jobs(jobs, rig);
    run_together(ask_engine_blob, jobs, sizeof jobs[0]);
    EXPECT_EQ(1, fake_opencl_source_builds());
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_TRUE(bytes_equal(&jobs[0].blob, &jobs[i].blob));
        if (i > 0) bytes_free(&jobs[i].blob);
    }
    bytes_free(&jobs[0].blob);
}

/* ---- Programs ------------------------------------------------------------ */

static void *create_program(void *arg)
{
    struct job *job = arg;
    job->status = dnnl_cache_program_create(&job->program, job->program_desc);
    return NULL;
}

TEST_RIG(Threads, BuildAProgramOnce)
{
    struct job jobs[THREADS];
    fake_opencl_set("BUILD_MS", "20");
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].program_desc = describe(rig->engine, scale_source, NULL);
    run_together(create_program, jobs, sizeof jobs[0]);
    EXPECT_EQ(1, fake_opencl_source_builds());
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_OK(jobs[i].status);
        expect_kernel(jobs[i].program, "scale");
        EXPECT_OK(dnnl_cache_program_destroy(jobs[i].program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(jobs[i].program_desc));
    }
}

TEST_RIG(Threads, ShareOneProgramDescriptor)
{
    struct job jobs[THREADS];
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].program_desc = desc;
    run_together(create_program, jobs, sizeof jobs[0]);
    EXPECT_EQ(1, fake_opencl_source_builds());
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_OK(jobs[i].status);
        EXPECT_OK(dnnl_cache_program_destroy(jobs[i].program));
    }
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* All who wait for a build that fails learn how it failed. */
TEST_RIG(Threads, LearnOfABuildThatFails)
{
    struct log_capture log;
    struct job jobs[THREADS];
    fake_opencl_set("BUILD_MS", "20");
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc =
            describe(rig->engine, "FAKE_BUILD_FAILURE", NULL);
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].program_desc = desc;
    run_together(create_program, jobs, sizeof jobs[0]);
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_STATUS(dnnl_runtime_error, jobs[i].status);
        EXPECT_NULL(jobs[i].program);
    }
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void *use_program(void *arg)
{
    struct job *job = arg;
    const struct bytes *blob = &job->blob;
    for (int i = 0; i < ROUNDS; i++) {
        expect_kernel(job->program, "scale");
        struct bytes mine = program_blob(job->program);
        EXPECT_BYTES_EQ(blob->data, blob->size, mine.data, mine.size);
        bytes_free(&mine);
        struct bytes log = query_bytes(query_program_log, job->program);
        bytes_free(&log);
        EXPECT_GE(info_of(job->program).total_ns, 0);
    }
    return NULL;
}

TEST_RIG(Threads, UseOneProgram)
{
    struct job jobs[THREADS];
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    fill_jobs(jobs, rig);
    struct bytes blob = program_blob(program);
    EXPECT_GT(blob.size, 0);
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i].program = program;
        jobs[i].blob = blob;
    }
    run_together(use_program, jobs, sizeof jobs[0]);
    EXPECT_EQ(1, fake_opencl_source_builds());
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Primitives ---------------------------------------------------------- */

static void *create_primitive(void *arg)
{
    struct job *job = arg;
    job->status = dnnl_primitive_create(&job->primitive, job->pd);
    return NULL;
}

TEST_RIG(Threads, BuildAPrimitiveOnce)
{
    struct job jobs[THREADS];
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].pd = relu_desc(rig->engine, 16, 0.0f);
    unsigned long builds = fake_opencl_source_builds();
    fake_opencl_set("BUILD_MS", "20");
    run_together(create_primitive, jobs, sizeof jobs[0]);
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    size_t compiled = 0;
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_OK(jobs[i].status);
        compiled += origin_of(jobs[i].primitive) == dnnl_cache_origin_compiled;
        EXPECT_OK(dnnl_primitive_destroy(jobs[i].primitive));
        EXPECT_OK(dnnl_primitive_desc_destroy(jobs[i].pd));
    }
    EXPECT_EQ(1, compiled);
}

/* Sixteen shapes, sixteen primitives, one program. */
TEST_RIG(Threads, BuildOneProgramForManyPrimitives)
{
    struct job jobs[THREADS];
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].pd = relu_desc(rig->engine, (dnnl_dim_t)i + 1, 0.0f);
    unsigned long builds = fake_opencl_source_builds();
    fake_opencl_set("BUILD_MS", "20");
    run_together(create_primitive, jobs, sizeof jobs[0]);
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_OK(jobs[i].status);
        EXPECT_OK(dnnl_primitive_destroy(jobs[i].primitive));
        EXPECT_OK(dnnl_primitive_desc_destroy(jobs[i].pd));
    }
}

static void *ask_primitive_id(void *arg)
{
    struct job *job = arg;
    job->blob = primitive_id(job->pd);
    return NULL;
}

TEST_RIG(Threads, ShareOnePrimitiveDescriptor)
{
    struct job jobs[THREADS];
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].pd = pd;
    run_together(ask_primitive_id, jobs, sizeof jobs[0]);
    for (size_t i = 1; i < THREADS; i++) {
        EXPECT_TRUE(bytes_equal(&jobs[0].blob, &jobs[i].blob));
        bytes_free(&jobs[i].blob);
    }
    bytes_free(&jobs[0].blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

static void *execute_primitive(void *arg)
{
    struct job *job = arg;
    for (int i = 0; i < ROUNDS && job->status == dnnl_success; i++)
        job->status = run_relu(job->rig->engine, job->primitive, 16);
    return NULL;
}

TEST_RIG(Threads, ExecuteOnePrimitive)
{
    struct job jobs[THREADS];
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    fill_jobs(jobs, rig);
    for (size_t i = 0; i < THREADS; i++)
        jobs[i].primitive = primitive;
    run_together(execute_primitive, jobs, sizeof jobs[0]);
    for (size_t i = 0; i < THREADS; i++)
        EXPECT_OK(jobs[i].status);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* Hits, misses, evictions, changes of capacity and blobs, all at once. */
static void *churn(void *arg)
{
    struct job *job = arg;
    for (size_t i = 0; i < ROUNDS; i++) {
        dnnl_primitive_t primitive = NULL;
        dnnl_primitive_desc_t pd = relu_desc(job->rig->engine,
                (dnnl_dim_t)((job->number + i) % 5) + 1, 0.0f);
        EXPECT_OK(dnnl_primitive_create(&primitive, pd));
        struct bytes blob = primitive_blob(primitive);
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        if (job->number == 0)
            EXPECT_OK(dnnl_set_primitive_cache_capacity((int)(i % 4)));
        EXPECT_OK(dnnl_primitive_create_from_cache_blob(
                &primitive, pd, blob.size, blob.data));
        bytes_free(&blob);
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    }
    return NULL;
}

TEST_RIG(Threads, MayDoEverythingAtOnce)
{
    struct job jobs[THREADS];
    fill_jobs(jobs, rig);
    run_together(churn, jobs, sizeof jobs[0]);
}

/* Engines come and go on every thread, in one context and in their own. */
static void *make_engines(void *arg)
{
    struct job *job = arg;
    for (int i = 0; i < ROUNDS; i++) {
        dnnl_engine_t shared = NULL;
        dnnl_engine_t own = NULL;
        EXPECT_OK(dnnl_ocl_interop_engine_create(
                &shared, job->rig->device, job->rig->context));
        EXPECT_OK(dnnl_engine_create(&own, dnnl_gpu, 0));
        dnnl_cache_program_t program = build(shared, scale_source, NULL);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_engine_destroy(own));
        EXPECT_OK(dnnl_engine_destroy(shared));
    }
    return NULL;
}

TEST_RIG(Threads, MakeAndDestroyEngines)
{
    struct job jobs[THREADS];
    fill_jobs(jobs, rig);
    run_together(make_engines, jobs, sizeof jobs[0]);
    EXPECT_EQ(2, context_references(rig->context));
}

/* ---- A blob that fails while another thread waits ------------------------ */

/* A binary that the driver takes but cannot build once the extension is
 * there. */
static struct bytes blob_that_will_not_build(
        struct rig *rig, const struct bytes *good)
{
    struct blob_edit edit;
    dnnl_cache_program_t program = build(rig->engine,
            "#ifdef cl_fake_later\nFAKE_BUILD_FAILURE\n#endif\n"
            "__kernel void k(void) {}",
            NULL);
    struct bytes theirs = program_blob(program);
    blob_edit_open(&edit, &theirs);
    struct bytes bad = blob_with_binary(
            good, edit.programs[0].binary, edit.programs[0].binary_size);
    blob_edit_close(&edit);
    bytes_free(&theirs);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    return bad;
}

static void *create_primitive_from_blob(void *arg)
{
    struct job *job = arg;
    job->status = dnnl_primitive_create_from_cache_blob(
            &job->primitive, job->pd, job->blob.size, job->blob.data);
    return NULL;
}

/* One thread loads a blob whose binary fails; another, which has none, waits
 * for the same primitive. Its compilation is its own. */
TEST_C(Threads, DoNotSufferFromAnothersBlob)
{
    struct rig rig;
    struct log_capture log;
    struct job jobs[2];
    pthread_t threads[2];
    dnnl_primitive_t cold = NULL;
    dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&cold, pd));
    struct bytes good = primitive_blob(cold);
    EXPECT_OK(dnnl_primitive_destroy(cold));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    struct bytes bad = blob_that_will_not_build(&rig, &good);
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(rig.engine));
    ASSERT_OK(dnnl_ocl_interop_engine_create(
            &rig.engine, rig.device, rig.context));
    pd = relu_desc(rig.engine, 16, 0.0f);

    memset(jobs, 0, sizeof jobs);
    jobs[0].pd = jobs[1].pd = pd;
    jobs[0].blob = bad;
    log_capture_start(&log);
    fake_opencl_set(
            "EXTENSIONS", "cl_khr_byte_addressable_store cl_fake_later");
    EXPECT_OK(dnnl_cache_get_statistics(&before));
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&threads[0], NULL, create_primitive_from_blob,
                         &jobs[0]));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    ASSERT_EQ(0, pthread_create(&threads[1], NULL, create_primitive, &jobs[1]));
    wait_for(primitive_waits, before.primitive_waits);
    fake_opencl_block_builds(false);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    log_capture_stop(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale, jobs[0].status);
    EXPECT_NULL(jobs[0].primitive);
    EXPECT_STATUS(dnnl_success, jobs[1].status);
    ASSERT_NOT_NULL(jobs[1].primitive);
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(jobs[1].primitive));
    EXPECT_OK(dnnl_primitive_destroy(jobs[1].primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    bytes_free(&good);
    bytes_free(&bad);
    rig_close(&rig);
}

static void *create_program_from_blob(void *arg)
{
    struct job *job = arg;
    job->status = dnnl_cache_program_create_from_cache_blob(
            &job->program, job->program_desc, job->blob.size, job->blob.data);
    return NULL;
}

/* The same for programs. */
TEST_C(Threads, DoNotSufferFromAnothersProgramBlob)
{
    struct rig rig;
    struct log_capture log;
    struct job jobs[2];
    pthread_t threads[2];
    rig_open(&rig, 0);
    dnnl_cache_program_t cold = build(rig.engine, scale_source, NULL);
    struct bytes good = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    struct bytes bad = blob_that_will_not_build(&rig, &good);
    EXPECT_OK(dnnl_engine_destroy(rig.engine));
    ASSERT_OK(dnnl_ocl_interop_engine_create(
            &rig.engine, rig.device, rig.context));

    memset(jobs, 0, sizeof jobs);
    jobs[0].program_desc = describe(rig.engine, scale_source, NULL);
    jobs[1].program_desc = describe(rig.engine, scale_source, NULL);
    jobs[0].blob = bad;
    log_capture_start(&log);
    fake_opencl_set(
            "EXTENSIONS", "cl_khr_byte_addressable_store cl_fake_later");
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&threads[0], NULL, create_program_from_blob,
                         &jobs[0]));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    const uint64_t waits = program_waits();
    ASSERT_EQ(0, pthread_create(&threads[1], NULL, create_program, &jobs[1]));
    wait_for(program_waits, waits);
    fake_opencl_block_builds(false);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    log_capture_stop(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale, jobs[0].status);
    EXPECT_NULL(jobs[0].program);
    EXPECT_STATUS(dnnl_success, jobs[1].status);
    ASSERT_NOT_NULL(jobs[1].program);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(jobs[1].program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(jobs[1].program));
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_program_desc_destroy(jobs[i].program_desc));
    bytes_free(&good);
    bytes_free(&bad);
    rig_close(&rig);
}

/* A caller that must not compile does not wait for one that does. */
TEST_C(Threads, DoNotWaitForACompilationInCachedOnlyMode)
{
    struct rig rig;
    struct job job;
    pthread_t thread;
    dnnl_engine_t hasty = NULL;
    dnnl_primitive_t primitive = NULL;
    rig_open(&rig, 0);
    struct bytes facts = engine_blob(rig.engine);
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &hasty, rig.device, rig.context, facts.size, facts.data));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            hasty, dnnl_cache_compile_mode_cached_only));
    memset(&job, 0, sizeof job);
    job.pd = relu_desc(rig.engine, 16, 0.0f);
    dnnl_primitive_desc_t pd = relu_desc(hasty, 16, 0.0f);
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&thread, NULL, create_primitive, &job));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    EXPECT_STATUS(dnnl_cache_miss, dnnl_primitive_create(&primitive, pd));
    EXPECT_NULL(primitive);
    fake_opencl_block_builds(false);
    pthread_join(thread, NULL);
    EXPECT_OK(job.status);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_destroy(job.primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(job.pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_engine_destroy(hasty));
    bytes_free(&facts);
    rig_close(&rig);
}

TEST_C(Threads, DoNotWaitForAProgramInCachedOnlyMode)
{
    struct rig rig;
    struct job job;
    pthread_t thread;
    dnnl_engine_t hasty = NULL;
    dnnl_cache_program_t program = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_ocl_interop_engine_create(&hasty, rig.device, rig.context));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            hasty, dnnl_cache_compile_mode_cached_only));
    memset(&job, 0, sizeof job);
    job.program_desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_desc_t desc = describe(hasty, scale_source, NULL);
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&thread, NULL, create_program, &job));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
    EXPECT_NULL(program);
    fake_opencl_block_builds(false);
    pthread_join(thread, NULL);
    EXPECT_OK(job.status);
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(job.program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(job.program_desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(hasty));
    rig_close(&rig);
}

/* Nor if it brings the blob: while another thread is compiling, it is in the
 * driver, too. */
TEST_C(Threads, DoNotWaitForACompilationWithABlobInCachedOnlyMode)
{
    struct rig rig;
    struct job jobs[2];
    pthread_t threads[2];
    dnnl_engine_t hasty = NULL;
    dnnl_engine_t elsewhere = NULL;
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_engine_create(&elsewhere, dnnl_gpu, 0));
    dnnl_cache_program_t cold = build(elsewhere, scale_source, NULL);
    memset(jobs, 0, sizeof jobs);
    jobs[1].blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    EXPECT_OK(dnnl_engine_destroy(elsewhere));
    ASSERT_OK(dnnl_ocl_interop_engine_create(&hasty, rig.device, rig.context));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            hasty, dnnl_cache_compile_mode_cached_only));
    jobs[0].program_desc = describe(rig.engine, scale_source, NULL);
    jobs[1].program_desc = describe(hasty, scale_source, NULL);
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&threads[0], NULL, create_program, &jobs[0]));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    ASSERT_EQ(0, pthread_create(&threads[1], NULL, create_program_from_blob,
                         &jobs[1]));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(2));
    fake_opencl_block_builds(false);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_OK(jobs[i].status);
        EXPECT_OK(dnnl_cache_program_destroy(jobs[i].program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(jobs[i].program_desc));
    }
    EXPECT_OK(dnnl_engine_destroy(hasty));
    bytes_free(&jobs[1].blob);
    rig_close(&rig);
}

/* While one primitive is being built, others are created and found. */
TEST_C(Threads, BuildDifferentThingsAtTheSameTime)
{
    struct rig rig;
    struct job jobs[2];
    pthread_t threads[2];
    dnnl_primitive_t ready = NULL;
    dnnl_primitive_t again = NULL;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&ready, pd));
    memset(jobs, 0, sizeof jobs);
    jobs[0].pd = matmul_desc(rig.engine, 16);
    EXPECT_OK(try_reorder_desc(&jobs[1].pd, rig.engine, 16, dnnl_s8));
    fake_opencl_block_builds(true);
    for (size_t i = 0; i < 2; i++)
        ASSERT_EQ(0,
                pthread_create(&threads[i], NULL, create_primitive, &jobs[i]));
    /* Both are in the driver at once, and a hit does not wait for them. */
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(2));
    EXPECT_OK(dnnl_primitive_create(&again, pd));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(again));
    fake_opencl_block_builds(false);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_OK(jobs[i].status);
        EXPECT_OK(dnnl_primitive_destroy(jobs[i].primitive));
        EXPECT_OK(dnnl_primitive_desc_destroy(jobs[i].pd));
    }
    EXPECT_OK(dnnl_primitive_destroy(ready));
    EXPECT_OK(dnnl_primitive_destroy(again));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}
