/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program is that compiles in processes of its own. */
#include "model/api/model.h"

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <string.h>

/* From the folder of this library: as installed, in a package of a system that
 * has a folder for each processor in lib/, and as built. */
static const char *const places[] = {DNNL_CACHE_MODEL_HELPER,
        "../libexec/dnnl_cache/model_compile",
        "../../libexec/dnnl_cache/model_compile",
        "libexec/dnnl_cache/model_compile"};

void model_find_helper(size_t size, char *path)
{
    char found[path_size];
    path[0] = '\0';
    if (path_beside(found, places, places, sizeof places / sizeof *places)
            && file_may_be_run(found) && strlen(found) < size)
        strcpy(path, found);
}
