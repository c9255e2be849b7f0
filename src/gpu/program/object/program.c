/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/program.h"

#include "src/blob/writer.h"
#include "src/gpu/device/capture_cost.h"
#include "src/gpu/device/device.h"
#include "src/gpu/device/identity_watch.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/gpu/program/object/finalised_form.h"
#include "src/gpu/program/object/form_queue.h"
#include "src/gpu/program/object/memory_limit.h"
#include "src/gpu/program/object/program_capture.h"
#include "src/gpu/program/object/program_folder.h"
#include "src/gpu/program/object/program_report.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ---------------------------------------------------------------- */

/* False: no memory. */
static bool take_folders(struct program *p, const struct program_text *text)
{
    return text->named_options == NULL
           || option_folders_init(&p->folders, text->options);
}

dnnl_status_t program_create(const struct program_recipe *recipe, cl_program cl,
        struct program **out)
{
    const struct dnnl_engine *engine = recipe->engine;
    const struct program_key *key = recipe->key;
    struct program *p = calloc(1, sizeof *p);
    if (p == NULL) {
        clReleaseProgram(cl);
        return dnnl_out_of_memory;
    }
    atomic_init(&p->references, 1);
    once_init(&p->captured);
    once_init(&p->formed);
    atomic_init(&p->has_form_job, false);
    atomic_init(&p->in_memory, false);
    atomic_init(&p->last_use, 0);
    atomic_init(&p->from_store, false);
    atomic_init(&p->form_wish, 1);
    atomic_init(&p->has_user_data, false);
    atomic_init(&p->is_shared, false);
    atomic_init(&p->handles, 0);
    atomic_init(&p->is_closed, false);
    atomic_init(&p->folder, NULL);
    atomic_init(&p->kernel_names, NULL);
    p->device = engine->device;
    p->context = engine->context;
    program_use_init(&p->use, &p->id, p->device);
    p->cl = cl;
    p->compression = atomic_load(&engine->compression);
    p->key.hash = key->hash;
    buffer_append(&p->key.bytes, key->bytes.data, key->bytes.size);
    p->id = program_key_id(&p->key);
    if (!take_folders(p, recipe->text)
            || buffer_status(&p->key.bytes) != dnnl_success) {
        program_release(p);
        return dnnl_out_of_memory;
    }
    *out = p;
    return dnnl_success;
}

static void free_names(struct buffer *names)
{
    if (names != NULL) buffer_fini(names);
    free(names);
}

void program_retain(struct program *program)
{
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
}

bool program_is_left_to_journal(struct program *program)
{
    return !atomic_load(&program->has_user_data)
           && program_use_is_noted(&program->use);
}

bool program_is_never_captured(struct program *program)
{
    return program->store != NULL && !program->is_declined
           && !atomic_load(&program->store->detached)
           && !atomic_load(&program->is_there)
           && !once_get_done(&program->captured)
           && !(atomic_load(&program->is_shared)
                   && !atomic_load(&program->has_user_data))
           && !program_is_left_to_journal(program);
}

/* Nobody else has the driver's program, who could ask for its binary. */
static bool is_alone(const struct program *program)
{
    cl_uint references = 0;
    return clGetProgramInfo(program->cl, CL_PROGRAM_REFERENCE_COUNT,
                   sizeof references, &references, NULL)
                   == CL_SUCCESS
           && references == 1;
}

/* The last chance to offer it; the application has launched its kernels. What
 * the journal has is captured where that compiles nothing. */
static void offer_at_last(struct program *program)
{
    if (once_get_done(&program->captured)) return;
    const bool is_kept_here = program->store != NULL
                              && store_is_automatic(program->store)
                              && capture_is_costly(program->device);
    if (is_kept_here && is_alone(program)) program_find_folder(program);
    if (program_is_left_to_journal(program)
            && !(is_kept_here && atomic_load(&program->folder) != NULL))
        return;
    if (program_is_worth_capturing(program)) (void)program_capture(program);
}

void program_release(struct program *program)
{
    if (program == NULL) return;
    if (atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel)
            != 1)
        return;
    offer_at_last(program);
    waiting_remove(program);
    program_read_drop(program);
    program_use_fini(&program->use);
    store_release(program->store);
    clReleaseProgram(program->cl);
    program_key_fini(&program->key);
    option_folders_fini(&program->folders);
    buffer_fini(&program->first_log);
    buffer_fini(&program->binary);
    buffer_fini(&program->form);
    buffer_fini(&program->log);
    buffer_fini(&program->kernels);
    buffer_fini(&program->facts);
    buffer_fini(&program->user_data);
    buffer_fini(&program->included);
    free(atomic_load(&program->folder));
    free(program->likely_folder);
    free_names(atomic_load(&program->kernel_names));
    free(program->form_options);
    free(program->form_kernels);
    once_fini(&program->formed);
    once_fini(&program->captured);
    free(program);
}

/* ---- In a cache ---------------------------------------------------------- */

static void cache_retain(void *value)
{
    program_retain(value);
}

static void cache_release(void *value)
{
    program_release(value);
}

/* The driver is asked only if it counts: to know the size some compile more.
 * What cannot be counted is too much for any limit. */
static size_t cache_bytes(const void *value)
{
    const struct program *program = value;
    struct program *p = (struct program *)(uintptr_t)program;
    if (once_get_done(&p->captured)) return (size_t)p->raw_size;
    if (p->known_size > 0) return p->known_size;
    if (!memory_is_limited()) return 0;
    size_t size = program_ask_size(p);
    return size > 0 ? size : SIZE_MAX;
}

static void cache_mark(void *value, bool kept)
{
    atomic_store(&((struct program *)value)->in_memory, kept);
}

static uint64_t cache_last_use(const void *value)
{
    const struct program *program = value;
    return atomic_load_explicit(&program->last_use, memory_order_relaxed);
}

bool program_is_builders_own(dnnl_status_t st)
{
    return st == dnnl_cache_miss || is_blobs_fault(st);
}

const struct cache_ops program_cache_ops = {.retain = cache_retain,
        .release = cache_release,
        .bytes = cache_bytes,
        .mark = cache_mark,
        .last_use = cache_last_use,
        .is_builders_own = program_is_builders_own};

void program_touch(struct program *program)
{
    if (memory_is_limited())
        atomic_store_explicit(
                &program->last_use, cache_stamp(), memory_order_relaxed);
}

bool program_has_no_room(struct program *program)
{
    return memory_is_limited() && !atomic_load(&program->in_memory);
}

/* ---- As a blob ----------------------------------------------------------- */

/* False while a form that was left out is missing. */
static bool has_all_forms(struct program *p)
{
    return p->form_options == NULL || once_get_done(&p->formed);
}

/* Of a captured program, with the form that it has by now. */
static struct blob_program record_of(struct program *p)
{
    struct blob_program record = {.id = p->id.data,
            .id_size = p->id.size,
            .binary = p->binary.data,
            .binary_size = p->binary.size,
            .raw_size = p->raw_size,
            .codec = p->codec,
            .backend = blob_backend_opencl,
            .log = (const char *)p->log.data,
            .log_size = p->log.size > 0 ? p->log.size - 1 : 0};
    if (!has_all_forms(p)) return record;
    record.finaliser = p->finaliser;
    record.finaliser_size = strlen(p->finaliser);
    record.final_binary = p->form.size > 0 ? p->form.data : NULL;
    record.final_size = p->form.size;
    record.final_raw_size = p->form_raw_size;
    record.final_codec = p->form_codec;
    return record;
}

/* What is in the blob of a captured program, which it borrows from. */
struct contents {
    struct blob_contents blob;
    struct blob_program record;
    struct blob_kernel *kernels; /* owned */
};

static dnnl_status_t contents_init(
        struct contents *contents, struct program *program)
{
    struct blob_kernel *kernels =
            calloc((size_t)program->kernel_count + 1, sizeof *kernels);
    if (kernels == NULL) return dnnl_out_of_memory;
    const char *name = (const char *)program->kernels.data;
    const char *facts = (const char *)program->facts.data;
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        kernels[i].name = name;
        kernels[i].name_size = strlen(name);
        name += kernels[i].name_size + 1;
        /* With its NUL, if there are any. */
        const size_t size = strlen(facts) + 1;
        kernels[i].facts = (const uint8_t *)facts;
        kernels[i].facts_size = size > 1 ? size : 0;
        facts += size;
    }
    contents->kernels = kernels;
    contents->record = record_of(program);
    contents->blob = (struct blob_contents){.kind = blob_kind_program,
            .id = program->id.data,
            .id_size = program->id.size,
            .programs = &contents->record,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = program->kernel_count,
            .user_data = program->user_data.data,
            .user_data_size = program->user_data.size,
            .included = program->included.data,
            .included_size = program->included.size};
    return dnnl_success;
}

bool program_is_wanted(struct program *program)
{
    return program->store != NULL
           && !store_has_fresher(program->store, program->id.data,
                   program->id.size, program->made);
}

/* True if the store has an entry with all that the program was used for. */
static bool is_in_store(struct program *program)
{
    struct store_blob blob;
    struct blob_view view;
    const struct program_id *id = &program->id;
    if (program->is_fresh || atomic_load(&program->has_user_data)
            || !store_look(program->store, id->data, id->size, &blob))
        return false;
    const bool is_there =
            blob_read(&view, blob.data, blob.size, NULL) == dnnl_success
            && view.id_size == id->size
            && memcmp(view.id, id->data, id->size) == 0
            && program_use_is_within(&program->use, &view);
    store_give_back(program->store, &blob);
    return is_there;
}

bool program_is_worth_capturing(struct program *program)
{
    if (atomic_load(&program->is_shared)
            && !atomic_load(&program->has_user_data))
        return false;
    if (!program_is_wanted(program)
            || !store_can_put(program->store, device_driver(program->device)))
        return false;
    const bool is_there =
            capture_is_costly(program->device) && is_in_store(program);
    atomic_store(&program->is_there, is_there);
    return !is_there;
}

/* The blob of a captured program, malloc'ed; NULL: no memory. */
static uint8_t *write_blob(struct program *program, size_t *size)
{
    struct contents contents;
    if (contents_init(&contents, program) != dnnl_success) return NULL;
    uint8_t *blob = NULL;
    if (blob_write(&contents.blob, NULL, 0, size) == dnnl_success)
        blob = malloc(*size);
    if (blob != NULL
            && blob_write(&contents.blob, blob, *size, size) != dnnl_success) {
        free(blob);
        blob = NULL;
    }
    free(contents.kernels);
    return blob;
}

static void add_form_job(struct program *program, struct store *store,
        uint8_t *blob, size_t size, char *options,
        struct finalised_kernel *kernels)
{
    const struct form_job job = {.store = store,
            .context = program->context,
            .device = program->device,
            .blob = blob,
            .size = size,
            .options = options,
            .kernels = kernels,
            .made = program->made,
            .compile_ns = program->compile_ns,
            .driver = device_driver(program->device)};
    form_queue_add(&job);
}

/* Offers a captured program to its store. */
static void offer(struct program *program)
{
    size_t size;
    uint8_t *blob = program->id.size > 0 ? write_blob(program, &size) : NULL;
    if (blob == NULL) return;
    store_put(program->store, program->id.data, program->id.size, blob, size,
            dnnl_cache_blob_kind_program, program->compile_ns,
            device_driver(program->device));
    /* Compiled again meanwhile: which of the two came last is not known, and
     * the old one must not stay. */
    if (!program_is_wanted(program))
        store_remove(program->store, program->id.data, program->id.size);
    else if (!has_all_forms(program))
        add_form_job(program, program->store, blob, size, program->form_options,
                program->form_kernels);
    free(blob);
}

/* ---- Captured once ------------------------------------------------------- */

/* True if the entry gets its form when nobody waits. */
static bool leaves_form(const struct program *program)
{
    return program->id.size > 0 && program->store != NULL
           && program->folders.count == 0 /* a form is searched for them */
           && atomic_load(&program->form_wish) != 0
           && form_queue_takes(program->device, program->store);
}

/* Not now: who asks later may want it then. */
static bool wants_form(const struct program *program)
{
    return atomic_load(&program->form_wish) != 0;
}

static dnnl_status_t capture(struct program *program, bool is_for_store)
{
    dnnl_status_t st = dnnl_success;
    uint64_t start;
    switch (once_begin(&program->captured)) {
    case once_is_done:
        break;
    case once_is_ours:
        start = clock_ns();
        st = program_read_capture(program,
                is_for_store ? !leaves_form(program) : wants_form(program));
        program->is_doubtful =
                st == dnnl_success
                && (program->names_folder
                        || identity_changed_file(device_driver(program->device))
                                   != NULL);
        once_end(&program->captured, st == dnnl_success);
        if (st == dnnl_success)
            program_report_capture(program, clock_ns() - start);
        if (st == dnnl_success && !program->is_doubtful
                && program_is_wanted(program))
            offer(program);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

dnnl_status_t program_capture(struct program *program)
{
    return capture(program, true);
}

/* With its form, which the application waits for: it has asked for the bytes.
 */
static dnnl_status_t capture_whole(struct program *program)
{
    dnnl_status_t st = capture(program, false);
    if (st != dnnl_success || has_all_forms(program) || !wants_form(program))
        return st;
    switch (once_begin(&program->formed)) {
    case once_is_done:
        break;
    case once_is_ours:
        st = program_make_form(program);
        once_end(&program->formed, st == dnnl_success);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

void program_form_later(
        struct program *program, struct store *store, const char *options)
{
    struct finalised_kernel *kernels = NULL;
    size_t size;
    if (program->finaliser[0] != '\0' || program->kernel_count == 0
            || program->folders.count > 0
            || !form_queue_takes(program->device, store)
            || !store_can_put(store, device_driver(program->device))
            || atomic_exchange(&program->has_form_job, true))
        return;
    uint8_t *blob = write_blob(program, &size);
    char *copy = strdup(options);
    if (blob != NULL && copy != NULL
            && finalised_form_read_kernels(program->cl, program->device,
                       (const char *)program->kernels.data,
                       program->kernel_count, &kernels)
                       == dnnl_success)
        add_form_job(program, store, blob, size, copy, kernels);
    free(kernels);
    free(copy);
    free(blob);
}

void program_share(struct program *program)
{
    if (program->store == NULL || store_is_inside()
            || !program_is_worth_capturing(program)
            || once_begin(&program->captured) != once_is_ours)
        return;
    if (program_read_capture(program, !leaves_form(program)) == dnnl_success) {
        if (!program->names_folder) offer(program);
        program_drop_capture(program);
        atomic_store(&program->is_shared, true);
        waiting_remove(program);
    }
    once_end(&program->captured, false);
}

void program_share_taken(struct program *program)
{
    if (program->store != NULL && !store_is_inside()
            && program_is_worth_capturing(program)) {
        offer(program);
        atomic_store(&program->is_shared, true);
        waiting_remove(program);
    }
    program->known_size = (size_t)program->raw_size;
    program_drop_capture(program);
    once_fini(&program->captured);
    once_init(&program->captured);
}

/* Adds the code to what was read; NULL: reads. done: what it is if the capture
 * has begun and ended before. */
static dnnl_status_t work_ahead(struct program *program,
        const struct pocl_code *code, dnnl_status_t done)
{
    dnnl_status_t st = done;
    switch (once_begin(&program->captured)) {
    case once_is_done:
        break;
    case once_is_ours:
        st = code != NULL ? program_read_add(program, code)
                          : program_read(program);
        once_end(&program->captured, false);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

dnnl_status_t program_read_ahead(struct program *program)
{
    return work_ahead(program, NULL, dnnl_success);
}

dnnl_status_t program_add_ahead(
        struct program *program, const struct pocl_code *code)
{
    return work_ahead(program, code, dnnl_invalid_arguments);
}

void program_keep(struct program *program)
{
    if (program->store != NULL && !store_is_inside()
            && !once_get_done(&program->captured)
            && program_is_worth_capturing(program))
        (void)program_capture(program);
}

/* Empty: not to be had; NULL: no memory. Several threads may ask; the first
 * answer stays. */
static const struct buffer *kernel_names(struct program *p)
{
    uint32_t count;
    struct buffer *known = NULL;
    struct buffer *names = atomic_load(&p->kernel_names);
    if (names != NULL) return names;
    names = calloc(1, sizeof *names);
    if (names == NULL) return NULL;
    if (program_binary_names(p->cl, names, &count) != dnnl_success) {
        buffer_fini(names);
        *names = (struct buffer){NULL, 0, 0, false};
    }
    if (atomic_compare_exchange_strong(&p->kernel_names, &known, names))
        return names;
    free_names(names);
    return known;
}

bool program_may_have_kernel(struct program *program, const char *name)
{
    const struct buffer *names = kernel_names(program);
    return names == NULL || names->size == 0
           || program_names_have((const char *)names->data, names->size, name);
}

void program_note_launched(struct program *program)
{
    if (once_begin(&program->captured) != once_is_ours) return;
    program_find_folder(program);
    once_end(&program->captured, false);
}

void program_note_left(struct program *program)
{
    if (once_begin(&program->captured) != once_is_ours) return;
    program_remember_folder(program);
    once_end(&program->captured, false);
}

dnnl_status_t program_close(struct program *program)
{
    dnnl_status_t st = dnnl_success;
    if (!once_get_done(&program->captured)
            && program_is_worth_capturing(program))
        st = program_capture(program);
    if (st == dnnl_success) atomic_store(&program->is_closed, true);
    return st;
}

/* Of a program's blob; those of a primitive's are the primitive's own. */
static dnnl_status_t take_facts(struct program *p, enum blob_kind kind,
        const struct blob_kernel *kernel)
{
    if (kind == blob_kind_program && kernel->facts_size > 0) {
        buffer_append(&p->facts, kernel->facts,
                strnlen((const char *)kernel->facts, kernel->facts_size));
        dnnl_status_t st = program_use_take(&p->use, kernel, p->raw_size);
        if (st != dnnl_success) return st;
    }
    buffer_append_u8(&p->facts, 0);
    return dnnl_success;
}

/* The log with the program's folders; to be freed. NULL: no memory, or it has
 * marks that are none of its. */
static char *shown_log(const struct program *p, size_t *size)
{
    *size = p->log.size - 1;
    return option_folders_show(&p->folders, (const char *)p->log.data, size);
}

/* Whether the log of a blob is one of the program's folders. */
static dnnl_status_t check_log(const struct program *p)
{
    if (p->folders.count == 0) return dnnl_success;
    const bool is_fine = option_folders_suit(
            &p->folders, (const char *)p->log.data, p->log.size - 1);
    return is_fine ? dnnl_success : dnnl_cache_blob_stale;
}

dnnl_status_t program_take(struct program *p, const struct program_blob *blob)
{
    const struct blob_view *view = &blob->view;
    const struct blob_program *record = &blob->program;

    buffer_append(&p->binary, record->binary, record->binary_size);
    buffer_append(&p->log, record->log, record->log_size);
    buffer_append_u8(&p->log, 0);
    buffer_append(&p->user_data, view->user_data, view->user_data_size);
    buffer_append(&p->included, view->included, view->included_size);
    p->raw_size = record->raw_size;
    p->codec = (enum blob_codec)record->codec;
    buffer_append(&p->form, record->final_binary, record->final_size);
    p->form_raw_size = record->final_raw_size;
    p->form_codec = (enum blob_codec)record->final_codec;
    if (record->finaliser_size > 0)
        memcpy(p->finaliser, record->finaliser, record->finaliser_size);
    for (uint32_t i = 0; i < view->kernel_count; i++) {
        struct blob_kernel kernel;
        dnnl_status_t st = blob_view_kernel(view, i, &kernel);
        if (st != dnnl_success) return st;
        if (kernel.program != blob->index) continue;
        buffer_append(&p->kernels, kernel.name, kernel.name_size);
        buffer_append_u8(&p->kernels, 0);
        st = take_facts(p, view->kind, &kernel);
        if (st != dnnl_success) return st;
        p->kernel_count++;
    }
    /* Of a primitive's blob it is known to have what the primitive needs. */
    p->use.is_loaded = view->kind == blob_kind_program;
    dnnl_status_t st = buffer_status(&p->binary);
    if (st == dnnl_success) st = buffer_status(&p->form);
    if (st == dnnl_success) st = buffer_status(&p->log);
    if (st == dnnl_success) st = buffer_status(&p->kernels);
    if (st == dnnl_success) st = buffer_status(&p->facts);
    if (st == dnnl_success) st = buffer_status(&p->user_data);
    if (st == dnnl_success) st = buffer_status(&p->included);
    if (st == dnnl_success) st = check_log(p);
    if (st == dnnl_success) once_set_done(&p->captured);
    return st;
}

dnnl_status_t program_set_user_data(
        struct program *program, const void *data, size_t size)
{
    struct buffer copy = {NULL, 0, 0, false};
    buffer_append(&copy, data, size);
    dnnl_status_t st = buffer_status(&copy);
    if (st == dnnl_success && atomic_load(&program->is_closed))
        st = dnnl_invalid_arguments;
    if (st != dnnl_success) {
        buffer_fini(&copy);
        return st;
    }
    struct buffer unused = copy;
    switch (once_begin(&program->captured)) {
    case once_is_done:
        st = dnnl_invalid_arguments;
        break;
    case once_is_ours:
        /* No capture is under way, and none begins before the end. */
        unused = program->user_data;
        program->user_data = copy;
        atomic_store(&program->has_user_data, size > 0);
        once_end(&program->captured, false);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    buffer_fini(&unused);
    return st;
}

void program_set_included(struct program *program, struct buffer *included)
{
    if (included->size > 0 && buffer_status(included) == dnnl_success
            && once_begin(&program->captured) == once_is_ours) {
        const struct buffer unused = program->included;
        program->included = *included;
        *included = unused;
        once_end(&program->captured, false);
    }
    buffer_fini(included);
}

dnnl_status_t program_get_user_data(
        struct program *program, size_t *size, void *out)
{
    dnnl_status_t st = dnnl_runtime_error;
    enum once_state answer = once_begin(&program->captured);
    if (answer != once_is_nested)
        st = output_bytes(
                program->user_data.data, program->user_data.size, size, out);
    if (answer == once_is_ours) once_end(&program->captured, false);
    return st;
}

bool program_is_certain(const struct program *program)
{
    return !program->is_doubtful;
}

dnnl_status_t program_describe(
        struct program *program, struct blob_program *record)
{
    dnnl_status_t st = capture_whole(program);
    if (st == dnnl_success) *record = record_of(program);
    return st;
}

dnnl_status_t program_write_blob(
        struct program *program, size_t *size, uint8_t *out)
{
    struct contents contents;
    dnnl_status_t st = capture_whole(program);
    if (st == dnnl_success && !program_is_certain(program)) {
        *size = 0;
        return dnnl_success;
    }
    if (st == dnnl_success) st = contents_init(&contents, program);
    if (st != dnnl_success) return st;
    st = output_blob(&contents.blob, size, out);
    free(contents.kernels);
    return st;
}

static bool is_same(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

bool program_matches(struct program *program, const struct program_blob *blob)
{
    const struct blob_program *theirs = &blob->program;
    if (!once_get_done(&program->captured)) return false;
    const struct blob_program ours = record_of(program);
    return ours.codec == theirs->codec && ours.raw_size == theirs->raw_size
           && is_same(ours.binary, ours.binary_size, theirs->binary,
                   theirs->binary_size)
           && is_same(ours.final_binary, ours.final_size, theirs->final_binary,
                   theirs->final_size)
           && is_same(ours.finaliser, ours.finaliser_size, theirs->finaliser,
                   theirs->finaliser_size)
           && ours.final_raw_size == theirs->final_raw_size
           && ours.final_codec == theirs->final_codec
           && is_same(ours.log, ours.log_size, theirs->log, theirs->log_size)
           && is_same(program->user_data.data, program->user_data.size,
                   blob->view.user_data, blob->view.user_data_size)
           && is_same(program->included.data, program->included.size,
                   blob->view.included, blob->view.included_size);
}

dnnl_status_t program_build_log(struct program *program, struct buffer *out)
{
    if (!once_get_done(&program->captured))
        return program_read_log(program, out);
    if (program->folders.count == 0 || program->names_folder) {
        buffer_append(out, program->log.data, program->log.size);
        return buffer_status(out);
    }
    size_t size;
    char *log = shown_log(program, &size);
    if (log == NULL) return dnnl_out_of_memory; /* it was shown before */
    buffer_append(out, log, size + 1);
    free(log);
    return buffer_status(out);
}
