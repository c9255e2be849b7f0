/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_files.h: the files that a driver is made of: changes, and digests that
 * outlive the process.
 */
#ifndef DNNL_CACHE_DRIVER_FILES_H
#define DNNL_CACHE_DRIVER_FILES_H

#include "dnnl_cache/base.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *path to a file of a driver in use that has changed since the driver was
 * identified, that is missing, or that is new where the driver looks for files;
 * or to NULL if there is none. After such a change objects work, but what this
 * driver compiles in this process is not given away any more, because its ID
 * names the driver as it was: no store receives it, and the blobs of programs
 * whose binary was read after the change, of primitives with such programs, and
 * of engines whose facts were compiled, are empty (size 0). Looks at each file
 * (stat()). *path stays valid until the process ends; once it is not NULL it
 * does not change. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). Since
 * 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_changed_file(const char **path);

/* The same for the driver of one device: what is compiled by another driver,
 * whose files are as they were, is given away as before. Establishes the
 * device's identity if there is none yet. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, not a device); dnnl_out_of_memory;
 * dnnl_runtime_error. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_changed_file_of_device(
        const char **path, cl_device_id device);

/*
 * A driver is identified by its files. Those without a build-id are read to the
 * end, which takes a while if they are large: 300 MB with Intel's runtime for
 * CPUs. The library writes no file, so each process reads them again, unless it
 * is given a place for their digests. A layer or a cache that has one attaches
 * it here: include/dnnl_cache/file_digests.h is a file in the user's cache
 * folder.
 *
 * The library asks only for files on file systems with reliable change times
 * and inode numbers, and gives only digests of files that had not been changed
 * for two seconds and did not change while they were read
 * (docs/how_it_works/identity.md). A digest decides which driver a process
 * takes for its own: it must come from a place that only this user can write
 * to.
 */

/* Size of a digest: a tree of BLAKE2b-256, in which every byte counts. */
#define DNNL_CACHE_FILE_DIGEST_SIZE 32

/* Callbacks; any thread may call them, with no lock of the library held. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    void *user;         /* passed to each */
    /* Writes the digest that was put under exactly this key. Statuses:
     * dnnl_success; all others mean that there is none. */
    dnnl_status_t (*get)(void *user, size_t key_size, const uint8_t *key,
            uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE]);
    /* Keeps a digest. The status is ignored. */
    dnnl_status_t (*put)(void *user, size_t key_size, const uint8_t *key,
            const uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE]);
    /* Called when all files of a driver were digested; may be NULL. */
    void (*flush)(void *user);
} dnnl_cache_file_digests_t;

/* The initial value of a dnnl_cache_file_digests_t. */
#define DNNL_CACHE_FILE_DIGESTS_INIT                              \
    {                                                             \
        sizeof(dnnl_cache_file_digests_t), NULL, NULL, NULL, NULL \
    }

/* Where the process's digests are from now on; NULL: nowhere. The struct is
 * copied. What it points to must stay as long as any call may be in progress.
 * Statuses: dnnl_success; dnnl_invalid_arguments (no get or put, bad
 * struct_size). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_set_file_digests(
        const dnnl_cache_file_digests_t *digests);

/* Reads the file of a key to its end, to verify what is kept. Statuses:
 * dnnl_success, with the digest; dnnl_cache_blob_stale (the file is not there,
 * cannot be read, or has changed: nothing will ask for the key again);
 * dnnl_invalid_arguments (NULL, not a key); dnnl_out_of_memory. A key is a text
 * without a NUL: what comes before its first blank names the system's boot, and
 * what begins with its first '/' is the file's path. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_digest_file(size_t key_size,
        const uint8_t *key, uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE]);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_DRIVER_FILES_H */
