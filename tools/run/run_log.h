/* SPDX-License-Identifier: Apache-2.0 */
/* run_log.h: the file that --verbose has drivers' messages go to, in what the
 * layer keeps beside a store. */
#ifndef DNNL_CACHE_TOOLS_RUN_RUN_LOG_H
#define DNNL_CACHE_TOOLS_RUN_RUN_LOG_H

#include "src/platform/library.h"

/* Opens it to be appended to, and begins it anew if it has grown too large. 0
 * or an errno value; the caller closes *fd. path gets its name. */
int run_log_open(int *fd, char path[path_size], const char *store);

/* Adds a line of this program's to it. */
void run_log_print(int fd, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif /* DNNL_CACHE_TOOLS_RUN_RUN_LOG_H */
