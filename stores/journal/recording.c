/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/recording.h"

#include "src/common/sized_struct.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "stores/journal/journal_append.h"
#include "stores/journal/journal_file.h"
#include "stores/journal/record_attach.h"
#include "stores/journal/record_id.h"
#include "stores/journal/record_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a program in one process: an application may choose another size each
 * time. */
enum { most_launches = 256 };

/* A use is noted once in so many days. */
static const uint64_t use_period_ns = UINT64_C(7 * 86400) * 1000000000u;

struct record {
    dnnl_cache_store_handle_t base; /* first */
    char *tag;                      /* owned */
    struct fork_mutex lock;         /* guards names; a leaf but for memory */
    struct record_names names;
};

/* ---- A store without entries --------------------------------------------- */

static dnnl_status_t get_nothing(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    (void)user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    return dnnl_cache_miss;
}

static void release_nothing(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static dnnl_status_t iterate_nothing(dnnl_cache_store_handle_t *store,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    (void)store;
    (void)visit;
    (void)user;
    return dnnl_success;
}

static uint64_t no_bytes(const dnnl_cache_store_handle_t *store)
{
    (void)store;
    return 0;
}

static dnnl_status_t trim_nothing(dnnl_cache_store_handle_t *store,
        uint64_t max_bytes, uint64_t max_age_seconds, enum store_ages ages,
        uint64_t *removed)
{
    (void)store;
    (void)max_bytes;
    (void)max_age_seconds;
    (void)ages;
    (void)removed;
    return dnnl_success;
}

static dnnl_status_t verify_nothing(dnnl_cache_store_handle_t *store,
        bool repair, dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    (void)store;
    (void)repair;
    (void)progress;
    (void)user;
    (void)check;
    return dnnl_success;
}

static int find_place(struct store_place *place,
        const dnnl_cache_store_handle_t *base, enum store_beside file)
{
    const char *path = base->options.path; /* absolute */
    const char *slash = strrchr(path, '/');
    char folder[path_size];
    const size_t size = (size_t)(slash - path);
    if (file != store_beside_journal) return ENOTSUP;
    if (size + 2 > sizeof folder || strlen(slash + 1) >= sizeof place->name)
        return ENAMETOOLONG;
    memcpy(folder, path, size);
    strcpy(folder + size, size == 0 ? "/" : "");
    strcpy(place->name, slash + 1);
    return folder_open(&place->folder_fd, file_here, folder);
}

static void close_record(dnnl_cache_store_handle_t *base)
{
    struct record *record = (struct record *)base;
    free(record->tag);
    record_names_fini(&record->names);
    fork_mutex_fini(&record->lock);
    store_fini(base);
    free(record);
}

static const struct store_calls record_store_calls = {
        .close = close_record,
        .iterate = iterate_nothing,
        .bytes = no_bytes,
        .trim = trim_nothing,
        .verify = verify_nothing,
        .find_place = find_place,
};

/* ---- Opening ------------------------------------------------------------- */

static dnnl_status_t note(void *user, const dnnl_cache_note_t *note)
{
    return dnnl_cache_recording_add(user, note);
}

static const dnnl_cache_store_t record_callbacks = {
        .get = get_nothing,
        .release = release_nothing,
};

/* Is what is there a record, or may one be made there? Whoever adds to it looks
 * again. */
static int look(dnnl_cache_store_handle_t *store, bool must_exist)
{
    struct store_place place;
    uint8_t *data = NULL;
    size_t size = 0;
    int error = store_place_find(&place, store, store_beside_journal);
    if (error != 0) return error;
    store_place_leave(&place);
    error = journal_file_read_head(&data, &size, store);
    if (error == ENOENT && !must_exist) return 0;
    if (error == 0 && !journal_is_head(size, data)
            && !journal_is_head_begun(size, data))
        error = EBADMSG;
    free(data);
    return error;
}

static dnnl_status_t fail(const dnnl_cache_store_handle_t *record, int error)
{
    /* EPERM was told. */
    if (error != EPERM)
        store_log(record, dnnl_cache_log_warning, "%s: %s",
                record->options.path,
                error == EBADMSG ? "not a record" : strerror(error));
    return store_status_of(error);
}

dnnl_status_t dnnl_cache_recording_open(dnnl_cache_store_handle_t **record,
        const struct dnnl_cache_recording_options *callers)
{
    struct dnnl_cache_recording_options ours;
    const struct dnnl_cache_recording_options *options = &ours;
    if (record == NULL || callers == NULL
            || !sized_struct_read(&ours, sizeof ours, callers)
            || options->path == NULL)
        return dnnl_invalid_arguments;
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    /* A link to one that is read is fine; none is written through. */
    char *path = options->read_only ? path_absolute(options->path) : NULL;
    o.path = path != NULL ? path : options->path;
    o.read_only = options->read_only;
    o.sharing = options->read_only ? dnnl_cache_store_sharing_group
                                   : dnnl_cache_store_sharing_private;
    o.log = options->log;
    o.log_user = options->log_user;
    struct record *opened = calloc(1, sizeof *opened);
    dnnl_status_t st = dnnl_out_of_memory;
    if (opened != NULL)
        st = store_init(&opened->base, &record_store_calls, &record_callbacks,
                &store_usual_defaults, &o);
    free(path);
    if (st != dnnl_success) {
        free(opened);
        return st;
    }
    (void)fork_mutex_init(&opened->lock);
    opened->base.journal.is_alone = true;
    opened->tag = strdup(options->tag != NULL ? options->tag : "");
    const int error = opened->tag == NULL
                              ? ENOMEM
                              : look(&opened->base, options->read_only);
    if (error != 0) {
        st = fail(&opened->base, error);
        close_record(&opened->base);
        return st;
    }
    if (!options->read_only) {
        opened->base.is_writable = true;
        opened->base.callbacks.note = note;
    }
    *record = &opened->base;
    return dnnl_success;
}

/* ---- Adding -------------------------------------------------------------- */

static struct record *record_of(dnnl_cache_store_handle_t *store)
{
    return store != NULL && store->calls == &record_store_calls
                   ? (struct record *)store
                   : NULL;
}

static void lock(struct record *record)
{
    if (fork_lock(&record->lock) == fork_torn)
        record->names = (struct record_names){.count = 0};
}

static dnnl_status_t append(struct record *record,
        const dnnl_cache_note_t *note, const struct journal_writer *writer,
        uint64_t used_ns)
{
    const struct journal_uses uses = {used_ns, use_period_ns};
    return journal_append(&record->base, note, writer, &uses);
}

static dnnl_status_t append_here(
        struct record *record, const dnnl_cache_note_t *note)
{
    const struct journal_writer writer = {process_program_name(), record->tag};
    return append(record, note, &writer, clock_epoch_ns());
}

/* Does a word of the options end there? */
static bool is_end_of_word(const char *at)
{
    at += strspn(at, "/");
    return *at == '\0' || strchr(" \"'", *at) != NULL;
}

/* Does a path begin there? */
static bool is_begin_of_path(const char *options, const char *at)
{
    return at == options || strchr(" \"'=", at[-1]) != NULL
           || (at - options >= 2 && at[-2] == '-' && at[-1] == 'I');
}

/* The folder that it was compiled in, if the options name it: that tells where
 * nothing lies that they do not tell, and it has another ID in another one.
 * NULL: they do not. */
static const char *named_directory(const dnnl_cache_note_t *note)
{
    const char *path = note->directory;
    const size_t size = path != NULL ? strlen(path) : 0;
    if (size < 2 || path[0] != '/' || note->options == NULL
            || note->reads_files == 0)
        return NULL;
    for (const char *at = note->options; (at = strstr(at, path)) != NULL; at++)
        if (is_begin_of_path(note->options, at) && is_end_of_word(at + size))
            return path;
    return NULL;
}

/* The IDs of the record for what is linked, the caller's; false: one of them
 * was not added. The lock is held. */
static bool name_inputs(struct record *record, dnnl_cache_note_t *copy,
        const dnnl_cache_note_t *note, size_t *sizes, const uint8_t **ids)
{
    for (size_t i = 0; i < note->input_count; i++) {
        const struct record_name *input = record_names_find(
                &record->names, note->input_id_sizes[i], note->input_ids[i]);
        if (input == NULL) return false;
        sizes[i] = input->size;
        ids[i] = input->id;
    }
    copy->input_id_sizes = sizes;
    copy->input_ids = ids;
    return true;
}

/* The lock is held. */
static dnnl_status_t add_new_build(
        struct record *record, const dnnl_cache_note_t *note)
{
    dnnl_cache_note_t copy = *note;
    struct journal_bytes id = {NULL, 0, 0, false};
    size_t *sizes = calloc(note->input_count + 1, sizeof *sizes);
    const uint8_t **ids = calloc(note->input_count + 1, sizeof *ids);
    struct record_headers headers;
    dnnl_status_t st = dnnl_out_of_memory;
    const bool has_headers = record_headers_init(&headers, &copy);
    if (sizes == NULL || ids == NULL || !has_headers) goto out;
    st = dnnl_invalid_arguments;
    if (!name_inputs(record, &copy, note, sizes, ids)) goto out;
    /* Which files a driver has of its own is not the program's. */
    if (copy.reads_files != 2)
        copy.reads_files = copy.header_count > note->header_count;
    copy.file_count = 0;
    copy.directory = named_directory(note);
    if (copy.directory != NULL && copy.reads_files == 0) copy.reads_files = 1;
    st = dnnl_out_of_memory;
    record_id_put(&id, &copy, note->id_size, note->id);
    if (id.failed) goto out;
    copy.id = id.data;
    copy.id_size = id.size;
    st = append_here(record, &copy);
    /* What the record has no room for has no launches there either. */
    if (st == dnnl_success
            && !record_names_add(
                    &record->names, note->id_size, note->id, id.size, id.data))
        st = dnnl_out_of_memory;
out:
    record_headers_fini(&headers);
    free(id.data);
    free(ids);
    free(sizes);
    return st;
}

static dnnl_status_t add_part(struct record *record, struct record_name *build,
        const dnnl_cache_note_t *note)
{
    dnnl_cache_note_t copy = *note;
    const bool is_launch = note->kind == dnnl_cache_note_launch;
    if (is_launch && build->launches == most_launches)
        return dnnl_runtime_error;
    copy.id = build->id;
    copy.id_size = build->size;
    const dnnl_status_t st = append_here(record, &copy);
    if (st == dnnl_success) build->launches += is_launch;
    return st;
}

dnnl_status_t dnnl_cache_recording_add(
        dnnl_cache_store_handle_t *store, const dnnl_cache_note_t *note)
{
    struct record *record = record_of(store);
    dnnl_cache_note_t copy;
    if (record == NULL || note == NULL || !journal_copy_note(&copy, note)
            || !journal_note_is_valid(&copy)
            || copy.kind == dnnl_cache_note_made)
        return dnnl_invalid_arguments;
    if (!store->is_writable) return dnnl_runtime_error;
    lock(record);
    struct record_name *build =
            record_names_find(&record->names, copy.id_size, copy.id);
    dnnl_status_t st = dnnl_success;
    if (copy.kind != dnnl_cache_note_build)
        st = build != NULL ? add_part(record, build, &copy)
                           : dnnl_invalid_arguments;
    else if (build == NULL)
        st = add_new_build(record, &copy);
    fork_unlock(&record->lock);
    return st;
}

dnnl_status_t dnnl_cache_recording_copy(dnnl_cache_store_handle_t *store,
        const struct dnnl_cache_store_journal_item *callers)
{
    struct record *record = record_of(store);
    struct dnnl_cache_store_journal_item item;
    dnnl_cache_note_t note;
    if (record == NULL || callers == NULL
            || !sized_struct_read(&item, sizeof item, callers)
            || item.note == NULL || item.application == NULL
            || !journal_copy_note(&note, item.note))
        return dnnl_invalid_arguments;
    const struct journal_writer writer = {
            item.application, item.tag != NULL ? item.tag : ""};
    /* Paths, which a journal has. */
    note.file_count = 0;
    note.directory = named_directory(&note);
    return append(record, &note, &writer, item.used_ns);
}

/* ---- The process's ------------------------------------------------------- */

static struct {
    struct fork_mutex lock; /* guards the others; held while the record
                             * is opened, once: others wait for it */
    bool was_opened;
    dnnl_cache_store_handle_t *record; /* NULL: none */
} of_process = {.lock = FORK_MUTEX_INIT};

static dnnl_cache_store_handle_t *open_of_process(
        dnnl_cache_log_callback_t log, void *log_user)
{
    dnnl_cache_store_handle_t *record = NULL;
    const char *path = environment_get(DNNL_CACHE_RECORD_VARIABLE);
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = path,
            .tag = environment_get(DNNL_CACHE_RECORD_TAG_VARIABLE),
            .log = log,
            .log_user = log_user};
    if (path != NULL && path[0] == '/')
        (void)dnnl_cache_recording_open(&record, &options);
    /* Who asked may be gone when there is something to tell. */
    if (record != NULL) record->options.log = NULL;
    return record;
}

dnnl_cache_store_handle_t *dnnl_cache_recording_of_process(
        dnnl_cache_log_callback_t log, void *log_user)
{
    /* Torn: the parent was at it, and the child opens its own. */
    (void)fork_lock(&of_process.lock);
    if (!of_process.was_opened)
        of_process.record = open_of_process(log, log_user);
    of_process.was_opened = true;
    dnnl_cache_store_handle_t *record = of_process.record;
    fork_unlock(&of_process.lock);
    return record;
}

static dnnl_status_t note_in_process(void *user, const dnnl_cache_note_t *note)
{
    const dnnl_cache_store_handle_t *store = user;
    dnnl_cache_store_handle_t *record = dnnl_cache_recording_of_process(
            store->options.log, store->options.log_user);
    return record != NULL ? dnnl_cache_recording_add(record, note)
                          : dnnl_runtime_error;
}

void record_attach(dnnl_cache_store_handle_t *store)
{
    const char *path = environment_get(DNNL_CACHE_RECORD_VARIABLE);
    if (path != NULL && path[0] == '/')
        store->callbacks.record = note_in_process;
}
