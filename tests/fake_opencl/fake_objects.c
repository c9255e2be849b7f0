/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of handles: what is alive, what was released. */
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256
/* A released object keeps its memory for a while: the loader reads its first
 * word before the driver can say that it is dead. */
#define GRAVES 4096

static const struct {
    const char *name;
    cl_int error;
} kinds[OBJECT_KINDS] = {
        [OBJECT_PLATFORM] = {"platform", CL_INVALID_PLATFORM},
        [OBJECT_DEVICE] = {"device", CL_INVALID_DEVICE},
        [OBJECT_CONTEXT] = {"context", CL_INVALID_CONTEXT},
        [OBJECT_QUEUE] = {"queue", CL_INVALID_COMMAND_QUEUE},
        [OBJECT_MEMORY] = {"memory object", CL_INVALID_MEM_OBJECT},
        [OBJECT_PROGRAM] = {"program", CL_INVALID_PROGRAM},
        [OBJECT_KERNEL] = {"kernel", CL_INVALID_KERNEL},
        [OBJECT_EVENT] = {"event", CL_INVALID_EVENT},
};

static struct object *buckets[BUCKETS];
static struct object *graves[GRAVES];
static size_t next_grave;
static size_t alive[OBJECT_KINDS];

static struct object **bucket_of(const void *handle)
{
    uintptr_t address = (uintptr_t)handle;

    return &buckets[(address >> 4 ^ address >> 12) % BUCKETS];
}

static struct object *find(const void *handle)
{
    struct object *object = *bucket_of(handle);

    while (object != NULL && object != handle)
        object = object->next;
    return object;
}

static bool is_buried(const void *handle)
{
    for (size_t i = 0; i < GRAVES; i++)
        if (graves[i] == handle) return true;
    return false;
}

cl_int object_create(void *object, size_t size, enum object_kind kind,
        void (*destroy)(struct object *object))
{
    struct object *made = calloc(1, size);
    struct object **bucket;

    if (made == NULL) return CL_OUT_OF_HOST_MEMORY;
    made->dispatch = &fake_dispatch;
    made->kind = kind;
    made->external = 1;
    made->destroy = destroy;
    bucket = bucket_of(made);
    made->next = *bucket;
    *bucket = made;
    alive[kind]++;
    /* The caller's is a pointer to the handle, of whatever type. */
    memcpy(object, &made, sizeof(made));
    return CL_SUCCESS;
}

cl_int object_check(const void *handle, enum object_kind kind)
{
    const struct object *object = find(handle);

    if (object != NULL && object->kind == kind) return CL_SUCCESS;
    if (handle != NULL)
        misuse("%p is %s %s", handle,
                object != NULL      ? "another object, not a"
                : is_buried(handle) ? "a released"
                                    : "no",
                kinds[kind].name);
    return kinds[kind].error;
}

static void bury(struct object *object)
{
    struct object **place = bucket_of(object);

    while (*place != object)
        place = &(*place)->next;
    *place = object->next;
    alive[object->kind]--;
    free(graves[next_grave]);
    graves[next_grave] = object;
    next_grave = (next_grave + 1) % GRAVES;
}

static void end_if_unused(struct object *object)
{
    if (object->external != 0 || object->internal != 0 || object->eternal)
        return;
    /* Buried first: what it drops may look it up. */
    bury(object);
    object->destroy(object);
    driver_changed();
}

void object_make_eternal(void *object)
{
    struct object *lasting = object;

    lasting->eternal = true;
    alive[lasting->kind]--;
}

cl_int object_retain(void *handle, enum object_kind kind)
{
    cl_int st = object_check(handle, kind);
    struct object *object = handle;

    if (st == CL_SUCCESS && !object->eternal) object->external++;
    return st;
}

cl_int object_release(void *handle, enum object_kind kind)
{
    cl_int st = object_check(handle, kind);
    struct object *object = handle;

    if (st != CL_SUCCESS || object->eternal) return st;
    if (object->external == 0) {
        misuse("release of a %s that only others hold", kinds[kind].name);
        return kinds[kind].error;
    }
    object->external--;
    end_if_unused(object);
    return CL_SUCCESS;
}

void object_hold(void *object)
{
    struct object *held = object;

    if (held != NULL) held->internal++;
}

void object_drop(void *object)
{
    struct object *held = object;

    if (held == NULL) return;
    held->internal--;
    end_if_unused(held);
}

void object_disown(void *object)
{
    struct object *given_up = object;

    given_up->external--;
    end_if_unused(given_up);
}

size_t objects_alive(enum object_kind kind)
{
    return alive[kind];
}
