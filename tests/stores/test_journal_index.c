/* SPDX-License-Identifier: Apache-2.0 */
/* Long journals: what is read of them, and by whom. */
#include "journal_helpers.h"
#include "src/common/byte_order.h"
#include "store_helpers.h"
#include "stores/core/store_internal.h"
#include "stores/journal/journal_index.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { build_count = 40, text_size = 20000 };

struct scene {
    const struct dnnl_cache_store_type *type;
    char text[text_size + 1];
    uint8_t *bytes; /* of the file; owned */
    size_t size;
};

static dnnl_status_t add(
        dnnl_cache_store_handle_t *store, struct scene *s, unsigned number)
{
    char id[16];
    snprintf(id, sizeof id, "b%u", number);
    memset(s->text, 'x', text_size);
    s->text[text_size] = '\0';
    memcpy(s->text, id, strlen(id));
    return append_build(store, id, s->text);
}

static void read_file(struct scene *s)
{
    free(s->bytes);
    s->bytes = read_whole(journal_path(s->type), &s->size);
}

static void write_file(const struct scene *s)
{
    write_whole(journal_path(s->type), s->bytes, s->size);
}

/* A journal of 800 KB. */
static void scene_open(struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->type = dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *store = open_type(s->type, false);
    for (unsigned i = 0; i < build_count; i++)
        EXPECT_OK(add(store, s, i));
    dnnl_cache_store_close(store);
    read_file(s);
}

static void scene_close(struct scene *s)
{
    free(s->bytes);
}

#define TEST_SCENE(suite, name) \
    TEST_WITH(suite, name, struct scene, s, scene_open(s), scene_close(s))

/* How many of the builds a new handle knows, and whether it began with an
 * index. It adds those that it does not know. */
static unsigned count_known(struct scene *s, bool *has_index)
{
    struct dnnl_cache_store_journal_statistics statistics =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    dnnl_cache_store_handle_t *store = open_type(s->type, false);
    for (unsigned i = 0; i < build_count; i++)
        EXPECT_OK(add(store, s, i));
    *has_index = store->journal.indexed_count > 0;
    EXPECT_OK(dnnl_cache_store_journal_get_statistics(store, &statistics));
    EXPECT_EQ(build_count, statistics.builds);
    dnnl_cache_store_close(store);
    return (unsigned)statistics.known;
}

/* The last record; its offset is where its head is. */
static size_t find_tail(const struct scene *s)
{
    struct journal_record record;
    size_t at = journal_head_size;
    size_t last = 0;
    size_t n;
    while ((n = journal_read_record(&record, s->size - at, s->bytes + at))
            > 0) {
        last = at;
        at += n;
    }
    EXPECT_EQ(s->size, at);
    return last;
}

/* The tail says that the file was read at that time. */
static void set_read_time(struct scene *s, uint64_t ns)
{
    struct journal_record record;
    struct journal_bytes bytes = {NULL, 0, 0, false};
    const size_t at = find_tail(s);
    (void)journal_read_record(&record, s->size - at, s->bytes + at);
    ASSERT_EQ(journal_tail, record.kind);
    store_le64(s->bytes + at + journal_record_head_size + 16, ns);
    journal_put_record(&bytes, &record);
    memcpy(s->bytes + at, bytes.data, bytes.size);
    free(bytes.data);
}

TEST_SCENE(JournalIndex, SparesReadingWhatIsBefore)
{
    bool has_index = false;
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_TRUE(has_index);
    /* Nothing was added, and nothing before the index is looked at. */
    EXPECT_EQ(s->size, size_of_journal(s->type));
    s->bytes[journal_head_size + journal_record_head_size + 100] ^= 1;
    write_file(s);
    dnnl_cache_store_handle_t *store = open_type(s->type, false);
    EXPECT_OK(add(store, s, 3));
    EXPECT_EQ(1, store->journal.known);
    EXPECT_EQ(s->size, size_of_journal(s->type));
    dnnl_cache_store_close(store);
}

static void damage(struct scene *s, size_t at)
{
    s->bytes[at] ^= 1;
    write_file(s);
}

/* Then damage before it is found, and what is lost is added again. */
TEST_SCENE(JournalIndex, IsBelievedForADay)
{
    bool has_index = true;
    set_read_time(s, 1);
    damage(s, journal_head_size + journal_record_head_size + 100);
    EXPECT_EQ(0, count_known(s, &has_index));
    EXPECT_FALSE(has_index);
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_TRUE(has_index);
}

/* What the last record says; false: it says that all was read just now. */
static bool is_being_read(struct scene *s, uint64_t *checked)
{
    enum { tail_size = 24 };
    read_file(s);
    const uint8_t *payload = s->bytes + s->size - tail_size;
    *checked = load_le32(payload + 12);
    return load_le64(payload + 16) == 1;
}

/* Each start reads a piece, wherever the one before has stopped. */
TEST_SCENE(JournalIndex, IsReadAgainInPieces)
{
    enum { most_starts = 6 };
    bool has_index = true;
    uint64_t checked = 0;
    uint64_t before = 0;
    int starts = 0;
    set_read_time(s, 1);
    write_file(s);
    while (is_being_read(s, &checked) && starts < most_starts
            && !test_has_failed()) {
        EXPECT_TRUE(checked - before <= journal_index_step);
        EXPECT_EQ(starts > 0, checked > before);
        before = checked;
        EXPECT_EQ(build_count, count_known(s, &has_index));
        EXPECT_TRUE(has_index);
        starts++;
    }
    EXPECT_EQ(4, starts); /* of 800 KB */
    EXPECT_EQ(0, checked);
}

static void add_large_text(struct scene *s)
{
    enum { size = 2 * journal_index_step };
    char *text = calloc(1, size + 1);
    dnnl_cache_store_handle_t *store = open_type(s->type, false);
    ASSERT_TRUE(text != NULL);
    memset(text, 'y', size);
    EXPECT_OK(append_build(store, "large", text));
    /* An index is behind it. */
    for (unsigned i = build_count; i < 2 * build_count; i++)
        EXPECT_OK(add(store, s, i));
    dnnl_cache_store_close(store);
    free(text);
    read_file(s);
}

/* How many starts it takes until none has to read on. *damaged: one of them has
 * read all instead. */
static unsigned count_starts(struct scene *s, bool *damaged)
{
    uint64_t checked;
    unsigned starts = 0;
    *damaged = false;
    while (is_being_read(s, &checked) && starts < 16 && !test_has_failed()) {
        dnnl_cache_store_handle_t *store = open_type(s->type, false);
        EXPECT_OK(add(store, s, 1));
        *damaged = *damaged || store->journal.indexed_count == 0;
        dnnl_cache_store_close(store);
        starts++;
    }
    return starts;
}

/* Damage in a later piece is found when it is the turn of that piece. */
TEST_SCENE(JournalIndex, IsReadUpToTheIndex)
{
    bool damaged = false;
    bool has_index;
    set_read_time(s, 1);
    damage(s, build_count / 2 * text_size + text_size / 2);
    /* The first and the second one stop before it. */
    EXPECT_EQ(3, count_starts(s, &damaged));
    EXPECT_TRUE(damaged);
    (void)count_known(s, &has_index);
    EXPECT_EQ(build_count, count_known(s, &has_index));
}

TEST_SCENE(JournalIndex, ARecordLargerThanAPieceIsReadWhole)
{
    bool damaged = false;
    const size_t middle = s->size + journal_index_step;
    add_large_text(s);
    set_read_time(s, 1);
    write_file(s);
    EXPECT_TRUE(count_starts(s, &damaged) < 16);
    EXPECT_FALSE(damaged);
    set_read_time(s, 1);
    damage(s, middle);
    EXPECT_TRUE(count_starts(s, &damaged) < 16);
    EXPECT_TRUE(damaged);
}

/* As after a clock that was wrong: it is read again. */
TEST_SCENE(JournalIndex, OfTheFutureIsOld)
{
    bool has_index = false;
    uint64_t checked;
    set_read_time(s, UINT64_MAX);
    write_file(s);
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_TRUE(has_index);
    (void)is_being_read(s, &checked);
    EXPECT_TRUE(checked > 0);
}

/* Cut at any byte of the last records, or with any of them changed: all that is
 * left is known, all else is added. */
TEST_SCENE(JournalIndex, DamagedAnywhereIsMadeAnew)
{
    bool has_index;
    const size_t tail = find_tail(s);
    for (size_t at = tail - 60; at < s->size && !test_has_failed(); at++) {
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            uint8_t *bytes = s->bytes;
            s->bytes[at] ^= 0x20;
            write_whole(journal_path(s->type), bytes, is_cut ? at : s->size);
            s->bytes[at] ^= 0x20;
            (void)count_known(s, &has_index);
            EXPECT_EQ(build_count, count_known(s, &has_index));
            EXPECT_TRUE(has_index);
        }
    }
}

/* Another file has the same bytes under another generation, or at another
 * place: its index is of other keys. */
TEST_SCENE(JournalIndex, OfAnotherFileIsNotBelieved)
{
    bool has_index = true;
    s->bytes[journal_generation_at] ^= 1;
    write_file(s);
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_FALSE(has_index);
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_TRUE(has_index);
}

/* As earlier releases leave it: a note behind the tail, or no index at all. */
TEST_SCENE(JournalIndex, WithoutATailAllIsReadOnce)
{
    bool has_index = true;
    s->size = find_tail(s);
    write_file(s);
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_FALSE(has_index);
    EXPECT_EQ(build_count, count_known(s, &has_index));
    EXPECT_TRUE(has_index);
}

/* Dropped notes take their index along. */
TEST_SCENE(JournalIndex, DoesNotSurviveADrop)
{
    bool has_index;
    dnnl_cache_store_handle_t *store = open_type(s->type, false);
    const dnnl_cache_note_t note = note_of_build("b7", "b7");
    const uint64_t key = dnnl_cache_store_journal_key(&note);
    EXPECT_OK(dnnl_cache_store_journal_drop(store, 1, &key));
    dnnl_cache_store_close(store);
    EXPECT_EQ(build_count - 1, count_known(s, &has_index));
}

/* Indexes take a small part of what they spare, however often it is opened. */
TEST_SCENE(JournalIndex, StaysSmall)
{
    bool has_index;
    for (int i = 0; i < 20; i++)
        (void)count_known(s, &has_index);
    EXPECT_EQ(s->size, size_of_journal(s->type));
    EXPECT_TRUE(s->size < build_count * (text_size + 600) * 11 / 10);
}

/* ---- Many small notes ---------------------------------------------------- */

enum { first_keys = 12000, more_keys = 4100, payload_size = 24 };

/* Adds records with these keys to the file. */
static void append_records(struct scene *s, uint64_t key, unsigned count)
{
    static const uint8_t payload[payload_size] = "some text";
    struct journal_bytes bytes = {NULL, 0, 0, false};
    journal_put_bytes(&bytes, s->size, s->bytes);
    for (unsigned i = 0; i < count; i++) {
        const struct journal_record record = {.kind = journal_text,
                .key = key + i,
                .size = sizeof payload,
                .payload = payload};
        journal_put_record(&bytes, &record);
    }
    ASSERT_FALSE(bytes.failed);
    free(s->bytes);
    s->bytes = bytes.data;
    s->size = bytes.size;
    write_file(s);
}

/* Opens it, and makes it look at the file. */
static dnnl_cache_store_handle_t *open_known(struct scene *s)
{
    dnnl_cache_store_handle_t *store = open_type(s->type, false);
    EXPECT_OK(add(store, s, 0));
    return store;
}

/* How many indexes a new handle begins with. It knows all keys. */
static size_t count_indexes(struct scene *s, unsigned keys)
{
    dnnl_cache_store_handle_t *store = open_known(s);
    const size_t count = store->journal.part_count;
    for (unsigned i = 0; i < keys && !test_has_failed(); i++)
        EXPECT_TRUE(journal_index_has(&store->journal, 1 + i));
    EXPECT_FALSE(journal_index_has(&store->journal, 1 + keys));
    dnnl_cache_store_close(store);
    read_file(s);
    return count;
}

/* An index with all keys, and two of what is new. */
static unsigned make_indexes(struct scene *s)
{
    unsigned keys = first_keys;
    s->size = journal_head_size;
    append_records(s, 1, first_keys);
    EXPECT_EQ(0, count_indexes(s, keys));
    EXPECT_EQ(1, count_indexes(s, keys));
    for (int i = 0; i < 2; i++) {
        append_records(s, 1 + keys, more_keys);
        keys += more_keys;
        EXPECT_EQ(0, count_indexes(s, keys)); /* nobody wrote a tail */
    }
    return keys;
}

TEST_SCENE(JournalIndex, OfWhatIsNewFollowsOneOfAll)
{
    const unsigned keys = make_indexes(s);
    EXPECT_EQ(3, count_indexes(s, keys));
    /* Less than an index is worth is read. */
    dnnl_cache_store_handle_t *store = open_known(s);
    EXPECT_OK(add(store, s, build_count));
    dnnl_cache_store_close(store);
    EXPECT_EQ(3, count_indexes(s, keys));
    /* Until one of all is worth it again. */
    append_records(s, 1 + keys, 2 * first_keys);
    EXPECT_EQ(0, count_indexes(s, keys + 2 * first_keys));
    EXPECT_EQ(1, count_indexes(s, keys + 2 * first_keys));
}

/* Where the indexes are, in the order of the file. */
static unsigned find_indexes(const struct scene *s, size_t at_most[4])
{
    struct journal_record record;
    unsigned count = 0;
    size_t at = journal_head_size;
    size_t n;
    while ((n = journal_read_record(&record, s->size - at, s->bytes + at))
            > 0) {
        if ((record.kind == journal_index || record.kind == journal_more)
                && count < 4)
            at_most[count++] = at;
        at += n;
    }
    return count;
}

/* None is believed alone: all is read. */
TEST_SCENE(JournalIndex, ADamagedOneOfSeveralIsMadeAnew)
{
    size_t places[4] = {0};
    const unsigned keys = make_indexes(s);
    ASSERT_EQ(3, find_indexes(s, places));
    for (unsigned i = 0; i < 3 && !test_has_failed(); i++) {
        struct scene damaged = *s;
        damaged.bytes = malloc(s->size);
        ASSERT_TRUE(damaged.bytes != NULL);
        memcpy(damaged.bytes, s->bytes, s->size);
        damage(&damaged, places[i] + journal_record_head_size + 9);
        dnnl_cache_store_handle_t *store = open_known(&damaged);
        EXPECT_EQ(0, store->journal.part_count);
        EXPECT_TRUE(journal_index_has(&store->journal, 1));
        EXPECT_FALSE(journal_index_has(&store->journal, 1 + keys));
        dnnl_cache_store_close(store);
        free(damaged.bytes);
    }
}

/* One that names a later one, itself, or what is no index. */
TEST_SCENE(JournalIndex, OneThatLeadsNowhereIsNotBelieved)
{
    size_t places[4] = {0};
    const unsigned keys = make_indexes(s);
    ASSERT_EQ(3, find_indexes(s, places));
    const uint64_t wrong[] = {places[2], s->size, 0, journal_head_size, 7,
            UINT64_MAX, places[1] + 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct journal_record record;
        struct journal_bytes bytes = {NULL, 0, 0, false};
        (void)journal_read_record(
                &record, s->size - places[2], s->bytes + places[2]);
        store_le64(
                s->bytes + places[2] + journal_record_head_size + 16, wrong[i]);
        journal_put_record(&bytes, &record);
        memcpy(s->bytes + places[2], bytes.data, bytes.size);
        free(bytes.data);
        write_file(s);
        dnnl_cache_store_handle_t *store = open_known(s);
        EXPECT_EQ(0, store->journal.part_count);
        for (unsigned j = 0; j < keys && !test_has_failed(); j++)
            EXPECT_TRUE(journal_index_has(&store->journal, 1 + j));
        dnnl_cache_store_close(store);
    }
}
