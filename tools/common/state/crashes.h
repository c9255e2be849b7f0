/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crashes.h: the list of loads during which a process ended, a file in the
 * state folder.
 *
 * A line for each event: the hash of an ID, what happened, and when, in seconds
 * since the epoch. A driver that crashes and a user who ends the process look
 * the same. So an entry is compiled again and replaced after two deaths, and
 * put in quarantine (compiled, not loaded) only after two more deaths with the
 * replacement. A load that succeeds cancels all events before it, and events
 * expire after seven days. With another driver, IDs differ.
 *
 * IDs are compared by 128 bits of a hash. Two with the same hash would share a
 * quarantine, which costs a compilation.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_CRASHES_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_CRASHES_H

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

enum { crashes_deaths_to_act = 2, crashes_forget_seconds = 7 * 86400 };

enum crash_event {
    crash_event_death,
    crash_event_replaced, /* compiled, and kept in place of the entry */
    crash_event_fine      /* loaded, and the process lived */
};

/* What to do with an entry. */
enum crash_state {
    crash_state_load,       /* there may have been a death */
    crash_state_replace,    /* two: compile, replace the entry */
    crash_state_quarantined /* and two of the replacement: compile */
};

/* What a list says, sorted; the caller frees it with crashes_fini(). Fixed
 * after crashes_read() but for the flags: any thread may look. */
struct crashes {
    struct crash {
        struct crash_key key;
        unsigned deaths;  /* of the entry, or of its replacement */
        bool is_replaced; /* deaths are the replacement's */
        uint64_t last_s;  /* the last event */
        atomic_bool forgiven;
        atomic_bool replaced_now; /* by this process */
    } * items;
    size_t count;
};

/* The time for those below. */
uint64_t crashes_now_s(void);

/* Reads the folder's list as it is at that time; empty if there is none, or it
 * cannot be read: then an errno value, else 0. */
int crashes_read(struct crashes *crashes, int folder, uint64_t now_s);
void crashes_fini(struct crashes *crashes);

enum crash_state crash_state_of(const struct crash *crash);
/* NULL: nothing is known of it. */
struct crash *crashes_find(const struct crashes *crashes, struct crash_key key);

/* True, once, for an ID that has events: the caller then records that a load of
 * it succeeded. */
bool crashes_forgive(const struct crashes *crashes, struct crash_key key);
/* True, once, for an ID that is to be replaced: the caller then records that.
 * From then on the entry may be loaded. */
bool crashes_take_replaced(const struct crashes *crashes, struct crash_key key);

/* Writes one event down; lists that grow long are shortened. */
void crashes_note(int folder, struct crash_key key, enum crash_event event,
        uint64_t when_s);

/* Removes the events of all IDs that are meant; NULL: of all. *cleared: of how
 * many there were some. False: it could not be written. */
bool crashes_clear(int folder,
        bool (*is_meant)(void *user, struct crash_key key), void *user,
        size_t *cleared);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_CRASHES_H */
