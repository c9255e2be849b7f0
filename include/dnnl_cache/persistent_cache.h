/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persistent_cache.h: a persistent cache with one call.
 *
 *     dnnl_cache_persistent_set_dir("/home/me/.cache/my_app");
 *
 * From then on, what the process compiles through the library is kept in that
 * directory, and the next process finds it there. Most of the calls follow the
 * first option of oneDNN's proposal for a persistent cache, which oneDNN did
 * not adopt; so the names have this library's prefix. persistent_cache.hpp has
 * the calls of the proposal itself.
 *
 * What is kept, and when
 *   engines and primitives   when they are created: nothing else in the
 *                            application changes.
 *   programs of its own      (dnnl_cache_program_create()) by themselves: where
 *                            the driver has binaries at hand, when the last
 *                            handle is destroyed; else (PoCL) when they leave
 *                            memory, usually with the last engine of their
 *                            context, or when the main thread ends the process,
 *                            before the driver is taken down. That may take as
 *                            long as compiling did; at the end of the process
 *                            none begins after ten seconds.
 * dnnl_cache_program_capture() does it earlier. Their files are followed
 *                            (dnnl_cache_program_desc_set_include_following()).
 *   not                      after _exit() or a signal, or in a child of
 *                            fork(); nor, if no call of the library or of this
 *                            file was made on the main thread, when the
 *                            process ends. With PoCL, launches that are
 *                            reported (dnnl_cache_program_note_launch()) go to
 *                            the journal of the directory at once, from which
 *                            "dnnl-cache refresh" makes the entries then.
 *   clBuildProgram()         never: the library does not see it. Create such a
 *                            program with dnnl_cache_program_create(). A
 *                            program that is adopted after building it is kept
 *                            like the others, but not found again.
 *
 * The directory is a bucket store (bucket_store.h), as the proposal draws it,
 * or a store of another type if one is already there. When room is needed,
 * entries are evicted by the policy, the oldest first unless
 * dnnl_cache_persistent_set_policy() says otherwise: until the new entry fits,
 * in a flat store until a third of the capacity is free, in a tree half of it.
 * If what this process uses is evicted, a warning names a capacity that would
 * do. Any number of processes may share the directory, and a failure of the
 * store is never a failure of the application. It is attached with
 * dnnl_cache_set_default_store(), so an application uses either that call or
 * these. An engine with a store of its own keeps using that store.
 *
 * The user of the application has the last word, with the variables of the
 * OpenCL layer: DNNL_CACHE_PERSISTENT=0 switches the cache off, DNNL_CACHE_DIR
 * is the directory, DNNL_CACHE_MAX_SIZE the capacity in bytes (0: no limit),
 * DNNL_CACHE_SEED a seed, DNNL_CACHE_REMOTE the URL of a remote store and
 * DNNL_CACHE_APPLICATION the application's name.
 * The calls below answer as if these were not set.
 *
 * Every call may be used from any thread at any time, before or after engines
 * are created, but not in the log callback. A call that fails changes nothing;
 * for dnnl_runtime_error a message says why.
 */
#ifndef DNNL_CACHE_PERSISTENT_CACHE_H
#define DNNL_CACHE_PERSISTENT_CACHE_H

#include "dnnl_cache/metrics.h"
#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enables (not 0) or disables (0) the cache for the engines of a kind. The
 * default is enabled for dnnl_gpu, so that the capacity alone decides.
 * Statuses: dnnl_success; dnnl_invalid_arguments (no such kind,
 * dnnl_any_engine); dnnl_unimplemented (enabling it for dnnl_cpu, where nothing
 * is compiled); and, if the call brings the cache into use, those of
 * dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_enabled(
        int enable, dnnl_engine_kind_t kind);

/* Writes 1 if the cache is enabled for engines of that kind, else 0, whatever
 * the capacity. Statuses: dnnl_success; dnnl_invalid_arguments (NULL; as
 * above). */
dnnl_status_t DNNL_API dnnl_cache_persistent_get_enabled(
        int *enabled, dnnl_engine_kind_t kind);

/* The capacity in megabytes that dnnl_cache_persistent_set_dir() sets if none
 * was set before. */
#define DNNL_CACHE_PERSISTENT_DEFAULT_CAPACITY 1024

/* Whether programs are kept and their includes followed by themselves (not 0,
 * the default), or only as the application says (0): dnnl_cache_store_t's
 * automatic. Call it before programs are created: what was created under
 * another setting is not kept any more. Statuses: those of
 * dnnl_cache_persistent_set_dir(). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_automatic(int automatic);

/* Sets the capacity of all files together, in megabytes of 1024 * 1024 bytes.
 * Until this or dnnl_cache_persistent_set_dir() is called it is 0: the cache is
 * off, and no directory is touched. A capacity that was set to 0 stays 0. A
 * smaller capacity than before evicts at once. Statuses: dnnl_success;
 * dnnl_invalid_arguments (negative); those of dnnl_cache_persistent_set_dir().
 */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_capacity(int capacity);

/* Writes the capacity in megabytes. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_persistent_get_capacity(int *capacity);

/* Sets which entries are evicted first: dnnl_cache_store_policy_fifo (the
 * default), dnnl_cache_store_policy_lru or dnnl_cache_store_policy_cost.
 * Statuses: dnnl_success; dnnl_invalid_arguments (another policy); those of
 * dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_policy(
        enum dnnl_cache_store_policy policy);

/* Writes the policy. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_persistent_get_policy(
        enum dnnl_cache_store_policy *policy);

/* Sets the directory, which is created with its parents if it is missing. A
 * relative path is relative to the working directory at the time of this call.
 * If no capacity was set, it becomes DNNL_CACHE_PERSISTENT_DEFAULT_CAPACITY,
 * and nothing is evicted if more than that is in the directory; if it was set
 * to 0, the cache stays off, and a warning says so, once. The default is the
 * working directory at the time when the cache comes into use, which means: is
 * enabled, with a capacity over 0. Entries in the old directory stay there.
 * A directory that this user may not write to is read; a message says so, once,
 * and statistics count what is not kept (store_read_only). To set it asks the
 * library to read the files that programs include, and to keep programs by
 * itself (above). Statuses: dnnl_success; dnnl_invalid_arguments (NULL, "");
 * dnnl_out_of_memory; dnnl_runtime_error (the cache is in use, and the
 * directory cannot be created or read, belongs to another user, or others may
 * write to it: a user that can write to it can run code in this process). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_dir(const char *dir);

/* Sets a seed: a store that is read and never written, in front of the
 * directory: a directory, or a file of "dnnl-cache export --seed" that was
 * shipped with the application. NULL or "": none, the default. A seed that is
 * missing or refused is reported and ignored. Statuses: dnnl_success; those of
 * dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_seed(const char *path);

/* Sets a store on a server behind the directory, for many machines, by its URL
 * (docs/reference/stores.md): what it has is copied into the directory,
 * what is compiled here is sent to it. NULL or "": none, the default. The
 * server is not called here; one that is slow or does not answer is never a
 * failure. Statuses: dnnl_success; dnnl_invalid_arguments (a URL that makes no
 * sense, or without a key and without insecure=1); dnnl_runtime_error (a file
 * that the URL names cannot be read, or this kind of server is not supported by
 * the installation); those of dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_remote(const char *url);

/* Sets the application's name, 1 to 255 bytes: on a machine that has never run
 * it, what it asked for while it started elsewhere is brought from the remote
 * store with two requests (working_set.h). NULL or "": entries are asked for
 * one by one, the default. Statuses: dnnl_success; dnnl_invalid_arguments (too
 * long); those of dnnl_cache_persistent_set_dir(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_application(const char *name);

/* Writes what this process counted, of the library and of directory, seed and
 * remote store, as the text that Prometheus reads (metrics.h); of the library
 * alone while the cache is off. Statuses: those of
 * dnnl_cache_store_get_metrics(). */
dnnl_status_t DNNL_API dnnl_cache_persistent_get_metrics(size_t label_count,
        const struct dnnl_cache_metrics_label *labels, size_t *size,
        char *text);

/* Sends messages to callback, which gets user: why a directory is refused, what
 * is damaged in it, what cannot be written. NULL, the default, prints them as
 * the library prints its own, on standard error, unless ONEDNN_VERBOSE is none
 * (error: errors only). The library's own messages go to
 * dnnl_cache_set_log_callback(), which may have the same function. The callback
 * runs on the thread that used the cache; it may call the library, but none of
 * the functions of this file. user must live until the callback is replaced and
 * every call that was in progress then has returned. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_persistent_set_log_callback(
        dnnl_cache_log_callback_t callback, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_PERSISTENT_CACHE_H */
