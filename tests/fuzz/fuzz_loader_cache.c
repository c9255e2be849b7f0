/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as /etc/ld.so.cache, as they are and with the magic made right, and
 * the name that is looked for. A path that is found is absolute, lies in the
 * bytes with its end, and is found for no other name; there are no more than
 * the bytes have room for.
 */
#include "pieces.h"
#include "src/gpu/device/loader_cache.h"

enum { entry_size = 24, magic_size = 20 };

static void look_for(const struct loader_cache *cache, const char *name)
{
    const unsigned char *end = cache->bytes + cache->size;
    const char *path;
    size_t count = 0;
    uint32_t at = 0;
    while ((path = loader_cache_next(cache, name, &at)) != NULL) {
        const unsigned char *begin = (const unsigned char *)path;
        REQUIRE(begin > cache->bytes && begin < end && path[0] == '/');
        REQUIRE(memchr(path, '\0', (size_t)(end - begin)) != NULL);
        REQUIRE(memmem(cache->bytes, cache->size, name, strlen(name) + 1)
                != NULL);
        count++;
    }
    REQUIRE(count <= cache->size / entry_size);
    REQUIRE(loader_cache_next(cache, name, &at) == NULL);
}

static void use(size_t size, const uint8_t *bytes, const char *name)
{
    struct loader_cache cache;
    if (!loader_cache_begin(&cache, bytes, size)) return;
    REQUIRE(cache.start + loader_cache_least_size <= size + entry_size * 2);
    look_for(&cache, name);
    look_for(&cache, "libc.so.6");
    look_for(&cache, "");
}

/* Behind the older form, if the bytes begin with one. */
static void repair(struct piece *copy)
{
    static const char magic[] = "glibc-ld.so.cache1.1";
    static const char old[] = "ld.so-1.7.0";
    size_t at = 0;
    if (copy->size >= 16 && copy->data[0] == 'l') {
        memcpy(copy->data, old, sizeof old - 1);
        memset(copy->data + 13, 0, 3);
        at = (16 + (size_t)copy->data[12] * 12 + 7) & ~(size_t)7;
    }
    if (copy->size < magic_size || at > copy->size - magic_size) return;
    memcpy(copy->data + at, magic, magic_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    char *name = pieces_text(&pieces);
    struct piece copy = pieces_rest(&pieces);
    use(copy.size, copy.data, name);
    repair(&copy);
    use(copy.size, copy.data, name);
    free(copy.data);
    free(name);
    return 0;
}
