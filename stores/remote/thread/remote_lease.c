/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct led {
    struct led *next;
    char name[remote_request_name_size];
};

struct remote_leases {
    atomic_uint refs;
    struct remote_thread *gets; /* a reference */
    pthread_mutex_t lock;       /* guards the list; leaf */
    struct led *first;
};

struct remote_leases *remote_leases_make(struct remote_thread *gets)
{
    struct remote_leases *leases = calloc(1, sizeof *leases);
    if (leases == NULL) return NULL;
    atomic_init(&leases->refs, 1);
    pthread_mutex_init(&leases->lock, NULL);
    leases->gets = gets;
    remote_thread_retain(gets);
    return leases;
}

void remote_leases_retain(struct remote_leases *leases)
{
    atomic_fetch_add(&leases->refs, 1);
}

void remote_leases_release(struct remote_leases *leases)
{
    if (leases == NULL || atomic_fetch_sub(&leases->refs, 1) != 1) return;
    while (leases->first != NULL) {
        struct led *next = leases->first->next;
        free(leases->first);
        leases->first = next;
    }
    pthread_mutex_destroy(&leases->lock);
    remote_thread_release(leases->gets);
    free(leases);
}

bool remote_leases_add(struct remote_leases *leases, const char *name)
{
    struct led *led = malloc(sizeof *led);
    if (led == NULL) return false;
    snprintf(led->name, sizeof led->name, "%s", name);
    pthread_mutex_lock(&leases->lock);
    led->next = leases->first;
    leases->first = led;
    pthread_mutex_unlock(&leases->lock);
    return true;
}

bool remote_leases_take(struct remote_leases *leases, const char *name)
{
    pthread_mutex_lock(&leases->lock);
    struct led **at = &leases->first;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    struct led *led = *at;
    if (led != NULL) *at = led->next;
    pthread_mutex_unlock(&leases->lock);
    free(led);
    return led != NULL;
}

void remote_leases_end(
        struct remote_leases *leases, const char *name, enum remote_verb how)
{
    struct remote_call *call = remote_call_make(1);
    if (call == NULL) return; /* the lease ends by itself */
    struct remote_request *request = &call->requests[0];
    request->verb = how;
    snprintf(request->name, sizeof request->name, "%s", name);
    call->starts_late = true;
    call->timeout_ns = (uint64_t)1000000000u;
    if (remote_thread_submit(leases->gets, call))
        remote_call_leave(call);
    else
        remote_call_destroy(call);
}
