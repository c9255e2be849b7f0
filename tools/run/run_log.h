/* SPDX-License-Identifier: Apache-2.0 */
/* run_log.h: the file that --verbose has drivers' messages go to, in what the
 * layer keeps beside a store. */
#ifndef DNNL_CACHE_TOOLS_RUN_RUN_LOG_H
#define DNNL_CACHE_TOOLS_RUN_RUN_LOG_H

#include <stddef.h>

/* Opens it to be appended to, and begins it anew if it has grown too large; -1:
 * errno says why. The caller closes it; path gets its name. */
int run_log_open(char path[], size_t capacity, const char *store);

/* Adds a line of this program's to it. */
void run_log_print(int fd, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif /* DNNL_CACHE_TOOLS_RUN_RUN_LOG_H */
