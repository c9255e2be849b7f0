/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/describe/program_desc.h"

#include "dnnl_cache/sys/layer.h"
#include "src/common/log.h"
#include "src/common/log_once.h"
#include "src/drivers/option_folders.h"
#include "src/gpu/device/build_mark.h"
#include "src/gpu/device/environment.h"
#include "src/gpu/device/implied_header.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/program/describe/il.h"
#include "src/gpu/program/describe/program_includes.h"
#include "src/includes/build_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of all keys of a program together, so that an ID's size is a number of
 * 32 bits everywhere. */
enum { MOST_KEYS = 1 << 30 };

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t dnnl_cache_program_desc_destroy(
        dnnl_cache_program_desc_t program_desc)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL
            || atomic_fetch_sub_explicit(
                       &d->references, 1, memory_order_acq_rel)
                       > 1)
        return dnnl_success;
    for (size_t i = 0; d->sources != NULL && i < d->source_count; i++)
        free(d->sources[i]);
    free(d->sources);
    free(d->lengths);
    free(d->il);
    free(d->il_version);
    free(d->options);
    free(d->named_options);
    header_set_fini(&d->headers);
    free(d->constants);
    buffer_fini(&d->extra);
    program_key_fini(&d->key);
    text_slot_fini(&d->refusal);
    once_fini(&d->identified);
    engine_release(d->engine);
    free(d);
    return dnnl_success;
}

static struct dnnl_cache_program_desc *desc_new(
        struct dnnl_engine *engine, const char *options)
{
    struct dnnl_cache_program_desc *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    atomic_init(&d->references, 1);
    once_init(&d->identified);
    text_slot_init(&d->refusal);
    engine_retain(engine);
    d->engine = engine;
    d->options = strdup(options != NULL ? options : "");
    if (d->options != NULL) return d;
    dnnl_cache_program_desc_destroy(d);
    return NULL;
}

/* With embedded headers what a directive names may be one of them. */
static bool follows_includes(const struct dnnl_cache_program_desc *d)
{
    return d->includes_followed && d->headers.count == 0;
}

/* Notes the first thing that keeps the program from having an identity. The
 * sources are scanned as the one text the compiler sees. */
static dnnl_status_t find_includes(struct dnnl_cache_program_desc *d)
{
    struct buffer text = {NULL, 0, 0, false};
    struct header_doubt doubt;
    d->reason[0] = '\0';
    d->reads_files = false;
    if (d->includes_known || follows_includes(d)) return dnnl_success;
    for (size_t i = 0; i < d->source_count; i++)
        buffer_append(&text, d->sources[i], d->lengths[i]);
    dnnl_status_t st = buffer_status(&text);
    const char *variable = environment_variable_that_reads_files();
    const char *options = environment_adds_options() ? NULL : d->options;
    if (st == dnnl_success
            && header_set_find_doubt(&d->headers, (const char *)text.data,
                    text.size, options, &doubt))
        memcpy(d->reason, doubt.text, sizeof d->reason);
    else if (options_include_files(d->options)
             || (options == NULL && options_make_strings(d->options)))
        snprintf(d->reason, sizeof d->reason,
                "the build options are not known to include no file");
    else if (variable != NULL)
        snprintf(d->reason, sizeof d->reason,
                "the options in %s are not known to include no file", variable);
    buffer_fini(&text);
    d->reads_files = d->reason[0] != '\0';
    return st;
}

/* The end of a creation: the caller's, or nobody's. */
static dnnl_status_t give(struct dnnl_cache_program_desc *d, dnnl_status_t st,
        dnnl_cache_program_desc_t *out)
{
    if (st == dnnl_success)
        *out = d;
    else
        dnnl_cache_program_desc_destroy(d);
    return st;
}

static bool copy_sources(struct dnnl_cache_program_desc *d, size_t count,
        const char *const *sources, const size_t *lengths)
{
    d->sources = calloc(count, sizeof *d->sources);
    d->lengths = calloc(count, sizeof *d->lengths);
    if (d->sources == NULL || d->lengths == NULL) return false;
    d->source_count = count;
    for (size_t i = 0; i < count; i++) {
        size_t length = lengths != NULL && lengths[i] != 0 ? lengths[i]
                                                           : strlen(sources[i]);
        d->sources[i] = length < SIZE_MAX ? malloc(length + 1) : NULL;
        if (d->sources[i] == NULL) return false;
        memcpy(d->sources[i], sources[i], length);
        d->sources[i][length] = '\0';
        d->lengths[i] = length;
    }
    return true;
}

/* Who attached the store does nothing more for its programs. */
static bool store_follows_includes(struct dnnl_engine *engine)
{
    struct store *store = engine_store(engine);
    const bool follows = store != NULL && store_is_automatic(store);
    store_release(store);
    return follows;
}

dnnl_status_t dnnl_cache_program_desc_create(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t nsources, const char *const *sources, const size_t *lengths,
        const char *options)
{
    if (program_desc == NULL || engine == NULL || nsources == 0
            || sources == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < nsources; i++)
        if (sources[i] == NULL) return dnnl_invalid_arguments;
    struct dnnl_cache_program_desc *d = desc_new(engine, options);
    if (d == NULL) return dnnl_out_of_memory;
    d->includes_followed = store_follows_includes(engine);
    dnnl_status_t st = copy_sources(d, nsources, sources, lengths)
                               ? find_includes(d)
                               : dnnl_out_of_memory;
    return give(d, st, program_desc);
}

dnnl_status_t dnnl_cache_program_desc_create_with_il(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t il_size, const void *il, const char *options)
{
    if (program_desc == NULL || engine == NULL || il_size == 0 || il == NULL
            || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    struct dnnl_cache_program_desc *d = desc_new(engine, options);
    if (d == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = il_version(engine->device, &d->il_version);
    if (st != dnnl_success) return give(d, st, program_desc);
    d->il = malloc(il_size);
    if (d->il == NULL) return give(d, dnnl_out_of_memory, program_desc);
    memcpy(d->il, il, il_size);
    d->il_size = il_size;
    return give(d, find_includes(d), program_desc);
}

/* ---- What is added ------------------------------------------------------- */

dnnl_status_t dnnl_cache_program_desc_add_header(
        dnnl_cache_program_desc_t program_desc, const char *name, size_t length,
        const char *source)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || name == NULL || source == NULL)
        return dnnl_invalid_arguments;
    const char *why = "the name cannot be used, or is there already";
    dnnl_status_t st = dnnl_invalid_arguments;
    if (d->il != NULL)
        why = "a program of IL has none";
    else if (once_get_done(&d->identified))
        why = "the ID was made already";
    else
        st = header_set_add(&d->headers, name, source,
                length != 0 ? length : strlen(source));
    if (st == dnnl_invalid_arguments)
        log_message(
                dnnl_cache_log_info, "program", "header '%s': %s", name, why);
    return st;
}

/* Where the constant of that ID is or would be. */
static size_t constant_position(
        const struct dnnl_cache_program_desc *d, uint32_t id)
{
    size_t at = 0;
    while (at < d->constant_count && d->constants[at].id < id)
        at++;
    return at;
}

dnnl_status_t dnnl_cache_program_desc_set_spec_constant(
        dnnl_cache_program_desc_t program_desc, uint32_t id, size_t size,
        const void *value)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || value == NULL || d->il == NULL
            || (size != 1 && size != 2 && size != 4 && size != 8)
            || once_get_done(&d->identified))
        return dnnl_invalid_arguments;
    size_t at = constant_position(d, id);
    if (at == d->constant_count || d->constants[at].id != id) {
        struct spec_constant *list =
                realloc(d->constants, (d->constant_count + 1) * sizeof *list);
        if (list == NULL) return dnnl_out_of_memory;
        d->constants = list;
        memmove(list + at + 1, list + at,
                (d->constant_count - at) * sizeof *list);
        d->constant_count++;
    }
    struct spec_constant constant = {.id = id, .size = (uint32_t)size};
    memcpy(constant.value, value, size);
    d->constants[at] = constant;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_desc_add_key(
        dnnl_cache_program_desc_t program_desc, size_t size, const void *key)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || size == 0 || key == NULL || size > MOST_KEYS / 2
            || once_get_done(&d->identified))
        return dnnl_invalid_arguments;
    struct id_builder field;
    const uint8_t *fields;
    size_t fields_size;
    id_builder_init(&field, blob_kind_program);
    id_put(&field, id_application_key, key, size);
    dnnl_status_t st = id_builder_status(&field);
    if (st == dnnl_success)
        st = id_fields(
                field.bytes.data, field.bytes.size, &fields, &fields_size);
    if (st == dnnl_success && d->extra.size > MOST_KEYS - fields_size)
        st = dnnl_invalid_arguments;
    if (st == dnnl_success) {
        /* Room first: an append that fails would spoil the earlier keys. */
        if (buffer_reserve(&d->extra, fields_size) == NULL) {
            d->extra.failed = false;
            st = dnnl_out_of_memory;
        } else {
            buffer_append(&d->extra, fields, fields_size);
        }
    }
    id_builder_fini(&field);
    return st;
}

dnnl_status_t dnnl_cache_program_desc_set_includes_known(
        dnnl_cache_program_desc_t program_desc)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || once_get_done(&d->identified))
        return dnnl_invalid_arguments;
    d->includes_known = true;
    d->includes_followed = false;
    return find_includes(d); /* which takes back what it said */
}

dnnl_status_t dnnl_cache_program_desc_set_primitive(
        dnnl_cache_program_desc_t program_desc)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || once_get_done(&d->identified))
        return dnnl_invalid_arguments;
    d->is_primitives = true;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_desc_set_include_following(
        dnnl_cache_program_desc_t program_desc, int on)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || once_get_done(&d->identified))
        return dnnl_invalid_arguments;
    d->includes_known = false;
    d->includes_followed = on != 0;
    return find_includes(d);
}

/* ---- The ID -------------------------------------------------------------- */

static bool looks_for_files(const struct dnnl_cache_program_desc *d)
{
    return follows_includes(d) && d->includes.places > 0;
}

static struct program_text text_of(const struct dnnl_cache_program_desc *d)
{
    struct program_text text = {.sources = (const char *const *)d->sources,
            .lengths = d->lengths,
            .source_count = d->source_count,
            .headers = &d->headers,
            .il = d->il,
            .il_size = d->il_size,
            .il_version = d->il_version,
            .constants = d->constants,
            .constant_count = d->constant_count,
            .options = d->options,
            .named_options = d->named_options,
            .includes = looks_for_files(d) ? &d->includes : NULL};
    return text;
}

/* The folders of a program that moves are numbers in its ID. One that includes
 * nothing has the same ID as if nothing was followed. */
static dnnl_status_t keep_includes(
        struct dnnl_cache_program_desc *d, const struct includes *found)
{
    d->includes = *found;
    free(d->named_options); /* of an attempt that had no end */
    d->named_options = NULL;
    if (!found->moves || found->places == 0) return dnnl_success;
    d->named_options = option_folders_name(d->options);
    return d->named_options != NULL ? dnnl_success : dnnl_out_of_memory;
}

/* Reads what is included now. */
static dnnl_status_t follow_includes(struct dnnl_cache_program_desc *d)
{
    const struct program_text text = text_of(d);
    struct includes found;
    bool is_known = false;
    dnnl_status_t st = program_includes_follow(
            d->engine->device, &text, &found, NULL, &is_known);
    if (st != dnnl_success) return st;
    if (is_known) return keep_includes(d, &found);
    memcpy(d->reason, found.reason, sizeof d->reason);
    return dnnl_success;
}

/* A compiler that is misled reads other files than the ID says. */
static void find_implied_header(struct dnnl_cache_program_desc *d)
{
    if (d->includes_known || follows_includes(d) || d->il != NULL) return;
    const char *header = implied_header_misled(d->engine->device, d->options);
    if (d->reason[0] == '\0' && header != NULL)
        snprintf(d->reason, sizeof d->reason,
                "the compiler may read another %s than the driver's", header);
}

/* With the call that helps, if one does. */
static void warn_of(const struct dnnl_cache_program_desc *d)
{
    char text[2 * sizeof d->reason];
    const bool is_helped = d->reads_files && d->headers.count == 0
                           && d->il == NULL && !d->includes_followed;
    (void)snprintf(text, sizeof text, "%s%s", d->reason,
            is_helped ? " (dnnl_cache_program_desc_set_include_following() has "
                        "the library read what it includes)"
                      : "");
    log_warning_once("program", "not cacheable", text);
}

static dnnl_status_t identify(struct dnnl_cache_program_desc *d)
{
    const struct device_identity *identity;
    (void)environment_changed(); /* later calls only glance */
    dnnl_status_t st = engine_identity(d->engine, &identity);
    /* Known since the creation, unless headers have come since. */
    if (st == dnnl_success && d->headers.count > 0) st = find_includes(d);
    if (st == dnnl_success && follows_includes(d)) st = follow_includes(d);
    if (st != dnnl_success) return st;
    find_implied_header(d);
    if (d->reason[0] != '\0') {
        warn_of(d);
        return dnnl_success;
    }
    if (identity->reason[0] != '\0') { /* the device's own warning told it */
        memcpy(d->reason, identity->reason, sizeof d->reason);
        log_message(
                dnnl_cache_log_info, "program", "not cacheable: %s", d->reason);
        return dnnl_success;
    }
    const struct program_text text = text_of(d);
    return program_key_build(d->engine->device,
            d->is_primitives ? &identity->fields : &identity->program_fields,
            &text, &d->extra, &d->key);
}

/* What is made at first use is no part of what is described. */
static struct dnnl_cache_program_desc *mutable_desc(
        const struct dnnl_cache_program_desc *desc)
{
    return (struct dnnl_cache_program_desc *)(uintptr_t)desc;
}

struct dnnl_cache_program_desc *program_desc_retain(
        const struct dnnl_cache_program_desc *desc)
{
    struct dnnl_cache_program_desc *d = mutable_desc(desc);
    atomic_fetch_add_explicit(&d->references, 1, memory_order_relaxed);
    return d;
}

dnnl_status_t program_desc_identify(const struct dnnl_cache_program_desc *desc)
{
    struct dnnl_cache_program_desc *d = mutable_desc(desc);
    dnnl_status_t st = dnnl_success;
    switch (once_begin(&d->identified)) {
    case once_is_done:
        break;
    case once_is_ours:
        st = identify(d);
        once_end(&d->identified, st == dnnl_success);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

/* Empty once a variable of the environment has changed, as the ID is. */
static const struct program_key *key_of(
        const struct dnnl_cache_program_desc *desc)
{
    static const struct program_key none;
    return environment_changed_at_a_glance() == NULL ? &desc->key : &none;
}

struct program_id program_desc_id(const struct dnnl_cache_program_desc *desc)
{
    return program_key_id(key_of(desc));
}

const char *program_desc_doubt(const struct dnnl_cache_program_desc *desc)
{
    return desc->reason[0] != '\0' ? desc->reason : environment_doubt();
}

dnnl_status_t dnnl_cache_program_desc_get_cache_blob_id(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, uint8_t *id)
{
    if (program_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = program_desc_identify(program_desc);
    if (st != dnnl_success) return st;
    const struct program_id known = program_desc_id(program_desc);
    return output_bytes(known.data, known.size, size, id);
}

dnnl_status_t dnnl_cache_program_desc_get_build_mark(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, char *mark)
{
    char text[build_mark_size];
    if (program_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = program_desc_identify(program_desc);
    if (st != dnnl_success) return st;
    const struct program_id id = program_desc_id(program_desc);
    st = build_mark_make(text, program_desc->engine->device, id.data, id.size,
            program_desc->il != NULL);
    return st == dnnl_success ? output_bytes(text, strlen(text) + 1, size, mark)
                              : st;
}

void program_desc_note_refusal(
        const struct dnnl_cache_program_desc *desc, struct shared_text *note)
{
    text_slot_put(&mutable_desc(desc)->refusal, note);
}

struct program_recipe program_desc_recipe(
        const struct dnnl_cache_program_desc *desc, struct program_text *text)
{
    struct program_recipe recipe = {.engine = desc->engine,
            .text = text,
            .key = key_of(desc),
            .reads_files = desc->includes_known || looks_for_files(desc)};
    *text = text_of(desc);
    text->has_plain_headers = program_key_id(recipe.key).size == 0;
    return recipe;
}

void program_desc_drop_id(struct program_recipe *recipe,
        struct program_text *text, const char *reason)
{
    static const struct program_key none;
    recipe->key = &none;
    text->includes = NULL;
    text->named_options = NULL;
    log_warning_once("program", "not kept", reason);
}

/* ---- What there is to know ----------------------------------------------- */

dnnl_status_t dnnl_cache_program_desc_is_cacheable(
        const_dnnl_cache_program_desc_t program_desc, int *cacheable,
        const char **reason)
{
    if (program_desc == NULL || cacheable == NULL)
        return dnnl_invalid_arguments;
    dnnl_status_t st = program_desc_identify(program_desc);
    if (st != dnnl_success) return st;
    const char *doubt = program_desc_doubt(program_desc);
    *cacheable = doubt[0] == '\0';
    if (reason != NULL) *reason = doubt;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_desc_get_build_log(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, char *log)
{
    if (program_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    struct dnnl_cache_program_desc *d = mutable_desc(program_desc);
    return output_note(text_slot_get(&d->refusal), size, log);
}
