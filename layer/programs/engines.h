/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines that builds share: one of a context and a device, with what is asked
 * of the device at every build. They stay as long as the application has a
 * program in the context, which keeps the context alive anyway, or a build has
 * them.
 */
#ifndef DNNL_CACHE_LAYER_ENGINES_H
#define DNNL_CACHE_LAYER_ENGINES_H

#include "dnnl_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All but the ID is fixed. */
struct layer_engine {
    struct layer_engine *next; /* in its list */
    unsigned references;       /* guarded by the lock in engines.c, like next */
    unsigned forks;            /* of which process it is */
    cl_device_id device;
    dnnl_engine_t engine; /* owned */
    bool is_cpu;          /* CL_DEVICE_TYPE_CPU */
    char platform[64];    /* CL_PLATFORM_NAME; "": it is not known, or longer */
    uint8_t *id;          /* owned; NULL: engines_name() was not called */
    size_t id_size;
};

/* Once, while there is one thread that knows of the layer. */
void engines_init(void);

/* Counts the programs of a context, which is alive. False: no memory. */
bool engines_add_program(cl_context context);
void engines_remove_program(cl_context context);

/* The engine of a device of the context, with a reference that
 * engines_release() gives back. Statuses: those of
 * dnnl_ocl_interop_engine_create(). */
dnnl_status_t engines_get(
        struct layer_engine **out, cl_context context, cl_device_id device);
/* NULL is fine. */
void engines_release(struct layer_engine *engine);

/* Sets the ID, which names the device for measurements, unless it is set; it
 * stays NULL if the device has none now. Statuses: dnnl_success, or why it
 * cannot be told. */
dnnl_status_t engines_name(struct layer_engine *engine);

#endif /* DNNL_CACHE_LAYER_ENGINES_H */
