/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the persistent cache share. Names of directories are those
 * of folders in the test's own. */
#ifndef DNNL_CACHE_TESTS_PERSISTENT_CACHE_HELPERS_H
#define DNNL_CACHE_TESTS_PERSISTENT_CACHE_HELPERS_H

#include "rig.h"

#include <dnnl_cache/store.h>

enum { DIR_SIZE = 512 };

const char *dir_in_test(char dir[DIR_SIZE], const char *name);

/* A rig in a process with a persistent cache of 16 MB. */
struct cached {
    struct rig rig;
};

/* dir NULL: nothing is set. */
void cached_open(struct cached *x, const char *dir);
/* Another process, as far as the library is concerned. */
void cached_restart(struct cached *x);
/* Switches the cache off and closes the rig. */
void cached_close(struct cached *x);

/* Creates a relu and destroys it again; where it came from. */
dnnl_cache_origin_t cached_relu(struct cached *x);

/* How many blobs of a kind, or of any (undef), are in a directory. */
unsigned kept_in(const char *dir, dnnl_cache_blob_kind_t kind);
/* The size its store gives. */
uint64_t bytes_in(const char *dir);
/* What it recorded. */
struct dnnl_cache_store_totals totals_in(const char *dir);
/* Puts so many blobs of that size there. */
void fill(const char *dir, unsigned count, size_t size);
/* Removes all that is there; changes a byte of every blob. */
void remove_kept(const char *dir);
void damage_kept(const char *dir);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_CACHED(suite, name, folder)                             \
    TEST_WITH(suite, name, struct cached, x, cached_open(x, folder), \
            cached_close(x))

#endif /* DNNL_CACHE_TESTS_PERSISTENT_CACHE_HELPERS_H */
