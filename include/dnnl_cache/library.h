/* SPDX-License-Identifier: Apache-2.0 */
/* library.h: versions, statuses as text, and the log callback. */
#ifndef DNNL_CACHE_LIBRARY_H
#define DNNL_CACHE_LIBRARY_H

#include "dnnl_cache/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What dnnl_version() returns. */
typedef struct {
    int major;            /* oneDNN interface version */
    int minor;            /* its minor number */
    int patch;            /* its patch number */
    const char *hash;     /* git hash of this library's sources */
    unsigned cpu_runtime; /* DNNL_RUNTIME_* */
    unsigned gpu_runtime; /* DNNL_RUNTIME_* */
} dnnl_version_t;

/* How serious a message is. */
typedef enum {
    dnnl_cache_log_error = 0,
    dnnl_cache_log_warning = 1,
    dnnl_cache_log_info = 2
} dnnl_cache_log_level_t;

/* Receives one message, without a newline at its end; compiler logs contain
 * newlines. Called on the thread where the event occurred, with no lock of the
 * library held. The callback may call the library; callbacks nest at most eight
 * deep. text is valid during the call. */
typedef void (*dnnl_cache_log_callback_t)(
        dnnl_cache_log_level_t level, const char *text, void *user);

/* The interface version that this library follows (oneDNN's numbers) and the
 * git hash of its sources. Static memory. (oneDNN) */
const dnnl_version_t DNNL_API *dnnl_version(void);

/* This library's own version, "0.1.0". Compare it with DNNL_CACHE_VERSION_* to
 * detect a header and a shared object of different releases. Static memory. */
const char DNNL_API *dnnl_cache_version(void);

/* A status as text, "success", "cache_blob_stale" ...; never NULL. Static
 * memory. (oneDNN) */
const char DNNL_API *dnnl_status2str(dnnl_status_t status);

/* Sends messages to callback, which gets user. NULL restores the default:
 * errors and warnings are printed on standard error after "dnnl_cache: ", or,
 * once ONEDNN_VERBOSE is set or oneDNN's calls are used, in the format of
 * oneDNN's verbose lines. ONEDNN_VERBOSE changes what is printed:
 *   none      nothing
 *   info      also why blobs were rejected
 *   debuginfo also the components of the driver's identity
 *   profile_create, profile_exec, profile
 *             a line for each primitive that is created, executed, or both,
 *             with one of the states cache_miss, cache_hit, kernel_cache_hit,
 *             persistent_cache_hit, persistent_cache_reject and
 *             nothing_to_compile, on standard output; a timed execution waits
 *             for its stream. The same for each of the application's programs
 *             that is created or captured
 *   check     a line for each primitive descriptor that is rejected for its
 *             arguments; the line ends with the reason
 *   dispatch  the same for what this library does not support
 * The callback is process-wide. user must live until the callback is replaced
 * and every call that was in progress then has returned. Always dnnl_success.
 */
dnnl_status_t DNNL_API dnnl_cache_set_log_callback(
        dnnl_cache_log_callback_t callback, void *user);

/* Sets what is printed from now on, as ONEDNN_VERBOSE with the number does: 0
 * nothing, 1 executions, 2 also creations. Any thread. Statuses: dnnl_success;
 * dnnl_invalid_arguments (another number). (oneDNN) */
dnnl_status_t DNNL_API dnnl_set_verbose(int level);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_LIBRARY_H */
