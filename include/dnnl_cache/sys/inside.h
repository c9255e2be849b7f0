/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.h: calls of the OpenCL layer of this project alone.
 *
 * The layer has the library inside, as a static library. The shared library
 * does not export these calls (src/library.map), and this header is not
 * installed.
 */
#ifndef DNNL_CACHE_SYS_INSIDE_H
#define DNNL_CACHE_SYS_INSIDE_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gets from the driver what dnnl_cache_program_get_cache_blob() needs, whether
 * there is a store or not. That call then creates no kernel of this program,
 * and asks the driver for nothing of it, while it makes the finalised form: for
 * callers that keep others from the program meanwhile. Statuses: those of
 * dnnl_cache_program_capture(). */
dnnl_status_t DNNL_API dnnl_cache_program_read_binary(
        dnnl_cache_program_t program);

/* Adds what the driver compiled for a launch after it was asked for the binary,
 * to what dnnl_cache_program_read_binary() got: with PoCL, which gives its
 * first answer for ever, the kernel's shared object of a class of launches.
 * folder: the name of the program's folder, which the binary must have in its
 * head; launch_class: the name of the class's folder. Statuses: dnnl_success,
 * also if the binary has that class; dnnl_invalid_arguments (NULL, size 0, or
 * no binary was read); dnnl_unimplemented (another driver, layout, folder or
 * program); dnnl_out_of_memory. After a failure the binary is as it was. */
dnnl_status_t DNNL_API dnnl_cache_program_add_launch_code(
        dnnl_cache_program_t program, const char *folder, const char *kernel,
        const char *launch_class, size_t size, const uint8_t *code);

/* Names the files that an adopted program included, each with the first
 * DNNL_CACHE_INCLUDED_DIGEST_SIZE bytes of its BLAKE2b-256, for its blob:
 * copied. Names are as sources spell them; of an absolute one the last part is
 * kept. Without effect once it is captured, or without memory: a blob is none
 * the worse for it. NULL is ignored, of a program without an ID too. */
void DNNL_API dnnl_cache_program_set_included(dnnl_cache_program_t program,
        size_t count, const char *const *names, const uint8_t *const *digests);

/* What the driver of a device was made of when its identity was established, as
 * the digest driver_components of its IDs has it: a line with a NUL for each
 * part: name, how it is identified, digest, and " (does not count)" if the
 * digest is not in the ID; with blanks between, which a name may have, too.
 * Reads nothing. A size query; size 0: not known. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, not a device, buffer too small);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_device_get_identified_parts(
        cl_device_id device, size_t *size, char *text);

/* The finalised form of program number index of a blob, which the engine's
 * driver loads faster than the driver's own binary, after checking that the
 * blob is intact and the form fit for the device: a size query. Try it
 * first; if the driver refuses it, tell so by the second call, after which it
 * is not given again in this process, and use the binary, unless that is the
 * form itself (finalised_count without finalised_bytes). Statuses:
 * dnnl_success; dnnl_not_required (there is none, or none that is fit: the
 * reason is logged); dnnl_invalid_arguments (NULL, size 0, a dnnl_cpu engine,
 * no such program, buffer too small); dnnl_cache_blob_corrupt;
 * dnnl_cache_blob_unsupported; dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_engine_get_finalised_binary(
        dnnl_engine_t engine, size_t size, const uint8_t *cache_blob,
        uint32_t index, size_t *binary_size, uint8_t *binary);
dnnl_status_t DNNL_API dnnl_cache_engine_refuse_finalised_binary(
        dnnl_engine_t engine, size_t size, const uint8_t *binary);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_SYS_INSIDE_H */
