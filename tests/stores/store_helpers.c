/* SPDX-License-Identifier: Apache-2.0 */
#include "store_helpers.h"

#include "dnnl_cache/store.h"
#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

const char *path_in_test(char path[path_size], const char *name)
{
    snprintf(path, path_size, "%s/%s", test_directory(), name);
    return path;
}

static void print_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    printf("[   LOG    ] %d %s\n", (int)level, text);
}

struct dnnl_cache_store_options test_options(void)
{
    static char path[path_size];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path_in_test(path, "store");
    options.capacity = dnnl_cache_store_megabytes(1024);
    options.policy = dnnl_cache_store_policy_fifo;
    options.low_water_percent = 100;
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    options.log = print_message;
    return options;
}

dnnl_cache_store_handle_t *open_store(
        const struct dnnl_cache_store_options *options)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_OK(dnnl_cache_store_open(&store, "bucket", options));
    return store;
}

dnnl_status_t put_bytes(dnnl_cache_store_handle_t *store, const char *id,
        const void *blob, size_t size)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = dnnl_cache_blob_kind_program;
    metadata.compile_ns = 12345;
    return s->put(
            s->user, strlen(id), (const uint8_t *)id, size, blob, &metadata);
}

/* NULL: there is no memory, which tests limit. */
static uint8_t *make_blob(unsigned number, size_t size)
{
    /* Not malloc(), which tests let fail. */
    uint8_t *blob = reallocarray(NULL, size, 1);
    uint64_t state = number + 1;
    for (size_t i = 0; blob != NULL && i < size; i++)
        blob[i] = (uint8_t)next_random(&state);
    return blob;
}

static bool is_blob(const uint8_t *blob, unsigned number, size_t size)
{
    uint64_t state = number + 1;
    for (size_t i = 0; i < size; i++)
        if (blob[i] != (uint8_t)next_random(&state)) return false;
    return true;
}

static void make_id(char id[32], unsigned number)
{
    snprintf(id, 32, "id %u", number);
}

dnnl_status_t put_number(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size)
{
    char id[32];
    make_id(id, number);
    uint8_t *blob = make_blob(number, size);
    if (blob == NULL) return dnnl_out_of_memory;
    const dnnl_status_t st = put_bytes(store, id, blob, size);
    free(blob);
    return st;
}

int get_number_quietly(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const uint8_t *blob;
    size_t blob_size;
    char id[32];
    make_id(id, number);
    const dnnl_status_t st =
            s->get(s->user, strlen(id), (const uint8_t *)id, &blob_size, &blob);
    if (st != dnnl_success) return (int)st;
    const bool same = blob_size == size && is_blob(blob, number, size);
    s->release(s->user, blob_size, blob);
    return same ? (int)dnnl_success : -1;
}

dnnl_status_t get_number(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size)
{
    const int result = get_number_quietly(store, number, size);
    if (result >= 0) return (dnnl_status_t)result;
    test_fail(__FILE__, __LINE__, "a wrong blob for number %u", number);
    return dnnl_success;
}

dnnl_status_t get_text(dnnl_cache_store_handle_t *store, const char *id,
        char *text, size_t capacity)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const uint8_t *blob;
    size_t size;
    const dnnl_status_t st =
            s->get(s->user, strlen(id), (const uint8_t *)id, &size, &blob);
    if (st != dnnl_success) return st;
    snprintf(text, capacity, "%.*s", (int)size, (const char *)blob);
    s->release(s->user, size, blob);
    return st;
}

dnnl_status_t remove_id(dnnl_cache_store_handle_t *store, const char *id)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    return s->remove(s->user, strlen(id), (const uint8_t *)id);
}

const char *text_entry_path(
        char path[path_size], const char *id, const char *file)
{
    snprintf(path, path_size, "%s/store/%" PRIu64 "/0%s%s", test_directory(),
            (uint64_t)XXH3_64bits(id, strlen(id)), file[0] != '\0' ? "/" : "",
            file);
    return path;
}

static uint64_t hash_of_number(unsigned number)
{
    char id[32];
    make_id(id, number);
    return XXH3_64bits(id, strlen(id));
}

static int compare_falling_hash(const void *left, const void *right)
{
    const uint64_t a = hash_of_number(*(const unsigned *)left);
    const uint64_t b = hash_of_number(*(const unsigned *)right);
    return (a < b) - (a > b);
}

void numbers_by_falling_hash(unsigned *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        numbers[i] = i;
    qsort(numbers, count, sizeof *numbers, compare_falling_hash);
}

const char *entry_path(char path[path_size], unsigned number, const char *file)
{
    char id[32];
    make_id(id, number);
    return text_entry_path(path, id, file);
}

const char *bucket_path(char path[path_size], unsigned number)
{
    entry_path(path, number, "");
    *strrchr(path, '/') = '\0';
    return path;
}

/* nftw() has no argument for the caller's own. */
static uint64_t summed_bytes;

static int add_file(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    if (type == FTW_F) summed_bytes += (uint64_t)st->st_size;
    return 0;
}

static int add_entry_file(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    if (type == FTW_F && at->level == 3) summed_bytes += (uint64_t)st->st_size;
    return 0;
}

uint64_t tree_bytes(const char *path)
{
    summed_bytes = 0;
    nftw(path, add_file, 16, FTW_PHYS);
    return summed_bytes;
}

uint64_t entry_bytes(const char *path)
{
    summed_bytes = 0;
    nftw(path, add_entry_file, 16, FTW_PHYS);
    return summed_bytes;
}

struct dnnl_cache_store_statistics statistics_of(
        const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &statistics));
    return statistics;
}

void run_shell(const char *format, ...)
{
    char command[4 * path_size];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    EXPECT_EQ(0, system(command));
}

uint64_t recorded_bytes(const char *path)
{
    char file[path_size + 16];
    uint64_t bytes = UINT64_MAX;
    snprintf(file, sizeof file, "%s/size.txt", path);
    FILE *f = fopen(file, "r");
    if (f == NULL) return bytes;
    if (fscanf(f, "%" SCNu64, &bytes) != 1) bytes = UINT64_MAX;
    fclose(f);
    return bytes;
}

static bool count_item(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)item;
    ++*(size_t *)user;
    return true;
}

size_t count_entries(dnnl_cache_store_handle_t *store)
{
    size_t count = 0;
    EXPECT_OK(dnnl_cache_store_iterate(store, count_item, &count));
    return count;
}

uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        test_fail(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
        *size = 0;
        return calloc(1, 1);
    }
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*size + 1);
    if (fread(data, 1, *size, f) != *size)
        test_fail(__FILE__, __LINE__, "%s: short", path);
    fclose(f);
    return data;
}

void write_whole(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        test_fail(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
        return;
    }
    if (size > 0 && fwrite(data, 1, size, f) != size)
        test_fail(__FILE__, __LINE__, "%s: short", path);
    fclose(f);
}

static struct timespec time_of_new_file(const char *path)
{
    struct stat st = {0};
    write_whole(path, "t", 1);
    EXPECT_EQ(0, stat(path, &st));
    return st.st_mtim;
}

void await_file_tick(void)
{
    char path[path_size];
    path_in_test(path, "tick");
    const struct timespec before = time_of_new_file(path);
    struct timespec now = before;
    while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec) {
        usleep(1000);
        now = time_of_new_file(path);
    }
    EXPECT_EQ(0, unlink(path));
}

int in_child(int (*body)(void *user), void *user)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const int result = body(user);
        fflush(NULL);
        _exit(result);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

dnnl_status_t put_nothing(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    (void)user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    (void)metadata;
    return dnnl_success;
}

dnnl_status_t remove_nothing(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    (void)id_size;
    (void)id;
    return dnnl_success;
}

uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
