/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_place.h: where the compiler of a build under the layer works. */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_PLACE_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_PLACE_H

#include "tools/dnnl_cache/jobs/refresh_build.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include <dnnl_cache/journal.h>

/* Makes the folder in which the build, or the objects that are linked, were
 * compiled the working directory, if they read files or have headers that are
 * programs (an empty one below work if it is gone), or one below work with the
 * headers that a record brings for them. Else the working directory stays.
 * *options are those to build with; refresh_options_fini() follows.
 * refresh_worker_ok; refresh_worker_no_room: a folder or headers cannot be
 * written; refresh_worker_other_id: the folder whose name is in an ID is gone,
 * or has files that it had not. */
enum refresh_worker_exit refresh_place_enter(struct refresh_options *options,
        const struct refresh_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const dnnl_cache_note_t *build, const char *work);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_PLACE_H */
