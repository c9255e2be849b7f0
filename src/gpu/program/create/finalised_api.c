/* SPDX-License-Identifier: Apache-2.0 */
/* Finalised forms, for those who load binaries themselves. */
#include "dnnl_cache/sys/inside.h"
#include "src/blob/codec.h"
#include "src/common/log.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/program/object/finalised_form.h"

#include <stdlib.h>

/* That of the binary, if the form replaces it. */
static size_t size_of_form(const struct blob_program *record)
{
    return (size_t)(record->final_binary == NULL ? record->raw_size
                                                 : record->final_raw_size);
}

/* Decodes, checks and gives it. */
static dnnl_status_t give(struct dnnl_engine *engine,
        const struct blob_program *record, const struct buffer *names,
        uint32_t kernel_count, size_t *size, uint8_t *out)
{
    struct blob_reason reason = {""};
    const bool is_alone = record->final_binary == NULL;
    const size_t raw_size = size_of_form(record);
    uint8_t *form = malloc(raw_size);
    if (form == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = codec_decode(
            (enum blob_codec)(is_alone ? record->codec : record->final_codec),
            is_alone ? record->binary : record->final_binary,
            is_alone ? record->binary_size : record->final_size, form,
            raw_size);
    if (st == dnnl_success
            && !finalised_form_is_usable(engine->device, record, form, raw_size,
                    (const char *)names->data, kernel_count, false, &reason)) {
        log_message(
                dnnl_cache_log_info, "finalise", "not given: %s", reason.text);
        st = dnnl_not_required;
    }
    if (st == dnnl_success) st = output_bytes(form, raw_size, size, out);
    free(form);
    return st;
}

dnnl_status_t dnnl_cache_engine_get_finalised_binary(dnnl_engine_t engine,
        size_t size, const uint8_t *cache_blob, uint32_t index,
        size_t *binary_size, uint8_t *binary)
{
    if (engine == NULL || engine->kind != dnnl_gpu || size == 0
            || cache_blob == NULL || binary_size == NULL)
        return dnnl_invalid_arguments;
    struct blob_view view;
    struct blob_program record;
    struct buffer names = {NULL, 0, 0, false};
    uint32_t count = 0;
    dnnl_status_t st = blob_read(&view, cache_blob, size, NULL);
    if (st == dnnl_success) st = blob_view_program(&view, index, &record);
    if (st != dnnl_success) return st;
    if (record.finaliser_size == 0) return dnnl_not_required;
    if (binary == NULL)
        return output_bytes(NULL, size_of_form(&record), binary_size, NULL);
    for (uint32_t i = 0; i < view.kernel_count; i++) {
        struct blob_kernel kernel;
        if (blob_view_kernel(&view, i, &kernel) != dnnl_success
                || kernel.program != index)
            continue;
        buffer_append(&names, kernel.name, kernel.name_size + 1);
        count++;
    }
    st = buffer_status(&names);
    if (st == dnnl_success)
        st = give(engine, &record, &names, count, binary_size, binary);
    buffer_fini(&names);
    return st;
}

dnnl_status_t dnnl_cache_engine_refuse_finalised_binary(
        dnnl_engine_t engine, size_t size, const uint8_t *binary)
{
    if (engine == NULL || engine->kind != dnnl_gpu || size == 0
            || binary == NULL)
        return dnnl_invalid_arguments;
    finalised_form_note_refused(binary, size);
    return dnnl_success;
}
