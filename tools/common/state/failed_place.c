/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/failed_place.h"

#include "src/platform/file.h"
#include "tools/common/state/state_folder.h"

#include <dnnl_cache/journal.h>

#include <stdio.h>
#include <string.h>

enum { most_path = 4096 + 32 };

static const char name[] = "failed";

/* Of this user, and written to by nobody else. The store itself may be reached
 * by a link; the state folder is none (state_folder_open_path()). */
static bool is_private(const char *path)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, path) == 0 && file_is_own(&facts)
           && (facts.mode & file_others_write) == 0;
}

/* False: there is none, or it is not this user's. */
static bool find(char path[most_path], const char *store, bool is_pack,
        enum failed_access access)
{
    struct file_facts facts;
    const int n = snprintf(
            path, most_path, "%s%s", store, state_folder_suffix(is_pack));
    if (n < 0 || (size_t)n + sizeof name >= most_path || !is_private(store))
        return false;
    const int folder =
            state_folder_open_path(path, access == failed_access_make);
    if (folder < 0) return false;
    (void)file_close(folder);
    if (!is_private(path)) return false;
    path[n] = '/';
    memcpy(path + n + 1, name, sizeof name);
    return access == failed_access_make
           || (file_facts_of_link(&facts, file_here, path) == 0
                   && facts.kind == file_is_folder);
}

dnnl_cache_store_handle_t *failed_place_open(const char *store, bool is_pack,
        enum failed_access access, dnnl_cache_log_callback_t log,
        void *log_user)
{
    enum { lock_ms = 200 };
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *failed = NULL;
    char path[most_path];
    if (!find(path, store, is_pack, access)) return NULL;
    options.path = path;
    options.capacity = failed_most_bytes;
    options.max_blob_bytes = failed_most_record;
    options.policy = dnnl_cache_store_policy_lru;
    /* The store would look at each record whenever it is opened. */
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    options.lock_timeout_ms = lock_ms;
    options.read_only = access == failed_access_read;
    options.log = log;
    options.log_user = log_user;
    if (dnnl_cache_store_open(&failed, "flat", &options) != dnnl_success)
        return NULL;
    (void)dnnl_cache_store_journal_set_limit(failed, failed_most_journal);
    return failed;
}
