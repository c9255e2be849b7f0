/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_heard.h"

#include "stores/redis/redis_get.h"
#include "stores/redis/redis_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A server says what it likes. */
enum { most_heard = 4096 };

static struct redis_heard **bucket_of(
        struct remote_transport *t, const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return &t->heard[hash % redis_heard_buckets];
}

static void drop_locked(struct remote_transport *t, struct redis_heard **at)
{
    struct redis_heard *heard = *at;
    *at = heard->next;
    t->heard_count--;
    free(heard);
}

/* Those whose time is over, or those that have ended, too. */
static void sweep_locked(
        struct remote_transport *t, uint64_t now_ns, bool is_ended)
{
    for (size_t i = 0; i < redis_heard_buckets; i++)
        for (struct redis_heard **at = &t->heard[i]; *at != NULL;) {
            if ((*at)->until_ns <= now_ns || (is_ended && (*at)->has_ended))
                drop_locked(t, at);
            else
                at = &(*at)->next;
        }
}

/* Where it is, or NULL is. */
static struct redis_heard **place_of(
        struct remote_transport *t, const char *name)
{
    struct redis_heard **at = bucket_of(t, name);
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

void redis_heard_drop(struct remote_transport *t, const char *name)
{
    struct redis_heard **at = place_of(t, name);
    if (*at == NULL) return;
    pthread_mutex_lock(&t->lock);
    drop_locked(t, at);
    pthread_mutex_unlock(&t->lock);
}

void redis_heard_drop_all(struct remote_transport *t)
{
    pthread_mutex_lock(&t->lock);
    sweep_locked(t, UINT64_MAX, true);
    pthread_mutex_unlock(&t->lock);
}

/* Another one of that name is dropped. NULL: no room, or no memory. */
static struct redis_heard *make_room_locked(
        struct remote_transport *t, const char *name)
{
    const uint64_t now = clock_ns();
    struct redis_heard **at = place_of(t, name);
    if (*at != NULL) drop_locked(t, at);
    if (t->heard_count == most_heard) sweep_locked(t, now, false);
    if (t->heard_count == most_heard) sweep_locked(t, now, true);
    return t->heard_count < most_heard ? calloc(1, sizeof(struct redis_heard))
                                       : NULL;
}

/* For so long from now on; of `as` what is not the name's, nor a time. */
static void note(struct remote_transport *t, const char *name,
        uint64_t length_ns, const struct redis_heard *as)
{
    pthread_mutex_lock(&t->lock);
    struct redis_heard *heard = make_room_locked(t, name);
    if (heard != NULL) {
        struct redis_heard **bucket = bucket_of(t, name);
        *heard = *as;
        snprintf(heard->name, sizeof heard->name, "%s", name);
        heard->length_ns = length_ns;
        heard->until_ns = clock_ns() + length_ns;
        heard->next = *bucket;
        *bucket = heard;
        t->heard_count++;
    }
    pthread_mutex_unlock(&t->lock);
}

void redis_heard_note(struct remote_transport *t, const char *name,
        const char *holder, uint64_t length_ns)
{
    struct redis_heard as = {.next = NULL};
    snprintf(as.holder, sizeof as.holder, "%s", holder);
    note(t, name, length_ns, &as);
}

static const uint64_t a_while_ns = 60 * (uint64_t)1000000000u;

void redis_heard_note_end(struct remote_transport *t, const char *name)
{
    const struct redis_heard *before = *place_of(t, name);
    const struct redis_heard as = {.has_ended = true,
            .failed_ns = before != NULL ? before->failed_ns : 0};
    note(t, name, a_while_ns, &as);
}

void redis_heard_note_failure(struct remote_transport *t, const char *name)
{
    const struct redis_heard as = {.has_ended = true, .failed_ns = clock_ns()};
    note(t, name, a_while_ns, &as);
}

/* NULL also if its time is over. */
static const struct redis_heard *look(
        struct remote_transport *t, const char *name)
{
    const struct redis_heard *heard = *place_of(t, name);
    return heard != NULL && heard->until_ns > clock_ns() ? heard : NULL;
}

static const struct redis_heard *find(
        struct remote_transport *t, const char *name, bool has_ended)
{
    if (!redis_messages_are_heard(t)) return NULL; /* more may have been said */
    const struct redis_heard *heard = look(t, name);
    return heard != NULL && heard->has_ended == has_ended ? heard : NULL;
}

bool redis_heard_has_failed(
        struct remote_transport *t, const char *name, uint64_t since_ns)
{
    const struct redis_heard *heard = find(t, name, true);
    return heard != NULL && heard->failed_ns > since_ns;
}

const struct redis_heard *redis_heard_find(
        struct remote_transport *t, const char *name)
{
    return find(t, name, false);
}

bool redis_heard_has_ended(struct remote_transport *t, const char *name)
{
    return find(t, name, true) != NULL;
}

void redis_heard_drop_end(struct remote_transport *t, const char *name)
{
    if (redis_heard_has_ended(t, name)) redis_heard_drop(t, name);
}

/* ---- For other threads --------------------------------------------------- */

void redis_heard_share(struct remote_transport *t)
{
    const struct redis_told now = {
            .hears_all = t->is_subscribed && redis_messages_are_heard(t),
            .is_in_step = t->is_in_step,
            .round_ns = t->round_ns};
    if (now.hears_all == t->told.hears_all
            && now.is_in_step == t->told.is_in_step
            && now.round_ns == t->told.round_ns)
        return;
    pthread_mutex_lock(&t->lock);
    t->told = now;
    pthread_mutex_unlock(&t->lock);
}

/* Of one that has ended the server is asked at once. */
static uint64_t rests_until_locked(
        struct remote_transport *t, const struct remote_request *request)
{
    /* The one that leads may have died. */
    static const uint64_t longest_ns = 1000000000u;
    const uint64_t now = clock_ns();
    const struct redis_heard *heard = look(t, request->name);
    if (heard != NULL && heard->has_ended) return 0;
    if (request->verb == remote_verb_get) {
        if (heard != NULL) return REMOTE_IS_ABSENT;
        return t->told.is_in_step
                       ? now + redis_get_rest_ns(t, t->told.round_ns, now)
                       : 0;
    }
    if (heard == NULL || request->verb != remote_verb_lease) return 0;
    return heard->until_ns < now + longest_ns ? heard->until_ns
                                              : now + longest_ns;
}

uint64_t redis_heard_rests_until(
        struct remote_transport *t, const struct remote_request *request)
{
    uint64_t until_ns = 0;
    pthread_mutex_lock(&t->lock);
    if (t->told.hears_all) until_ns = rests_until_locked(t, request);
    pthread_mutex_unlock(&t->lock);
    return until_ns;
}
