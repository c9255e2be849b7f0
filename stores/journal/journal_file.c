/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/journal_file.h"

#include "src/platform/clock.h"
#include "src/platform/signal_mask.h"
#include "stores/files/store_file.h"
#include "stores/files/store_lock.h"
#include "stores/journal/journal_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ------------------------------------------------------------- */

static int find_place(
        struct journal_file *file, const dnnl_cache_store_handle_t *store)
{
    return store_place_find(&file->place, store, store_beside_journal);
}

static bool is_journal(int fd)
{
    uint8_t head[journal_head_size];
    return file_read_at(fd, head, sizeof head, 0) == 0
           && journal_is_head(sizeof head, head);
}

/* Why a file is not to be used; NULL: it may be. A second name is that of a
 * copy of the store (store_detach.h); a record is where the user says, and what
 * is not one there stays as it is. */
static const char *find_danger(int fd, const struct file_facts *facts,
        const dnnl_cache_store_handle_t *store)
{
    const struct dnnl_cache_store_options *options = &store->options;
    if (facts->kind != file_is_plain) return "not a regular file";
    if (facts->links > 1 && store->journal.is_alone && !is_journal(fd))
        return "it has a second name, and is no record";
    if (store_is_shared(options)) return NULL;
    if (!file_is_own(facts) && facts->owner != 0)
        return "it belongs to another user";
    if ((facts->mode & file_others_write) != 0) return "others may write to it";
    return NULL;
}

static int refuse(const dnnl_cache_store_handle_t *store, const char *name,
        const char *why)
{
    if (store->journal.is_alone)
        store_log(store, dnnl_cache_log_warning, "%s: not used as a record: %s",
                store->options.path, why);
    else
        store_log(store, dnnl_cache_log_warning, "%s: journal '%s' ignored: %s",
                store->options.path, name, why);
    return EPERM;
}

static int check_file(const dnnl_cache_store_handle_t *store, const char *name,
        int fd, struct file_facts *facts)
{
    const int error = file_facts(facts, fd);
    if (error != 0) return error;
    if (facts->links == 0) return 0; /* replaced meanwhile */
    const char *why = find_danger(fd, facts, store);
    return why == NULL ? 0 : refuse(store, name, why);
}

/* Of those that look for themselves at what they have opened. */
enum {
    journal_flags = file_for_reading | file_no_link | file_no_wait | file_kept
};

/* What goes away by itself: somebody made, removed or replaced the file between
 * two looks, or the application exchanged a descriptor. */
static bool is_passing(int error)
{
    return error == ENOENT || error == EEXIST || error == EAGAIN
           || error == ESTALE || error == EBADF;
}

enum { most_tries = 8 };

static int open_for_writing(struct journal_file *file, struct file_facts *facts,
        const dnnl_cache_store_handle_t *store)
{
    const unsigned mode = store_file_mode(&store->options);
    const unsigned flags =
            journal_flags | file_for_writing | file_for_appending;
    const int folder = file->place.folder_fd;
    const char *name = file->place.name;
    int error = ENOENT;
    /* Others make and replace it at the same time. */
    for (int tries = 0; tries < most_tries && is_passing(error); tries++) {
        error = file_open(&file->fd, folder, name, flags, 0);
        if (error != ENOENT) break;
        /* Anew, or its mode would be another file's to which somebody has made
         * a link meanwhile. */
        error = file_open(&file->fd, folder, name,
                flags | file_made_if_missing | file_must_be_new, mode);
        if (error == 0 && store_is_shared(&store->options))
            (void)file_set_mode(file->fd, mode);
    }
    if (error == ELOOP || error == EISDIR || error == ENXIO)
        return refuse(store, name, "not a regular file");
    if (error == 0) error = check_file(store, name, file->fd, facts);
    if (error != 0) (void)file_close(file->fd);
    return error;
}

static int lock_current(struct journal_file *file, struct file_facts *facts,
        const dnnl_cache_store_handle_t *store, unsigned timeout_ms)
{
    const uint64_t deadline = clock_ns() + (uint64_t)timeout_ms * 1000000u;
    for (int attempt = 0; store_lock_may_retry(attempt, deadline); attempt++) {
        int error = open_for_writing(file, facts, store);
        if (error != 0) return error;
        error = store_lock_descriptor(file->fd, timeout_ms);
        if (error != 0) {
            (void)file_close(file->fd);
            return error;
        }
        error = store_lock_settle(file->fd, file->place.folder_fd,
                file->place.name, &store->options);
        if (error == 0) return 0;
        store_unlock_file(file->fd);
        if (error != EAGAIN) return error;
    }
    return ETIMEDOUT;
}

/* ---- What is known of it ------------------------------------------------- */

static void forget(struct store_journal *journal)
{
    journal_keys_fini(&journal->keys);
    store_journal_free_parts(journal);
    store_journal_reset(journal);
}

/* Reads the records in size bytes from journal->end on. */
static int scan(struct store_journal *journal, size_t size, const uint8_t *data)
{
    struct journal_record record;
    size_t at = 0;
    size_t n;
    while ((n = journal_read_record(&record, size - at, data + at)) > 0) {
        if (record.kind != journal_failure && record.key != 0
                && !journal_keys_set(
                        &journal->keys, record.key, journal->end + at))
            return ENOMEM;
        journal_index_note(
                journal, &record, journal->end + at, journal->end + at + n);
        at += n;
    }
    journal->end += at;
    return 0;
}

static int begin_anew(int fd, uint8_t head[journal_head_size])
{
    journal_make_head(head);
    const int error = file_set_size(fd, 0);
    return error == 0 ? file_write_at(fd, head, journal_head_size, 0) : error;
}

/* Is it the file that is known? Begins one anew whose head is not a journal's,
 * because its writer died before all of the head was there, or it is damaged;
 * and one that is larger than any journal. */
static int read_head(struct journal_file *file, uint64_t *size,
        dnnl_cache_store_handle_t *store)
{
    struct store_journal *journal = &store->journal;
    uint8_t head[journal_head_size];
    const size_t n = *size < sizeof head ? (size_t)*size : sizeof head;
    int error = file_read_at(file->fd, head, n, 0);
    if (error != 0) return error;
    if (*size > JOURNAL_MOST_BYTES || !journal_is_head(n, head)) {
        if (journal->is_alone && !journal_is_head_begun(n, head))
            return refuse(store, file->place.name,
                    *size > JOURNAL_MOST_BYTES ? "it is too large"
                                               : "it is no record");
        if (!journal_is_head_begun(n, head))
            store_log(store, dnnl_cache_log_warning,
                    "%s: journal '%s' was damaged and begins anew",
                    store->options.path, file->place.name);
        forget(journal);
        error = begin_anew(file->fd, head);
        if (error != 0) return error;
        *size = sizeof head;
    }
    const uint32_t generation = journal_generation_of(head);
    if (journal->generation != generation) forget(journal);
    journal->generation = generation;
    if (journal->end == 0) journal->end = sizeof head;
    return 0;
}

/* Cuts off what is not intact. Others may have read it when it was, and the
 * file may be as long again before they look: so it gets another generation. */
static int cut_off(struct journal_file *file, struct store_journal *journal)
{
    uint8_t head[journal_head_size];
    journal_make_head(head);
    int error = file_end_appending(file->fd);
    if (error != 0) return error;
    error = file_write_at(file->fd, head + journal_generation_at,
            sizeof head - journal_generation_at, journal_generation_at);
    if (error != 0) return error;
    journal->generation = journal_generation_of(head);
    journal->index_at = 0; /* of the generation before */
    journal->has_tail = false;
    return file_set_size(file->fd, journal->end);
}

/* Reads the records in more bytes from journal->end on, in pieces: a whole file
 * would cost a process more in pages than in reading. */
static int scan_file(struct store_journal *journal, int fd, uint64_t more)
{
    enum { piece_size = 1 << 18, bytes_of_record = 160 };
    const uint64_t last = journal->end + more;
    size_t capacity = more < piece_size ? (size_t)more : piece_size;
    size_t has = 0; /* of a record that is not whole */
    uint8_t *data = malloc(capacity);
    int error = data == NULL ? ENOMEM : 0;
    journal_keys_expect(&journal->keys, (size_t)(more / bytes_of_record));
    while (error == 0 && journal->end + has < last) {
        if (has == capacity) {
            const uint64_t left = last - journal->end;
            capacity = left / 2 < capacity ? (size_t)left : 2 * capacity;
            uint8_t *larger = realloc(data, capacity);
            if (larger == NULL) {
                error = ENOMEM;
                break;
            }
            data = larger;
        }
        const uint64_t begin = journal->end;
        const uint64_t left = last - begin - has;
        const size_t n = left < capacity - has ? (size_t)left : capacity - has;
        error = file_read_at(fd, data + has, n, begin + has);
        if (error == 0) error = scan(journal, has + n, data);
        const size_t read = (size_t)(journal->end - begin);
        has = has + n - read;
        memmove(data, data + read, has);
    }
    free(data);
    return error;
}

/* All of them or, after a failure, none. */
static int write_at_end(struct journal_file *file,
        struct store_journal *journal, const struct journal_bytes *bytes)
{
    const int error =
            file_write_at(file->fd, bytes->data, bytes->size, journal->end);
    if (error != 0)
        (void)file_set_size(file->fd, journal->end);
    else if (scan(journal, bytes->size, bytes->data) != 0)
        forget(journal); /* it is read again */
    return error;
}

/* Index and tail for who comes next: without them he reads more. */
static void write_index(
        struct journal_file *file, struct store_journal *journal, bool is_full)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    journal_index_put(&bytes, journal, is_full);
    if (!bytes.failed && bytes.size > 0 && bytes.size <= journal->max_bytes
            && journal->end <= journal->max_bytes - bytes.size)
        (void)write_at_end(file, journal, &bytes);
    free(bytes.data);
}

/* Reads what others have written since, and cuts off what is not intact. */
static int catch_up(struct journal_file *file, const struct file_facts *locked,
        dnnl_cache_store_handle_t *store)
{
    struct store_journal *journal = &store->journal;
    struct file_facts facts;
    int error = file_facts(&facts, file->fd);
    if (error != 0) return error;
    uint64_t size = facts.size;
    if (journal->inode != locked->number || journal->device != locked->device
            || size < journal->end)
        forget(journal);
    error = read_head(file, &size, store);
    if (error != 0) return error;
    journal->inode = locked->number;
    journal->device = locked->device;
    const bool is_new = journal->end == journal_head_size;
    if (is_new) journal->read_ns = clock_epoch_ns();
    if (size <= journal->end) return 0;
    const bool is_full =
            is_new
            && (size - journal->end < journal_index_step
                    || !journal_index_load(journal, file->fd, size));
    if (size > journal->end)
        error = scan_file(journal, file->fd, size - journal->end);
    if (error == 0 && journal->end < size) error = cut_off(file, journal);
    if (error != 0)
        forget(journal);
    else
        write_index(file, journal, is_full);
    return error;
}

int journal_file_open(struct journal_file *file,
        dnnl_cache_store_handle_t *store, unsigned timeout_ms)
{
    struct file_facts facts;
    struct signal_mask mask;
    int error = find_place(file, store);
    if (error != 0) return error;
    error = lock_current(file, &facts, store, timeout_ms);
    if (error == 0) {
        signal_mask_begin(&mask);
        error = catch_up(file, &facts, store);
        signal_mask_end(&mask);
        if (error != 0) store_unlock_file(file->fd);
    }
    if (error != 0) store_place_leave(&file->place);
    return error;
}

void journal_file_close(struct journal_file *file)
{
    store_unlock_file(file->fd);
    store_place_leave(&file->place);
}

static bool is_known_file(const struct store_journal *journal, int fd)
{
    uint8_t head[journal_head_size];
    struct file_facts facts;
    return file_facts(&facts, fd) == 0 && facts.number == journal->inode
           && facts.device == journal->device && facts.size >= journal->end
           && file_read_at(fd, head, sizeof head, 0) == 0
           && journal_is_head(sizeof head, head)
           && journal_generation_of(head) == journal->generation;
}

static int open_for_reading(struct journal_file *file)
{
    return file_open(&file->fd, file->place.folder_fd, file->place.name,
            journal_flags, 0);
}

bool journal_file_is_known(dnnl_cache_store_handle_t *store)
{
    const struct store_journal *journal = &store->journal;
    struct journal_file file;
    if (journal->inode == 0 || find_place(&file, store) != 0) return false;
    const int error = open_for_reading(&file);
    store_place_leave(&file.place);
    const bool is_known = error == 0 && is_known_file(journal, file.fd);
    (void)file_close(file.fd);
    return is_known;
}

/* ---- Changing it --------------------------------------------------------- */

int journal_file_append(struct journal_file *file,
        dnnl_cache_store_handle_t *store, const struct journal_bytes *bytes)
{
    struct store_journal *journal = &store->journal;
    struct signal_mask mask;
    if (bytes->failed) return ENOMEM;
    if (bytes->size > journal->max_bytes
            || journal->end > journal->max_bytes - bytes->size)
        return ENOBUFS;
    signal_mask_begin(&mask);
    const int error = write_at_end(file, journal, bytes);
    if (error == 0 && journal->end > 0) write_index(file, journal, false);
    signal_mask_end(&mask);
    return error;
}

int journal_file_replace(struct journal_file *file,
        dnnl_cache_store_handle_t *store, const struct journal_bytes *bytes)
{
    const struct file_part part = {bytes->data, bytes->size};
    const int folder_fd = file->place.folder_fd;
    char fresh[sizeof file->place.name + sizeof JOURNAL_NEW_SUFFIX];
    struct signal_mask mask;
    if (bytes->failed) return ENOMEM;
    snprintf(fresh, sizeof fresh, "%s" JOURNAL_NEW_SUFFIX, file->place.name);
    signal_mask_begin(&mask);
    /* Of one who died at it: only who has the lock gets here. */
    int error = file_remove(folder_fd, fresh);
    if (error == 0 || error == ENOENT)
        error = store_write_file(folder_fd, fresh, &part, 1, &store->options);
    if (error == 0) {
        error = file_rename(
                folder_fd, fresh, folder_fd, file->place.name, true);
        if (error != 0) (void)file_remove(folder_fd, fresh);
    }
    signal_mask_end(&mask);
    if (error == 0) forget(&store->journal);
    return error;
}

int journal_file_lock_drain(
        int *fd, dnnl_cache_store_handle_t *store, unsigned timeout_ms)
{
    struct journal_file file;
    struct file_facts facts;
    int error = find_place(&file, store);
    if (error != 0) return error;
    const size_t size = strlen(file.place.name);
    if (size + sizeof JOURNAL_LOCK_SUFFIX > sizeof file.place.name) {
        error = ENAMETOOLONG;
    } else {
        strcpy(file.place.name + size, JOURNAL_LOCK_SUFFIX);
        error = lock_current(&file, &facts, store, timeout_ms);
    }
    store_place_leave(&file.place);
    if (error == 0) *fd = file.fd;
    return error;
}

/* At most so many of its bytes. */
static int read_once(uint8_t **data, size_t *size, size_t most,
        dnnl_cache_store_handle_t *store)
{
    struct journal_file file;
    struct file_facts facts;
    int error = find_place(&file, store);
    if (error != 0) return error;
    error = open_for_reading(&file);
    if (error == ELOOP || error == ENXIO)
        error = refuse(store, file.place.name, "not a regular file");
    if (error == 0) error = check_file(store, file.place.name, file.fd, &facts);
    if (error == 0 && facts.size > JOURNAL_MOST_BYTES)
        error = refuse(store, file.place.name, "it is too large");
    uint8_t *read = NULL;
    if (error == 0) {
        *size = facts.size < most ? (size_t)facts.size : most;
        read = malloc(*size + 1);
        error = read == NULL ? ENOMEM : file_read_at(file.fd, read, *size, 0);
    }
    (void)file_close(file.fd);
    store_place_leave(&file.place);
    if (error == 0)
        *data = read;
    else
        free(read);
    return error;
}

static int read_some(uint8_t **data, size_t *size, size_t most,
        dnnl_cache_store_handle_t *store)
{
    int error = EBADMSG;
    /* A writer may cut off what is not intact meanwhile. */
    for (int attempt = 0; attempt < 8 && error == EBADMSG; attempt++)
        error = read_once(data, size, most, store);
    return error;
}

int journal_file_read(
        uint8_t **data, size_t *size, dnnl_cache_store_handle_t *store)
{
    return read_some(data, size, SIZE_MAX, store);
}

int journal_file_read_head(
        uint8_t **data, size_t *size, dnnl_cache_store_handle_t *store)
{
    return read_some(data, size, journal_head_size, store);
}
