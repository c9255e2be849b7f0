/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_heard.h"

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

static void drop(struct remote_transport *t, struct redis_heard **at)
{
    struct redis_heard *heard = *at;
    *at = heard->next;
    t->heard_count--;
    free(heard);
}

/* Those whose time is over, or those that have ended, too. */
static void sweep(struct remote_transport *t, uint64_t now_ns, bool is_ended)
{
    for (size_t i = 0; i < redis_heard_buckets; i++)
        for (struct redis_heard **at = &t->heard[i]; *at != NULL;) {
            if ((*at)->until_ns <= now_ns || (is_ended && (*at)->has_ended))
                drop(t, at);
            else
                at = &(*at)->next;
        }
}

void redis_heard_drop(struct remote_transport *t, const char *name)
{
    for (struct redis_heard **at = bucket_of(t, name); *at != NULL;
            at = &(*at)->next)
        if (strcmp((*at)->name, name) == 0) {
            drop(t, at);
            return;
        }
}

void redis_heard_drop_all(struct remote_transport *t)
{
    sweep(t, UINT64_MAX, true);
}

/* NULL: no room, or no memory. */
static struct redis_heard *add(
        struct remote_transport *t, const char *name, uint64_t length_ns)
{
    const uint64_t now = clock_ns();
    redis_heard_drop(t, name);
    if (t->heard_count == most_heard) sweep(t, now, false);
    if (t->heard_count == most_heard) sweep(t, now, true);
    struct redis_heard *heard =
            t->heard_count < most_heard ? calloc(1, sizeof *heard) : NULL;
    if (heard == NULL) return NULL;
    struct redis_heard **bucket = bucket_of(t, name);
    snprintf(heard->name, sizeof heard->name, "%s", name);
    heard->length_ns = length_ns;
    heard->until_ns = now + length_ns;
    heard->next = *bucket;
    *bucket = heard;
    t->heard_count++;
    return heard;
}

void redis_heard_note(struct remote_transport *t, const char *name,
        const char *holder, uint64_t length_ns)
{
    struct redis_heard *heard = add(t, name, length_ns);
    if (heard != NULL)
        snprintf(heard->holder, sizeof heard->holder, "%s", holder);
}

void redis_heard_note_end(struct remote_transport *t, const char *name)
{
    static const uint64_t a_while_ns = 60 * (uint64_t)1000000000u;
    struct redis_heard *heard = add(t, name, a_while_ns);
    if (heard != NULL) heard->has_ended = true;
}

static const struct redis_heard *find(
        struct remote_transport *t, const char *name, bool has_ended)
{
    if (!redis_messages_are_heard(t)) return NULL; /* more may have been said */
    const struct redis_heard *heard = *bucket_of(t, name);
    while (heard != NULL && strcmp(heard->name, name) != 0)
        heard = heard->next;
    return heard != NULL && heard->has_ended == has_ended
                           && heard->until_ns > clock_ns()
                   ? heard
                   : NULL;
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
