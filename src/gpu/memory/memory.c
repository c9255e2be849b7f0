/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/memory/memory.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/lacks.h"

#include <stdlib.h>

/* Vector loads of the host like aligned memory. */
enum { HOST_ALIGNMENT = 64 };

static dnnl_status_t allocate_host(struct dnnl_memory *m, void *handle)
{
    if (handle != DNNL_MEMORY_ALLOCATE) {
        m->pointer = handle;
        return dnnl_success;
    }
    if (m->size == 0) return dnnl_success;
    if (posix_memalign(&m->allocated, HOST_ALIGNMENT, m->size) != 0) {
        m->allocated = NULL;
        return dnnl_out_of_memory;
    }
    m->pointer = m->allocated;
    return dnnl_success;
}

/* Retains a buffer of the application's for a memory: one of its context that
 * has room for the tensor, since kernels go by the descriptor. */
static dnnl_status_t take_buffer(const struct dnnl_memory *m, cl_mem buffer)
{
    cl_context context;
    size_t size = 0;
    dnnl_status_t st =
            cl_object_status(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT,
                                     sizeof context, &context, NULL),
                    "clGetMemObjectInfo(CL_MEM_CONTEXT)");
    if (st != dnnl_success) return st;
    if (context != m->engine->context) return dnnl_invalid_arguments;
    cl_mem_object_type type = 0;
    st = cl_object_status(
            clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL),
            "clGetMemObjectInfo(CL_MEM_TYPE)");
    if (st != dnnl_success) return st;
    if (type != CL_MEM_OBJECT_BUFFER) return dnnl_invalid_arguments;
    st = cl_object_status(
            clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL),
            "clGetMemObjectInfo(CL_MEM_SIZE)");
    if (st != dnnl_success) return st;
    if (size < m->size) return dnnl_invalid_arguments;
    return cl_object_status(clRetainMemObject(buffer), "clRetainMemObject");
}

static dnnl_status_t allocate_buffer(struct dnnl_memory *m, void *handle)
{
    cl_int error = CL_SUCCESS;
    if (handle == DNNL_MEMORY_NONE) return dnnl_success;
    if (handle != DNNL_MEMORY_ALLOCATE) {
        dnnl_status_t st = take_buffer(m, handle);
        if (st == dnnl_success) m->buffer = handle;
        return st;
    }
    if (m->size == 0) return dnnl_success;
    m->buffer = clCreateBuffer(
            m->engine->context, CL_MEM_READ_WRITE, m->size, NULL, &error);
    if (error != CL_SUCCESS) m->buffer = NULL;
    return cl_status(error, "clCreateBuffer");
}

static dnnl_status_t memory_make(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t md, dnnl_engine_t engine, void *handle)
{
    if (memory == NULL || engine == NULL) return dnnl_invalid_arguments;
    if (md == NULL) md = &memory_desc_zero;
    if (md->format_kind == dnnl_format_kind_any
            || md->format_kind == dnnl_format_kind_host_scalar
            || memory_desc_has_runtime(md))
        return dnnl_invalid_arguments;
    struct dnnl_memory *m = calloc(1, sizeof *m);
    if (m == NULL) return dnnl_out_of_memory;
    engine_retain(engine);
    m->engine = engine;
    m->md = *md;
    m->size = dnnl_memory_desc_get_size(md);
    dnnl_status_t st = engine->kind == dnnl_gpu ? allocate_buffer(m, handle)
                                                : allocate_host(m, handle);
    if (st != dnnl_success) {
        dnnl_memory_destroy(m);
        return st;
    }
    *memory = m;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        void *handle)
{
    dnnl_status_t st = memory_make(memory, memory_desc, engine, handle);
    /* oneDNN: whatever keeps a buffer from being allocated is a lack of
     * memory. */
    return st == dnnl_runtime_error ? dnnl_out_of_memory : st;
}

dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, void *handle)
{
    if (memory == NULL || engine == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    if (memory_kind == dnnl_ocl_interop_usm)
        return lack_report("memory", LACK_USM);
    if (memory_kind != dnnl_ocl_interop_buffer) return dnnl_invalid_arguments;
    return memory_make(memory, memory_desc, engine, handle);
}

dnnl_status_t dnnl_memory_get_memory_desc(
        const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc)
{
    if (memory == NULL || memory_desc == NULL) return dnnl_invalid_arguments;
    *memory_desc = &memory->md;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_engine(
        const_dnnl_memory_t memory, dnnl_engine_t *engine)
{
    if (memory == NULL || engine == NULL) return dnnl_invalid_arguments;
    *engine = memory->engine;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle(
        const_dnnl_memory_t memory, void **handle)
{
    if (memory == NULL || handle == NULL || memory_is_host_scalar(memory))
        return dnnl_invalid_arguments;
    *handle = memory->engine->kind == dnnl_gpu ? (void *)memory->buffer
                                               : memory->pointer;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle)
{
    if (memory == NULL || handle == DNNL_MEMORY_ALLOCATE
            || memory_is_host_scalar(memory))
        return dnnl_invalid_arguments;
    if (memory->engine->kind == dnnl_gpu)
        return dnnl_ocl_interop_memory_set_mem_object(memory, handle);
    if (handle == memory->pointer) return dnnl_success;
    free(memory->allocated);
    memory->allocated = NULL;
    memory->pointer = handle;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_map_data(
        const_dnnl_memory_t memory, void **mapped_ptr)
{
    if (memory == NULL || mapped_ptr == NULL || memory_is_host_scalar(memory))
        return dnnl_invalid_arguments;
    if (memory->engine->kind != dnnl_gpu) {
        *mapped_ptr = memory->pointer;
        return dnnl_success;
    }
    if (memory->buffer == NULL || memory->size == 0) {
        *mapped_ptr = NULL;
        return dnnl_success;
    }
    cl_command_queue queue;
    cl_int error;
    dnnl_status_t st = engine_queue(memory->engine, &queue);
    if (st != dnnl_success) return st;
    void *mapped = clEnqueueMapBuffer(queue, memory->buffer, CL_TRUE,
            CL_MAP_READ | CL_MAP_WRITE, 0, memory->size, 0, NULL, NULL, &error);
    st = cl_status(error, "clEnqueueMapBuffer");
    if (st == dnnl_success) *mapped_ptr = mapped;
    return st;
}

dnnl_status_t dnnl_memory_unmap_data(
        const_dnnl_memory_t memory, void *mapped_ptr)
{
    if (memory == NULL || memory_is_host_scalar(memory))
        return dnnl_invalid_arguments;
    if (mapped_ptr == NULL || memory->engine->kind != dnnl_gpu)
        return dnnl_success;
    if (memory->buffer == NULL) return dnnl_invalid_arguments;
    cl_command_queue queue;
    dnnl_status_t st = engine_queue(memory->engine, &queue);
    if (st != dnnl_success) return st;
    st = cl_status(clEnqueueUnmapMemObject(
                           queue, memory->buffer, mapped_ptr, 0, NULL, NULL),
            "clEnqueueUnmapMemObject");
    if (st == dnnl_success) st = cl_status(clFinish(queue), "clFinish");
    return st;
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory)
{
    if (memory == NULL) return dnnl_success;
    if (memory->buffer != NULL) clReleaseMemObject(memory->buffer);
    free(memory->allocated);
    if (memory->engine != NULL) engine_release(memory->engine);
    free(memory);
    return dnnl_success;
}

/* ---- OpenCL -------------------------------------------------------------- */

static bool is_on_gpu(const struct dnnl_memory *memory)
{
    return memory->engine != NULL && memory->engine->kind == dnnl_gpu;
}

dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(
        const_dnnl_memory_t memory, dnnl_ocl_interop_memory_kind_t *memory_kind)
{
    if (memory == NULL || memory_kind == NULL || !is_on_gpu(memory))
        return dnnl_invalid_arguments;
    *memory_kind = dnnl_ocl_interop_buffer;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(
        const_dnnl_memory_t memory, cl_mem *mem_object)
{
    if (mem_object == NULL) return dnnl_invalid_arguments;
    if (memory != NULL && !is_on_gpu(memory)) return dnnl_invalid_arguments;
    *mem_object = memory != NULL ? memory->buffer : NULL;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(
        dnnl_memory_t memory, cl_mem mem_object)
{
    if (memory == NULL || !is_on_gpu(memory)) return dnnl_invalid_arguments;
    if (mem_object != NULL) {
        dnnl_status_t st = take_buffer(memory, mem_object);
        if (st != dnnl_success) return st;
    }
    if (memory->buffer != NULL) clReleaseMemObject(memory->buffer);
    memory->buffer = mem_object;
    return dnnl_success;
}
