/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/program/program_blob.h"

#include "gpu/engine/output.h"

#include <stdlib.h>
#include <string.h>

dnnl_status_t program_write_blob(
        struct program *program, size_t *size, uint8_t *out)
{
    struct blob_program record;
    dnnl_status_t st = program_describe(program, &record);
    if (st != dnnl_success) return st;
    struct blob_kernel *kernels =
            calloc((size_t)program->kernel_count + 1, sizeof *kernels);
    if (kernels == NULL) return dnnl_out_of_memory;
    const char *name = (const char *)program->kernels.data;
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        kernels[i].name = name;
        kernels[i].name_size = strlen(name);
        name += kernels[i].name_size + 1;
    }
    struct blob_contents contents = {.kind = blob_kind_program,
            .id = program->id.data,
            .id_size = program->id.size,
            .programs = &record,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = program->kernel_count,
            .user_data = program->user_data.data,
            .user_data_size = program->user_data.size};
    st = output_blob(&contents, size, out);
    free(kernels);
    return st;
}

void program_offer(struct program *program)
{
    size_t size = 0;
    if (program->id.size == 0
            || program_write_blob(program, &size, NULL) != dnnl_success)
        return;
    uint8_t *blob = malloc(size);
    if (blob != NULL
            && program_write_blob(program, &size, blob) == dnnl_success) {
        store_put(program->store, program->id.data, program->id.size, blob,
                size, dnnl_cache_blob_kind_program, program->compile_ns);
        /* Compiled again meanwhile: which of the two came last is not known,
         * and the old one must not stay. */
        if (!program_is_wanted(program))
            store_remove(program->store, program->id.data, program->id.size);
    }
    free(blob);
}

static bool is_same(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

bool program_matches_record(
        struct program *program, const struct blob_view *view, uint32_t index)
{
    struct blob_program theirs;
    struct blob_program ours;
    if (!once_get_done(&program->captured)
            || program_describe(program, &ours) != dnnl_success
            || blob_view_program(view, index, &theirs) != dnnl_success)
        return false;
    return ours.codec == theirs.codec && ours.raw_size == theirs.raw_size
           && is_same(ours.binary, ours.binary_size, theirs.binary,
                   theirs.binary_size)
           && is_same(ours.log, ours.log_size, theirs.log, theirs.log_size)
           && is_same(program->user_data.data, program->user_data.size,
                   view->user_data, view->user_data_size);
}

dnnl_status_t program_build_log(struct program *program, struct buffer *out)
{
    if (!once_get_done(&program->captured))
        return program_read_log(program, out);
    buffer_append(out, program->log.data, program->log.size);
    return buffer_status(out);
}
