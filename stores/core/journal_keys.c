/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/journal_keys.h"

#include <stdlib.h>

enum { least = 64 };

/* Where the key is, or would be. There is a free entry. */
static struct journal_key_entry *place_of(
        const struct journal_keys *keys, uint64_t key)
{
    /* Keys of a hostile journal may be chosen. */
    uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 32;
    size_t at = (size_t)mixed & (keys->capacity - 1);
    while (keys->entries[at].key != 0 && keys->entries[at].key != key)
        at = (at + 1) & (keys->capacity - 1);
    return &keys->entries[at];
}

static bool grow(struct journal_keys *keys, size_t capacity)
{
    struct journal_keys larger = {.count = keys->count, .capacity = capacity};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (larger.entries == NULL) return false;
    for (size_t i = 0; i < keys->capacity; i++)
        if (keys->entries[i].key != 0)
            *place_of(&larger, keys->entries[i].key) = keys->entries[i];
    free(keys->entries);
    *keys = larger;
    return true;
}

void journal_keys_expect(struct journal_keys *keys, size_t count)
{
    size_t capacity = least;
    while (capacity / 2 < keys->count + count)
        capacity *= 2;
    if (capacity > keys->capacity) (void)grow(keys, capacity);
}

bool journal_keys_set(struct journal_keys *keys, uint64_t key, uint64_t value)
{
    if (2 * (keys->count + 1) > keys->capacity
            && !grow(keys, keys->capacity > 0 ? 2 * keys->capacity : least))
        return false;
    struct journal_key_entry *entry = place_of(keys, key);
    if (entry->key == 0) keys->count++;
    *entry = (struct journal_key_entry){key, value};
    return true;
}

uint64_t *journal_keys_find(const struct journal_keys *keys, uint64_t key)
{
    if (keys->capacity == 0 || key == 0) return NULL;
    struct journal_key_entry *entry = place_of(keys, key);
    return entry->key != 0 ? &entry->value : NULL;
}

void journal_keys_fini(struct journal_keys *keys)
{
    free(keys->entries);
    *keys = (struct journal_keys){0};
}
