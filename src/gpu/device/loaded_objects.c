/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/loaded_objects.h"

#include "src/common/array.h"

#include <stdlib.h>
#include <string.h>

const char *loaded_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *loaded_object_name(const struct loaded_object *object)
{
    return object->library.name != NULL ? object->library.name
                                        : loaded_base_name(object->path);
}

/* ---- Which are there ----------------------------------------------------- */

static struct loaded_object *add_object(struct loaded_objects *objects)
{
    if (!array_grow(&objects->list, objects->count, sizeof *objects->list))
        return NULL;
    struct loaded_object *o = &objects->list[objects->count++];
    memset(o, 0, sizeof *o);
    return o;
}

static bool collect_object(void *user, const struct library_facts *library)
{
    struct loaded_object *o = add_object(user);
    if (o == NULL) return false;
    /* Of a path that is too long the end, which has the name. */
    const size_t length = strlen(library->path);
    o->path_is_cut = length >= sizeof o->path;
    strcpy(o->path,
            library->path + (o->path_is_cut ? length + 1 - sizeof o->path : 0));
    o->library = *library;
    o->library.path = NULL; /* the visit's alone */
    return true;
}

bool loaded_objects_init(struct loaded_objects *objects)
{
    *objects = (struct loaded_objects){NULL, 0};
    if (libraries_each(collect_object, objects)) return true;
    loaded_objects_fini(objects);
    return false;
}

void loaded_objects_fini(struct loaded_objects *objects)
{
    free(objects->list);
    *objects = (struct loaded_objects){NULL, 0};
}

/* ---- Which are wanted ---------------------------------------------------- */

static struct loaded_object *find_needed(
        struct loaded_objects *objects, const char *needed)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(loaded_object_name(&objects->list[i]),
                    loaded_base_name(needed))
                == 0)
            return &objects->list[i];
    return NULL;
}

void loaded_objects_want(struct loaded_objects *objects,
        struct loaded_object *object,
        void (*absent)(void *user, const char *name), void *user)
{
    struct loaded_object *waiting = object;
    if (object->wanted) return;
    object->wanted = true;
    while (waiting != NULL) {
        const struct library_facts *top = &waiting->library;
        const char *needed;
        size_t at = 0;
        waiting = waiting->waiting;
        while ((needed = library_next_linked(top, &at)) != NULL) {
            struct loaded_object *other = find_needed(objects, needed);
            if (other == NULL) absent(user, loaded_base_name(needed));
            if (other == NULL || other->wanted) continue;
            other->wanted = true;
            other->waiting = waiting;
            waiting = other;
        }
    }
}

struct loaded_object *loaded_objects_at(
        struct loaded_objects *objects, const void *address)
{
    const uintptr_t base = library_base_of(address);
    for (size_t i = 0; i < objects->count && base != 0; i++)
        if (objects->list[i].library.base == base) return &objects->list[i];
    return NULL;
}

const struct loaded_object *loaded_objects_find_file(
        const struct loaded_objects *objects, const char *name)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(loaded_base_name(objects->list[i].path), name) == 0)
            return &objects->list[i];
    return NULL;
}
