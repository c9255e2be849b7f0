/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/record_place.h"

#include "tools/common/state/state_folder.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char record_name[] = "DNNL_CACHE_RECORD";

void record_place_set(const char *store)
{
    char path[PATH_MAX];
    struct stat st;
    const bool is_pack = stat(store, &st) == 0 && S_ISREG(st.st_mode);
    const int size = snprintf(
            path, sizeof path, "%s%s", store, state_folder_suffix(is_pack));
    if (getenv(record_name) != NULL || size < 0
            || (size_t)size + sizeof "/record" > sizeof path
            || lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    strcat(path, "/record");
    (void)setenv(record_name, path, 0);
}
