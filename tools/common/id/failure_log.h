/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure_log.h: what the log of a failed build tells of its reason.
 *
 * Drivers return CL_BUILD_PROGRAM_FAILURE for a source that is wrong, and also
 * for a full disk, a linker that was killed, no memory. Only the former fails
 * again tomorrow. A compiler's front end names the place:
 *
 *     input.cl:7:13: error: use of undeclared identifier 'x'    clang's way
 *     error: input.cl:7:13: use of undeclared identifier 'x'    PoCL's
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_FAILURE_LOG_H
#define DNNL_CACHE_TOOLS_COMMON_ID_FAILURE_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* True if each error of the log names a place in the source, there is one at
 * least, and nothing in the log tells of the machine: no room, no memory, a
 * file that cannot be read, a process that was killed. */
bool failure_log_blames_source(const char *log, size_t size);

/* The same log, whatever the files before ":7:13:" are called: drivers compile
 * a copy of the source under a name that is another one each time. */
bool failure_log_is_same(
        const char *a, size_t a_size, const char *b, size_t b_size);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_FAILURE_LOG_H */
