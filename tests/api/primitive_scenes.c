/* SPDX-License-Identifier: Apache-2.0 */
#include "blob_edit.h"
#include "operations.h"
#include "scene_steps.h"
#include "scenes.h"
#include "small_primitives.h"

#include "test.h"

#include <string.h>

enum { MARK = 0x3c, SIZE = OPERATION_ELEMENTS * sizeof(float) };

void play_all(const struct scene *scene, const struct fault *fault)
{
    const uint64_t seed = test_seed();
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        struct scene one = *scene;
        if (!is_in_sample(i, seed)) continue;
        one.operation = &operations[i];
        play(&one, fault);
    }
}

/* ---- Attributes ---------------------------------------------------------- */

static dnnl_status_t attempt_attributes(struct stage *s)
{
    return dnnl_primitive_attr_create(STAGE_OUT(s, dnnl_primitive_attr_t));
}

static void verify_attributes(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(s->out, NULL));
    EXPECT_OK(dnnl_primitive_attr_destroy(s->out));
}

static dnnl_status_t attempt_post_ops(struct stage *s)
{
    return dnnl_post_ops_create(STAGE_OUT(s, dnnl_post_ops_t));
}

static void verify_post_ops(struct stage *s)
{
    EXPECT_OK(
            dnnl_post_ops_append_eltwise(s->out, dnnl_eltwise_abs, 0.0f, 0.0f));
    EXPECT_OK(dnnl_post_ops_destroy(s->out));
}

/* Attributes with all that is allocated for them. */
static void prepare_attributes(struct stage *s)
{
    const float scales[] = {1.0f, 2.0f};
    dnnl_post_ops_t ops;
    s->md = vector_desc(OPERATION_ELEMENTS);
    EXPECT_OK(dnnl_primitive_attr_create(&s->attr));
    EXPECT_OK(dnnl_post_ops_create(&ops));
    EXPECT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, s->md));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(s->attr, ops));
    EXPECT_OK(dnnl_post_ops_destroy(ops));
    EXPECT_OK(dnnl_primitive_attr_set_scales_mask(s->attr, DNNL_ARG_SRC, 0));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(s->attr, s->md));
    EXPECT_OK(
            dnnl_primitive_attr_set_rnn_weights_qparams(s->attr, 2, 1, scales));
    EXPECT_OK(dnnl_primitive_attr_set_rnn_weights_projection_qparams(
            s->attr, 2, 1, scales));
}

static dnnl_status_t attempt_attributes_copy(struct stage *s)
{
    return dnnl_primitive_attr_clone(
            STAGE_OUT(s, dnnl_primitive_attr_t), s->attr);
}

static void finish_attributes(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_attr_destroy(s->attr));
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
}

/* The first thing that is set, and what it holds. */
static dnnl_status_t attempt_factors(struct stage *s)
{
    const float scales[] = {1.0f, 2.0f};
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st = dnnl_primitive_attr_create(&attr);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_rnn_weights_qparams(attr, 2, 1, scales);
    if (st == dnnl_success)
        s->out = attr;
    else
        EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    return st;
}

static dnnl_status_t attempt_rounding(struct stage *s)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st = dnnl_primitive_attr_create(&attr);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_rounding(
                attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
    if (st == dnnl_success)
        s->out = attr;
    else
        EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    return st;
}

const struct scene scene_attributes_copy = SCENE(prepare_attributes,
        attempt_attributes_copy, verify_attributes, finish_attributes);
const struct scene scene_attributes_factors =
        SCENE(NULL, attempt_factors, verify_attributes, NULL);
const struct scene scene_attributes_rounding =
        SCENE(NULL, attempt_rounding, verify_attributes, NULL);
const struct scene scene_attributes_creation =
        SCENE(NULL, attempt_attributes, verify_attributes, NULL);
const struct scene scene_post_ops_creation =
        SCENE(NULL, attempt_post_ops, verify_post_ops, NULL);

/* ---- What is computed ---------------------------------------------------- */

enum { ARGUMENTS = 9 };

/* All arguments that an operation may have. Destination is also what a kernel
 * gets after it, so that it is the last buffer. */
static void bind(const struct stage *s, dnnl_exec_arg_t args[ARGUMENTS])
{
    static const int sources[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS,
            DNNL_ARG_MULTIPLE_SRC};
    static const int others[] = {DNNL_ARG_DST, DNNL_ARG_ATTR_DROPOUT_MASK,
            DNNL_ARG_ATTR_DROPOUT_PROBABILITY, DNNL_ARG_ATTR_DROPOUT_SEED,
            DNNL_ARG_ATTR_ROUNDING_SEED};
    for (size_t i = 0; i < COUNT(sources); i++)
        args[i] = (dnnl_exec_arg_t){sources[i], s->memories[0]};
    for (size_t i = 0; i < COUNT(others); i++)
        args[COUNT(sources) + i] = (dnnl_exec_arg_t){others[i], s->memories[1]};
}

/* In place of the kernel: marks the destination, its last buffer. With an
 * inner stream the first launch has another one while it runs. */
static void body(const struct fake_opencl_launch *launch, size_t narguments,
        const struct fake_opencl_arg *arguments, void *user)
{
    struct stage *s = user;
    const struct fake_opencl_arg *last = NULL;
    (void)launch;
    for (size_t i = 0; i < narguments; i++)
        if (arguments[i].memory != NULL) last = &arguments[i];
    ASSERT_NOT_NULL(last);
    memset(last->memory, MARK, last->memory_size);
    if (s->launches++ > 0 || s->inner_stream == NULL) return;
    dnnl_exec_arg_t args[ARGUMENTS];
    bind(s, args);
    s->inner_status = dnnl_primitive_execute(
            s->primitive, s->inner_stream, ARGUMENTS, args);
}

static void open_memories(struct stage *s)
{
    s->md = vector_desc(OPERATION_ELEMENTS);
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_memory_create(
                &s->memories[i], s->md, s->rig.engine, DNNL_MEMORY_ALLOCATE));
}

static void close_memories(struct stage *s)
{
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_memory_destroy(s->memories[i]));
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
}

static dnnl_status_t execute(struct stage *s, const_dnnl_primitive_t primitive)
{
    dnnl_exec_arg_t args[ARGUMENTS];
    bind(s, args);
    return dnnl_primitive_execute(primitive, s->stream, ARGUMENTS, args);
}

static void expect_all(const struct stage *s, dnnl_memory_t memory, int byte)
{
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    ASSERT_NOT_NULL(mapped);
    uint8_t right[SIZE];
    memset(right, byte, sizeof right);
    EXPECT_BYTES_EQ(right, sizeof right, mapped, SIZE);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    (void)s;
}

static void fill(dnnl_memory_t memory, int byte)
{
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    ASSERT_NOT_NULL(mapped);
    memset(mapped, byte, SIZE);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

/* A primitive launches its kernel, once, on the memory it was given. */
static void expect_works(struct stage *s, const_dnnl_primitive_t primitive)
{
    open_memories(s);
    EXPECT_OK(dnnl_stream_create(
            &s->stream, s->rig.engine, dnnl_stream_default_flags));
    fill(s->memories[1], 0);
    fake_opencl_set_kernel_body(s->scene->operation->kernel, body, s);
    s->launches = 0;
    EXPECT_OK(execute(s, primitive));
    EXPECT_OK(dnnl_stream_wait(s->stream));
    EXPECT_EQ(1, s->launches);
    expect_all(s, s->memories[1], MARK);
    fake_opencl_set_kernel_body(s->scene->operation->kernel, NULL, NULL);
    EXPECT_OK(dnnl_stream_destroy(s->stream));
    close_memories(s);
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t attempt_description(struct stage *s)
{
    return operation_describe(
            s, s->rig.engine, STAGE_OUT(s, dnnl_primitive_desc_t));
}

static void verify_description(struct stage *s)
{
    dnnl_primitive_t primitive = NULL;
    EXPECT_OK(dnnl_primitive_create(&primitive, s->out));
    expect_works(s, primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(s->out));
}

static void describe_twice(struct stage *s)
{
    operation_open(s);
    dnnl_primitive_desc_t pd = operation_desc(s, s->rig.engine);
    s->id = primitive_id(pd);
    EXPECT_GT(s->id.size, 0);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    s->pd = operation_desc(s, s->rig.engine);
}

static void forget(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(s->pd));
    bytes_free(&s->id);
    bytes_free(&s->blob);
    operation_close(s);
}

static dnnl_status_t attempt_id(struct stage *s)
{
    return dnnl_cache_primitive_desc_get_cache_blob_id(
            s->pd, &s->size, s->bytes);
}

const struct scene scene_primitive_description =
        SCENE_WITH(operation_open, attempt_description, verify_description,
                operation_close, .operation = operations);
const struct scene scene_primitive_id_query = SCENE_WITH(describe_twice,
        attempt_id, verify_id_bytes, forget, .operation = operations);

/* ---- Creation ------------------------------------------------------------ */

/* A descriptor, and the blob of its like in another context. */
static void make_blob(struct stage *s, dnnl_cache_compression_t compression)
{
    dnnl_engine_t other = NULL;
    dnnl_primitive_t primitive = NULL;
    operation_open(s);
    EXPECT_OK(
            dnnl_cache_engine_set_blob_compression(s->rig.engine, compression));
    s->pd = operation_desc(s, s->rig.engine);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(other, compression));
    dnnl_primitive_desc_t pd = operation_desc(s, other);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    s->blob = primitive_blob(primitive);
    EXPECT_GT(s->blob.size, 0);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_engine_destroy(other));
    rig_forget_primitives();
}

static void make_plain_blob(struct stage *s)
{
    make_blob(s, dnnl_cache_compression_none);
}

static void make_compressed_blob(struct stage *s)
{
    make_blob(s, dnnl_cache_compression_zstd);
}

static dnnl_status_t attempt_primitive(struct stage *s)
{
    return dnnl_primitive_create(STAGE_OUT(s, dnnl_primitive_t), s->pd);
}

static dnnl_status_t attempt_primitive_from_blob(struct stage *s)
{
    return dnnl_primitive_create_from_cache_blob(
            STAGE_OUT(s, dnnl_primitive_t), s->pd, s->blob.size, s->blob.data);
}

static void verify_primitive(struct stage *s)
{
    expect_works(s, s->out);
    struct bytes blob = primitive_blob(s->out);
    EXPECT_TRUE(bytes_equal(&s->blob, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(s->out));
}

const struct scene scene_primitive_creation = SCENE_WITH(make_plain_blob,
        attempt_primitive, verify_primitive, forget, .operation = operations);
const struct scene scene_primitive_from_blob = SCENE_WITH(make_plain_blob,
        attempt_primitive_from_blob, verify_primitive, forget,
        .from_blob = true, .operation = operations);
const struct scene scene_primitive_from_compressed_blob = SCENE_WITH(
        make_compressed_blob, attempt_primitive_from_blob, verify_primitive,
        forget, .from_blob = true, .operation = operations);

static void make_primitive(struct stage *s)
{
    make_plain_blob(s);
    EXPECT_OK(dnnl_primitive_create(&s->primitive, s->pd));
}

static void destroy_primitive(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_destroy(s->primitive));
    forget(s);
}

/* See program_scenes.c. */
static void make_other_blob(struct stage *s)
{
    make_primitive(s);
    struct bytes mine = primitive_blob(s->primitive);
    EXPECT_TRUE(bytes_equal(&s->blob, &mine));
    bytes_free(&mine);
    struct bytes other = blob_with_log(&s->blob, "a warning");
    bytes_free(&s->blob);
    s->blob = other;
}

static void open_recompilation(struct stage *s)
{
    make_primitive(s);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            s->rig.engine, dnnl_cache_compile_mode_recompile));
}

const struct scene scene_primitive_from_other_blob = SCENE_WITH(make_other_blob,
        attempt_primitive_from_blob, verify_primitive, destroy_primitive,
        .from_blob = true, .operation = operations);
const struct scene scene_primitive_recompilation =
        SCENE_WITH(open_recompilation, attempt_primitive, verify_primitive,
                destroy_primitive, .operation = operations);

/* ---- What primitives offer ----------------------------------------------- */

static void make_compressed_primitive(struct stage *s)
{
    make_compressed_blob(s);
    EXPECT_OK(dnnl_primitive_create(&s->primitive, s->pd));
}

static dnnl_status_t attempt_blob(struct stage *s)
{
    return dnnl_primitive_get_cache_blob(s->primitive, &s->size, s->bytes);
}

static dnnl_status_t attempt_info(struct stage *s)
{
    const dnnl_cache_creation_info_t before = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_cache_creation_info_t info = before;
    dnnl_status_t st =
            dnnl_cache_primitive_get_creation_info(s->primitive, &info);
    if (st == dnnl_success)
        EXPECT_EQ(dnnl_cache_origin_compiled, info.origin);
    else
        EXPECT_BYTES_EQ(&before, sizeof before, &info, sizeof info);
    return st;
}

const struct scene scene_primitive_blob_query =
        SCENE_WITH(make_primitive, attempt_blob, verify_blob_bytes,
                destroy_primitive, .operation = operations);
const struct scene scene_primitive_compressed_blob_query =
        SCENE_WITH(make_compressed_primitive, attempt_blob, verify_blob_bytes,
                destroy_primitive, .operation = operations);
const struct scene scene_primitive_info_query =
        SCENE_WITH(make_primitive, attempt_info, verify_nothing,
                destroy_primitive, .operation = operations);

/* ---- Execution ----------------------------------------------------------- */

static void prepare_on(struct stage *s, unsigned flags)
{
    make_primitive(s);
    open_memories(s);
    EXPECT_OK(dnnl_stream_create(&s->stream, s->rig.engine, flags));
    fill(s->memories[1], 0);
    fake_opencl_set_kernel_body(s->scene->operation->kernel, body, s);
}

static void prepare_out_of_order(struct stage *s)
{
    prepare_on(s, dnnl_stream_out_of_order);
}

static void prepare_in_order(struct stage *s)
{
    prepare_on(s, dnnl_stream_in_order);
}

static void prepare_inner(struct stage *s)
{
    prepare_on(s, dnnl_stream_in_order);
    EXPECT_OK(dnnl_stream_create(
            &s->inner_stream, s->rig.engine, dnnl_stream_in_order));
}

static void finish_execution(struct stage *s)
{
    EXPECT_OK(dnnl_stream_destroy(s->stream));
    EXPECT_OK(dnnl_stream_destroy(s->inner_stream));
    close_memories(s);
    destroy_primitive(s);
}

static dnnl_status_t attempt_with_event(struct stage *s)
{
    dnnl_exec_arg_t args[ARGUMENTS];
    bind(s, args);
    return dnnl_ocl_interop_primitive_execute(s->primitive, s->stream,
            ARGUMENTS, args, NULL, 0, STAGE_OUT(s, cl_event));
}

static dnnl_status_t attempt_execution(struct stage *s)
{
    return execute(s, s->primitive);
}

/* The outer launch may have been made when the inner one fails. */
static dnnl_status_t attempt_inner(struct stage *s)
{
    s->launches = 0;
    s->inner_status = dnnl_runtime_error;
    dnnl_status_t st = execute(s, s->primitive);
    return st == dnnl_success ? s->inner_status : st;
}

static void wait_for_event(struct stage *s)
{
    cl_event event = s->out;
    ASSERT_NOT_NULL(event);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
    EXPECT_OK(dnnl_stream_wait(s->stream));
}

static void verify_event(struct stage *s)
{
    wait_for_event(s);
    EXPECT_EQ(1, s->launches);
    expect_all(s, s->memories[1], MARK);
}

static void verify_execution(struct stage *s)
{
    EXPECT_OK(dnnl_stream_wait(s->stream));
    EXPECT_EQ(1, s->launches);
    expect_all(s, s->memories[1], MARK);
}

static void verify_inner(struct stage *s)
{
    EXPECT_OK(dnnl_stream_wait(s->inner_stream));
    EXPECT_OK(dnnl_stream_wait(s->stream));
    EXPECT_EQ(2, s->launches);
    expect_all(s, s->memories[1], MARK);
}

const struct scene scene_primitive_execution =
        SCENE_WITH(prepare_out_of_order, attempt_with_event, verify_event,
                finish_execution, .operation = operations);
const struct scene scene_primitive_execution_in_order =
        SCENE_WITH(prepare_in_order, attempt_execution, verify_execution,
                finish_execution, .operation = operations);
const struct scene scene_primitive_execution_meanwhile =
        SCENE_WITH(prepare_inner, attempt_inner, verify_inner, finish_execution,
                .operation = operations);

/* ---- Without a kernel ---------------------------------------------------- */

/* A copy from the first memory to the second, of which one is another engine's.
 */
static void prepare_copy(
        struct stage *s, dnnl_engine_kind_t other, bool from_other)
{
    dnnl_engine_t engines[2] = {s->rig.engine, s->rig.engine};
    EXPECT_OK(dnnl_engine_create(&s->host, other, 0));
    engines[from_other ? 0 : 1] = s->host;
    s->md = vector_desc(OPERATION_ELEMENTS);
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_memory_create(
                &s->memories[i], s->md, engines[i], DNNL_MEMORY_ALLOCATE));
    fill(s->memories[0], MARK);
    fill(s->memories[1], 0);
    EXPECT_OK(dnnl_reorder_primitive_desc_create(
            &s->pd, s->md, engines[0], s->md, engines[1], NULL));
    EXPECT_OK(dnnl_primitive_create(&s->primitive, s->pd));
    EXPECT_OK(dnnl_stream_create(
            &s->stream, s->rig.engine, dnnl_stream_out_of_order));
}

static void prepare_copy_to_device(struct stage *s)
{
    prepare_copy(s, dnnl_cpu, true);
}

static void prepare_copy_to_host(struct stage *s)
{
    prepare_copy(s, dnnl_cpu, false);
}

static void prepare_copy_from_context(struct stage *s)
{
    prepare_copy(s, dnnl_gpu, true);
}

static void finish_copy(struct stage *s)
{
    finish_execution(s);
    EXPECT_OK(dnnl_engine_destroy(s->host));
}

static void verify_copy(struct stage *s)
{
    wait_for_event(s);
    expect_all(s, s->memories[1], MARK);
}

const struct scene scene_copy_to_device = SCENE(
        prepare_copy_to_device, attempt_with_event, verify_copy, finish_copy);
const struct scene scene_copy_to_host = SCENE(
        prepare_copy_to_host, attempt_with_event, verify_copy, finish_copy);

const struct scene scene_copy_from_context = SCENE(prepare_copy_from_context,
        attempt_with_event, verify_copy, finish_copy);

static void prepare_empty(struct stage *s)
{
    open_memories(s);
    s->pd = relu_desc(s->rig.engine, 0, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&s->primitive, s->pd));
    EXPECT_OK(dnnl_stream_create(
            &s->stream, s->rig.engine, dnnl_stream_out_of_order));
}

const struct scene scene_empty_execution = SCENE(
        prepare_empty, attempt_with_event, wait_for_event, finish_execution);
