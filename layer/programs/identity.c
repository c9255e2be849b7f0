/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/identity.h"

#include "dnnl_cache/sys/layer.h"
#include "layer/driver/next_layer.h"
#include "layer/programs/included.h"
#include "layer/programs/link_inputs.h"
#include "layer/programs/notes.h"
#include "layer/programs/records.h"
#include "src/drivers/build_marks.h"
#include "src/drivers/option_folders.h"
#include "src/includes/include_watch.h"
#include "tools/common/state/layer_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char layer_key[] = LAYER_KEY;

/* Notes why there is no ID. False, for callers to return. */
static bool refuse(
        struct build_call *call, enum layer_reason reason, const char *detail)
{
    call->reason = reason;
    snprintf(call->detail, sizeof call->detail, "%s", detail);
    return false;
}

static bool check(struct build_call *call, dnnl_status_t st)
{
    return st == dnnl_success
           || refuse(call,
                   st == dnnl_out_of_memory ? layer_reason_failed
                                            : layer_reason_identity,
                   "");
}

/* A variable that changed since OpenCL started may change IDs or the folders of
 * includes. */
static bool check_environment(struct build_call *call)
{
    const char *name = identity_changed_variable();
    return name == NULL || refuse(call, layer_reason_environment, name);
}

const char *identity_changed_variable(void)
{
    const char *name = NULL;
    (void)dnnl_cache_find_changed_variable(&name);
    return name;
}

const char *identity_changed_file(cl_device_id device)
{
    const char *path = NULL;
    /* Of a device that does not tell, any driver's file counts. */
    if (dnnl_cache_find_changed_file_of_device(&path, device) != dnnl_success)
        (void)dnnl_cache_find_changed_file(&path);
    return path;
}

/* Whose compiler makes the build, whose engines are there. */
static struct include_driver driver_of(const struct build *build)
{
    struct include_driver driver = {.is_cpu = build->count > 0};
    for (size_t i = 0; i < build->count; i++) {
        const struct layer_engine *engine = build->devices[i].engine;
        driver.is_cpu = driver.is_cpu && engine->is_cpu;
        /* All devices of a context are one platform's. */
        if (i == 0) strcpy(driver.platform, engine->platform);
    }
    return driver;
}

/* ---- Included files ------------------------------------------------------ */

/* Receives the places that were looked at, if places is not NULL. */
static bool follow_includes(const struct build_call *call, struct includes *out,
        struct include_files *places, const struct include_driver *driver)
{
    const char *source = call->program->input.source;
    size_t size = call->program->input.source_size;
    /* The driver may call back when the caller's text is gone. */
    const char *options =
            call->build != NULL ? call->build->options : call->options;
    size_t header_count = 0;
    const struct include_embedded *headers =
            call->build != NULL
                    ? build_headers_list(call->build->headers, &header_count)
                    : NULL;
    if (source == NULL) size = 0;
    if (size == 0) source = "";
    if (headers != NULL)
        return includes_follow_embedded(out, places, driver, header_count,
                headers, size, source, options);
    return includes_follow_to_move(
            out, places, driver, 1, &source, size > 0 ? &size : NULL, options);
}

/* For the journal and the record. */
static void remember_path(
        struct build *build, const char *path, const uint8_t digest[32])
{
    dnnl_cache_note_file_t *file = &build->files[build->file_count];
    memcpy(file->digest, digest, sizeof file->digest);
    file->path = strdup(path);
    if (file->path != NULL) build->file_count++;
}

/* Names of files, for the entry, the journal and the record, which are no worse
 * for lacking some. */
static void remember_files(struct build *build, const struct include_files *all)
{
    if (build == NULL || all->count == 0 || build->files != NULL
            || build->included_count > 0)
        return;
    if (notes_are_wanted(build) || records_are_on())
        build->files = calloc(all->count, sizeof *build->files);
    for (size_t i = 0; i < all->count; i++) {
        const struct include_file *file = &all->list[i];
        uint8_t digest[32];
        if (!include_files_digest(file, digest)) continue;
        included_add(build, file->path + file->name_at, digest);
        if (build->files != NULL) remember_path(build, file->path, digest);
    }
}

void identity_remember_includes(struct build_call *call)
{
    remember_files(call->build, &call->include_places);
}

void identity_watch_includes(struct build_call *call)
{
    call->is_watched = call->includes.places == 0;
    if (call->is_watched) return;
    remember_files(call->build, &call->include_places);
    call->watch = include_watch_begin(&call->include_places);
    call->is_watched = call->watch != NULL;
    include_files_fini(&call->include_places);
}

bool identity_constants_unchanged(const struct build_call *call)
{
    struct layer_program *program = call->program;
    pthread_mutex_lock(&program->lock);
    const bool is_same = program->constant_changes == call->constant_changes
                         && call->constant_changes % 2 == 0;
    pthread_mutex_unlock(&program->lock);
    return is_same;
}

bool identity_includes_unchanged(struct build_call *call)
{
    const struct includes *before = &call->includes;
    struct includes now;
    if (before->places == 0) return true;
    /* Looked at first, so that nothing happens between the two. */
    const bool is_same =
            follow_includes(call, &now, NULL, &before->driver)
            && memcmp(now.digest, before->digest, sizeof now.digest) == 0
            && memcmp(now.stamp, before->stamp, sizeof now.stamp) == 0
            && now.moves == before->moves
            && memcmp(now.moved_digest, before->moved_digest,
                       sizeof now.moved_digest)
                       == 0;
    const bool is_undisturbed = include_watch_end(call->watch);
    call->watch = NULL;
    return is_undisturbed && is_same;
}

/* ---- One device ---------------------------------------------------------- */

/* The headers that are programs, in words: the digest has them all. */
static dnnl_status_t add_header_words(
        struct built_device *d, const struct build_headers *headers)
{
    size_t count;
    const struct include_embedded *list = build_headers_list(headers, &count);
    dnnl_status_t st = dnnl_success;
    if (count > embedded_most_words) count = embedded_most_words;
    for (size_t i = 0; i < count && st == dnnl_success; i++) {
        char *words = embedded_words(&list[i]);
        st = words != NULL ? dnnl_cache_program_desc_add_key(
                     d->desc, strlen(words), words)
                           : dnnl_out_of_memory;
        free(words);
    }
    return st;
}

/* What files and headers hold, and, of a program that moves, what its folders
 * are. */
static dnnl_status_t add_includes(struct built_device *d,
        const struct includes *includes, const struct build_headers *headers)
{
    dnnl_status_t st = dnnl_success;
    if (includes->moves)
        st = dnnl_cache_program_desc_add_key(
                d->desc, sizeof includes->moved_digest, includes->moved_digest);
    else if (includes->count > 0 || headers != NULL)
        st = dnnl_cache_program_desc_add_key(
                d->desc, sizeof includes->digest, includes->digest);
    return st == dnnl_success ? add_header_words(d, headers) : st;
}

/* Of a program that moves the options of the descriptor are for the ID alone:
 * nothing is compiled by it. */
static dnnl_status_t describe_text(struct built_device *d,
        const struct build_call *call, const char *options)
{
    const struct layer_program *program = call->program;
    const struct program_input *input = &program->input;
    const char *source = input->source != NULL ? input->source : "";
    const size_t *size = input->source_size > 0 ? &input->source_size : NULL;
    dnnl_status_t st =
            input->il != NULL ? dnnl_cache_program_desc_create_with_il(&d->desc,
                    d->engine->engine, input->il_size, input->il, options)
                              : dnnl_cache_program_desc_create(&d->desc,
                                      d->engine->engine, 1, &source, size,
                                      options);
    for (size_t i = 0; i < program->constant_count && st == dnnl_success; i++) {
        const struct spec_constant *c = &program->constants[i];
        st = dnnl_cache_program_desc_set_spec_constant(
                d->desc, c->id, c->size, c->value);
    }
    if (st == dnnl_success)
        st = add_includes(d, &call->includes, call->build->headers);
    return st;
}

static dnnl_status_t describe_source(
        struct built_device *d, const struct build_call *call)
{
    const char *options = build_options(call->build);
    if (!call->includes.moves) return describe_text(d, call, options);
    char *named = option_folders_name(options);
    const dnnl_status_t st =
            named != NULL ? describe_text(d, call, named) : dnnl_out_of_memory;
    free(named);
    return st;
}

static bool add_input(struct built_device *d, const struct built_device *input)
{
    const size_t i = d->input_count;
    size_t *sizes = realloc(d->input_id_sizes, (i + 1) * sizeof *sizes);
    if (sizes != NULL) d->input_id_sizes = sizes;
    uint8_t **ids = realloc(d->input_ids, (i + 1) * sizeof *ids);
    if (ids != NULL) d->input_ids = ids;
    uint8_t *copy = malloc(input->id_size);
    if (sizes == NULL || ids == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    memcpy(copy, input->id, input->id_size);
    sizes[i] = input->id_size;
    ids[i] = copy;
    d->input_count++;
    return true;
}

/* A program of which no more is known than what was linked to it. */
static dnnl_status_t describe_link(
        struct built_device *d, const struct build_call *call)
{
    const char *source = "";
    dnnl_status_t st = dnnl_cache_program_desc_create(
            &d->desc, d->engine->engine, 1, &source, NULL, call->options);
    for (size_t i = 0; i < call->inputs->count && st == dnnl_success; i++) {
        const struct built_device *input =
                build_device(call->inputs->builds[i], d->device);
        st = input != NULL ? dnnl_cache_program_desc_add_key(
                     d->desc, input->id_size, input->id)
                           : dnnl_invalid_arguments;
        if (st == dnnl_success && !add_input(d, input)) st = dnnl_out_of_memory;
    }
    return st;
}

static dnnl_status_t describe(
        struct built_device *d, const struct build_call *call)
{
    static const char *const kinds[] = {[build_executable] = NULL,
            [build_object] = "compiled",
            [build_linked] = "linked"};
    const char *kind = kinds[call->kind];
    dnnl_status_t st = call->kind == build_linked ? describe_link(d, call)
                                                  : describe_source(d, call);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_set_includes_known(d->desc);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_add_key(
                d->desc, sizeof layer_key - 1, layer_key);
    if (st == dnnl_success && kind != NULL)
        st = dnnl_cache_program_desc_add_key(d->desc, strlen(kind), kind);
    return st;
}

/* Copies an ID that get writes; *id stays NULL if it is empty. Most IDs fit
 * into the first try. */
static dnnl_status_t copy_id(
        dnnl_status_t (*get)(const void *of, size_t *size, uint8_t *id),
        const void *of, size_t *size, uint8_t **id)
{
    uint8_t first[4096];
    size_t n = sizeof first;
    dnnl_status_t st = get(of, &n, first);
    const bool is_complete = st == dnnl_success;
    if (st != dnnl_success && n <= sizeof first) return st;
    if (n == 0) return dnnl_success;
    uint8_t *bytes = malloc(n);
    if (bytes == NULL) return dnnl_out_of_memory;
    if (is_complete)
        memcpy(bytes, first, n);
    else
        st = get(of, &n, bytes);
    if (st != dnnl_success) {
        free(bytes);
        return st;
    }
    *id = bytes;
    *size = n;
    return dnnl_success;
}

static dnnl_status_t program_id(const void *of, size_t *size, uint8_t *id)
{
    return dnnl_cache_program_desc_get_cache_blob_id(of, size, id);
}

/* Asked only where there is no ID: it takes as long as the ID. */
static bool refuse_nameless(
        struct build_call *call, const struct built_device *d)
{
    const char *why = "no ID";
    int is_cacheable = 0;
    const dnnl_status_t st =
            dnnl_cache_program_desc_is_cacheable(d->desc, &is_cacheable, &why);
    return check(call, st)
           && refuse(call, layer_reason_identity,
                   is_cacheable || why == NULL ? "no ID" : why);
}

static bool identify_device(struct build_call *call, struct built_device *d)
{
    dnnl_status_t st = describe(d, call);
    if (st == dnnl_success)
        st = copy_id(program_id, d->desc, &d->id_size, &d->id);
    if (!check(call, st)) return false;
    if (d->id == NULL) return refuse_nameless(call, d);
    st = engines_name(d->engine);
    d->engine_id = d->engine->id;
    d->engine_id_size = d->engine->id_size;
    return check(call, st)
           && (d->engine_id != NULL
                   || refuse(call, layer_reason_identity, "no ID"));
}

static bool identify_devices(struct build_call *call)
{
    call->is_named = true;
    for (size_t i = 0; i < call->build->count && call->is_named; i++)
        call->is_named = identify_device(call, &call->build->devices[i]);
    return call->is_named;
}

/* Those of all devices: a driver may compile once for several. */
char *identity_build_marks(const struct build *build)
{
    char *marks = strdup("");
    for (size_t i = 0; i < build->count && marks != NULL; i++) {
        char mark[2 * build_mark_size];
        size_t size = sizeof mark;
        const dnnl_status_t st = dnnl_cache_program_desc_get_build_mark(
                build->devices[i].desc, &size, mark);
        if (st == dnnl_success
                && (mark[0] == '\0' || strstr(marks, mark) != NULL))
            continue;
        char *more = st == dnnl_success ? build_marks_put(mark, marks) : NULL;
        free(marks);
        marks = more;
    }
    return marks;
}

static bool get_engines(struct build_call *call)
{
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; i < call->build->count && st == dnnl_success; i++) {
        struct built_device *d = &call->build->devices[i];
        if (d->engine == NULL)
            st = engines_get(&d->engine, call->context, d->device);
    }
    return check(call, st);
}

bool identify(struct build_call *call)
{
    if (!check_environment(call) || !get_engines(call)) return false;
    const struct include_driver driver = driver_of(call->build);
    pthread_mutex_lock(&call->program->lock);
    call->constant_changes = call->program->constant_changes;
    const bool is_named =
            follow_includes(
                    call, &call->includes, &call->include_places, &driver)
                    ? identify_devices(call)
                    : refuse(call,
                            call->includes.is_options ? layer_reason_options
                                                      : layer_reason_includes,
                            call->includes.reason);
    pthread_mutex_unlock(&call->program->lock);
    call->build->reads_files = call->build->headers != NULL
                                       ? call->includes.count > 0
                                       : call->includes.places > 0;
    call->build->moves = is_named && call->includes.moves;
    call->build->is_apart = call->build->moves && call->includes.are_apart;
    return is_named;
}

/* What a linker reads by its options is in no ID. */
static bool check_link_options(struct build_call *call)
{
    const struct include_driver driver = driver_of(call->build);
    struct include_places places;
    int reads_files = 1;
    dnnl_status_t st = dnnl_out_of_memory;
    if (include_places_init(&places, &driver, call->build->options))
        st = dnnl_cache_options_read_files(places.options, &reads_files);
    include_places_fini(&places);
    return check(call, st)
           && (!reads_files
                   || refuse(call, layer_reason_options,
                           "the options may read a file"));
}

bool identify_link(struct build_call *call)
{
    return check_environment(call) && get_engines(call)
           && check_link_options(call) && identify_devices(call);
}
