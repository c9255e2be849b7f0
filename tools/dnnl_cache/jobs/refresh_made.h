/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_made.h: what PoCL's own cache had of a program in the process that
 * compiled it, for a worker that need not compile it again.
 *
 * Notes have the files that the process was seen to make (pocl_made.h). A
 * worker whose driver's cache is on, and in the worker's own folder, copies
 * them there under the driver's name for the program. If the name is what the
 * driver looks for, the build finds them; else it compiles, as it does what is
 * missing.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_MADE_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_MADE_H

#include <dnnl_cache/journal.h>

/* The variable that switches the driver's cache on, and whether it is. */
#define REFRESH_OWN_CACHE "POCL_KERNEL_CACHE"
bool refresh_made_is_on(void);

/* Before the build of that ID: copies what its notes have into the driver's
 * folder. What is no longer as it was noted is left out. */
void refresh_made_put(const struct dnnl_cache_store_journal_list *notes,
        size_t id_size, const uint8_t *id);

/* After it: opens the folder that the driver has of the program, for the caller
 * to close. file_none: it is not known. */
int refresh_made_open_folder(void);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_MADE_H */
