/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_digest.h"

#include "dnnl_cache.h"
#include "src/common/content_digest.h"
#include "src/gpu/device/file_key.h"
#include "src/platform/clock.h"
#include "src/platform/file_stamp.h"
#include "src/platform/file_system.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Whether a file has changed ------------------------------------------ */

bool file_is_unchanged(
        const struct file_facts *before, const struct file_facts *now)
{
    return file_is_same(before, now) && before->kind == now->kind
           && before->mode == now->mode && before->size == now->size
           && before->modified_ns == now->modified_ns
           && before->changed_ns == now->changed_ns;
}

/* True if the tick of the clock that changes get their time from, as it was
 * before the look, is the one of the change. A time that lies further ahead is
 * of a clock that was set back: no wait helps. */
static bool is_of_this_tick(uint64_t before_ns, uint64_t change_ns)
{
    enum { tick_ns = 20000000 };
    const int64_t ahead = (int64_t)(change_ns - before_ns);
    return ahead >= 0 && ahead < tick_ns;
}

int file_facts_settled(struct file_facts *facts, int fd, const char *path)
{
    enum { attempts = 100 };
    static const uint64_t pause_ns = 1000000;
    for (int i = 0; i < attempts; i++) {
        if (i > 0) clock_sleep_ns(pause_ns);
        const uint64_t now = file_stamp_clock_ns();
        const int error = path != NULL ? file_facts_at(facts, file_here, path)
                                       : file_facts(facts, fd);
        if (error != 0) return error;
        if (!is_of_this_tick(now, facts->changed_ns)) return 0;
    }
    return ESTALE; /* written to all the time */
}

int folder_names_settled(
        struct file_facts *facts, char **names, size_t *size, int fd)
{
    struct file_facts now;
    bool at_once;
    int error = file_facts_settled(facts, fd, NULL);
    *names = NULL;
    *size = 0;
    if (error == 0) error = folder_read_names(names, size, &at_once, fd);
    if (error != 0 || at_once) return error;
    error = file_facts(&now, fd);
    if (error == 0 && !file_is_unchanged(facts, &now)) error = ESTALE;
    if (error == 0) return 0;
    free(*names);
    *names = NULL;
    *size = 0;
    return error;
}

/* ---- Digests that others keep -------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static dnnl_cache_file_digests_t keeper; /* guarded by lock; get NULL: none */

static dnnl_cache_file_digests_t get_keeper(void)
{
    pthread_mutex_lock(&lock);
    const dnnl_cache_file_digests_t copy = keeper;
    pthread_mutex_unlock(&lock);
    return copy;
}

dnnl_status_t dnnl_cache_set_file_digests(
        const dnnl_cache_file_digests_t *digests)
{
    dnnl_cache_file_digests_t fresh = DNNL_CACHE_FILE_DIGESTS_INIT;
    if (digests != NULL) {
        if (digests->struct_size != sizeof fresh || digests->get == NULL
                || digests->put == NULL)
            return dnnl_invalid_arguments;
        fresh = *digests;
    }
    pthread_mutex_lock(&lock);
    keeper = fresh;
    pthread_mutex_unlock(&lock);
    return dnnl_success;
}

void file_digests_flush(void)
{
    const dnnl_cache_file_digests_t k = get_keeper();
    if (k.flush != NULL) k.flush(k.user);
}

/* ---- Reading ------------------------------------------------------------- */

static int digest_contents(struct digest256 *out, int fd, uint64_t size,
        unsigned char *piece, size_t there)
{
    struct content_digest contents;
    int error = 0;
    content_digest_init(&contents);
    for (uint64_t at = 0; at < size && error == 0; at += FILE_PIECE_SIZE) {
        const size_t n = size - at < FILE_PIECE_SIZE ? (size_t)(size - at)
                                                     : FILE_PIECE_SIZE;
        error = file_read_at(fd, piece + there, n - there, at + there);
        if (error == 0) content_digest_update(&contents, piece, n);
        there = 0;
    }
    *out = content_digest_final(&contents);
    return error == EBADMSG ? ESTALE : error;
}

/* Reads all of it but what is there; ESTALE if it was written to meanwhile. */
static int digest_whole(struct digest256 *out, int fd,
        const struct file_facts *facts, unsigned char *piece, size_t there)
{
    struct file_facts now;
    int error = digest_contents(out, fd, facts->size, piece, there);
    if (error == 0) error = file_facts(&now, fd);
    return error == 0 && !file_is_unchanged(facts, &now) ? ESTALE : error;
}

/* What is known of the file system with that device, which may be nothing. */
static uint64_t *system_of(struct file_systems *systems, uint64_t device)
{
    enum { most = sizeof systems->list / sizeof systems->list[0] };
    for (size_t i = 0; i < systems->count && i < most; i++)
        if (systems->list[i].device == device) return &systems->list[i].system;
    struct file_system_seen *seen = &systems->list[systems->count++ % most];
    *seen = (struct file_system_seen){.device = device};
    return &seen->system;
}

void file_systems_note(
        struct file_systems *systems, int fd, const struct file_facts *facts)
{
    uint64_t *system = system_of(systems, facts->device);
    if (*system == 0 && get_keeper().get != NULL)
        *system = file_system_type(fd);
}

bool file_digest_find(struct digest256 *out, struct file_systems *systems,
        const struct file_facts *facts, const char *path)
{
    char key[FILE_KEY_MAX];
    const dnnl_cache_file_digests_t k = get_keeper();
    const size_t size =
            k.get != NULL ? file_key_make(key,
                    system_of(systems, facts->device), file_none, facts, path)
                          : 0;
    return size > 0
           && k.get(k.user, size, (const uint8_t *)key, out->bytes)
                      == dnnl_success;
}

int file_digest(struct digest256 *out, struct file_systems *systems, int fd,
        const struct file_facts *facts, const char *path, unsigned char *piece,
        size_t there)
{
    char key[FILE_KEY_MAX];
    const dnnl_cache_file_digests_t k = get_keeper();
    const size_t size =
            k.get != NULL ? file_key_make(
                    key, system_of(systems, facts->device), fd, facts, path)
                          : 0;
    if (size > 0
            && k.get(k.user, size, (const uint8_t *)key, out->bytes)
                       == dnnl_success)
        return 0;
    const bool is_to_be_kept = size > 0 && file_key_is_settled(facts);
    const int error = digest_whole(out, fd, facts, piece, there);
    if (error == 0 && is_to_be_kept)
        (void)k.put(k.user, size, (const uint8_t *)key, out->bytes);
    return error;
}

/* ---- Once more, by its key --------------------------------------------- */

/* 0, ESTALE if the file is not the one of the key any more, or an errno value.
 */
static int open_as_in_key(
        int *fd, struct file_facts *facts, const char *key, size_t size)
{
    char now[FILE_KEY_MAX];
    uint64_t system = 0;
    const char *path = file_key_path(key);
    if (path == NULL) return EINVAL;
    int error =
            file_open(fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error == ENOMEM ? ENOMEM : ESTALE;
    error = file_facts_settled(facts, *fd, NULL);
    if (error == 0
            && (facts->kind != file_is_plain
                    || file_key_make(now, &system, *fd, facts, path) != size
                    || memcmp(now, key, size) != 0))
        error = ESTALE;
    if (error != 0) (void)file_close(*fd);
    return error;
}

static dnnl_status_t digest_of_key(struct digest256 *out, const char *key,
        size_t size, unsigned char *piece)
{
    struct file_facts facts;
    int fd;
    int error = open_as_in_key(&fd, &facts, key, size);
    if (error == 0) {
        error = digest_whole(out, fd, &facts, piece, 0);
        (void)file_close(fd);
    }
    if (error == EINVAL) return dnnl_invalid_arguments;
    if (error == ENOMEM) return dnnl_out_of_memory;
    return error == 0 ? dnnl_success : dnnl_cache_blob_stale;
}

dnnl_status_t dnnl_cache_digest_file(size_t key_size, const uint8_t *key,
        uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE])
{
    char text[FILE_KEY_MAX];
    struct digest256 now;
    if (key == NULL || digest == NULL || key_size == 0
            || key_size >= FILE_KEY_MAX || memchr(key, '\0', key_size) != NULL)
        return dnnl_invalid_arguments;
    memcpy(text, key, key_size);
    text[key_size] = '\0';
    unsigned char *piece = malloc(FILE_PIECE_SIZE);
    if (piece == NULL) return dnnl_out_of_memory;
    const dnnl_status_t st = digest_of_key(&now, text, key_size, piece);
    free(piece);
    if (st == dnnl_success) memcpy(digest, now.bytes, sizeof now.bytes);
    return st;
}
