/* SPDX-License-Identifier: Apache-2.0 */
/* Every byte of every file of a small store, changed in turn, every length of
 * it, and files that are missing or another entry's: never a wrong blob, and
 * the next put heals. */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { entries = 3 };

/* Where damage spreads, some in pages of their own. */
static size_t size_of(const struct store_kind *kind, unsigned number)
{
    return 24 + (kind->damage_spreads ? 700 * (size_t)number : 0);
}

/* Two IDs in one bucket, one in another. */
static uint64_t two_buckets(const void *data, size_t size)
{
    if (size == 0) return 100; /* a tree hashes nothing, too */
    return 100 + (uint64_t)(((const uint8_t *)data)[size - 1] & 1);
}

static struct dnnl_cache_store_options options_of_test(
        const struct store_kind *kind)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->scene_capacity;
    options.log = NULL;
    if (!kind->one_id_of_a_hash) options.hash = two_buckets;
    return options;
}

static void put_all(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    for (unsigned i = 0; i < entries; i++) {
        const size_t size = size_of(kind, i);
        EXPECT_OK(put_number(store, i, size));
        int got = get_number_quietly(store, i, size);
        if (got == (int)dnnl_cache_miss && kind->may_heal_late) {
            EXPECT_OK(put_number(store, i, size));
            got = get_number_quietly(store, i, size);
        }
        EXPECT_EQ(dnnl_success, got);
    }
}

/* With damage that may cost this many entries: each blob is right or a miss;
 * once all are put, all is well. */
static void expect_healing(const struct store_kind *kind,
        dnnl_cache_store_handle_t *store, unsigned least, unsigned most)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    unsigned missed = 0;
    for (unsigned i = 0; i < entries; i++) {
        const int got = get_number_quietly(store, i, size_of(kind, i));
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
        missed += got != (int)dnnl_success;
    }
    EXPECT_GE(missed, least);
    EXPECT_LE(missed, most);
    put_all(kind, store);
    /* What one put healed another one may find beyond healing, and drop. */
    if (kind->damage_spreads) put_all(kind, store);
    for (unsigned i = 0; i < entries; i++)
        EXPECT_OK(get_number(store, i, size_of(kind, i)));
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    /* Verify reads more than a get does: the list of free pages, the columns
     * that only an eviction needs. */
    if (check.damaged > 0 && kind->damage_spreads) {
        EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
        put_all(kind, store);
        EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    }
    EXPECT_EQ(entries, check.intact);
    EXPECT_EQ(0, check.damaged);
}

struct campaign {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t
            *store; /* open all the time; NULL: opened after each damage */
    unsigned damages;
};

static void expect_healing_of(struct campaign *c, const char *name)
{
    const struct store_kind *kind = c->kind;
    const bool is_read =
            kind->read_files != NULL && name_matches(kind->read_files, name);
    dnnl_cache_store_handle_t *store =
            c->store != NULL ? c->store : kind_open(kind, &c->options);
    if (store == NULL) return;
    if (kind->damage_spreads)
        expect_healing(kind, store, 0, entries);
    else
        expect_healing(kind, store, is_read, is_read);
    if (c->store == NULL) dnnl_cache_store_close(store);
    c->damages++;
}

/* Gives all entries the names they had in the beginning. */
static void start_anew(struct campaign *c)
{
    dnnl_cache_store_handle_t *store =
            c->store != NULL ? c->store : kind_open(c->kind, &c->options);
    if (store == NULL) return;
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    put_all(c->kind, store);
    if (c->store == NULL) dnnl_cache_store_close(store);
}

static size_t size_of_file(const char *path)
{
    size_t size;
    free(read_whole(path, &size));
    return size;
}

static void flip(const char *path, size_t at, uint8_t bits)
{
    FILE *file = fopen(path, "r+");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(0, fseek(file, (long)at, SEEK_SET));
    const int byte = fgetc(file);
    EXPECT_EQ(0, fseek(file, (long)at, SEEK_SET));
    fputc(byte ^ bits, file);
    EXPECT_EQ(0, fclose(file));
}

/* The next byte to change. All of them, but in the short run, of a file of many
 * pages, those of the header and a sample. */
static size_t next_byte(
        const struct store_kind *kind, size_t at, uint64_t *seed)
{
    if (is_long_run() || !kind->damage_spreads || at < 112) return at + 1;
    return at + 1 + (size_t)(next_random(seed) % 127);
}

/* Changes these bits of every byte of every file. */
static void change_all(struct campaign *c, uint8_t bits, uint64_t *seed)
{
    static char names[most_names][path_size];
    char path[path_size];
    const unsigned count = kind_list(names);
    for (unsigned f = 0; f < count; f++) {
        path_in_store(path, names[f]);
        /* Books may be shorter or longer after a count. */
        for (size_t at = 0; at < size_of_file(path);
                at = next_byte(c->kind, at, seed)) {
            flip(path, at, bits);
            expect_healing_of(c, names[f]);
            /* A tree heals an entry under another number. */
            if (access(path, F_OK) != 0) start_anew(c);
            if (!test_has_failed()) continue;
            printf("byte %zu of %s, bits %02x\n", at, names[f], bits);
            return;
        }
    }
}

static struct campaign begin(
        const struct store_kind *kind, const char *key_file, bool is_open)
{
    struct campaign c = {.kind = kind, .options = options_of_test(kind)};
    c.options.key_file = key_file;
    dnnl_cache_store_handle_t *store = kind_open(kind, &c.options);
    if (store != NULL) put_all(kind, store);
    if (is_open)
        c.store = store;
    else
        dnnl_cache_store_close(store);
    return c;
}

/* Even where only a sample of the bytes is changed, some of each file are. */
enum { least_damages = 2 * entries };

static void change_everything(
        const struct store_kind *kind, const char *key_file, bool is_open)
{
    uint64_t seed = test_seed();
    struct campaign c = begin(kind, key_file, is_open);
    if (!is_long_run()) change_all(&c, 0xff, &seed);
    for (int bit = 0; bit < 8 && is_long_run() && !test_has_failed(); bit++)
        change_all(&c, (uint8_t)(1u << bit), &seed);
    dnnl_cache_store_close(c.store);
    printf("%u bytes changed\n", c.damages);
    EXPECT_GT(c.damages, least_damages);
}

/* Who opens the store finds it damaged. */
STORE_TEST(Proof, EveryByteOfEveryFile)
{
    change_everything(kind, NULL, false);
}

/* It is damaged while it is open. */
STORE_TEST(Proof, EveryByteOfEveryFileOfAnOpenStore)
{
    change_everything(kind, NULL, true);
}

STORE_TEST(Proof, EveryByteOfEverySignedFile)
{
    char key[path_size];
    EXPECT_OK(dnnl_cache_store_key_file_make(path_in_test(key, "key")));
    change_everything(kind, key, false);
}

/* ---- Lengths ------------------------------------------------------------- */

STORE_TEST(Damage, EveryLengthOfEveryFile)
{
    static char names[most_names][path_size];
    char path[path_size];
    uint64_t seed = test_seed();
    for (int is_open = 0; is_open < 2; is_open++) {
        struct campaign c = begin(kind, NULL, is_open != 0);
        const unsigned count = kind_list(names);
        for (unsigned f = 0; f < count && !test_has_failed(); f++) {
            path_in_store(path, names[f]);
            const size_t full = size_of_file(path);
            for (size_t size = 0; size < full + 5 && !test_has_failed();
                    size = next_byte(kind, size, &seed)) {
                /* What a file has is no damage, whatever it had before. */
                if (size == size_of_file(path)) continue;
                EXPECT_EQ(0, truncate(path, (off_t)size));
                expect_healing_of(&c, names[f]);
                if (access(path, F_OK) != 0) start_anew(&c);
                if (test_has_failed())
                    printf("%s cut to %zu\n", names[f], size);
            }
        }
        dnnl_cache_store_close(c.store);
        printf("%u lengths\n", c.damages);
    }
}

STORE_TEST(Damage, MissingFiles)
{
    static char names[most_names][path_size];
    char path[path_size];
    for (int is_open = 0; is_open < 2; is_open++) {
        struct campaign c = begin(kind, NULL, is_open != 0);
        const unsigned count = kind_list(names);
        for (unsigned f = 0; f < count && !test_has_failed(); f++) {
            EXPECT_EQ(0, unlink(path_in_store(path, names[f])));
            expect_healing_of(&c, names[f]);
            if (test_has_failed()) printf("without %s\n", names[f]);
            if (access(path, F_OK) != 0) start_anew(&c);
        }
        dnnl_cache_store_close(c.store);
    }
}

/* ---- Another entry's files ----------------------------------------------- */

static void copy(const char *from_name, const char *to_name)
{
    char path[path_size];
    size_t size;
    uint8_t *bytes = read_whole(path_in_store(path, from_name), &size);
    write_whole(path_in_store(path, to_name), bytes, size);
    free(bytes);
}

/* An intact entry in another one's place, which may be a second one of its ID:
 * that harms nobody. */
static void expect_one_lost(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    unsigned missed = 0;
    for (unsigned i = 0; i < entries; i++)
        missed += get_number(store, i, size_of(kind, i)) == dnnl_cache_miss;
    EXPECT_EQ(1, missed);
    put_all(kind, store);
    for (unsigned i = 0; i < entries; i++)
        EXPECT_OK(get_number(store, i, size_of(kind, i)));
}

/* Of each entry the first, the second, or all of its files are another one's,
 * whose hash may be the same. (In a pack it takes SQL to do that:
 * PackDamage.VerifyFindsAndRepairs does it.) */
STORE_TEST_OF_FILES(Damage, TheBlobOfAnotherId)
{
    static char names[most_names][path_size];
    struct campaign c = begin(kind, NULL, true);
    const unsigned all = kind_list(names);
    unsigned count = 0;
    for (unsigned i = 0; i < all; i++)
        if (name_matches(kind->entry_files, names[i]))
            memmove(names[count++], names[i], path_size);
    const unsigned n = kind->files_of_entry;
    ASSERT_EQ(entries * n, count);
    for (unsigned from = 0; from < entries; from++) {
        for (unsigned to = 0; to < entries; to++) {
            if (from == to) continue;
            for (unsigned f = 0; f < n; f++) {
                copy(names[from * n + f], names[to * n + f]);
                if (n > 1) expect_healing_of(&c, names[to * n + f]);
                start_anew(&c);
            }
            for (unsigned f = 0; f < n; f++)
                copy(names[from * n + f], names[to * n + f]);
            expect_one_lost(kind, c.store);
            start_anew(&c);
        }
    }
    dnnl_cache_store_close(c.store);
}
