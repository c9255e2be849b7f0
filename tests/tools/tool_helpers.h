/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_helpers.h: what the tests of dnnl-cache share: real blobs, a store of
 * them whose clock stands still, runs of the program in this process.
 */
#ifndef DNNL_CACHE_TESTS_TOOL_HELPERS_H
#define DNNL_CACHE_TESTS_TOOL_HELPERS_H

#include "tools/dnnl_cache/view/catalog.h"

#include <stddef.h>
#include <stdint.h>

enum { path_size = 512 };

/* A text made of a format, until the next one. */
const char *text_of(const char *format, ...)
        __attribute__((format(printf, 1, 2)));

/* ---- Blobs --------------------------------------------------------------- */

/* An ID and its blob; made_fini() frees them. */
struct made {
    size_t id_size;
    uint8_t *id;
    size_t size;
    uint8_t *blob;
    dnnl_cache_blob_kind_t kind;
    char name[catalog_name_size]; /* as dnnl-cache has it */
    char brief[catalog_short_digits + 1];
};

/* A program of one kernel on that device; log may be NULL. */
struct made make_program(const char *device, const char *driver,
        const char *source, const char *options, const char *log);
/* The same with other kernels than "copy": "scale;fill". */
struct made make_kernel_program(const char *source, const char *kernels);
/* The same with a binary of so many bytes. */
struct made make_large_program(
        const char *device, const char *source, size_t binary_size);
/* The same with a file of tests/data/binaries, without ".bin", as its binary.
 */
struct made make_program_with(const char *device, const char *vector);
struct made make_engine(const char *device, const char *driver);
/* A file of tests/data/blobs, without ".blob". */
struct made read_blob(const char *name);
void made_fini(struct made *made);

/* ---- Stores -------------------------------------------------------------- */

/* 2100-01-01, later than any time of a file: the stores of this process take
 * it for now, and each entry is created a minute after the one before. */
#define TEST_EPOCH_NS (UINT64_C(4102444800) * 1000000000u)
void set_clock(uint64_t ns);

/* Opens the store "store" of the test, or another, as what it is; makes a
 * bucket store if nothing is there. */
dnnl_cache_store_handle_t *open_test_store(const char *name);
/* Puts a blob under its ID, or under another. */
void put_made(dnnl_cache_store_handle_t *store, const struct made *made,
        uint64_t compile_ns);
void put_under(dnnl_cache_store_handle_t *store, const struct made *key,
        const struct made *value, uint64_t compile_ns);
/* The status of a get, and that its bytes are the blob's. */
dnnl_status_t get_made(
        dnnl_cache_store_handle_t *store, const struct made *made);
size_t count_entries(const char *store_name);

/* The blob's file in the bucket store "store". */
const char *blob_file(const char *store_name, const struct made *made);

/* Three entries in the store "store": an engine, and two programs on two
 * drivers; compile times 1, 2 and 3 ms. */
enum { sample_entries = 3 };
struct sample_store {
    struct made made[sample_entries];
};
void sample_store_make(struct sample_store *sample);
void sample_store_fini(struct sample_store *sample);

/* ---- Files --------------------------------------------------------------- */

uint8_t *read_whole(const char *path, size_t *size);
void write_whole(const char *path, const void *data, size_t size);
void flip_byte(const char *path, size_t at);
bool exists(const char *path);

/* ---- Runs ---------------------------------------------------------------- */

struct run {
    int code;
    char *out; /* NUL-terminated */
    char *err;
    size_t out_size;
};

/* Runs dnnl-cache in this process with --store of the test and the arguments
 * up to NULL. With --json and a result, what it wrote must be one JSON
 * document. The strings live until the next run. */
const struct run *run_tool(const char *first, ...) __attribute__((sentinel));
/* The same with the arguments alone. */
const struct run *run_bare(const char *first, ...) __attribute__((sentinel));

/* Fails the test unless it is one JSON document as RFC 8259 has it, in UTF-8.
 */
bool json_is_valid(const char *text, size_t size);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_SAMPLE_STORE(suite, name)                                   \
    TEST_WITH(suite, name, struct sample_store, s, sample_store_make(s), \
            sample_store_fini(s))

#endif /* DNNL_CACHE_TESTS_TOOL_HELPERS_H */
