/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_driver.h"

#include "src/platform/environment.h"

#include <stdio.h>
#include <stdlib.h>

static const char given[] = "POCL_CACHE_DIR";
static const char usual[] = "XDG_CACHE_HOME";

void refresh_driver_set_variables(
        struct process_variables *variables, const char *folder)
{
    char path[environment_path_size];
    process_variables_set(variables,
            process_variables_get(variables, given) != NULL ? given : usual,
            folder);
    if (process_variables_get(variables, "PATH") != NULL) return;
    if (environment_usual_path(path))
        process_variables_set(variables, "PATH", path);
    else
        variables->has_failed = true;
}

bool refresh_driver_set_path(void)
{
    return environment_set_usual_path() == 0;
}

bool refresh_driver_find_pocl(char path[path_size])
{
    const char *folder = getenv(given);
    const char *parent = getenv(usual);
    if (folder == NULL && parent == NULL) return false;
    const int size = folder != NULL ? snprintf(path, path_size, "%s", folder)
                                    : snprintf(path, path_size,
                                            "%s/pocl/uncached", parent);
    return size > 0 && size < path_size;
}
