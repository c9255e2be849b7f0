/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hits that the driver loads when it must: what it is asked for, and when.
 */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS /* clSetProgramReleaseCallback() */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";

/* What the driver was asked to make of binaries so far in this process. */
static unsigned long loads(void)
{
    return fake_opencl_count("clCreateProgramWithBinary");
}

static const char *notes_path(void)
{
    static char path[4200];
    (void)snprintf(
            path, sizeof path, "%s/store/layer/loaded", test_directory());
    return path;
}

static void use_one(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "one", "");
    application_close(&a);
}

/* Two processes: the entry is stored, and was loaded. */
static void fill(const char *const *variables)
{
    ASSERT_EQ(0, run_application(variables, use_one, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(variables, use_one, NULL));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, access(notes_path(), R_OK));
}

static void expect_kernel_of(cl_program program)
{
    cl_int err = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "one", &err);
    EXPECT_EQ(CL_SUCCESS, err);
    if (kernel != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
}

/* How many loads the build took, and how many the first kernel. */
struct plan {
    unsigned long at_build;
    unsigned long at_kernel;
    unsigned long compiled;
};

static void make_one_kernel(void *user)
{
    const struct plan *plan = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    EXPECT_EQ(plan->at_build, loads());
    expect_kernel_of(program);
    EXPECT_EQ(plan->at_kernel, loads());
    expect_kernel_of(program);
    EXPECT_EQ(plan->at_kernel, loads());
    expect_built(program, a.devices[0], "", "one");
    EXPECT_EQ(plan->compiled, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

static struct plan lazy = {0, 1, 0};
static struct plan at_once = {1, 1, 0};

TEST_C(LayerLazy, IsLoadedAtTheFirstKernel)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(NULL, make_one_kernel, &lazy));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("unloaded_hits"));
    EXPECT_EQ(0, counted("misses"));
    EXPECT_GT(counted("saved_ns"), 0);
}

TEST_C(LayerLazy, IsOffByASetting)
{
    static const char *const off[] = {"DNNL_CACHE_LAZY=0", NULL};
    fill(NULL);
    ASSERT_EQ(0, run_application(off, make_one_kernel, &at_once));
    EXPECT_EQ(1, counted("hits"));
}

/* ---- Notes --------------------------------------------------------------- */

TEST_C(LayerLazy, WasLoadedAtOnceBefore)
{
    fill(NULL);
    ASSERT_EQ(0, unlink(notes_path()));
    ASSERT_EQ(0, run_application(NULL, make_one_kernel, &at_once));
    ASSERT_EQ(0, run_application(NULL, make_one_kernel, &lazy));
}

static void write_notes(const char *mode, const char *text)
{
    FILE *file = fopen(notes_path(), mode);
    ASSERT_TRUE(file != NULL);
    EXPECT_TRUE(fputs(text, file) >= 0);
    EXPECT_EQ(0, fclose(file));
}

TEST_C(LayerLazy, LivesWithDamagedNotes)
{
    fill(NULL);
    write_notes("w", "0123456789abcdef0123456789abcdef\nnothing at all\n");
    ASSERT_EQ(0, run_application(NULL, make_one_kernel, &at_once));
    write_notes("a", "half a line");
    ASSERT_EQ(0, run_application(NULL, make_one_kernel, &lazy));
    EXPECT_EQ(1, counted("hits"));
}

/* ---- What is not used ---------------------------------------------------- */

enum { programs = 30, used = 3 };

static void use_few_of_many(void *user)
{
    const struct plan *plan = user;
    struct application a;
    cl_program all[programs];
    application_open(&a, 1);
    for (int i = 0; i < programs; i++) {
        char text[128];
        (void)snprintf(text, sizeof text,
                "kernel void one(global float *x) { *x = %d.0f; }", i);
        all[i] = program_of_source(&a, text);
        build(all[i], "");
    }
    EXPECT_EQ(plan->at_build, loads());
    for (int i = 0; i < used; i++)
        expect_kernel_of(all[i]);
    EXPECT_EQ(plan->at_kernel, loads());
    for (int i = 0; i < programs; i++)
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(all[i]));
    EXPECT_EQ(plan->compiled, source_builds(&a));
    EXPECT_EQ(plan->at_kernel, loads());
    application_close(&a);
}

TEST_C(LayerLazy, ThatIsNeverUsedIsNeverLoaded)
{
    static struct plan plans[] = {
            {0, 0, programs}, {programs, programs, 0}, {0, used, 0}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        ASSERT_EQ(0, run_application(NULL, use_few_of_many, &plans[i]));
    EXPECT_EQ(programs, counted("hits"));
    EXPECT_EQ(programs - used, counted("unloaded_hits"));
    EXPECT_EQ(0, counted("kept"));
}

static void include_a_file(void *user)
{
    const struct plan *plan = user;
    struct application a;
    char options[4200];
    (void)snprintf(options, sizeof options, "-I%s", test_directory());
    application_open(&a, 1);
    cl_program program = program_of_source(&a,
            "#if 0\n#include \"some.h\"\n#endif\n"
            "kernel void one(global float *x) { *x = 1.0f; }");
    build(program, options);
    EXPECT_EQ(plan->at_build, loads());
    expect_kernel_of(program);
    EXPECT_EQ(plan->compiled, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, IncludesNothing)
{
    static struct plan compiled = {0, 0, 1};
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/some.h", test_directory());
    FILE *file = fopen(path, "w");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(0, fclose(file));
    ASSERT_EQ(0, run_application(NULL, include_a_file, &compiled));
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(0, run_application(NULL, include_a_file, &at_once));
}

/* ---- Queries ------------------------------------------------------------- */

/* What a program answers, in one text, without being loaded. */
static void ask(char *text, size_t size, cl_program program, cl_device_id of)
{
    static const cl_program_info infos[] = {CL_PROGRAM_REFERENCE_COUNT,
            CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES};
    static const cl_program_build_info builds[] = {CL_PROGRAM_BUILD_STATUS,
            CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_LOG,
            CL_PROGRAM_BINARY_TYPE};
    unsigned char value[256];
    size_t at = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < 7; i++) {
        memset(value, 0, sizeof value);
        const cl_int err =
                i < 3 ? clGetProgramInfo(
                        program, infos[i], sizeof value, value, &bytes)
                      : clGetProgramBuildInfo(program, of, builds[i - 3],
                              sizeof value, value, &bytes);
        at += (size_t)snprintf(
                text + at, size - at, "%d %zu ", (int)err, bytes);
        for (size_t k = 0; k < bytes && k < sizeof value; k++)
            at += (size_t)snprintf(text + at, size - at, "%02x", value[k]);
    }
}

static void ask_before_and_after(void *user)
{
    static char before[8192];
    static char after[8192];
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    ask(before, sizeof before, program, a.devices[0]);
    EXPECT_EQ(0, loads());
    expect_kernel_of(program);
    EXPECT_EQ(1, loads());
    ask(after, sizeof after, program, a.devices[0]);
    EXPECT_STR_EQ(after, before);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, AnswersAsTheLoadedProgram)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(NULL, ask_before_and_after, NULL));
}

/* ---- What loads at once -------------------------------------------------- */

static void CL_CALLBACK ignore(cl_program program, void *user)
{
    (void)program;
    (void)user;
}

static void all_kernels(const struct application *a, cl_program program)
{
    cl_uint count = 0;
    (void)a;
    EXPECT_EQ(CL_SUCCESS, clCreateKernelsInProgram(program, 0, NULL, &count));
    EXPECT_EQ(1, count);
}

static void global_bytes(const struct application *a, cl_program program)
{
    size_t bytes = 0;
    (void)clGetProgramBuildInfo(program, a->devices[0],
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes,
            NULL);
}

/* Whose memory the size is asked for must be enough for the binary. */
static void binary_size(const struct application *a, cl_program program)
{
    size_t bytes = 0;
    (void)a;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof bytes, &bytes, NULL));
    EXPECT_TRUE(bytes > 0);
}

static void too_little_room(const struct application *a, cl_program program)
{
    char byte;
    (void)a;
    EXPECT_EQ(CL_INVALID_VALUE,
            clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 1, &byte, NULL));
}

static void release_callback(const struct application *a, cl_program program)
{
    (void)a;
    EXPECT_EQ(CL_SUCCESS, clSetProgramReleaseCallback(program, ignore, NULL));
}

static void unload(const struct application *a, cl_program program)
{
    cl_platform_id platform = NULL;
    (void)program;
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(a->devices[0], CL_DEVICE_PLATFORM,
                                  sizeof platform, &platform, NULL));
    EXPECT_EQ(CL_SUCCESS, clUnloadPlatformCompiler(platform));
}

static void set_constant(const struct application *a, cl_program program)
{
    const cl_uint value = 1;
    (void)a;
    EXPECT_NE(CL_SUCCESS, clSetProgramSpecializationConstant(
                                  program, 1, sizeof value, &value));
}

static void link_it(const struct application *a, cl_program program)
{
    cl_int err = CL_SUCCESS;
    cl_program linked = clLinkProgram(
            a->context, 0, NULL, "", 1, &program, NULL, NULL, &err);
    if (linked != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
}

static void compile_it(const struct application *a, cl_program program)
{
    (void)a;
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
}

static void look_up(const struct application *a, cl_program program)
{
    cl_platform_id platform = NULL;
    (void)program;
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(a->devices[0], CL_DEVICE_PLATFORM,
                                  sizeof platform, &platform, NULL));
    (void)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetDeviceGlobalVariablePointerINTEL");
}

/* The child has what the driver had loaded then. */
static void do_fork(const struct application *a, cl_program program)
{
    (void)a;
    const pid_t child = fork();
    if (child == 0) {
        cl_int err = CL_INVALID_PROGRAM;
        const unsigned long before = loads();
        cl_kernel kernel = clCreateKernel(program, "one", &err);
        _exit(kernel == NULL || err != CL_SUCCESS || loads() != before);
    }
    int status = 1;
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

static void load_by(void *user)
{
    void (*const *call)(const struct application *a, cl_program program) = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    EXPECT_EQ(0, loads());
    (*call)(&a, program);
    EXPECT_EQ(1, loads());
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, IsLoadedByWhatNeedsTheDriver)
{
    static void (*calls[])(const struct application *a, cl_program program) = {
            all_kernels, binary_size, global_bytes, too_little_room,
            release_callback, unload, set_constant, link_it, compile_it,
            look_up, do_fork};
    fill(NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        EXPECT_EQ(0, run_application(NULL, load_by, &calls[i]));
        if (test_has_failed()) printf("call %zu\n", i);
        EXPECT_EQ(0, counted("unloaded_hits"));
    }
}

/* ---- Specialization constants -------------------------------------------- */

struct il_plan {
    bool sets_late; /* another value, between the build and the kernel */
    unsigned long at_build;
    unsigned long at_end;
    unsigned long compiled;
};

static void use_il(void *user)
{
    const struct il_plan *plan = user;
    cl_uint value = 1;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_il(&a, source);
    EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(
                                  program, 5, sizeof value, &value));
    build(program, "");
    EXPECT_EQ(plan->at_build, loads());
    value = 2;
    if (plan->sets_late)
        EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(
                                      program, 5, sizeof value, &value));
    if (plan->sets_late) EXPECT_EQ(plan->at_end, loads());
    expect_kernel_of(program);
    EXPECT_EQ(plan->at_end, loads());
    EXPECT_EQ(plan->compiled, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

/* If it is refused, it is compiled with the constants that it was built with,
 * and replaces its entry. */
TEST_C(LayerLazy, IsLoadedBeforeAConstantIsSet)
{
    static struct il_plan plans[] = {{false, 0, 0, 1}, {false, 1, 1, 0},
            {true, 0, 1, 0}, {true, 0, 1, 1}, {false, 1, 1, 0}};
    static const char *const with_il[] = {
            "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
    static const char *const refusing[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0",
            "FAKE_OPENCL_REFUSED_BINARY=void one", NULL};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        EXPECT_EQ(0, run_application(
                             i == 3 ? refusing : with_il, use_il, &plans[i]));
        if (test_has_failed()) printf("process %zu\n", i);
    }
    EXPECT_EQ(1, counted("hits"));
}

/* ---- Meanwhile ----------------------------------------------------------- */

static void build_again_before_the_load(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    build(program, "-DTWO");
    EXPECT_EQ(0, loads());
    expect_built(program, a.devices[0], "-DTWO", "one");
    EXPECT_NE(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, "no option", NULL, NULL));
    build(program, "");
    expect_built(program, a.devices[0], "", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, MayBeBuiltOtherwiseBeforeTheLoad)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(NULL, build_again_before_the_load, NULL));
}

enum { threads = 8 };

static void *make_kernels(void *program)
{
    for (int i = 0; i < 8; i++) {
        char name[64];
        expect_kernel_of(program);
        EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
                                      sizeof name, name, NULL));
        EXPECT_STR_EQ("one", name);
    }
    return NULL;
}

static void make_kernels_together(void *user)
{
    const struct plan *plan = user;
    struct application a;
    pthread_t all[threads];
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    EXPECT_EQ(0, loads());
    for (int i = 0; i < threads; i++)
        ASSERT_EQ(0, pthread_create(&all[i], NULL, make_kernels, program));
    for (int i = 0; i < threads; i++)
        EXPECT_EQ(0, pthread_join(all[i], NULL));
    EXPECT_EQ(plan->at_kernel, loads());
    EXPECT_EQ(plan->compiled, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, IsLoadedOnceForAllThreads)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(NULL, make_kernels_together, &lazy));
    EXPECT_EQ(0, counted("unloaded_hits"));
}

/* Each has a reference of its own. Builds are refused while there are kernels,
 * and kernels while the driver compiles. */
static void *try_kernels(void *program)
{
    for (int i = 0; i < 4; i++) {
        cl_kernel kernel = clCreateKernel(program, "one", NULL);
        if (kernel != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    return NULL;
}

static void *try_builds(void *program)
{
    for (int i = 0; i < 4; i++) {
        const cl_int err = clBuildProgram(
                program, 0, NULL, i % 2 == 0 ? "-DTWO" : "", NULL, NULL);
        EXPECT_TRUE(err == CL_SUCCESS || err == CL_INVALID_OPERATION);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    return NULL;
}

static void *try_questions(void *program)
{
    for (int i = 0; i < 4; i++) {
        char value[256];
        (void)clGetProgramInfo(
                program, CL_PROGRAM_KERNEL_NAMES, sizeof value, value, NULL);
        (void)clGetProgramInfo(
                program, CL_PROGRAM_BINARY_SIZES, sizeof value, value, NULL);
        (void)clGetProgramInfo(
                program, CL_PROGRAM_REFERENCE_COUNT, sizeof value, value, NULL);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    return NULL;
}

static void do_all_at_once(void *user)
{
    static void *(*const work[])(void *program) = {
            try_kernels, try_kernels, try_builds, try_questions};
    enum { workers = sizeof work / sizeof *work };
    struct application a;
    (void)user;
    application_open(&a, 1);
    for (int round = 0; round < 20; round++) {
        pthread_t all[workers];
        cl_program program = program_of_source(&a, source);
        build(program, "");
        for (int i = 0; i < workers; i++) {
            EXPECT_EQ(CL_SUCCESS, clRetainProgram(program));
            ASSERT_EQ(0, pthread_create(&all[i], NULL, work[i], program));
        }
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
        for (int i = 0; i < workers; i++)
            EXPECT_EQ(0, pthread_join(all[i], NULL));
    }
    application_close(&a);
}

TEST_C(LayerLazy, MayBeBuiltAndReleasedDuringTheLoad)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(NULL, do_all_at_once, NULL));
    ASSERT_EQ(0, run_application(NULL, do_all_at_once, NULL));
}

/* ---- A load that fails --------------------------------------------------- */

static const char *const refusing[] = {
        "FAKE_OPENCL_REFUSED_BINARY=void one", NULL};
static const char *const deadly[] = {
        "FAKE_OPENCL_DEADLY_BINARY=void one", NULL};

TEST_C(LayerLazy, ThatIsRefusedIsCompiledAtTheKernel)
{
    static struct plan refused = {0, 1, 1};
    fill(NULL);
    ASSERT_EQ(0, run_application(refusing, make_one_kernel, &refused));
    EXPECT_EQ(0, counted("hits"));
    EXPECT_EQ(0, counted("unloaded_hits"));
    EXPECT_EQ(1, missed_by("refused"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, use_one, NULL));
    EXPECT_EQ(1, counted("hits"));
}

TEST_C(LayerLazy, ThatIsRefusedIsCompiledOnceForAllThreads)
{
    static struct plan refused = {0, 1, 1};
    fill(NULL);
    ASSERT_EQ(0, run_application(refusing, make_kernels_together, &refused));
    EXPECT_EQ(1, missed_by("refused"));
}

static void fork_and_refuse(void *user)
{
    struct application a;
    int status = 1;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    const pid_t child = fork();
    if (child == 0) {
        expect_kernel_of(program);
        _exit(test_has_failed());
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    expect_kernel_of(program);
    EXPECT_EQ(1, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, ThatIsRefusedBeforeAForkIsCompiledByBoth)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(refusing, fork_and_refuse, NULL));
}

TEST_C(LayerLazy, ThatKillsTwoProcessesIsCompiled)
{
    static struct plan compiled = {0, 0, 1};
    fill(NULL);
    EXPECT_EQ(died, run_application(deadly, make_one_kernel, &lazy));
    EXPECT_EQ(died, run_application(deadly, make_one_kernel, &lazy));
    ASSERT_EQ(0, run_application(deadly, make_one_kernel, &compiled));
    EXPECT_EQ(1, missed_by("died"));
}

/* The driver says what it says of a program that is not built. */
static void fail_to_load_and_to_compile(void *user)
{
    struct application a;
    cl_uint count = 0;
    cl_int err = CL_SUCCESS;
    cl_kernel kernel = NULL;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    fake_opencl_set("BUILD_ERROR", "-11");
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE,
            clCreateKernelsInProgram(program, 0, NULL, &count));
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE,
            clCreateKernelsInProgram(program, 1, &kernel, NULL));
    EXPECT_TRUE(clCreateKernel(program, "one", &err) == NULL);
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE, err);
    fake_opencl_set("BUILD_ERROR", "0");
    build(program, "");
    expect_built(program, a.devices[0], "", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLazy, ThatCannotBeCompiledEitherHasNoKernels)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(refusing, fail_to_load_and_to_compile, NULL));
}

/* A handler that runs after those of the layer. */
static cl_program used_at_exit;

static void use_at_exit(void)
{
    expect_kernel_of(used_at_exit);
    EXPECT_EQ(1, loads());
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(used_at_exit));
    if (test_has_failed()) _exit(1);
}

static void leave_for_exit(void *user)
{
    struct application a;
    (void)user;
    EXPECT_EQ(0, atexit(use_at_exit));
    application_open(&a, 1);
    used_at_exit = program_of_source(&a, source);
    build(used_at_exit, "");
    EXPECT_EQ(0, loads());
}

TEST_C(LayerLazy, IsLoadedAtExit)
{
    fill(NULL);
    ASSERT_EQ(0, run_application(NULL, leave_for_exit, NULL));
    ASSERT_EQ(0, run_application(refusing, leave_for_exit, NULL));
}
