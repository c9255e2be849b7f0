/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects: buffers allocated, given, replaced and mapped. */
#include "log_capture.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 16, BYTES = 64 };

static dnnl_memory_t make(
        dnnl_engine_t engine, dnnl_dim_t elements, void *handle)
{
    dnnl_memory_t memory = NULL;
    dnnl_memory_desc_t md = vector_desc(elements);
    EXPECT_OK(dnnl_memory_create(&memory, md, engine, handle));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return memory;
}

static cl_mem buffer_of(const_dnnl_memory_t memory)
{
    cl_mem buffer = NULL;
    EXPECT_OK(dnnl_ocl_interop_memory_get_mem_object(memory, &buffer));
    return buffer;
}

static cl_mem make_buffer(cl_context context)
{
    cl_int error;
    cl_mem buffer =
            clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return buffer;
}

/* ---- Creation ------------------------------------------------------------ */

TEST_RIG(Memory, AllocatesABufferOfItsSize)
{
    size_t size = 0;
    void *handle = NULL;
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    cl_mem buffer = buffer_of(memory);
    ASSERT_NOT_NULL(buffer);
    EXPECT_EQ(CL_SUCCESS,
            clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    EXPECT_EQ(BYTES, size);
    EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
    EXPECT_PTR_EQ(buffer, handle);
    EXPECT_OK(dnnl_memory_destroy(memory));
}

TEST_RIG(Memory, MayHaveNoBuffer)
{
    void *handle = rig;
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_NONE);
    EXPECT_NULL(buffer_of(memory));
    EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
    EXPECT_NULL(handle);
    EXPECT_OK(dnnl_memory_destroy(memory));
}

TEST_RIG(Memory, OfSizeZeroHasNoBuffer)
{
    dnnl_memory_t memory = make(rig->engine, 0, DNNL_MEMORY_ALLOCATE);
    EXPECT_NULL(buffer_of(memory));
    EXPECT_OK(dnnl_memory_destroy(memory));
}

TEST_RIG(Memory, WithoutADescriptorIsEmpty)
{
    dnnl_memory_t memory = NULL;
    const_dnnl_memory_desc_t md = NULL;
    int ndims = 77;
    EXPECT_OK(dnnl_memory_create(
            &memory, NULL, rig->engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_get_memory_desc(memory, &md));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    EXPECT_EQ(0, ndims);
    EXPECT_NULL(buffer_of(memory));
    EXPECT_OK(dnnl_memory_destroy(memory));
}

TEST_RIG(Memory, RefusesALayoutThatIsNotKnownYet)
{
    const dnnl_dims_t dims = {ELEMENTS};
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_t memory = (dnnl_memory_t)rig;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md, 1, dims, dnnl_f32, dnnl_format_tag_any));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_create(&memory, md, rig->engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_PTR_EQ(rig, memory);
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

/* More than the device has. */
TEST_RIG(Memory, ThatIsTooLargeIsOutOfMemory)
{
    struct log_capture log;
    dnnl_memory_t memory = (dnnl_memory_t)rig;
    dnnl_memory_desc_t md = vector_desc((dnnl_dim_t)1 << 40);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_memory_create(&memory, md, rig->engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_ocl_interop_memory_create(&memory, md, rig->engine,
                    dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    EXPECT_PTR_EQ(rig, memory);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

/* oneDNN: whatever keeps a buffer from being allocated is a lack of memory;
 * the call for OpenCL tells what it was. */
TEST_RIG(Memory, FailingForOtherReasonsIsTold)
{
    struct log_capture log;
    dnnl_memory_t memory = (dnnl_memory_t)rig;
    dnnl_memory_desc_t md = vector_desc(ELEMENTS);
    log_capture_start(&log);
    fake_opencl_fail("clCreateBuffer", 1, CL_INVALID_CONTEXT);
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_memory_create(&memory, md, rig->engine, DNNL_MEMORY_ALLOCATE));
    fake_opencl_fail("clCreateBuffer", 1, CL_INVALID_CONTEXT);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_ocl_interop_memory_create(&memory, md, rig->engine,
                    dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    EXPECT_PTR_EQ(rig, memory);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

TEST_RIG(Memory, HasBuffersOnly)
{
    dnnl_memory_t memory = (dnnl_memory_t)rig;
    dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_usm;
    dnnl_memory_desc_t md = vector_desc(ELEMENTS);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_ocl_interop_memory_create(&memory, md, rig->engine,
                    dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_memory_create(&memory, md, rig->engine,
                    (dnnl_ocl_interop_memory_kind_t)2, DNNL_MEMORY_ALLOCATE));
    EXPECT_PTR_EQ(rig, memory);
    ASSERT_OK(dnnl_ocl_interop_memory_create(&memory, md, rig->engine,
            dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
    EXPECT_EQ(dnnl_ocl_interop_buffer, kind);
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

/* ---- What it tells ------------------------------------------------------- */

TEST_RIG(Memory, LendsItsDescriptorAndEngine)
{
    const_dnnl_memory_desc_t md = NULL;
    const_dnnl_memory_desc_t again = NULL;
    dnnl_engine_t engine = NULL;
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_NONE);
    dnnl_memory_desc_t expected = vector_desc(ELEMENTS);
    EXPECT_OK(dnnl_memory_get_memory_desc(memory, &md));
    EXPECT_OK(dnnl_memory_get_memory_desc(memory, &again));
    EXPECT_PTR_EQ(md, again);
    EXPECT_EQ(1, dnnl_memory_desc_equal(expected, md));
    EXPECT_OK(dnnl_memory_get_engine(memory, &engine));
    EXPECT_PTR_EQ(rig->engine, engine);
    EXPECT_OK(dnnl_memory_desc_destroy(expected));
    EXPECT_OK(dnnl_memory_destroy(memory));
}

/* ---- Buffers of the application's ---------------------------------------- */

TEST_RIG(Memory, RetainsTheBufferItIsGiven)
{
    cl_mem buffer = make_buffer(rig->context);
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, buffer);
    EXPECT_PTR_EQ(buffer, buffer_of(memory));
    EXPECT_EQ(2, memory_references(buffer));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_EQ(1, memory_references(buffer));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(buffer));
}

TEST_RIG(Memory, RefusesABufferOfAnotherContext)
{
    cl_int error;
    dnnl_memory_t memory = (dnnl_memory_t)rig;
    cl_context other =
            clCreateContext(NULL, 1, &rig->device, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_mem buffer = make_buffer(other);
    dnnl_memory_desc_t md = vector_desc(ELEMENTS);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_create(&memory, md, rig->engine, buffer));
    EXPECT_PTR_EQ(rig, memory);
    EXPECT_EQ(1, memory_references(buffer));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(buffer));
    clReleaseContext(other);
}

TEST_RIG(Memory, ReplacesItsBuffer)
{
    cl_mem first = make_buffer(rig->context);
    cl_mem second = make_buffer(rig->context);
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, first);
    EXPECT_OK(dnnl_ocl_interop_memory_set_mem_object(memory, second));
    EXPECT_PTR_EQ(second, buffer_of(memory));
    EXPECT_EQ(1, memory_references(first));
    EXPECT_EQ(2, memory_references(second));
    /* With itself, too. */
    EXPECT_OK(dnnl_ocl_interop_memory_set_mem_object(memory, second));
    EXPECT_EQ(2, memory_references(second));
    EXPECT_OK(dnnl_ocl_interop_memory_set_mem_object(memory, NULL));
    EXPECT_NULL(buffer_of(memory));
    EXPECT_EQ(1, memory_references(second));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(first));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(second));
}

/* The same calls under oneDNN's other names. */
TEST_RIG(Memory, NumbersItsBuffer)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    cl_mem mem_object = NULL;
    dnnl_memory_t memory = NULL;
    void *handles[] = {DNNL_MEMORY_NONE, DNNL_MEMORY_NONE};
    dnnl_memory_desc_t md = vector_desc(ELEMENTS);
    const dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_buffer;
    cl_mem buffer = make_buffer(rig->context);
    EXPECT_STATUS(wrong, dnnl_ocl_interop_memory_create_v2(
                                 &memory, md, rig->engine, kind, 2, handles));
    EXPECT_STATUS(wrong, dnnl_ocl_interop_memory_create_v2(
                                 &memory, md, rig->engine, kind, 1, NULL));
    ASSERT_OK(dnnl_ocl_interop_memory_create_v2(
            &memory, md, rig->engine, kind, 1, handles));
    EXPECT_OK(dnnl_memory_set_data_handle(memory, buffer));
    EXPECT_OK(
            dnnl_ocl_interop_memory_get_mem_object_v2(memory, &mem_object, 0));
    EXPECT_PTR_EQ(buffer, mem_object);
    EXPECT_OK(dnnl_ocl_interop_memory_set_mem_object_v2(memory, NULL, 0));
    EXPECT_STATUS(wrong,
            dnnl_ocl_interop_memory_get_mem_object_v2(memory, &mem_object, 1));
    EXPECT_STATUS(wrong,
            dnnl_ocl_interop_memory_set_mem_object_v2(memory, buffer, 1));
    EXPECT_PTR_EQ(buffer, mem_object);
    EXPECT_OK(
            dnnl_ocl_interop_memory_get_mem_object_v2(memory, &mem_object, 0));
    EXPECT_NULL(mem_object);
    EXPECT_STATUS(
            wrong, dnnl_memory_set_data_handle(memory, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(buffer));
}

TEST_RIG(Memory, KeepsItsBufferIfTheNewOneIsOfAnotherContext)
{
    cl_int error;
    cl_context other =
            clCreateContext(NULL, 1, &rig->device, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_mem foreign = make_buffer(other);
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    cl_mem own = buffer_of(memory);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_memory_set_mem_object(memory, foreign));
    EXPECT_PTR_EQ(own, buffer_of(memory));
    EXPECT_EQ(1, memory_references(own));
    EXPECT_EQ(1, memory_references(foreign));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(foreign));
    clReleaseContext(other);
}

/* ---- Mapping ------------------------------------------------------------- */

TEST_RIG(Memory, KeepsWhatIsWrittenThroughAMapping)
{
    float *mapped = NULL;
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    ASSERT_OK(dnnl_memory_map_data(memory, (void **)&mapped));
    ASSERT_NOT_NULL(mapped);
    for (int i = 0; i < ELEMENTS; i++)
        mapped[i] = (float)i;
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    mapped = NULL;
    ASSERT_OK(dnnl_memory_map_data(memory, (void **)&mapped));
    for (int i = 0; i < ELEMENTS; i++)
        EXPECT_TRUE(mapped[i] == (float)i);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    EXPECT_OK(dnnl_memory_destroy(memory));
}

TEST_RIG(Memory, WithoutABufferMapsToNull)
{
    void *mapped = rig;
    dnnl_memory_t none = make(rig->engine, ELEMENTS, DNNL_MEMORY_NONE);
    dnnl_memory_t empty = make(rig->engine, 0, DNNL_MEMORY_ALLOCATE);
    EXPECT_OK(dnnl_memory_map_data(none, &mapped));
    EXPECT_NULL(mapped);
    EXPECT_OK(dnnl_memory_unmap_data(none, mapped));
    mapped = rig;
    EXPECT_OK(dnnl_memory_map_data(empty, &mapped));
    EXPECT_NULL(mapped);
    EXPECT_OK(dnnl_memory_unmap_data(empty, mapped));
    EXPECT_OK(dnnl_memory_destroy(none));
    EXPECT_OK(dnnl_memory_destroy(empty));
}

TEST_RIG(Memory, MayBeMappedTwice)
{
    void *first = NULL;
    void *second = NULL;
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    EXPECT_OK(dnnl_memory_map_data(memory, &first));
    EXPECT_OK(dnnl_memory_map_data(memory, &second));
    ASSERT_TRUE(first != NULL && second != NULL);
    ((float *)first)[3] = 7.0f;
    EXPECT_OK(dnnl_memory_unmap_data(memory, first));
    EXPECT_OK(dnnl_memory_unmap_data(memory, second));
    /* What was written by the first mapping is there, and both are gone. */
    EXPECT_NE(dnnl_success, dnnl_memory_unmap_data(memory, first));
    EXPECT_OK(dnnl_memory_map_data(memory, &first));
    ASSERT_NOT_NULL(first);
    EXPECT_TRUE(((const float *)first)[3] == 7.0f);
    EXPECT_OK(dnnl_memory_unmap_data(memory, first));
    EXPECT_OK(dnnl_memory_destroy(memory));
}

/* ---- Life ---------------------------------------------------------------- */

/* oneDNN's tests destroy the engine first. */
TEST_RIG(Memory, OutlivesTheEnginesHandle)
{
    void *mapped = NULL;
    dnnl_memory_t memory = make(rig->engine, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    ASSERT_OK(dnnl_memory_map_data(memory, &mapped));
    memset(mapped, 0, BYTES);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    EXPECT_EQ(2, context_references(rig->context));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_EQ(1, context_references(rig->context));
}

/* ---- On the host --------------------------------------------------------- */

TEST_C(HostMemory, IsAllocatedAligned)
{
    dnnl_engine_t host = NULL;
    void *handle = NULL;
    void *mapped = NULL;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_t memory = make(host, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
    ASSERT_NOT_NULL(handle);
    EXPECT_EQ(0, (uintptr_t)handle % 64);
    memset(handle, 0, BYTES);
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    EXPECT_PTR_EQ(handle, mapped);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_engine_destroy(host));
}

TEST_C(HostMemory, UsesThePointerItIsGiven)
{
    float data[ELEMENTS] = {0};
    dnnl_engine_t host = NULL;
    void *handle = NULL;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_t memory = make(host, ELEMENTS, data);
    EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
    EXPECT_PTR_EQ(data, handle);
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_engine_destroy(host));
}

TEST_C(HostMemory, TakesAnotherPointer)
{
    float data[2][ELEMENTS] = {{0}};
    dnnl_engine_t host = NULL;
    void *handle = NULL;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_t memory = make(host, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
    /* The one it has already: it keeps it. */
    EXPECT_OK(dnnl_memory_set_data_handle(memory, handle));
    memset(handle, 0, BYTES);
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_memory_set_data_handle(memory, data[i]));
        EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
        EXPECT_PTR_EQ(data[i], handle);
    }
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_set_data_handle(memory, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_NONE));
    EXPECT_OK(dnnl_memory_get_data_handle(memory, &handle));
    EXPECT_NULL(handle);
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_engine_destroy(host));
}

/* One buffer, number 0. */
TEST_C(HostMemory, NumbersItsBuffer)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    float data[ELEMENTS] = {0};
    void *handles[] = {data, data};
    void *handle = NULL;
    dnnl_engine_t host = NULL;
    dnnl_memory_t memory = NULL;
    dnnl_memory_desc_t md = vector_desc(ELEMENTS);
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    EXPECT_STATUS(wrong, dnnl_memory_create_v2(&memory, md, host, 0, handles));
    EXPECT_STATUS(wrong, dnnl_memory_create_v2(&memory, md, host, 2, handles));
    EXPECT_STATUS(wrong, dnnl_memory_create_v2(&memory, md, host, 1, NULL));
    EXPECT_NULL(memory);
    ASSERT_OK(dnnl_memory_create_v2(&memory, md, host, 1, handles));
    EXPECT_OK(dnnl_memory_get_data_handle_v2(memory, &handle, 0));
    EXPECT_PTR_EQ(data, handle);
    EXPECT_OK(dnnl_memory_set_data_handle_v2(memory, NULL, 0));
    EXPECT_OK(dnnl_memory_map_data_v2(memory, &handle, 0));
    EXPECT_NULL(handle);
    EXPECT_OK(dnnl_memory_unmap_data_v2(memory, handle, 0));
    handle = data;
    for (int index = -1; index < 2; index += 2) {
        EXPECT_STATUS(
                wrong, dnnl_memory_get_data_handle_v2(memory, &handle, index));
        EXPECT_STATUS(
                wrong, dnnl_memory_set_data_handle_v2(memory, data, index));
        EXPECT_STATUS(wrong, dnnl_memory_map_data_v2(memory, &handle, index));
        EXPECT_STATUS(wrong, dnnl_memory_unmap_data_v2(memory, NULL, index));
        EXPECT_EQ(0, dnnl_memory_desc_get_size_v2(md, index));
    }
    EXPECT_PTR_EQ(data, handle);
    EXPECT_EQ(BYTES, dnnl_memory_desc_get_size_v2(md, 0));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    EXPECT_OK(dnnl_engine_destroy(host));
}

TEST_C(HostMemory, IsNoOpenclObject)
{
    dnnl_engine_t host = NULL;
    cl_mem buffer = (cl_mem)&host;
    dnnl_ocl_interop_memory_kind_t kind = (dnnl_ocl_interop_memory_kind_t)77;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_t memory = make(host, ELEMENTS, DNNL_MEMORY_ALLOCATE);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_memory_get_mem_object(memory, &buffer));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_memory_set_mem_object(memory, NULL));
    EXPECT_PTR_EQ(&host, buffer);
    EXPECT_EQ(77, kind);
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_engine_destroy(host));
}

TEST_C(HostMemory, ThatIsTooLargeIsOutOfMemory)
{
    dnnl_engine_t host = NULL;
    dnnl_memory_t memory = (dnnl_memory_t)&host;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_desc_t md = vector_desc((dnnl_dim_t)1 << 60);
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_memory_create(&memory, md, host, DNNL_MEMORY_ALLOCATE));
    EXPECT_PTR_EQ(&host, memory);
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    EXPECT_OK(dnnl_engine_destroy(host));
}
