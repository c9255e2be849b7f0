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
#include "dnnl_cache/remote_store.h"
#include "dnnl_cache/store_types.h"
#include "dnnl_cache/working_set.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { most_bytes = 512, tail_bytes = 24, filler = 0xA5 };

/* What the calls below are about. */
struct world {
    struct dnnl_cache_store_handle *store;
    struct dnnl_cache_store_handle *chain;
    struct dnnl_cache_store_handle *remote;
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
            dnnl_cache_store_chain_options_default();
    struct dnnl_cache_store_remote_options remote =
            dnnl_cache_store_remote_options_default();
    struct dnnl_cache_store_working_set_options working_set =
            dnnl_cache_store_working_set_options_default();
    *world = (struct world){.store = open_store(&options)};
    ASSERT_NOT_NULL(world->store);
    EXPECT_OK(put_number(world->store, 1, 1000));
    EXPECT_OK(get_number(world->store, 1, 1000));
    const struct dnnl_cache_store_chain_member member = {
            "local", world->store, NULL, dnnl_cache_store_chain_role_write};
    EXPECT_OK(dnnl_cache_store_open_chain(&world->chain, &member, 1, &how));
    EXPECT_OK(get_number(world->chain, 1, 1000));
    remote.url = "redis://127.0.0.1:1?insecure=1"; /* nobody is there */
    EXPECT_OK(dnnl_cache_store_open_remote(&world->remote, &remote));
    working_set.store = dnnl_cache_store_callbacks(world->store);
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

#define SIZED(of, call)                                                     \
    {                                                                       \
        "dnnl_cache_store_" #of, sizeof(struct dnnl_cache_store_##of), call \
    }

static const struct sized outputs[] = {
        SIZED(statistics, get_statistics),
        SIZED(totals, get_totals),
        SIZED(check, verify),
        SIZED(chain_member_statistics, get_member),
        SIZED(journal_statistics, get_journal),
        SIZED(remote_statistics, get_remote),
        SIZED(working_set_statistics, get_working_set),
        SIZED(file_digests_report, verify_digests),
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
