/* SPDX-License-Identifier: Apache-2.0 */
/* Files in a directory of the test's own, which is the working directory
 * meanwhile, and what following includes says of them. */
#ifndef DNNL_CACHE_TESTS_INCLUDES_INCLUDE_HELPERS_H
#define DNNL_CACHE_TESTS_INCLUDES_INCLUDE_HELPERS_H

#include "src/includes/includes.h"

/* Enters a fresh directory; leave_files() goes back. */
void enter_files(void);
void leave_files(void);

/* Writes a file, and the folders it is in. */
void put_file(const char *path, const char *text);
void put_bytes(const char *path, const void *bytes, size_t size);
/* Takes a file away. */
void remove_file(const char *path);

/* Follows sources as includes_follow() does: by it (follow.c), or as the
 * library does for a program (tests/api/follow_for_library.c). */
bool follow_sources(struct includes *out, size_t count,
        const char *const *sources, const size_t *lengths, const char *options);
/* Follows one source; fails the test if that is refused, or gives a zeroed
 * digest then. */
struct includes follow(const char *options, const char *source);
/* Follows one source, which must be refused for a reason with this in it, not
 * about the options, or about them. */
bool refuses(const char *reason, const char *options, const char *source);
bool refuses_options(
        const char *reason, const char *options, const char *source);

bool same_digest(const struct includes *a, const struct includes *b);
/* True if writing text to the file changes the digest. */
bool writing_changes(const char *path, const char *text, const char *options,
        const char *source);

#define TEST_FILES(suite, name) \
    TEST_BETWEEN(suite, name, enter_files(), leave_files())

#endif /* DNNL_CACHE_TESTS_INCLUDES_INCLUDE_HELPERS_H */
