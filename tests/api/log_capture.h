/* SPDX-License-Identifier: Apache-2.0 */
/* What the library tells its log callback, kept. */
#ifndef DNNL_CACHE_TESTS_API_LOG_CAPTURE_H
#define DNNL_CACHE_TESTS_API_LOG_CAPTURE_H

#include "dnnl_cache.h"

#include <pthread.h>
#include <stdbool.h>

struct log_capture {
    pthread_mutex_t lock; /* guards the rest; leaf */
    unsigned counts[3];   /* messages, by level */
    char text[16384];     /* "0 text\n" each: level, message; cut at the end */
    size_t size;
};

/* Installs the capture as the process's log callback until it is stopped,
 * which restores the default output. */
void log_capture_start(struct log_capture *capture);
void log_capture_stop(struct log_capture *capture);

/* True if a message of that level has the part in it. */
bool log_capture_has(struct log_capture *capture, dnnl_cache_log_level_t level,
        const char *part);
/* Messages of a level so far. */
unsigned log_capture_count(
        struct log_capture *capture, dnnl_cache_log_level_t level);

#endif /* DNNL_CACHE_TESTS_API_LOG_CAPTURE_H */
