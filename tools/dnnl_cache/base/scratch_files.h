/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scratch_files.h: files of a process that are removed when it ends.
 *
 * Drivers wait until the disk has what they write (PoCL several times for a
 * program), and all workers wait for one disk. What a worker's driver writes
 * into the worker's folder is worth nothing after a power failure: the tool
 * puts entries into the store itself. What it writes elsewhere, such as a cache
 * that all of the user's processes share, has to be as durable as ever.
 */
#ifndef DNNL_CACHE_TOOLS_BASE_SCRATCH_FILES_H
#define DNNL_CACHE_TOOLS_BASE_SCRATCH_FILES_H

/* From now on fsync() and fdatasync() of this process do nothing with files
 * below that folder. Called before there are threads. */
void scratch_files_are_in(const char *folder);

#endif /* DNNL_CACHE_TOOLS_BASE_SCRATCH_FILES_H */
