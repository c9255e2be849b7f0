/* SPDX-License-Identifier: Apache-2.0 */
/* How calls hand bytes and structs to the caller: one rule for all. */
#ifndef DNNL_CACHE_GPU_OUTPUT_H
#define DNNL_CACHE_GPU_OUTPUT_H

#include "dnnl_cache/base.h"
#include "src/blob/blob.h"
#include "src/common/shared_text.h"

/* The size query of dnnl_cache.h: with out NULL writes *size; with *size too
 * small writes the size needed and returns dnnl_invalid_arguments; else copies
 * and writes the size. */
dnnl_status_t output_bytes(
        const void *data, size_t data_size, size_t *size, void *out);

/* The same for a note's text with its NUL, "" for NULL; takes the note over. */
dnnl_status_t output_note(struct shared_text *note, size_t *size, char *out);

/* The same for a blob made of contents. dnnl_runtime_error if the contents are
 * more than a blob can hold. */
dnnl_status_t output_blob(
        const struct blob_contents *contents, size_t *size, uint8_t *out);

/* Copies a struct that starts with its own size to the caller's, which may be
 * of an older, shorter or newer, longer declaration: only what the caller has
 * room for, and struct_size stays the caller's. dnnl_invalid_arguments if the
 * caller's is shorter than struct_size itself, or longer than ours with a
 * nonzero tail. */
dnnl_status_t output_struct(const void *ours, size_t size, void *callers);

#endif /* DNNL_CACHE_GPU_OUTPUT_H */
