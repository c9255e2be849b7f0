/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to the application: through its callback, or as verbose lines.
 */
#ifndef DNNL_CACHE_COMMON_LOG_H
#define DNNL_CACHE_COMMON_LOG_H

#include "dnnl_cache_types.h"

#include <stdbool.h>

/* Replaces the callback; NULL restores the default output. */
void log_set_callback(dnnl_cache_log_callback_t callback, void *user);

/* True if details were asked for (ONEDNN_VERBOSE has debuginfo or all): what
 * would fill a page each time is logged only then. */
bool log_details(void);

/* Sends one message, component first ("blob", "engine" ...). Called with no
 * lock held: the callback may call the library. Texts of any length. */
void log_message(dnnl_cache_log_level_t level, const char *component,
        const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* DNNL_CACHE_COMMON_LOG_H */
