/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared objects that are loaded in this process, as they are in memory:
 * names, build-ids, and what links what.
 */
#ifndef DNNL_CACHE_GPU_LOADED_OBJECTS_H
#define DNNL_CACHE_GPU_LOADED_OBJECTS_H

#include "src/platform/loaded_libraries.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOADED_PATH_SIZE = 1024 };

struct loaded_object {
    char path[LOADED_PATH_SIZE];  /* as it was loaded: may be relative */
    bool path_is_cut;             /* only its end is there */
    struct library_facts library; /* but for its path */
    bool wanted;
    struct loaded_object *waiting; /* for loaded_objects_want() */
};

struct loaded_objects {
    struct loaded_object *list;
    size_t count;
};

/* All but the main program. False: out of memory. */
bool loaded_objects_init(struct loaded_objects *objects);
void loaded_objects_fini(struct loaded_objects *objects);

/* Its soname, or the name of its file. */
const char *loaded_object_name(const struct loaded_object *object);

/* Marks an object and all that it links, directly or not, as wanted; absent()
 * is told of names that no loaded object has. */
void loaded_objects_want(struct loaded_objects *objects,
        struct loaded_object *object,
        void (*absent)(void *user, const char *name), void *user);

/* The object that has this address; NULL: none that is known. */
struct loaded_object *loaded_objects_at(
        struct loaded_objects *objects, const void *address);

/* The object that was loaded from a file of this name, in any directory. */
const struct loaded_object *loaded_objects_find_file(
        const struct loaded_objects *objects, const char *name);

/* What is behind the last slash of a path. */
const char *loaded_base_name(const char *path);

#endif /* DNNL_CACHE_GPU_LOADED_OBJECTS_H */
