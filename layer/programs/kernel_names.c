/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/kernel_names.h"

#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Two names of one hash count as one name, which is the safe side. */
struct named {
    struct named *next; /* in its bucket */
    uint64_t hash;
    const struct build *build;
};

enum { bucket_count = 1024 };

/* Guards what follows; a leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named *buckets[bucket_count];
static bool is_missing_some;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void survive_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

static struct named **bucket_of(uint64_t hash)
{
    return &buckets[hash % bucket_count];
}

static void add_locked(const struct build *build, const char *name, size_t size)
{
    struct named *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        is_missing_some = true;
        return;
    }
    *entry = (struct named){.hash = XXH3_64bits(name, size), .build = build};
    struct named **bucket = bucket_of(entry->hash);
    entry->next = *bucket;
    *bucket = entry;
}

static void remove_locked(
        const struct build *build, const char *name, size_t size)
{
    const uint64_t hash = XXH3_64bits(name, size);
    struct named **place = bucket_of(hash);
    while (*place != NULL
            && ((*place)->hash != hash || (*place)->build != build))
        place = &(*place)->next;
    struct named *entry = *place;
    if (entry == NULL) return;
    *place = entry->next;
    free(entry);
}

/* Separated by semicolons. */
static void for_each(const struct build *build,
        void (*visit)(const struct build *build, const char *name, size_t size))
{
    const char *at = build->kernel_names;
    while (at != NULL && *at != '\0') {
        const size_t size = strcspn(at, ";");
        if (size > 0) visit(build, at, size);
        at += size + (at[size] == ';');
    }
}

/* Malloc'ed; NULL: it does not tell, or memory ran out. */
static char *read_names(cl_program handle)
{
    size_t size = 0;
    char *names = NULL;
    if (next_layer->clGetProgramInfo(
                handle, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size)
            == CL_SUCCESS)
        names = calloc(size + 1, 1);
    if (names == NULL
            || next_layer->clGetProgramInfo(
                       handle, CL_PROGRAM_KERNEL_NAMES, size, names, NULL)
                       == CL_SUCCESS)
        return names;
    free(names);
    return NULL;
}

void kernel_names_add(struct build *build, cl_program handle)
{
    if (build->kind == build_object
            || !quirk_compiles_launches(build->devices[0].device))
        return;
    char *names = read_names(handle);
    pthread_mutex_lock(&lock);
    if (build->kernel_names == NULL) {
        build->kernel_names = names;
        if (names == NULL) is_missing_some = true;
        for_each(build, add_locked);
        names = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(names);
}

void kernel_names_miss(void)
{
    pthread_mutex_lock(&lock);
    is_missing_some = true;
    pthread_mutex_unlock(&lock);
}

bool kernel_names_is_only(const struct build *build, const char *name)
{
    const uint64_t hash = XXH3_64bits(name, strlen(name));
    bool is_there = false;
    pthread_mutex_lock(&lock);
    bool is_only = !is_missing_some;
    for (const struct named *entry = *bucket_of(hash); entry != NULL;
            entry = entry->next) {
        if (entry->hash != hash) continue;
        is_there = is_there || entry->build == build;
        is_only = is_only && entry->build == build;
    }
    pthread_mutex_unlock(&lock);
    return is_there && is_only;
}

static bool ends_before(const struct build *a, const struct build *b)
{
    return a->files_until_ns <= b->began_ns;
}

/* One that is loaded was not compiled at any time. */
static bool are_apart(const struct build *a, const struct build *b)
{
    return a == b || a->files_until_ns == 0 || b->files_until_ns == 0
           || ends_before(a, b) || ends_before(b, a);
}

bool kernel_names_are_apart(const struct build *build, const char *name)
{
    const uint64_t hash = XXH3_64bits(name, strlen(name));
    bool is_there = false;
    pthread_mutex_lock(&lock);
    bool are = !is_missing_some && build->files_until_ns != 0;
    for (const struct named *entry = *bucket_of(hash); entry != NULL;
            entry = entry->next) {
        if (entry->hash != hash) continue;
        is_there = is_there || entry->build == build;
        are = are && are_apart(entry->build, build);
    }
    pthread_mutex_unlock(&lock);
    return is_there && are;
}

void kernel_names_remove(struct build *build)
{
    if (build->kernel_names == NULL) return;
    pthread_mutex_lock(&lock);
    for_each(build, remove_locked);
    pthread_mutex_unlock(&lock);
    free(build->kernel_names);
    build->kernel_names = NULL;
}
