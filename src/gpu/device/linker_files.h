/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver reads when it links machine code with clang's driver and a
 * linker of the system, as PoCL does for CPUs: the linker and what it links,
 * start files, and the libraries that are linked into each binary.
 */
#ifndef DNNL_CACHE_GPU_LINKER_FILES_H
#define DNNL_CACHE_GPU_LINKER_FILES_H

#include "src/gpu/device/file_search.h"

/* compiler: the folder of the library that has clang's driver, as a full path
 * without links; libc: the one of the C library. The search reads variables,
 * which environment_watch_tools() watches. */
void linker_files_find(const struct file_search *search, const char *compiler,
        const char *libc);

#endif /* DNNL_CACHE_GPU_LINKER_FILES_H */
