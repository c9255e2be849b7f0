/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files outside a driver's own folders that its compiler or linker reads for
 * each program. docs/how_it_works/identity.md has the table, which a test holds
 * against what the drivers open.
 */
#ifndef DNNL_CACHE_GPU_COMPILER_FILES_H
#define DNNL_CACHE_GPU_COMPILER_FILES_H

#include "src/gpu/device/file_search.h"
#include "src/gpu/device/loaded_objects.h"

/* driver: its own object; what it links is wanted. */
void compiler_files_find(const struct file_search *search,
        const struct loaded_objects *objects,
        const struct loaded_object *driver);

#endif /* DNNL_CACHE_GPU_COMPILER_FILES_H */
