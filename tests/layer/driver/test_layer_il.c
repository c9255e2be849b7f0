/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of IL: what is compiled has the specialization constants that are
 * set then, whichever way it is built, and no entry has others than its ID. */
#include "application.h"

#include "test.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const with_il[] = {
        "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
static const char kernel[] = "kernel void one(global float *x) { *x = 1; }";

static void set_constant(cl_program program, cl_uint value)
{
    EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(
                                  program, 3, sizeof value, &value));
}

/* What the fake compiler was told is in its binary. */
static void expect_constant(cl_program program, cl_uint value)
{
    char text[64];
    size_t size = 0;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof size, &size, NULL));
    unsigned char *binary = malloc(size + 1);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                  sizeof binary, &binary, NULL));
    (void)snprintf(text, sizeof text, "-fake-spec-3=%02x000000", value);
    if (memmem(binary, size, text, strlen(text)) == NULL)
        test_fail(__FILE__, __LINE__, "the binary lacks %s", text);
    free(binary);
}

/* ---- One thread ---------------------------------------------------------- */

static void CL_CALLBACK note_end(cl_program program, void *user)
{
    (void)program;
    *(int *)user = 1;
}

static unsigned next_of(unsigned *seed)
{
    *seed = *seed * 1103515245 + 12345;
    return *seed >> 16;
}

static void walk(void *user)
{
    unsigned seed = *(unsigned *)user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_il(&a, kernel);
    cl_uint value = 0;
    set_constant(program, value);
    for (unsigned step = 0; step < 60; step++) {
        int is_over = 0;
        bool is_built = true;
        if (next_of(&seed) % 2 == 0)
            set_constant(program, value = next_of(&seed) % 5);
        switch (next_of(&seed) % 5) {
        case 0:
        case 1:
            build(program, next_of(&seed) % 2 == 0 ? "" : "-DA");
            break;
        case 2:
            EXPECT_EQ(CL_SUCCESS,
                    clBuildProgram(program, 0, NULL, "", note_end, &is_over));
            EXPECT_EQ(1, is_over);
            break;
        case 3:
            (void)clBuildProgram(
                    program, 0, NULL, "-DFAKE_BUILD_FAILURE", NULL, NULL);
            is_built = false;
            break;
        default:
            EXPECT_EQ(CL_SUCCESS,
                    clBuildProgram(program, 1, a.devices, "-DB", NULL, NULL));
            break;
        }
        if (is_built) expect_constant(program, value);
        if (next_of(&seed) % 8 == 0) {
            EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
            program = program_of_il(&a, kernel);
            set_constant(program, value);
        }
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerIl, IsCompiledWithTheConstantsThatAreSet)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        ASSERT_EQ(0, run_application(with_il, walk, &seed));
        if (test_has_failed()) break;
    }
}

/* Each in a place of the one before, which has that one's constants. */
static void build_later(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_il(&a, kernel);
    for (cl_uint value = 1; value <= 6; value++) {
        int is_over = 0;
        set_constant(program, value);
        EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "",
                                      value > 2 ? note_end : NULL,
                                      value > 2 ? &is_over : NULL));
        EXPECT_EQ(value > 2, is_over);
        expect_constant(program, value);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerIl, IsBuiltWithACallbackWithTheConstantsThatAreSet)
{
    ASSERT_EQ(0, run_application(with_il, build_later, NULL));
}

/* ---- Several threads ----------------------------------------------------- */

struct build_thread {
    cl_program program;
    bool compiles;
    pthread_t thread;
};

static void *build_in_thread(void *user)
{
    const struct build_thread *t = user;
    if (t->compiles)
        EXPECT_EQ(CL_SUCCESS, clCompileProgram(t->program, 0, NULL, "", 0, NULL,
                                      NULL, NULL, NULL));
    else
        build(t->program, "");
    return NULL;
}

static cl_program link_one(const struct application *a, cl_program object)
{
    cl_int error = CL_SUCCESS;
    cl_program program = clLinkProgram(
            a->context, 0, NULL, "", 1, &object, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return program;
}

/* Named with 1, compiled with 2; then linked, if it was compiled. */
static void set_while_it_is_built(void *user)
{
    struct build_thread t = {.compiles = *(bool *)user};
    struct application a;
    application_open(&a, 1);
    t.program = program_of_il(&a, kernel);
    set_constant(t.program, 1);
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&t.thread, NULL, build_in_thread, &t));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    set_constant(t.program, 2);
    fake_opencl_block_builds(false);
    (void)pthread_join(t.thread, NULL);
    if (t.compiles) {
        cl_program linked = link_one(&a, t.program);
        expect_constant(linked, 2);
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    } else {
        expect_constant(t.program, 2);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(t.program));
    application_close(&a);
}

static void expect_each(void *user)
{
    struct build_thread t = {.compiles = *(bool *)user};
    struct application a;
    application_open(&a, 1);
    for (cl_uint value = 1; value <= 2; value++) {
        t.program = program_of_il(&a, kernel);
        set_constant(t.program, value);
        (void)build_in_thread(&t);
        cl_program built = t.program;
        if (t.compiles) built = link_one(&a, t.program);
        expect_constant(built, value);
        if (t.compiles) EXPECT_EQ(CL_SUCCESS, clReleaseProgram(built));
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(t.program));
    }
    application_close(&a);
}

static void expect_no_wrong_entry(bool compiles)
{
    ASSERT_EQ(0, run_application(with_il, set_while_it_is_built, &compiles));
    EXPECT_EQ(0, counted("kept"));
    ASSERT_EQ(0, run_application(with_il, expect_each, &compiles));
}

TEST_C(LayerIl, IsNotKeptWithAConstantThatWasSetMeanwhile)
{
    expect_no_wrong_entry(false);
}

/* Nor is what is linked of it. */
TEST_C(LayerIl, IsNotLinkedUnderTheIdOfOtherConstants)
{
    expect_no_wrong_entry(true);
}

enum { values = 4, rounds = 300 };

static void *set_in_turns(void *user)
{
    cl_program program = user;
    for (cl_uint i = 0; i < rounds; i++)
        set_constant(program, i % values);
    return NULL;
}

/* Of two threads that set one, the driver and the layer have the same last one.
 */
static void build_after_they_were_set(void *user)
{
    struct application a;
    pthread_t threads[2];
    (void)user;
    application_open(&a, 1);
    for (int round = 0; round < 20; round++) {
        cl_program program = program_of_il(&a, kernel);
        for (int i = 0; i < 2; i++)
            ASSERT_EQ(0,
                    pthread_create(&threads[i], NULL, set_in_turns, program));
        for (int i = 0; i < 20; i++)
            build(program, "");
        for (int i = 0; i < 2; i++)
            (void)pthread_join(threads[i], NULL);
        build(program, "");
        expect_constant(program, (rounds - 1) % values);
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    }
    a.is_alone = false;
    application_close(&a);
}

static void expect_all_values(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    for (cl_uint value = 0; value < values; value++) {
        cl_program program = program_of_il(&a, kernel);
        set_constant(program, value);
        build(program, "");
        expect_constant(program, value);
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    }
    application_close(&a);
}

TEST_C(LayerIl, HasTheSameConstantsForDriverAndLayer)
{
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(0, run_application(with_il, build_after_they_were_set, NULL));
        ASSERT_EQ(0, run_application(with_il, expect_all_values, NULL));
    }
}
