/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of LLVM, written here bit by bit: paths and positions do not count,
 * all else does, and any bytes may be read. */
#include "test.h"

#include "tools/common/proof/proof_bitcode.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    uint8_t bytes[2048];
    uint64_t at; /* in bits */
};

static void put(struct writer *w, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++, w->at++)
        if ((value >> i & 1) != 0)
            w->bytes[w->at / 8] |= (uint8_t)(1u << (w->at & 7));
}

static void put_pieces(struct writer *w, unsigned width, uint64_t value)
{
    const uint64_t more = UINT64_C(1) << (width - 1);
    for (; value >= more; value >>= width - 1)
        put(w, width, (value & (more - 1)) | more);
    put(w, width, value);
}

static void align(struct writer *w)
{
    w->at = (w->at + 31) & ~UINT64_C(31);
}

enum { inner = 3 /* width of abbreviations' numbers in blocks */ };

static void enter(struct writer *w, unsigned width, unsigned block)
{
    put(w, width, 1);
    put_pieces(w, 8, block);
    put_pieces(w, 4, inner);
    align(w);
    put(w, 32, 0);
}

static void leave(struct writer *w)
{
    put(w, inner, 0);
    align(w);
}

static void put_record(
        struct writer *w, unsigned code, size_t count, const uint64_t *values)
{
    put(w, inner, 3);
    put_pieces(w, 6, code);
    put_pieces(w, 6, count);
    for (size_t i = 0; i < count; i++)
        put_pieces(w, 6, values[i]);
}

/* The table of strings: a blob, by an abbreviation. */
static void put_strings(struct writer *w, const char *name, const char *path)
{
    enter(w, 2, 23);
    put(w, inner, 2);
    put_pieces(w, 5, 2);
    put(w, 1, 1);
    put_pieces(w, 8, 1);
    put(w, 1, 0);
    put(w, 3, 5);
    put(w, inner, 4);
    put_pieces(w, 6, strlen(name) + strlen(path));
    align(w);
    for (const char *c = name; *c != '\0'; c++)
        put(w, 8, (uint8_t)*c);
    for (const char *c = path; *c != '\0'; c++)
        put(w, 8, (uint8_t)*c);
    align(w);
    leave(w);
}

static struct writer module_of(
        const char *path, const char *name, uint64_t linkage)
{
    struct writer w = {.bytes = {'B', 'C', 0xc0, 0xde}, .at = 32};
    uint64_t source[128];
    const size_t length = strlen(path);
    for (size_t i = 0; i < length; i++)
        source[i] = (uint8_t)path[i];
    enter(&w, 2, 8);
    put_record(&w, 1, 1, (const uint64_t[]){2});
    put_record(&w, 16, length, source);
    put_record(&w, 7, 4, (const uint64_t[]){0, strlen(name), 1, linkage});
    put_record(&w, 13, 1, (const uint64_t[]){w.at / 32});
    leave(&w);
    put_strings(&w, name, path);
    return w;
}

static void digest_of(uint64_t digest[2], const struct writer *w)
{
    EXPECT_TRUE(proof_bitcode_digest(digest, w->bytes, (size_t)(w->at / 8)));
}

static bool are_same(const struct writer *a, const struct writer *b)
{
    uint64_t of_a[2] = {0, 0};
    uint64_t of_b[2] = {1, 1};
    digest_of(of_a, a);
    digest_of(of_b, b);
    return memcmp(of_a, of_b, sizeof of_a) == 0;
}

TEST_C(ProveBitcode, LeavesPathsAndPositionsOut)
{
    const struct writer a = module_of("/tmp/one/tempfile_a.cl", "first", 3);
    const struct writer b = module_of("/var/tmp/other/x.cl", "first", 3);
    EXPECT_NE((long long)a.at, (long long)b.at);
    EXPECT_TRUE(are_same(&a, &b));
}

TEST_C(ProveBitcode, CountsRecordsAndNames)
{
    const struct writer a = module_of("/tmp/a.cl", "first", 3);
    const struct writer value = module_of("/tmp/a.cl", "first", 4);
    const struct writer name = module_of("/tmp/a.cl", "fir5t", 3);
    EXPECT_FALSE(are_same(&a, &value));
    EXPECT_FALSE(are_same(&a, &name));
}

/* Each in memory of its own, so that a sanitizer sees what is read behind it.
 */
static bool read_copy(const uint8_t *bytes, size_t size)
{
    uint64_t digest[2];
    uint8_t *copy = malloc(size + (size == 0));
    memcpy(copy, bytes, size);
    const bool is_read = proof_bitcode_digest(digest, copy, size);
    free(copy);
    return is_read;
}

TEST_C(ProveBitcode, ReadsAnyBytes)
{
    struct writer w = module_of("/tmp/a.cl", "first", 3);
    const size_t size = (size_t)(w.at / 8);
    size_t whole = 0;
    for (size_t i = 0; i < size; i++)
        whole += read_copy(w.bytes, i);
    /* The table of strings is not there yet, or no more is than the module. */
    EXPECT_EQ(0, (long long)whole);
    for (size_t bit = 0; bit < w.at; bit++) {
        w.bytes[bit / 8] ^= (uint8_t)(1u << (bit & 7));
        (void)read_copy(w.bytes, size);
        w.bytes[bit / 8] ^= (uint8_t)(1u << (bit & 7));
    }
    EXPECT_TRUE(read_copy(w.bytes, size));
}

/* ---- Forged modules ------------------------------------------------------ */

/* A block that defines so many abbreviations for blocks of one kind. */
static bool read_with_known(unsigned count)
{
    struct writer w = {.bytes = {'B', 'C', 0xc0, 0xde}, .at = 32};
    enter(&w, 2, 8);
    enter(&w, inner, 0);
    put_record(&w, 1, 1, (const uint64_t[]){17});
    for (unsigned i = 0; i < count; i++) {
        put(&w, inner, 2);
        put_pieces(&w, 5, 1);
        put(&w, 1, 1);
        put_pieces(&w, 8, 7);
    }
    leave(&w);
    leave(&w);
    return read_copy(w.bytes, (size_t)(w.at / 8));
}

/* Each block of a few bytes would have copies of them. */
TEST_C(ProveBitcode, RejectsMoreAbbreviationsThanLlvmHas)
{
    EXPECT_TRUE(read_with_known(64));
    EXPECT_FALSE(read_with_known(65));
}

/* A bit each, of which 8 bytes are made. */
TEST_C(ProveBitcode, RejectsRecordsThatWouldTakeAllMemory)
{
    static const unsigned counts[] = {1 << 16, 1 << 23};
    for (size_t i = 0; i < COUNT(counts); i++) {
        const size_t size = counts[i] / 8 + 256;
        struct writer w = {.bytes = {'B', 'C', 0xc0, 0xde}, .at = 32};
        uint64_t digest[2];
        enter(&w, 2, 8);
        put(&w, inner, 2);
        put_pieces(&w, 5, 3);
        put(&w, 1, 1);
        put_pieces(&w, 8, 1);
        put(&w, 1, 0);
        put(&w, 3, 3);
        put(&w, 1, 0);
        put(&w, 3, 1);
        put_pieces(&w, 5, 1);
        put(&w, inner, 4);
        put_pieces(&w, 6, counts[i]);
        uint8_t *bytes = calloc(1, size);
        memcpy(bytes, w.bytes, (size_t)(w.at + 7) / 8);
        /* Zeros behind the elements end the block. */
        const uint64_t end = (w.at + counts[i] + inner + 31) / 32 * 4;
        EXPECT_EQ(i == 0, proof_bitcode_digest(digest, bytes, (size_t)end));
        free(bytes);
    }
}

/* A record that is an array of so many elements, and only some bits of them. */
static struct writer module_with_array(
        bool is_literal, unsigned encoding, unsigned width, uint64_t count)
{
    struct writer w = {.bytes = {'B', 'C', 0xc0, 0xde}, .at = 32};
    enter(&w, 2, 8);
    put(&w, inner, 2);
    put_pieces(&w, 5, 3);
    put(&w, 1, 1);
    put_pieces(&w, 8, 1);
    put(&w, 1, 0);
    put(&w, 3, 3);
    put(&w, 1, is_literal);
    if (is_literal) {
        put_pieces(&w, 8, 7);
    } else {
        put(&w, 3, encoding);
        put_pieces(&w, 5, width);
    }
    put(&w, inner, 4);
    put_pieces(&w, 6, count);
    for (unsigned i = 0; i < 2; i++)
        put(&w, width, 1);
    leave(&w);
    return w;
}

/* Else a forged entry of a few bytes takes all memory. */
TEST_C(ProveBitcode, RejectsArraysLongerThanTheModule)
{
    enum { fixed = 1, pieces = 2 };
    static const struct {
        uint64_t count;
        unsigned encoding, width;
        bool is_literal, is_read;
    } rows[] = {
            {2, fixed, 3, false, true},
            {2, pieces, 4, false, true},
            {UINT64_C(1) << 62, fixed, 1, false, false},
            {UINT64_C(1) << 62, fixed, 0, false, false},
            {UINT64_MAX, pieces, 0, false, false},
            {UINT64_MAX, fixed, 0, true, false},
            {2, fixed, 0, true, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct writer w = module_with_array(rows[i].is_literal,
                rows[i].encoding, rows[i].width, rows[i].count);
        EXPECT_EQ(rows[i].is_read, read_copy(w.bytes, (size_t)(w.at / 8)));
    }
}

/* ---- Long work for few bytes --------------------------------------------- */

/* A module of so many records of a few bits, which have so many values. */
static bool read_literals(size_t records, unsigned values)
{
    struct writer head = {.bytes = {'B', 'C', 0xc0, 0xde}, .at = 32};
    enter(&head, 2, 8);
    put(&head, inner, 2);
    put_pieces(&head, 5, values);
    for (unsigned i = 0; i < values; i++) {
        put(&head, 1, 1);
        put_pieces(&head, 8, 100); /* names nothing */
    }
    uint8_t *bytes = calloc(1, sizeof head.bytes + records);
    memcpy(bytes, head.bytes, sizeof head.bytes);
    uint64_t at = head.at;
    for (size_t i = 0; i < records; i++, at += inner)
        bytes[(at + 2) / 8] |= (uint8_t)(1u << ((at + 2) & 7)); /* 4 */
    at += inner; /* the end of the block */
    at = (at + 31) & ~UINT64_C(31);
    const bool is_read = read_copy(bytes, (size_t)(at / 8));
    free(bytes);
    return is_read;
}

/* Values that take no bits: 32 of a record of three. */
TEST_C(ProveBitcode, RejectsRecordsThatAreMoreWorkThanTheirBits)
{
    enum { many = 100000 };
    EXPECT_TRUE(read_literals(many, 6));
    EXPECT_TRUE(read_literals(100, 32));
    EXPECT_FALSE(read_literals(many, 7));
    EXPECT_FALSE(read_literals(many, 32));
}

/* Blocks of twelve bytes, with copies of so many abbreviations each. */
static bool read_blocks(size_t blocks, unsigned count)
{
    struct writer head = {.bytes = {'B', 'C', 0xc0, 0xde}, .at = 32};
    struct writer block = {.at = 0};
    struct writer tail = {.at = 0};
    enter(&head, 2, 8);
    enter(&head, inner, 0);
    put_record(&head, 1, 1, (const uint64_t[]){17});
    for (unsigned i = 0; i < count; i++) {
        put(&head, inner, 2);
        put_pieces(&head, 5, 1);
        put(&head, 1, 1);
        put_pieces(&head, 8, 7);
    }
    leave(&head);
    enter(&block, inner, 17);
    leave(&block);
    leave(&tail);
    const size_t sizes[] = {
            (size_t)head.at / 8, (size_t)block.at / 8, (size_t)tail.at / 8};
    uint8_t *bytes = malloc(sizes[0] + blocks * sizes[1] + sizes[2]);
    uint8_t *at = bytes;
    memcpy(at, head.bytes, sizes[0]);
    at += sizes[0];
    for (size_t i = 0; i < blocks; i++, at += sizes[1])
        memcpy(at, block.bytes, sizes[1]);
    memcpy(at, tail.bytes, sizes[2]);
    const bool is_read =
            read_copy(bytes, sizes[0] + blocks * sizes[1] + sizes[2]);
    free(bytes);
    return is_read;
}

TEST_C(ProveBitcode, RejectsBlocksThatAreMoreWorkThanTheirBits)
{
    enum { many = 5000 };
    EXPECT_TRUE(read_blocks(many, 18)); /* what LLVM has */
    EXPECT_TRUE(read_blocks(10, 64));
    EXPECT_FALSE(read_blocks(many, 64));
}
