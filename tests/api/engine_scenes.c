/* SPDX-License-Identifier: Apache-2.0 */
#include "blob_edit.h"
#include "programs.h"
#include "scene_steps.h"
#include "scenes.h"

#include "test.h"

#include <string.h>

/* ---- Creation ------------------------------------------------------------ */

static dnnl_status_t attempt_engine(struct stage *s)
{
    return dnnl_ocl_interop_engine_create(
            STAGE_OUT(s, dnnl_engine_t), s->rig.device, s->rig.context);
}

static dnnl_status_t attempt_engine_by_index(struct stage *s)
{
    return dnnl_engine_create(STAGE_OUT(s, dnnl_engine_t), dnnl_gpu, 0);
}

static dnnl_status_t attempt_host_engine(struct stage *s)
{
    return dnnl_engine_create(STAGE_OUT(s, dnnl_engine_t), dnnl_cpu, 0);
}

static void verify_host_engine(struct stage *s)
{
    dnnl_engine_kind_t kind = dnnl_any_engine;
    EXPECT_OK(dnnl_engine_get_kind(s->out, &kind));
    EXPECT_EQ(dnnl_cpu, kind);
    EXPECT_OK(dnnl_engine_destroy(s->out));
}

static void verify_engine(struct stage *s)
{
    dnnl_cache_program_t program = build(s->out, scale_source, NULL);
    expect_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(s->out));
}

const struct scene scene_engine_creation =
        SCENE(NULL, attempt_engine, verify_engine, NULL);
const struct scene scene_engine_creation_by_index =
        SCENE(NULL, attempt_engine_by_index, verify_engine, NULL);

const struct scene scene_host_engine_creation =
        SCENE(NULL, attempt_host_engine, verify_host_engine, NULL);

/* ---- ID and blob --------------------------------------------------------- */

static void make_engine_id(struct stage *s)
{
    s->id = engine_id(s->rig.device);
}

static void make_engine_blob(struct stage *s)
{
    make_engine_id(s);
    s->blob = engine_blob(s->rig.engine);
}

static void make_engine_blob_elsewhere(struct stage *s)
{
    dnnl_engine_t other = NULL;
    make_engine_id(s);
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &other, s->rig.device, s->rig.context));
    s->blob = engine_blob(other);
    EXPECT_OK(dnnl_engine_destroy(other));
}

static void free_bytes(struct stage *s)
{
    bytes_free(&s->id);
    bytes_free(&s->blob);
}

static dnnl_status_t attempt_engine_id(struct stage *s)
{
    return dnnl_ocl_interop_engine_get_cache_blob_id(
            s->rig.device, &s->size, s->bytes);
}

static dnnl_status_t attempt_engine_blob(struct stage *s)
{
    return dnnl_ocl_interop_engine_get_cache_blob(
            s->rig.engine, &s->size, s->bytes);
}

/* Facts that the driver was asked for in vain are uncertain and not kept: then
 * the blob is empty. A compiler that refuses the probe once is taken to refuse
 * half. */
static void verify_engine_blob(struct stage *s)
{
    struct bytes blob = {s->bytes, s->size};
    struct bytes no_half = blob_with_facts(&s->blob, 32, 256, 0);
    bool asked_in_vain = s->failed != NULL && strncmp(s->failed, "cl", 2) == 0;
    EXPECT_TRUE(bytes_equal(&s->blob, &blob)
                || (asked_in_vain
                        && (s->size == 0 || bytes_equal(&no_half, &blob))));
    bytes_free(&no_half);
}

const struct scene scene_engine_id_query =
        SCENE(make_engine_id, attempt_engine_id, verify_id_bytes, free_bytes);
const struct scene scene_engine_blob_query = SCENE(make_engine_blob_elsewhere,
        attempt_engine_blob, verify_engine_blob, free_bytes);

/* ---- From a blob --------------------------------------------------------- */

static dnnl_status_t attempt_engine_from_blob(struct stage *s)
{
    return dnnl_ocl_interop_engine_create_from_cache_blob(
            STAGE_OUT(s, dnnl_engine_t), s->rig.device, s->rig.context,
            s->blob.size, s->blob.data);
}

static void verify_warm_engine(struct stage *s)
{
    struct bytes again = engine_blob(s->out);
    EXPECT_TRUE(bytes_equal(&s->blob, &again));
    bytes_free(&again);
    verify_engine(s);
}

static dnnl_status_t attempt_check(struct stage *s)
{
    return dnnl_cache_blob_check(s->rig.engine, s->blob.size, s->blob.data);
}

static dnnl_status_t attempt_inspection(struct stage *s)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    dnnl_status_t st =
            dnnl_cache_blob_inspect(s->blob.size, s->blob.data, &info);
    EXPECT_EQ(dnnl_cache_blob_kind_engine, info.kind);
    return st;
}

/* Counts the parts of the blob in s->size. */
static dnnl_status_t count_part(const dnnl_cache_blob_part_t *part, void *user)
{
    struct stage *s = user;
    EXPECT_EQ(dnnl_cache_blob_part_section, part->kind);
    s->size++;
    return dnnl_success;
}

static dnnl_status_t attempt_to_describe(struct stage *s)
{
    s->size = 0;
    dnnl_status_t st =
            dnnl_cache_blob_describe(s->blob.size, s->blob.data, count_part, s);
    EXPECT_EQ(2, s->size);
    return st;
}

const struct scene scene_engine_from_blob = SCENE(make_engine_blob,
        attempt_engine_from_blob, verify_warm_engine, free_bytes);
const struct scene scene_engine_blob_check =
        SCENE(make_engine_blob, attempt_check, verify_nothing, free_bytes);

const struct scene scene_blob_inspection =
        SCENE(make_engine_blob, attempt_inspection, verify_nothing, free_bytes);
const struct scene scene_blob_description = SCENE(
        make_engine_blob, attempt_to_describe, verify_nothing, free_bytes);

/* ---- Stores -------------------------------------------------------------- */

static void open_store(struct stage *s)
{
    memory_store_open(&s->store);
}

/* An engine's facts are asked of the store that is attached. */
static void expect_asked(struct stage *s, unsigned gets)
{
    struct bytes blob = engine_blob(s->rig.engine);
    bytes_free(&blob);
    EXPECT_EQ(gets, s->store.gets);
}

static void detach_store(struct stage *s)
{
    EXPECT_OK(dnnl_cache_engine_set_store(s->rig.engine, NULL));
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
    memory_store_close(&s->store);
}

static dnnl_status_t attempt_engine_store(struct stage *s)
{
    return dnnl_cache_engine_set_store(s->rig.engine, &s->store.callbacks);
}

static dnnl_status_t attempt_process_store(struct stage *s)
{
    return dnnl_cache_set_default_store(&s->store.callbacks);
}

static void verify_store(struct stage *s)
{
    expect_asked(s, 1);
}

const struct scene scene_engine_store =
        SCENE(open_store, attempt_engine_store, verify_store, detach_store);
const struct scene scene_process_store =
        SCENE(open_store, attempt_process_store, verify_store, detach_store);
