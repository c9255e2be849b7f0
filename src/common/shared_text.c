/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/shared_text.h"

#include <stdlib.h>
#include <string.h>

struct shared_text *shared_text_create(const char *text)
{
    size_t size = strlen(text);
    struct shared_text *note = malloc(sizeof *note + size + 1);
    if (note == NULL) return NULL;
    atomic_init(&note->references, 1);
    note->size = size;
    memcpy(note->text, text, size + 1);
    return note;
}

struct shared_text *shared_text_retain(struct shared_text *note)
{
    if (note != NULL)
        atomic_fetch_add_explicit(&note->references, 1, memory_order_relaxed);
    return note;
}

void shared_text_release(struct shared_text *note)
{
    if (note != NULL
            && atomic_fetch_sub_explicit(
                       &note->references, 1, memory_order_acq_rel)
                       == 1)
        free(note);
}

/* ---- Slots --------------------------------------------------------------- */

void text_slot_init(struct text_slot *slot)
{
    pthread_mutex_init(&slot->lock, NULL);
    slot->note = NULL;
}

void text_slot_fini(struct text_slot *slot)
{
    shared_text_release(slot->note);
    pthread_mutex_destroy(&slot->lock);
}

void text_slot_put(struct text_slot *slot, struct shared_text *note)
{
    pthread_mutex_lock(&slot->lock);
    struct shared_text *old = slot->note;
    slot->note = note;
    pthread_mutex_unlock(&slot->lock);
    shared_text_release(old);
}

struct shared_text *text_slot_get(struct text_slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    struct shared_text *note = shared_text_retain(slot->note);
    pthread_mutex_unlock(&slot->lock);
    return note;
}
