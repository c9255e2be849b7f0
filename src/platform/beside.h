/* SPDX-License-Identifier: Apache-2.0 */
/* beside.h: files that were built or installed with this program. */
#ifndef DNNL_CACHE_PLATFORM_BESIDE_H
#define DNNL_CACHE_PLATFORM_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The path, without links, of a library in the folder of libraries that belongs
 * to the folder of this program. False: there is none, or it does not fit. */
bool beside_find_library(char path[], size_t capacity, const char *name);

#endif /* DNNL_CACHE_PLATFORM_BESIDE_H */
