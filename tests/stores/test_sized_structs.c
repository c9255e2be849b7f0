/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every struct of the stores that begins with struct_size, as programs hand it
 * over that were compiled with an older, shorter declaration or a newer, longer
 * one: the rules of sized_struct.h.
 */
#include "src/common/sized_struct.h"

#include "dnnl_cache/chain_store.h"
#include "dnnl_cache/file_digests.h"
#include "dnnl_cache/journal.h"
#include "dnnl_cache/metrics.h"
#include "dnnl_cache/recording.h"
#include "dnnl_cache/remote_store.h"
#include "dnnl_cache/store_types.h"
#include "dnnl_cache/tiers.h"
#include "dnnl_cache/working_set.h"
#include "journal_helpers.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_bytes = 512, tail_bytes = 24, filler = 0xA5 };

/* What the calls below are about. */
struct world {
    dnnl_cache_store_handle_t *store;
    dnnl_cache_store_handle_t *chain;
    dnnl_cache_store_handle_t *remote;
    struct dnnl_cache_store_working_set *set;
};

union bytes {
    size_t struct_size;
    uint64_t numbers[most_bytes / sizeof(uint64_t)];
    unsigned char bytes[most_bytes];
};

/* A kind of struct, and a call that takes one. */
struct sized {
    const char *name;
    size_t size; /* of the declaration of today */
    dnnl_status_t (*call)(const struct world *world, void *callers);
};

static void begin(struct world *world)
{
    const struct dnnl_cache_store_options options = test_options();
    const struct dnnl_cache_store_chain_options how =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    struct dnnl_cache_store_remote_options remote =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    struct dnnl_cache_store_working_set_options working_set =
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    char digests[path_size];
    /* Not those of the user's drivers. */
    EXPECT_EQ(0, setenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE,
                         path_in_test(digests, "digests"), 1));
    *world = (struct world){.store = open_store(&options)};
    ASSERT_NOT_NULL(world->store);
    EXPECT_OK(put_number(world->store, 1, 1000));
    EXPECT_OK(get_number(world->store, 1, 1000));
    const struct dnnl_cache_store_chain_member member = {
            sizeof(struct dnnl_cache_store_chain_member), "local", world->store,
            NULL, dnnl_cache_store_chain_role_write};
    EXPECT_OK(dnnl_cache_store_open_chain(&world->chain, &member, 1, &how));
    EXPECT_OK(get_number(world->chain, 1, 1000));
    remote.url = "redis://127.0.0.1:1?insecure=1"; /* nobody is there */
    EXPECT_OK(dnnl_cache_store_open_remote(&world->remote, &remote));
    working_set.store = dnnl_cache_store_get_callbacks(world->store);
    working_set.application = "test";
    EXPECT_OK(dnnl_cache_store_working_set_open(&world->set, &working_set));
}

static void end(struct world *world)
{
    dnnl_cache_store_working_set_close(world->set);
    dnnl_cache_store_close(world->remote);
    dnnl_cache_store_close(world->chain);
    dnnl_cache_store_close(world->store);
}

/* ---- What calls fill in -------------------------------------------------- */

static dnnl_status_t get_statistics(const struct world *world, void *callers)
{
    return dnnl_cache_store_get_statistics(world->store, callers);
}

static dnnl_status_t get_totals(const struct world *world, void *callers)
{
    return dnnl_cache_store_get_totals(world->store, callers);
}

static dnnl_status_t verify(const struct world *world, void *callers)
{
    return dnnl_cache_store_verify(world->store, false, NULL, NULL, callers);
}

static dnnl_status_t get_member(const struct world *world, void *callers)
{
    return dnnl_cache_store_chain_get_member_statistics(
            world->chain, 0, callers);
}

static dnnl_status_t get_journal(const struct world *world, void *callers)
{
    return dnnl_cache_store_journal_get_statistics(world->store, callers);
}

static dnnl_status_t get_remote(const struct world *world, void *callers)
{
    return dnnl_cache_store_remote_get_statistics(world->remote, callers);
}

static dnnl_status_t get_working_set(const struct world *world, void *callers)
{
    return dnnl_cache_store_working_set_get_statistics(world->set, callers);
}

static dnnl_status_t verify_digests(const struct world *world, void *callers)
{
    (void)world;
    return dnnl_cache_store_file_digests_verify(callers, 0, NULL, NULL);
}

#define SIZED(type, call)         \
    {                             \
#type, sizeof(type), call \
    }

static const struct sized outputs[] = {
        SIZED(struct dnnl_cache_store_statistics, get_statistics),
        SIZED(struct dnnl_cache_store_totals, get_totals),
        SIZED(struct dnnl_cache_store_check, verify),
        SIZED(struct dnnl_cache_store_chain_member_statistics, get_member),
        SIZED(struct dnnl_cache_store_journal_statistics, get_journal),
        SIZED(struct dnnl_cache_store_remote_statistics, get_remote),
        SIZED(struct dnnl_cache_store_working_set_statistics, get_working_set),
        SIZED(struct dnnl_cache_store_file_digests_report, verify_digests),
};

enum { output_count = sizeof outputs / sizeof *outputs };

/* Calls with a struct of another size, whose bytes are `with` behind it up to
 * its size. *made: what the call left. */
static dnnl_status_t call_with(union bytes *made, const struct sized *sized,
        const struct world *world, size_t struct_size, unsigned char with)
{
    memset(made, filler, sizeof *made);
    made->struct_size = struct_size;
    for (size_t i = sized->size; i < struct_size; i++)
        made->bytes[i] = with;
    return sized->call(world, made);
}

static bool is_filler(const union bytes *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (bytes->bytes[i] != filler) return false;
    return true;
}

/* Only what an older program has room for is written. */
static void expect_older(const struct sized *sized, const struct world *world)
{
    union bytes whole, part;
    EXPECT_OK(call_with(&whole, sized, world, sized->size, 0));
    EXPECT_EQ(sized->size, whole.struct_size);
    EXPECT_FALSE(is_filler(&whole, sizeof(size_t), sized->size));
    EXPECT_TRUE(is_filler(&whole, sized->size, most_bytes));
    for (size_t size = sizeof(size_t); size < sized->size; size *= 2) {
        EXPECT_OK(call_with(&part, sized, world, size, 0));
        EXPECT_EQ(size, part.struct_size);
        EXPECT_TRUE(is_filler(&part, size, most_bytes));
        EXPECT_TRUE(size < 16 || !is_filler(&part, 8, 16));
    }
}

static void expect_newer(const struct sized *sized, const struct world *world)
{
    const size_t larger = sized->size + tail_bytes;
    union bytes bytes;
    ASSERT_TRUE(larger <= most_bytes);
    EXPECT_OK(call_with(&bytes, sized, world, larger, 0));
    EXPECT_EQ(larger, bytes.struct_size);
    EXPECT_FALSE(is_filler(&bytes, sizeof(size_t), sized->size));
    for (size_t i = sized->size; i < larger; i++)
        EXPECT_EQ(0, bytes.bytes[i]);
    EXPECT_TRUE(is_filler(&bytes, larger, most_bytes));
    EXPECT_STATUS(
            dnnl_invalid_arguments, call_with(&bytes, sized, world, larger, 1));
    EXPECT_TRUE(is_filler(&bytes, sizeof(size_t), sized->size));
}

static void expect_no_size(const struct sized *sized, const struct world *world)
{
    union bytes bytes;
    for (size_t size = 0; size < sizeof(size_t); size++) {
        EXPECT_STATUS(dnnl_invalid_arguments,
                call_with(&bytes, sized, world, size, 0));
        EXPECT_TRUE(is_filler(&bytes, sizeof(size_t), most_bytes));
    }
}

TEST_C(SizedStructs, OfResultsMayBeOlderOrNewer)
{
    struct world world;
    begin(&world);
    for (size_t i = 0; i < output_count; i++) {
        printf("%s\n", outputs[i].name);
        expect_older(&outputs[i], &world);
        expect_newer(&outputs[i], &world);
        expect_no_size(&outputs[i], &world);
    }
    end(&world);
}

/* ---- What calls read ----------------------------------------------------- */

/* A struct that a call accepts, and the call, which closes what it opened. */
struct input {
    struct sized sized;
    /* Of the shortest declaration that will do: what is needed ends here. */
    size_t least;
    void (*fill)(const struct world *world, void *ours);
};

static dnnl_status_t open_chain_as(const struct world *world, void *callers)
{
    dnnl_cache_store_handle_t *chain = NULL;
    const struct dnnl_cache_store_chain_member member = {
            .struct_size = sizeof member,
            .store = world->store,
            .role = dnnl_cache_store_chain_role_write};
    const dnnl_status_t st =
            dnnl_cache_store_open_chain(&chain, &member, 1, callers);
    if (st == dnnl_success) EXPECT_OK(get_number(chain, 1, 1000));
    dnnl_cache_store_close(chain);
    return st;
}

static void fill_nothing(const struct world *world, void *ours)
{
    (void)world;
    (void)ours;
}

/* Two members, the second of which is the caller's again. */
static dnnl_status_t open_chain_of(const struct world *world, void *callers)
{
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *chain = NULL;
    const size_t size = *(const size_t *)callers;
    unsigned char two[2 * most_bytes];
    (void)world;
    memcpy(two, callers, most_bytes);
    memcpy(two + size, callers, most_bytes);
    const dnnl_status_t st =
            dnnl_cache_store_open_chain(&chain, (void *)two, 2, &options);
    if (st == dnnl_success) EXPECT_OK(get_number(chain, 1, 1000));
    dnnl_cache_store_close(chain);
    return st;
}

static void fill_member(const struct world *world, void *ours)
{
    struct dnnl_cache_store_chain_member *member = ours;
    member->store = world->store;
}

/* Two labels, the second of which has a name of its own. */
static dnnl_status_t get_metrics(const struct world *world, void *callers)
{
    const size_t step = *(const size_t *)callers;
    const char *other = "other";
    unsigned char two[2 * most_bytes];
    size_t size = 0;
    memcpy(two, callers, most_bytes);
    memcpy(two + step, callers, most_bytes);
    memcpy(two + step + offsetof(struct dnnl_cache_metrics_label, name), &other,
            sizeof other);
    return dnnl_cache_store_get_metrics(
            world->store, 2, (void *)two, &size, NULL);
}

static void fill_label(const struct world *world, void *ours)
{
    struct dnnl_cache_metrics_label *label = ours;
    (void)world;
    label->name = "name";
    label->value = "value";
}

static dnnl_status_t open_store_as(const struct world *world, void *callers)
{
    dnnl_cache_store_handle_t *store = NULL;
    (void)world;
    const dnnl_status_t st = dnnl_cache_store_open(&store, "bucket", callers);
    dnnl_cache_store_close(store);
    return st;
}

static void fill_store(const struct world *world, void *ours)
{
    static char path[path_size];
    struct dnnl_cache_store_options *options = ours;
    (void)world;
    options->path = path_in_test(path, "opened");
}

static dnnl_status_t open_tiers_as(const struct world *world, void *callers)
{
    dnnl_cache_store_handle_t *store = NULL;
    (void)world;
    const dnnl_status_t st = dnnl_cache_store_open_tiers(&store, callers);
    dnnl_cache_store_close(store);
    return st;
}

static void fill_tiers(const struct world *world, void *ours)
{
    static char path[path_size];
    static struct dnnl_cache_store_options local =
            DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers *tiers = ours;
    (void)world;
    local.path = path_in_test(path, "local");
    tiers->local = &local;
}

static dnnl_status_t open_remote_as(const struct world *world, void *callers)
{
    dnnl_cache_store_handle_t *remote = NULL;
    (void)world;
    const dnnl_status_t st = dnnl_cache_store_open_remote(&remote, callers);
    dnnl_cache_store_close(remote);
    return st;
}

static void fill_remote(const struct world *world, void *ours)
{
    struct dnnl_cache_store_remote_options *options = ours;
    (void)world;
    options->url = "redis://127.0.0.1:1?insecure=1";
}

static dnnl_status_t open_record_as(const struct world *world, void *callers)
{
    dnnl_cache_store_handle_t *record = NULL;
    (void)world;
    const dnnl_status_t st = dnnl_cache_recording_open(&record, callers);
    dnnl_cache_store_close(record);
    return st;
}

static void fill_record(const struct world *world, void *ours)
{
    static char path[path_size];
    struct dnnl_cache_recording_options *options = ours;
    (void)world;
    options->path = path_in_test(path, "record");
}

static dnnl_status_t open_set_as(const struct world *world, void *callers)
{
    struct dnnl_cache_store_working_set *set = NULL;
    (void)world;
    const dnnl_status_t st = dnnl_cache_store_working_set_open(&set, callers);
    dnnl_cache_store_working_set_close(set);
    return st;
}

static void fill_set(const struct world *world, void *ours)
{
    struct dnnl_cache_store_working_set_options *options = ours;
    options->store = dnnl_cache_store_get_callbacks(world->store);
    options->application = "test";
}

static dnnl_status_t copy_item(const struct world *world, void *callers)
{
    char path[path_size];
    struct dnnl_cache_recording_options options =
            DNNL_CACHE_RECORDING_OPTIONS_INIT;
    dnnl_cache_store_handle_t *record = NULL;
    (void)world;
    options.path = path_in_test(path, "copies");
    EXPECT_OK(dnnl_cache_recording_open(&record, &options));
    const dnnl_status_t st = dnnl_cache_recording_copy(record, callers);
    dnnl_cache_store_close(record);
    return st;
}

static void fill_item(const struct world *world, void *ours)
{
    static dnnl_cache_note_t note;
    struct dnnl_cache_store_journal_item *item = ours;
    (void)world;
    note = note_of_build("an ID", "a source");
    item->note = &note;
    item->application = "test";
}

#define END_OF(type, member) \
    (offsetof(type, member) + sizeof((type *)0)->member)

static const struct input inputs[] = {
        {SIZED(struct dnnl_cache_store_options, open_store_as),
                END_OF(struct dnnl_cache_store_options, path), fill_store},
        {SIZED(struct dnnl_cache_store_tiers, open_tiers_as),
                END_OF(struct dnnl_cache_store_tiers, local), fill_tiers},
        {SIZED(struct dnnl_cache_store_chain_options, open_chain_as),
                sizeof(size_t), fill_nothing},
        {SIZED(struct dnnl_cache_store_chain_member, open_chain_of),
                END_OF(struct dnnl_cache_store_chain_member, store),
                fill_member},
        {SIZED(struct dnnl_cache_metrics_label, get_metrics),
                sizeof(struct dnnl_cache_metrics_label), fill_label},
        {SIZED(struct dnnl_cache_store_remote_options, open_remote_as),
                END_OF(struct dnnl_cache_store_remote_options, url),
                fill_remote},
        {SIZED(struct dnnl_cache_recording_options, open_record_as),
                END_OF(struct dnnl_cache_recording_options, path), fill_record},
        {SIZED(struct dnnl_cache_store_journal_item, copy_item),
                END_OF(struct dnnl_cache_store_journal_item, application),
                fill_item},
        {SIZED(struct dnnl_cache_store_working_set_options, open_set_as),
                END_OF(struct dnnl_cache_store_working_set_options,
                        application),
                fill_set},
};

enum { input_count = sizeof inputs / sizeof *inputs };

/* What is behind the caller's struct is not the call's to read. */
static dnnl_status_t give(const struct input *input, const struct world *world,
        size_t struct_size, unsigned char with)
{
    union bytes bytes, before;
    memset(&bytes, 0, sizeof bytes);
    input->fill(world, &bytes);
    for (size_t i = input->sized.size; i < struct_size; i++)
        bytes.bytes[i] = with;
    for (size_t i = struct_size; i < most_bytes; i++)
        if (i >= sizeof(size_t)) bytes.bytes[i] = filler;
    bytes.struct_size = struct_size;
    before = bytes;
    const dnnl_status_t st = input->sized.call(world, &bytes);
    EXPECT_BYTES_EQ(&before, sizeof before, &bytes, sizeof bytes);
    return st;
}

static void expect_input(const struct input *input, const struct world *world)
{
    const size_t size = input->sized.size;
    const size_t larger = size + tail_bytes;
    EXPECT_OK(give(input, world, size, 0));
    for (size_t older = input->least; older < size; older += 8)
        EXPECT_OK(give(input, world, older, 0));
    EXPECT_OK(give(input, world, larger, 0));
    EXPECT_STATUS(dnnl_invalid_arguments, give(input, world, larger, 1));
    for (size_t less = 0; less < sizeof(size_t); less++)
        EXPECT_STATUS(dnnl_invalid_arguments, give(input, world, less, 0));
}

TEST_C(SizedStructs, OfOptionsMayBeOlderOrNewer)
{
    struct world world;
    begin(&world);
    for (size_t i = 0; i < input_count; i++) {
        printf("%s\n", inputs[i].sized.name);
        expect_input(&inputs[i], &world);
    }
    end(&world);
}

/* An array has one step. */
TEST_C(SizedStructs, OfAnArrayHaveOneSize)
{
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *chain = NULL;
    struct world world;
    begin(&world);
    struct dnnl_cache_store_chain_member members[2] = {
            DNNL_CACHE_STORE_CHAIN_MEMBER_INIT,
            DNNL_CACHE_STORE_CHAIN_MEMBER_INIT};
    members[0].store = members[1].store = world.store;
    members[1].struct_size -= sizeof(size_t);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_open_chain(&chain, members, 2, &options));
    EXPECT_NULL(chain);
    end(&world);
}

/* ---- What calls hand out ------------------------------------------------- */

/* Callers read struct_size to know which members there are. */
struct handed_out {
    size_t entries;
    size_t verdicts;
    size_t items;
};

static bool see_entry(void *user, const struct dnnl_cache_store_entry *entry)
{
    struct handed_out *seen = user;
    EXPECT_EQ(sizeof *entry, entry->struct_size);
    seen->entries++;
    return true;
}

static bool see_verdict(
        void *user, const struct dnnl_cache_store_verdict *verdict)
{
    struct handed_out *seen = user;
    EXPECT_EQ(sizeof *verdict, verdict->struct_size);
    seen->verdicts++;
    return true;
}

static bool see_item(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    struct handed_out *seen = user;
    EXPECT_EQ(sizeof *item, item->struct_size);
    EXPECT_EQ(sizeof *item->note, item->note->struct_size);
    seen->items++;
    return true;
}

TEST_C(SizedStructs, OfWhatIsHandedOutTellTheirSizes)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    struct dnnl_cache_store_journal_list *list = NULL;
    struct handed_out seen = {.entries = 0};
    struct world world;
    begin(&world);
    EXPECT_OK(append_build(world.store, "an ID", "a source"));
    EXPECT_OK(append_build(world.store, "another ID", "a source"));
    EXPECT_OK(dnnl_cache_store_iterate(world.store, see_entry, &seen));
    EXPECT_OK(dnnl_cache_store_verify(
            world.store, false, see_verdict, &seen, &check));
    EXPECT_OK(dnnl_cache_store_journal_read(world.store, see_item, &seen));
    EXPECT_EQ(1, seen.entries);
    EXPECT_EQ(1, seen.verdicts);
    EXPECT_EQ(2, seen.items);
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++)
        EXPECT_EQ(sizeof *type, type->struct_size);
    ASSERT_OK(dnnl_cache_store_journal_load(&list, world.store));
    EXPECT_EQ(sizeof *list, list->struct_size);
    ASSERT_EQ(2, list->count);
    for (size_t i = 0; i < list->count; i++)
        EXPECT_TRUE(see_item(&seen, list->items[i]));
    dnnl_cache_store_journal_free(list);
    end(&world);
}
