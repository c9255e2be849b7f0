/* SPDX-License-Identifier: Apache-2.0 */
/* The note of a program's build, with copies of all that it points to. */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_BUILD_NOTE_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_BUILD_NOTE_H

#include "src/gpu/program/describe/program_key.h"

struct build_note {
    dnnl_cache_note_t note;
    void *bytes; /* owned: what note points to */
};

/* NULL: no memory. */
struct build_note *build_note_create(dnnl_cache_note_origin_t origin,
        const struct program_id *id, const struct program_text *text,
        uint64_t compile_ns);
void build_note_destroy(struct build_note *note); /* NULL is fine */

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_BUILD_NOTE_H */
