/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program that a driver starts consists of: its file, and the shared
 * objects that the dynamic linker would load for it.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_FILES_H
#define DNNL_CACHE_GPU_PROGRAM_FILES_H

#include "src/gpu/device/file_search.h"

/* Tells of the program's file, which is there, and of what it links, directly
 * or not. The label is the program's, NULL: its file is not told; a shared
 * object's is its name. A script links nothing. */
void program_files_find(
        const struct file_search *search, const char *path, const char *label);

/* The same for a shared object, of which only what it links is told. */
void program_files_find_linked(
        const struct file_search *search, const char *path);

#endif /* DNNL_CACHE_GPU_PROGRAM_FILES_H */
