/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text that several threads hold, such as what a compiler said of a build
 * that many have waited for. Fixed once made.
 */
#ifndef DNNL_CACHE_COMMON_NOTE_H
#define DNNL_CACHE_COMMON_NOTE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct note {
    atomic_int references;
    size_t size; /* of the text, without its NUL */
    char text[];
};

/* A copy of the text, of one reference; NULL: out of memory. */
struct note *note_create(const char *text);
/* NULL is fine for both. */
struct note *note_retain(struct note *note);
void note_release(struct note *note);

/* Where the last note of something is kept. */
struct note_slot {
    pthread_mutex_t lock; /* guards note; leaf */
    struct note *note;    /* NULL: none yet */
};

void note_slot_init(struct note_slot *slot);
void note_slot_fini(struct note_slot *slot);
/* Takes the note over, in place of what is there; NULL changes nothing. */
void note_slot_put(struct note_slot *slot, struct note *note);
/* A reference of the caller's; NULL: none yet. */
struct note *note_slot_get(struct note_slot *slot);

#endif /* DNNL_CACHE_COMMON_NOTE_H */
