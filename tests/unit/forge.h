/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes blobs for tests: good samples, and bad ones whose checksum is right,
 * so that it is not the checksum that refuses them.
 */
#ifndef DNNL_CACHE_TESTS_UNIT_FORGE_H
#define DNNL_CACHE_TESTS_UNIT_FORGE_H

#include "src/blob/reader.h"

#include <stdbool.h>

/* Sample contents and the blob written of them. The files of the same kind in
 * tests/data/blobs hold the same, made by other code. */
struct sample {
    struct id_builder ids[3];
    struct blob_program programs[2];
    struct blob_kernel kernels[3];
    struct blob_contents contents;
    uint8_t *blob;
    size_t size;
};

/* Aborts if anything fails. Pair with sample_fini(). */
void sample_init(struct sample *s, enum blob_kind kind);
/* The same of a program, with user data. */
void sample_init_with_user_data(struct sample *s);
/* The same of a program that included two files: "tile.h", which held
 * "#define TILE 16\n", and "math/half.h", which held nothing. */
void sample_init_with_included(struct sample *s);
/* The same of a program, with the ID of an application's. */
void sample_init_applications(struct sample *s);
/* The same with finalised forms: one beside the first program's binary, and the
 * second program's binary itself. */
void sample_init_finalised(struct sample *s, enum blob_kind kind);
void sample_fini(struct sample *s);

/* Makes total size and checksum right, if there is room for a header. */
void forge_repair(uint8_t *blob, size_t size);

/* One section of a forged blob. */
struct forge_section {
    uint32_t tag;
    uint32_t flags;
    const void *data;
    size_t size;
};

/* Writes a blob of any sections at all, laid out as the format says; returns
 * it (malloc) and its size. Aborts if memory runs out. */
uint8_t *forge_blob(uint32_t kind, const struct forge_section *sections,
        uint32_t count, size_t *size);

/* Where the section of a tag starts in a good blob, and its size if `size` is
 * not NULL. Aborts if there is none. */
size_t forge_find(const uint8_t *blob, uint32_t tag, size_t *size);

/* Reads everything a view points to, and writes what it holds again. True if
 * that gives the bytes the view was read from, less the sections that the
 * reader ignores. */
bool forge_view_is_sound(const struct blob_view *view);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_SAMPLE(suite, name, kind)                             \
    TEST_WITH(suite, name, struct sample, s, sample_init(s, kind), \
            sample_fini(s))

#endif /* DNNL_CACHE_TESTS_UNIT_FORGE_H */
