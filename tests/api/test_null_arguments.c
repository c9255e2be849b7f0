/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NULL where an object is required, and sizes of 0: refused by every call
 * before anything else is looked at, and nothing is written.
 */
#include "bytes.h"
#include "dnnl_cache/sys/layer.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <string.h>

/* One of everything that calls ask for, and outputs that must not change. */
struct world {
    struct rig rig;
    dnnl_engine_t host;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t post_ops;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_cache_program_desc_t program_desc;
    dnnl_cache_program_t program;
    cl_program object;
    cl_command_queue queue;
    struct bytes blob; /* of the primitive */
    struct bytes id;

    void *out;
    size_t size;
    int number;
    uint8_t bytes[8];
};

/* Written nowhere, compared with. */
static void *const untouched = (void *)(uintptr_t)0x5a5a5a5a;

static void world_open(struct world *w)
{
    cl_int error;
    memset(w, 0, sizeof *w);
    rig_open(&w->rig, 0);
    EXPECT_OK(dnnl_engine_create(&w->host, dnnl_cpu, 0));
    EXPECT_OK(dnnl_stream_create(
            &w->stream, w->rig.engine, dnnl_stream_default_flags));
    w->md = vector_desc(16);
    EXPECT_OK(dnnl_memory_create(
            &w->memory, w->md, w->rig.engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_primitive_attr_create(&w->attr));
    EXPECT_OK(dnnl_post_ops_create(&w->post_ops));
    w->pd = relu_desc(w->rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&w->primitive, w->pd));
    w->blob = primitive_blob(w->primitive);
    w->id = primitive_id(w->pd);
    w->program_desc = describe(w->rig.engine, scale_source, NULL);
    w->program = create(w->program_desc);
    EXPECT_OK(dnnl_cache_program_get_cl_program(w->program, &w->object));
    w->queue = clCreateCommandQueue(w->rig.context, w->rig.device, 0, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    w->out = untouched;
    w->size = 77;
    w->number = 77;
    memset(w->bytes, 0x5a, sizeof w->bytes);
}

static void world_close(struct world *w)
{
    EXPECT_PTR_EQ(untouched, w->out);
    EXPECT_EQ(77, w->size);
    EXPECT_EQ(77, w->number);
    for (size_t i = 0; i < sizeof w->bytes; i++)
        EXPECT_EQ(0x5a, w->bytes[i]);
    clReleaseCommandQueue(w->queue);
    bytes_free(&w->id);
    bytes_free(&w->blob);
    EXPECT_OK(dnnl_cache_program_destroy(w->program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(w->program_desc));
    EXPECT_OK(dnnl_primitive_destroy(w->primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    EXPECT_OK(dnnl_post_ops_destroy(w->post_ops));
    EXPECT_OK(dnnl_primitive_attr_destroy(w->attr));
    EXPECT_OK(dnnl_memory_destroy(w->memory));
    EXPECT_OK(dnnl_memory_desc_destroy(w->md));
    EXPECT_OK(dnnl_stream_destroy(w->stream));
    EXPECT_OK(dnnl_engine_destroy(w->host));
    rig_close(&w->rig);
}

#define TEST_WORLD(suite, name) \
    TEST_WITH(suite, name, struct world, w, world_open(w), world_close(w))

/* The output of a call, as whatever handle it writes. */
#define OUT(type, w) ((type *)(void *)&(w)->out)

#define REFUSED(call) EXPECT_STATUS(dnnl_invalid_arguments, call)

/* ---- Library ------------------------------------------------------------- */

TEST_C(NullArguments, OfDestroyAreFine)
{
    EXPECT_OK(dnnl_engine_destroy(NULL));
    EXPECT_OK(dnnl_stream_destroy(NULL));
    EXPECT_OK(dnnl_memory_desc_destroy(NULL));
    EXPECT_OK(dnnl_memory_destroy(NULL));
    EXPECT_OK(dnnl_primitive_attr_destroy(NULL));
    EXPECT_OK(dnnl_post_ops_destroy(NULL));
    EXPECT_OK(dnnl_primitive_desc_destroy(NULL));
    EXPECT_OK(dnnl_primitive_destroy(NULL));
    EXPECT_OK(dnnl_cache_program_desc_destroy(NULL));
    EXPECT_OK(dnnl_cache_program_destroy(NULL));
}

static void fail_a_build(dnnl_engine_t engine)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc =
            describe(engine, "FAKE_BUILD_FAILURE", NULL);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_C(NullArguments, OfTheLogCallbackRestoreTheDefault)
{
    struct log_capture log;
    /* A program that does not build is told: first to the callback. */
    log_capture_start(&log);
    struct rig rig;
    rig_open(&rig, 0);
    fail_a_build(rig.engine);
    const unsigned before = log_capture_count(&log, dnnl_cache_log_error);
    EXPECT_GT(before, 0);
    /* Then to where messages go by default: nowhere, as the environment of
     * this test says (ONEDNN_VERBOSE=none). */
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    fail_a_build(rig.engine);
    EXPECT_EQ(before, log_capture_count(&log, dnnl_cache_log_error));
    log_capture_stop(&log);
    rig_close(&rig);
}

TEST_C(NullArguments, OfStatisticsAndCapacityAreRefused)
{
    REFUSED(dnnl_cache_get_statistics(NULL));
    REFUSED(dnnl_get_primitive_cache_capacity(NULL));
}

/* ---- Engines ------------------------------------------------------------- */

TEST_WORLD(NullArguments, OfEnginesAreRefused)
{
    dnnl_engine_kind_t kind;
    cl_device_id device = w->rig.device;
    cl_context context = w->rig.context;
    REFUSED(dnnl_engine_create(NULL, dnnl_gpu, 0));
    REFUSED(dnnl_engine_create(NULL, dnnl_cpu, 0));
    REFUSED(dnnl_engine_get_kind(NULL, &kind));
    REFUSED(dnnl_engine_get_kind(w->rig.engine, NULL));
    REFUSED(dnnl_ocl_interop_engine_create(NULL, device, context));
    REFUSED(dnnl_ocl_interop_engine_create(
            OUT(dnnl_engine_t, w), NULL, context));
    REFUSED(dnnl_ocl_interop_engine_create(
            OUT(dnnl_engine_t, w), device, NULL));
    REFUSED(dnnl_ocl_interop_engine_get_context(NULL, OUT(cl_context, w)));
    REFUSED(dnnl_ocl_interop_engine_get_context(w->rig.engine, NULL));
    REFUSED(dnnl_ocl_interop_get_device(NULL, OUT(cl_device_id, w)));
    REFUSED(dnnl_ocl_interop_get_device(w->rig.engine, NULL));
}

TEST_WORLD(NullArguments, OfEngineBlobsAreRefused)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    cl_device_id device = w->rig.device;
    cl_context context = w->rig.context;
    struct bytes blob = engine_blob(w->rig.engine);
    dnnl_engine_t *out = OUT(dnnl_engine_t, w);
    REFUSED(dnnl_ocl_interop_engine_get_cache_blob_id(
            NULL, &w->size, w->bytes));
    REFUSED(dnnl_ocl_interop_engine_get_cache_blob_id(device, NULL, w->bytes));
    REFUSED(dnnl_cache_device_get_driver_parts(NULL, &w->size, NULL));
    REFUSED(dnnl_cache_device_get_driver_parts(device, NULL, NULL));
    REFUSED(dnnl_ocl_interop_engine_get_cache_blob(NULL, &w->size, w->bytes));
    REFUSED(dnnl_ocl_interop_engine_get_cache_blob(
            w->rig.engine, NULL, w->bytes));
    REFUSED(dnnl_ocl_interop_engine_create_from_cache_blob(
            NULL, device, context, blob.size, blob.data));
    REFUSED(dnnl_ocl_interop_engine_create_from_cache_blob(
            out, NULL, context, blob.size, blob.data));
    REFUSED(dnnl_ocl_interop_engine_create_from_cache_blob(
            out, device, NULL, blob.size, blob.data));
    REFUSED(dnnl_ocl_interop_engine_create_from_cache_blob(
            out, device, context, 0, blob.data));
    REFUSED(dnnl_ocl_interop_engine_create_from_cache_blob(
            out, device, context, blob.size, NULL));
    REFUSED(dnnl_cache_engine_set_compile_mode(
            NULL, dnnl_cache_compile_mode_normal));
    REFUSED(dnnl_cache_engine_set_blob_compression(
            NULL, dnnl_cache_compression_none));
    REFUSED(dnnl_cache_engine_set_blob_compression(
            w->host, dnnl_cache_compression_none));
    REFUSED(dnnl_cache_engine_set_blob_compression(
            w->rig.engine, (dnnl_cache_compression_t)2));
    REFUSED(dnnl_cache_engine_get_creation_info(NULL, &info));
    REFUSED(dnnl_cache_engine_get_creation_info(w->rig.engine, NULL));
    bytes_free(&blob);
}

static dnnl_status_t no_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    (void)user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    return dnnl_cache_miss;
}

static void no_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

TEST_WORLD(NullArguments, OfStoresAreRefused)
{
    dnnl_cache_store_t store = DNNL_CACHE_STORE_INIT;
    REFUSED(dnnl_cache_set_default_store(&store)); /* no callbacks */
    REFUSED(dnnl_cache_engine_set_store(w->rig.engine, &store));
    store.get = no_get;
    REFUSED(dnnl_cache_set_default_store(&store));
    store.release = no_release;
    REFUSED(dnnl_cache_engine_set_store(NULL, &store));
    REFUSED(dnnl_cache_engine_set_store(w->host, &store));
    store.struct_size = 0;
    REFUSED(dnnl_cache_set_default_store(&store));
    /* NULL detaches. */
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
    EXPECT_OK(dnnl_cache_engine_set_store(w->rig.engine, NULL));
}

/* ---- Streams ------------------------------------------------------------- */

TEST_WORLD(NullArguments, OfStreamsAreRefused)
{
    dnnl_stream_t *out = OUT(dnnl_stream_t, w);
    REFUSED(dnnl_stream_create(NULL, w->rig.engine, dnnl_stream_in_order));
    REFUSED(dnnl_stream_create(out, NULL, dnnl_stream_in_order));
    REFUSED(dnnl_stream_get_engine(NULL, OUT(dnnl_engine_t, w)));
    REFUSED(dnnl_stream_get_engine(w->stream, NULL));
    REFUSED(dnnl_stream_wait(NULL));
    REFUSED(dnnl_ocl_interop_stream_create(NULL, w->rig.engine, w->queue));
    REFUSED(dnnl_ocl_interop_stream_create(out, NULL, w->queue));
    REFUSED(dnnl_ocl_interop_stream_create(out, w->rig.engine, NULL));
    REFUSED(dnnl_ocl_interop_stream_create(out, w->host, w->queue));
    REFUSED(dnnl_ocl_interop_stream_get_command_queue(
            NULL, OUT(cl_command_queue, w)));
    REFUSED(dnnl_ocl_interop_stream_get_command_queue(w->stream, NULL));
}

/* ---- Memory -------------------------------------------------------------- */

TEST_WORLD(NullArguments, OfMemoryDescriptorsAreRefused)
{
    const dnnl_dims_t dims = {16};
    dnnl_memory_desc_t *out = OUT(dnnl_memory_desc_t, w);
    REFUSED(dnnl_memory_desc_create_with_tag(NULL, 1, dims, dnnl_f32, dnnl_a));
    REFUSED(dnnl_memory_desc_create_with_tag(out, 1, NULL, dnnl_f32, dnnl_a));
    REFUSED(dnnl_memory_desc_create_with_strides(
            NULL, 1, dims, dnnl_f32, NULL));
    REFUSED(dnnl_memory_desc_create_with_strides(out, 1, NULL, dnnl_f32, NULL));
    REFUSED(dnnl_memory_desc_create_with_blob(NULL, w->bytes));
    REFUSED(dnnl_memory_desc_create_with_blob(out, NULL));
    REFUSED(dnnl_memory_desc_get_blob(w->bytes, NULL, w->md));
    REFUSED(dnnl_memory_desc_get_blob(w->bytes, &w->size, NULL));
    REFUSED(dnnl_memory_desc_create_submemory(NULL, w->md, dims, dims));
    REFUSED(dnnl_memory_desc_create_submemory(out, NULL, dims, dims));
    REFUSED(dnnl_memory_desc_reshape(NULL, w->md, 1, dims));
    REFUSED(dnnl_memory_desc_reshape(out, NULL, 1, dims));
    REFUSED(dnnl_memory_desc_permute_axes(NULL, w->md, &w->number));
    REFUSED(dnnl_memory_desc_permute_axes(out, w->md, NULL));
    REFUSED(dnnl_memory_desc_clone(NULL, w->md));
    REFUSED(dnnl_memory_desc_clone(out, NULL));
    REFUSED(dnnl_memory_desc_query(NULL, dnnl_query_ndims_s32, &w->number));
    REFUSED(dnnl_memory_desc_query(w->md, dnnl_query_ndims_s32, NULL));
    EXPECT_EQ(0, dnnl_memory_desc_equal(NULL, w->md));
    EXPECT_EQ(0, dnnl_memory_desc_equal(w->md, NULL));
    EXPECT_EQ(1, dnnl_memory_desc_equal(NULL, NULL));
    EXPECT_EQ(0, dnnl_memory_desc_get_size(NULL));
}

TEST_WORLD(NullArguments, OfMemoryAreRefused)
{
    dnnl_memory_t *out = OUT(dnnl_memory_t, w);
    REFUSED(dnnl_memory_create(
            NULL, w->md, w->rig.engine, DNNL_MEMORY_ALLOCATE));
    REFUSED(dnnl_memory_create(out, w->md, NULL, DNNL_MEMORY_ALLOCATE));
    REFUSED(dnnl_memory_get_memory_desc(
            NULL, OUT(const_dnnl_memory_desc_t, w)));
    REFUSED(dnnl_memory_get_memory_desc(w->memory, NULL));
    REFUSED(dnnl_memory_get_engine(NULL, OUT(dnnl_engine_t, w)));
    REFUSED(dnnl_memory_get_engine(w->memory, NULL));
    REFUSED(dnnl_memory_map_data(NULL, &w->out));
    REFUSED(dnnl_memory_map_data(w->memory, NULL));
    REFUSED(dnnl_memory_unmap_data(NULL, w->bytes));
    REFUSED(dnnl_memory_get_data_handle(NULL, &w->out));
    REFUSED(dnnl_memory_get_data_handle(w->memory, NULL));
    REFUSED(dnnl_memory_set_data_handle(NULL, w->bytes));
    EXPECT_OK(dnnl_memory_unmap_data(w->memory, NULL));
}

TEST_WORLD(NullArguments, OfOpenclMemoryAreRefused)
{
    dnnl_ocl_interop_memory_kind_t kind;
    cl_mem none = (cl_mem)untouched;
    dnnl_memory_t *out = OUT(dnnl_memory_t, w);
    REFUSED(dnnl_ocl_interop_memory_create(NULL, w->md, w->rig.engine,
            dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    REFUSED(dnnl_ocl_interop_memory_create(
            out, w->md, NULL, dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    REFUSED(dnnl_ocl_interop_memory_create(out, w->md, w->host,
            dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    REFUSED(dnnl_ocl_interop_memory_get_memory_kind(NULL, &kind));
    REFUSED(dnnl_ocl_interop_memory_get_memory_kind(w->memory, NULL));
    REFUSED(dnnl_ocl_interop_memory_get_mem_object(w->memory, NULL));
    REFUSED(dnnl_ocl_interop_memory_set_mem_object(NULL, NULL));
    /* oneDNN: no memory has no buffer. */
    EXPECT_OK(dnnl_ocl_interop_memory_get_mem_object(NULL, &none));
    EXPECT_NULL(none);
}

/* ---- Attributes ---------------------------------------------------------- */

TEST_WORLD(NullArguments, OfAttributesAreRefused)
{
    REFUSED(dnnl_primitive_attr_create(NULL));
    REFUSED(dnnl_primitive_attr_set_post_ops(NULL, w->post_ops));
    REFUSED(dnnl_post_ops_create(NULL));
    REFUSED(dnnl_post_ops_append_eltwise(NULL, dnnl_eltwise_relu, 0.0f, 0.0f));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(w->attr, NULL));
}

/* ---- Primitives ---------------------------------------------------------- */

TEST_WORLD(NullArguments, OfPrimitiveDescriptorsAreRefused)
{
    dnnl_primitive_desc_t *out = OUT(dnnl_primitive_desc_t, w);
    dnnl_engine_t e = w->rig.engine;
    dnnl_memory_desc_t v = w->md;
    dnnl_memory_desc_t m = matrix_desc(4, 4);
    REFUSED(dnnl_inner_product_forward_primitive_desc_create(
            NULL, e, dnnl_forward_inference, m, m, NULL, m, NULL));
    REFUSED(dnnl_inner_product_forward_primitive_desc_create(
            out, NULL, dnnl_forward_inference, m, m, NULL, m, NULL));
    REFUSED(dnnl_inner_product_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, NULL, m, NULL, m, NULL));
    REFUSED(dnnl_inner_product_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, m, NULL, NULL, m, NULL));
    REFUSED(dnnl_inner_product_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, m, m, NULL, NULL, NULL));
    REFUSED(dnnl_matmul_primitive_desc_create(NULL, e, m, m, NULL, m, NULL));
    REFUSED(dnnl_matmul_primitive_desc_create(out, NULL, m, m, NULL, m, NULL));
    REFUSED(dnnl_matmul_primitive_desc_create(out, e, NULL, m, NULL, m, NULL));
    REFUSED(dnnl_matmul_primitive_desc_create(out, e, m, NULL, NULL, m, NULL));
    REFUSED(dnnl_matmul_primitive_desc_create(out, e, m, m, NULL, NULL, NULL));
    REFUSED(dnnl_eltwise_forward_primitive_desc_create(NULL, e,
            dnnl_forward_inference, dnnl_eltwise_relu, v, v, 0, 0, NULL));
    REFUSED(dnnl_eltwise_forward_primitive_desc_create(out, NULL,
            dnnl_forward_inference, dnnl_eltwise_relu, v, v, 0, 0, NULL));
    REFUSED(dnnl_eltwise_forward_primitive_desc_create(out, e,
            dnnl_forward_inference, dnnl_eltwise_relu, NULL, v, 0, 0, NULL));
    REFUSED(dnnl_eltwise_forward_primitive_desc_create(out, e,
            dnnl_forward_inference, dnnl_eltwise_relu, v, NULL, 0, 0, NULL));
    REFUSED(dnnl_reduction_primitive_desc_create(
            NULL, e, dnnl_reduction_sum, v, v, 0, 0, NULL));
    REFUSED(dnnl_reduction_primitive_desc_create(
            out, NULL, dnnl_reduction_sum, v, v, 0, 0, NULL));
    REFUSED(dnnl_reduction_primitive_desc_create(
            out, e, dnnl_reduction_sum, NULL, v, 0, 0, NULL));
    REFUSED(dnnl_reduction_primitive_desc_create(
            out, e, dnnl_reduction_sum, v, NULL, 0, 0, NULL));
    REFUSED(dnnl_resampling_forward_primitive_desc_create(NULL, e,
            dnnl_forward_inference, dnnl_resampling_linear, NULL, v, v, NULL));
    REFUSED(dnnl_resampling_forward_primitive_desc_create(out, NULL,
            dnnl_forward_inference, dnnl_resampling_linear, NULL, v, v, NULL));
    REFUSED(dnnl_resampling_forward_primitive_desc_create(out, e,
            dnnl_forward_inference, dnnl_resampling_linear, NULL, NULL, v,
            NULL));
    REFUSED(dnnl_resampling_forward_primitive_desc_create(out, e,
            dnnl_forward_inference, dnnl_resampling_linear, NULL, v, NULL,
            NULL));
    REFUSED(dnnl_softmax_forward_primitive_desc_create(
            NULL, e, dnnl_forward_inference, dnnl_softmax_log, v, v, 0, NULL));
    REFUSED(dnnl_softmax_forward_primitive_desc_create(out, NULL,
            dnnl_forward_inference, dnnl_softmax_log, v, v, 0, NULL));
    REFUSED(dnnl_softmax_forward_primitive_desc_create(out, e,
            dnnl_forward_inference, dnnl_softmax_log, NULL, v, 0, NULL));
    REFUSED(dnnl_softmax_forward_primitive_desc_create(out, e,
            dnnl_forward_inference, dnnl_softmax_log, v, NULL, 0, NULL));
    REFUSED(dnnl_shuffle_forward_primitive_desc_create(
            NULL, e, dnnl_forward_inference, v, v, 0, 1, NULL));
    REFUSED(dnnl_shuffle_forward_primitive_desc_create(
            out, NULL, dnnl_forward_inference, v, v, 0, 1, NULL));
    REFUSED(dnnl_shuffle_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, NULL, v, 0, 1, NULL));
    REFUSED(dnnl_shuffle_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, v, NULL, 0, 1, NULL));
    REFUSED(dnnl_binary_primitive_desc_create(
            NULL, e, dnnl_binary_add, v, v, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create(
            out, NULL, dnnl_binary_add, v, v, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create(
            out, e, dnnl_binary_add, NULL, v, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create(
            out, e, dnnl_binary_add, v, NULL, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create(
            out, e, dnnl_binary_add, v, v, NULL, NULL));
    REFUSED(dnnl_binary_primitive_desc_create_v2(
            NULL, e, dnnl_binary_add, v, v, NULL, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create_v2(
            out, NULL, dnnl_binary_add, v, v, NULL, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create_v2(
            out, e, dnnl_binary_add, NULL, v, NULL, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create_v2(
            out, e, dnnl_binary_add, v, NULL, NULL, v, NULL));
    REFUSED(dnnl_binary_primitive_desc_create_v2(
            out, e, dnnl_binary_add, v, v, NULL, NULL, NULL));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            NULL, e, dnnl_forward_inference, v, v, v, NULL));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            out, NULL, dnnl_forward_inference, v, v, v, NULL));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, NULL, v, v, NULL));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, v, NULL, v, NULL));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            out, e, dnnl_forward_inference, v, v, NULL, NULL));
    const float scales[] = {1.0f, 1.0f};
    const_dnnl_memory_desc_t srcs[] = {v, v};
    const_dnnl_memory_desc_t half[] = {v, NULL};
    REFUSED(dnnl_concat_primitive_desc_create(NULL, e, NULL, 2, 0, srcs, NULL));
    REFUSED(dnnl_concat_primitive_desc_create(
            out, NULL, NULL, 2, 0, srcs, NULL));
    REFUSED(dnnl_concat_primitive_desc_create(out, e, NULL, 2, 0, NULL, NULL));
    REFUSED(dnnl_concat_primitive_desc_create(out, e, NULL, 2, 0, half, NULL));
    REFUSED(dnnl_sum_primitive_desc_create(NULL, e, v, 2, scales, srcs, NULL));
    REFUSED(dnnl_sum_primitive_desc_create(
            out, NULL, v, 2, scales, srcs, NULL));
    REFUSED(dnnl_sum_primitive_desc_create(out, e, v, 2, NULL, srcs, NULL));
    REFUSED(dnnl_sum_primitive_desc_create(out, e, v, 2, scales, NULL, NULL));
    REFUSED(dnnl_sum_primitive_desc_create(out, e, v, 2, scales, half, NULL));
    REFUSED(dnnl_reorder_primitive_desc_create(NULL, v, e, v, e, NULL));
    REFUSED(dnnl_reorder_primitive_desc_create(out, NULL, e, v, e, NULL));
    REFUSED(dnnl_reorder_primitive_desc_create(out, v, NULL, v, e, NULL));
    REFUSED(dnnl_reorder_primitive_desc_create(out, v, e, NULL, e, NULL));
    REFUSED(dnnl_reorder_primitive_desc_create(out, v, e, v, NULL, NULL));
    EXPECT_OK(dnnl_memory_desc_destroy(m));
}

TEST_WORLD(NullArguments, OfConvolutionDescriptorsAreRefused)
{
    const dnnl_dims_t image = {1, 1, 4, 4};
    const dnnl_dims_t one = {1, 1, 1, 1};
    dnnl_memory_desc_t src = NULL;
    dnnl_memory_desc_t weights = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &src, 4, image, dnnl_f32, dnnl_nchw));
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &weights, 4, one, dnnl_f32, dnnl_oihw));
    const dnnl_dims_t ones = {1, 1};
    const dnnl_dims_t zeros = {0, 0};
#define CREATE(kind, out, e, src, weights, dst, strides, padding)             \
    dnnl_##kind##_forward_primitive_desc_create(out, e,                       \
            dnnl_forward_inference, dnnl_##kind##_direct, src, weights, NULL, \
            dst, strides, NULL, padding, NULL, NULL)
    dnnl_primitive_desc_t *out = OUT(dnnl_primitive_desc_t, w);
    dnnl_primitive_desc_t good = NULL;
    dnnl_engine_t e = w->rig.engine;
    REFUSED(CREATE(convolution, NULL, e, src, weights, src, ones, zeros));
    REFUSED(CREATE(convolution, out, NULL, src, weights, src, ones, zeros));
    REFUSED(CREATE(convolution, out, e, NULL, weights, src, ones, zeros));
    REFUSED(CREATE(convolution, out, e, src, NULL, src, ones, zeros));
    REFUSED(CREATE(convolution, out, e, src, weights, NULL, ones, zeros));
    REFUSED(CREATE(convolution, out, e, src, weights, src, NULL, zeros));
    REFUSED(CREATE(convolution, out, e, src, weights, src, ones, NULL));
    EXPECT_OK(CREATE(convolution, &good, e, src, weights, src, ones, zeros));
    EXPECT_OK(dnnl_primitive_desc_destroy(good));
    REFUSED(CREATE(deconvolution, NULL, e, src, weights, src, ones, zeros));
    REFUSED(CREATE(deconvolution, out, NULL, src, weights, src, ones, zeros));
    REFUSED(CREATE(deconvolution, out, e, NULL, weights, src, ones, zeros));
    REFUSED(CREATE(deconvolution, out, e, src, NULL, src, ones, zeros));
    REFUSED(CREATE(deconvolution, out, e, src, weights, NULL, ones, zeros));
    REFUSED(CREATE(deconvolution, out, e, src, weights, src, NULL, zeros));
    REFUSED(CREATE(deconvolution, out, e, src, weights, src, ones, NULL));
    EXPECT_OK(CREATE(deconvolution, &good, e, src, weights, src, ones, zeros));
    EXPECT_OK(dnnl_primitive_desc_destroy(good));
#undef CREATE
    EXPECT_OK(dnnl_memory_desc_destroy(src));
    EXPECT_OK(dnnl_memory_desc_destroy(weights));
}

TEST_WORLD(NullArguments, OfPoolingDescriptorsAreRefused)
{
    const dnnl_dims_t image = {1, 1, 4, 4};
    const dnnl_dims_t ones = {1, 1};
    const dnnl_dims_t zeros = {0, 0};
    dnnl_memory_desc_t md = NULL;
    dnnl_primitive_desc_t good = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &md, 4, image, dnnl_f32, dnnl_nchw));
#define POOLING(out, e, src, dst, strides, kernel, padding)                    \
    dnnl_pooling_forward_primitive_desc_create(out, e, dnnl_forward_inference, \
            dnnl_pooling_max, src, dst, strides, kernel, NULL, padding, NULL,  \
            NULL)
    dnnl_primitive_desc_t *out = OUT(dnnl_primitive_desc_t, w);
    dnnl_engine_t e = w->rig.engine;
    REFUSED(POOLING(NULL, e, md, md, ones, ones, zeros));
    REFUSED(POOLING(out, NULL, md, md, ones, ones, zeros));
    REFUSED(POOLING(out, e, NULL, md, ones, ones, zeros));
    REFUSED(POOLING(out, e, md, NULL, ones, ones, zeros));
    REFUSED(POOLING(out, e, md, md, NULL, ones, zeros));
    REFUSED(POOLING(out, e, md, md, ones, NULL, zeros));
    REFUSED(POOLING(out, e, md, md, ones, ones, NULL));
    EXPECT_OK(POOLING(&good, e, md, md, ones, ones, zeros));
#undef POOLING
    EXPECT_OK(dnnl_primitive_desc_destroy(good));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

TEST_WORLD(NullArguments, OfDescriptorQueriesAreRefused)
{
    REFUSED(dnnl_primitive_desc_query(NULL, dnnl_query_engine, 0, &w->out));
    REFUSED(dnnl_primitive_desc_query(w->pd, dnnl_query_engine, 0, NULL));
    REFUSED(dnnl_primitive_desc_query(
            NULL, dnnl_query_cache_blob_id, 0, &w->out));
    REFUSED(dnnl_primitive_desc_query(
            w->pd, dnnl_query_cache_blob_id, 0, NULL));
    EXPECT_NULL(dnnl_primitive_desc_query_md(NULL, dnnl_query_src_md, 0));
    REFUSED(dnnl_cache_primitive_desc_get_cache_blob_id(
            NULL, &w->size, w->bytes));
    REFUSED(dnnl_cache_primitive_desc_get_cache_blob_id(w->pd, NULL, w->bytes));
}

TEST_WORLD(NullArguments, OfPrimitivesAreRefused)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_primitive_t *out = OUT(dnnl_primitive_t, w);
    REFUSED(dnnl_primitive_create(NULL, w->pd));
    REFUSED(dnnl_primitive_create(out, NULL));
    REFUSED(dnnl_primitive_create_from_cache_blob(
            NULL, w->pd, w->blob.size, w->blob.data));
    REFUSED(dnnl_primitive_create_from_cache_blob(
            out, NULL, w->blob.size, w->blob.data));
    REFUSED(dnnl_primitive_create_from_cache_blob(out, w->pd, 0, w->blob.data));
    REFUSED(dnnl_primitive_create_from_cache_blob(
            out, w->pd, w->blob.size, NULL));
    REFUSED(dnnl_primitive_get_cache_blob(NULL, &w->size, w->bytes));
    REFUSED(dnnl_primitive_get_cache_blob(w->primitive, NULL, w->bytes));
    REFUSED(dnnl_cache_primitive_get_creation_info(NULL, &info));
    REFUSED(dnnl_cache_primitive_get_creation_info(w->primitive, NULL));
}

/* Checked before what the primitive could or could not do. */
TEST_WORLD(NullArguments, OfAPrimitiveWithoutABlobAreRefusedFirst)
{
    dnnl_primitive_desc_t empty = relu_desc(w->rig.engine, 0, 0.0f);
    REFUSED(dnnl_primitive_create_from_cache_blob(
            OUT(dnnl_primitive_t, w), empty, 0, w->blob.data));
    REFUSED(dnnl_primitive_create_from_cache_blob(
            OUT(dnnl_primitive_t, w), empty, 1, NULL));
    EXPECT_OK(dnnl_primitive_desc_destroy(empty));
}

TEST_WORLD(NullArguments, OfExecutionAreRefused)
{
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->memory}, {DNNL_ARG_DST, w->memory}};
    cl_event *event = OUT(cl_event, w);
    REFUSED(dnnl_primitive_execute(NULL, w->stream, 2, args));
    REFUSED(dnnl_primitive_execute(w->primitive, NULL, 2, args));
    REFUSED(dnnl_primitive_execute(w->primitive, w->stream, 2, NULL));
    REFUSED(dnnl_primitive_execute(w->primitive, w->stream, -1, args));
    REFUSED(dnnl_primitive_execute(w->primitive, w->stream, 0, NULL));
    REFUSED(dnnl_ocl_interop_primitive_execute(
            NULL, w->stream, 2, args, NULL, 0, event));
    REFUSED(dnnl_ocl_interop_primitive_execute(
            w->primitive, NULL, 2, args, NULL, 0, event));
    REFUSED(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, NULL, NULL, 0, event));
    REFUSED(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, args, NULL, 1, event));
    REFUSED(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, args, NULL, -1, event));
}

/* ---- Programs ------------------------------------------------------------ */

TEST_WORLD(NullArguments, OfProgramDescriptorsAreRefused)
{
    static const char *const sources[] = {"", NULL};
    char mark[128];
    dnnl_cache_program_desc_t *out = OUT(dnnl_cache_program_desc_t, w);
    dnnl_engine_t e = w->rig.engine;
    REFUSED(dnnl_cache_program_desc_create(NULL, e, 1, sources, NULL, NULL));
    REFUSED(dnnl_cache_program_desc_create(out, NULL, 1, sources, NULL, NULL));
    REFUSED(dnnl_cache_program_desc_create(out, e, 0, sources, NULL, NULL));
    REFUSED(dnnl_cache_program_desc_create(out, e, 1, NULL, NULL, NULL));
    REFUSED(dnnl_cache_program_desc_create(out, e, 2, sources, NULL, NULL));
    REFUSED(dnnl_cache_program_desc_add_key(NULL, 1, "k"));
    REFUSED(dnnl_cache_program_desc_add_key(w->program_desc, 0, "k"));
    REFUSED(dnnl_cache_program_desc_add_key(w->program_desc, 1, NULL));
    REFUSED(dnnl_cache_program_desc_get_build_mark(NULL, &w->size, mark));
    REFUSED(dnnl_cache_program_desc_get_build_mark(
            w->program_desc, NULL, mark));
    REFUSED(dnnl_cache_program_desc_get_cache_blob_id(
            NULL, &w->size, w->bytes));
    REFUSED(dnnl_cache_program_desc_get_cache_blob_id(
            w->program_desc, NULL, w->bytes));
}

TEST_WORLD(NullArguments, OfProgramCreationAreRefused)
{
    struct bytes blob = program_blob(w->program);
    dnnl_cache_program_t *out = OUT(dnnl_cache_program_t, w);
    REFUSED(dnnl_cache_program_create(NULL, w->program_desc));
    REFUSED(dnnl_cache_program_create(out, NULL));
    REFUSED(dnnl_cache_program_create_from_cache_blob(
            NULL, w->program_desc, blob.size, blob.data));
    REFUSED(dnnl_cache_program_create_from_cache_blob(
            out, NULL, blob.size, blob.data));
    REFUSED(dnnl_cache_program_create_from_cache_blob(
            out, w->program_desc, 0, blob.data));
    REFUSED(dnnl_cache_program_create_from_cache_blob(
            out, w->program_desc, blob.size, NULL));
    REFUSED(dnnl_cache_program_adopt(NULL, w->program_desc, w->object));
    REFUSED(dnnl_cache_program_adopt(out, NULL, w->object));
    REFUSED(dnnl_cache_program_adopt(out, w->program_desc, NULL));
    bytes_free(&blob);
}

TEST_WORLD(NullArguments, OfProgramsAreRefused)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    REFUSED(dnnl_cache_program_capture(NULL));
    REFUSED(dnnl_cache_program_capture_launched(NULL));
    REFUSED(dnnl_cache_program_set_finalised(NULL, 0));
    REFUSED(dnnl_cache_program_set_user_data(NULL, 1, "x"));
    REFUSED(dnnl_cache_program_set_user_data(w->program, 1, NULL));
    REFUSED(dnnl_cache_program_get_user_data(NULL, &w->size, w->bytes));
    REFUSED(dnnl_cache_program_get_user_data(w->program, NULL, w->bytes));
    REFUSED(dnnl_cache_program_get_cache_blob(NULL, &w->size, w->bytes));
    REFUSED(dnnl_cache_program_get_cache_blob(w->program, NULL, w->bytes));
    REFUSED(dnnl_cache_program_get_cl_program(NULL, OUT(cl_program, w)));
    REFUSED(dnnl_cache_program_get_cl_program(w->program, NULL));
    REFUSED(dnnl_cache_program_get_kernel(NULL, "scale", OUT(cl_kernel, w)));
    REFUSED(dnnl_cache_program_get_kernel(w->program, NULL, OUT(cl_kernel, w)));
    REFUSED(dnnl_cache_program_get_kernel(w->program, "scale", NULL));
    REFUSED(dnnl_cache_program_get_build_log(NULL, &w->size, (char *)w->bytes));
    REFUSED(dnnl_cache_program_get_build_log(
            w->program, NULL, (char *)w->bytes));
    REFUSED(dnnl_cache_program_get_creation_info(NULL, &info));
    REFUSED(dnnl_cache_program_get_creation_info(w->program, NULL));
}

/* ---- Blobs and IDs ------------------------------------------------------- */

static dnnl_status_t never_called(
        const dnnl_cache_blob_part_t *part, void *user)
{
    (void)part;
    (void)user;
    test_fail(__FILE__, __LINE__, "called without a blob");
    return dnnl_success;
}

TEST_WORLD(NullArguments, OfBlobsAndIdsAreRefused)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    const struct bytes *b = &w->blob;
    const struct bytes *i = &w->id;
    char *names = (char *)w->bytes;
    REFUSED(dnnl_cache_blob_inspect(0, b->data, &info));
    REFUSED(dnnl_cache_blob_inspect(b->size, NULL, &info));
    REFUSED(dnnl_cache_blob_inspect(b->size, b->data, NULL));
    REFUSED(dnnl_cache_blob_describe(0, b->data, never_called, NULL));
    REFUSED(dnnl_cache_blob_describe(b->size, NULL, never_called, NULL));
    REFUSED(dnnl_cache_blob_describe(b->size, b->data, NULL, NULL));
    REFUSED(dnnl_cache_blob_get_program_binary(
            0, b->data, 0, &w->size, w->bytes));
    REFUSED(dnnl_cache_blob_get_program_binary(
            b->size, NULL, 0, &w->size, w->bytes));
    REFUSED(dnnl_cache_blob_get_program_binary(
            b->size, b->data, 0, NULL, w->bytes));
    char text[DNNL_CACHE_BINARY_TEXT_SIZE];
    REFUSED(dnnl_cache_blob_get_binary_text(0, b->data, 0, text));
    REFUSED(dnnl_cache_blob_get_binary_text(b->size, NULL, 0, text));
    cl_program program = NULL;
    const unsigned char *binary = w->bytes;
    REFUSED(dnnl_cache_create_program_with_binary(NULL, w->rig.context, 1,
            &w->rig.device, &w->size, &binary, NULL, NULL));
    REFUSED(dnnl_cache_create_program_with_binary(&program, w->rig.context, 1,
            &w->rig.device, NULL, &binary, NULL, NULL));
    REFUSED(dnnl_cache_create_program_with_binary(&program, w->rig.context, 1,
            &w->rig.device, &w->size, NULL, NULL, NULL));
    EXPECT_NULL(program);
    REFUSED(dnnl_cache_blob_check(NULL, b->size, b->data));
    REFUSED(dnnl_cache_blob_check(w->host, b->size, b->data));
    REFUSED(dnnl_cache_blob_check(w->rig.engine, 0, b->data));
    REFUSED(dnnl_cache_blob_check(w->rig.engine, b->size, NULL));
    REFUSED(dnnl_cache_id_get_field(0, i->data, 0, &field));
    REFUSED(dnnl_cache_id_get_field(i->size, NULL, 0, &field));
    REFUSED(dnnl_cache_id_get_field(i->size, i->data, 0, NULL));
    REFUSED(dnnl_cache_id_next_field(0, i->data, &w->size, &field));
    REFUSED(dnnl_cache_id_next_field(i->size, NULL, &w->size, &field));
    REFUSED(dnnl_cache_id_next_field(i->size, i->data, NULL, &field));
    REFUSED(dnnl_cache_id_next_field(i->size, i->data, &w->size, NULL));
    REFUSED(dnnl_cache_id_diff(0, i->data, i->size, i->data, &w->size, names));
    REFUSED(dnnl_cache_id_diff(
            i->size, NULL, i->size, i->data, &w->size, names));
    REFUSED(dnnl_cache_id_diff(i->size, i->data, 0, i->data, &w->size, names));
    REFUSED(dnnl_cache_id_diff(
            i->size, i->data, i->size, NULL, &w->size, names));
    REFUSED(dnnl_cache_id_diff(
            i->size, i->data, i->size, i->data, NULL, names));
}

static dnnl_status_t never_included(
        const dnnl_cache_include_t *include, void *user)
{
    (void)include;
    (void)user;
    test_fail(__FILE__, __LINE__, "called without a source");
    return dnnl_success;
}

TEST_C(NullArguments, OfIncludesAreRefused)
{
    REFUSED(dnnl_cache_program_desc_set_includes_known(NULL));
    REFUSED(dnnl_cache_program_desc_set_primitive(NULL));
    REFUSED(dnnl_cache_program_desc_set_include_following(NULL, 1));
    REFUSED(dnnl_cache_find_includes(1, NULL, never_included, NULL));
    REFUSED(dnnl_cache_find_includes(1, "x", NULL, NULL));
    REFUSED(dnnl_cache_find_includes(0, NULL, NULL, NULL));
    REFUSED(dnnl_cache_options_read_files("", NULL));
    REFUSED(dnnl_cache_find_changed_variable(NULL));
    REFUSED(dnnl_cache_find_changed_file(NULL));
}

TEST_WORLD(NullArguments, OfNormalizationDescriptorsAreRefused)
{
    dnnl_primitive_desc_t good = NULL;
    dnnl_primitive_desc_t *out = OUT(dnnl_primitive_desc_t, w);
    dnnl_engine_t e = w->rig.engine;
    dnnl_memory_desc_t m = matrix_desc(4, 4);
#define BATCH(out, e, src, dst)                             \
    dnnl_batch_normalization_forward_primitive_desc_create( \
            out, e, dnnl_forward_training, src, dst, 0.0f, 0, NULL)
#define LAYER(out, e, src, dst)                             \
    dnnl_layer_normalization_forward_primitive_desc_create( \
            out, e, dnnl_forward_training, src, dst, NULL, 0.0f, 0, NULL)
#define GROUP(out, e, src, dst)                             \
    dnnl_group_normalization_forward_primitive_desc_create( \
            out, e, dnnl_forward_training, src, dst, 2, 0.0f, 0, NULL)
#define LRN(out, e, src, dst)                                             \
    dnnl_lrn_forward_primitive_desc_create(out, e, dnnl_forward_training, \
            dnnl_lrn_across_channels, src, dst, 5, 1.0f, 1.0f, 1.0f, NULL)
    REFUSED(BATCH(NULL, e, m, m));
    REFUSED(BATCH(out, NULL, m, m));
    REFUSED(BATCH(out, e, NULL, m));
    REFUSED(BATCH(out, e, m, NULL));
    REFUSED(LAYER(NULL, e, m, m));
    REFUSED(LAYER(out, NULL, m, m));
    REFUSED(LAYER(out, e, NULL, m));
    REFUSED(LAYER(out, e, m, NULL));
    REFUSED(GROUP(NULL, e, m, m));
    REFUSED(GROUP(out, NULL, m, m));
    REFUSED(GROUP(out, e, NULL, m));
    REFUSED(GROUP(out, e, m, NULL));
    REFUSED(LRN(NULL, e, m, m));
    REFUSED(LRN(out, NULL, m, m));
    REFUSED(LRN(out, e, NULL, m));
    REFUSED(LRN(out, e, m, NULL));
    /* What may be left out: the descriptor of mean and variance. */
    EXPECT_OK(LAYER(&good, e, m, m));
#undef BATCH
#undef LAYER
#undef GROUP
#undef LRN
    EXPECT_OK(dnnl_primitive_desc_destroy(good));
    EXPECT_OK(dnnl_memory_desc_destroy(m));
}
