/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_server.h"

#include "remote_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_objects = 16 };

struct object {
    char name[128];
    uint8_t *data;
    size_t size;
};

static pthread_mutex_t lock =
        PTHREAD_MUTEX_INITIALIZER; /* guards the objects */
static struct object objects[most_objects];
static size_t count;

void plain_server_clear(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        free(objects[i].data);
    count = 0;
    pthread_mutex_unlock(&lock);
}

size_t plain_server_count(void)
{
    pthread_mutex_lock(&lock);
    const size_t n = count;
    pthread_mutex_unlock(&lock);
    return n;
}

/* ---- The transport ------------------------------------------------------- */

struct remote_transport {
    const struct remote_host *host;
};

static int check(const struct remote_url *url, char why[remote_why_size])
{
    (void)url;
    (void)why;
    return 0;
}

static int create(struct remote_transport **transport,
        const struct remote_url *url, const struct remote_host *host)
{
    (void)url;
    *transport = malloc(sizeof **transport);
    if (*transport == NULL) return ENOMEM;
    (*transport)->host = host;
    return 0;
}

static void destroy(struct remote_transport *transport)
{
    free(transport);
}

static struct object *find_locked(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(objects[i].name, name) == 0) return &objects[i];
    return NULL;
}

static enum remote_result put_locked(const struct remote_request *request)
{
    struct object *object = find_locked(request->name);
    uint8_t *copy = malloc(request->size);
    if (copy == NULL) return remote_result_out_of_memory;
    if (object == NULL && count == most_objects) {
        free(copy);
        return remote_result_refused;
    }
    memcpy(copy, request->data, request->size);
    if (object == NULL) {
        object = &objects[count++];
        snprintf(object->name, sizeof object->name, "%s", request->name);
    } else {
        free(object->data);
    }
    object->data = copy;
    object->size = request->size;
    return remote_result_done;
}

static enum remote_result answer_locked(
        const struct remote_host *host, struct remote_request *request)
{
    enum remote_result result = remote_result_done;
    const struct object *object;
    switch (request->verb) {
    case remote_verb_put:
        return put_locked(request);
    case remote_verb_head:
    case remote_verb_get:
        object = find_locked(request->name);
        if (object == NULL) return remote_result_absent;
        if (request->verb == remote_verb_get)
            (void)host->receive(request, object->data, object->size, &result);
        return result;
    default:
        return remote_result_unsupported;
    }
}

static void submit(
        struct remote_transport *transport, struct remote_request *request)
{
    pthread_mutex_lock(&lock);
    const enum remote_result result = answer_locked(transport->host, request);
    pthread_mutex_unlock(&lock);
    transport->host->done(request, result);
}

/* All is done at once. */
static void drive(struct remote_transport *transport, uint64_t until_ns)
{
    (void)transport;
    (void)until_ns;
}

static void wake(struct remote_transport *transport)
{
    (void)transport;
}

static const struct remote_transport_class plain_class = {
        .name = "plain",
        .check = check,
        .create = create,
        .destroy = destroy,
        .submit = submit,
        .drive = drive,
        .wake = wake,
};

/* The linker puts it in place of the function that loads a module. */
int __real_remote_module_find(const struct remote_transport_class **transport,
        enum remote_scheme scheme, char why[remote_why_size]);
int __wrap_remote_module_find(const struct remote_transport_class **transport,
        enum remote_scheme scheme, char why[remote_why_size]);

int __wrap_remote_module_find(const struct remote_transport_class **transport,
        enum remote_scheme scheme, char why[remote_why_size])
{
    if (scheme != remote_scheme_http)
        return __real_remote_module_find(transport, scheme, why);
    *transport = &plain_class;
    return 0;
}
