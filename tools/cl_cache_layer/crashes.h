/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crashes.h: the list of loads that killed a process, a file in the state
 * folder.
 *
 * A line for each event: an ID's hash, and "crash", or "fine" for a load that
 * succeeded after a crash. Two crashes of one ID without a "fine" between them,
 * and it is not loaded any more. IDs are told apart by 128 bits of a hash: two
 * that share them would share a quarantine, which costs a compilation.
 */
#ifndef DNNL_CACHE_LAYER_CRASHES_H
#define DNNL_CACHE_LAYER_CRASHES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crash_key {
    uint64_t high;
    uint64_t low;
};

struct crash_key crash_key_of(size_t id_size, const uint8_t *id);
bool crash_key_is_zero(struct crash_key key);

enum { crashes_to_quarantine = 2 };

/* What a list says, sorted; the caller frees it with crashes_fini(). Fixed
 * after crashes_read(): any thread may look. */
struct crashes {
    struct crash {
        struct crash_key key;
        unsigned count; /* since the last load that was fine */
        atomic_bool forgiven;
    } * items;
    size_t count;
};

/* Reads the folder's list; empty if there is none. */
void crashes_read(struct crashes *crashes, int folder);
void crashes_fini(struct crashes *crashes);

/* Crashes of an ID since its last load that was fine. */
unsigned crashes_count(const struct crashes *crashes, struct crash_key key);

/* True, once, of an ID that has crashes: the one who is told so writes down
 * that a load of it was fine. */
bool crashes_forgive(const struct crashes *crashes, struct crash_key key);

/* Writes one event down; lists that grow long are shortened. */
void crashes_note(int folder, struct crash_key key, bool fine);

#endif /* DNNL_CACHE_LAYER_CRASHES_H */
