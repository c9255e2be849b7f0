/* SPDX-License-Identifier: Apache-2.0 */
/* What the walks of a process share: a platform's devices, and contexts. */
#ifndef DNNL_CACHE_TESTS_LAYER_WALKS_WORLD_H
#define DNNL_CACHE_TESTS_LAYER_WALKS_WORLD_H

#include "walk.h"

#include <CL/cl.h>

enum { world_devices = 2 };

/* A context, and a queue for each of its devices. */
struct place {
    cl_context context;
    cl_uint count;
    cl_device_id devices[world_devices];
    cl_command_queue queues[world_devices];
};

struct world {
    struct place places[context_kinds];
    struct place elsewhere; /* nobody's programs are of it */
    cl_device_id part;      /* a sub-device; NULL: there are none */
    const char *salt;       /* what makes sources differ from others' */
    /* What a driver does not survive, and is not asked for (world.c). */
    bool is_frail; /* PoCL */
    bool dies_of_unlinked_kernels;
    bool dies_of_blind_links;
    bool dies_of_strangers; /* compiling for another context's device */
    bool is_intel;
    bool is_rusticl;
    bool has_exact_binaries; /* their bytes are always the same */
    bool calls_back_late;    /* when the compiler is unloaded */
    bool has_il;             /* the fake one's: a number, and text */
    cl_platform_id platform;
};

/* False: there is no such platform, by a part of its name. */
bool world_open(struct world *world, const char *platform);
void world_close(struct world *world);

#endif /* DNNL_CACHE_TESTS_LAYER_WALKS_WORLD_H */
