/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char given[] = "POCL_CACHE_DIR";
static const char usual[] = "XDG_CACHE_HOME";

bool refresh_driver_set_folder(const char *folder)
{
    return setenv(getenv(given) != NULL ? given : usual, folder, 1) == 0;
}

bool refresh_driver_set_path(void)
{
    char path[256];
    const size_t size = confstr(_CS_PATH, path, sizeof path);
    return getenv("PATH") != NULL
           || (size > 0 && size <= sizeof path && setenv("PATH", path, 1) == 0);
}

bool refresh_driver_find_pocl(char path[PATH_MAX])
{
    const char *folder = getenv(given);
    const char *parent = getenv(usual);
    if (folder == NULL && parent == NULL) return false;
    const int size = folder != NULL ? snprintf(path, PATH_MAX, "%s", folder)
                                    : snprintf(path, PATH_MAX,
                                            "%s/pocl/uncached", parent);
    return size > 0 && size < PATH_MAX;
}
