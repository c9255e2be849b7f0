/* SPDX-License-Identifier: Apache-2.0 */
/* loader_probe.h: which ways to a layer an ICD loader knows. */
#ifndef DNNL_CACHE_RUN_LOADER_PROBE_H
#define DNNL_CACHE_RUN_LOADER_PROBE_H

#include <limits.h>
#include <stdbool.h>

struct loader_probe {
    char path[PATH_MAX];
    bool reads_variable; /* OPENCL_LAYERS */
    bool reads_folder;   /* /etc/OpenCL/layers, or OPENCL_LAYER_PATH */
};

/* The loader that a program of this environment gets, judged by the names in
 * its file; nothing of it is called. False: there is none. */
bool loader_probe(struct loader_probe *probe);

#endif /* DNNL_CACHE_RUN_LOADER_PROBE_H */
