/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/describe/program_binary.h"

#include "src/binaries/pocl_layout.h"
#include "src/binaries/pocl_stand_in.h"
#include "src/common/log.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/device.h"
#include "src/gpu/device/driver_name.h"
#include "src/gpu/device/pocl_binary.h"

#include <stdlib.h>
#include <string.h>

/* Of a sub-device's program PoCL lists the device that it is a part of. Of any
 * other driver a binary for that device is not known to be one for its part. */
static dnnl_status_t find_in(const cl_device_id *devices, cl_uint count,
        cl_device_id device, cl_uint *index)
{
    cl_device_id root = NULL;
    for (*index = 0; *index < count; ++*index)
        if (devices[*index] == device) return dnnl_success;
    if (driver_is(device, POCL_PLATFORM_NAME)) {
        dnnl_status_t st = device_root(device, &root);
        if (st != dnnl_success) return st;
        for (*index = 0; *index < count; ++*index)
            if (devices[*index] == root) return dnnl_success;
    }
    log_message(dnnl_cache_log_error, "program",
            "the driver does not list the device that it was built for");
    return dnnl_runtime_error;
}

/* The index of the device among those the program was built for: one that the
 * application built may have several. */
static dnnl_status_t find_device(
        cl_program cl, cl_device_id device, cl_uint *count, cl_uint *index)
{
    cl_uint n = 0;
    dnnl_status_t st = cl_status(
            clGetProgramInfo(cl, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL),
            "clGetProgramInfo(CL_PROGRAM_NUM_DEVICES)");
    if (st != dnnl_success) return st;
    cl_device_id *devices = calloc(n > 0 ? n : 1, sizeof *devices);
    if (devices == NULL) return dnnl_out_of_memory;
    st = cl_status(clGetProgramInfo(cl, CL_PROGRAM_DEVICES, n * sizeof *devices,
                           devices, NULL),
            "clGetProgramInfo(CL_PROGRAM_DEVICES)");
    if (st == dnnl_success) st = find_in(devices, n, device, index);
    free(devices);
    if (st == dnnl_success) *count = n;
    return st;
}

bool program_names_have(const char *names, size_t size, const char *name)
{
    const char *end = names + size;
    while (names < end && strcmp(names, name) != 0)
        names += strlen(names) + 1;
    return names < end;
}

/* The driver's list has semicolons. */
dnnl_status_t program_binary_names(
        cl_program cl, struct buffer *names, uint32_t *count)
{
    size_t size = 0;
    const cl_int error =
            clGetProgramInfo(cl, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
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
            clGetProgramInfo(cl, CL_PROGRAM_KERNEL_NAMES, size, list, NULL),
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

/* dnnl_unimplemented: the driver would not survive to be asked for a binary. */
static dnnl_status_t check_names(
        cl_device_id device, const struct buffer *names)
{
    if (names->size == 0) return dnnl_success;
    const char *name = (const char *)names->data;
    const char *end = name + names->size;
    while (name < end && pocl_binary_has_room(device, name))
        name += strlen(name) + 1;
    if (name == end) return dnnl_success;
    log_message(dnnl_cache_log_warning, "program",
            "not kept: a kernel's name has %zu bytes, and PoCL gives binaries "
            "only of programs whose kernels' names have at most %d",
            strlen(name), (int)pocl_longest_kernel_name);
    return dnnl_unimplemented;
}

dnnl_status_t program_binary_kernels(cl_program cl, cl_device_id device,
        struct buffer *names, uint32_t *count)
{
    dnnl_status_t st = program_binary_names(cl, names, count);
    return st == dnnl_success ? check_names(device, names) : st;
}

/* The sizes of all binaries, malloc'ed, and which is the device's. */
static dnnl_status_t read_sizes(cl_program cl, cl_device_id device,
        size_t **out, cl_uint *count, cl_uint *index)
{
    dnnl_status_t st = find_device(cl, device, count, index);
    if (st != dnnl_success) return st;
    size_t *sizes = calloc(*count, sizeof *sizes);
    if (sizes == NULL) return dnnl_out_of_memory;
    st = cl_status(clGetProgramInfo(cl, CL_PROGRAM_BINARY_SIZES,
                           *count * sizeof *sizes, sizes, NULL),
            "clGetProgramInfo(CL_PROGRAM_BINARY_SIZES)");
    if (st == dnnl_success)
        *out = sizes;
    else
        free(sizes);
    return st;
}

size_t program_binary_size(cl_program cl, cl_device_id device)
{
    cl_uint count;
    cl_uint index;
    size_t *sizes;
    struct buffer names = {NULL, 0, 0, false};
    uint32_t kernels = 0;
    dnnl_status_t st = program_binary_kernels(cl, device, &names, &kernels);
    buffer_fini(&names);
    if (st == dnnl_success) st = read_sizes(cl, device, &sizes, &count, &index);
    if (st != dnnl_success) return 0;
    const size_t size = sizes[index];
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

/* A kernel that cannot be created is one that the binary does without. */
static void create_kernels(
        cl_program cl, cl_device_id device, const struct buffer *names)
{
    if (names->size == 0 || !driver_compiles_kernels_late(device)) return;
    const char *name = (const char *)names->data;
    const char *end = name + names->size;
    for (; name < end; name += strlen(name) + 1) {
        cl_int error;
        cl_kernel kernel = clCreateKernel(cl, name, &error);
        if (kernel != NULL) clReleaseKernel(kernel);
    }
}

/* True if the driver takes the binary for one of the device. */
static bool is_of_device(cl_context context, cl_device_id device,
        const unsigned char *binary, size_t size)
{
    cl_int state = CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    cl_program made = clCreateProgramWithBinary(
            context, 1, &device, &size, &binary, &state, &error);
    if (made != NULL) clReleaseProgram(made);
    return error == CL_SUCCESS && state == CL_SUCCESS;
}

/* Which of the binaries is the device's: the one at its index, as OpenCL has
 * it, unless the driver does not take that. PoCL (3.1) has them in the order of
 * the list that the program was built for. */
static dnnl_status_t find_binary(cl_program cl, cl_device_id device,
        unsigned char *const *rooms, const size_t *sizes, cl_uint count,
        cl_uint *index)
{
    cl_context context = NULL;
    if (count < 2) return dnnl_success;
    dnnl_status_t st = cl_status(clGetProgramInfo(cl, CL_PROGRAM_CONTEXT,
                                         sizeof context, &context, NULL),
            "clGetProgramInfo(CL_PROGRAM_CONTEXT)");
    if (st != dnnl_success) return st;
    for (cl_uint i = 0; i < count; i++) {
        const cl_uint at = (*index + i) % count;
        if (sizes[at] == 0
                || !is_of_device(context, device, rooms[at], sizes[at]))
            continue;
        *index = at;
        return dnnl_success;
    }
    log_message(dnnl_cache_log_error, "program",
            "the driver takes none of the program's binaries for the device");
    return dnnl_runtime_error;
}

/* Those of other devices are asked for, too: PoCL 3.1 writes through the NULL
 * that OpenCL has for those that are not wanted. */
dnnl_status_t program_binary_read(cl_program cl, cl_device_id device,
        const struct buffer *names, unsigned char **binary, size_t *size)
{
    cl_uint count;
    cl_uint index;
    size_t *sizes;
    unsigned char **rooms = NULL;
    create_kernels(cl, device, names);
    dnnl_status_t st = read_sizes(cl, device, &sizes, &count, &index);
    if (st != dnnl_success) return st;
    if (sizes[index] == 0 && count == 1) {
        log_message(dnnl_cache_log_error, "program",
                "the driver has no binary of the program");
        st = dnnl_runtime_error;
        goto out;
    }
    rooms = rooms_create(sizes, count);
    st = dnnl_out_of_memory;
    if (rooms == NULL) goto out;
    st = cl_status(clGetProgramInfo(cl, CL_PROGRAM_BINARIES,
                           count * sizeof *rooms, rooms, NULL),
            "clGetProgramInfo(CL_PROGRAM_BINARIES)");
    if (st == dnnl_success)
        st = find_binary(cl, device, rooms, sizes, count, &index);
    if (st != dnnl_success) goto out;
    if (pocl_layout_is(rooms[index], sizes[index])
            && !pocl_stand_ins_remove(rooms[index], &sizes[index])) {
        log_message(dnnl_cache_log_error, "program",
                "the binary has files without code, and its layout is not "
                "known");
        st = dnnl_runtime_error;
        goto out;
    }
    *binary = rooms[index];
    *size = sizes[index];
    rooms[index] = NULL;
out:
    rooms_destroy(rooms, count);
    free(sizes);
    return st;
}

dnnl_status_t program_binary_log(
        cl_program cl, cl_device_id device, struct buffer *log)
{
    size_t size = 0;
    dnnl_status_t st = cl_status(clGetProgramBuildInfo(cl, device,
                                         CL_PROGRAM_BUILD_LOG, 0, NULL, &size),
            "clGetProgramBuildInfo(CL_PROGRAM_BUILD_LOG)");
    if (st != dnnl_success) return st;
    uint8_t *room = buffer_reserve(log, size + 1);
    if (room == NULL) return dnnl_out_of_memory;
    memset(room, 0, size + 1);
    st = cl_status(clGetProgramBuildInfo(
                           cl, device, CL_PROGRAM_BUILD_LOG, size, room, NULL),
            "clGetProgramBuildInfo(CL_PROGRAM_BUILD_LOG)");
    if (st == dnnl_success) log->size += strlen((const char *)room) + 1;
    return st;
}
