/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders from one dnnl_gpu engine to another: of one context, of two contexts
 * of one device, of two devices. ctest gives PoCL two devices; where a driver
 * has one, the last are skipped.
 */
#include "run_primitive.h"
#include "test.h"
#include "test_platform.h"

#include <stdlib.h>
#include <string.h>

/* ---- Engines ------------------------------------------------------------- */

static dnnl_engine_t engine_of(cl_device_id device)
{
    dnnl_engine_t engine = NULL;
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    if (error != CL_SUCCESS) return NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_create(&engine, device, context));
    clReleaseContext(context);
    return engine;
}

/* Another engine of test_engine()'s context. */
static dnnl_engine_t engine_beside(void)
{
    dnnl_engine_t engine = NULL;
    cl_context context = NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(test_engine(), &context));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &engine, test_platform_device(), context));
    return engine;
}

/* NULL: the platform has one device. */
static cl_device_id second_device(void)
{
    cl_device_id devices[2];
    cl_platform_id platform = NULL;
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS,
            clGetDeviceInfo(test_platform_device(), CL_DEVICE_PLATFORM,
                    sizeof platform, &platform, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count));
    return count > 1 ? devices[1] : NULL;
}

/* ---- Moves --------------------------------------------------------------- */

/* Numbers of src, and what they are at execution. */
struct move {
    struct tensor src, dst;
    bool is_scaled;
    bool is_moved;
    struct tensor scale, zero;
};

static double scale_of(const struct move *m)
{
    return m->is_scaled ? reference_read(&m->scale.view, 0) : 1.0;
}

static double zero_of(const struct move *m)
{
    return m->is_moved ? reference_read(&m->zero.view, 0) : 0.0;
}

/* The difference is exact, of integers of 8 bits; the product is rounded. */
static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct move *m = user;
    double v = (reference_at(&m->src.view, place) - zero_of(m)) * scale_of(m);
    double magnitude = v < 0.0 ? -v : v;
    return (struct reference_value){
            v, m->is_scaled ? 0x1p-23 * magnitude : 0.0};
}

static void init_numbers(struct move *m)
{
    const double scale = 0.375;
    const double zero = -7.0;
    if (m->is_scaled) {
        tensor_init(&m->scale, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
        tensor_set(&m->scale, &scale, 1);
    }
    if (m->is_moved) {
        tensor_init(&m->zero, dnnl_s32, 1, (dnnl_dims_t){1}, dnnl_a);
        tensor_set(&m->zero, &zero, 1);
    }
}

static void fini(struct move *m)
{
    tensor_fini(&m->src);
    tensor_fini(&m->dst);
    tensor_fini(&m->scale);
    tensor_fini(&m->zero);
}

static dnnl_status_t describe(dnnl_primitive_desc_t *pd, const struct move *m,
        dnnl_engine_t from, dnnl_engine_t to)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    if (m->is_scaled)
        EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 0));
    if (m->is_moved)
        EXPECT_OK(dnnl_primitive_attr_set_zero_points_mask(
                attr, DNNL_ARG_FROM, 0));
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, m->src.md, from, m->dst.md, to, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- Execution ----------------------------------------------------------- */

static dnnl_memory_t send(const struct tensor *t, dnnl_engine_t engine)
{
    dnnl_memory_t memory = NULL;
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_create(&memory, t->md, engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    if (t->size > 0 && mapped != NULL) memcpy(mapped, t->bytes, t->size);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

static void receive(dnnl_memory_t memory, unsigned char *bytes, size_t size)
{
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    if (size > 0 && mapped != NULL) memcpy(bytes, mapped, size);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

/* Twice, so that nothing is left of the first time. */
static void execute(const struct move *m, dnnl_primitive_t primitive,
        dnnl_engine_t from, dnnl_engine_t to, unsigned char *result)
{
    const struct tensor *tensors[] = {&m->src, &m->dst, &m->scale, &m->zero};
    const int names[] = {DNNL_ARG_FROM, DNNL_ARG_TO,
            DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM,
            DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM};
    dnnl_exec_arg_t args[4];
    int count = 0;
    dnnl_stream_t stream = NULL;
    EXPECT_OK(dnnl_stream_create(&stream, to, dnnl_stream_default_flags));
    for (int i = 0; i < 4; i++)
        if (tensors[i]->md != NULL)
            args[count++] = (dnnl_exec_arg_t){
                    names[i], send(tensors[i], i == 0 ? from : to)};
    for (int i = 0; i < 2; i++)
        EXPECT_OK(dnnl_primitive_execute(primitive, stream, count, args));
    EXPECT_OK(dnnl_stream_wait(stream));
    receive(args[1].memory, result, m->dst.size);
    dnnl_stream_destroy(stream);
    for (int i = 0; i < count; i++)
        dnnl_memory_destroy(args[i].memory);
}

struct blob {
    uint8_t *data;
    size_t size;
};

static struct blob blob_of(const_dnnl_primitive_t primitive)
{
    struct blob blob = {NULL, 0};
    EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &blob.size, NULL));
    blob.data = malloc(blob.size + 1);
    if (blob.data == NULL) abort();
    EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &blob.size, blob.data));
    return blob;
}

static bool is_one_context(dnnl_engine_t a, dnnl_engine_t b)
{
    cl_context contexts[2] = {NULL, NULL};
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(a, &contexts[0]));
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(b, &contexts[1]));
    return contexts[0] == contexts[1];
}

/* The same from the blob, to a fresh engine of the device that may not compile:
 * the same bytes. A reorder within a context stays one. */
static void run_warm(const struct move *m, dnnl_engine_t from,
        const struct blob *blob, const unsigned char *bytes)
{
    dnnl_engine_t to = engine_of(test_platform_device());
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    unsigned char *result = malloc(m->dst.size + 1);
    int capacity = 0;
    if (result == NULL) abort();
    if (is_one_context(from, test_engine())) from = to;
    EXPECT_OK(dnnl_get_primitive_cache_capacity(&capacity));
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    dnnl_status_t st = describe(&pd, m, from, to);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            to, dnnl_cache_compile_mode_cached_only));
    if (st == dnnl_success)
        st = dnnl_primitive_create_from_cache_blob(
                &primitive, pd, blob->size, blob->data);
    EXPECT_OK(st);
    if (st == dnnl_success) {
        execute(m, primitive, from, to, result);
        EXPECT_BYTES_EQ(bytes, m->dst.size, result, m->dst.size);
    }
    EXPECT_OK(dnnl_set_primitive_cache_capacity(capacity));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_engine_destroy(to);
    free(result);
}

/* From an engine to test_engine(); result: the bytes of dst. */
static void run(const struct move *m, dnnl_engine_t from, unsigned char *result)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_engine_t answer = NULL;
    ASSERT_OK(describe(&pd, m, from, test_engine()));
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_reorder_src_engine, 0, &answer));
    EXPECT_PTR_EQ(from, answer);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_reorder_dst_engine, 0, &answer));
    EXPECT_PTR_EQ(test_engine(), answer);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, &answer));
    EXPECT_PTR_EQ(test_engine(), answer);
    dnnl_status_t st = dnnl_primitive_create(&primitive, pd);
    EXPECT_OK(st);
    if (st == dnnl_success) {
        struct blob blob = blob_of(primitive);
        execute(m, primitive, from, test_engine(), result);
        run_warm(m, from, &blob, result);
        free(blob.data);
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

/* Runs on inputs that are there already, compares with the same reorder on one
 * engine, and with the reference where elements are found by strides. */
static void check(struct move *m, dnnl_engine_t from, bool is_plain)
{
    unsigned char *alone = malloc(m->dst.size + 1);
    unsigned char *result = malloc(m->dst.size + 1);
    if (alone == NULL || result == NULL) abort();
    run(m, test_engine(), alone);
    run(m, from, result);
    EXPECT_BYTES_EQ(alone, m->dst.size, result, m->dst.size);
    memcpy(m->dst.bytes, result, m->dst.size);
    if (is_plain) expect_tensor(&m->dst, expected, m);
    free(alone);
    free(result);
}

static void check_random(dnnl_engine_t from, dnnl_data_type_t src,
        dnnl_data_type_t dst, bool with_numbers, uint64_t *seed)
{
    for (int i = 0; i < 4 && !test_has_failed(); i++) {
        struct move m;
        dnnl_dims_t dims;
        memset(&m, 0, sizeof m);
        for (int d = 0; d < 3; d++)
            dims[d] = 1 + random_below(seed, 13);
        tensor_init_random(&m.src, src, 3, dims, seed);
        tensor_init_random(&m.dst, dst, 3, dims, seed);
        tensor_randomize(&m.src, seed, -100.0, 100.0);
        m.is_scaled = m.is_moved = with_numbers;
        init_numbers(&m);
        check(&m, from, true);
        fini(&m);
    }
}

static void check_blocks(dnnl_engine_t from, uint64_t *seed)
{
    const dnnl_dims_t dims = {2, 19, 3, 5};
    struct move m;
    memset(&m, 0, sizeof m);
    tensor_init(&m.src, dnnl_f32, 4, dims, dnnl_nhwc);
    tensor_randomize(&m.src, seed, -100.0, 100.0);
    tensor_init(&m.dst, dnnl_f32, 1,
            (dnnl_dims_t){dims[0] * 32 * dims[2] * dims[3]}, dnnl_a);
    dnnl_memory_desc_destroy(m.dst.md);
    m.dst.md = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &m.dst.md, 4, dims, dnnl_f32, dnnl_nChw16c));
    check(&m, from, false);
    fini(&m);
}

/* One type and dense layout: bytes as they are. */
static void check_copy(dnnl_engine_t from, uint64_t *seed)
{
    struct move m;
    memset(&m, 0, sizeof m);
    tensor_init(&m.src, dnnl_s8, 2, (dnnl_dims_t){37, 101}, dnnl_ba);
    tensor_init(&m.dst, dnnl_s8, 2, (dnnl_dims_t){37, 101}, dnnl_ba);
    tensor_randomize_type(&m.src, seed);
    check(&m, from, true);
    fini(&m);
}

static void check_all(dnnl_engine_t from)
{
    uint64_t seed = test_seed();
    check_copy(from, &seed);
    check_random(from, dnnl_f32, dnnl_s8, false, &seed);
    check_random(from, dnnl_s8, dnnl_f32, true, &seed);
    check_blocks(from, &seed);
}

TEST_C(ReorderEngines, MoveWithinAContext)
{
    dnnl_engine_t from = engine_beside();
    ASSERT_NOT_NULL(from);
    check_all(from);
    dnnl_engine_destroy(from);
}

TEST_C(ReorderEngines, MoveBetweenContextsOfOneDevice)
{
    dnnl_engine_t from = engine_of(test_platform_device());
    ASSERT_NOT_NULL(from);
    check_all(from);
    dnnl_engine_destroy(from);
}

TEST_C(ReorderEngines, MoveBetweenDevices)
{
    cl_device_id device = second_device();
    if (device == NULL) SKIP_TEST("the platform has one device");
    dnnl_engine_t from = engine_of(device);
    ASSERT_NOT_NULL(from);
    check_all(from);
    dnnl_engine_destroy(from);
}

/* Bytes that are copied need no program, and no blob has one. */
TEST_C(ReorderEngines, CompileNothingForCopies)
{
    dnnl_engine_t from = engine_of(test_platform_device());
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){3, 4}, dnnl_f32);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    ASSERT_OK(dnnl_reorder_primitive_desc_create(
            &pd, md, from, md, test_engine(), NULL));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    ASSERT_OK(dnnl_cache_primitive_get_creation_info(primitive, &info));
    EXPECT_EQ(dnnl_cache_origin_none, info.origin);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_engine_destroy(from);
}

/* ---- Order --------------------------------------------------------------- */

/* A queue of no order: it begins after the events given, and its own event is
 * the end. */
static void check_events(dnnl_engine_t from, struct move *m)
{
    dnnl_stream_t stream = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    cl_context context = NULL;
    cl_event end = NULL;
    cl_int error;
    dnnl_status_t st = dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_out_of_order);
    if (st == dnnl_unimplemented) return;
    ASSERT_OK(st);
    ASSERT_OK(dnnl_ocl_interop_engine_get_context(test_engine(), &context));
    cl_event begin = clCreateUserEvent(context, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(begin, CL_COMPLETE));
    ASSERT_OK(describe(&pd, m, from, test_engine()));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, send(&m->src, from)},
            {DNNL_ARG_TO, send(&m->dst, test_engine())}};
    EXPECT_OK(dnnl_ocl_interop_primitive_execute(
            primitive, stream, 2, args, &begin, 1, &end));
    ASSERT_NOT_NULL(end);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &end));
    receive(args[1].memory, m->dst.bytes, m->dst.size);
    expect_tensor(&m->dst, expected, m);
    clReleaseEvent(begin);
    clReleaseEvent(end);
    for (int i = 0; i < 2; i++)
        dnnl_memory_destroy(args[i].memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_stream_destroy(stream);
}

TEST_C(ReorderEngines, KeepTheOrderOfEvents)
{
    dnnl_engine_t from = engine_of(test_platform_device());
    uint64_t seed = test_seed();
    for (int converts = 0; converts < 2; converts++) {
        const dnnl_dims_t dims = {5, 43};
        struct move m;
        memset(&m, 0, sizeof m);
        tensor_init(&m.src, dnnl_f32, 2, dims, dnnl_ab);
        tensor_init(&m.dst, converts ? dnnl_s8 : dnnl_f32, 2, dims, dnnl_ab);
        tensor_randomize(&m.src, &seed, -100.0, 100.0);
        check_events(from, &m);
        fini(&m);
    }
    dnnl_engine_destroy(from);
}

/* ---- What is refused ----------------------------------------------------- */

TEST_C(ReorderEngines, RefuseMemoryOfTheWrongEngine)
{
    dnnl_engine_t to = test_engine();
    dnnl_engine_t from = engine_of(test_platform_device());
    dnnl_stream_t streams[2] = {NULL, NULL};
    for (int converts = 0; converts < 2; converts++) {
        dnnl_memory_desc_t src = plain_md(1, (dnnl_dims_t){8}, dnnl_f32);
        dnnl_memory_desc_t dst =
                plain_md(1, (dnnl_dims_t){8}, converts ? dnnl_s8 : dnnl_f32);
        dnnl_memory_t here[2], there[2];
        dnnl_primitive_desc_t pd = NULL;
        dnnl_primitive_t primitive = NULL;
        ASSERT_OK(dnnl_memory_create(&here[0], src, to, DNNL_MEMORY_ALLOCATE));
        ASSERT_OK(dnnl_memory_create(&here[1], dst, to, DNNL_MEMORY_ALLOCATE));
        ASSERT_OK(
                dnnl_memory_create(&there[0], src, from, DNNL_MEMORY_ALLOCATE));
        ASSERT_OK(
                dnnl_memory_create(&there[1], dst, from, DNNL_MEMORY_ALLOCATE));
        ASSERT_OK(dnnl_stream_create(&streams[0], to, 1));
        ASSERT_OK(dnnl_stream_create(&streams[1], from, 1));
        ASSERT_OK(dnnl_reorder_primitive_desc_create(
                &pd, src, from, dst, to, NULL));
        ASSERT_OK(dnnl_primitive_create(&primitive, pd));
        const dnnl_exec_arg_t right[] = {
                {DNNL_ARG_FROM, there[0]}, {DNNL_ARG_TO, here[1]}};
        const dnnl_exec_arg_t wrong_src[] = {
                {DNNL_ARG_FROM, here[0]}, {DNNL_ARG_TO, here[1]}};
        const dnnl_exec_arg_t wrong_dst[] = {
                {DNNL_ARG_FROM, there[0]}, {DNNL_ARG_TO, there[1]}};
        EXPECT_OK(dnnl_primitive_execute(primitive, streams[0], 2, right));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_primitive_execute(primitive, streams[1], 2, right));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_primitive_execute(primitive, streams[0], 2, wrong_src));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_primitive_execute(primitive, streams[0], 2, wrong_dst));
        for (int i = 0; i < 2; i++) {
            dnnl_stream_destroy(streams[i]);
            dnnl_memory_destroy(here[i]);
            dnnl_memory_destroy(there[i]);
        }
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
    dnnl_engine_destroy(from);
}
