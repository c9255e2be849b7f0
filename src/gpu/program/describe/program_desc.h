/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of the application's own programs. */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_DESC_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_DESC_H

#include "src/common/once.h"
#include "src/gpu/program/describe/recipe.h"

/* One thread's until the ID is made; then nothing of it changes any more. */
struct dnnl_cache_program_desc {
    atomic_int references;      /* the handle's, and one for each job */
    struct dnnl_engine *engine; /* retained; fixed */
    char **sources;             /* owned; NUL-terminated; fixed */
    size_t *lengths;
    size_t source_count; /* 0: of IL */
    uint8_t *il;         /* owned; fixed; NULL: of sources */
    size_t il_size;
    char *il_version;    /* owned; of the device; fixed; NULL: of sources */
    char *options;       /* owned; fixed */
    char *named_options; /* see program_text; owned; NULL until the ID is made,
                            or as they are */
    struct header_set headers;
    struct spec_constant *constants; /* owned; by ascending ID */
    size_t constant_count;
    struct buffer extra; /* ID fields of add_key */

    /* The last that was said: the caller vouches for what is included; the
     * library reads it, unless there are embedded headers. */
    bool includes_known;
    bool includes_followed;
    bool reads_files;   /* why not cacheable is that it does, or may */
    bool is_primitives; /* its ID is that of a primitive's program */
    char reason[160];   /* why not cacheable, "" if it is, as far as is known */
    struct includes includes; /* as the ID has them, if they are followed */

    struct once identified; /* all above is fixed once it is done */
    struct program_key key; /* empty: not cacheable */

    struct text_slot refusal; /* the compiler's words about the last failure */
};

/* A reference, given back by dnnl_cache_program_desc_destroy(). */
struct dnnl_cache_program_desc *program_desc_retain(
        const struct dnnl_cache_program_desc *desc);

/* Makes sure of the ID; a descriptor's constness is about what it describes.
 * Statuses: dnnl_success; dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t program_desc_identify(const struct dnnl_cache_program_desc *desc);

/* The ID of an identified descriptor, empty if it has none, or none any more;
 * and why, "" if it has one. */
struct program_id program_desc_id(const struct dnnl_cache_program_desc *desc);
const char *program_desc_doubt(const struct dnnl_cache_program_desc *desc);

/* Why what was compiled of a descriptor is not what its ID says
 * (dnnl_cache_blob_stale). */
#define PROGRAM_INCLUDES_CHANGED                              \
    "an included file has changed since the ID was made, or " \
    "could not be watched meanwhile"

/* Changes a recipe into one of a program without an ID, for that reason. */
void program_desc_drop_id(struct program_recipe *recipe,
        struct program_text *text, const char *reason);

/* Keeps what the compiler said of a failed creation; takes the note over, which
 * may be NULL. */
void program_desc_note_refusal(
        const struct dnnl_cache_program_desc *desc, struct shared_text *note);

/* How to make the program of an identified descriptor; text is filled in, and
 * both borrow from the descriptor. */
struct program_recipe program_desc_recipe(
        const struct dnnl_cache_program_desc *desc, struct program_text *text);

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_DESC_H */
