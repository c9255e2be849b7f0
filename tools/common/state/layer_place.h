/* SPDX-License-Identifier: Apache-2.0 */
/* layer_place.h: the OpenCL layer that was built or installed with a program.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_LAYER_PLACE_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_LAYER_PLACE_H

#include "src/platform/library.h"

#define LAYER_FILE_NAME "libdnnl_cache_layer.so"

/* The path, without links, of the layer in the folder of libraries that belongs
 * to the folder of this program. False: there is none. */
bool layer_place_find(char path[path_size]);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_LAYER_PLACE_H */
