/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader_probe.h: does a loader of OpenCL take a layer in?
 *
 * Loaders differ in which functions of a layer they look for and where layers
 * are named, and ignore one in silence. What is in their files tells nothing of
 * that. So this program starts itself once more, and the loader is loaded there
 * with the environment that a command would have, but with a driver that has
 * nothing (probe_driver.c): it takes some milliseconds, and ten seconds at
 * most.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_LOADER_PROBE_H
#define DNNL_CACHE_TOOLS_RUN_LOADER_PROBE_H

#include "layer/settings/entry.h"
#include "src/platform/library.h"

#include <stdbool.h>

enum probe_result {
    probe_no_answer = 0, /* none in time */
    probe_taken,         /* the layer is in */
    probe_ignored,
    probe_no_loader,
    probe_broken /* it cannot be loaded, or does not survive it */
};

/* How the loader is told of the layer. */
enum probe_way {
    probe_variable, /* OPENCL_LAYERS */
    probe_folder    /* OPENCL_LAYER_PATH, which stands for /etc/OpenCL/layers */
};

struct loader_probe {
    enum probe_result result;
    enum layer_entry entry;   /* of a layer that can tell, else layer_entry_none
                               */
    char path[path_size];     /* of the loader; "": it is not known */
    char why[path_size + 64]; /* what is wrong, or "" */
};

/* loader: its file; NULL: the one that a program of this environment gets.
 * layer: an absolute path. */
void loader_probe(struct loader_probe *probe, const char *loader,
        const char *layer, enum probe_way way);

/* What main() calls first: true if the process is such a probe, which is done
 * then. */
bool loader_probe_is_child(int argc, char **argv);

#endif /* DNNL_CACHE_TOOLS_RUN_LOADER_PROBE_H */
