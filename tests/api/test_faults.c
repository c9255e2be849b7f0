/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every driver call made to fail, one after the other: the library's call
 * fails with a status that says so and writes nothing, or succeeds with an
 * object that works; nothing is left behind, and the next try succeeds.
 */
#include "blob_edit.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CALLS = 500 };

/* What an attempt works on, and what it writes. */
struct stage {
    struct rig rig;
    dnnl_cache_program_desc_t program_desc;
    dnnl_cache_program_t program;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    dnnl_stream_t stream;
    cl_program object;
    cl_command_queue queue;
    cl_mem buffer;
    struct bytes blob; /* something to create from, or what must come out */
    void *out;         /* the handle that is written */
    size_t size;       /* the size that is written */
    uint8_t bytes[1 << 15];
};

/* A call under test. All but attempt run without failures. */
struct scene {
    void (*prepare)(struct stage *s); /* NULL: nothing */
    dnnl_status_t (*attempt)(struct stage *s);
    void (*verify)(struct stage *s); /* after success; undoes it */
    void (*finish)(struct stage *s); /* NULL: nothing */
    bool from_blob;                  /* the blob may be called stale */
};

static void *const untouched = (void *)(uintptr_t)0x5a5a5a5a;
static struct stage stage;

static bool is_clean(const struct scene *scene, dnnl_status_t st, cl_int error)
{
    if (st == dnnl_out_of_memory) return true;
    if (scene->from_blob && st == dnnl_cache_blob_stale) return true;
    return st == dnnl_runtime_error && error != CL_OUT_OF_HOST_MEMORY;
}

static dnnl_status_t attempt(const struct scene *scene, struct stage *s)
{
    s->out = untouched;
    s->size = 77;
    dnnl_status_t st = scene->attempt(s);
    if (st != dnnl_success) {
        EXPECT_PTR_EQ(untouched, s->out);
        EXPECT_EQ(77, s->size);
    }
    return st;
}

/* One try with call n failing. False if the attempt made fewer calls. */
static bool try_with_failure(
        const struct scene *scene, unsigned n, cl_int error)
{
    struct stage *s = &stage;
    memset(s, 0, sizeof *s);
    rig_open(&s->rig, 0);
    if (scene->prepare != NULL) scene->prepare(s);
    fake_opencl_fail_any(n, error);
    dnnl_status_t st = attempt(scene, s);
    const char *failed = fake_opencl_last_failure();
    fake_opencl_fail_any(0, 0);
    if (failed == NULL)
        EXPECT_OK(st);
    else if (st != dnnl_success && !is_clean(scene, st, error))
        test_fail(__FILE__, __LINE__, "call %u, %s: status %s", n, failed,
                dnnl_status2str(st));
    if (st == dnnl_success) scene->verify(s);
    /* Again, with a driver that works. */
    if (st != dnnl_success) {
        st = attempt(scene, s);
        EXPECT_OK(st);
        if (st == dnnl_success) scene->verify(s);
    }
    if (scene->finish != NULL) scene->finish(s);
    rig_close(&s->rig);
    if (test_has_failed() && failed != NULL)
        printf("call %u, %s, with %d\n", n, failed, (int)error);
    return failed != NULL;
}

static void expect_clean_failures(const struct scene *scene)
{
    /* 0: the function's usual error. */
    static const cl_int errors[] = {0, CL_OUT_OF_HOST_MEMORY};
    struct log_capture log;
    log_capture_start(&log);
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++) {
        unsigned n = 1;
        while (n < MOST_CALLS && !test_has_failed()
                && try_with_failure(scene, n, errors[e]))
            n++;
        EXPECT_LT(n, MOST_CALLS);
    }
    log_capture_stop(&log);
}

/* ---- Engines ------------------------------------------------------------- */

static dnnl_status_t attempt_engine(struct stage *s)
{
    return dnnl_ocl_interop_engine_create(
            (dnnl_engine_t *)&s->out, s->rig.device, s->rig.context);
}

static dnnl_status_t attempt_engine_by_index(struct stage *s)
{
    return dnnl_engine_create((dnnl_engine_t *)&s->out, dnnl_gpu, 0);
}

static void verify_engine(struct stage *s)
{
    dnnl_cache_program_t program = build(s->out, scale_source, NULL);
    expect_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(s->out));
}

TEST_C(Faults, OfEngineCreation)
{
    const struct scene scene = {
            NULL, attempt_engine, verify_engine, NULL, false};
    expect_clean_failures(&scene);
}

/* The loader lists platforms and devices itself; a platform that fails has no
 * devices, and then there is no such engine. */
TEST_C(Faults, OfEngineCreationByIndex)
{
    struct log_capture log;
    log_capture_start(&log);
    for (unsigned n = 1; n < MOST_CALLS; n++) {
        struct stage *s = &stage;
        memset(s, 0, sizeof *s);
        rig_open(&s->rig, 0);
        s->out = untouched;
        fake_opencl_fail_any(n, 0);
        dnnl_status_t st = attempt_engine_by_index(s);
        const char *failed = fake_opencl_last_failure();
        fake_opencl_fail_any(0, 0);
        if (st == dnnl_success) {
            verify_engine(s);
        } else {
            EXPECT_PTR_EQ(untouched, s->out);
            EXPECT_TRUE(st == dnnl_out_of_memory || st == dnnl_runtime_error
                        || st == dnnl_invalid_arguments);
        }
        rig_close(&s->rig);
        if (failed == NULL) break;
    }
    log_capture_stop(&log);
}

static void make_engine_blob(struct stage *s)
{
    s->blob = engine_blob(s->rig.engine);
}

static void make_engine_blob_elsewhere(struct stage *s)
{
    dnnl_engine_t other = NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &other, s->rig.device, s->rig.context));
    s->blob = engine_blob(other);
    EXPECT_OK(dnnl_engine_destroy(other));
}

static void free_blob(struct stage *s)
{
    bytes_free(&s->blob);
}

static dnnl_status_t attempt_engine_blob(struct stage *s)
{
    size_t size = sizeof s->bytes;
    dnnl_status_t st = dnnl_ocl_interop_engine_get_cache_blob(
            s->rig.engine, &size, s->bytes);
    if (st == dnnl_success) s->size = size;
    return st;
}

/* Uncertain facts are not kept: then the blob is empty. A compiler that refuses
 * the probe once is taken to refuse half. */
static void verify_engine_blob(struct stage *s)
{
    struct bytes blob = {s->bytes, s->size};
    struct bytes no_half = blob_with_facts(&s->blob, 32, 256, 0);
    EXPECT_TRUE(s->size == 0 || bytes_equal(&s->blob, &blob)
                || bytes_equal(&no_half, &blob));
    bytes_free(&no_half);
}

TEST_C(Faults, OfEngineBlobs)
{
    const struct scene scene = {make_engine_blob_elsewhere, attempt_engine_blob,
            verify_engine_blob, free_blob, false};
    expect_clean_failures(&scene);
}

static dnnl_status_t attempt_engine_from_blob(struct stage *s)
{
    return dnnl_ocl_interop_engine_create_from_cache_blob(
            (dnnl_engine_t *)&s->out, s->rig.device, s->rig.context,
            s->blob.size, s->blob.data);
}

static void verify_warm_engine(struct stage *s)
{
    struct bytes again = engine_blob(s->out);
    EXPECT_TRUE(bytes_equal(&s->blob, &again));
    bytes_free(&again);
    verify_engine(s);
}

TEST_C(Faults, OfEnginesFromBlobs)
{
    const struct scene scene = {make_engine_blob, attempt_engine_from_blob,
            verify_warm_engine, free_blob, false};
    expect_clean_failures(&scene);
}

/* ---- Identity ------------------------------------------------------------ */

/* In a process of its own, since an identity is established once. Exits with
 * 0 if all is well, 1 if not, 2 if fewer calls are made. */
static int identify_with_failure(unsigned n, const struct bytes *right)
{
    struct log_capture log;
    uint8_t id[2048];
    size_t size = sizeof id;
    cl_device_id device = rig_device(6);
    log_capture_start(&log);
    fake_opencl_fail_any(n, 0);
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id);
    const char *failed = fake_opencl_last_failure();
    fake_opencl_fail_any(0, 0);
    if (failed == NULL) return 2;
    bool fine =
            st == dnnl_out_of_memory || st == dnnl_runtime_error
            || (st == dnnl_success
                    && (size == 0
                            || (size == right->size
                                    && memcmp(id, right->data, size) == 0)));
    size = sizeof id;
    st = dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id);
    fine = fine && st == dnnl_success && size == right->size
           && memcmp(id, right->data, size) == 0;
    if (!fine) fprintf(stderr, "call %u, %s\n", n, failed);
    return fine ? 0 : 1;
}

static int in_child(unsigned n, const struct bytes *right)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(identify_with_failure(n, right));
    EXPECT_TRUE(child > 0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A query that fails leaves the device without an ID, or with the right one;
 * never with another. */
TEST_C(Faults, OfIdentification)
{
    struct rig rig;
    int result = 0;
    fake_opencl_set("DEVICES", "8");
    fake_opencl_set("DEVICE_UUID", "00112233445566778899aabbccddeeff");
    fake_opencl_set("DRIVER_UUID", "ffeeddccbbaa99887766554433221100");
    fake_opencl_set("INTEL_IP_VERSION", "1");
    fake_opencl_set("INTEL_DEVICE_ID", "2");
    fake_opencl_set("NV_CC", "9.0");
    fake_opencl_set("AMD_GFXIP", "9.4");
    fake_opencl_set("AMD_PCIE_ID", "3");
    rig_open(&rig, 0);
    struct bytes right = engine_id(rig_device(7));
    EXPECT_GT(right.size, 0);
    for (unsigned n = 1; n < MOST_CALLS && result == 0; n++)
        result = in_child(n, &right);
    EXPECT_EQ(2, result);
    bytes_free(&right);
    rig_close(&rig);
}

/* ---- Programs ------------------------------------------------------------ */

static void describe_program(struct stage *s)
{
    s->program_desc = describe(s->rig.engine, scale_source, "-DA=1");
    struct bytes id = program_id(s->program_desc);
    bytes_free(&id);
}

static void forget_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->program_desc));
    bytes_free(&s->blob);
}

static dnnl_status_t attempt_program(struct stage *s)
{
    return dnnl_cache_program_create(
            (dnnl_cache_program_t *)&s->out, s->program_desc);
}

static void verify_program(struct stage *s)
{
    expect_kernel(s->out, "scale");
    struct bytes blob = program_blob(s->out);
    EXPECT_GT(blob.size, 0);
    EXPECT_TRUE(s->blob.size == 0 || bytes_equal(&s->blob, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(s->out));
}

TEST_C(Faults, OfProgramCreation)
{
    const struct scene scene = {describe_program, attempt_program,
            verify_program, forget_program, false};
    expect_clean_failures(&scene);
}

/* A program's blob, made in another context, which keeps it from memory. */
static void make_program_blob(struct stage *s)
{
    dnnl_engine_t other = NULL;
    describe_program(s);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_t program = build(other, scale_source, "-DA=1");
    s->blob = program_blob(program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(other));
}

static dnnl_status_t attempt_program_from_blob(struct stage *s)
{
    return dnnl_cache_program_create_from_cache_blob(
            (dnnl_cache_program_t *)&s->out, s->program_desc, s->blob.size,
            s->blob.data);
}

TEST_C(Faults, OfProgramsFromBlobs)
{
    const struct scene scene = {make_program_blob, attempt_program_from_blob,
            verify_program, forget_program, true};
    expect_clean_failures(&scene);
}

static void make_program(struct stage *s)
{
    make_program_blob(s);
    s->program = create(s->program_desc);
}

static void destroy_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_destroy(s->program));
    forget_program(s);
}

static dnnl_status_t attempt_program_blob(struct stage *s)
{
    size_t size = sizeof s->bytes;
    dnnl_status_t st =
            dnnl_cache_program_get_cache_blob(s->program, &size, s->bytes);
    if (st == dnnl_success) s->size = size;
    return st;
}

static void verify_blob(struct stage *s)
{
    EXPECT_BYTES_EQ(s->blob.data, s->blob.size, s->bytes, s->size);
}

TEST_C(Faults, OfProgramBlobs)
{
    const struct scene scene = {make_program, attempt_program_blob, verify_blob,
            destroy_program, false};
    expect_clean_failures(&scene);
}

static dnnl_status_t attempt_log(struct stage *s)
{
    size_t size = sizeof s->bytes;
    dnnl_status_t st = dnnl_cache_program_get_build_log(
            s->program, &size, (char *)s->bytes);
    if (st == dnnl_success) s->size = size;
    return st;
}

static void verify_log(struct stage *s)
{
    EXPECT_EQ(1, s->size);
    EXPECT_EQ('\0', s->bytes[0]);
}

TEST_C(Faults, OfBuildLogs)
{
    const struct scene scene = {
            make_program, attempt_log, verify_log, destroy_program, false};
    expect_clean_failures(&scene);
}

static dnnl_status_t attempt_kernel(struct stage *s)
{
    return dnnl_cache_program_get_kernel(
            s->program, "scale", (cl_kernel *)&s->out);
}

static void verify_kernel(struct stage *s)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(s->out));
}

/* CL_INVALID_KERNEL_NAME, the usual error, says what it says. */
TEST_C(Faults, OfKernels)
{
    struct log_capture log;
    memset(&stage, 0, sizeof stage);
    rig_open(&stage.rig, 0);
    make_program(&stage);
    log_capture_start(&log);
    stage.out = untouched;
    fake_opencl_fail("clCreateKernel", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_STATUS(dnnl_out_of_memory, attempt_kernel(&stage));
    fake_opencl_fail("clCreateKernel", 1, CL_INVALID_PROGRAM_EXECUTABLE);
    EXPECT_STATUS(dnnl_runtime_error, attempt_kernel(&stage));
    EXPECT_PTR_EQ(untouched, stage.out);
    EXPECT_OK(attempt_kernel(&stage));
    verify_kernel(&stage);
    log_capture_stop(&log);
    destroy_program(&stage);
    rig_close(&stage.rig);
}

static void make_object(struct stage *s)
{
    cl_int error;
    const char *source = scale_source;
    make_program_blob(s);
    s->object =
            clCreateProgramWithSource(s->rig.context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(s->object, 0, NULL, "-DA=1", NULL, NULL));
}

static void release_object(struct stage *s)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(s->object));
    forget_program(s);
}

static dnnl_status_t attempt_adoption(struct stage *s)
{
    return dnnl_cache_program_adopt(
            (dnnl_cache_program_t *)&s->out, s->program_desc, s->object);
}

TEST_C(Faults, OfAdoption)
{
    const struct scene scene = {make_object, attempt_adoption, verify_program,
            release_object, false};
    expect_clean_failures(&scene);
}

/* ---- Primitives ---------------------------------------------------------- */

static dnnl_status_t attempt_primitive_desc(struct stage *s)
{
    return try_relu_desc(
            (dnnl_primitive_desc_t *)&s->out, s->rig.engine, 16, 0.5f);
}

static void verify_primitive_desc(struct stage *s)
{
    dnnl_primitive_t primitive = NULL;
    EXPECT_OK(dnnl_primitive_create(&primitive, s->out));
    EXPECT_OK(run_relu(s->rig.engine, primitive, 16));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(s->out));
}

TEST_C(Faults, OfPrimitiveDescriptors)
{
    const struct scene scene = {
            NULL, attempt_primitive_desc, verify_primitive_desc, NULL, false};
    expect_clean_failures(&scene);
}

/* A descriptor of a relu, and the blob of its like in another context. */
static void describe_primitive(struct stage *s)
{
    dnnl_engine_t other = NULL;
    dnnl_primitive_t primitive = NULL;
    s->pd = relu_desc(s->rig.engine, 16, 0.5f);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_primitive_desc_t pd = relu_desc(other, 16, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    s->blob = primitive_blob(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_engine_destroy(other));
    rig_forget_primitives();
}

static void forget_primitive(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(s->pd));
    bytes_free(&s->blob);
}

static dnnl_status_t attempt_primitive(struct stage *s)
{
    return dnnl_primitive_create((dnnl_primitive_t *)&s->out, s->pd);
}

static void verify_primitive(struct stage *s)
{
    EXPECT_OK(run_relu(s->rig.engine, s->out, 16));
    struct bytes blob = primitive_blob(s->out);
    EXPECT_TRUE(bytes_equal(&s->blob, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(s->out));
}

TEST_C(Faults, OfPrimitiveCreation)
{
    const struct scene scene = {describe_primitive, attempt_primitive,
            verify_primitive, forget_primitive, false};
    expect_clean_failures(&scene);
}

static dnnl_status_t attempt_primitive_from_blob(struct stage *s)
{
    return dnnl_primitive_create_from_cache_blob(
            (dnnl_primitive_t *)&s->out, s->pd, s->blob.size, s->blob.data);
}

TEST_C(Faults, OfPrimitivesFromBlobs)
{
    const struct scene scene = {describe_primitive, attempt_primitive_from_blob,
            verify_primitive, forget_primitive, true};
    expect_clean_failures(&scene);
}

static void make_primitive(struct stage *s)
{
    describe_primitive(s);
    EXPECT_OK(dnnl_primitive_create(&s->primitive, s->pd));
}

static void destroy_primitive(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_destroy(s->primitive));
    forget_primitive(s);
}

static dnnl_status_t attempt_primitive_blob(struct stage *s)
{
    size_t size = sizeof s->bytes;
    dnnl_status_t st =
            dnnl_primitive_get_cache_blob(s->primitive, &size, s->bytes);
    if (st == dnnl_success) s->size = size;
    return st;
}

TEST_C(Faults, OfPrimitiveBlobs)
{
    const struct scene scene = {make_primitive, attempt_primitive_blob,
            verify_blob, destroy_primitive, false};
    expect_clean_failures(&scene);
}

static void prepare_execution(struct stage *s)
{
    make_primitive(s);
    s->md = vector_desc(16);
    EXPECT_OK(dnnl_memory_create(
            &s->memory, s->md, s->rig.engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_stream_create(
            &s->stream, s->rig.engine, dnnl_stream_out_of_order));
}

static void finish_execution(struct stage *s)
{
    EXPECT_OK(dnnl_stream_destroy(s->stream));
    EXPECT_OK(dnnl_memory_destroy(s->memory));
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
    destroy_primitive(s);
}

static dnnl_status_t attempt_execution(struct stage *s)
{
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, s->memory}, {DNNL_ARG_DST, s->memory}};
    return dnnl_ocl_interop_primitive_execute(
            s->primitive, s->stream, 2, args, NULL, 0, (cl_event *)&s->out);
}

static void verify_execution(struct stage *s)
{
    cl_event event = s->out;
    ASSERT_NOT_NULL(event);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
    EXPECT_OK(dnnl_stream_wait(s->stream));
}

TEST_C(Faults, OfExecution)
{
    const struct scene scene = {prepare_execution, attempt_execution,
            verify_execution, finish_execution, false};
    expect_clean_failures(&scene);
}

static dnnl_status_t attempt_wait(struct stage *s)
{
    return dnnl_stream_wait(s->stream);
}

static void verify_nothing(struct stage *s)
{
    (void)s;
}

TEST_C(Faults, OfWaiting)
{
    const struct scene scene = {prepare_execution, attempt_wait, verify_nothing,
            finish_execution, false};
    expect_clean_failures(&scene);
}

/* ---- Memory and streams -------------------------------------------------- */

static void describe_memory(struct stage *s)
{
    s->md = vector_desc(16);
}

static void forget_memory(struct stage *s)
{
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
}

static dnnl_status_t attempt_memory(struct stage *s)
{
    return dnnl_memory_create((dnnl_memory_t *)&s->out, s->md, s->rig.engine,
            DNNL_MEMORY_ALLOCATE);
}

static dnnl_status_t attempt_opencl_memory(struct stage *s)
{
    return dnnl_ocl_interop_memory_create((dnnl_memory_t *)&s->out, s->md,
            s->rig.engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE);
}

static void verify_memory(struct stage *s)
{
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_map_data(s->out, &mapped));
    ASSERT_NOT_NULL(mapped);
    memset(mapped, 0, 64);
    EXPECT_OK(dnnl_memory_unmap_data(s->out, mapped));
    EXPECT_OK(dnnl_memory_destroy(s->out));
}

TEST_C(Faults, OfMemoryCreation)
{
    const struct scene scene = {describe_memory, attempt_memory, verify_memory,
            forget_memory, false};
    const struct scene opencl = {describe_memory, attempt_opencl_memory,
            verify_memory, forget_memory, false};
    expect_clean_failures(&scene);
    expect_clean_failures(&opencl);
}

static void make_memory(struct stage *s)
{
    s->md = vector_desc(16);
    EXPECT_OK(dnnl_memory_create(
            &s->memory, s->md, s->rig.engine, DNNL_MEMORY_ALLOCATE));
}

static void destroy_memory(struct stage *s)
{
    EXPECT_OK(dnnl_memory_destroy(s->memory));
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
}

static dnnl_status_t attempt_map(struct stage *s)
{
    return dnnl_memory_map_data(s->memory, &s->out);
}

static void verify_map(struct stage *s)
{
    memset(s->out, 0, 64);
    EXPECT_OK(dnnl_memory_unmap_data(s->memory, s->out));
}

TEST_C(Faults, OfMapping)
{
    const struct scene scene = {
            make_memory, attempt_map, verify_map, destroy_memory, false};
    expect_clean_failures(&scene);
}

static void make_buffer(struct stage *s)
{
    cl_int error;
    make_memory(s);
    s->buffer =
            clCreateBuffer(s->rig.context, CL_MEM_READ_WRITE, 64, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
}

static void release_buffer(struct stage *s)
{
    destroy_memory(s);
    EXPECT_EQ(1, memory_references(s->buffer));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(s->buffer));
}

static dnnl_status_t attempt_set_buffer(struct stage *s)
{
    return dnnl_ocl_interop_memory_set_mem_object(s->memory, s->buffer);
}

static void verify_buffer(struct stage *s)
{
    cl_mem buffer = NULL;
    EXPECT_OK(dnnl_ocl_interop_memory_get_mem_object(s->memory, &buffer));
    EXPECT_PTR_EQ(s->buffer, buffer);
    EXPECT_EQ(2, memory_references(buffer));
}

TEST_C(Faults, OfSettingABuffer)
{
    const struct scene scene = {make_buffer, attempt_set_buffer, verify_buffer,
            release_buffer, false};
    expect_clean_failures(&scene);
}

static dnnl_status_t attempt_stream(struct stage *s)
{
    return dnnl_stream_create(
            (dnnl_stream_t *)&s->out, s->rig.engine, dnnl_stream_default_flags);
}

static void verify_stream(struct stage *s)
{
    EXPECT_OK(dnnl_stream_wait(s->out));
    EXPECT_OK(dnnl_stream_destroy(s->out));
}

TEST_C(Faults, OfStreamCreation)
{
    const struct scene scene = {
            NULL, attempt_stream, verify_stream, NULL, false};
    expect_clean_failures(&scene);
}

static void make_queue(struct stage *s)
{
    cl_int error;
    s->queue = clCreateCommandQueue(s->rig.context, s->rig.device, 0, &error);
    EXPECT_EQ(CL_SUCCESS, error);
}

static void release_queue(struct stage *s)
{
    EXPECT_EQ(1, queue_references(s->queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(s->queue));
}

static dnnl_status_t attempt_opencl_stream(struct stage *s)
{
    return dnnl_ocl_interop_stream_create(
            (dnnl_stream_t *)&s->out, s->rig.engine, s->queue);
}

TEST_C(Faults, OfStreamsOnOwnQueues)
{
    const struct scene scene = {make_queue, attempt_opencl_stream,
            verify_stream, release_queue, false};
    expect_clean_failures(&scene);
}
