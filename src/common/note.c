/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/note.h"

#include <stdlib.h>
#include <string.h>

struct note *note_create(const char *text)
{
    size_t size = strlen(text);
    struct note *note = malloc(sizeof *note + size + 1);
    if (note == NULL) return NULL;
    atomic_init(&note->references, 1);
    note->size = size;
    memcpy(note->text, text, size + 1);
    return note;
}

struct note *note_retain(struct note *note)
{
    if (note != NULL)
        atomic_fetch_add_explicit(&note->references, 1, memory_order_relaxed);
    return note;
}

void note_release(struct note *note)
{
    if (note != NULL
            && atomic_fetch_sub_explicit(
                       &note->references, 1, memory_order_acq_rel)
                       == 1)
        free(note);
}

/* ---- Slots --------------------------------------------------------------- */

void note_slot_init(struct note_slot *slot)
{
    pthread_mutex_init(&slot->lock, NULL);
    slot->note = NULL;
}

void note_slot_fini(struct note_slot *slot)
{
    note_release(slot->note);
    pthread_mutex_destroy(&slot->lock);
}

void note_slot_put(struct note_slot *slot, struct note *note)
{
    pthread_mutex_lock(&slot->lock);
    struct note *old = slot->note;
    slot->note = note;
    pthread_mutex_unlock(&slot->lock);
    note_release(old);
}

struct note *note_slot_get(struct note_slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    struct note *note = note_retain(slot->note);
    pthread_mutex_unlock(&slot->lock);
    return note;
}
