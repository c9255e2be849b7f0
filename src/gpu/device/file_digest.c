/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_digest.h"

#include "dnnl_cache.h"
#include "src/common/content_digest.h"
#include "src/gpu/device/file_key.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reading a smaller file takes no longer than finding its digest. */
enum { least_kept_size = 1 << 16 };

/* ---- Whether a file has changed ------------------------------------------ */

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool file_is_unchanged(const struct stat *before, const struct stat *now)
{
    return before->st_dev == now->st_dev && before->st_ino == now->st_ino
           && before->st_mode == now->st_mode && before->st_size == now->st_size
           && is_same_time(&before->st_mtim, &now->st_mtim)
           && is_same_time(&before->st_ctim, &now->st_ctim);
}

/* True if the tick of the clock that changes get their time from, as it was
 * before the look, is the one of the change. A time that lies further ahead is
 * of a clock that was set back: no wait helps. */
static bool is_of_this_tick(
        const struct timespec *before, const struct timespec *change)
{
    enum { tick_ns = 20000000 };
    const long long ahead =
            (long long)(change->tv_sec - before->tv_sec) * 1000000000
            + change->tv_nsec - before->tv_nsec;
    return ahead >= 0 && ahead < tick_ns;
}

int file_stat_settled(int fd, const char *path, struct stat *st)
{
    enum { attempts = 100 };
    static const struct timespec pause = {0, 1000000};
    for (int i = 0; i < attempts; i++) {
        struct timespec now;
        int result;
        if (i > 0) (void)nanosleep(&pause, NULL);
        (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
        do
            result = path != NULL ? stat(path, st) : fstat(fd, st);
        while (result != 0 && errno == EINTR);
        if (result != 0) return errno;
        if (!is_of_this_tick(&now, &st->st_ctim)) return 0;
    }
    return ESTALE; /* written to all the time */
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

static int read_piece(int fd, unsigned char *piece, off_t offset, size_t size)
{
    while (size > 0) {
        const ssize_t n = pread(fd, piece, size, offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ESTALE;
        piece += n;
        offset += n;
        size -= (size_t)n;
    }
    return 0;
}

static int digest_contents(
        struct digest256 *out, int fd, off_t size, unsigned char *piece)
{
    struct content_digest contents;
    int error = 0;
    content_digest_init(&contents);
    for (off_t at = 0; at < size && error == 0; at += FILE_PIECE_SIZE) {
        const size_t n = size - at < FILE_PIECE_SIZE ? (size_t)(size - at)
                                                     : FILE_PIECE_SIZE;
        error = read_piece(fd, piece, at, n);
        if (error == 0) content_digest_update(&contents, piece, n);
    }
    *out = content_digest_final(&contents);
    return error;
}

/* Reads all of it; ESTALE if it was written to meanwhile. */
static int digest_whole(struct digest256 *out, int fd, const struct stat *st,
        unsigned char *piece)
{
    struct stat now;
    int error = digest_contents(out, fd, st->st_size, piece);
    if (error == 0 && fstat(fd, &now) != 0) error = errno;
    return error == 0 && !file_is_unchanged(st, &now) ? ESTALE : error;
}

int file_digest(struct digest256 *out, int fd, const struct stat *st,
        const char *path, unsigned char *piece)
{
    char key[FILE_KEY_MAX];
    size_t size = 0;
    dnnl_cache_file_digests_t k = {.get = NULL};
    if (st->st_size >= least_kept_size) k = get_keeper();
    if (k.get != NULL) size = file_key_make(key, fd, st, path);
    if (size > 0
            && k.get(k.user, size, (const uint8_t *)key, out->bytes)
                       == dnnl_success)
        return 0;
    const bool is_to_be_kept = size > 0 && file_key_is_settled(st);
    const int error = digest_whole(out, fd, st, piece);
    if (error == 0 && is_to_be_kept)
        (void)k.put(k.user, size, (const uint8_t *)key, out->bytes);
    return error;
}

/* ---- Once more, by its key --------------------------------------------- */

/* 0, ESTALE if the file is not the one of the key any more, or an errno value.
 */
static int open_as_in_key(
        int *fd, struct stat *st, const char *key, size_t size)
{
    char now[FILE_KEY_MAX];
    const char *path = file_key_path(key);
    if (path == NULL) return EINVAL;
    do
        *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0) return errno == ENOMEM ? ENOMEM : ESTALE;
    int error = file_stat_settled(*fd, NULL, st);
    if (error == 0
            && (!S_ISREG(st->st_mode)
                    || file_key_make(now, *fd, st, path) != size
                    || memcmp(now, key, size) != 0))
        error = ESTALE;
    if (error != 0) close(*fd);
    return error;
}

static dnnl_status_t digest_of_key(struct digest256 *out, const char *key,
        size_t size, unsigned char *piece)
{
    struct stat st;
    int fd;
    int error = open_as_in_key(&fd, &st, key, size);
    if (error == 0) {
        error = digest_whole(out, fd, &st, piece);
        close(fd);
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
