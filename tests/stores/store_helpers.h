/* SPDX-License-Identifier: Apache-2.0 */
/* store_helpers.h: what the tests of the sample stores share. */
#ifndef DNNL_CACHE_TESTS_STORE_HELPERS_H
#define DNNL_CACHE_TESTS_STORE_HELPERS_H

#include "dnnl_cache/store.h"

#include <stddef.h>
#include <stdint.h>

enum { path_size = 512 };

/* "<the test's directory>/<name>" in a buffer of the caller's. */
const char *path_in_test(char path[path_size], const char *name);

/* Default options with the test's "store" directory as the root. The path is
 * static: for one test at a time. */
struct dnnl_cache_store_options test_options(void);

/* Opens a bucket store; a failure fails the test and gives NULL. */
dnnl_cache_store_handle_t *open_store(
        const struct dnnl_cache_store_options *options);

/* The calls with text or numbers for IDs. */
dnnl_status_t put_bytes(dnnl_cache_store_handle_t *store, const char *id,
        const void *blob, size_t size);
/* A blob of size bytes, made from the number, under the ID of that number. */
dnnl_status_t put_number(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size);
/* dnnl_success only if the blob is the one of put_number(); a hit with other
 * bytes fails the test. */
dnnl_status_t get_number(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size);
/* As get_number() without failing the test: -1 for other bytes. */
int get_number_quietly(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size);
dnnl_status_t get_text(dnnl_cache_store_handle_t *store, const char *id,
        char *text, size_t capacity);
dnnl_status_t remove_id(dnnl_cache_store_handle_t *store, const char *id);

/* The numbers below count in falling order of their buckets' names, which are
 * hashes: put in this order, they are in no order of hashes that rises. */
void numbers_by_falling_hash(unsigned *numbers, unsigned count);

/* The entry's directory, "<bucket>/<n>", of put_number()'s ID in a store with
 * the default hash. */
const char *entry_path(char path[path_size], unsigned number, const char *file);
/* The bucket's alone. */
const char *bucket_path(char path[path_size], unsigned number);
const char *text_entry_path(
        char path[path_size], const char *id, const char *file);

/* Bytes of all regular files below a directory; entries vanishing meanwhile
 * count 0. */
uint64_t tree_bytes(const char *path);
/* Bytes of key.bin and kernel.bin of all entries. */
uint64_t entry_bytes(const char *path);
/* The number in the store's size.txt; UINT64_MAX if there is none. */
uint64_t recorded_bytes(const char *path);
/* Number of entries, by iteration. */
size_t count_entries(dnnl_cache_store_handle_t *store);

/* They must be there. */
struct dnnl_cache_store_statistics statistics_of(
        const dnnl_cache_store_handle_t *store);

/* Runs a shell command; it must succeed. */
void run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whole files. */
uint8_t *read_whole(const char *path, size_t *size);
void write_whole(const char *path, const void *data, size_t size);

/* Returns once the file systems' clock has ticked: what is written from now on
 * has a later time than all that was. */
void await_file_tick(void);

/* Runs body in a child process and returns its exit status, 128 + signal if it
 * was killed. Failures inside do not fail the test by themselves. */
int in_child(int (*body)(void *user), void *user);

uint64_t next_random(uint64_t *state);

/* Of a clock that only grows, in milliseconds. */
uint64_t now_ms(void);

/* Callbacks of a store that forgets what it is given. */
dnnl_status_t put_nothing(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t remove_nothing(void *user, size_t id_size, const uint8_t *id);

/* A test with a store of the default options. */
#define TEST_OPENED(suite, name)                                            \
    TEST_OF(suite, name, dnnl_cache_store_handle_t *, store,                \
            const struct dnnl_cache_store_options opened_ = test_options(); \
            store = open_store(&opened_);                                   \
            ASSERT_NOT_NULL(store), dnnl_cache_store_close(store))

#endif /* DNNL_CACHE_TESTS_STORE_HELPERS_H */
