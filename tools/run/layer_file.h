/* SPDX-License-Identifier: Apache-2.0 */
/* layer_file.h: where the layer is, and whether a process could load it. */
#ifndef DNNL_CACHE_TOOLS_RUN_LAYER_FILE_H
#define DNNL_CACHE_TOOLS_RUN_LAYER_FILE_H

#include "layer/storage/place.h"
#include "tools/common/state/layer_place.h"

#include <stdbool.h>
#include <stddef.h>

/* The absolute path of the layer: of the file that is wanted, or, if that is
 * NULL, of the one that was built or installed with this program. False: why
 * says what is wrong. */
bool layer_file_find(char path[], size_t capacity, const char *wanted,
        char why[], size_t why_capacity);

/* Loads it as the ICD loader would, which reports no errors. */
bool layer_file_check(const char *path, char why[], size_t why_capacity);

/* The path of a program of this name in the folder of this one; false: there is
 * none. */
bool layer_file_beside(char path[path_size], const char *name);

/* Asks the layer at path, which was checked, about the place on disk that the
 * environment names. place_usable if the layer has no such function. why
 * receives what place.h says, "" if there is no such function. */
enum place layer_file_ask_place(
        const char *path, char why[], size_t why_capacity);

#endif /* DNNL_CACHE_TOOLS_RUN_LAYER_FILE_H */
