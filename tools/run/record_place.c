/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/record_place.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "tools/common/state/state_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char record_name[] = "DNNL_CACHE_RECORD";

void record_place_set(const char *store)
{
    char path[path_size];
    struct file_facts facts;
    const bool is_pack = file_facts_at(&facts, file_here, store) == 0
                         && facts.kind == file_is_plain;
    const int size = snprintf(
            path, sizeof path, "%s%s", store, state_folder_suffix(is_pack));
    if (getenv(record_name) != NULL || size < 0
            || (size_t)size + sizeof "/record" > sizeof path
            || file_facts_of_link(&facts, file_here, path) != 0
            || facts.kind != file_is_folder)
        return;
    strcat(path, "/record");
    (void)environment_set(record_name, path);
}
