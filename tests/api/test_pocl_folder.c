/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library asks PoCL's binaries for, and what PoCL compiles for that:
 * with its own cache off, nothing for a primitive, nor for a program whose
 * owner promises to let nobody else ask. What it compiled is counted as the
 * shared objects that it leaves in its folder.
 */
#include "bytes.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "dnnl_cache/sys/layer.h"
#include "src/drivers/pocl_stand_in_file.h"
#include "test.h"
#include "test_platform.h"

#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { items = 256 };

static const char source[] =
        "__kernel void sums(__global uint *x)\n"
        "{\n"
        "    x[get_global_id(0)] += FACTOR * get_group_id(0);\n"
        "}\n";

/* In PoCL's folder now. */
static struct {
    size_t for_all; /* launches */
    size_t for_classes;
} objects;

static int count_entry(const char *path, const struct stat *status, int flag)
{
    const size_t length = strlen(path);
    (void)status;
    if (flag != FTW_F || length < 4 || strcmp(path + length - 3, ".so") != 0)
        return 0;
    if (strstr(path, "/" POCL_ALL_LAUNCHES "/") != NULL)
        objects.for_all++;
    else
        objects.for_classes++;
    return 0;
}

static void expect_compiled(size_t for_classes, size_t for_all)
{
    memset(&objects, 0, sizeof objects);
    EXPECT_EQ(0, ftw(getenv("POCL_CACHE_DIR"), count_entry, 16));
    EXPECT_EQ(for_classes, objects.for_classes);
    EXPECT_EQ(for_all, objects.for_all);
}

static bool is_tested(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char version[256] = "";
    return clGetDeviceInfo(
                   device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                   == CL_SUCCESS
           && clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                      version, NULL)
                      == CL_SUCCESS
           && pocl_stand_ins_are_tested(version);
}

static int remove_entry(
        const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
    (void)status;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(
            getenv("POCL_CACHE_DIR"), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* PoCL reads the variables once, when it starts: one folder for all tests of a
 * process. A program's part of it goes with the program. */
static void set_environment(void)
{
    static char folder[] = "/tmp/test_pocl_folder.XXXXXX";
    static bool is_set;
    if (is_set) return;
    is_set = true;
    ASSERT_TRUE(mkdtemp(folder) != NULL);
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    atexit(remove_folder);
}

/* NULL, and the test is skipped: another driver. */
static dnnl_engine_t open_engine(void)
{
    set_environment();
    rig_forget_primitives();
    const cl_device_id device = test_platform_device();
    if (device != NULL && is_tested(device)) return test_platform_engine();
    test_skip(__FILE__, __LINE__, "not a PoCL that was tested");
    return NULL;
}

/* ---- Primitives ---------------------------------------------------------- */

static dnnl_primitive_t make_relu(dnnl_engine_t engine)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(engine, items, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return primitive;
}

/* The same from its blob, where nothing may be compiled. */
static dnnl_primitive_t load_relu(
        dnnl_engine_t engine, const struct bytes *blob)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(engine, items, 0.5f);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, pd, blob->size, blob->data));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return primitive;
}

/* Launched before the blob is made, after it, and from it. */
TEST_C(PoclFolder, HasNothingMoreOfAPrimitiveThatIsCaptured)
{
    dnnl_engine_t cold = open_engine();
    if (cold == NULL) return;
    dnnl_primitive_t primitive = make_relu(cold);
    EXPECT_OK(run_relu(cold, primitive, items));
    expect_compiled(1, 0);
    struct bytes blob = primitive_blob(primitive);
    EXPECT_GT(blob.size, 0);
    expect_compiled(1, 0);
    EXPECT_OK(run_relu(cold, primitive, items));
    dnnl_engine_t warm = test_platform_engine();
    dnnl_primitive_t loaded = load_relu(warm, &blob);
    ASSERT_TRUE(loaded != NULL);
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_primitive_get_creation_info(loaded, &info));
    EXPECT_EQ(dnnl_cache_binary_form_finalised, info.binary_form);
    EXPECT_OK(run_relu(warm, loaded, items));
    expect_compiled(2, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(loaded));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_engine_destroy(warm));
    EXPECT_OK(dnnl_engine_destroy(cold));
}

/* A limit of memory asks for the binary's size. */
TEST_C(PoclFolder, HasNothingMoreOfAPrimitiveWhoseSizeCounts)
{
    dnnl_engine_t engine = open_engine();
    if (engine == NULL) return;
    uint64_t limit = 0;
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&limit));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1 << 30));
    dnnl_primitive_t primitive = make_relu(engine);
    EXPECT_OK(run_relu(engine, primitive, items));
    struct bytes blob = primitive_blob(primitive);
    EXPECT_GT(blob.size, 0);
    expect_compiled(1, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_engine_destroy(engine));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(limit));
}

/* ---- Programs ------------------------------------------------------------ */

/* Launches the kernel with that local size, and checks what it computes. */
static void launch(dnnl_engine_t engine, dnnl_cache_program_t program,
        cl_uint factor, size_t local)
{
    const size_t global = items;
    cl_uint numbers[items];
    cl_int error = CL_SUCCESS;
    cl_context context = NULL;
    cl_kernel kernel = NULL;
    cl_command_queue queue = NULL;
    dnnl_stream_t stream = NULL;
    for (cl_uint i = 0; i < items; i++)
        numbers[i] = i;
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(engine, &context));
    EXPECT_OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    EXPECT_OK(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    EXPECT_OK(dnnl_cache_program_get_kernel(program, "sums", &kernel));
    cl_mem memory =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    sizeof numbers, numbers, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL,
                                  &global, &local, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, memory, CL_TRUE, 0,
                                  sizeof numbers, numbers, 0, NULL, NULL));
    for (cl_uint i = 0; i < items; i++)
        if (numbers[i] != i + factor * (i / (cl_uint)local))
            test_fail(__FILE__, __LINE__, "number %u is %u", i, numbers[i]);
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    EXPECT_OK(dnnl_stream_destroy(stream));
}

/* The application may ask the driver itself. */
TEST_C(PoclFolder, HasAllOfAnApplicationsProgramThatIsCaptured)
{
    dnnl_engine_t engine = open_engine();
    if (engine == NULL) return;
    dnnl_cache_program_t program = build(engine, source, "-DFACTOR=3");
    launch(engine, program, 3, 64);
    expect_compiled(1, 0);
    EXPECT_OK(dnnl_cache_program_capture(program));
    struct bytes blob = program_blob(program);
    EXPECT_GT(blob.size, 0);
    expect_compiled(1, 1);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* What is loaded from it compiles what else is launched. */
TEST_C(PoclFolder, HasNothingMoreOfAProgramThatIsCapturedAsLaunched)
{
    dnnl_engine_t engine = open_engine();
    if (engine == NULL) return;
    dnnl_cache_program_t program = build(engine, source, "-DFACTOR=5");
    launch(engine, program, 5, 64);
    EXPECT_OK(dnnl_cache_program_capture_launched(program));
    struct bytes blob = program_blob(program);
    EXPECT_GT(blob.size, 0);
    expect_compiled(1, 0);
    launch(engine, program, 5, 16);
    expect_compiled(2, 0);
    dnnl_engine_t warm = test_platform_engine();
    dnnl_cache_program_desc_t desc = describe(warm, source, "-DFACTOR=5");
    dnnl_cache_program_t loaded = create_from(desc, &blob);
    expect_compiled(3, 0);
    launch(warm, loaded, 5, 64);
    expect_compiled(3, 0);
    launch(warm, loaded, 5, 32);
    expect_compiled(4, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_destroy(loaded));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(warm));
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- Kernels of one name ------------------------------------------------- */

struct maker {
    dnnl_engine_t engine;
    cl_uint factor;
    struct bytes blob;
};

static void *make(void *argument)
{
    struct maker *maker = argument;
    char options[32];
    (void)snprintf(options, sizeof options, "-DFACTOR=%u", maker->factor);
    dnnl_cache_program_t program = build(maker->engine, source, options);
    launch(maker->engine, program, maker->factor, 64);
    EXPECT_OK(dnnl_cache_program_capture_launched(program));
    maker->blob = program_blob(program);
    launch(maker->engine, program, maker->factor, 64);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    return NULL;
}

/* Compiled at once by threads, each has its own code in its blob. */
TEST_C(PoclFolder, IsNotTakenForThatOfAnotherProgram)
{
    enum { makers = 6 };
    struct maker all[makers];
    pthread_t threads[makers];
    dnnl_engine_t engine = open_engine();
    if (engine == NULL) return;
    for (cl_uint i = 0; i < makers; i++) {
        all[i] = (struct maker){.engine = engine, .factor = 11 + i};
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, make, &all[i]));
    }
    for (size_t i = 0; i < makers; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < makers; i++) {
        char options[32];
        dnnl_engine_t warm = test_platform_engine();
        (void)snprintf(options, sizeof options, "-DFACTOR=%u", all[i].factor);
        dnnl_cache_program_desc_t desc = describe(warm, source, options);
        dnnl_cache_program_t loaded = create_from(desc, &all[i].blob);
        launch(warm, loaded, all[i].factor, 64);
        launch(warm, loaded, all[i].factor, 8);
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        EXPECT_OK(dnnl_cache_program_destroy(loaded));
        EXPECT_OK(dnnl_engine_destroy(warm));
        bytes_free(&all[i].blob);
    }
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- Several engines of one device --------------------------------------- */

/* Another one of the same context. */
static dnnl_engine_t open_second(dnnl_engine_t first)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    dnnl_engine_t engine = NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(first, &context));
    EXPECT_OK(dnnl_ocl_interop_get_device(first, &device));
    EXPECT_OK(dnnl_ocl_interop_engine_create(&engine, device, context));
    return engine;
}

/* Their primitives have kernels of one name. */
TEST_C(PoclFolder, IsRightOfPrimitivesOfSeveralEngines)
{
    enum { engines = 3 };
    dnnl_engine_t all[engines];
    dnnl_primitive_t primitives[engines];
    struct bytes blobs[engines];
    if ((all[0] = open_engine()) == NULL) return;
    all[1] = open_second(all[0]);
    all[2] = test_platform_engine();
    for (size_t i = 0; i < engines; i++) {
        primitives[i] = make_relu(all[i]);
        EXPECT_OK(run_relu(all[i], primitives[i], items));
    }
    for (size_t i = 0; i < engines; i++)
        blobs[i] = primitive_blob(primitives[i]);
    for (size_t i = 0; i < engines; i++) {
        dnnl_engine_t warm = test_platform_engine();
        dnnl_primitive_t loaded = load_relu(warm, &blobs[i]);
        EXPECT_OK(run_relu(all[i], primitives[i], items));
        ASSERT_TRUE(loaded != NULL);
        EXPECT_OK(run_relu(warm, loaded, items));
        EXPECT_OK(dnnl_primitive_destroy(loaded));
        EXPECT_OK(dnnl_engine_destroy(warm));
    }
    for (size_t i = 0; i < engines; i++) {
        bytes_free(&blobs[i]);
        EXPECT_OK(dnnl_primitive_destroy(primitives[i]));
        EXPECT_OK(dnnl_engine_destroy(all[i]));
    }
}

static void expect_loads(
        const struct bytes *blob, const char *options, cl_uint factor)
{
    dnnl_engine_t warm = test_platform_engine();
    dnnl_cache_program_desc_t desc = describe(warm, source, options);
    dnnl_cache_program_t loaded = create_from(desc, blob);
    launch(warm, loaded, factor, 64);
    launch(warm, loaded, factor, 16);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_destroy(loaded));
    EXPECT_OK(dnnl_engine_destroy(warm));
}

/* Each has a folder, and the kernel's name does not tell which. */
TEST_C(PoclFolder, IsRightOfEqualProgramsOfTwoContexts)
{
    dnnl_engine_t engines[2];
    dnnl_cache_program_t programs[2];
    if ((engines[0] = open_engine()) == NULL) return;
    engines[1] = test_platform_engine();
    for (size_t i = 0; i < 2; i++)
        programs[i] = build(engines[i], source, "-DFACTOR=7");
    for (size_t i = 0; i < 2; i++)
        launch(engines[i], programs[i], 7, i == 0 ? 64 : 16);
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_cache_program_capture_launched(programs[i]));
        struct bytes blob = program_blob(programs[i]);
        EXPECT_GT(blob.size, 0);
        expect_loads(&blob, "-DFACTOR=7", 7);
        launch(engines[i], programs[i], 7, 32);
        bytes_free(&blob);
    }
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_cache_program_destroy(programs[i]));
        EXPECT_OK(dnnl_engine_destroy(engines[i]));
    }
}

struct launcher {
    dnnl_engine_t engine;
    dnnl_cache_program_t program;
    cl_uint factor;
    atomic_bool is_over;
    atomic_size_t launches;
};

static void *launch_on(void *argument)
{
    struct launcher *launcher = argument;
    for (size_t local = 1; !atomic_load(&launcher->is_over);
            local = local < items ? 2 * local : 1) {
        launch(launcher->engine, launcher->program, launcher->factor, local);
        atomic_fetch_add(&launcher->launches, 1);
    }
    return NULL;
}

TEST_C(PoclFolder, IsRightWhileAThirdThreadLaunches)
{
    enum { rounds = 3, makers = 2 };
    struct launcher launcher = {.factor = 90};
    pthread_t third;
    if ((launcher.engine = open_engine()) == NULL) return;
    launcher.program = build(launcher.engine, source, "-DFACTOR=90");
    ASSERT_EQ(0, pthread_create(&third, NULL, launch_on, &launcher));
    for (cl_uint round = 0; round < rounds; round++) {
        struct maker all[makers];
        pthread_t threads[makers];
        for (cl_uint i = 0; i < makers; i++) {
            all[i] = (struct maker){.engine = launcher.engine,
                    .factor = 30 + makers * round + i};
            ASSERT_EQ(0, pthread_create(&threads[i], NULL, make, &all[i]));
        }
        for (size_t i = 0; i < makers; i++) {
            char options[32];
            pthread_join(threads[i], NULL);
            (void)snprintf(
                    options, sizeof options, "-DFACTOR=%u", all[i].factor);
            expect_loads(&all[i].blob, options, all[i].factor);
            bytes_free(&all[i].blob);
        }
    }
    atomic_store(&launcher.is_over, true);
    pthread_join(third, NULL);
    EXPECT_GT(atomic_load(&launcher.launches), 0);
    EXPECT_OK(dnnl_cache_program_destroy(launcher.program));
    EXPECT_OK(dnnl_engine_destroy(launcher.engine));
}
