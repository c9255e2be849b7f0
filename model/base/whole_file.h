/* SPDX-License-Identifier: Apache-2.0 */
/* whole_file.h: files that readers see as they were or as they are to be,
 * never in between. */
#ifndef DNNL_CACHE_MODEL_BASE_WHOLE_FILE_H
#define DNNL_CACHE_MODEL_BASE_WHOLE_FILE_H

#include "model/base/failure.h"

#include <stddef.h>

/* Makes or replaces a file: by another one beside it that takes its place when
 * it is complete, so what was there is there still after a failure. What is no
 * regular file, a pipe or a device, is written to. */
bool whole_file_write(const char *path, const void *bytes, size_t size,
        struct failure *failure);

#endif /* DNNL_CACHE_MODEL_BASE_WHOLE_FILE_H */
