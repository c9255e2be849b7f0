/* SPDX-License-Identifier: Apache-2.0 */
/* Behaviour of certain drivers, recognised by the names of their platforms. */
#ifndef DNNL_CACHE_LAYER_QUIRKS_H
#define DNNL_CACHE_LAYER_QUIRKS_H

#include <CL/cl.h>
#include <stdbool.h>

/* PoCL (3.1) has a list with the code of running kernels, where it looks for
 * kernel and local size when a kernel has run. A query for a binary adds code
 * for all launches to the list, under the local size that the kernel requires:
 * a kernel with reqd_work_group_size that runs at the same time, of a program
 * of the same text in whichever context, aborts the process
 * ("Assertion `found->ref_count > 0' failed" in pocl_release_dlhandle_cache).
 * Without the attribute the size is 0, which no launch has: so the library's
 * own kernels do without (common.cl). An application's are not known. */
bool quirk_needs_idle(cl_device_id device);

/* The driver compiles a kernel again at the first launch of each class
 * (driver_binaries.h: PoCL). The binary has the result, but PoCL returns the
 * binary of the first query for ever: it lacks what is launched later. */
bool quirk_compiles_launches(cl_device_id device);

/* Where a program's folder has a file in place of a function, the driver
 * compiles none when it is asked for the binary
 * (drivers/pocl_stand_in_file.h). */
bool quirk_takes_stand_ins(cl_device_id device);

/* A binary names the folder of the program that it is of, and what is made from
 * it, here or in another process, works in that folder: which the driver
 * removes when it lets go of either (PoCL with its own cache off). */
bool quirk_shares_folders(cl_device_id device);

/* Returns complete binaries without compiling anything (driver_binaries.h). */
bool quirk_answers_at_once(cl_device_id device);

/* PoCL (3.1) tells argument info of what was built or linked without options,
 * and not of what was with "", from source and from binaries alike. */
bool quirk_tells_arguments_without_options(cl_device_id device);

/* PoCL (3.1) lists the whole device for a context of a part of it, and builds
 * for any part of a device of the context. */
bool quirk_takes_parts_for_devices(cl_device_id device);

/* Intel's driver for CPUs (2026.22) builds no program again of which a call has
 * failed: each later one fails, too. */
bool quirk_never_recovers(cl_device_id device);

/* Intel's driver for CPUs (2026.22) does not compile a program again with the
 * options that it was compiled with last: the call fails, and changes nothing.
 */
bool quirk_compiles_once(cl_device_id device);

/* Intel's driver for CPUs (2026.22) has no argument info of kernels that were
 * linked from objects loaded from binaries. */
bool quirk_links_loaded_without_arguments(cl_device_id device);

/* NVIDIA's driver (580) counts four bytes of local memory less for a kernel of
 * machine code than for the same one of PTX. */
bool quirk_counts_local_bytes_by_form(cl_device_id device);

/* True if the driver may link from a cache of its own that tells programs apart
 * by their code alone, and not by what else is in IDs: PoCL with its cache on.
 */
bool quirk_links_from_cache(cl_device_id device);

#endif /* DNNL_CACHE_LAYER_QUIRKS_H */
