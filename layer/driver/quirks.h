/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers do in ways of their own, known by their platforms' names. */
#ifndef DNNL_CACHE_LAYER_QUIRKS_H
#define DNNL_CACHE_LAYER_QUIRKS_H

#include <CL/cl.h>
#include <stdbool.h>

/* PoCL (3.1) keeps the code of kernels that run in a list; asked for a binary
 * it goes through the same list, and what runs meanwhile aborts the process
 * ("Assertion `found->ref_count > 0' failed" in pocl_release_dlhandle_cache).
 */
bool quirk_needs_idle(cl_device_id device);

/* PoCL (3.1, 5.0) compiles a kernel once more when it is first launched. What
 * it made by then is in the binary, but it gives the binary that it was asked
 * for first for ever: one that is asked for before a launch lacks that. */
bool quirk_keeps_first_binary(cl_device_id device);

/* NVIDIA's driver (580) compiles a program that has kernels, which OpenCL
 * forbids; it does not build one. If the program was built before, it goes on
 * to give kernels of that build. */
bool quirk_compiles_with_kernels(cl_device_id device);

/* Intel's driver for CPUs (2026.22) tells nothing of the arguments of kernels
 * that it linked of objects made from binaries. */
bool quirk_links_loaded_without_arguments(cl_device_id device);

/* Mesa's rusticl (22.3) says of a program whose build failed what kernels it
 * had, and of what type it was, before. */
bool quirk_keeps_old_answers(cl_device_id device);

#endif /* DNNL_CACHE_LAYER_QUIRKS_H */
