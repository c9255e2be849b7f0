/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that do anything in any order: make programs, build them again and
 * again, with kernels alive or given up, in vain, too, compile and link them,
 * ask, retain, release; of their own programs and of some that all share.
 * Meanwhile calls fail that only the layer makes. Each thread knows what must
 * be true of its programs. DNNL_CACHE_TEST_LONG=1 does ten times as much.
 */
#include "application.h"

#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, SLOTS = 4, SHARED = 3, KERNELS = 3, SOURCES = 6 };

/* What a thread knows of one of its programs. */
struct slot {
    cl_program program; /* NULL: none */
    unsigned source;
    bool is_built;
    bool is_compiled; /* since: it has no executable */
    unsigned options; /* of the last build */
    cl_kernel kernels[KERNELS];
};

struct chaos {
    struct application application;
    cl_program shared[SHARED];
    atomic_bool is_over;
    unsigned rounds;
};

struct worker {
    struct chaos *chaos;
    uint64_t state;
    pthread_t thread;
    struct slot slots[SLOTS];
};

static unsigned draw(struct worker *w, unsigned below)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->state >> 33) % below;
}

static const char *const all_options[] = {"", "-DA", "-DB=2"};

static const char *name_of(unsigned source)
{
    static const char *const names[SOURCES] = {"a", "b", "c", "d", "e", "f"};
    return names[source];
}

static cl_program make(const struct application *a, unsigned source)
{
    char text[128];
    (void)snprintf(text, sizeof text, "kernel void %s(global int *x) {}",
            name_of(source));
    return source % 3 == 2 ? program_of_il(a, text)
                           : program_of_source(a, text);
}

/* ---- What a thread does with one of its programs ------------------------- */

static bool has_kernels(const struct slot *s)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (s->kernels[i] != NULL) return true;
    return false;
}

static void CL_CALLBACK note_end(cl_program program, void *user)
{
    (void)program;
    atomic_store((atomic_bool *)user, true);
}

static void build_slot(struct worker *w, struct slot *s)
{
    atomic_bool has_ended = false;
    const bool calls_back = draw(w, 2) == 0;
    const unsigned options = draw(w, 3);
    const cl_int error = clBuildProgram(s->program, 0, NULL,
            all_options[options], calls_back ? note_end : NULL,
            calls_back ? &has_ended : NULL);
    if (has_kernels(s)) {
        EXPECT_EQ(CL_INVALID_OPERATION, error);
        return;
    }
    EXPECT_EQ(CL_SUCCESS, error);
    while (calls_back && error == CL_SUCCESS && !atomic_load(&has_ended))
        sched_yield();
    s->is_built = true;
    s->is_compiled = false;
    s->options = options;
}

static void fail_slot(struct worker *w, struct slot *s)
{
    (void)w;
    const cl_int error = clBuildProgram(
            s->program, 0, NULL, "-DFAKE_BUILD_FAILURE", NULL, NULL);
    if (has_kernels(s)) {
        EXPECT_EQ(CL_INVALID_OPERATION, error);
        return;
    }
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE, error);
    s->is_built = false;
    s->is_compiled = false;
}

static void compile_slot(struct worker *w, struct slot *s)
{
    (void)w;
    if (has_kernels(s)) return;
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(s->program, 0, NULL, "", 0, NULL,
                                  NULL, NULL, NULL));
    s->is_compiled = true;
}

static void link_slot(struct worker *w, struct slot *s)
{
    cl_int error = CL_SUCCESS;
    if (!s->is_compiled) return;
    cl_program linked = clLinkProgram(w->chaos->application.context, 0, NULL,
            "", 1, &s->program, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    if (linked != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
}

static void make_kernel(struct worker *w, struct slot *s)
{
    cl_int error = CL_SUCCESS;
    const unsigned i = draw(w, KERNELS);
    if (s->kernels[i] != NULL) {
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(s->kernels[i]));
        s->kernels[i] = NULL;
        return;
    }
    s->kernels[i] = clCreateKernel(s->program, name_of(s->source), &error);
    if (s->is_built && !s->is_compiled)
        EXPECT_EQ(CL_SUCCESS, error);
    else
        EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE, error);
}

static void ask(struct worker *w, struct slot *s)
{
    cl_uint references = 0;
    EXPECT_EQ(
            CL_SUCCESS, clGetProgramInfo(s->program, CL_PROGRAM_REFERENCE_COUNT,
                                sizeof references, &references, NULL));
    EXPECT_EQ(1, references);
    if (s->is_built && !s->is_compiled)
        expect_built(s->program, w->chaos->application.devices[0],
                all_options[s->options], name_of(s->source));
}

/* Its kernels live on: they are used once more when they are given up. */
static void give_up(struct worker *w, struct slot *s)
{
    (void)w;
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(s->program));
    for (size_t i = 0; i < KERNELS; i++) {
        cl_uint count = 0;
        if (s->kernels[i] == NULL) continue;
        EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(s->kernels[i], CL_KERNEL_NUM_ARGS,
                                      sizeof count, &count, NULL));
        EXPECT_EQ(1, count);
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(s->kernels[i]));
    }
    *s = (struct slot){.program = NULL};
}

static void act_on_own(struct worker *w)
{
    static void (*const actions[])(struct worker * w, struct slot * s) = {
            build_slot, build_slot, fail_slot, compile_slot, link_slot,
            make_kernel, make_kernel, make_kernel, ask, ask, give_up};
    struct slot *s = &w->slots[draw(w, SLOTS)];
    if (s->program == NULL) {
        s->source = draw(w, SOURCES);
        s->program = make(&w->chaos->application, s->source);
    } else {
        actions[draw(w, sizeof actions / sizeof actions[0])](w, s);
    }
}

/* ---- What all do with those they share ----------------------------------- */

static void act_on_shared(struct worker *w)
{
    const unsigned i = draw(w, SHARED);
    cl_program program = w->chaos->shared[i];
    EXPECT_EQ(CL_SUCCESS, clRetainProgram(program));
    expect_built(program, w->chaos->application.devices[0], "", name_of(i));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

static void *run_worker(void *user)
{
    struct worker *w = user;
    for (unsigned i = 0; i < w->chaos->rounds && !test_has_failed(); i++)
        if (draw(w, 6) == 0)
            act_on_shared(w);
        else
            act_on_own(w);
    for (size_t i = 0; i < SLOTS; i++)
        if (w->slots[i].program != NULL) give_up(w, &w->slots[i]);
    return NULL;
}

/* ---- Failures ------------------------------------------------------------ */

/* Calls that only the layer makes, on its way to a hit or to a capture. */
static void *fail_now_and_then(void *user)
{
    static const char *const functions[] = {"clCreateProgramWithBinary",
            "clCreateKernelsInProgram", "clGetKernelArgInfo",
            "clGetContextInfo"};
    struct chaos *chaos = user;
    for (unsigned i = 0; !atomic_load(&chaos->is_over); i++) {
        fake_opencl_fail(functions[i % 4], 1 + i % 3,
                i % 2 == 0 ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES);
        sched_yield();
    }
    fake_opencl_fail(functions[0], 0, 0);
    return NULL;
}

struct plan {
    uint64_t seed;
    unsigned rounds;
};

static void run_chaos(void *user)
{
    const struct plan *plan = user;
    struct chaos chaos = {.rounds = plan->rounds};
    struct worker workers[THREADS] = {{.chaos = NULL}};
    pthread_t failing;
    application_open(&chaos.application, 1);
    atomic_init(&chaos.is_over, false);
    for (unsigned i = 0; i < SHARED; i++) {
        chaos.shared[i] = make(&chaos.application, i);
        build(chaos.shared[i], "");
    }
    ASSERT_EQ(0, pthread_create(&failing, NULL, fail_now_and_then, &chaos));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].chaos = &chaos;
        workers[i].state = plan->seed + i;
        ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, run_worker,
                             &workers[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_join(workers[i].thread, NULL));
    atomic_store(&chaos.is_over, true);
    ASSERT_EQ(0, pthread_join(failing, NULL));
    for (unsigned i = 0; i < SHARED; i++)
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(chaos.shared[i]));
    application_close(&chaos.application);
}

TEST_C(LayerChaos, LeavesEveryProgramRight)
{
    static const char *const soon[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0",
            "FAKE_OPENCL_BUILD_MS=5", "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    static const char *const disk[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0",
            "FAKE_OPENCL_BUILD_MS=5", "DNNL_CACHE_CAPTURE_SECONDS=0",
            "DNNL_CACHE_IN_MEM=0", NULL};
    const bool is_long = getenv("DNNL_CACHE_TEST_LONG") != NULL;
    struct plan plan = {test_seed(), is_long ? 2000 : 200};
    for (int i = 0; i < 3 && !test_has_failed(); i++, plan.seed++) {
        EXPECT_EQ(0, run_application(i == 2 ? disk : soon, run_chaos, &plan));
        EXPECT_GT(counted("hits"), 0);
        EXPECT_GT(counted("misses"), 0);
    }
}
