/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persistent_cache.h: a persistent cache with one call.
 *
 *     dnnl_cache_persistent_set_capacity(256);
 *
 * From here on what the process compiles through the library is kept in a
 * directory of at most 256 megabytes, and the next process finds it there. Five
 * of the calls are those of the first option of oneDNN's proposal for a
 * persistent cache, which oneDNN did not take; so the names have this library's
 * prefix.
 *
 * What is kept, and when
 *   engines and primitives   when they are created: nothing else in the
 *                            application changes.
 *   programs of its own      (dnnl_cache_program_create()) when they are
 *                            captured: call dnnl_cache_program_capture() once
 *                            each kernel was launched. A program that was not
 *                            is kept when it leaves memory, which for most is
 *                            when the last engine of its context goes. A
 *                            process that ends before keeps nothing of it, and
 *                            nothing warns.
 *   clBuildProgram()         never: the library does not see it. Create such a
 *                            program with dnnl_cache_program_create(), or adopt
 *                            it after building it, which keeps it like the
 *                            others but does not find it again.
 *
 * What is kept is the bucket store of bucket_store.h: the oldest entry goes
 * when room is needed, any number of processes may share the directory, and no
 * failure of it is a failure of the application. It is attached with
 * dnnl_cache_set_store(): an application uses either that call or these; an
 * engine that has a store of its own keeps using that one.
 *
 * Every call may be used from any thread at any time, before or after engines
 * are created, but not in the log callback. One that fails changes nothing, and
 * for dnnl_runtime_error there is a message that says why.
 */
#ifndef DNNL_CACHE_PERSISTENT_CACHE_H
#define DNNL_CACHE_PERSISTENT_CACHE_H

#include "dnnl_cache_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enables (not 0) or disables (0) the cache for the engines of a kind. At first
 * it is enabled for dnnl_gpu, so that the capacity alone decides. Statuses:
 * dnnl_success; dnnl_invalid_arguments (no such kind, dnnl_any_engine);
 * dnnl_unimplemented (enabling it for dnnl_cpu, where nothing is compiled); and
 * if the cache comes to be in use, those of
 * dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_enabled(
        int enable, dnnl_engine_kind_t kind);

/* Writes 1 if it is enabled for engines of that kind, else 0, whatever the
 * capacity. Statuses: dnnl_success; dnnl_invalid_arguments (NULL; as
 * above). */
dnnl_status_t DNNL_API dnnl_cache_persistent_get_enabled(
        int *enabled, dnnl_engine_kind_t kind);

/* Sets the capacity in megabytes of 1024 * 1024 bytes, of all files together; 0
 * at first, which is off: the directory is not touched then. A smaller one than
 * before evicts at once. Statuses: dnnl_success; dnnl_invalid_arguments
 * (negative); those of dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_capacity(int capacity);

/* Writes the capacity in megabytes. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_persistent_get_capacity(int *capacity);

/* Sets the directory, made with its parents if it is not there; one that does
 * not begin with '/' is below today's working directory. At first it is the
 * working directory there is when the cache comes to be in use, that is enabled
 * and of a capacity over 0. What is in the old one stays there. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, ""); dnnl_out_of_memory;
 * dnnl_runtime_error (in use, and the directory cannot be made or read, belongs
 * to another user, or others may write to it: whoever can write to it can run
 * code in this process). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_dir(const char *dir);

/* Sends messages to callback, with user handed through: why a directory is
 * refused, what is damaged in it, what cannot be written. NULL, as at first,
 * prints them as the library prints its own, on standard output, unless
 * ONEDNN_VERBOSE says none (error: errors only). What the library says goes to
 * dnnl_cache_set_log_callback(), which may have the same function. The callback
 * runs on the thread that used the cache and may use the library, but none of
 * the calls of this file. user must live until the callback is replaced and
 * every call that was under way then has returned. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_log_callback(
        dnnl_cache_log_callback_t callback, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_PERSISTENT_CACHE_H */
