/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/loaded.h"

#include "layer/driver/state_start.h"
#include "layer/settings/state_place.h"
#include "src/platform/file.h"
#include "tools/common/state/state_lines.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum {
    most_notes = 4096, /* a process that starts reads them all */
    most_bytes = 64 * most_notes,
    slot_count = 2 * most_notes,
    lock_timeout_ms = 200,
    /* In a blob (docs/reference/format.md). */
    checksum_offset = 32,
    checksum_size = 16
};

static const char file_name[] = "loaded";

/* The keys are hashes already: each is at its low bits, or behind. Zeros: a
 * free slot. */
static struct {
    pthread_mutex_t lock; /* guards what follows; a leaf */
    struct loaded_key slots[slot_count];
    size_t count;
    struct loaded_key fresh[most_notes]; /* to be stored */
    size_t fresh_count;
    bool begins_anew; /* they replace what the file has */
} notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
    (void)pthread_mutex_lock(&notes.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&notes.lock);
}

/* What the parent found it stores itself. */
static void after_fork_in_child(void)
{
    notes.fresh_count = 0;
    notes.begins_anew = false;
    (void)pthread_mutex_unlock(&notes.lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- In memory ----------------------------------------------------------- */

/* Its slot, or a free one. */
static struct loaded_key *find_locked(struct loaded_key key)
{
    size_t i = (size_t)key.low % slot_count;
    while ((notes.slots[i].high != 0 || notes.slots[i].low != 0)
            && (notes.slots[i].high != key.high
                    || notes.slots[i].low != key.low))
        i = (i + 1) % slot_count;
    return &notes.slots[i];
}

static bool is_there_locked(struct loaded_key key)
{
    const struct loaded_key *slot = find_locked(key);
    return slot->high != 0 || slot->low != 0;
}

/* False: there is no room. */
static bool add_locked(struct loaded_key key)
{
    if (notes.count == most_notes) return false;
    if (!is_there_locked(key)) notes.count++;
    *find_locked(key) = key;
    return true;
}

/* What is in use is noted again. */
static void forget_all_locked(void)
{
    memset(notes.slots, 0, sizeof notes.slots);
    notes.count = 0;
    notes.fresh_count = 0;
    notes.begins_anew = true;
}

/* ---- The file ------------------------------------------------------------ */

void loaded_start(int folder)
{
    char line[state_line_size];
    char *text = state_folder_read(folder, file_name, most_bytes);
    const char *at = text;
    (void)pthread_mutex_lock(&notes.lock);
    while (text != NULL && state_lines_next(line, &at)) {
        struct loaded_key key;
        if (sscanf(line, "%16" SCNx64 "%16" SCNx64, &key.high, &key.low) == 2)
            (void)add_locked(key);
    }
    (void)pthread_mutex_unlock(&notes.lock);
    free(text);
}

/* Malloc'ed; NULL: there is nothing to store, or no memory. */
static char *take_fresh(size_t *size, bool *begins_anew)
{
    char *text = NULL;
    (void)pthread_mutex_lock(&notes.lock);
    const bool any = notes.fresh_count > 0 || notes.begins_anew;
    FILE *out = any ? open_memstream(&text, size) : NULL;
    for (size_t i = 0; out != NULL && i < notes.fresh_count; i++) {
        char fields[state_line_size];
        char line[state_line_size];
        (void)snprintf(fields, sizeof fields, "%016" PRIx64 "%016" PRIx64,
                notes.fresh[i].high, notes.fresh[i].low);
        if (state_line_make(line, fields) > 0) (void)fputs(line, out);
    }
    *begins_anew = notes.begins_anew;
    notes.fresh_count = 0;
    notes.begins_anew = false;
    (void)pthread_mutex_unlock(&notes.lock);
    if (out != NULL && fclose(out) == 0) return text;
    free(text);
    return NULL;
}

void loaded_close(void)
{
    size_t size = 0;
    bool begins_anew;
    char *text = take_fresh(&size, &begins_anew);
    const int folder = text != NULL ? state_folder_open() : -1;
    const int lock =
            folder >= 0 ? state_folder_lock(folder, lock_timeout_ms) : -1;
    if (lock >= 0
            && (begins_anew
                    || !state_folder_append(folder, file_name, text, size)))
        (void)state_folder_replace(folder, file_name, text, size);
    state_folder_unlock(lock);
    (void)file_close(folder);
    free(text);
}

/* ---- Calls --------------------------------------------------------------- */

struct loaded_key loaded_key(size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob)
{
    const XXH128_hash_t hash = XXH3_128bits(id, id_size);
    struct loaded_key key = {.high = hash.high64, .low = hash.low64};
    uint64_t checksum[2];
    if (blob_size < checksum_offset + checksum_size) return key;
    memcpy(checksum, blob + checksum_offset, checksum_size);
    key.high ^= checksum[0];
    key.low ^= checksum[1];
    return key;
}

bool loaded_before(struct loaded_key key)
{
    state_start();
    (void)pthread_mutex_lock(&notes.lock);
    const bool is_there = is_there_locked(key);
    (void)pthread_mutex_unlock(&notes.lock);
    return is_there;
}

void loaded_forget(void)
{
    state_start();
    (void)pthread_mutex_lock(&notes.lock);
    forget_all_locked();
    (void)pthread_mutex_unlock(&notes.lock);
}

void loaded_note(struct loaded_key key)
{
    state_start();
    (void)pthread_mutex_lock(&notes.lock);
    if (!is_there_locked(key)) {
        if (notes.count == most_notes) forget_all_locked();
        (void)add_locked(key);
        notes.fresh[notes.fresh_count++] = key;
    }
    (void)pthread_mutex_unlock(&notes.lock);
}
