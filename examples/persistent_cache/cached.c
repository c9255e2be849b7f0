/* SPDX-License-Identifier: Apache-2.0 */
#include "cached.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library's three kinds of object have the same calls under different
 * names; here they have the same names. `object` is a handle, `of` what it is
 * made from. */
struct kind {
    dnnl_status_t (*get_id)(const void *of, size_t *size, uint8_t *id);
    dnnl_status_t (*load)(
            void **object, void *of, size_t size, const uint8_t *blob);
    dnnl_status_t (*compile)(void **object, void *of);
    dnnl_status_t (*get_blob)(void *object, size_t *size, uint8_t *blob);
    dnnl_status_t (*get_info)(void *object, dnnl_cache_creation_info_t *info);
    dnnl_cache_blob_kind_t blob_kind;
};

/* Calls one of the size-query functions twice: for the size, and for the bytes
 * (the caller's; NULL if there are none). */
static dnnl_status_t get_bytes(
        dnnl_status_t (*get)(void *from, size_t *size, uint8_t *bytes),
        void *from, size_t *size, uint8_t **bytes)
{
    size_t needed = 0;
    *bytes = NULL;
    *size = 0;
    dnnl_status_t st = get(from, &needed, NULL);
    if (st != dnnl_success || needed == 0) return st;
    uint8_t *buffer = malloc(needed);
    if (buffer == NULL) return dnnl_out_of_memory;
    st = get(from, &needed, buffer);
    if (st != dnnl_success) {
        free(buffer);
        return st;
    }
    *size = needed;
    *bytes = buffer;
    return st;
}

/* ---- Why was it not in the store? ---------------------------------------- */

struct nearest {
    const struct cached *cached;
    dnnl_cache_blob_kind_t kind;
    size_t differences; /* of the best so far; 0: none yet */
    uint64_t created_ns;
    char names[report_text_size];
};

static size_t count_names(const char *names)
{
    size_t count = 1;
    for (const char *c = names; *c != '\0'; c++)
        count += *c == ',';
    return count;
}

/* Compares one stored ID with the one that was missed, and remembers the most
 * similar, the youngest of equals. What this run has stored itself does not
 * count: the question is why what an earlier one left is of no use. */
static bool compare_item(void *user, const struct dnnl_cache_store_entry *item)
{
    struct nearest *nearest = user;
    const struct cached *cached = nearest->cached;
    char names[report_text_size];
    size_t size = sizeof names;
    if (item->kind != nearest->kind || item->created_ns >= cached->started_ns
            || dnnl_cache_id_diff(cached->id_size, cached->id, item->id_size,
                       item->id, &size, names)
                       != dnnl_success
            || names[0] == '\0')
        return true;
    const size_t differences = count_names(names);
    if (nearest->differences != 0
            && (differences > nearest->differences
                    || (differences == nearest->differences
                            && item->created_ns < nearest->created_ns)))
        return true;
    nearest->differences = differences;
    nearest->created_ns = item->created_ns;
    memcpy(nearest->names, names, sizeof names);
    return true;
}

/* Costs a look at every ID in the store: for people who ask why a start was
 * cold, not for every start. */
static void explain_miss(
        const struct cached *cached, dnnl_cache_blob_kind_t kind)
{
    struct report_object *report = cached->report;
    struct nearest nearest = {.cached = cached, .kind = kind};
    if (dnnl_cache_store_iterate(cached->store, compare_item, &nearest)
            != dnnl_success)
        return;
    if (nearest.differences == 0)
        snprintf(report->reason, sizeof report->reason,
                "not in the store, nor any %s of an earlier run", report->kind);
    else
        snprintf(report->reason, sizeof report->reason,
                "not in the store; the nearest entry differs in %.240s",
                nearest.names);
}

/* ---- The three steps ----------------------------------------------------- */

/* Step 1: the ID, and what the store has under it. */
static dnnl_status_t look_up(struct cached *cached, const struct kind *kind,
        const void *of, size_t *size, const uint8_t **blob)
{
    struct report_object *report = cached->report;
    *blob = NULL;
    const double began = clock_ms();
    /* get_bytes() is for functions that take what they read as not const. */
    dnnl_status_t st = kind->get_id(of, &cached->id_size, NULL);
    if (st == dnnl_success && cached->id_size > 0) {
        cached->id = malloc(cached->id_size);
        st = cached->id != NULL ? kind->get_id(of, &cached->id_size, cached->id)
                                : dnnl_out_of_memory;
    }
    report->id_ms = clock_ms() - began;
    report->id_bytes = cached->id_size;
    report->found = dnnl_cache_miss;
    if (st != dnnl_success) return st;
    if (cached->id == NULL || cached->store == NULL) return dnnl_success;

    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(cached->store);
    const double asked = clock_ms();
    report->found =
            store->get(store->user, cached->id_size, cached->id, size, blob);
    report->get_ms = clock_ms() - asked;
    return dnnl_success;
}

/* Step 2: the object, from the blob if it is good. A blob that is refused is
 * no reason to fail. */
static dnnl_status_t create(struct cached *cached, const struct kind *kind,
        void **object, void *of, size_t size, const uint8_t *blob)
{
    struct report_object *report = cached->report;
    const double began = clock_ms();
    if (blob != NULL) {
        report->found = kind->load(object, of, size, blob);
        report->blob_bytes = size;
    }
    if (blob == NULL || report->found != dnnl_success) {
        const dnnl_status_t st = kind->compile(object, of);
        if (st != dnnl_success) return st;
    }
    report->create_ms = clock_ms() - began;
    return dnnl_success;
}

/* Step 3, if it was compiled: its blob, into the store. */
static dnnl_status_t keep(
        struct cached *cached, const struct kind *kind, void *object)
{
    struct report_object *report = cached->report;
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    uint8_t *blob;
    size_t size;
    /* A blob of a newer format stays for the newer library that wrote it. */
    if (report->found == dnnl_success || cached->id == NULL
            || cached->store == NULL
            || report->found == dnnl_cache_blob_unsupported)
        return dnnl_success;
    const double began = clock_ms();
    const dnnl_status_t st = get_bytes(kind->get_blob, object, &size, &blob);
    report->capture_ms = clock_ms() - began;
    report->blob_bytes = size;
    if (st != dnnl_success || blob == NULL) return st;

    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(cached->store);
    const double stored = clock_ms();
    metadata.kind = kind->blob_kind;
    metadata.compile_ns = (uint64_t)(1e6 * report_creation_ms(report));
    /* A store that cannot keep it has said so; that is no failure of ours. */
    (void)store->put(
            store->user, cached->id_size, cached->id, size, blob, &metadata);
    report->put_ms = clock_ms() - stored;
    free(blob);
    return dnnl_success;
}

/* What the library says of how the object came about. */
static void note_info(
        struct cached *cached, const struct kind *kind, void *object)
{
    struct report_object *report = cached->report;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    if (kind->get_info(object, &info) != dnnl_success) return;
    report->origin = info.origin;
    report->driver_ms = 1e-6 * (double)info.driver_ns;
    report->binary_bytes = info.binary_bytes;
    if (cached->id == NULL && info.not_cacheable_reason != NULL)
        snprintf(report->reason, sizeof report->reason, "not cacheable: %s",
                info.not_cacheable_reason);
}

/* An entry that was found but is of no use. */
static void deal_with_refusal(const struct cached *cached)
{
    struct report_object *report = cached->report;
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(cached->store);
    snprintf(report->reason, sizeof report->reason,
            "stored blob refused (%s): compiled instead",
            dnnl_status2str(report->found));
    if (report->found == dnnl_cache_blob_corrupt
            || report->found == dnnl_cache_blob_stale)
        (void)store->remove(store->user, cached->id_size, cached->id);
}

/* Steps 1 and 2, with the reasons for whatever went another way. */
static dnnl_status_t get_or_compile(
        struct cached *cached, const struct kind *kind, void **object, void *of)
{
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    const uint8_t *blob = NULL;
    size_t size = 0;
    (void)dnnl_cache_store_get_statistics(cached->store, &before);
    dnnl_status_t st = look_up(cached, kind, of, &size, &blob);
    if (st != dnnl_success) return st;
    (void)dnnl_cache_store_get_statistics(cached->store, &after);
    st = create(cached, kind, object, of, size, blob);
    if (blob != NULL) {
        const dnnl_cache_store_t *store =
                dnnl_cache_store_get_callbacks(cached->store);
        store->release(store->user, size, blob);
        if (cached->report->found != dnnl_success) deal_with_refusal(cached);
    } else if (cached->id != NULL && cached->store != NULL) {
        if (after.damaged > before.damaged)
            snprintf(cached->report->reason, sizeof cached->report->reason,
                    "the entry in the store is damaged: compiled and healed");
        else
            explain_miss(cached, kind->blob_kind);
    }
    if (st == dnnl_success) note_info(cached, kind, *object);
    return st;
}

void cached_fini(struct cached *cached)
{
    free(cached->id);
    cached->id = NULL;
}

/* ---- Engines ------------------------------------------------------------- */

static dnnl_status_t engine_id(const void *of, size_t *size, uint8_t *id)
{
    const struct device *device = of;
    return dnnl_ocl_interop_engine_get_cache_blob_id(device->id, size, id);
}

static dnnl_status_t engine_load(
        void **object, void *of, size_t size, const uint8_t *blob)
{
    const struct device *device = of;
    dnnl_engine_t engine = NULL;
    const dnnl_status_t st = dnnl_ocl_interop_engine_create_from_cache_blob(
            &engine, device->id, device->context, size, blob);
    *object = engine;
    return st;
}

static dnnl_status_t engine_compile(void **object, void *of)
{
    const struct device *device = of;
    dnnl_engine_t engine = NULL;
    const dnnl_status_t st = dnnl_ocl_interop_engine_create(
            &engine, device->id, device->context);
    *object = engine;
    return st;
}

static dnnl_status_t engine_blob(void *object, size_t *size, uint8_t *blob)
{
    return dnnl_ocl_interop_engine_get_cache_blob(object, size, blob);
}

static dnnl_status_t engine_info(void *object, dnnl_cache_creation_info_t *info)
{
    return dnnl_cache_engine_get_creation_info(object, info);
}

static const struct kind engine_kind = {engine_id, engine_load, engine_compile,
        engine_blob, engine_info, dnnl_cache_blob_kind_engine};

dnnl_status_t cached_engine(
        struct cached *cached, dnnl_engine_t *engine, struct device *device)
{
    void *object = NULL;
    dnnl_status_t st = get_or_compile(cached, &engine_kind, &object, device);
    if (st == dnnl_success) st = keep(cached, &engine_kind, object);
    /* Again: an engine compiles its probe when its blob is asked for. */
    if (st == dnnl_success) note_info(cached, &engine_kind, object);
    if (st == dnnl_success)
        *engine = object;
    else
        dnnl_engine_destroy(object);
    return st;
}

/* ---- Primitives ---------------------------------------------------------- */

static dnnl_status_t primitive_id(const void *of, size_t *size, uint8_t *id)
{
    return dnnl_cache_primitive_desc_get_cache_blob_id(of, size, id);
}

static dnnl_status_t primitive_load(
        void **object, void *of, size_t size, const uint8_t *blob)
{
    dnnl_primitive_t primitive = NULL;
    const dnnl_status_t st =
            dnnl_primitive_create_from_cache_blob(&primitive, of, size, blob);
    *object = primitive;
    return st;
}

static dnnl_status_t primitive_compile(void **object, void *of)
{
    dnnl_primitive_t primitive = NULL;
    const dnnl_status_t st = dnnl_primitive_create(&primitive, of);
    *object = primitive;
    return st;
}

static dnnl_status_t primitive_blob(void *object, size_t *size, uint8_t *blob)
{
    return dnnl_primitive_get_cache_blob(object, size, blob);
}

static dnnl_status_t primitive_info(
        void *object, dnnl_cache_creation_info_t *info)
{
    return dnnl_cache_primitive_get_creation_info(object, info);
}

static const struct kind primitive_kind = {primitive_id, primitive_load,
        primitive_compile, primitive_blob, primitive_info,
        dnnl_cache_blob_kind_primitive};

dnnl_status_t cached_primitive(struct cached *cached,
        dnnl_primitive_t *primitive, dnnl_primitive_desc_t desc)
{
    void *object = NULL;
    dnnl_status_t st = get_or_compile(cached, &primitive_kind, &object, desc);
    if (st == dnnl_success) st = keep(cached, &primitive_kind, object);
    if (st == dnnl_success)
        *primitive = object;
    else
        dnnl_primitive_destroy(object);
    return st;
}

/* ---- Programs ------------------------------------------------------------ */

static dnnl_status_t program_id(const void *of, size_t *size, uint8_t *id)
{
    return dnnl_cache_program_desc_get_cache_blob_id(of, size, id);
}

static dnnl_status_t program_load(
        void **object, void *of, size_t size, const uint8_t *blob)
{
    dnnl_cache_program_t program = NULL;
    const dnnl_status_t st =
            dnnl_cache_program_create_from_cache_blob(&program, of, size, blob);
    *object = program;
    return st;
}

static dnnl_status_t program_compile(void **object, void *of)
{
    dnnl_cache_program_t program = NULL;
    const dnnl_status_t st = dnnl_cache_program_create(&program, of);
    *object = program;
    return st;
}

static dnnl_status_t program_blob(void *object, size_t *size, uint8_t *blob)
{
    return dnnl_cache_program_get_cache_blob(object, size, blob);
}

static dnnl_status_t program_info(
        void *object, dnnl_cache_creation_info_t *info)
{
    return dnnl_cache_program_get_creation_info(object, info);
}

static const struct kind program_kind = {program_id, program_load,
        program_compile, program_blob, program_info,
        dnnl_cache_blob_kind_program};

dnnl_status_t cached_program(struct cached *cached,
        dnnl_cache_program_t *program, dnnl_cache_program_desc_t desc)
{
    void *object = NULL;
    const dnnl_status_t st =
            get_or_compile(cached, &program_kind, &object, desc);
    if (st == dnnl_success) *program = object;
    return st;
}

dnnl_status_t cached_program_keep(
        struct cached *cached, dnnl_cache_program_t program)
{
    const dnnl_status_t st = keep(cached, &program_kind, program);
    if (st == dnnl_success) note_info(cached, &program_kind, program);
    return st;
}
