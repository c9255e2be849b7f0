/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binaries that the driver refuses, dies of, or takes long to load: the
 * application gets its program, and never learns of it.
 */
#include "application.h"
#include "layer_process.h"

#include "test.h"

#include <stdio.h>

/* Uses these kernels, one program each; so many are compiled. */
struct plan {
    const char *kernels[3]; /* up to a NULL */
    unsigned long builds;   /* any_builds: no matter */
};

enum { any_builds = 99 };

static void use_all(void *user)
{
    const struct plan *plan = user;
    struct application a;
    application_open(&a, 1);
    for (size_t i = 0; i < 3 && plan->kernels[i] != NULL; i++)
        use_program(&a, plan->kernels[i], "");
    if (plan->builds != any_builds) EXPECT_EQ(plan->builds, source_builds(&a));
    application_close(&a);
}

static struct plan both_compiled = {{"good", "bad"}, 2};
static struct plan one_compiled = {{"good", "bad"}, 1};
static struct plan none_compiled = {{"good", "bad"}, 0};

/* ---- Refused ------------------------------------------------------------- */

TEST_C(LayerBinary, ThatTheDriverRefusesIsCompiledAndReplaced)
{
    static const char *const refusing[] = {
            "FAKE_OPENCL_REFUSED_BINARY=void bad", NULL};
    ASSERT_EQ(0, run_application(NULL, use_all, &both_compiled));
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(refusing, use_all, &one_compiled));
        EXPECT_EQ(1, missed_by("refused"));
        EXPECT_EQ(1, counted("hits"));
    }
    ASSERT_EQ(0, run_application(NULL, use_all, &none_compiled));
    EXPECT_EQ(2, counted("hits"));
}

/* Whatever call of the driver's fails on the layer's way: the application asked
 * for none of them. */
TEST_C(LayerBinary, ThatCannotBeLoadedIsCompiled)
{
    static const char *const failures[] = {
            "FAKE_OPENCL_FAIL=clCreateProgramWithBinary:1:-42",
            "FAKE_OPENCL_FAIL=clCreateProgramWithBinary:1:-6",
            "FAKE_OPENCL_FAIL=clBuildProgram:1:-11",
            "FAKE_OPENCL_FAIL=clBuildProgram:1:-5"};
    ASSERT_EQ(0, run_application(NULL, use_all, &both_compiled));
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        const char *const failing[] = {failures[i], NULL};
        ASSERT_EQ(0, run_application(failing, use_all, &one_compiled));
        ASSERT_EQ(0, run_application(NULL, use_all, &none_compiled));
    }
}

/* ---- Deadly -------------------------------------------------------------- */

/* The first time it is replaced: it may have been somebody's key. */
TEST_C(LayerBinary, ThatKillsTwoProcessesTwiceIsQuarantined)
{
    static const char *const deadly[] = {
            "FAKE_OPENCL_DEADLY_BINARY=void bad", NULL};
    static const char *const other_driver[] = {
            "FAKE_OPENCL_DEADLY_BINARY=void bad",
            "FAKE_OPENCL_DRIVER_VERSION=1.1", NULL};
    ASSERT_EQ(0, run_application(NULL, use_all, &both_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    ASSERT_EQ(0, run_application(deadly, use_all, &one_compiled));
    EXPECT_EQ(1, missed_by("died"));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(deadly, use_all, &one_compiled));
        EXPECT_EQ(1, missed_by("quarantined"));
        EXPECT_EQ(0, counted("kept"));
        EXPECT_EQ(1, counted("hits"));
    }
    /* Another driver's binary is another one. */
    ASSERT_EQ(0, run_application(other_driver, use_all, &both_compiled));
    EXPECT_EQ(2, counted("kept"));
}

/* Users end processes: what replaced the entry is found from then on. */
TEST_C(LayerBinary, ThatWasBeingLoadedWhenTwoProcessesEndedIsReplaced)
{
    static const char *const deadly[] = {
            "FAKE_OPENCL_DEADLY_BINARY=void bad", NULL};
    ASSERT_EQ(0, run_application(NULL, use_all, &both_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    ASSERT_EQ(0, run_application(NULL, use_all, &one_compiled));
    EXPECT_EQ(1, missed_by("died"));
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(NULL, use_all, &none_compiled));
        EXPECT_EQ(2, counted("hits"));
    }
    /* And what happened is forgotten: it takes two more. */
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    ASSERT_EQ(0, run_application(NULL, use_all, &none_compiled));
}

static struct plan any_compiled = {{"good", "bad"}, any_builds};

/* All of them find the entry to be replaced; one replacement is left. */
TEST_C(LayerBinary, IsReplacedByManyProcessesAtOnce)
{
    enum { count = 8 };
    static const char *const deadly[] = {
            "FAKE_OPENCL_DEADLY_BINARY=void bad", NULL};
    pid_t processes[count];
    ASSERT_EQ(0, run_application(NULL, use_all, &both_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
    for (int i = 0; i < count; i++)
        processes[i] = start_application(NULL, use_all, &any_compiled);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(0, layer_process_wait(processes[i]));
    ASSERT_EQ(0, run_application(NULL, use_all, &none_compiled));
    EXPECT_EQ(2, counted("hits"));
}

/* Once may be chance: a load that succeeds in between takes it back. */
TEST_C(LayerBinary, ThatKilledOneProcessIsLoadedAgain)
{
    static const char *const deadly[] = {
            "FAKE_OPENCL_DEADLY_BINARY=void bad", NULL};
    ASSERT_EQ(0, run_application(NULL, use_all, &both_compiled));
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(died, run_application(deadly, use_all, &one_compiled));
        ASSERT_EQ(0, run_application(NULL, use_all, &none_compiled));
        EXPECT_EQ(2, counted("hits"));
    }
}

/* ---- Slow ---------------------------------------------------------------- */

enum { MANY = 24, LOADS_TO_JUDGE = 8 };

/* So many programs; what is compiled is between two numbers. */
struct range {
    unsigned long least;
    unsigned long most;
};

static void use_many(void *user)
{
    const struct range *range = user;
    struct application a;
    application_open(&a, 1);
    for (int i = 0; i < MANY; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "k%d", i);
        use_program(&a, kernel, "");
    }
    EXPECT_GE(source_builds(&a), range->least);
    EXPECT_LE(source_builds(&a), range->most);
    application_close(&a);
}

static struct range all = {MANY, MANY};
static struct range none = {0, 0};

/* After eight loads that nothing disturbed it is known, and the next process
 * knows it at once. */
TEST_C(LayerBinary, ThatLoadsSlowlyIsCompiled)
{
    static const char *const slow_loads[] = {
            "FAKE_OPENCL_BUILD_MS=2", "FAKE_OPENCL_BINARY_MS=20", NULL};
    static struct range few = {0, MANY - LOADS_TO_JUDGE};
    static struct range any = {0, MANY};
    static struct range nearly_all = {MANY - 1, MANY};
    ASSERT_EQ(0, run_application(slow_loads, use_many, &all));
    for (int i = 0; i == 0 || (i < 50 && missed_by("driver_faster") == 0);
            i++) {
        ASSERT_EQ(
                0, run_application(slow_loads, use_many, i == 0 ? &few : &any));
        if (i == 0) EXPECT_GE(counted("hits"), LOADS_TO_JUDGE);
    }
    EXPECT_GT(missed_by("driver_faster"), 0);
    ASSERT_EQ(0, run_application(slow_loads, use_many, &nearly_all));
    EXPECT_GE(missed_by("driver_faster"), MANY - 1);
}

TEST_C(LayerBinary, ThatLoadsFastIsLoaded)
{
    static const char *const fast_loads[] = {
            "FAKE_OPENCL_BUILD_MS=20", "FAKE_OPENCL_BINARY_MS=2", NULL};
    ASSERT_EQ(0, run_application(fast_loads, use_many, &all));
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(fast_loads, use_many, &none));
        EXPECT_EQ(MANY, counted("hits"));
    }
}
