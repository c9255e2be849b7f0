/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With a store attached, empty or full. What it holds in the end is a part of
 * what it would hold had nothing failed, byte for byte.
 */
#include "blob_edit.h"
#include "operations.h"
#include "programs.h"
#include "scene_steps.h"
#include "scenes.h"
#include "small_primitives.h"

#include "test.h"

#include <string.h>

static const char options[] = "-DA=1";

/* What only a capture asks the driver. */
#define CAPTURE "clGetProgramInfo", "clGetProgramBuildInfo"

/* ---- The store ----------------------------------------------------------- */

/* Callbacks are the application's: nothing of theirs fails. */
static void pause_faults(struct stage *s, bool paused)
{
    if (s->fault->pause != NULL) s->fault->pause(paused);
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct stage *s = user;
    pause_faults(s, true);
    dnnl_status_t st =
            s->store.callbacks.get(&s->store, id_size, id, size, blob);
    pause_faults(s, false);
    return st;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    struct stage *s = user;
    pause_faults(s, true);
    s->store.callbacks.release(&s->store, size, blob);
    pause_faults(s, false);
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct stage *s = user;
    pause_faults(s, true);
    dnnl_status_t st = s->store.callbacks.put(
            &s->store, id_size, id, size, blob, metadata);
    pause_faults(s, false);
    return st;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    struct stage *s = user;
    pause_faults(s, true);
    dnnl_status_t st = s->store.callbacks.remove(&s->store, id_size, id);
    pause_faults(s, false);
    return st;
}

static void attach(struct stage *s)
{
    const dnnl_cache_store_t callbacks = {.struct_size = sizeof callbacks,
            .user = s,
            .get = get,
            .release = release,
            .put = put,
            .remove = forget};
    EXPECT_OK(dnnl_cache_engine_set_store(s->rig.engine, &callbacks));
}

/* A context and an engine like the rig's, with the right store, so that what
 * is made there fills it. */
static dnnl_engine_t open_other(
        struct stage *s, dnnl_cache_compression_t compression)
{
    dnnl_engine_t other = NULL;
    memory_store_open(&s->store);
    memory_store_open(&s->right);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_engine_set_store(other, &s->right.callbacks));
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(other, compression));
    EXPECT_OK(
            dnnl_cache_engine_set_blob_compression(s->rig.engine, compression));
    return other;
}

/* Copies what is right into the store. */
static void fill_store(struct stage *s)
{
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        const struct memory_store_entry *e = &s->right.entries[i];
        if (e->id.size > 0) memory_store_set(&s->store, &e->id, &e->blob);
    }
}

static bool is_right(const struct stage *s, const struct memory_store_entry *e)
{
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        const struct memory_store_entry *r = &s->right.entries[i];
        if (!bytes_equal(&r->id, &e->id)) continue;
        if (bytes_equal(&r->blob, &e->blob)) return true;
        /* See engine_scenes.c: a probe that the compiler refused once. */
        if (s->failed == NULL || strcmp(s->failed, "clBuildProgram") != 0)
            return false;
        struct bytes no_half = blob_with_facts(&r->blob, 32, 256, 0);
        bool same = bytes_equal(&no_half, &e->blob);
        bytes_free(&no_half);
        return same;
    }
    return false;
}

/* Everything in the store is right; all is there if nothing failed. */
static void close_store(struct stage *s)
{
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++)
        if (s->store.entries[i].id.size > 0)
            EXPECT_TRUE(is_right(s, &s->store.entries[i]));
    if (s->failed == NULL)
        EXPECT_EQ(memory_store_count(&s->right, dnnl_cache_blob_kind_undef),
                memory_store_count(&s->store, dnnl_cache_blob_kind_undef));
    memory_store_close(&s->store);
    memory_store_close(&s->right);
}

/* The last users of the engine's programs have gone: what was not offered yet
 * is offered as the engine goes. */
static void finish_store(struct stage *s)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(s->rig.engine));
    s->rig.engine = NULL;
    close_store(s);
}

/* ---- Facts --------------------------------------------------------------- */

static void open_facts(struct stage *s)
{
    operation_open(s);
    dnnl_engine_t other = open_other(s, dnnl_cache_compression_none);
    s->blob = engine_blob(other);
    EXPECT_OK(dnnl_engine_destroy(other));
    EXPECT_EQ(1, memory_store_count(&s->right, dnnl_cache_blob_kind_engine));
    attach(s);
}

static void open_kept_facts(struct stage *s)
{
    open_facts(s);
    fill_store(s);
}

static void forbid_compiler(struct stage *s)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            s->rig.engine, dnnl_cache_compile_mode_cached_only));
}

static void open_facts_without_compiler(struct stage *s)
{
    open_kept_facts(s);
    forbid_compiler(s);
}

static void close_facts(struct stage *s)
{
    bytes_free(&s->blob);
    operation_close(s);
    finish_store(s);
}

/* Establishes the engine's facts. */
static dnnl_status_t attempt_description(struct stage *s)
{
    return operation_describe(
            s, s->rig.engine, STAGE_OUT(s, dnnl_primitive_desc_t));
}

static void verify_facts(struct stage *s)
{
    struct bytes blob = engine_blob(s->rig.engine);
    struct bytes no_half = blob_with_facts(&s->blob, 32, 256, 0);
    bool asked_in_vain = s->failed != NULL && strncmp(s->failed, "cl", 2) == 0;
    EXPECT_TRUE(bytes_equal(&s->blob, &blob)
                || (asked_in_vain
                        && (blob.size == 0 || bytes_equal(&no_half, &blob))));
    bytes_free(&no_half);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(s->out));
}

const struct scene scene_facts_offered =
        SCENE_WITH(open_facts, attempt_description, verify_facts, close_facts,
                .operation = operations);
const struct scene scene_facts_of_store =
        SCENE_WITH(open_kept_facts, attempt_description, verify_facts,
                close_facts, .operation = operations);
const struct scene scene_facts_of_store_alone =
        SCENE_WITH(open_facts_without_compiler, attempt_description,
                verify_facts, close_facts, .operation = operations);

/* ---- Programs ------------------------------------------------------------ */

static void open_program(struct stage *s, dnnl_cache_compression_t compression)
{
    dnnl_engine_t other = open_other(s, compression);
    dnnl_cache_program_t program = build(other, scale_source, options);
    s->blob = program_blob(program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(other));
    EXPECT_EQ(1, memory_store_count(&s->right, dnnl_cache_blob_kind_program));
    attach(s);
    s->program_desc = describe(s->rig.engine, scale_source, options);
}

static void open_plain_program(struct stage *s)
{
    open_program(s, dnnl_cache_compression_none);
}

static void open_kept_program(struct stage *s)
{
    open_program(s, dnnl_cache_compression_none);
    fill_store(s);
}

static void open_compressed_program(struct stage *s)
{
    open_program(s, dnnl_cache_compression_zstd);
    fill_store(s);
}

static void open_program_without_compiler(struct stage *s)
{
    open_kept_program(s);
    forbid_compiler(s);
}

static void open_damaged_program(struct stage *s)
{
    open_program(s, dnnl_cache_compression_none);
    struct memory_store_entry e =
            memory_store_only(&s->right, dnnl_cache_blob_kind_program);
    e.blob.data[e.blob.size / 2] ^= 1;
    memory_store_set(&s->store, &e.id, &e.blob);
    bytes_free(&e.id);
    bytes_free(&e.blob);
}

static void close_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->program_desc));
    bytes_free(&s->blob);
    finish_store(s);
}

/* What was made before the failure may be in memory. */
static void expect_warm(const struct stage *s, dnnl_cache_origin_t origin)
{
    EXPECT_TRUE(origin == dnnl_cache_origin_store_hit
                || (s->is_again && origin == dnnl_cache_origin_memory_hit));
}

static void verify_program_of_store(struct stage *s)
{
    if (s->failed == NULL) expect_warm(s, info_of(s->out).origin);
    verify_program(s);
}

/* Nothing compiles here, whatever fails. */
static void verify_warm_program(struct stage *s)
{
    expect_warm(s, info_of(s->out).origin);
    verify_program(s);
}

static void verify_healed_program(struct stage *s)
{
    EXPECT_EQ(1, s->store.removes);
    if (!s->is_again) {
        dnnl_cache_creation_info_t info = info_of(s->out);
        EXPECT_EQ(dnnl_cache_origin_compiled, info.origin);
        EXPECT_STATUS(dnnl_cache_blob_corrupt, info.blob_status);
    }
    verify_program(s);
}

const struct scene scene_program_with_empty_store = SCENE(
        open_plain_program, attempt_program, verify_program, close_program);
const struct scene scene_program_of_store =
        SCENE_WITH(open_kept_program, attempt_program, verify_program_of_store,
                close_program, .harmless = {"clCreateProgramWithBinary"});
const struct scene scene_program_of_compressed_store = SCENE_WITH(
        open_compressed_program, attempt_program, verify_program_of_store,
        close_program, .harmless = {"clCreateProgramWithBinary"});
const struct scene scene_program_of_damaged_store = SCENE(open_damaged_program,
        attempt_program, verify_healed_program, close_program);
const struct scene scene_program_of_store_alone =
        SCENE(open_program_without_compiler, attempt_program,
                verify_warm_program, close_program);

/* ---- Brought in beforehand ----------------------------------------------- */

static dnnl_status_t get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs)
{
    for (size_t i = 0; i < count; i++)
        (void)get(user, id_sizes[i], ids[i], &sizes[i], &blobs[i]);
    return dnnl_success;
}

static void open_prefetch(struct stage *s)
{
    open_kept_program(s);
    s->id = program_id(s->program_desc);
}

static void open_prefetch_at_once(struct stage *s)
{
    open_prefetch(s);
    const dnnl_cache_store_t callbacks = {.struct_size = sizeof callbacks,
            .user = s,
            .get = get,
            .release = release,
            .put = put,
            .remove = forget,
            .get_many = get_many};
    EXPECT_OK(dnnl_cache_engine_set_store(s->rig.engine, &callbacks));
}

static void close_prefetch(struct stage *s)
{
    bytes_free(&s->id);
    close_program(s);
}

static dnnl_status_t attempt_prefetch(struct stage *s)
{
    const size_t sizes[] = {s->id.size};
    const uint8_t *const ids[] = {s->id.data};
    return dnnl_cache_engine_prefetch(s->rig.engine, 1, sizes, ids, &s->size);
}

/* What the driver would not load, or memory would not hold, does not count. */
static void verify_prefetch(struct stage *s)
{
    EXPECT_TRUE(s->size == 1 || s->failed != NULL || s->store.removes > 0);
    s->out = create(s->program_desc);
    if (s->size == 1)
        EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(s->out).origin);
    verify_program(s);
}

const struct scene scene_program_prefetched =
        SCENE(open_prefetch, attempt_prefetch, verify_prefetch, close_prefetch);
const struct scene scene_programs_prefetched_at_once =
        SCENE(open_prefetch_at_once, attempt_prefetch, verify_prefetch,
                close_prefetch);

/* ---- Offers -------------------------------------------------------------- */

static void make_program(struct stage *s)
{
    open_plain_program(s);
    s->program = create(s->program_desc);
}

static void destroy_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_destroy(s->program));
    close_program(s);
}

/* The program's handle is gone; its engine goes, and the program with it. */
static void make_forgotten_program(struct stage *s)
{
    open_plain_program(s);
    EXPECT_OK(dnnl_cache_program_destroy(create(s->program_desc)));
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->program_desc));
    s->program_desc = NULL;
}

static dnnl_status_t attempt_last_release(struct stage *s)
{
    dnnl_status_t st = dnnl_engine_destroy(s->rig.engine);
    s->rig.engine = NULL;
    return st;
}

const struct scene scene_program_offered =
        SCENE(make_program, attempt_capture, verify_captured, destroy_program);
const struct scene scene_program_offered_at_last = SCENE(make_forgotten_program,
        attempt_last_release, verify_nothing, close_program);

/* ---- Adoption ------------------------------------------------------------ */

static void make_object(struct stage *s)
{
    open_plain_program(s);
    build_object(s, options);
}

static void release_object(struct stage *s)
{
    release_built_object(s);
    close_program(s);
}

const struct scene scene_adoption_with_store =
        SCENE(make_object, attempt_adoption, verify_program, release_object);

/* ---- Primitives ---------------------------------------------------------- */

static void open_primitive(
        struct stage *s, dnnl_cache_compression_t compression)
{
    dnnl_primitive_t primitive = NULL;
    operation_open(s);
    dnnl_engine_t other = open_other(s, compression);
    dnnl_primitive_desc_t pd = operation_desc(s, other);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    s->blob = primitive_blob(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_engine_destroy(other));
    rig_forget_primitives();
    EXPECT_EQ(1, memory_store_count(&s->right, dnnl_cache_blob_kind_engine));
    EXPECT_EQ(s->scene->operation->programs,
            memory_store_count(&s->right, dnnl_cache_blob_kind_program));
    attach(s);
}

/* The descriptor gets the engine's facts, and the store their blob. */
static void open_plain_primitive(struct stage *s)
{
    open_primitive(s, dnnl_cache_compression_none);
    s->pd = operation_desc(s, s->rig.engine);
}

static void open_compressed_primitive(struct stage *s)
{
    open_primitive(s, dnnl_cache_compression_zstd);
    s->pd = operation_desc(s, s->rig.engine);
}

static void open_kept_primitive(struct stage *s)
{
    open_primitive(s, dnnl_cache_compression_none);
    fill_store(s);
    s->pd = operation_desc(s, s->rig.engine);
}

static void open_kept_compressed_primitive(struct stage *s)
{
    open_primitive(s, dnnl_cache_compression_zstd);
    fill_store(s);
    s->pd = operation_desc(s, s->rig.engine);
}

static void open_primitive_without_compiler(struct stage *s)
{
    open_kept_primitive(s);
    forbid_compiler(s);
}

static void close_primitive(struct stage *s)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(s->pd));
    bytes_free(&s->blob);
    operation_close(s);
    finish_store(s);
}

static dnnl_status_t attempt_primitive(struct stage *s)
{
    return dnnl_primitive_create(STAGE_OUT(s, dnnl_primitive_t), s->pd);
}

static void verify_primitive(struct stage *s)
{
    struct bytes blob = primitive_blob(s->out);
    EXPECT_TRUE(bytes_equal(&s->blob, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(s->out));
}

static void verify_primitive_of_store(struct stage *s)
{
    if (s->failed == NULL) expect_warm(s, origin_of(s->out));
    verify_primitive(s);
}

const struct scene scene_primitive_with_empty_store = SCENE_WITH(
        open_plain_primitive, attempt_primitive, verify_primitive,
        close_primitive, .harmless = {CAPTURE}, .operation = operations);
const struct scene scene_compressed_primitive_with_empty_store = SCENE_WITH(
        open_compressed_primitive, attempt_primitive, verify_primitive,
        close_primitive, .harmless = {CAPTURE}, .operation = operations);
const struct scene scene_primitive_of_store = SCENE_WITH(open_kept_primitive,
        attempt_primitive, verify_primitive_of_store, close_primitive,
        .harmless = {CAPTURE, "clCreateProgramWithBinary"},
        .operation = operations);
/* Nothing compiles here, whatever fails. */
static void verify_warm_primitive(struct stage *s)
{
    expect_warm(s, origin_of(s->out));
    verify_primitive(s);
}

const struct scene scene_primitive_of_store_alone = SCENE_WITH(
        open_primitive_without_compiler, attempt_primitive,
        verify_warm_primitive, close_primitive, .operation = operations);
const struct scene scene_primitive_of_compressed_store =
        SCENE_WITH(open_kept_compressed_primitive, attempt_primitive,
                verify_primitive_of_store, close_primitive,
                .harmless = {CAPTURE, "clCreateProgramWithBinary"},
                .operation = operations);
