/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/cache_parts.h"

#include "src/common/shared_text.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct entry *entry_create(const struct cache_key *key)
{
    if (key->size > UINT_MAX) return NULL; /* the width of uthash's lengths */
    struct entry *e = malloc(sizeof *e + key->size);
    if (e == NULL) return NULL;
    memset(e, 0, sizeof *e);
    if (pthread_mutex_init(&e->lock, NULL) != 0) {
        free(e);
        return NULL;
    }
    if (pthread_cond_init(&e->settled, NULL) != 0) {
        pthread_mutex_destroy(&e->lock);
        free(e);
        return NULL;
    }
    atomic_init(&e->state, entry_in_progress);
    atomic_init(&e->users, 1);
    e->hh.hashv = (unsigned)key->hash;
    e->hh.keylen = (unsigned)key->size;
    memcpy(e->key, key->data, key->size);
    return e;
}

void entry_settle(struct entry *e)
{
    enum entry_state was = entry_in_progress;
    bool changed = atomic_compare_exchange_strong_explicit(&e->state, &was,
            e->value != NULL ? entry_succeeded : entry_failed,
            memory_order_release, memory_order_relaxed);
    assert(changed);
    (void)changed;
}

void entry_leave(struct cache *c, struct entry *e)
{
    if (atomic_fetch_sub_explicit(&e->users, 1, memory_order_acq_rel) > 1)
        return;
    if (e->value != NULL) c->ops.release(e->value);
    shared_text_release(e->note);
    pthread_cond_destroy(&e->settled);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

void entry_leave_all(struct cache *c, struct entry *dropped)
{
    struct entry *e;
    struct entry *following;
    LL_FOREACH_SAFE2(dropped, e, following, newer)
    {
        if (c->ops.left != NULL && e->entered)
            c->ops.left(c->ops.user, e->value, e->why);
        entry_leave(c, e);
    }
}

void entry_sleep(struct entry *e)
{
    /* Waiting must not end the thread: it would stay in the path of others. */
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&e->lock);
    while (entry_state(e) == entry_in_progress)
        pthread_cond_wait(&e->settled, &e->lock);
    pthread_mutex_unlock(&e->lock);
    pthread_setcancelstate(cancel_state, NULL);
}
