/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's kernels: handles of kernel objects that are in memory.
 */
#include "src/gpu/program/create/kernel_cache.h"
#include "src/gpu/program/describe/program_desc.h"

#include <stdlib.h>

struct dnnl_cache_kernel {
    struct kernel *kernel; /* retained */
    cl_kernel cl;          /* of its pool, the caller's until the end */
};

dnnl_status_t kernel_handle_create(
        struct kernel *kernel, struct dnnl_cache_kernel **out)
{
    struct dnnl_cache_kernel *k = malloc(sizeof *k);
    dnnl_status_t st = k != NULL ? kernel_pool_take(&kernel->pool, &k->cl)
                                 : dnnl_out_of_memory;
    if (st != dnnl_success) {
        free(k);
        kernel_release(kernel);
        return st;
    }
    k->kernel = kernel;
    *out = k;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_kernel_create(dnnl_cache_kernel_t *kernel,
        const_dnnl_cache_program_desc_t program_desc, const char *name)
{
    if (kernel == NULL || program_desc == NULL || name == NULL)
        return dnnl_invalid_arguments;
    dnnl_status_t st = program_desc_identify(program_desc);
    if (st != dnnl_success) return st;
    struct program_text text;
    struct program_recipe recipe = program_desc_recipe(program_desc, &text);
    struct kernel *found;
    struct shared_text *note = NULL;
    st = kernel_acquire_fast(&recipe, name, &found, &note);
    if (st == dnnl_cache_blob_stale) {
        program_desc_drop_id(&recipe, &text, PROGRAM_INCLUDES_CHANGED);
        st = kernel_acquire_fast(&recipe, name, &found, &note);
    }
    if (st != dnnl_success) {
        program_desc_note_refusal(program_desc, note);
        return st;
    }
    return kernel_handle_create(found, kernel);
}

dnnl_status_t dnnl_cache_kernel_get_cl_kernel(
        const_dnnl_cache_kernel_t kernel, cl_kernel *cl_kernel)
{
    if (kernel == NULL || cl_kernel == NULL) return dnnl_invalid_arguments;
    *cl_kernel = kernel->cl;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_kernel_destroy(dnnl_cache_kernel_t kernel)
{
    if (kernel == NULL) return dnnl_success;
    kernel_pool_forget_buffers(&kernel->kernel->pool, kernel->cl);
    kernel_pool_give(&kernel->kernel->pool, kernel->cl);
    kernel_release(kernel->kernel);
    free(kernel);
    return dnnl_success;
}
