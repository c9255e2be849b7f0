/* SPDX-License-Identifier: Apache-2.0 */
#include "failing_allocations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);
size_t __real_ZSTD_compress(
        void *dst, size_t capacity, const void *src, size_t size, int level);
size_t __wrap_ZSTD_compress(
        void *dst, size_t capacity, const void *src, size_t size, int level);
size_t __real_ZSTD_decompress(
        void *dst, size_t capacity, const void *src, size_t size);
size_t __wrap_ZSTD_decompress(
        void *dst, size_t capacity, const void *src, size_t size);

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);

static _Thread_local struct {
    unsigned until; /* allocations until one fails; 0: none will */
    bool and_following;
    bool paused;
    const char *failed;
} plan;

static atomic_size_t alive;

/* ---- The fault ----------------------------------------------------------- */

enum manner { alone, with_all_that_follow, manners };

static void start(unsigned n, unsigned manner)
{
    plan.until = n;
    plan.and_following = manner == with_all_that_follow;
    plan.failed = NULL;
}

static const char *stop(void)
{
    plan.until = 0;
    return plan.failed;
}

static bool allows(const struct scene *scene, unsigned manner,
        const char *failed, dnnl_status_t status)
{
    (void)scene;
    (void)manner;
    (void)failed;
    return status == dnnl_out_of_memory;
}

static void pause_failing(bool paused)
{
    plan.paused = paused;
}

size_t allocations_alive(void)
{
    return atomic_load(&alive);
}

const struct fault failing_allocations = {
        manners, start, stop, allows, pause_failing, allocations_alive};

/* ---- The functions ------------------------------------------------------- */

static bool fails(const char *function)
{
    if (plan.until == 0 || plan.paused) return false;
    if (plan.until > 1) {
        plan.until--;
        return false;
    }
    if (!plan.and_following) plan.until = 0;
    if (plan.failed == NULL) plan.failed = function;
    return true;
}

static void *noted(void *made)
{
    if (made != NULL) atomic_fetch_add(&alive, 1);
    return made;
}

void *__wrap_malloc(size_t size)
{
    return fails("malloc") ? NULL : noted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails("calloc") ? NULL : noted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails("realloc")) return NULL;
    void *moved = __real_realloc(old, size);
    return old == NULL ? noted(moved) : moved;
}

char *__wrap_strdup(const char *text)
{
    return fails("strdup") ? NULL : noted(__real_strdup(text));
}

char *__wrap_realpath(const char *path, char *resolved)
{
    if (resolved != NULL) return __real_realpath(path, resolved);
    if (!fails("realpath")) return noted(__real_realpath(path, NULL));
    errno = ENOMEM;
    return NULL;
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails("posix_memalign")) return ENOMEM;
    int error = __real_posix_memalign(out, alignment, size);
    if (error == 0) (void)noted(*out);
    return error;
}

void __wrap_free(void *memory)
{
    if (memory != NULL) atomic_fetch_sub(&alive, 1);
    __real_free(memory);
}

/* zstd's own memory, which it reports so. */
static size_t no_memory(void)
{
    return (size_t)0 - (size_t)ZSTD_error_memory_allocation;
}

size_t __wrap_ZSTD_compress(
        void *dst, size_t capacity, const void *src, size_t size, int level)
{
    return fails("ZSTD_compress")
                   ? no_memory()
                   : __real_ZSTD_compress(dst, capacity, src, size, level);
}

size_t __wrap_ZSTD_decompress(
        void *dst, size_t capacity, const void *src, size_t size)
{
    return fails("ZSTD_decompress")
                   ? no_memory()
                   : __real_ZSTD_decompress(dst, capacity, src, size);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (!fails("openat")) return __real_openat(folder, path, flags, mode);
    errno = ENOMEM;
    return -1;
}
