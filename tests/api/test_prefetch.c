/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_cache_engine_prefetch(): many blobs from a store with one question. */
#include "blob_edit.h"
#include "log_capture.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_IDS = 8 };

/* A store that answers several questions at once and remembers them. */
struct world {
    struct rig rig;
    struct memory_store store;
    dnnl_cache_store_t callbacks; /* of the store, with get_many */
    unsigned many;                /* calls of get_many */
    size_t most;                  /* IDs in one of them */
    dnnl_status_t fail_many;
    bool empty_answers; /* size 0, but bytes */
    struct bytes ids[MOST_IDS];
    size_t count;
};

static dnnl_status_t get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs)
{
    struct world *w = user;
    w->many++;
    if (count > w->most) w->most = count;
    for (size_t i = 0; i < count; i++) {
        EXPECT_EQ(0, sizes[i]);
        EXPECT_NULL(blobs[i]);
    }
    if (w->fail_many != dnnl_success) return w->fail_many;
    for (size_t i = 0; i < count; i++) {
        const dnnl_cache_store_t *s = &w->store.callbacks;
        (void)s->get(s->user, id_sizes[i], ids[i], &sizes[i], &blobs[i]);
        if (w->empty_answers) sizes[i] = 0;
    }
    return dnnl_success;
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct world *w = user;
    return w->store.callbacks.get(&w->store, id_size, id, size, blob);
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    struct world *w = user;
    w->store.callbacks.release(&w->store, size, blob);
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct world *w = user;
    return w->store.callbacks.put(&w->store, id_size, id, size, blob, metadata);
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    struct world *w = user;
    return w->store.callbacks.remove(&w->store, id_size, id);
}

/* Another process, as far as the library is concerned. */
static void restart(struct world *w)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(w->rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &w->rig.engine, w->rig.device, w->rig.context));
    EXPECT_OK(dnnl_cache_engine_set_store(w->rig.engine, &w->callbacks));
}

static void create_all(struct world *w, dnnl_cache_origin_t expected)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(w->rig.engine, 100, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(expected, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    dnnl_cache_program_t program = build(w->rig.engine, scale_source, "-DA=1");
    EXPECT_EQ(expected, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* A store filled with what an engine, a primitive and a program need. */
static void world_open(struct world *w)
{
    memset(w, 0, sizeof *w);
    rig_open(&w->rig, 0);
    memory_store_open(&w->store);
    w->callbacks = (dnnl_cache_store_t){.struct_size = sizeof w->callbacks,
            .user = w,
            .get = get,
            .release = release,
            .put = put,
            .remove = forget,
            .get_many = get_many};
    EXPECT_OK(dnnl_cache_engine_set_store(w->rig.engine, &w->callbacks));
    create_all(w, dnnl_cache_origin_compiled);
    restart(w);
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        const struct memory_store_entry *e = &w->store.entries[i];
        if (e->id.size > 0)
            w->ids[w->count++] = bytes_copy(e->id.data, e->id.size);
    }
    ASSERT_EQ(3, w->count);
}

static void world_close(struct world *w)
{
    rig_close(&w->rig);
    memory_store_close(&w->store);
    for (size_t i = 0; i < w->count; i++)
        bytes_free(&w->ids[i]);
}

#define TEST_WORLD(suite, name) \
    TEST_WITH(suite, name, struct world, w, world_open(w), world_close(w))

/* How many of the world's IDs are in memory then. */
static size_t prefetch(struct world *w)
{
    size_t sizes[MOST_IDS];
    const uint8_t *ids[MOST_IDS];
    size_t found = 77;
    for (size_t i = 0; i < w->count; i++) {
        sizes[i] = w->ids[i].size;
        ids[i] = w->ids[i].data;
    }
    EXPECT_OK(dnnl_cache_engine_prefetch(
            w->rig.engine, w->count, sizes, ids, &found));
    return found;
}

TEST_WORLD(Prefetch, AsksOnceAndThenNeverAgain)
{
    unsigned long builds = fake_opencl_source_builds();
    unsigned gets = w->store.gets;
    EXPECT_EQ(3, prefetch(w));
    EXPECT_EQ(1, w->many);
    EXPECT_EQ(3, w->most);
    EXPECT_EQ(gets + 3, w->store.gets);
    unsigned long loads = fake_opencl_count("clCreateProgramWithBinary");
    unsigned puts = w->store.puts;
    create_all(w, dnnl_cache_origin_memory_hit);
    EXPECT_EQ(gets + 3, w->store.gets);
    EXPECT_EQ(puts, w->store.puts);
    EXPECT_EQ(loads, fake_opencl_count("clCreateProgramWithBinary"));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_engine_get_creation_info(w->rig.engine, &info));
    EXPECT_EQ(dnnl_cache_origin_store_hit, info.origin);
}

TEST_WORLD(Prefetch, DoesNotAskForWhatIsInMemory)
{
    EXPECT_EQ(3, prefetch(w));
    EXPECT_EQ(3, prefetch(w));
    EXPECT_EQ(1, w->many);
}

TEST_WORLD(Prefetch, CountsInTheStatistics)
{
    dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_statistics_t after = DNNL_CACHE_STATISTICS_INIT;
    bytes_free(&w->ids[2]);
    w->ids[2] = bytes_copy(w->ids[1].data, w->ids[1].size);
    w->ids[2].data[w->ids[2].size - 1] ^= 1;
    EXPECT_OK(dnnl_cache_get_statistics(&before));
    size_t found = prefetch(w);
    EXPECT_OK(dnnl_cache_get_statistics(&after));
    EXPECT_EQ(2, found);
    EXPECT_EQ(before.store_hits + 2, after.store_hits);
    EXPECT_EQ(before.store_misses + 1, after.store_misses);
    EXPECT_EQ(before.saved_ns, after.saved_ns); /* that saved nothing yet */
    EXPECT_EQ(before.program_hits, after.program_hits);
}

TEST_WORLD(Prefetch, WorksWithStoresThatAnswerOneByOne)
{
    EXPECT_OK(dnnl_cache_engine_set_store(w->rig.engine, &w->store.callbacks));
    EXPECT_EQ(3, prefetch(w));
    EXPECT_EQ(0, w->many);
    create_all(w, dnnl_cache_origin_memory_hit);
}

TEST_WORLD(Prefetch, WithoutAStoreFindsNothing)
{
    EXPECT_OK(dnnl_cache_engine_set_store(w->rig.engine, NULL));
    EXPECT_EQ(0, prefetch(w));
}

TEST_WORLD(Prefetch, ServesCachedOnlyEnginesAndNotThoseThatRecompile)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            w->rig.engine, dnnl_cache_compile_mode_recompile));
    EXPECT_EQ(0, prefetch(w));
    EXPECT_EQ(0, w->many);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            w->rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_EQ(3, prefetch(w));
    create_all(w, dnnl_cache_origin_memory_hit);
}

TEST_WORLD(Prefetch, OfAStoreThatFailsFindsNothing)
{
    static const dnnl_status_t failures[] = {dnnl_cache_miss,
            dnnl_runtime_error, dnnl_out_of_memory, (dnnl_status_t)-1};
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        w->fail_many = failures[i];
        EXPECT_EQ(0, prefetch(w));
    }
    w->fail_many = dnnl_success;
    w->empty_answers = true;
    EXPECT_EQ(0, prefetch(w));
    w->empty_answers = false;
    EXPECT_EQ(3, prefetch(w));
}

/* Damaged, of another driver, and another's blob under this ID: removed, and
 * not one byte of them reaches the driver, which would die of them. */
TEST_WORLD(Prefetch, RemovesWhatIsOfNoUse)
{
    struct log_capture log;
    struct memory_store_entry engine =
            memory_store_only(&w->store, dnnl_cache_blob_kind_engine);
    log_capture_start(&log);
    for (size_t i = 0; i < w->count; i++) {
        struct bytes bad = bytes_copy(engine.blob.data, engine.blob.size);
        if (bytes_equal(&w->ids[i], &engine.id)) bad.data[bad.size - 1] ^= 1;
        memory_store_set(&w->store, &w->ids[i], &bad);
        bytes_free(&bad);
    }
    EXPECT_EQ(0, prefetch(w));
    EXPECT_EQ(3, w->store.removes);
    EXPECT_EQ(0, memory_store_count(&w->store, dnnl_cache_blob_kind_undef));
    log_capture_stop(&log);
    bytes_free(&engine.id);
    bytes_free(&engine.blob);
}

/* A newer library's blob stays for it. */
TEST_WORLD(Prefetch, LeavesWhatANewerLibraryPut)
{
    struct log_capture log;
    struct memory_store_entry good =
            memory_store_only(&w->store, dnnl_cache_blob_kind_engine);
    good.blob.data[8]++; /* the format version: docs/reference/format.md */
    memory_store_set(&w->store, &good.id, &good.blob);
    log_capture_start(&log);
    EXPECT_EQ(2, prefetch(w));
    log_capture_stop(&log);
    EXPECT_EQ(0, w->store.removes);
    bytes_free(&good.id);
    bytes_free(&good.blob);
}

/* IDs of other drivers, of primitives, and bytes that are no IDs are not asked
 * for: what is under them is not for this driver. */
TEST_WORLD(Prefetch, PassesOverWhatIsNotItsOwn)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct memory_store_entry engine =
            memory_store_only(&w->store, dnnl_cache_blob_kind_engine);
    struct bytes other = blob_with_other_field(&engine.blob, id_driver_version);
    EXPECT_OK(dnnl_cache_blob_inspect(other.size, other.data, &info));
    dnnl_primitive_desc_t pd = relu_desc(w->rig.engine, 100, 0.5f);
    for (size_t i = 0; i < w->count; i++)
        bytes_free(&w->ids[i]);
    w->ids[0] = bytes_copy(info.id, info.id_size);
    w->ids[1] = primitive_id(pd);
    w->ids[2] = bytes_copy("no ID", 5);
    memory_store_set(&w->store, &w->ids[0], &other);
    unsigned gets = w->store.gets;
    EXPECT_EQ(0, prefetch(w));
    EXPECT_EQ(0, w->many);
    EXPECT_EQ(gets, w->store.gets);
    bytes_free(&other);
    bytes_free(&engine.id);
    bytes_free(&engine.blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* The same of a program: it is the engine's fields that are compared. */
TEST_WORLD(Prefetch, PassesOverProgramsOfOtherDrivers)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct memory_store_entry *e = &w->store.entries[i];
        dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
        struct bytes other = blob_with_other_field(&e->blob, id_driver_version);
        EXPECT_OK(dnnl_cache_blob_inspect(other.size, other.data, &info));
        bytes_free(&w->ids[i]);
        w->ids[i] = bytes_copy(info.id, info.id_size);
        bytes_free(&other);
    }
    EXPECT_EQ(0, prefetch(w));
    EXPECT_EQ(0, w->many);
}

/* The same device and driver, with one variable more that changes code: its
 * fields begin with all of ours. */
static struct bytes id_with_variable(const struct bytes *id)
{
    struct id_builder b;
    struct id_reader reader;
    struct id_field field;
    bool has_variable = false;
    EXPECT_OK(id_reader_init(&reader, id->data, id->size));
    id_builder_init(&b, blob_kind_program);
    while (id_reader_next(&reader, &field)) {
        if (field.tag >= id_engine_facts && !has_variable) {
            id_put_string(&b, id_driver_environment, "VARIABLE=1");
            has_variable = true;
        }
        id_put(&b, (enum id_tag)field.tag, field.value, field.size);
    }
    if (!has_variable) id_put_string(&b, id_driver_environment, "VARIABLE=1");
    EXPECT_OK(id_builder_status(&b));
    struct bytes other = bytes_copy(b.bytes.data, b.bytes.size);
    id_builder_fini(&b);
    return other;
}

TEST_WORLD(Prefetch, PassesOverProgramsOfAnotherEnvironment)
{
    for (size_t i = 0; i < w->count; i++) {
        struct bytes other = id_with_variable(&w->ids[i]);
        bytes_free(&w->ids[i]);
        w->ids[i] = other;
    }
    EXPECT_EQ(0, prefetch(w));
    EXPECT_EQ(0, w->many);
}

TEST_WORLD(Prefetch, RefusesWhatMakesNoSense)
{
    dnnl_engine_t host = NULL;
    size_t found = 77;
    const size_t sizes[] = {w->ids[0].size, 0};
    const uint8_t *const ids[] = {w->ids[0].data, NULL};
    const size_t both[] = {w->ids[0].size, w->ids[0].size};
    dnnl_engine_t e = w->rig.engine;
    EXPECT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_prefetch(NULL, 1, sizes, ids, &found));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_prefetch(host, 1, sizes, ids, &found));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_prefetch(e, 1, NULL, ids, &found));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_prefetch(e, 1, sizes, NULL, &found));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_prefetch(e, 2, sizes, ids, &found));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_prefetch(e, 2, both, ids, &found));
    EXPECT_EQ(77, found);
    EXPECT_OK(dnnl_cache_engine_prefetch(e, 1, sizes, ids, NULL));
    EXPECT_OK(dnnl_cache_engine_prefetch(e, 0, NULL, NULL, &found));
    EXPECT_EQ(0, found);
    EXPECT_OK(dnnl_engine_destroy(host));
}
