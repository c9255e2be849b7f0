/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/output.h"

#include "src/blob/writer.h"

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

dnnl_status_t output_note(struct note *note, size_t *size, char *out)
{
    dnnl_status_t st =
            note != NULL ? output_bytes(note->text, note->size + 1, size, out)
                         : output_bytes("", 1, size, out);
    note_release(note);
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
    size_t theirs;
    memcpy(&theirs, callers, sizeof theirs);
    if (theirs < sizeof theirs) return dnnl_invalid_arguments;
    /* Linux's rule for structs that grow: what we do not know must be 0. */
    const unsigned char *bytes = callers;
    for (size_t i = size; i < theirs; i++)
        if (bytes[i] != 0) return dnnl_invalid_arguments;
    size_t copied = theirs < size ? theirs : size;
    memcpy((unsigned char *)callers + sizeof theirs,
            (const unsigned char *)ours + sizeof theirs,
            copied - sizeof theirs);
    return dnnl_success;
}
