/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_lead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct led {
    struct led *next;
    char name[remote_request_name_size];
};

struct remote_leads {
    atomic_uint refs;
    struct remote_thread *gets; /* a reference */
    pthread_mutex_t lock;       /* guards the list; leaf */
    struct led *first;
};

struct remote_leads *remote_leads_make(struct remote_thread *gets)
{
    struct remote_leads *leads = calloc(1, sizeof *leads);
    if (leads == NULL) return NULL;
    atomic_init(&leads->refs, 1);
    pthread_mutex_init(&leads->lock, NULL);
    leads->gets = gets;
    remote_thread_retain(gets);
    return leads;
}

void remote_leads_retain(struct remote_leads *leads)
{
    atomic_fetch_add(&leads->refs, 1);
}

void remote_leads_release(struct remote_leads *leads)
{
    if (leads == NULL || atomic_fetch_sub(&leads->refs, 1) != 1) return;
    while (leads->first != NULL) {
        struct led *next = leads->first->next;
        free(leads->first);
        leads->first = next;
    }
    pthread_mutex_destroy(&leads->lock);
    remote_thread_release(leads->gets);
    free(leads);
}

bool remote_leads_add(struct remote_leads *leads, const char *name)
{
    struct led *led = malloc(sizeof *led);
    if (led == NULL) return false;
    snprintf(led->name, sizeof led->name, "%s", name);
    pthread_mutex_lock(&leads->lock);
    led->next = leads->first;
    leads->first = led;
    pthread_mutex_unlock(&leads->lock);
    return true;
}

bool remote_leads_take(struct remote_leads *leads, const char *name)
{
    pthread_mutex_lock(&leads->lock);
    struct led **at = &leads->first;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    struct led *led = *at;
    if (led != NULL) *at = led->next;
    pthread_mutex_unlock(&leads->lock);
    free(led);
    return led != NULL;
}

void remote_leads_end(
        struct remote_leads *leads, const char *name, bool is_built)
{
    struct remote_call *call = remote_call_make(1);
    if (call == NULL) return; /* the lease ends by itself */
    struct remote_request *request = &call->requests[0];
    request->verb = is_built ? remote_verb_built : remote_verb_stop;
    snprintf(request->name, sizeof request->name, "%s", name);
    call->starts_late = true;
    call->timeout_ns = (uint64_t)1000000000u;
    if (remote_thread_submit(leads->gets, call))
        remote_call_leave(call);
    else
        remote_call_destroy(call);
}
