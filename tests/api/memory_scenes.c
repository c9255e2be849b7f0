/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors, memory and streams. */
#include "scenes.h"
#include "small_primitives.h"

#include "test.h"

#include <string.h>

enum { ELEMENTS = 16, SIZE = ELEMENTS * sizeof(float) };

/* ---- Descriptors --------------------------------------------------------- */

static const dnnl_dims_t dims = {2, 3};

static void describe_matrix(struct stage *s)
{
    size_t size = sizeof s->bytes;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->md, 2, dims, dnnl_f32, dnnl_ab));
    EXPECT_OK(dnnl_memory_desc_get_blob(s->bytes, &size, s->md));
    s->blob = bytes_copy(s->bytes, size);
}

static void forget_matrix(struct stage *s)
{
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
    bytes_free(&s->blob);
}

static dnnl_status_t attempt_description(struct stage *s)
{
    return dnnl_memory_desc_create_with_tag(
            STAGE_OUT(s, dnnl_memory_desc_t), 2, dims, dnnl_f32, dnnl_ab);
}

static dnnl_status_t attempt_description_by_strides(struct stage *s)
{
    const dnnl_dims_t strides = {3, 1};
    return dnnl_memory_desc_create_with_strides(
            STAGE_OUT(s, dnnl_memory_desc_t), 2, dims, dnnl_f32, strides);
}

static dnnl_status_t attempt_description_from_blob(struct stage *s)
{
    return dnnl_memory_desc_create_with_blob(
            STAGE_OUT(s, dnnl_memory_desc_t), s->blob.data);
}

static dnnl_status_t attempt_description_copy(struct stage *s)
{
    return dnnl_memory_desc_clone(STAGE_OUT(s, dnnl_memory_desc_t), s->md);
}

static dnnl_status_t attempt_description_of_part(struct stage *s)
{
    const dnnl_dims_t none = {0};
    return dnnl_memory_desc_create_submemory(
            STAGE_OUT(s, dnnl_memory_desc_t), s->md, dims, none);
}

static dnnl_status_t attempt_description_reshaped(struct stage *s)
{
    return dnnl_memory_desc_reshape(
            STAGE_OUT(s, dnnl_memory_desc_t), s->md, 2, dims);
}

static dnnl_status_t attempt_description_permuted(struct stage *s)
{
    const int same[] = {0, 1};
    return dnnl_memory_desc_permute_axes(
            STAGE_OUT(s, dnnl_memory_desc_t), s->md, same);
}

static void verify_description(struct stage *s)
{
    EXPECT_TRUE(dnnl_memory_desc_equal(s->md, s->out));
    EXPECT_OK(dnnl_memory_desc_destroy(s->out));
}

#define DESCRIPTION(name, call) \
    const struct scene name =   \
            SCENE(describe_matrix, call, verify_description, forget_matrix)
DESCRIPTION(scene_memory_description, attempt_description);
DESCRIPTION(
        scene_memory_description_by_strides, attempt_description_by_strides);
DESCRIPTION(scene_memory_description_from_blob, attempt_description_from_blob);
DESCRIPTION(scene_memory_description_copy, attempt_description_copy);
DESCRIPTION(scene_memory_description_of_part, attempt_description_of_part);
DESCRIPTION(scene_memory_description_reshaped, attempt_description_reshaped);
DESCRIPTION(scene_memory_description_permuted, attempt_description_permuted);

/* ---- Memory -------------------------------------------------------------- */

static void describe_vector(struct stage *s)
{
    s->md = vector_desc(ELEMENTS);
    EXPECT_OK(dnnl_engine_create(&s->host, dnnl_cpu, 0));
}

static void forget_vector(struct stage *s)
{
    EXPECT_OK(dnnl_memory_desc_destroy(s->md));
    EXPECT_OK(dnnl_engine_destroy(s->host));
}

static dnnl_status_t attempt_memory(struct stage *s)
{
    return dnnl_memory_create(STAGE_OUT(s, dnnl_memory_t), s->md, s->rig.engine,
            DNNL_MEMORY_ALLOCATE);
}

static dnnl_status_t attempt_opencl_memory(struct stage *s)
{
    return dnnl_ocl_interop_memory_create(STAGE_OUT(s, dnnl_memory_t), s->md,
            s->rig.engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE);
}

static dnnl_status_t attempt_host_memory(struct stage *s)
{
    return dnnl_memory_create(
            STAGE_OUT(s, dnnl_memory_t), s->md, s->host, DNNL_MEMORY_ALLOCATE);
}

static void verify_memory(struct stage *s)
{
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_map_data(s->out, &mapped));
    ASSERT_NOT_NULL(mapped);
    memset(mapped, 0, SIZE);
    EXPECT_OK(dnnl_memory_unmap_data(s->out, mapped));
    EXPECT_OK(dnnl_memory_destroy(s->out));
}

const struct scene scene_memory_creation =
        SCENE(describe_vector, attempt_memory, verify_memory, forget_vector);
const struct scene scene_opencl_memory_creation = SCENE(
        describe_vector, attempt_opencl_memory, verify_memory, forget_vector);
const struct scene scene_host_memory_creation = SCENE(
        describe_vector, attempt_host_memory, verify_memory, forget_vector);

/* ---- Mapping ------------------------------------------------------------- */

static void make_memory(struct stage *s)
{
    describe_vector(s);
    EXPECT_OK(dnnl_memory_create(
            &s->memories[0], s->md, s->rig.engine, DNNL_MEMORY_ALLOCATE));
}

static void destroy_memory(struct stage *s)
{
    EXPECT_OK(dnnl_memory_destroy(s->memories[0]));
    forget_vector(s);
}

static dnnl_status_t attempt_map(struct stage *s)
{
    return dnnl_memory_map_data(s->memories[0], &s->out);
}

static void verify_map(struct stage *s)
{
    memset(s->out, 0, SIZE);
    EXPECT_OK(dnnl_memory_unmap_data(s->memories[0], s->out));
}

static void verify_nothing(struct stage *s)
{
    (void)s;
}

const struct scene scene_memory_mapping =
        SCENE(make_memory, attempt_map, verify_map, destroy_memory);

/* ---- The application's buffers ------------------------------------------- */

static void make_buffer(struct stage *s)
{
    cl_int error;
    make_memory(s);
    s->buffer = clCreateBuffer(
            s->rig.context, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
}

static void release_buffer(struct stage *s)
{
    destroy_memory(s);
    EXPECT_EQ(1, memory_references(s->buffer));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(s->buffer));
}

static dnnl_status_t attempt_buffer_change(struct stage *s)
{
    return dnnl_ocl_interop_memory_set_mem_object(s->memories[0], s->buffer);
}

static void verify_buffer(struct stage *s)
{
    cl_mem buffer = NULL;
    EXPECT_OK(dnnl_ocl_interop_memory_get_mem_object(s->memories[0], &buffer));
    EXPECT_PTR_EQ(s->buffer, buffer);
    EXPECT_EQ(2, memory_references(buffer));
}

const struct scene scene_memory_buffer_change = SCENE(
        make_buffer, attempt_buffer_change, verify_buffer, release_buffer);

/* ---- Streams ------------------------------------------------------------- */

static dnnl_status_t attempt_stream(struct stage *s)
{
    return dnnl_stream_create(STAGE_OUT(s, dnnl_stream_t), s->rig.engine,
            dnnl_stream_default_flags);
}

static void verify_stream(struct stage *s)
{
    EXPECT_OK(dnnl_stream_wait(s->out));
    EXPECT_OK(dnnl_stream_destroy(s->out));
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

static dnnl_status_t attempt_stream_on_queue(struct stage *s)
{
    return dnnl_ocl_interop_stream_create(
            STAGE_OUT(s, dnnl_stream_t), s->rig.engine, s->queue);
}

static void make_stream(struct stage *s)
{
    EXPECT_OK(dnnl_stream_create(
            &s->stream, s->rig.engine, dnnl_stream_default_flags));
}

static void destroy_stream(struct stage *s)
{
    EXPECT_OK(dnnl_stream_destroy(s->stream));
}

static dnnl_status_t attempt_wait(struct stage *s)
{
    return dnnl_stream_wait(s->stream);
}

const struct scene scene_stream_creation =
        SCENE(NULL, attempt_stream, verify_stream, NULL);
const struct scene scene_stream_on_queue = SCENE(
        make_queue, attempt_stream_on_queue, verify_stream, release_queue);
const struct scene scene_stream_wait =
        SCENE(make_stream, attempt_wait, verify_nothing, destroy_stream);
