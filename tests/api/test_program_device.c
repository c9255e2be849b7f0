/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with headers and programs of IL on a real driver: compiled, and
 * again from their blobs by an engine that may not compile.
 */
#include "programs.h"
#include "run_kernel.h"

#include "test.h"
#include "test_platform.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An engine of the tests' device in a context of its own. */
static dnnl_engine_t engine_that(dnnl_cache_compile_mode_t mode)
{
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL) abort();
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(engine, mode));
    return engine;
}

typedef dnnl_cache_program_desc_t describe_program(dnnl_engine_t engine);

/* Compiled, then from the blob, with the same ID, bytes and result. */
static void expect_cold_and_warm(
        describe_program *describe_it, const char *kernel, cl_uint expected)
{
    dnnl_engine_t cold = engine_that(dnnl_cache_compile_mode_normal);
    dnnl_engine_t warm = engine_that(dnnl_cache_compile_mode_cached_only);
    dnnl_cache_program_desc_t desc = describe_it(cold);
    dnnl_cache_program_desc_t again = describe_it(warm);
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(expected, run_kernel(cold, program, kernel));
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    struct bytes id = program_id(desc);
    struct bytes same_id = program_id(again);
    struct bytes blob = program_blob(program);
    EXPECT_GT(id.size, 0);
    EXPECT_GT(blob.size, 0);
    EXPECT_TRUE(bytes_equal(&id, &same_id));

    dnnl_cache_program_t none = NULL;
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&none, again));
    EXPECT_NULL(none);
    dnnl_cache_program_t loaded = create_from(again, &blob);
    EXPECT_EQ(expected, run_kernel(warm, loaded, kernel));
    EXPECT_EQ(dnnl_cache_origin_blob, info_of(loaded).origin);
    struct bytes same_blob = program_blob(loaded);
    EXPECT_TRUE(bytes_equal(&blob, &same_blob));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(loaded));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
    EXPECT_OK(dnnl_engine_destroy(cold));
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&id);
    bytes_free(&same_id);
    bytes_free(&blob);
    bytes_free(&same_blob);
}

/* ---- Headers ------------------------------------------------------------- */

static void add_header(
        dnnl_cache_program_desc_t desc, const char *name, const char *text)
{
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, name, 0, text));
}

/* 1 from the top, 20 beside the includer, 300 by brackets, 4000 by an option.
 */
static dnnl_cache_program_desc_t describe_with_headers(dnnl_engine_t engine)
{
    dnnl_cache_program_desc_t desc = describe(engine,
            "#include \"one.h\"\n"
            "#include \"folder/more.h\"\n"
            "__kernel void sum(__global uint *out)\n"
            "{\n"
            "    out[0] = ONE + TWENTY + HUNDREDS + THOUSANDS;\n"
            "}\n",
            "-DTHOUSANDS=4000 -I elsewhere");
    add_header(desc, "one.h", "#ifndef ONE\n#define ONE 1\n#endif\n");
    add_header(desc, "twenty.h", "#define TWENTY 70\n");
    add_header(desc, "folder/twenty.h", "#define TWENTY 20\n");
    add_header(desc, "folder/more.h",
            "#include \"twenty.h\"\n#include <folder/deep/hundreds.h>\n");
    add_header(desc, "folder/deep/hundreds.h",
            "#include \"../../one.h\"\n#define HUNDREDS 300\n");
    return desc;
}

/* Makes the file, if there is room for its name, with a value of its own. */
static void mislead(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    ASSERT_TRUE(file != NULL);
    EXPECT_TRUE(fputs(text, file) >= 0);
    EXPECT_EQ(0, fclose(file));
}

/* Files of the same names lie where some drivers look first. */
TEST_C(DeviceProgram, WithHeadersIsNotMisledByFiles)
{
    char home[4096];
    ASSERT_TRUE(getcwd(home, sizeof home) != NULL);
    ASSERT_EQ(0, chdir(test_directory()));
    EXPECT_EQ(0, mkdir("folder", 0700));
    EXPECT_EQ(0, mkdir("elsewhere", 0700));
    mislead("one.h", "#define ONE 100000\n");
    mislead("twenty.h", "#define TWENTY 100000\n");
    mislead("folder/twenty.h", "#define TWENTY 100000\n");
    mislead("folder/more.h", "#define TWENTY 9\n#define HUNDREDS 100000\n");
    mislead("elsewhere/one.h", "#define ONE 200000\n");
    expect_cold_and_warm(describe_with_headers, "sum", 4321);
    EXPECT_EQ(0, chdir(home));
}

/* Not cacheable, since it asks for files; compiled as the driver does it. */
TEST_C(DeviceProgram, ThatAsksForFilesFindsItsHeaders)
{
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    dnnl_cache_program_desc_t desc = describe(engine,
            "#define NAME \"one.h\"\n#include NAME\n"
            "__kernel void k(__global uint *x) { x[0] = ONE; }\n",
            NULL);
    add_header(desc, "one.h", "#define ONE 5\n");
    struct bytes id = program_id(desc);
    EXPECT_EQ(0, id.size);
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(5, run_kernel(engine, program, "k"));
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* What the compiler says of it is the same warm as cold, the first of the two
 * steps included; drivers may say nothing. */
TEST_C(DeviceProgram, WithHeadersKeepsItsLog)
{
    static const char source[] = "#include \"one.h\"\n"
                                 "#warning words of the compiler\n"
                                 "__kernel void k(__global uint *x)\n"
                                 "{ x[0] = ONE; }\n";
    dnnl_engine_t cold = engine_that(dnnl_cache_compile_mode_normal);
    dnnl_engine_t warm = engine_that(dnnl_cache_compile_mode_cached_only);
    dnnl_cache_program_desc_t desc = describe(cold, source, NULL);
    dnnl_cache_program_desc_t again = describe(warm, source, NULL);
    add_header(desc, "one.h", "#define ONE 1\n");
    add_header(again, "one.h", "#define ONE 1\n");
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(1, run_kernel(cold, program, "k"));
    char log[2][8192] = {"", ""};
    size_t size[2] = {sizeof log[0], sizeof log[1]};
    EXPECT_OK(dnnl_cache_program_get_build_log(program, &size[0], log[0]));
    struct bytes blob = program_blob(program);
    dnnl_cache_program_t loaded = create_from(again, &blob);
    EXPECT_OK(dnnl_cache_program_get_build_log(loaded, &size[1], log[1]));
    EXPECT_BYTES_EQ(log[0], size[0], log[1], size[1]);
    if (strcmp(test_platform_name(), "Portable Computing Language") == 0)
        EXPECT_NOT_NULL(strstr(log[0], "words of the compiler"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(loaded));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
    EXPECT_OK(dnnl_engine_destroy(cold));
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}

/* What the library puts behind a program for the driver's own cache suits each
 * version of the language, and whatever the program's macros are. */
TEST_C(DeviceProgram, WithHeadersMayBeOfAnyText)
{
    static const char *const texts[][2] = {{"", "-cl-std=CL1.1"},
            {"#define __constant __global\n", NULL},
            {"#define extern static\n#define char int\n", NULL}};
    static const char kernel[] = "#include \"one.h\"\n"
                                 "__kernel void k(__global uint *x)\n"
                                 "{ x[0] = ONE; } /* no end of line */ //\\";
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char source[512];
        (void)snprintf(source, sizeof source, "%s%s", texts[i][0], kernel);
        dnnl_cache_program_desc_t desc = describe(engine, source, texts[i][1]);
        add_header(desc, "one.h", "#define ONE 7\n");
        dnnl_cache_program_t program = create(desc);
        EXPECT_EQ(7, run_kernel(engine, program, "k"));
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- IL ------------------------------------------------------------------ */

static bool device_takes_il(dnnl_engine_t engine)
{
    char version[256] = "";
    cl_device_id device = NULL;
    EXPECT_OK(dnnl_ocl_interop_get_device(engine, &device));
    return clGetDeviceInfo(
                   device, CL_DEVICE_IL_VERSION, sizeof version, version, NULL)
                   == CL_SUCCESS
           && version[0] != '\0';
}

static struct bytes read_il(void)
{
    uint8_t il[1024];
    FILE *file = fopen(DNNL_CACHE_TEST_DATA_DIR "/il/store.spv", "rb");
    if (file == NULL) abort();
    size_t size = fread(il, 1, sizeof il, file);
    EXPECT_EQ(0, fclose(file));
    EXPECT_GT(size, 0);
    return bytes_copy(il, size);
}

static dnnl_cache_program_desc_t describe_il(dnnl_engine_t engine)
{
    struct bytes il = read_il();
    dnnl_cache_program_desc_t desc = NULL;
    EXPECT_OK(dnnl_cache_program_desc_create_with_il(
            &desc, engine, il.size, il.data, NULL));
    bytes_free(&il);
    return desc;
}

static dnnl_cache_program_desc_t describe_specialized(dnnl_engine_t engine)
{
    const uint32_t value = 42;
    const uint8_t flag = 1;
    dnnl_cache_program_desc_t desc = describe_il(engine);
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
            desc, 7, sizeof value, &value));
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
            desc, 9, sizeof flag, &flag));
    return desc;
}

/* ---- Kernels ------------------------------------------------------------- */

static void CL_CALLBACK note_end(cl_mem memory, void *user)
{
    (void)memory;
    atomic_store((atomic_bool *)user, true);
}

/* A buffer that a kernel in memory was launched with ends with its last
 * reference, whatever the idle kernel object remembers. */
TEST_C(DeviceKernel, InMemoryKeepsNoBufferAlive)
{
    const char *source = "__kernel void store(__global uint *x, uint y)\n"
                         "{ x[get_global_id(0)] = y; }\n";
    const size_t one = 1;
    const cl_uint number = 7;
    atomic_bool ended = false;
    cl_uint value = 0;
    cl_context context = NULL;
    cl_device_id device = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    cl_kernel object = NULL;
    cl_int error;
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(engine, &context));
    EXPECT_OK(dnnl_ocl_interop_get_device(engine, &device));
    /* Without it some drivers do not tell which arguments are buffers. */
    dnnl_cache_program_desc_t desc =
            describe(engine, source, "-cl-kernel-arg-info");
    ASSERT_OK(dnnl_cache_kernel_create(&kernel, desc, "store"));
    ASSERT_OK(dnnl_cache_kernel_get_cl_kernel(kernel, &object));
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_mem memory = clCreateBuffer(
            context, CL_MEM_READ_WRITE, sizeof value, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS,
            clSetMemObjectDestructorCallback(memory, note_end, &ended));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(object, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(object, 1, sizeof number, &number));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, object, 1, NULL, &one,
                                  &one, 0, NULL, NULL));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, memory, CL_TRUE, 0,
                                  sizeof value, &value, 0, NULL, NULL));
    EXPECT_EQ(number, value);
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    clReleaseCommandQueue(queue);
    clReleaseMemObject(memory);
    /* Drivers may tell it later, on a thread of their own. */
    for (int i = 0; i < 6000 && !atomic_load(&ended); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    EXPECT_TRUE(atomic_load(&ended));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

TEST_C(DeviceMemory, IsABufferAndNoImage)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc image_desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
            .image_width = 4,
            .image_height = 4};
    const dnnl_dims_t dims = {16};
    cl_context context = NULL;
    dnnl_memory_desc_t md;
    dnnl_memory_t memory = NULL;
    cl_int error;
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(engine, &context));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    cl_mem image = clCreateImage(
            context, CL_MEM_READ_WRITE, &format, &image_desc, NULL, &error);
    if (error == CL_SUCCESS)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_memory_create(&memory, md, engine, image));
    else
        EXPECT_EQ(CL_INVALID_OPERATION, error); /* the device has none */
    if (image != NULL) clReleaseMemObject(image);
    dnnl_memory_desc_destroy(md);
    dnnl_engine_destroy(engine);
}

/* ---- Background builds --------------------------------------------------- */

/* What is needed now is created meanwhile; the rest comes. */
TEST_C(DeviceProgram, IsBuiltInTheBackground)
{
    enum { programs = 4 };
    dnnl_cache_build_queue_t queue = NULL;
    dnnl_cache_build_job_t jobs[programs];
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    EXPECT_OK(dnnl_cache_build_queue_create(&queue, NULL));
    for (int i = 0; i < programs; i++) {
        char source[128];
        snprintf(source, sizeof source,
                "__kernel void k(__global uint *x) { x[0] = %d; }\n", 10 + i);
        dnnl_cache_program_desc_t desc = describe(engine, source, "");
        EXPECT_OK(dnnl_cache_build_queue_submit(
                queue, desc, -i, NULL, NULL, &jobs[i]));
        if (i == programs - 1) {
            dnnl_cache_program_t now = create(desc);
            EXPECT_EQ(10 + i, run_kernel(engine, now, "k"));
            EXPECT_OK(dnnl_cache_program_destroy(now));
        }
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    for (int i = 0; i < programs; i++) {
        dnnl_cache_program_t program = NULL;
        EXPECT_OK(dnnl_cache_build_job_wait(jobs[i], UINT64_MAX, &program));
        EXPECT_EQ(10 + i, run_kernel(engine, program, "k"));
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    EXPECT_OK(dnnl_cache_build_queue_destroy(queue));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- One blob, many loads ------------------------------------------------ */

static dnnl_cache_program_desc_t describe_small(dnnl_engine_t engine)
{
    return describe(engine,
            "__kernel void store(__global uint *out) { out[0] = 77; }\n", "");
}

/* Contexts of their own, since a context has a program once. */
static void *load_and_run(void *user)
{
    const struct bytes *blob = user;
    for (int round = 0; round < 4; round++) {
        dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_cached_only);
        dnnl_cache_program_desc_t desc = describe_small(engine);
        dnnl_cache_program_t program = create_from(desc, blob);
        EXPECT_EQ(77, run_kernel(engine, program, "store"));
        struct bytes same = program_blob(program);
        EXPECT_TRUE(bytes_equal(blob, &same));
        bytes_free(&same);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        EXPECT_OK(dnnl_engine_destroy(engine));
    }
    return NULL;
}

/* With the driver's own cache off, PoCL's programs of one binary would have one
 * folder, and the first that goes would take it with it. */
TEST_C(DeviceProgram, OfOneBlobIsLoadedByManyThreadsAtOnce)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    if (!test_platform_takes_threads())
        SKIP_TEST("two threads must not use this driver at once");
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    dnnl_cache_program_desc_t desc = describe_small(engine);
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(77, run_kernel(engine, program, "store"));
    struct bytes blob = program_blob(program);
    for (int i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, load_and_run, &blob));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* Either the device takes it, or the answer is that it does not. */
/* PoCL ends the process that asks for the binary of such a program. */
TEST_C(DeviceProgram, WithALongKernelNameIsNotAskedForWhereThatKills)
{
    if (strstr("Portable Computing Language", test_platform_name()) == NULL)
        SKIP_TEST("other drivers may refuse the name, or live with it");
    enum { name_size = 600 };
    char name[name_size + 1];
    char source[name_size + 100];
    memset(name, 'k', name_size);
    name[name_size] = '\0';
    snprintf(source, sizeof source,
            "__kernel void %s(__global uint *to) { *to = 1; }\n", name);
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    dnnl_cache_program_desc_t desc = describe(engine, source, NULL);
    dnnl_cache_program_t program = create(desc);
    size_t size = 77;
    const dnnl_status_t st =
            dnnl_cache_program_get_cache_blob(program, &size, NULL);
    EXPECT_STATUS(dnnl_unimplemented, st);
    EXPECT_EQ(77, size);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

TEST_C(DeviceProgram, OfIlComputesTheSameFromItsBlob)
{
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    if (device_takes_il(engine)) {
        expect_cold_and_warm(describe_il, "store", 5);
        expect_cold_and_warm(describe_specialized, "store", 1042);
    } else {
        dnnl_cache_program_desc_t desc = (dnnl_cache_program_desc_t)&engine;
        struct bytes il = read_il();
        EXPECT_STATUS(dnnl_unimplemented,
                dnnl_cache_program_desc_create_with_il(
                        &desc, engine, il.size, il.data, NULL));
        EXPECT_PTR_EQ(&engine, desc);
        bytes_free(&il);
    }
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- Launches that a binary has code for --------------------------------- */

static dnnl_status_t append_launches(
        const dnnl_cache_blob_part_t *part, void *user)
{
    char *text = user;
    const size_t size = strlen(text);
    if (part->kind == dnnl_cache_blob_part_kernel)
        snprintf(text + size, 256 - size, "%s:%s;", part->name,
                part->launches != NULL ? part->launches : "");
    return dnnl_success;
}

static bool is_incomplete(dnnl_cache_program_t program)
{
    return info_of(program).incomplete != 0;
}

/* What PoCL compiled at the launches before the query; nobody reports them. */
TEST_C(DeviceProgram, BlobListsTheLaunchesThatItHasCodeFor)
{
    const bool has_classes =
            strstr("Portable Computing Language", test_platform_name()) != NULL;
    const size_t one = 1;
    const size_t two = 2;
    char launches[256] = "";
    dnnl_engine_t engine = engine_that(dnnl_cache_compile_mode_normal);
    dnnl_engine_t warm = engine_that(dnnl_cache_compile_mode_cached_only);
    static const char *const source =
            "__kernel void six(__global uint *to) { *to = 6; }\n"
            "__kernel void seven(__global uint *to) { *to = 7; }\n";
    dnnl_cache_program_desc_t desc = describe(engine, source, NULL);
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(6, run_kernel(engine, program, "six"));
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_cache_blob_describe(
            blob.size, blob.data, append_launches, launches));
    EXPECT_STR_EQ(
            has_classes ? "six:1-1-1-goffs0-smallgrid;seven:;" : "six:;seven:;",
            launches);
    dnnl_cache_program_desc_t again = describe(warm, source, NULL);
    dnnl_cache_program_t loaded = create_from(again, &blob);
    EXPECT_OK(
            dnnl_cache_program_note_launch(loaded, "six", 1, NULL, &one, &one));
    EXPECT_FALSE(is_incomplete(loaded));
    EXPECT_OK(
            dnnl_cache_program_note_launch(loaded, "six", 1, NULL, &two, &two));
    EXPECT_EQ(has_classes, is_incomplete(loaded));
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(loaded));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
    EXPECT_OK(dnnl_engine_destroy(engine));
    EXPECT_OK(dnnl_engine_destroy(warm));
}
