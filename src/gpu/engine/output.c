/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/output.h"

#include "src/blob/writer.h"
#include "src/common/sized_struct.h"

#include <string.h>

dnnl_status_t output_bytes(
        const void *data, size_t data_size, size_t *size, void *out)
{
    size_t capacity = *size;
    *size = data_size;
    if (out == NULL) return dnnl_success;
    if (capacity < data_size) return dnnl_invalid_arguments;
    if (data_size > 0) memcpy(out, data, data_size);
    return dnnl_success;
}

dnnl_status_t output_note(struct shared_text *note, size_t *size, char *out)
{
    dnnl_status_t st =
            note != NULL ? output_bytes(note->text, note->size + 1, size, out)
                         : output_bytes("", 1, size, out);
    shared_text_release(note);
    return st;
}

dnnl_status_t output_blob(
        const struct blob_contents *contents, size_t *size, uint8_t *out)
{
    size_t capacity = *size;
    size_t needed;
    if (blob_write(contents, NULL, 0, &needed) != dnnl_success)
        return dnnl_runtime_error;
    *size = needed;
    if (out == NULL) return dnnl_success;
    if (capacity < needed) return dnnl_invalid_arguments;
    return blob_write(contents, out, capacity, size);
}

dnnl_status_t output_struct(const void *ours, size_t size, void *callers)
{
    return sized_struct_write(ours, size, callers) ? dnnl_success
                                                   : dnnl_invalid_arguments;
}
