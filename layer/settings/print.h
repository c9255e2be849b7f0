/* SPDX-License-Identifier: Apache-2.0 */
/* print.h: the messages of the layer on stderr. Thread-safe; each message is
 * one line and one write; errno does not change. */
#ifndef DNNL_CACHE_LAYER_SETTINGS_PRINT_H
#define DNNL_CACHE_LAYER_SETTINGS_PRINT_H

#include "dnnl_cache/library.h"
#include "layer/settings/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* A failure and its stage ("store", "capture", "load", ...), if
 * DNNL_CACHE_PRINT_DEBUG=1; else nothing. */
void print_failure(const char *stage, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* A message that is always printed, such as an invalid value of a variable. */
void print_warning(const char *format, ...)
        __attribute__((format(printf, 1, 2)));

/* True if stderr is a terminal or DNNL_CACHE_PRINT_DEBUG=1. */
bool print_is_for_a_person(void);

/* Why the process takes longer to end, if stderr is a terminal or
 * DNNL_CACHE_PRINT_DEBUG=1; else nothing. */
void print_progress(const char *format, ...)
        __attribute__((format(printf, 1, 2)));

/* A log callback (dnnl_cache_set_log_callback(), struct
 * dnnl_cache_store_options): errors and warnings are failures; user is the
 * stage's name. */
void print_log(dnnl_cache_log_level_t level, const char *text, void *user);

/* Appends a whole report to where the settings want it. */
void print_report(const struct settings_output *output, const char *stage,
        const char *text, size_t size);

#endif /* DNNL_CACHE_LAYER_SETTINGS_PRINT_H */
