/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build identity of a driver: which shared objects make its code, named by
 * their ELF build-ids, and the data files that go into every kernel.
 */
#ifndef DNNL_CACHE_GPU_DRIVER_BUILD_H
#define DNNL_CACHE_GPU_DRIVER_BUILD_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct buffer;
struct id_builder;
struct identity_files;

/* Puts id_driver_build, naming the driver's own object, and
 * id_driver_components, a digest of everything found, which is appended to
 * components as text, a line with a NUL for each object. *files is
 * what was looked at. Statuses: dnnl_success; dnnl_runtime_error with reason
 * (size bytes) filled in if the driver's own object cannot be found or
 * identified; dnnl_out_of_memory. */
dnnl_status_t driver_build_put_id(cl_platform_id platform, cl_device_id device,
        struct id_builder *id, struct buffer *components,
        struct identity_files **files, char *reason, size_t size);

/* Appends the same as text for people and tools, a line for each object with
 * tabs between: name, how it is identified (build-id, content, absent,
 * dangling, or name: nothing else is in the ID), digest, size of its file ("-":
 * not known), why its build is not in the ID ("": it is), and the path of its
 * file. Then a line, with "missing", for each file or folder that is looked for
 * and is not there, and for each folder of which all names are looked at, with
 * a star behind it. Statuses as above. */
dnnl_status_t driver_build_describe(cl_platform_id platform,
        cl_device_id device, struct buffer *out, char *reason, size_t size);

/* The folder that the driver of a device was loaded from, whatever links led
 * there, as a full path. */
bool driver_folder(cl_platform_id platform, cl_device_id device, char *folder,
        size_t size);

#endif /* DNNL_CACHE_GPU_DRIVER_BUILD_H */
