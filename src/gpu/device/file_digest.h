/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests of whole files, which are asked of the callbacks that
 * dnnl_cache_set_file_digests() got, if the file's change time can be relied
 * on; the library itself writes no file.
 */
#ifndef DNNL_CACHE_GPU_FILE_DIGEST_H
#define DNNL_CACHE_GPU_FILE_DIGEST_H

#include "src/common/hash.h"
#include "src/platform/file.h"

#include <stdbool.h>
#include <stddef.h>

/* How a file is read: the caller's memory for a piece of it. */
enum { FILE_PIECE_SIZE = 1 << 18 };

/* What is said of an open file or, with path not NULL, of a path. Time stamps
 * move in ticks: a file that was changed in the present tick could change once
 * more and look the same, so the call waits until the tick is over. 0 or an
 * errno value. */
int file_facts_settled(struct file_facts *facts, int fd, const char *path);

/* The settled facts of an open folder, and then its names, which are of one
 * moment, as folder_read_names() has them. 0 or an errno value: ESTALE if names
 * came or left meanwhile. */
int folder_names_settled(
        struct file_facts *facts, char **names, size_t *size, int fd);

/* True if a change of the file between the two would show. */
bool file_is_unchanged(
        const struct file_facts *before, const struct file_facts *now);

/* Which file systems files were in that a search has opened; a zeroed one: none
 * yet. */
struct file_systems {
    struct file_system_seen {
        uint64_t device;
        uint64_t system; /* as file_stamp_is_reliable() tells */
    } list[8];
    size_t count; /* of all that were seen, the oldest give way */
};

/* Those that an open folder is in have such files, too. */
void file_systems_note(
        struct file_systems *systems, int fd, const struct file_facts *facts);

/* The digest of a plain file with that path, whose settled facts these are, if
 * it is kept: nothing is opened. Only those are kept that have no build-id. */
bool file_digest_find(struct digest256 *out, struct file_systems *systems,
        const struct file_facts *facts, const char *path);

/* The digest of an open plain file, whose settled facts these are; piece has
 * room for FILE_PIECE_SIZE bytes, or for all of a smaller file, and has the
 * first `there` bytes of the file, which were read after the facts. path (NULL:
 * not known, else from the root on) is how to find the file again. 0 or an
 * errno value: ESTALE if the file changed meanwhile. */
int file_digest(struct digest256 *out, struct file_systems *systems, int fd,
        const struct file_facts *facts, const char *path, unsigned char *piece,
        size_t there);

/* For when the files of a driver were all digested. */
void file_digests_flush(void);

#endif /* DNNL_CACHE_GPU_FILE_DIGEST_H */
