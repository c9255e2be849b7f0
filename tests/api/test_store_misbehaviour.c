/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that fail, lie, damage what they keep, or answer nonsense: the
 * application gets its objects, and the store is healed where it can be. */
#include "blob_edit.h"
#include "log_capture.h"
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "test.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- Blobs that are of no use -------------------------------------------- */

/* Starts anew with a bad blob under the ID of one of the two good ones. The
 * object it was for is compiled, the bad blob removed and replaced. */
static void expect_healed(struct stored *x, const struct good_blobs *good,
        const struct memory_store_entry *instead_of, const struct bytes *bad,
        dnnl_status_t why)
{
    struct log_capture log;
    bool is_engine = instead_of == &good->engine;
    memory_store_set(&x->store, &instead_of->id, bad);
    stored_restart(x);
    dnnl_cache_statistics_t before = rig_statistics();
    unsigned removes = x->store.removes;
    log_capture_start(&log);
    dnnl_cache_creation_info_t program = relu_info(x->rig.engine);
    log_capture_stop(&log);
    dnnl_cache_creation_info_t engine = facts_info(x->rig.engine);
    const dnnl_cache_creation_info_t *healed = is_engine ? &engine : &program;
    const dnnl_cache_creation_info_t *other = is_engine ? &program : &engine;
    EXPECT_EQ(dnnl_cache_origin_compiled, healed->origin);
    EXPECT_STATUS(why, healed->blob_status);
    EXPECT_EQ(dnnl_cache_origin_store_hit, other->origin);
    EXPECT_STATUS(dnnl_success, other->blob_status);
    EXPECT_EQ(removes + 1, x->store.removes);
    EXPECT_EQ(x->store.hits, x->store.releases);
    expect_good_blobs(good, x);
    expect_moved(&before, 1, 1, 1, 0);
    EXPECT_EQ(1, rig_statistics().blobs_rejected - before.blobs_rejected);
}

/* The same for both, with what make() makes of each; it frees nothing. */
static void expect_both_healed(
        struct bytes (*make)(const struct bytes *good), dnnl_status_t why)
{
    struct stored x;
    struct good_blobs good;
    stored_open(&x);
    good_blobs_make(&good, &x);
    const struct memory_store_entry *entries[] = {&good.engine, &good.program};
    for (size_t i = 0; i < 2; i++) {
        struct bytes bad = make(&entries[i]->blob);
        expect_healed(&x, &good, entries[i], &bad, why);
        bytes_free(&bad);
    }
    good_blobs_free(&good);
    stored_close(&x);
}

static struct bytes with_a_flipped_bit(const struct bytes *good)
{
    struct bytes bad = bytes_copy(good->data, good->size);
    bad.data[bad.size / 2] ^= 1;
    return bad;
}

static struct bytes cut_short(const struct bytes *good)
{
    return bytes_copy(good->data, good->size - 1);
}

static struct bytes cut_to_a_byte(const struct bytes *good)
{
    return bytes_copy(good->data, 1);
}

static struct bytes with_a_byte_more(const struct bytes *good)
{
    struct bytes bad = {malloc(good->size + 1), good->size + 1};
    if (bad.data == NULL) abort();
    memcpy(bad.data, good->data, good->size);
    bad.data[good->size] = 0;
    return bad;
}

static struct bytes of_zeros(const struct bytes *good)
{
    struct bytes bad = bytes_copy(good->data, good->size);
    memset(bad.data, 0, bad.size);
    return bad;
}

static struct bytes of_another_driver(const struct bytes *good)
{
    return blob_with_other_field(good, id_driver_version);
}

static struct bytes of_another_device(const struct bytes *good)
{
    return blob_with_other_field(good, id_device_name);
}

TEST_C(MisbehavingStore, IsHealedOfFlippedBits)
{
    expect_both_healed(with_a_flipped_bit, dnnl_cache_blob_corrupt);
}

TEST_C(MisbehavingStore, IsHealedOfTruncation)
{
    expect_both_healed(cut_short, dnnl_cache_blob_corrupt);
    expect_both_healed(cut_to_a_byte, dnnl_cache_blob_corrupt);
}

TEST_C(MisbehavingStore, IsHealedOfTrailingBytes)
{
    expect_both_healed(with_a_byte_more, dnnl_cache_blob_corrupt);
}

TEST_C(MisbehavingStore, IsHealedOfZeros)
{
    expect_both_healed(of_zeros, dnnl_cache_blob_corrupt);
}

TEST_C(MisbehavingStore, IsHealedOfOtherDriversAndDevices)
{
    expect_both_healed(of_another_driver, dnnl_cache_blob_stale);
    expect_both_healed(of_another_device, dnnl_cache_blob_stale);
}

/* Intact blobs under each other's names. */
TEST_STORED(MisbehavingStore, IsHealedOfBlobsOfAnotherKind)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    expect_healed(
            x, &good, &good.engine, &good.program.blob, dnnl_cache_blob_stale);
    expect_healed(
            x, &good, &good.program, &good.engine.blob, dnnl_cache_blob_stale);
    good_blobs_free(&good);
}

/* An intact blob of a program that is not the one that was asked for. */
TEST_STORED(MisbehavingStore, IsHealedOfAnotherProgramsBlob)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    struct bytes other = blob_with_other_field(&good.program.blob, id_source);
    expect_healed(x, &good, &good.program, &other, dnnl_cache_blob_stale);
    bytes_free(&other);
    good_blobs_free(&good);
}

/* What it says is right, and no device can be so. */
TEST_STORED(MisbehavingStore, IsHealedOfImpossibleFacts)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    struct bytes bad = blob_with_facts(&good.engine.blob, 0, 0, 0);
    expect_healed(x, &good, &good.engine, &bad, dnnl_cache_blob_corrupt);
    bytes_free(&bad);
    good_blobs_free(&good);
}

/* A forged binary, as far as a driver tells. */
TEST_STORED(MisbehavingStore, IsHealedOfABinaryTheDriverRefuses)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    struct bytes bad = blob_with_binary(&good.program.blob, "no binary", 9);
    fake_opencl_set("DIE_ON_DAMAGED", "0");
    expect_healed(x, &good, &good.program, &bad, dnnl_cache_blob_stale);
    bytes_free(&bad);
    good_blobs_free(&good);
}

/* A blob of the right ID with the binary of another program. */
static struct bytes without_the_kernel(const struct bytes *good)
{
    struct blob_edit edit;
    dnnl_engine_t engine = NULL;
    EXPECT_OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
    dnnl_cache_program_t program = build(engine, scale_source, NULL);
    struct bytes other = program_blob(program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(engine));
    blob_edit_open(&edit, &other);
    struct bytes made = blob_with_binary(
            good, edit.programs[0].binary, edit.programs[0].binary_size);
    blob_edit_close(&edit);
    bytes_free(&other);
    return made;
}

TEST_STORED(MisbehavingStore, IsHealedOfAProgramWithoutTheKernel)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    struct bytes bad = without_the_kernel(&good.program.blob);
    memory_store_set(&x->store, &good.program.id, &bad);
    stored_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(1, x->store.removes);
    expect_good_blobs(&good, x);
    stored_restart(x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x->rig.engine));
    bytes_free(&bad);
    good_blobs_free(&good);
}

/* The same where nothing may be compiled, in a store that removes nothing. */
TEST_STORED(MisbehavingStore, WithAProgramWithoutTheKernelIsAMissIfCachedOnly)
{
    struct good_blobs good;
    dnnl_cache_origin_t origin;
    good_blobs_make(&good, x);
    struct bytes bad = without_the_kernel(&good.program.blob);
    memory_store_set(&x->store, &good.program.id, &bad);
    x->store.fail_remove = dnnl_runtime_error;
    stored_restart(x);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x->rig.engine, dnnl_cache_compile_mode_cached_only));
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_STATUS(dnnl_cache_miss, try_relu(x->rig.engine, &origin));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    bytes_free(&bad);
    good_blobs_free(&good);
}

/* Byte 8 of a blob is its format version: docs/reference/format.md. */
TEST_STORED(MisbehavingStore, KeepsWhatANewerLibraryPut)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    struct memory_store_entry *entries[] = {&good.engine, &good.program};
    for (size_t i = 0; i < 2; i++) {
        entries[i]->blob.data[8]++;
        memory_store_set(&x->store, &entries[i]->id, &entries[i]->blob);
    }
    stored_restart(x);
    dnnl_cache_statistics_t before = rig_statistics();
    dnnl_cache_creation_info_t program = relu_info(x->rig.engine);
    dnnl_cache_creation_info_t engine = facts_info(x->rig.engine);
    EXPECT_EQ(dnnl_cache_origin_compiled, program.origin);
    EXPECT_STATUS(dnnl_cache_blob_unsupported, program.blob_status);
    EXPECT_EQ(dnnl_cache_origin_compiled, engine.origin);
    EXPECT_STATUS(dnnl_cache_blob_unsupported, engine.blob_status);
    EXPECT_EQ(0, x->store.removes);
    expect_moved(&before, 0, 2, 0, 0);
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++)
        for (size_t e = 0; e < 2; e++)
            if (bytes_equal(&x->store.entries[i].id, &entries[e]->id))
                EXPECT_TRUE(bytes_equal(
                        &x->store.entries[i].blob, &entries[e]->blob));
    EXPECT_EQ(2, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
    good_blobs_free(&good);
}

/* Drivers get the binary where it lies, so it may lie anywhere. */
TEST_STORED(MisbehavingStore, MayAnswerWithBytesAtAnyAddress)
{
    (void)relu_origin(x->rig.engine);
    for (x->store.misalign = 1; x->store.misalign < 8; x->store.misalign++) {
        stored_restart(x);
        EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x->rig.engine));
        EXPECT_EQ(
                dnnl_cache_origin_store_hit, facts_info(x->rig.engine).origin);
    }
}

/* ---- Answers that are of no use ------------------------------------------ */

/* A store of one answer. */
struct stubborn {
    dnnl_cache_store_t callbacks;
    dnnl_status_t status;
    size_t size;
    const uint8_t *blob;
    bool writes_nothing;
    unsigned gets;
    unsigned releases;
    size_t released_size;
};

static dnnl_status_t stubborn_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct stubborn *s = user;
    EXPECT_GT(id_size, 0);
    EXPECT_NOT_NULL(id);
    s->gets++;
    if (!s->writes_nothing) {
        *size = s->size;
        *blob = s->blob;
    }
    return s->status;
}

static void stubborn_release(void *user, size_t size, const uint8_t *blob)
{
    struct stubborn *s = user;
    EXPECT_PTR_EQ(s->blob, blob);
    s->released_size = size;
    s->releases++;
}

/* An engine with that store compiles; each get is one miss, and a failure of
 * the store's if `fails`. Afterwards the store was asked twice. */
static void expect_compiled(struct stubborn *s, bool fails)
{
    struct rig rig;
    rig_open(&rig, 0);
    s->callbacks = (dnnl_cache_store_t){.struct_size = sizeof s->callbacks,
            .user = s,
            .get = stubborn_get,
            .release = stubborn_release};
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &s->callbacks));
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(rig.engine));
    EXPECT_EQ(dnnl_cache_origin_compiled, facts_info(rig.engine).origin);
    EXPECT_EQ(2, s->gets);
    expect_moved(&before, 0, 2, 0, fails ? 2 : 0);
    rig_close(&rig);
}

TEST_C(MisbehavingStore, ThatFindsNothingAtAllIsAMiss)
{
    struct stubborn s = {.status = dnnl_success};
    expect_compiled(&s, true);
    EXPECT_EQ(0, s.releases);
}

TEST_C(MisbehavingStore, ThatFindsASizeWithoutBytesIsAMiss)
{
    struct stubborn s = {.status = dnnl_success, .size = 1000};
    expect_compiled(&s, true);
    EXPECT_EQ(0, s.releases);
}

/* Something was got, so it is given back. */
TEST_C(MisbehavingStore, ThatFindsBytesWithoutASizeIsAMiss)
{
    static const uint8_t bytes[1] = {7};
    struct stubborn s = {.status = dnnl_success, .blob = bytes};
    expect_compiled(&s, true);
    EXPECT_EQ(2, s.releases);
    EXPECT_EQ(0, s.released_size);
}

TEST_C(MisbehavingStore, ThatWritesNothingIsAMiss)
{
    static const uint8_t bytes[1] = {7};
    struct stubborn s = {.status = dnnl_success,
            .size = 1,
            .blob = bytes,
            .writes_nothing = true};
    expect_compiled(&s, true);
    EXPECT_EQ(0, s.releases);
}

/* What a miss or a failure writes is not looked at, nor given back. */
TEST_C(MisbehavingStore, ThatWritesBytesForAMissIsNotBelieved)
{
    static const uint8_t bytes[1] = {7};
    struct stubborn s = {
            .status = dnnl_cache_miss, .size = SIZE_MAX, .blob = bytes};
    expect_compiled(&s, false);
    EXPECT_EQ(0, s.releases);
    s.status = dnnl_runtime_error;
    s.gets = 0;
    expect_compiled(&s, true);
    EXPECT_EQ(0, s.releases);
}

TEST_C(MisbehavingStore, MayAnswerAnyStatus)
{
    static const int statuses[] = {dnnl_out_of_memory, dnnl_invalid_arguments,
            dnnl_unimplemented, dnnl_last_impl_reached, dnnl_runtime_error,
            dnnl_not_required, dnnl_cache_blob_corrupt, dnnl_cache_blob_stale,
            dnnl_cache_blob_unsupported, 57, -1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        struct stubborn s = {.status = (dnnl_status_t)statuses[i]};
        expect_compiled(&s, true);
        EXPECT_EQ(0, s.releases);
    }
}

TEST_STORED(MisbehavingStore, ThatFailsIsNotAskedLess)
{
    x->store.fail = dnnl_runtime_error;
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    /* Two gets; the engine's put, which is tried again for the program. */
    expect_moved(&before, 0, 2, 0, 4);
    EXPECT_EQ(0, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
    stored_restart(x);
    x->store.fail = dnnl_success;
    before = rig_statistics();
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    expect_moved(&before, 0, 2, 2, 0);
}

TEST_STORED(MisbehavingStore, ThatCannotPutIsAskedAgain)
{
    x->store.fail_put = dnnl_out_of_memory;
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    expect_moved(&before, 0, 2, 0, 2);
    stored_restart(x); /* and once more, as the program leaves memory */
    EXPECT_EQ(3, x->store.puts);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(5, x->store.puts);
}

/* The bad blob stays until the put that replaces it. */
TEST_STORED(MisbehavingStore, ThatCannotRemoveIsHealedByThePut)
{
    struct good_blobs good;
    struct log_capture log;
    good_blobs_make(&good, x);
    struct bytes bad = with_a_flipped_bit(&good.program.blob);
    memory_store_set(&x->store, &good.program.id, &bad);
    x->store.fail_remove = dnnl_runtime_error;
    stored_restart(x);
    dnnl_cache_statistics_t before = rig_statistics();
    log_capture_start(&log);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    log_capture_stop(&log);
    expect_moved(&before, 1, 1, 1, 1);
    EXPECT_EQ(1, x->store.removes);
    expect_good_blobs(&good, x);
    bytes_free(&bad);
    good_blobs_free(&good);
}

TEST_STORED(MisbehavingStore, ThatForgetsWhatItGivesIsAskedAgain)
{
    (void)relu_origin(x->rig.engine);
    x->store.forgets = true;
    stored_restart(x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x->rig.engine));
    EXPECT_EQ(0, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
    stored_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(2, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
    EXPECT_EQ(0, x->store.removes);
}

/* ---- A store that changes its mind --------------------------------------- */

struct fickle {
    struct memory_store *store;
    unsigned answers;
};

/* Every other answer is damaged in the asker's hands. */
static void damage_every_other(enum memory_store_place place, void *arg)
{
    struct fickle *f = arg;
    if (place != memory_store_asked || f->answers++ % 2 != 0) return;
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        struct bytes *blob = &f->store->entries[i].blob;
        if (blob->size > 0) blob->data[blob->size - 1] ^= 1;
    }
}

TEST_STORED(MisbehavingStore, MayAnswerDifferentlyEachTime)
{
    struct log_capture log;
    (void)relu_origin(x->rig.engine);
    struct fickle fickle = {&x->store, 0};
    x->store.hook = damage_every_other;
    x->store.hook_arg = &fickle;
    log_capture_start(&log);
    for (int round = 0; round < 6; round++) {
        stored_restart(x);
        dnnl_cache_origin_t origin = relu_origin(x->rig.engine);
        dnnl_cache_origin_t facts = facts_info(x->rig.engine).origin;
        /* The engine's answer is damaged. The program's was damaged with it,
         * and stays so until it is compiled and put. */
        EXPECT_EQ(dnnl_cache_origin_compiled, facts);
        EXPECT_EQ(dnnl_cache_origin_compiled, origin);
        EXPECT_EQ(2, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
    }
    log_capture_stop(&log);
    EXPECT_EQ(12, x->store.removes);
}

/* ---- Races of a store's answers ------------------------------------------ */

struct late {
    struct gate gate;
    atomic_bool was_late;
    dnnl_engine_t engine;
};

/* The first one to have an answer waits. */
static void first_one_waits(enum memory_store_place place, void *arg)
{
    struct late *late = arg;
    if (place == memory_store_answers
            && !atomic_exchange(&late->was_late, true))
        gate_pass(&late->gate);
}

static void *establish_facts(void *arg)
{
    struct late *late = arg;
    EXPECT_OK(dnnl_primitive_desc_destroy(relu_desc(late->engine, 7, 0.0f)));
    return NULL;
}

/* Two threads get the same damaged engine blob. One heals the store; then the
 * other removes what it was told is damaged, and must put it back. */
TEST_C(MisbehavingStore, IsLeftHealedByThreadsThatSawTheSameDamage)
{
    struct stored x;
    struct good_blobs good;
    struct log_capture log;
    struct late late = {.was_late = false};
    pthread_t thread;
    stored_open(&x);
    good_blobs_make(&good, &x);
    struct bytes bad = with_a_flipped_bit(&good.engine.blob);
    memory_store_set(&x.store, &good.engine.id, &bad);
    stored_restart(&x);
    gate_init(&late.gate);
    late.engine = x.rig.engine;
    x.store.hook = first_one_waits;
    x.store.hook_arg = &late;
    log_capture_start(&log);
    ASSERT_EQ(0, pthread_create(&thread, NULL, establish_facts, &late));
    gate_await(&late.gate, 1);
    establish_facts(&late);
    expect_good_blobs(&good, &x);
    gate_open(&late.gate);
    pthread_join(thread, NULL);
    log_capture_stop(&log);
    EXPECT_EQ(2, x.store.removes);
    expect_good_blobs(&good, &x);
    gate_fini(&late.gate);
    bytes_free(&bad);
    good_blobs_free(&good);
    stored_close(&x);
}
