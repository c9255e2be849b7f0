/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer.h: calls for who writes a layer or a tool.
 *
 * Not part of the interface that stays as it is between releases.
 */
#ifndef DNNL_CACHE_SYS_LAYER_H
#define DNNL_CACHE_SYS_LAYER_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the driver of a device is made of, as text: a line for each object and
 * file whose build is in the device's ID, in the order of their names, with
 * tabs between name, how it is identified (build-id, content, absent,
 * dangling, name), digest in hexadecimal digits, size of the file in bytes
 * ("-": not known), of a part that takes no part in compiling why its build is
 * not in the ID (docs/how_it_works/identity.md; else ""), and the path of its
 * file ("": not known). Lines with "missing" follow, for files and folders that
 * are looked for, and are not there: one that appears may change the ID. For
 * comparing two machines; reads all of the driver's files again. A size query,
 * in bytes with the trailing NUL. "" if the driver cannot be identified.
 * Statuses: dnnl_success; dnnl_invalid_arguments (device or size NULL, buffer
 * too small); dnnl_out_of_memory; dnnl_runtime_error. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_device_get_driver_parts(
        cl_device_id device, size_t *size, char *text);

/* Declares that the program is one of the library's own, of a primitive, as a
 * note with the origin dnnl_cache_note_primitive has it: its ID is the one that
 * the primitive looks for in a store, if this library makes the same program.
 * For "dnnl-cache replay". Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, or the ID was computed already). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_primitive(
        dnnl_cache_program_desc_t program_desc);

/* Sets *name to an environment variable that has changed since the library
 * started, one of those that drivers read (docs/how_it_works/identity.md), or
 * to NULL if none has. After such a change nothing has an ID, and no store is
 * used, because drivers read some variables once and others at each build. The
 * library starts with the first call of this function, of
 * dnnl_engine_get_count(), or of a function that creates an engine or computes
 * an engine's ID: set variables before. Reads the environment, as getenv() and
 * calls that need an ID do: no other thread may change it meanwhile. *name
 * points to a constant; once it is not NULL it does not change. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_changed_variable(const char **name);

/* dnnl_cache_program_capture() of a program that was compiled and launched just
 * now, for callers who let nobody ask the driver for its binary
 * (CL_PROGRAM_BINARIES), nor link it. With PoCL the blob has what was compiled
 * for launches and the intermediate code, and the driver compiles nothing for
 * it, where that can be had; a program that is loaded from it compiles what
 * else is launched. With other drivers it is that call. Statuses: those of
 * dnnl_cache_program_capture(). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_capture_launched(
        dnnl_cache_program_t program);

/* 0: a capture that follows makes no finalised form of the binary, for those
 * who saw a process end while one was made, or who have no time for it now: set
 * to 1 again, dnnl_cache_program_get_cache_blob() makes it, if it was not 0
 * when the driver's binary was read; 1 (default): it does, but none that
 * replaces the binary (PoCL); 2: that, too, for those who load the finalised
 * form themselves, as the OpenCL layer does, and see to it that nobody links
 * it, or asks the driver for its binary. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; another number). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_set_finalised(
        dnnl_cache_program_t program, int finalised);

/* clCreateProgramWithBinary() for binaries that are also loaded elsewhere at
 * the same time, in this process or another, such as binaries from a cache.
 * With most drivers it is that call, with its arguments and results; *error, if
 * error is not NULL, receives its code. With PoCL, two programs of one binary
 * use the same files, and destroying one aborts the other; so the driver gets a
 * copy with file names of its own. The program builds to the same result as the
 * binary itself. Statuses: dnnl_success; dnnl_invalid_arguments (program, sizes
 * or binaries is NULL); dnnl_unimplemented (an unknown version of PoCL, while
 * POCL_KERNEL_CACHE turns its cache off: compile instead); dnnl_out_of_memory;
 * dnnl_runtime_error, with *error CL_SUCCESS if the driver did not fail. Since
 * 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_create_program_with_binary(
        cl_program *program, cl_context context, cl_uint device_count,
        const cl_device_id *devices, const size_t *sizes,
        const unsigned char *const *binaries, cl_int *binary_status,
        cl_int *error);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_SYS_LAYER_H */
