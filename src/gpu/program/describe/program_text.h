/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program is compiled from: OpenCL C with embedded headers, or IL with
 * specialization constants. Its part of an ID, and its way to the compiler.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_TEXT_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_TEXT_H

#include "dnnl_cache.h"
#include "src/blob/id.h"
#include "src/common/shared_text.h"
#include "src/gpu/program/describe/il.h"
#include "src/includes/header_set.h"
#include "src/includes/includes.h"

#include <stdbool.h>

/* Borrowed: everything outlives the call it is given to. */
struct program_text {
    const char *const *sources;
    const size_t *lengths; /* NULL, or an entry 0: ends with NUL */
    size_t source_count;
    const struct header_set *headers; /* NULL: none */
    /* The driver gets the headers under their own names, and directives as they
     * are: of what is not cacheable, where some cannot be rewritten. */
    bool has_plain_headers;
    const void *il; /* NULL: from sources */
    size_t il_size;
    const char *il_version;                /* the device's, for IL */
    const struct spec_constant *constants; /* by ascending ID */
    size_t constant_count;
    const char *options;
    /* Of a program that moves (includes.h), as its ID has them: with numbers in
     * place of folders. NULL: as they are. */
    const char *named_options;
    /* What the files hold that the compiler reads; NULL: it reads none, or that
     * is not known. */
    const struct includes *includes;
};

/* Puts all of it: digests of what is long, the rest as it is. */
void program_text_put_id(
        const struct program_text *text, struct id_builder *id);

/* Compiles for one device, with these marks before the options (build_mark.h;
 * "": none). What the compiler says of a failure is logged. Where
 * compiling and linking are two steps, what it says of a successful first one
 * is appended to first_log, without a NUL. What it says of a refusal is *note,
 * the caller's, too; NULL if it says nothing. Statuses: dnnl_success;
 * dnnl_invalid_arguments (IL that is none, or without such a specialization
 * constant); dnnl_unimplemented (the driver takes no IL or no such constants);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t program_text_compile(const struct program_text *text,
        const char *marks, cl_context context, cl_device_id device,
        struct buffer *first_log, struct shared_text **note, cl_program *out);

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_TEXT_H */
