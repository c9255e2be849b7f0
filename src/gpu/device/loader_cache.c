/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/loader_cache.h"

#include <string.h>

static const char cache_magic[] = "glibc-ld.so.cache1.1";
static const char old_magic[] = "ld.so-1.7.0";

enum {
    count_at = 20,
    entry_size = 24,
    name_at = 4, /* in an entry */
    path_at = 8,
    old_header_size = 16,
    old_count_at = 12,
    old_entry_size = 12
};

/* Numbers are of this machine, as the file is. */
static uint32_t number_at(const struct loader_cache *cache, size_t at)
{
    uint32_t number = 0;
    if (at <= cache->size && cache->size - at >= sizeof number)
        memcpy(&number, cache->bytes + at, sizeof number);
    return number;
}

static bool has_magic(
        const struct loader_cache *cache, size_t at, const char *magic)
{
    return at <= cache->size && cache->size - at >= strlen(magic)
           && memcmp(cache->bytes + at, magic, strlen(magic)) == 0;
}

/* NULL: outside, or without an end. */
static const char *text_at(const struct loader_cache *cache, uint32_t offset)
{
    if (offset >= cache->size - cache->start) return NULL;
    const size_t at = cache->start + offset;
    return memchr(cache->bytes + at, '\0', cache->size - at) != NULL
                   ? (const char *)cache->bytes + at
                   : NULL;
}

bool loader_cache_begin(
        struct loader_cache *cache, const unsigned char *bytes, size_t size)
{
    *cache = (struct loader_cache){.bytes = bytes, .size = size};
    if (has_magic(cache, 0, old_magic)) {
        const uint64_t old =
                old_header_size
                + (uint64_t)number_at(cache, old_count_at) * old_entry_size;
        if (old > size) return false;
        cache->start = ((size_t)old + 7) & ~(size_t)7;
    }
    return has_magic(cache, cache->start, cache_magic);
}

const char *loader_cache_next(
        const struct loader_cache *cache, const char *name, uint32_t *at)
{
    const size_t first = cache->start + loader_cache_least_size;
    const size_t room = cache->size > first ? cache->size - first : 0;
    const uint32_t told = number_at(cache, cache->start + count_at);
    const size_t count = told < room / entry_size ? told : room / entry_size;
    while (*at < count) {
        const size_t entry = first + (size_t)*at * entry_size;
        ++*at;
        const char *found = text_at(cache, number_at(cache, entry + name_at));
        const char *path = text_at(cache, number_at(cache, entry + path_at));
        if (found != NULL && path != NULL && strcmp(found, name) == 0
                && path[0] == '/')
            return path;
    }
    return NULL;
}
