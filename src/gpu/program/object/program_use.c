/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/program_use.h"

#include "src/binaries/pocl_layout.h"
#include "src/blob/reader.h"
#include "src/common/array.h"
#include "src/common/log.h"
#include "src/gpu/device/capture_cost.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/gpu/program/object/build_note.h"
#include "src/gpu/program/object/program_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct class_use {
    struct launch_class launch;
    bool is_in_blob;
    bool is_recorded;
};

struct kernel_use {
    struct kernel_use *next;
    size_t count;
    struct class_use *classes; /* owned; at most launch_classes_max */
    char name[];
};

static void free_kernel(struct kernel_use *kernel)
{
    if (kernel != NULL) free(kernel->classes);
    free(kernel);
}

void program_use_init(struct program_use *use, const struct program_id *id,
        cl_device_id device)
{
    use->id = id;
    pthread_mutex_init(&use->lock, NULL);
    atomic_init(&use->build, NULL);
    atomic_init(&use->record, NULL);
    atomic_init(&use->is_lost, false);
    atomic_init(&use->is_foreign, false);
    atomic_init(&use->is_incomplete, false);
    atomic_init(&use->is_full, false);
    use->has_classes = capture_has_classes(device);
}

void program_use_fini(struct program_use *use)
{
    while (use->kernels != NULL) {
        struct kernel_use *kernel = use->kernels;
        use->kernels = kernel->next;
        free_kernel(kernel);
    }
    store_release(use->store);
    store_release(atomic_load(&use->record));
    build_note_destroy(atomic_load(&use->build));
    pthread_mutex_destroy(&use->lock);
}

/* True if the application reports launches: then a kernel without one was not
 * launched. */
static bool are_reported(struct program_use *use)
{
    return program_use_is_attached(use)
           && atomic_load(&use->store->has_reports);
}

/* ---- Lists --------------------------------------------------------------- */

static struct kernel_use *find_locked(
        const struct program_use *use, const char *name)
{
    struct kernel_use *kernel = use->kernels;
    while (kernel != NULL && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    return kernel;
}

/* Found or made; NULL: no memory. */
static struct kernel_use *get_locked(struct program_use *use, const char *name)
{
    struct kernel_use *kernel = find_locked(use, name);
    if (kernel != NULL) return kernel;
    const size_t size = strlen(name) + 1;
    kernel = calloc(1, sizeof *kernel + size);
    if (kernel == NULL) return NULL;
    memcpy(kernel->name, name, size);
    kernel->next = use->kernels;
    use->kernels = kernel;
    return kernel;
}

static struct class_use *find_class(
        struct kernel_use *kernel, const struct launch_class *launch)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (launch_class_is_same(&kernel->classes[i].launch, launch))
            return &kernel->classes[i];
    return NULL;
}

/* False: it is there, or there are too many, or there is no memory. */
static bool add_class(struct kernel_use *kernel,
        const struct launch_class *launch, bool is_in_blob)
{
    if (kernel->count == launch_classes_max
            || find_class(kernel, launch) != NULL
            || !array_grow(
                    &kernel->classes, kernel->count, sizeof *kernel->classes))
        return false;
    kernel->classes[kernel->count++] =
            (struct class_use){*launch, is_in_blob, false};
    return true;
}

/* False: it was before, or there are too many classes. */
static bool mark_recorded(
        struct kernel_use *kernel, const struct launch_class *launch)
{
    struct class_use *use = find_class(kernel, launch);
    if (use == NULL || use->is_recorded) return false;
    use->is_recorded = true;
    return true;
}

/* The driver compiles what the program was loaded for. launch: NULL if it is
 * not known. */
static void note_incomplete(struct program_use *use, const char *kernel,
        const struct launch_class *launch)
{
    if (!use->is_loaded) return;
    if (!atomic_exchange(&use->is_incomplete, true))
        statistics_add(&statistics.programs_incomplete, 1);
    program_report_incomplete(use->id, kernel, launch);
}

/* ---- The journal --------------------------------------------------------- */

void program_use_attach(struct program_use *use, struct store *store,
        const struct program_id *id, const struct program_text *text,
        uint64_t compile_ns)
{
    struct build_note *build =
            build_note_create(dnnl_cache_note_library, id, text, compile_ns);
    if (build == NULL) return;
    pthread_mutex_lock(&use->lock);
    const bool is_first = !program_use_is_attached(use);
    if (is_first) {
        store_retain(store);
        use->store = store;
        atomic_store_explicit(&use->build, build, memory_order_release);
    }
    pthread_mutex_unlock(&use->lock);
    if (!is_first)
        build_note_destroy(build);
    else if (!use->is_loaded)
        use->is_noted = store_note(store, &build->note);
}

bool program_use_is_attached(struct program_use *use)
{
    return atomic_load_explicit(&use->build, memory_order_acquire) != NULL;
}

bool program_use_is_noted(struct program_use *use)
{
    if (!use->is_noted || atomic_load(&use->is_lost)) return false;
    if (!use->has_classes || are_reported(use)) return true;
    /* How the application launches the kernels is not known: the journal would
     * make a binary that compiles them again at each start. */
    pthread_mutex_lock(&use->lock);
    const bool is_used = use->kernels != NULL || atomic_load(&use->is_foreign);
    pthread_mutex_unlock(&use->lock);
    return !is_used;
}

/* The build before each: another process may have dropped it from the journal
 * since. */
static void note_launch(struct program_use *use, const char *name,
        const struct launch_class *launch, cl_uint work_dim)
{
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    const struct build_note *build =
            atomic_load_explicit(&use->build, memory_order_acquire);
    if (build == NULL) return;
    note.kind = dnnl_cache_note_launch;
    note.origin = dnnl_cache_note_library;
    note.id_size = build->note.id_size;
    note.id = build->note.id;
    note.kernel = name;
    launch_class_put(&note, launch, work_dim);
    if (!store_note(use->store, &build->note) || !store_note(use->store, &note))
        atomic_store(&use->is_lost, true);
}

/* ---- The record ---------------------------------------------------------- */

static struct store *record_of(struct program_use *use)
{
    return atomic_load_explicit(&use->record, memory_order_acquire);
}

void program_use_record(struct program_use *use, struct store *store,
        dnnl_cache_note_origin_t origin, const struct program_id *id,
        const struct program_text *text, uint64_t compile_ns)
{
    struct store *none = NULL;
    if (!store_has_record(store) || record_of(use) != NULL) return;
    struct build_note *build = build_note_create(origin, id, text, compile_ns);
    if (build == NULL) return;
    store_record(store, &build->note);
    build_note_destroy(build);
    store_retain(store);
    if (!atomic_compare_exchange_strong(&use->record, &none, store))
        store_release(store);
}

static dnnl_cache_note_t part_of(const struct program_use *use,
        dnnl_cache_note_kind_t kind, const char *name)
{
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = kind;
    note.origin = dnnl_cache_note_library;
    note.id_size = use->id->size;
    note.id = use->id->data;
    note.kernel = name;
    return note;
}

static void record_kernel(struct program_use *use, const char *name)
{
    struct store *store = record_of(use);
    if (store == NULL) return;
    const dnnl_cache_note_t note = part_of(use, dnnl_cache_note_kernel, name);
    store_record(store, &note);
}

void program_use_record_launch(struct program_use *use, const char *name,
        const struct launch_class *launch, cl_uint work_dim)
{
    struct store *store = record_of(use);
    if (store == NULL) return;
    dnnl_cache_note_t note = part_of(use, dnnl_cache_note_launch, name);
    launch_class_put(&note, launch, work_dim);
    store_record(store, &note);
}

/* ---- Uses ---------------------------------------------------------------- */

void program_use_kernel(struct program_use *use, const char *name)
{
    record_kernel(use, name);
    if (!use->has_classes) return;
    pthread_mutex_lock(&use->lock);
    const bool is_missing = find_locked(use, name) == NULL;
    (void)get_locked(use, name);
    pthread_mutex_unlock(&use->lock);
    if (is_missing && !are_reported(use)) note_incomplete(use, name, NULL);
}

dnnl_status_t program_use_launch(struct program_use *use, const char *name,
        const struct launch_class *launch, cl_uint work_dim)
{
    const bool is_recorded = record_of(use) != NULL;
    if (!use->has_classes && !is_recorded) return dnnl_success;
    if (program_use_is_attached(use))
        atomic_store(&use->store->has_reports, true);
    pthread_mutex_lock(&use->lock);
    struct kernel_use *kernel = get_locked(use, name);
    const bool is_new = kernel != NULL && add_class(kernel, launch, false);
    const bool is_to_be_recorded =
            is_recorded && kernel != NULL && mark_recorded(kernel, launch);
    pthread_mutex_unlock(&use->lock);
    if (kernel == NULL) return dnnl_out_of_memory;
    if (is_to_be_recorded)
        program_use_record_launch(use, name, launch, work_dim);
    if (!is_new || !use->has_classes || atomic_load(&use->is_full))
        return dnnl_success;
    note_incomplete(use, name, launch);
    note_launch(use, name, launch, work_dim);
    return dnnl_success;
}

/* ---- In the blob --------------------------------------------------------- */

/* Calls for each class in the facts of a blob's kernel. */
typedef void (*class_callback_t)(
        struct kernel_use *kernel, const struct launch_class *launch);

static void read_facts(const struct blob_kernel *record,
        struct kernel_use *kernel, class_callback_t callback)
{
    const char *at = (const char *)record->facts;
    const char *end = at + record->facts_size;
    struct launch_class launch;
    while (record->facts_size > 0 && at < end) {
        const size_t size = launch_class_read(&launch, at, end);
        if (size == 0) return;
        callback(kernel, &launch);
        at += size + 1; /* a comma, or the NUL */
    }
}

static void add_from_blob(
        struct kernel_use *kernel, const struct launch_class *launch)
{
    (void)add_class(kernel, launch, true);
}

/* The classes of all kernels. */
static size_t count_locked(const struct program_use *use)
{
    size_t count = 0;
    for (const struct kernel_use *k = use->kernels; k != NULL; k = k->next)
        count += k->count;
    return count;
}

dnnl_status_t program_use_take(struct program_use *use,
        const struct blob_kernel *record, uint64_t binary_bytes)
{
    if (!use->has_classes || record->facts_size == 0) return dnnl_success;
    pthread_mutex_lock(&use->lock);
    struct kernel_use *kernel = get_locked(use, record->name);
    if (kernel != NULL) read_facts(record, kernel, add_from_blob);
    if (launch_classes_are_full(count_locked(use), binary_bytes))
        atomic_store(&use->is_full, true);
    pthread_mutex_unlock(&use->lock);
    return kernel != NULL ? dnnl_success : dnnl_out_of_memory;
}

/* What PoCL's binary has a file of: "/name/64-1-1-goffs0-smallgrid/name.so". */
static void find_in_binary(
        struct kernel_use *found, const uint8_t *binary, size_t size)
{
    const uint8_t *end = binary + size;
    const size_t name_size = strlen(found->name);
    const char *at = (const char *)binary;
    while ((at = memmem(at, (size_t)((const char *)end - at), found->name,
                    name_size))
            != NULL) {
        const char *name = at;
        struct launch_class launch;
        at += name_size;
        if (name == (const char *)binary || name[-1] != '/'
                || at == (const char *)end || *at != '/')
            continue;
        const size_t taken =
                launch_class_read(&launch, at + 1, (const char *)end);
        if (taken > 0 && (size_t)((const char *)end - at) > taken + 1
                && at[taken + 1] == '/')
            (void)add_class(found, &launch, true);
    }
}

void program_use_facts(struct program_use *use, const char *name,
        const uint8_t *binary, size_t size, struct buffer *facts)
{
    const size_t name_size = strlen(name) + 1;
    if (!use->has_classes) return;
    struct kernel_use *found = calloc(1, sizeof *found + name_size);
    if (found == NULL) return;
    memcpy(found->name, name, name_size);
    const bool is_pocl = pocl_layout_is(binary, size);
    if (is_pocl) find_in_binary(found, binary, size);
    pthread_mutex_lock(&use->lock);
    const struct kernel_use *kernel = find_locked(use, name);
    /* What the driver chose is in the binary under the size that it chose. */
    for (size_t i = 0; kernel != NULL && i < kernel->count; i++)
        if (!is_pocl || (kernel->classes[i].launch.is_auto && found->count > 0))
            (void)add_class(found, &kernel->classes[i].launch, true);
    pthread_mutex_unlock(&use->lock);
    for (size_t i = 0; i < found->count; i++) {
        char text[launch_class_text_size];
        launch_class_write(text, &found->classes[i].launch);
        if (facts->size > 0) buffer_append_u8(facts, ',');
        buffer_append(facts, text, strlen(text));
    }
    if (facts->size > 0) buffer_append_u8(facts, 0);
    free_kernel(found);
}

/* The first one of a list that is not among the names. */
static const struct kernel_use *next_unknown_locked(
        const struct kernel_use *kernel, const struct buffer *names)
{
    while (kernel != NULL
            && program_names_have(
                    (const char *)names->data, names->size, kernel->name))
        kernel = kernel->next;
    return kernel;
}

void program_use_tell_unknown(
        struct program_use *use, const struct buffer *names)
{
    char text[200] = "";
    pthread_mutex_lock(&use->lock);
    const struct kernel_use *kernel = next_unknown_locked(use->kernels, names);
    if (kernel != NULL) (void)snprintf(text, sizeof text, "%s", kernel->name);
    pthread_mutex_unlock(&use->lock);
    if (text[0] != '\0')
        log_message(dnnl_cache_log_warning, "program",
                "dnnl_cache_program_note_launch() was called for a kernel "
                "\"%s\", which the program does not have",
                text);
}

static void check_off(
        struct kernel_use *kernel, const struct launch_class *launch)
{
    struct class_use *use = find_class(kernel, launch);
    if (use != NULL) use->is_in_blob = true;
}

/* True if the blob's record has all of the kernel's classes, or some where none
 * is known. */
static bool is_within_locked(struct program_use *use, struct kernel_use *kernel,
        const struct blob_kernel *record)
{
    if (kernel->count == 0) return record->facts_size > 0 || are_reported(use);
    for (size_t i = 0; i < kernel->count; i++)
        kernel->classes[i].is_in_blob = false;
    read_facts(record, kernel, check_off);
    for (size_t i = 0; i < kernel->count; i++)
        if (!kernel->classes[i].is_in_blob) return false;
    return true;
}

static bool is_within_blob(struct program_use *use, struct kernel_use *kernel,
        const struct blob_view *view)
{
    struct blob_kernel record;
    for (uint32_t i = 0; i < view->kernel_count; i++)
        if (blob_view_kernel(view, i, &record) == dnnl_success
                && strcmp(record.name, kernel->name) == 0)
            return is_within_locked(use, kernel, &record);
    return false;
}

/* Nothing is added to it any more. */
static bool is_full(const struct blob_view *view)
{
    size_t count = 0;
    struct blob_kernel record;
    struct launch_class launch;
    for (uint32_t i = 0; i < view->kernel_count; i++) {
        if (blob_view_kernel(view, i, &record) != dnnl_success
                || record.facts_size == 0
                || record.facts[record.facts_size - 1] != 0)
            continue;
        for (const char *list = (const char *)record.facts;
                launch_class_read_next(&launch, &list);)
            count++;
    }
    return launch_classes_are_full(count, view->binary_bytes);
}

bool program_use_is_within(
        struct program_use *use, const struct blob_view *view)
{
    bool is_inside = !atomic_load(&use->is_foreign) || are_reported(use);
    if (is_full(view)) return is_inside;
    pthread_mutex_lock(&use->lock);
    for (struct kernel_use *k = use->has_classes ? use->kernels : NULL;
            is_inside && k != NULL; k = k->next)
        is_inside = is_within_blob(use, k, view);
    pthread_mutex_unlock(&use->lock);
    return is_inside;
}
