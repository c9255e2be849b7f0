/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_class.h: launches of a kernel that share machine code.
 *
 * PoCL (3.1, 5.0) compiles a kernel once more for each class of launches, at
 * the first of them: for each local size, with a global offset or without, on a
 * small grid or on any. A binary has the classes that were launched before the
 * first query for it, and those that POCL_BINARY_SPECIALIZE_WG names at that
 * time. Other drivers have no classes.
 *
 * A class is written as PoCL names it, "64-1-1-goffs0-smallgrid"; where the
 * driver chooses the local size, with the global size, from which it chooses:
 * "auto-4096-1-1-goffs0-smallgrid".
 */
#ifndef DNNL_CACHE_DRIVERS_LAUNCH_CLASS_H
#define DNNL_CACHE_DRIVERS_LAUNCH_CLASS_H

#include "dnnl_cache/sys/note.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arguments of clEnqueueNDRangeKernel(). */
struct launch {
    uint32_t dimensions;
    const size_t *offset; /* NULL: none */
    const size_t *global;
    const size_t *local; /* NULL: chosen by the driver */
};

struct launch_class {
    uint64_t size[3]; /* local, or global if is_auto; 1: no such dimension */
    bool is_auto;
    bool has_offset;
    bool is_small; /* grid */
};

/* A binary is complete for all classes that were launched at any start. That
 * has a bound, or an application that launches each time in others would have
 * it compiled anew for ever: a binary with so many classes, of all kernels
 * together, or with so many bytes is full. It counts as complete for every
 * launch, and the driver compiles at each start what is not in it. */
enum { launch_classes_max = 1024, launch_classes_bytes = 16 << 20 };
static inline bool launch_classes_are_full(size_t count, uint64_t bytes)
{
    return count >= launch_classes_max || bytes >= launch_classes_bytes;
}

/* Grids that are narrower in every dimension are small ones: PoCL's limit, of
 * CPUs and GPUs alike. */
enum { launch_small_width = 65535 };

/* Two parts of a class, without a call: for each launch. */
static inline bool launch_has_offset(const struct launch *launch)
{
    bool has = false;
    for (uint32_t i = 0; launch->offset != NULL && i < launch->dimensions; i++)
        has = has || launch->offset[i] != 0;
    return has;
}

static inline bool launch_is_small(const struct launch *launch)
{
    bool is = true;
    for (uint32_t i = 0; i < launch->dimensions; i++)
        is = is && launch->global[i] < launch_small_width;
    return is;
}

/* False: no driver accepts it, it has no class. */
bool launch_class_of(struct launch_class *class, const struct launch *launch);

bool launch_class_is_same(
        const struct launch_class *a, const struct launch_class *b);

/* ---- Names --------------------------------------------------------------- */

enum { launch_class_text_size = 96 };
void launch_class_write(
        char text[launch_class_text_size], const struct launch_class *class);

/* Reads the name that text begins with, up to end: its size; 0: no name. */
size_t launch_class_read(
        struct launch_class *class, const char *text, const char *end);

/* Reads the first name of a list as POCL_BINARY_SPECIALIZE_WG has it, and moves
 * *list to the next one. False: the list is at its end, or is something else.
 */
bool launch_class_read_next(struct launch_class *class, const char **list);

/* ---- In a journal -------------------------------------------------------- */

/* The class of a note of a launch; false: it has none. */
bool launch_class_of_note(
        struct launch_class *class, const dnnl_cache_note_t *note);

/* Puts the class of a launch of so many dimensions into a note. */
void launch_class_put(dnnl_cache_note_t *note, const struct launch_class *class,
        uint32_t dimensions);

#endif /* DNNL_CACHE_DRIVERS_LAUNCH_CLASS_H */
