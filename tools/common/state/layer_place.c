/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/layer_place.h"

/* From the folder of programs to that of libraries: in a build, as it is
 * installed, and in packages, which have a folder for what is only loaded. */
static const char *const places[] = {
        "../lib/" LAYER_FILE_NAME,
        DNNL_CACHE_TOOLS_TO_LIB "/" LAYER_FILE_NAME,
        DNNL_CACHE_TOOLS_TO_LIB "/dnnl_cache/" LAYER_FILE_NAME,
        "../lib/" DNNL_CACHE_MULTIARCH "/dnnl_cache/" LAYER_FILE_NAME,
};

bool layer_place_find(char path[path_size])
{
    return path_beside(path, NULL, places, sizeof places / sizeof *places);
}
