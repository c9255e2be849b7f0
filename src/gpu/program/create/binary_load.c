/* SPDX-License-Identifier: Apache-2.0 */
/* Programs made of binaries that others load, too. */
#include "dnnl_cache.h"
#include "dnnl_cache/sys/layer.h"
#include "src/binaries/pocl_layout.h"
#include "src/common/log.h"
#include "src/gpu/device/pocl_binary.h"

#include <stdlib.h>
#include <string.h>

/* What the driver gets: the caller's binaries, or copies of them. */
struct load {
    size_t count;
    const unsigned char **binaries; /* owned, what it points to is not */
    uint8_t **copies;               /* owned; NULL where there is none */
    bool is_shared;                 /* with another load at the same time */
};

static void load_fini(struct load *load)
{
    for (size_t i = 0; load->copies != NULL && i < load->count; i++)
        free(load->copies[i]);
    free(load->copies);
    free(load->binaries);
}

static dnnl_status_t add_copy(
        struct load *load, size_t i, const unsigned char *binary, size_t size)
{
    bool is_shared = false;
    uint8_t *copy = malloc(size);
    if (copy == NULL) return dnnl_out_of_memory;
    memcpy(copy, binary, size);
    const dnnl_status_t st = pocl_binary_rename(copy, size, &is_shared);
    load->copies[i] = copy;
    load->binaries[i] = copy;
    if (is_shared) load->is_shared = true;
    if (st == dnnl_unimplemented)
        log_message(dnnl_cache_log_info, "blob",
                "PoCL's cache is off, and its binary is of a layout that is "
                "not known: it cannot be loaded beside others");
    return st;
}

static dnnl_status_t load_init(struct load *load, size_t count,
        const size_t *sizes, const unsigned char *const *binaries)
{
    dnnl_status_t st = dnnl_success;
    *load = (struct load){.count = count,
            .binaries = calloc(count + 1, sizeof *load->binaries),
            .copies = calloc(count + 1, sizeof *load->copies)};
    if (load->binaries == NULL || load->copies == NULL)
        return dnnl_out_of_memory;
    for (size_t i = 0; i < count && st == dnnl_success; i++) {
        load->binaries[i] = binaries[i];
        if (binaries[i] != NULL && pocl_layout_is(binaries[i], sizes[i]))
            st = add_copy(load, i, binaries[i], sizes[i]);
    }
    return st;
}

dnnl_status_t dnnl_cache_create_program_with_binary(cl_program *program,
        cl_context context, cl_uint device_count, const cl_device_id *devices,
        const size_t *sizes, const unsigned char *const *binaries,
        cl_int *binary_status, cl_int *error)
{
    struct load load;
    cl_program made = NULL;
    cl_int code = CL_SUCCESS;
    if (program == NULL || sizes == NULL || binaries == NULL)
        return dnnl_invalid_arguments;
    dnnl_status_t st = load_init(&load, device_count, sizes, binaries);
    if (st == dnnl_success) {
        const int folder = load.is_shared ? pocl_binary_lock() : -1;
        made = clCreateProgramWithBinary(context, device_count, devices, sizes,
                load.binaries, binary_status, &code);
        pocl_binary_unlock(folder);
        if (made == NULL) st = dnnl_runtime_error;
    }
    load_fini(&load);
    if (error != NULL) *error = code;
    if (st == dnnl_success) *program = made;
    return st;
}
