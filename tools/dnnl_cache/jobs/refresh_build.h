/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_build.h: what a note describes, built again. */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_BUILD_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_BUILD_H

#include "tools/dnnl_cache/jobs/refresh_device.h"

#include <dnnl_cache/journal.h>

/* A descriptor of the sources and the options. Statuses: as
 * dnnl_cache_program_desc_create(). */
dnnl_status_t refresh_build_describe(dnnl_cache_program_desc_t *desc,
        dnnl_engine_t engine, const dnnl_cache_note_t *note);

/* A descriptor of all that the note of a program of the library has, but for
 * the application's keys. *desc is the caller's in any case; NULL: none. */
dnnl_status_t refresh_build_describe_all(dnnl_cache_program_desc_t *desc,
        dnnl_engine_t engine, const dnnl_cache_note_t *note);

/* Options to compile with in place of those that are noted: of the build, and
 * of each object that is linked, in order. A zeroed one has none. */
struct refresh_options {
    size_t count;
    char **list; /* owned; NULL: as they are noted */
};

/* False: no memory. */
bool refresh_options_init(struct refresh_options *options, size_t count);
void refresh_options_fini(struct refresh_options *options);

/* Makes the program with OpenCL's own calls, as the application did, and what
 * is linked to it, whose notes are in the list. NULL: it cannot be built. The
 * caller releases it. */
cl_program refresh_build_replay(const struct refresh_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const dnnl_cache_note_t *note, const struct refresh_options *options);

/* The build of that ID; NULL: it is not in the list. */
const dnnl_cache_note_t *refresh_build_find(
        const struct dnnl_cache_store_journal_list *list, size_t id_size,
        const uint8_t *id);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_BUILD_H */
