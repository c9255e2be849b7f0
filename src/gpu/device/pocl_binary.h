/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is special about loading binaries of PoCL, all in one place.
 *
 * PoCL unpacks a binary into a folder of its cache, and the name of the folder
 * stands in the binary: that of the program it was taken from. Two programs of
 * one binary share the folder, in whatever threads and processes. That ends in
 * an abort in two ways:
 *
 * - With its own cache off (POCL_KERNEL_CACHE=0) PoCL removes the folder when
 *   any of the programs is released. A binary from a run with the cache on
 *   names a folder of that cache, which is removed as well. So each load gets a
 *   name that nothing else has.
 * - With its own cache on the folders stay, so names have to be repeated; but
 *   two that unpack at the same time remove each other's files. So that is done
 *   by one at a time, and a name that was made for a run with the cache off is
 *   replaced by one that follows from the bytes.
 *
 * The bytes of blobs stay as they are: names are replaced in a copy.
 */
#ifndef DNNL_CACHE_GPU_POCL_BINARY_H
#define DNNL_CACHE_GPU_POCL_BINARY_H

#include "dnnl_cache/base.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asked for a binary, PoCL makes paths with a kernel's name in them twice, and
 * once as a folder; those that are longer than it has room for (1024 bytes, and
 * 255 for a folder) end the process. */
enum { pocl_longest_kernel_name = 200 };

/* True unless the device is PoCL's and a program with a kernel of this name
 * must not be asked for its binary. */
bool pocl_binary_has_room(cl_device_id device, const char *kernel_name);

/* Gives a binary of PoCL (pocl_layout_is()) the name that is right in this
 * process. *is_shared: other loads have the same name. Statuses: dnnl_success;
 * dnnl_unimplemented: PoCL's cache is off, and the binary's layout is not
 * known; dnnl_runtime_error: the system has no random bytes. */
dnnl_status_t pocl_binary_rename(uint8_t *binary, size_t size, bool *is_shared);

/* Waits until nobody else unpacks a binary with a shared name into PoCL's
 * cache; not for ever, since a process may be stopped while it does. What it
 * returns goes to pocl_binary_unlock(), whatever it is. */
int pocl_binary_lock(void);
void pocl_binary_unlock(int folder);

#endif /* DNNL_CACHE_GPU_POCL_BINARY_H */
