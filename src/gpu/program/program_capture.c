/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking the driver, once, for what a blob keeps of a program.
 */
#include "gpu/program/program.h"

#include "blob/codec.h"
#include "common/log.h"
#include "gpu/device/cl_status.h"
#include "gpu/device/pocl_binary.h"
#include "gpu/engine/output.h"
#include "gpu/program/program_blob.h"

#include <stdlib.h>
#include <string.h>

enum { ZSTD_LEVEL = 3 };

/* Of a sub-device's program PoCL lists the device that it is a part of. */
static dnnl_status_t find_in(const cl_device_id *devices, cl_uint count,
        cl_device_id device, cl_uint *index)
{
    cl_device_id root = NULL;
    for (*index = 0; *index < count; ++*index)
        if (devices[*index] == device) return dnnl_success;
    dnnl_status_t st = device_root(device, &root);
    if (st != dnnl_success) return st;
    for (*index = 0; *index < count; ++*index)
        if (devices[*index] == root) return dnnl_success;
    log_message(dnnl_cache_log_error, "program",
            "the driver does not list the device that it was built for");
    return dnnl_runtime_error;
}

/* The index of the program's device among those it was built for: an adopted
 * program may have several. */
static dnnl_status_t find_device(
        const struct program *p, cl_uint *count, cl_uint *index)
{
    cl_uint n = 0;
    dnnl_status_t st = cl_status(
            clGetProgramInfo(p->cl, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL),
            "clGetProgramInfo(CL_PROGRAM_NUM_DEVICES)");
    if (st != dnnl_success) return st;
    cl_device_id *devices = calloc(n > 0 ? n : 1, sizeof *devices);
    if (devices == NULL) return dnnl_out_of_memory;
    st = cl_status(clGetProgramInfo(p->cl, CL_PROGRAM_DEVICES,
                           n * sizeof *devices, devices, NULL),
            "clGetProgramInfo(CL_PROGRAM_DEVICES)");
    if (st == dnnl_success) st = find_in(devices, n, p->device, index);
    free(devices);
    if (st == dnnl_success) *count = n;
    return st;
}

/* Names with a NUL after each, from the driver's list with semicolons. */
static dnnl_status_t read_kernels(
        const struct program *p, struct buffer *names, uint32_t *count)
{
    size_t size = 0;
    const cl_int error =
            clGetProgramInfo(p->cl, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
    *count = 0;
    /* It is one that was compiled to be linked: adopted, as it was asked for.
     */
    if (error == CL_INVALID_PROGRAM_EXECUTABLE) return dnnl_success;
    dnnl_status_t st =
            cl_status(error, "clGetProgramInfo(CL_PROGRAM_KERNEL_NAMES)");
    if (st != dnnl_success) return st;
    char *list = calloc(size + 1, 1);
    if (list == NULL) return dnnl_out_of_memory;
    st = cl_status(
            clGetProgramInfo(p->cl, CL_PROGRAM_KERNEL_NAMES, size, list, NULL),
            "clGetProgramInfo(CL_PROGRAM_KERNEL_NAMES)");
    uint32_t n = 0;
    for (const char *at = list; st == dnnl_success && *at != '\0';) {
        size_t length = strcspn(at, ";");
        if (length > 0) {
            buffer_append(names, at, length);
            buffer_append_u8(names, 0);
            n++;
        }
        at += length + (at[length] == ';');
    }
    free(list);
    if (st == dnnl_success) st = buffer_status(names);
    if (st == dnnl_success) *count = n;
    return st;
}

/* dnnl_unimplemented: the driver would not survive to be asked for a binary.
 * names: as read_kernels() gives them. */
static dnnl_status_t check_names(
        const struct program *p, const struct buffer *names)
{
    if (names->size == 0) return dnnl_success;
    const char *name = (const char *)names->data;
    const char *end = name + names->size;
    while (name < end && pocl_binary_has_room(p->device, name))
        name += strlen(name) + 1;
    if (name == end) return dnnl_success;
    log_message(dnnl_cache_log_warning, "program",
            "not kept: a kernel's name has %zu bytes, and PoCL gives binaries "
            "only of programs whose kernels' names have at most %d",
            strlen(name), (int)pocl_longest_kernel_name);
    return dnnl_unimplemented;
}

size_t program_binary_size(const struct program *p)
{
    cl_uint count;
    cl_uint index;
    size_t size = 0;
    struct buffer names = {NULL, 0, 0, false};
    uint32_t kernels = 0;
    const bool may_ask = read_kernels(p, &names, &kernels) == dnnl_success
                         && check_names(p, &names) == dnnl_success;
    buffer_fini(&names);
    if (!may_ask || find_device(p, &count, &index) != dnnl_success) return 0;
    size_t *sizes = calloc(count, sizeof *sizes);
    if (sizes != NULL
            && cl_status(clGetProgramInfo(p->cl, CL_PROGRAM_BINARY_SIZES,
                                 count * sizeof *sizes, sizes, NULL),
                       "clGetProgramInfo(CL_PROGRAM_BINARY_SIZES)")
                       == dnnl_success)
        size = sizes[index];
    free(sizes);
    return size;
}

static void rooms_destroy(unsigned char **rooms, cl_uint count)
{
    for (cl_uint i = 0; rooms != NULL && i < count; i++)
        free(rooms[i]);
    free(rooms);
}

/* Room for every binary of sizes; NULL: no memory. */
static unsigned char **rooms_create(const size_t *sizes, cl_uint count)
{
    unsigned char **rooms = calloc(count, sizeof *rooms);
    bool done = rooms != NULL;
    for (cl_uint i = 0; done && i < count; i++) {
        rooms[i] = malloc(sizes[i] > 0 ? sizes[i] : 1);
        done = rooms[i] != NULL;
    }
    if (done) return rooms;
    rooms_destroy(rooms, count);
    return NULL;
}

/* The driver's binary for the program's device, malloc'ed. Those of other
 * devices are asked for, too: PoCL 3.1 writes through the NULL that OpenCL has
 * for those that are not wanted. */
static dnnl_status_t read_binary(
        const struct program *p, unsigned char **binary, size_t *size)
{
    cl_uint count;
    cl_uint index;
    dnnl_status_t st = find_device(p, &count, &index);
    if (st != dnnl_success) return st;
    size_t *sizes = calloc(count, sizeof *sizes);
    unsigned char **rooms = NULL;
    st = dnnl_out_of_memory;
    if (sizes == NULL) goto out;
    st = cl_status(clGetProgramInfo(p->cl, CL_PROGRAM_BINARY_SIZES,
                           count * sizeof *sizes, sizes, NULL),
            "clGetProgramInfo(CL_PROGRAM_BINARY_SIZES)");
    if (st != dnnl_success) goto out;
    if (sizes[index] == 0) {
        log_message(dnnl_cache_log_error, "program",
                "the driver has no binary of the program");
        st = dnnl_runtime_error;
        goto out;
    }
    rooms = rooms_create(sizes, count);
    st = dnnl_out_of_memory;
    if (rooms == NULL) goto out;
    st = cl_status(clGetProgramInfo(p->cl, CL_PROGRAM_BINARIES,
                           count * sizeof *rooms, rooms, NULL),
            "clGetProgramInfo(CL_PROGRAM_BINARIES)");
    if (st != dnnl_success) goto out;
    *binary = rooms[index];
    *size = sizes[index];
    rooms[index] = NULL;
out:
    rooms_destroy(rooms, count);
    free(sizes);
    return st;
}

dnnl_status_t program_read_log(const struct program *p, struct buffer *log)
{
    size_t size = 0;
    dnnl_status_t st = cl_status(clGetProgramBuildInfo(p->cl, p->device,
                                         CL_PROGRAM_BUILD_LOG, 0, NULL, &size),
            "clGetProgramBuildInfo(CL_PROGRAM_BUILD_LOG)");
    if (st != dnnl_success) return st;
    buffer_append(log, p->first_log.data, p->first_log.size);
    uint8_t *room = buffer_reserve(log, size + 1);
    if (room == NULL) return dnnl_out_of_memory;
    memset(room, 0, size + 1);
    st = cl_status(clGetProgramBuildInfo(p->cl, p->device, CL_PROGRAM_BUILD_LOG,
                           size, room, NULL),
            "clGetProgramBuildInfo(CL_PROGRAM_BUILD_LOG)");
    if (st == dnnl_success) log->size += strlen((const char *)room) + 1;
    return st;
}

static dnnl_status_t capture(struct program *p)
{
    struct buffer encoded = {NULL, 0, 0, false};
    struct buffer log = {NULL, 0, 0, false};
    struct buffer kernels = {NULL, 0, 0, false};
    uint32_t kernel_count = 0;
    unsigned char *binary = NULL;
    size_t size = 0;
    enum blob_codec codec = p->compression == dnnl_cache_compression_zstd
                                    ? blob_codec_zstd
                                    : blob_codec_none;
    dnnl_status_t st = program_read_log(p, &log);
    if (st == dnnl_success) st = read_kernels(p, &kernels, &kernel_count);
    if (st == dnnl_success) st = check_names(p, &kernels);
    if (st == dnnl_success) st = read_binary(p, &binary, &size);
    if (st == dnnl_success)
        st = codec_encode(codec, ZSTD_LEVEL, binary, size, &encoded);
    free(binary);
    if (st != dnnl_success) {
        buffer_fini(&encoded);
        buffer_fini(&log);
        buffer_fini(&kernels);
        return st;
    }
    p->binary = encoded;
    p->raw_size = size;
    p->codec = codec;
    p->log = log;
    p->kernels = kernels;
    p->kernel_count = kernel_count;
    return dnnl_success;
}

dnnl_status_t program_capture(struct program *program)
{
    dnnl_status_t st = dnnl_success;
    switch (once_begin(&program->captured)) {
    case once_is_done:
        break;
    case once_is_ours:
        st = capture(program);
        once_end(&program->captured, st == dnnl_success);
        if (st == dnnl_success && program_is_wanted(program))
            program_offer(program);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

dnnl_status_t program_set_user_data(
        struct program *program, const void *data, size_t size)
{
    struct buffer copy = {NULL, 0, 0, false};
    buffer_append(&copy, data, size);
    dnnl_status_t st = buffer_status(&copy);
    if (st != dnnl_success) return st;
    struct buffer unused = copy;
    switch (once_begin(&program->captured)) {
    case once_is_done:
        st = dnnl_invalid_arguments;
        break;
    case once_is_ours:
        /* No capture is under way, and none begins before the end. */
        unused = program->user_data;
        program->user_data = copy;
        once_end(&program->captured, false);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    buffer_fini(&unused);
    return st;
}

dnnl_status_t program_get_user_data(
        struct program *program, size_t *size, void *out)
{
    dnnl_status_t st = dnnl_runtime_error;
    enum once_state answer = once_begin(&program->captured);
    if (answer != once_is_nested)
        st = output_bytes(
                program->user_data.data, program->user_data.size, size, out);
    if (answer == once_is_ours) once_end(&program->captured, false);
    return st;
}

dnnl_status_t program_describe(
        struct program *program, struct blob_program *record)
{
    dnnl_status_t st = program_capture(program);
    if (st != dnnl_success) return st;
    record->id = program->id.data;
    record->id_size = program->id.size;
    record->binary = program->binary.data;
    record->binary_size = program->binary.size;
    record->raw_size = program->raw_size;
    record->codec = program->codec;
    record->backend = blob_backend_opencl;
    record->log = (const char *)program->log.data;
    record->log_size = program->log.size > 0 ? program->log.size - 1 : 0;
    return dnnl_success;
}
