/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to the application: through its callback, or as verbose lines.
 */
#ifndef DNNL_CACHE_COMMON_LOG_H
#define DNNL_CACHE_COMMON_LOG_H

#include "dnnl_cache/library.h"

#include <stdbool.h>

/* Replaces the callback; NULL restores the default output. */
void log_set_callback(dnnl_cache_log_callback_t callback, void *user);

/* The calling thread is one of the library's own, of which the application does
 * not know: its messages are printed, and go to no callback, which may be gone
 * by then. */
void log_note_own_thread(void);

/* As ONEDNN_VERBOSE with this number from now on: 0, 1 or 2. */
void log_set_verbosity(int level);

/* True if details were asked for (ONEDNN_VERBOSE has debuginfo or all): what
 * would fill a page each time is logged only then. */
bool log_details(void);

/* True if a line was asked for when a primitive is created, or executed
 * (ONEDNN_VERBOSE has profile_create, profile_exec, profile or all, or is 2; or
 * is 1: execution only). */
bool log_profiles_creation(void);
bool log_profiles_execution(void);

/* True if a line was asked for when a primitive descriptor is refused: for
 * wrong arguments (ONEDNN_VERBOSE has check or all), and for what the library
 * does not have (dispatch or all). */
bool log_tells_checks(void);
bool log_tells_dispatch(void);

/* oneDNN's calls are used: what is printed has the form of its verbose lines,
 * as with its variable; else it begins with "dnnl_cache: ". */
void log_note_onednn(void);

/* Sends a line of a profile, or of a refusal, as it is, at level info; printed,
 * it follows onednn_verbose,v1 on standard output, as oneDNN's own lines do.
 * Called with no lock held. */
void log_profile(const char *text);

/* Sends one message; printed, it goes to standard error. The component comes
 * first ("blob", "engine" ...). Called with no lock held: the callback may call
 * the library. Texts of any length. */
void log_message(dnnl_cache_log_level_t level, const char *component,
        const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* DNNL_CACHE_COMMON_LOG_H */
