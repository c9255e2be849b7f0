/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DNNL_CACHE_FAILED_BUILDS=1: a build that fails each time, for an error of its
 * source, is answered without the driver, and as by the driver.
 */
#include "application.h"

#include "failed_records.h"
#include "layer_process.h"
#include "test.h"

#include <dnnl_cache/store.h>

#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ON "DNNL_CACHE_FAILED_BUILDS=1"
#define PLACE "FAKE_OPENCL_ERROR_PLACE="
#define MODE "DNNL_CACHE_COMPILE_MODE="

enum { path_size = 700, text_size = 16384, minute = 61, week = 7 * 86400 + 1 };

static const char wrong[] = "#ifndef RIGHT\n#error no such thing\n#endif\n"
                            "kernel void one(global float *x) { *x = 1.0f; }";

static const char *const on[] = {ON, PLACE "input.cl:2:2: ", NULL};

static const char *store_path(void)
{
    static char path[path_size];
    (void)snprintf(path, sizeof path, "%s/store", test_directory());
    return path;
}

static void age(uint64_t seconds)
{
    EXPECT_GE(failed_records_age(store_path(), seconds), 1);
}

/* ---- What a program answers ---------------------------------------------- */

/* One answer a line. */
struct notes {
    char text[text_size];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void note(
        struct notes *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(notes->text + notes->size, text_size - notes->size,
            format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < text_size - notes->size) notes->size += (size_t)n;
}

static void note_bytes(struct notes *notes, const char *what, cl_int error,
        size_t size, const unsigned char *bytes, size_t room)
{
    note(notes, "%s: %d, %zu:", what, error, size);
    for (size_t i = 0; error == CL_SUCCESS && i < size && i < room; i++)
        note(notes, " %02x", bytes[i]);
    note(notes, "\n");
}

static void ask_build(struct notes *notes, cl_program program,
        cl_device_id device, cl_program_build_info what, const char *name)
{
    unsigned char bytes[512] = {0};
    size_t size = 77;
    cl_int error = clGetProgramBuildInfo(
            program, device, what, sizeof bytes, bytes, &size);
    note_bytes(notes, name, error, size, bytes, sizeof bytes);
    error = clGetProgramBuildInfo(program, device, what, 1, bytes, NULL);
    note(notes, "%s, too little room: %d\n", name, error);
    error = clGetProgramBuildInfo(program, device, what, 0, NULL, &size);
    note(notes, "%s, its size: %d, %zu\n", name, error, size);
}

/* What a record answers, and nothing else. */
static void ask_recorded(
        struct notes *notes, const struct application *a, cl_program program)
{
    unsigned char bytes[512] = {0};
    size_t size = 77;
    cl_uint count = 77;
    cl_int error = 77;
    for (cl_uint i = 0; i < a->device_count; i++) {
        cl_device_id device = a->devices[i];
        ask_build(notes, program, device, CL_PROGRAM_BUILD_STATUS, "status");
        ask_build(notes, program, device, CL_PROGRAM_BUILD_OPTIONS, "options");
        ask_build(notes, program, device, CL_PROGRAM_BUILD_LOG, "log");
        ask_build(notes, program, device, CL_PROGRAM_BINARY_TYPE, "type");
        ask_build(notes, program, device,
                CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, "globals");
    }
    error = clGetProgramInfo(
            program, CL_PROGRAM_NUM_KERNELS, sizeof bytes, bytes, &size);
    note_bytes(notes, "number", error, size, bytes, sizeof bytes);
    error = clGetProgramInfo(
            program, CL_PROGRAM_KERNEL_NAMES, sizeof bytes, bytes, &size);
    note_bytes(notes, "names", error, size, bytes, sizeof bytes);
    cl_kernel kernel = clCreateKernel(program, "one", &error);
    note(notes, "kernel: %d, %d\n", error, kernel != NULL);
    if (kernel != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    kernel = clCreateKernel(program, "none", NULL);
    note(notes, "another: %d\n", kernel != NULL);
    error = clCreateKernelsInProgram(program, 0, NULL, &count);
    note(notes, "kernels: %d, %u\n", error, count);
    error = clGetProgramInfo(
            program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL);
    note(notes, "references: %d, %u\n", error, count);
    error = clGetProgramInfo(
            program, CL_PROGRAM_SOURCE, sizeof bytes, bytes, &size);
    note_bytes(notes, "source", error, size, bytes, sizeof bytes);
}

/* Where one is written to that is to be compared. */
static const char *notes_path(bool is_plain)
{
    static char path[path_size];
    (void)snprintf(path, sizeof path, "%s/%s", test_directory(),
            is_plain ? "plain" : "layered");
    return path;
}

static void write_notes(const struct notes *notes)
{
    const char *layers = getenv("OPENCL_LAYERS");
    const bool is_plain = layers == NULL || layers[0] == '\0';
    FILE *file = fopen(notes_path(is_plain), "we");
    EXPECT_NOT_NULL(file);
    if (file == NULL) return;
    EXPECT_EQ(notes->size, fwrite(notes->text, 1, notes->size, file));
    EXPECT_EQ(0, fclose(file));
}

static void expect_same_notes(void)
{
    char *plain = layer_process_read_file(notes_path(true));
    char *layered = layer_process_read_file(notes_path(false));
    EXPECT_NOT_NULL(plain);
    EXPECT_NOT_NULL(layered);
    if (plain != NULL && layered != NULL) EXPECT_STR_EQ(plain, layered);
    free(plain);
    free(layered);
}

/* ---- Applications -------------------------------------------------------- */

/* Fails to build a program, and asks what of it a record tells. */
static void fail(void *user)
{
    const cl_uint *devices = user;
    struct application a;
    static struct notes notes;
    application_open(&a, devices != NULL ? *devices : 1);
    notes.size = 0;
    cl_program program = program_of_source(&a, wrong);
    note(&notes, "returned: %d\n",
            clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
    ask_recorded(&notes, &a, program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    write_notes(&notes);
    application_close(&a);
}

static void run(const char *const *variables)
{
    ASSERT_EQ(0, run_application(variables, fail, NULL));
}

/* What was answered, and what the driver built. */
static void expect_counts(unsigned long answered, unsigned long missed)
{
    EXPECT_EQ(answered, counted("failed_answered"));
    EXPECT_EQ(missed, counted("misses"));
    EXPECT_EQ(0, counted("hits"));
}

/* Two failures, in two processes, a minute from each other. */
static void make_kept(const char *const *variables)
{
    run(variables);
    age(minute);
    run(variables);
    EXPECT_EQ(1, counted("failed_kept"));
    EXPECT_EQ(1, failed_records_count(store_path(), failed_record_kept));
}

/* ---- When they are kept -------------------------------------------------- */

TEST_C(LayerFailed, AreAnsweredAfterTheSecondFailure)
{
    run(on);
    expect_counts(0, 1);
    EXPECT_EQ(0, counted("failed_kept"));
    EXPECT_EQ(1, failed_records_count(store_path(), failed_record_seen));
    /* Too early. */
    run(on);
    expect_counts(0, 1);
    EXPECT_EQ(0, counted("failed_kept"));
    age(minute);
    run(on);
    expect_counts(0, 1);
    EXPECT_EQ(1, counted("failed_kept"));
    EXPECT_EQ(1, failed_records_count_notes(store_path()));
    run(on);
    expect_counts(1, 0);
    EXPECT_GT(counted("saved_ns"), 0);
    EXPECT_EQ(0, counted("compile_ns"));
}

TEST_C(LayerFailed, AreNotKeptByDefault)
{
    static const char *const off[] = {PLACE "input.cl:2:2: ", NULL};
    run(off);
    EXPECT_EQ(0, failed_records_count(store_path(), 0));
    make_kept(on);
    /* Nor answered. */
    run(off);
    expect_counts(0, 1);
}

static void fail_twice(void *user)
{
    fail(user);
    age(minute);
    fail(user);
}

TEST_C(LayerFailed, OfOneProcessCountOnce)
{
    ASSERT_EQ(0, run_application(on, fail_twice, NULL));
    EXPECT_EQ(0, counted("failed_kept"));
    EXPECT_EQ(0, failed_records_count(store_path(), failed_record_kept));
}

/* What a full disk, a killed linker or a lack of memory come back as. */
TEST_C(LayerFailed, OfTheMachineAreNeverKept)
{
    static const char *const kinds[][4] = {
            {ON, NULL}, /* no place */
            {ON, "FAKE_OPENCL_BUILD_ERROR=-11", NULL},
            {ON, "FAKE_OPENCL_BUILD_ERROR=-11",
                    "FAKE_OPENCL_BUILD_LOG=input.cl:1:1: error: x\n", NULL},
            {ON, PLACE "input.cl:2:2: ",
                    "FAKE_OPENCL_BUILD_LOG=LLVM ERROR: No space left on "
                    "device\n",
                    NULL},
            {ON, PLACE "input.cl:2:2: ",
                    "FAKE_OPENCL_BUILD_LOG=error: unable to execute command: "
                    "Killed\n",
                    NULL},
            {ON, PLACE "input.cl:2:2: ",
                    "FAKE_OPENCL_BUILD_LOG=error: cannot make a thing\n", NULL},
            {ON, PLACE "input.cl:2:2: ",
                    "FAKE_OPENCL_BUILD_LOG=a.h:1:1: fatal error: cannot open "
                    "file 'a.h': Too many open files\n",
                    NULL},
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        run(kinds[i]);
        (void)failed_records_age(store_path(), minute);
        run(kinds[i]);
        EXPECT_EQ(0, counted("failed_kept"));
        EXPECT_EQ(0, failed_records_count(store_path(), 0));
    }
}

/* What the compiler calls its copy of the source is no difference. */
TEST_C(LayerFailed, AreTheSameWhateverFilesAreCalled)
{
    static const char *const first[] = {ON, PLACE "/tmp/a_x1.cl:2:2: ", NULL};
    static const char *const second[] = {ON, PLACE "/tmp/b.cl:2:2: ", NULL};
    run(first);
    age(minute);
    run(second);
    EXPECT_EQ(1, counted("failed_kept"));
}

TEST_C(LayerFailed, ThatDifferBeginAnew)
{
    static const char *const other[] = {ON, PLACE "input.cl:3:2: ", NULL};
    run(on);
    age(minute);
    run(other);
    EXPECT_EQ(0, counted("failed_kept"));
    run(on);
    EXPECT_EQ(0, counted("failed_kept"));
    age(minute);
    run(on);
    EXPECT_EQ(1, counted("failed_kept"));
}

TEST_C(LayerFailed, AreForgottenAfterSevenDays)
{
    make_kept(on);
    age(week);
    run(on);
    expect_counts(0, 1);
    EXPECT_EQ(0, counted("failed_kept"));
    EXPECT_EQ(1, failed_records_count(store_path(), failed_record_seen));
}

static void move_to_future(uint8_t *record, size_t *size)
{
    EXPECT_GE(*size, 32);
    record[24 + 5] = 1; /* 2^40 seconds */
}

TEST_C(LayerFailed, OfTheFutureAreNoneAfterTheClockWasSet)
{
    make_kept(on);
    EXPECT_EQ(1, failed_records_change(store_path(), move_to_future));
    run(on);
    expect_counts(0, 1);
}

TEST_C(LayerFailed, AreNotKeptIfTheyAreFast)
{
    static const char *const slow_only[] = {ON,
            PLACE "input.cl:2:2: ", "DNNL_CACHE_MIN_COMPILE_MS=3600000", NULL};
    run(slow_only);
    EXPECT_EQ(0, failed_records_count(store_path(), 0));
}

/* ---- What they answer ---------------------------------------------------- */

/* With the layer and a kept failure, and without the layer. */
static void compare(const char *const *more, void (*body)(void *user),
        void *user, unsigned long answered)
{
    const char *layered[8] = {ON, PLACE "input.cl:2:2: "};
    const char *plain[8] = {"OPENCL_LAYERS=", PLACE "input.cl:2:2: "};
    for (size_t i = 0; more != NULL && more[i] != NULL && i < 5; i++)
        layered[2 + i] = plain[2 + i] = more[i];
    ASSERT_EQ(0, run_application(plain, body, user));
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(0, run_application(layered, body, user));
        expect_same_notes();
        if (i == 0) (void)failed_records_age(store_path(), minute);
    }
    EXPECT_EQ(answered, counted("failed_answered"));
}

TEST_C(LayerFailed, AnswerAsTheDriverDoes)
{
    static const char *const nvidia[] = {"FAKE_OPENCL_NVIDIA=1",
            "FAKE_OPENCL_PLATFORM_NAME=NVIDIA CUDA", NULL};
    static const char *const pocl[] = {
            "FAKE_OPENCL_NO_ROOM=1", "FAKE_OPENCL_REFUSAL=status", NULL};
    compare(NULL, fail, NULL, 1);
    compare(nvidia, fail, NULL, 1);
    compare(pocl, fail, NULL, 1);
}

/* The fake driver leaves the second device as if it were still being built: who
 * waits for the end of that would wait for ever. */
TEST_C(LayerFailed, ThatLeaveADeviceInProgressAreTheDrivers)
{
    static const char *const two[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", NULL};
    compare(two, fail, &(cl_uint){2}, 0);
    EXPECT_EQ(0, failed_records_count(store_path(), 0));
}

static void CL_CALLBACK note_call(cl_program program, void *user)
{
    (void)program;
    ++*(int *)user;
}

/* The same, told by a callback. */
static void fail_with_callback(void *user)
{
    struct application a;
    static struct notes notes;
    int calls = 0;
    (void)user;
    application_open(&a, 1);
    notes.size = 0;
    cl_program program = program_of_source(&a, wrong);
    note(&notes, "returned: %d\n",
            clBuildProgram(program, 0, NULL, "-DA=1", note_call, &calls));
    note(&notes, "called back: %d\n", calls);
    ask_recorded(&notes, &a, program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    write_notes(&notes);
    application_close(&a);
}

/* What the call returns then differs from driver to driver. */
TEST_C(LayerFailed, AnswerCallsWithACallback)
{
    static const char *const pocl[] = {"FAKE_OPENCL_CALLBACK_AND_STATUS=1",
            "FAKE_OPENCL_DEVICE_NAME=Other", NULL};
    compare(NULL, fail_with_callback, NULL, 1);
    compare(pocl, fail_with_callback, NULL, 1);
    /* The record is not of a call without one. */
    run(on);
    expect_counts(0, 1);
}

/* Intel's driver builds nothing again of which a call has failed. */
TEST_C(LayerFailed, AreTheDriversWhereItNeverRecovers)
{
    static const char *const intel[] = {"FAKE_OPENCL_INTEL_CPU=1",
            "FAKE_OPENCL_PLATFORM_NAME=Intel(R) OpenCL", NULL};
    compare(intel, fail, NULL, 0);
    EXPECT_EQ(0, failed_records_count(store_path(), 0));
}

/* ---- What comes after them ----------------------------------------------- */

enum sequel {
    sequel_same,     /* built again in the same way */
    sequel_right,    /* and so that it succeeds */
    sequel_wrong,    /* so that it fails, too */
    sequel_callback, /* with a callback */
    sequel_arguments,
    sequel_compile,
    sequel_link,
    sequel_header,   /* of a program that is compiled */
    sequel_binaries, /* asked for */
    sequel_kernels,  /* a list of them */
    sequel_constant,
    sequel_retain,
    sequel_query, /* that no OpenCL has */
    sequel_unload,
    sequel_count
};

static void link_it(
        struct notes *notes, const struct application *a, cl_program program)
{
    cl_int error = 77;
    cl_program linked = clLinkProgram(
            a->context, 0, NULL, "", 1, &program, NULL, NULL, &error);
    note(notes, "link: %d, %d\n", error, linked != NULL);
    if (linked != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
}

static void use_as_header(
        struct notes *notes, const struct application *a, cl_program program)
{
    const char *name = "some.h";
    cl_program object =
            program_of_source(a, "#define RIGHT\n#include \"some.h\"");
    note(notes, "compile with it: %d\n",
            clCompileProgram(
                    object, 0, NULL, "", 1, &program, &name, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
}

static void ask_for_binaries(struct notes *notes, cl_program program)
{
    size_t sizes[8] = {77};
    static unsigned char bytes[1 << 16];
    unsigned char *list[8] = {bytes};
    size_t size = 77;
    cl_int error = clGetProgramInfo(
            program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size);
    note(notes, "sizes: %d, %zu, %zu\n", error, size, sizes[0]);
    error = clGetProgramInfo(
            program, CL_PROGRAM_BINARIES, sizeof list, list, &size);
    note(notes, "binaries: %d, %zu\n", error, size);
}

static void go_on(struct notes *notes, const struct application *a,
        cl_program program, enum sequel sequel)
{
    int calls = 0;
    cl_kernel kernels[4] = {NULL};
    cl_uint count = 77;
    cl_platform_id platform = NULL;
    const cl_uint constant = 1;
    switch (sequel) {
    case sequel_same:
    case sequel_right:
    case sequel_wrong:
        note(notes, "again: %d\n",
                clBuildProgram(program, 0, NULL,
                        sequel == sequel_same    ? "-DA=1"
                        : sequel == sequel_right ? "-DRIGHT"
                                                 : "-DB",
                        NULL, NULL));
        break;
    case sequel_callback:
        note(notes, "again: %d\n",
                clBuildProgram(program, 0, NULL, "-DA=1", note_call, &calls));
        note(notes, "called back: %d\n", calls);
        break;
    case sequel_arguments:
        note(notes, "again: %d\n",
                clBuildProgram(program, 1, NULL, "", NULL, NULL));
        break;
    case sequel_compile:
        note(notes, "compile: %d\n",
                clCompileProgram(program, 0, NULL, "-DRIGHT", 0, NULL, NULL,
                        NULL, NULL));
        break;
    case sequel_link:
        link_it(notes, a, program);
        break;
    case sequel_header:
        use_as_header(notes, a, program);
        break;
    case sequel_binaries:
        ask_for_binaries(notes, program);
        break;
    case sequel_kernels:
        note(notes, "kernels: %d",
                clCreateKernelsInProgram(program, 4, kernels, &count));
        note(notes, ", %u\n", count);
        break;
    case sequel_constant:
        note(notes, "constant: %d\n",
                clSetProgramSpecializationConstant(
                        program, 1, sizeof constant, &constant));
        break;
    case sequel_retain:
        EXPECT_EQ(CL_SUCCESS, clRetainProgram(program));
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
        break;
    case sequel_query:
        note(notes, "query: %d\n",
                clGetProgramBuildInfo(
                        program, a->devices[0], 0x9999, 0, NULL, NULL));
        break;
    case sequel_unload:
        EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(a->devices[0], CL_DEVICE_PLATFORM,
                                      sizeof platform, &platform, NULL));
        EXPECT_EQ(CL_SUCCESS, clUnloadPlatformCompiler(platform));
        break;
    default:
        break;
    }
}

struct story {
    bool begins_well; /* with a build that succeeds */
    enum sequel sequel;
};

static void tell(void *user)
{
    const struct story *story = user;
    static struct notes notes;
    struct application a;
    application_open(&a, 1);
    notes.size = 0;
    cl_program program = program_of_source(&a, wrong);
    if (story->begins_well)
        note(&notes, "before: %d\n",
                clBuildProgram(program, 0, NULL, "-DRIGHT=1", NULL, NULL));
    note(&notes, "returned: %d\n",
            clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
    if (!story->begins_well) ask_recorded(&notes, &a, program);
    go_on(&notes, &a, program, story->sequel);
    ask_recorded(&notes, &a, program);
    ask_for_binaries(&notes, program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    write_notes(&notes);
    application_close(&a);
}

/* As the driver does, whatever it leaves of a program when a call fails. */
static void compare_stories(const char *refusal, bool begins_well)
{
    const char *const more[] = {refusal, NULL};
    for (int i = 0; i < sequel_count && !test_has_failed(); i++) {
        struct story story = {begins_well, (enum sequel)i};
        /* Its binaries are asked for in the end, if it is the last build. */
        compare(more, tell, &story, !begins_well && i == sequel_right);
        if (test_has_failed()) printf("sequel %d, %s\n", i, refusal);
    }
}

TEST_C(LayerFailed, GoOnAsWithTheDriver)
{
    compare_stories("FAKE_OPENCL_REFUSAL=", false);
}

TEST_C(LayerFailed, GoOnAsWithADriverThatLeavesAMixture)
{
    compare_stories("FAKE_OPENCL_REFUSAL=status", false);
    compare_stories("FAKE_OPENCL_REFUSAL=forgets", false);
}

TEST_C(LayerFailed, GoOnAfterABuildThatSucceeds)
{
    compare_stories("FAKE_OPENCL_REFUSAL=", true);
    compare_stories("FAKE_OPENCL_REFUSAL=status", true);
}

/* A probe with one option after the other: none of it is the driver's. */
static void try_options(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, wrong);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
    build(program, "-DRIGHT");
    expect_built(program, a.devices[0], "-DRIGHT", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerFailed, StayAnsweredIfTheNextBuildIsLoaded)
{
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(0, run_application(on, try_options, NULL));
        if (i == 0) age(minute);
    }
    EXPECT_EQ(1, counted("failed_answered"));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("misses"));
    EXPECT_EQ(0, counted("compile_ns"));
}

/* What the record cannot answer the driver has to: that was no hit. */
static void ask_for_more(void *user)
{
    struct application a;
    static struct notes notes;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, wrong);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
    for (int i = 0; i < 2; i++)
        ask_for_binaries(&notes, program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerFailed, ThatSaveNothingAreNoHits)
{
    make_kept(on);
    ASSERT_EQ(0, run_application(on, ask_for_more, NULL));
    expect_counts(0, 1);
    EXPECT_EQ(0, counted("saved_ns"));
    EXPECT_EQ(1, counted("nothing_to_keep"));
}

/* Calls that get the program itself: the driver must have built it by then. */
static void need_the_driver(void *user)
{
    struct application a;
    static struct notes notes;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, wrong);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
    EXPECT_EQ(0, source_builds(&a));
    go_on(&notes, &a, program, *(enum sequel *)user);
    EXPECT_GE(source_builds(&a), 1);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerFailed, AreBuiltForCallsThatNeedTheProgram)
{
    enum sequel needs[] = {sequel_link, sequel_kernels, sequel_constant,
            sequel_binaries, sequel_compile, sequel_arguments, sequel_query};
    make_kept(on);
    for (size_t i = 0; i < COUNT(needs); i++) {
        ASSERT_EQ(0, run_application(on, need_the_driver, &needs[i]));
        EXPECT_EQ(0, counted("failed_answered"));
    }
}

/* ---- Threads ------------------------------------------------------------- */

enum { thread_count = 4, rounds = 40 };

struct asking {
    cl_program program;
    cl_device_id device;
    bool asks_for_binaries;
};

/* Until the driver has built it, and then as the driver says. */
static void *ask_often(void *user)
{
    const struct asking *asking = user;
    for (int i = 0; i < rounds; i++) {
        cl_build_status status = 77;
        size_t size = 77;
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(asking->program, asking->device,
                        CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        EXPECT_EQ(CL_BUILD_ERROR, status);
        if (asking->asks_for_binaries && i == rounds / 2)
            EXPECT_EQ(CL_SUCCESS,
                    clGetProgramInfo(asking->program, CL_PROGRAM_BINARY_SIZES,
                            sizeof size, &size, NULL));
    }
    return NULL;
}

static void ask_in_threads(void *user)
{
    struct application a;
    pthread_t threads[thread_count];
    struct asking asking[thread_count];
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, wrong);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
    for (int i = 0; i < thread_count; i++) {
        asking[i] = (struct asking){program, a.devices[0], i % 2 == 0};
        EXPECT_EQ(0, pthread_create(&threads[i], NULL, ask_often, &asking[i]));
    }
    for (int i = 0; i < thread_count; i++)
        EXPECT_EQ(0, pthread_join(threads[i], NULL));
    EXPECT_EQ(1, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerFailed, AreBuiltOnceHoweverManyThreadsNeedIt)
{
    make_kept(on);
    ASSERT_EQ(0, run_application(on, ask_in_threads, NULL));
    EXPECT_EQ(0, counted("failed_answered"));
    EXPECT_EQ(1, counted("misses"));
}

/* ---- Records that are wrong ---------------------------------------------- */

static void flip_state(uint8_t *record, size_t *size)
{
    EXPECT_GT(*size, 16);
    record[16] ^= 7;
}

static void make_newer(uint8_t *record, size_t *size)
{
    EXPECT_GT(*size, 8);
    record[8]++;
}

static void cut(uint8_t *record, size_t *size)
{
    (void)record;
    --*size;
}

static void succeed(uint8_t *record, size_t *size)
{
    EXPECT_GT(*size, 64);
    memset(record + 56, 0, 8); /* what clBuildProgram() returned */
}

/* Whole to the store, and no record: the driver is asked, and what it says
 * takes its place. */
TEST_C(LayerFailed, OfNoRecordAreCompiled)
{
    void (*const changes[])(uint8_t * record, size_t * size) = {
            flip_state, make_newer, cut, succeed};
    make_kept(on);
    for (size_t i = 0; i < COUNT(changes); i++) {
        EXPECT_EQ(1, failed_records_change(store_path(), changes[i]));
        run(on);
        expect_counts(0, 1);
        EXPECT_EQ(1, failed_records_count(store_path(), failed_record_seen));
        age(minute);
        run(on);
        run(on);
        expect_counts(1, 0);
    }
}

static void damage_files(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    EXPECT_NOT_NULL(folder);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char name[path_size + 300];
        struct stat facts;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || stat(name, &facts) != 0
                || !S_ISREG(facts.st_mode) || facts.st_size == 0)
            continue;
        FILE *file = fopen(name, "r+be");
        EXPECT_NOT_NULL(file);
        if (file == NULL) continue;
        EXPECT_EQ(0, fseek(file, (long)facts.st_size / 2, SEEK_SET));
        EXPECT_EQ(1, fwrite("\xa5", 1, 1, file));
        EXPECT_EQ(0, fclose(file));
    }
    if (folder != NULL) EXPECT_EQ(0, closedir(folder));
}

TEST_C(LayerFailed, ThatAreDamagedAreCompiled)
{
    char path[path_size];
    (void)snprintf(path, sizeof path, "%s/layer/failed", store_path());
    make_kept(on);
    damage_files(path);
    run(on);
    expect_counts(0, 1);
}

/* Who else may write there might choose what applications are answered. */
TEST_C(LayerFailed, OfAFolderThatOthersMayWriteToAreNone)
{
    char path[path_size];
    (void)snprintf(path, sizeof path, "%s/layer", store_path());
    make_kept(on);
    EXPECT_EQ(0, chmod(path, 0770));
    run(on);
    expect_counts(0, 1);
    EXPECT_EQ(0, chmod(path, 0700));
    run(on);
    expect_counts(1, 0);
}

/* ---- Where they are ------------------------------------------------------ */

static bool count_entry(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)item;
    ++*(unsigned *)user;
    return true;
}

/* So no copy, export or server of it has them. */
TEST_C(LayerFailed, AreNoEntriesOfTheStore)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    unsigned entries = 0;
    make_kept(on);
    options.path = store_path();
    ASSERT_STATUS(
            dnnl_success, dnnl_cache_store_open(&store, "flat", &options));
    EXPECT_STATUS(dnnl_success,
            dnnl_cache_store_iterate(store, count_entry, &entries));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, entries);
}

/* A seed is another's store: what beside it is kept is none of this user's. */
TEST_C(LayerFailed, OfASeedAreNotAnswered)
{
    static char seed[path_size];
    static char place[path_size];
    const char *const seeded[] = {
            ON, PLACE "input.cl:2:2: ", seed, place, NULL};
    make_kept(on);
    (void)snprintf(
            seed, sizeof seed, "DNNL_CACHE_SEED=%s/store", test_directory());
    (void)snprintf(
            place, sizeof place, "DNNL_CACHE_DIR=%s/other", test_directory());
    run(seeded);
    expect_counts(0, 1);
}

/* ---- Modes --------------------------------------------------------------- */

TEST_C(LayerFailed, AreCompiledInOtherModes)
{
    static const char *const recompile[] = {
            ON, PLACE "input.cl:2:2: ", MODE "recompile", NULL};
    static const char *const verify[] = {
            ON, PLACE "input.cl:2:2: ", MODE "verify", NULL};
    static const char *const other[] = {
            ON, PLACE "input.cl:3:2: ", MODE "verify", NULL};
    make_kept(on);
    run(recompile);
    expect_counts(0, 1);
    EXPECT_EQ(1, counted("failed_kept"));
    run(verify);
    expect_counts(0, 1);
    EXPECT_EQ(1, failed_records_count(store_path(), failed_record_kept));
    /* The driver fails in another way. */
    run(other);
    EXPECT_EQ(0, failed_records_count(store_path(), failed_record_kept));
}

/* A driver whose own header was wrong. */
static void succeed_in_building(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, wrong);
    build(program, "-DA=1");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

static void expect_forgotten(const char *mode)
{
    const char *const mended[] = {
            ON, "FAKE_OPENCL_OWN_HEADER=#define RIGHT\n", mode, NULL};
    make_kept(on);
    ASSERT_EQ(0, run_application(mended, succeed_in_building, NULL));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(0, failed_records_count(store_path(), 0));
    /* What is there is loaded. */
    run(on);
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("failed_answered"));
}

TEST_C(LayerFailed, AreForgottenWhenTheyAreRecompiled)
{
    expect_forgotten(MODE "recompile");
}

TEST_C(LayerFailed, AreForgottenWhenVerifyCompilesThem)
{
    expect_forgotten(MODE "verify");
}

/* Nothing is compiled there, nor answered by what is not. */
TEST_C(LayerFailed, AreNotUsedWhereNothingIsCompiled)
{
    static const char *const cached_only[] = {
            ON, PLACE "input.cl:2:2: ", MODE "cached_only", NULL};
    make_kept(on);
    run(cached_only);
    expect_counts(0, 1);
    EXPECT_EQ(1, failed_records_count(store_path(), failed_record_kept));
}
