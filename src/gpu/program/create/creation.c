/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/creation.h"

#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

dnnl_status_t creation_init(struct creation *creation,
        const struct program_trace *trace, uint64_t start_ns)
{
    char *reason = NULL;
    if (trace->blob_status != dnnl_success) {
        reason = strdup(trace->reason.text);
        if (reason == NULL) return dnnl_out_of_memory;
    }
    creation->info = (dnnl_cache_creation_info_t){
            .struct_size = sizeof creation->info,
            .origin = trace->origin,
            .blob_status = trace->blob_status,
            .blob_reason = reason != NULL ? reason : "",
            .driver_ns = trace->driver_ns,
            .total_ns = clock_ns() - start_ns,
            .blob_bytes = trace->blob_bytes,
            .not_cacheable_reason = "",
            .form_reason = "",
    };
    creation->blob_reason = reason;
    buffer_init(&creation->own_blob);
    return dnnl_success;
}

void creation_fini(struct creation *creation)
{
    buffer_fini(&creation->own_blob);
    free(creation->blob_reason);
}

dnnl_status_t creation_keep_blob(struct creation *creation,
        struct program *program, const struct program_blob *blob)
{
    creation->info.blob_bytes = blob->view.size;
    if (creation->info.origin != dnnl_cache_origin_memory_hit || program == NULL
            || program_matches(program, blob))
        return dnnl_success;
    buffer_append(&creation->own_blob, blob->view.data, blob->view.size);
    return buffer_status(&creation->own_blob);
}

dnnl_cache_creation_info_t creation_info(
        const struct creation *creation, struct program *program)
{
    dnnl_cache_creation_info_t now = creation->info;
    if (program != NULL && once_get_done(&program->captured))
        now.binary_bytes = program->raw_size;
    now.incomplete =
            program != NULL && atomic_load(&program->use.is_incomplete);
    if (program != NULL && program->is_loaded) {
        now.binary_form = program->is_finalised
                                  ? dnnl_cache_binary_form_finalised
                                  : dnnl_cache_binary_form_driver;
        now.form_reason = program->form_reason.text;
    }
    return now;
}
