/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_digests.h: digests of a driver's files, kept for later processes of this
 * user, so that each does not read hundreds of megabytes when it starts
 * (dnnl_cache.h, "Digests of a driver's files").
 *
 * They are in one file, file_digests, in a folder of its own:
 * $XDG_CACHE_HOME/dnnl_cache_digests, or else $HOME/.cache/dnnl_cache_digests;
 * DNNL_CACHE_FILE_DIGESTS names another folder, or is 0: nothing is kept.
 * Folder and file are this user's alone. A place that cannot be used, and a
 * file that is damaged or that others may have written, are no errors: files
 * are digested again. Everything may be removed at any time.
 */
#ifndef DNNL_CACHE_STORE_FILE_DIGESTS_H
#define DNNL_CACHE_STORE_FILE_DIGESTS_H

#include "dnnl_cache.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The variable with the folder. */
#define DNNL_CACHE_FILE_DIGESTS_VARIABLE "DNNL_CACHE_FILE_DIGESTS"

/* Lets the library of this process use the file; the environment says once
 * where it is. The layer, the persistent cache and the tools call this before
 * they identify a device. Reads nothing yet. Statuses: as
 * dnnl_cache_set_file_digests(). */
dnnl_status_t dnnl_cache_store_file_digests_attach(void);

/* The folder, from the root on, which need not be there; "": there is none. */
const char *dnnl_cache_store_file_digests_folder(void);

/* What a verification found. */
struct dnnl_cache_store_file_digests_report {
    size_t struct_size; /* sizeof the struct */
    bool is_due;        /* false: nothing was read */
    size_t right;       /* files that have the digest that is kept */
    size_t gone;        /* changed or missing: forgotten */
    size_t wrong; /* unchanged by their times, with another digest: replaced */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_FILE_DIGESTS_REPORT_INIT                           \
    {                                                                       \
        sizeof(struct dnnl_cache_store_file_digests_report), false, 0, 0, 0 \
    }

/* Reads each file whose digest is kept once more and corrects the digests, if
 * the last verification was longer ago than that, or never was. log (may be
 * NULL) is told of each wrong one: entries of stores that were made since may
 * be of another driver than their ID says. Statuses: dnnl_success;
 * dnnl_invalid_arguments (report NULL, bad struct_size); dnnl_out_of_memory;
 * dnnl_runtime_error (there are wrong ones, and the file could not be written).
 */
dnnl_status_t dnnl_cache_store_file_digests_verify(
        struct dnnl_cache_store_file_digests_report *report,
        uint64_t least_age_seconds, dnnl_cache_log_callback_t log,
        void *log_user);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_FILE_DIGESTS_H */
