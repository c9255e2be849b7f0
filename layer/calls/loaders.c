/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/calls/loaders.h"

#include "layer/driver/next_layer.h"
#include "src/platform/loaded_libraries.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool count_loader(void *user, const struct library_facts *library)
{
    static const char name[] = "libOpenCL";
    unsigned *count = user;
    const char *slash = strrchr(library->path, '/');
    if (slash != NULL && strncmp(slash + 1, name, sizeof name - 1) == 0)
        ++*count;
    return true;
}

unsigned loaders_count(void)
{
    unsigned count = 0;
    (void)libraries_each(count_loader, &count);
    return count;
}

/* ---- Those that have the layer ------------------------------------------- */

struct loader {
    struct loader *next; /* in the order in which they came */
    uintptr_t base;      /* where its code is */
    bool has_layer;      /* else it is free for the next one */
    cl_icd_dispatch below;
    cl_icd_dispatch own; /* the layer's */
};

static struct loader *loaders;

static struct loader *find_or_make(void)
{
    struct loader **place = &loaders;
    while (*place != NULL && (*place)->has_layer)
        place = &(*place)->next;
    if (*place == NULL) *place = calloc(1, sizeof **place);
    return *place;
}

static void choose_target(void)
{
    for (const struct loader *loader = loaders; loader != NULL;
            loader = loader->next)
        if (loader->has_layer) {
            next_layer = &loader->below;
            return;
        }
}

cl_icd_dispatch *loaders_add(
        const void *code, const cl_icd_dispatch *below, cl_uint entries)
{
    const bool is_first = !loaders_have_one();
    const size_t size = entries * sizeof(void (*)(void));
    struct loader *loader = find_or_make();
    if (loader == NULL) return NULL;
    memset(&loader->below, 0, sizeof loader->below);
    memcpy(&loader->below, below,
            size < sizeof loader->below ? size : sizeof loader->below);
    loader->own = loader->below;
    /* Calls of its code come from one place in memory, however often it is
     * loaded. */
    loader->base = library_base_of(code);
    loader->has_layer = true;
    if (is_first) choose_target();
    return &loader->own;
}

/* One that took the layer in twice gives back what it took last. */
static struct loader *find_last(uintptr_t base)
{
    struct loader *last = NULL;
    for (struct loader *loader = loaders; loader != NULL; loader = loader->next)
        if (loader->has_layer && loader->base == base) last = loader;
    return last;
}

bool loaders_remove(const void *code)
{
    struct loader *loader = find_last(library_base_of(code));
    if (loader == NULL) return false;
    loader->has_layer = false;
    choose_target();
    return true;
}

bool loaders_have_one(void)
{
    const struct loader *loader = loaders;
    while (loader != NULL && !loader->has_layer)
        loader = loader->next;
    return loader != NULL;
}
