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

struct shared_text {
    atomic_int references;
    size_t size; /* of the text, without its NUL */
    char text[];
};

/* A copy of the text, of one reference; NULL: out of memory. */
struct shared_text *shared_text_create(const char *text);
/* NULL is fine for both. */
struct shared_text *shared_text_retain(struct shared_text *note);
void shared_text_release(struct shared_text *note);

/* Where the last note of something is kept. */
struct text_slot {
    pthread_mutex_t lock;     /* guards note; leaf */
    struct shared_text *note; /* NULL: none yet */
};

void text_slot_init(struct text_slot *slot);
void text_slot_fini(struct text_slot *slot);
/* Takes the note over, in place of what is there; NULL changes nothing. */
void text_slot_put(struct text_slot *slot, struct shared_text *note);
/* A reference of the caller's; NULL: none yet. */
struct shared_text *text_slot_get(struct text_slot *slot);

#endif /* DNNL_CACHE_COMMON_NOTE_H */
