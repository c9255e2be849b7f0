/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer_list.h: the value of OPENCL_LAYERS, files with ":" between them.
 *
 * The ICD loader puts the layer that is named first next to the driver, and
 * each of the others above those before it. Ours belongs next to the driver:
 * then the handles that it sees are the driver's own, whatever others wrap.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_LAYER_LIST_H
#define DNNL_CACHE_TOOLS_RUN_LAYER_LIST_H

#include <stdbool.h>

/* Does the list name a file of that name, in whatever folder? */
bool layer_list_has(const char *list, const char *path);

/* The list with the layer at path in it, once: where a file of that name stood
 * already, else first. The caller frees it; NULL: no memory. */
char *layer_list_with(const char *list, const char *path);

/* The list without files of that name, "" if nothing is left; also the
 * caller's. */
char *layer_list_without(const char *list, const char *path);

#endif /* DNNL_CACHE_TOOLS_RUN_LAYER_LIST_H */
