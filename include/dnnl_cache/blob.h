/* SPDX-License-Identifier: Apache-2.0 */
/* blob.h: IDs and blobs of programs by hand, and what is in a blob. */
#ifndef DNNL_CACHE_BLOB_H
#define DNNL_CACHE_BLOB_H

#include "dnnl_cache/blob_info.h"
#include "dnnl_cache/objects.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program's cache blob ID: a size query; compiles nothing. Size 0
 * if it is not cacheable. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, buffer too small); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_get_cache_blob_id(
        const_dnnl_cache_program_desc_t program_desc, size_t *size,
        uint8_t *id);

/* Creates the program from its blob; nothing is compiled. Statuses and rules:
 * as dnnl_primitive_create_from_cache_blob(). For a program that is not
 * cacheable every blob is dnnl_cache_blob_stale. */
dnnl_status_t DNNL_API dnnl_cache_program_create_from_cache_blob(
        dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, size_t size,
        const uint8_t *cache_blob);

/* The program's blob: a size query. Captures the program if it was not
 * captured, so launch the kernels first (see dnnl_cache_program_capture()): the
 * size query is enough to fix the blob's contents. Size 0 if the program has no
 * ID. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_unimplemented (the query would crash the driver: PoCL, if a kernel's
 * name has more than 200 bytes); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_get_cache_blob(
        const_dnnl_cache_program_t program, size_t *size, uint8_t *cache_blob);

/* The contents of a blob, after checking that it is intact; needs no device.
 * Pointers in info point into cache_blob. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, bad struct_size);
 * dnnl_cache_blob_corrupt; dnnl_cache_blob_unsupported. */
dnnl_status_t DNNL_API dnnl_cache_blob_inspect(
        size_t size, const uint8_t *cache_blob, dnnl_cache_blob_info_t *info);

/* Describes the contents of a blob part by part, after checking that it is
 * intact; needs no device. callback, which gets user, is called for each
 * section, then for each program, then for each kernel, then for each file that
 * was included, in the blob's order.
 * Sections and names are for people to read: the contents of blobs may change
 * with every release. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * size 0; user may be NULL); dnnl_cache_blob_corrupt and
 * dnnl_cache_blob_unsupported, before the first call of callback; what callback
 * returned, if not dnnl_success. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_blob_describe(size_t size,
        const uint8_t *cache_blob, dnnl_cache_blob_part_callback_t callback,
        void *user);

/* The driver's binary of program number index (from 0) of a blob, decoded,
 * after checking that the blob is intact; needs no device: a size query.
 * For applications that pass the binary to
 * dnnl_cache_create_program_with_binary() themselves: compare the blob's ID
 * first, which contains the device and the driver. On PoCL the binary may be a
 * finalised form itself (finalised_count without finalised_bytes): a program
 * made of it must not be asked for its binary, which ends the process.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, size 0, no such
 * program, buffer too small); dnnl_cache_blob_corrupt;
 * dnnl_cache_blob_unsupported; dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_blob_get_program_binary(size_t size,
        const uint8_t *cache_blob, uint32_t index, size_t *binary_size,
        uint8_t *binary);

/* What the driver's binary of program number index (from 0) of a blob is, for
 * people: whose, for which device if it says so, and whether it has
 * intermediate code, as in "Intel, dg2, with SPIR-V"; "": not known. Checks
 * that the blob is intact, and decodes the binary. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, no such program);
 * dnnl_cache_blob_corrupt; dnnl_cache_blob_unsupported. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_blob_get_binary_text(size_t size,
        const uint8_t *cache_blob, uint32_t index,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE]);

/* Checks whether this engine would accept the blob, as far as device, driver
 * and library are concerned. Builds nothing and passes nothing to the driver.
 * The reason for a rejection is logged. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, a dnnl_cpu engine);
 * dnnl_cache_blob_corrupt; dnnl_cache_blob_stale; dnnl_cache_blob_unsupported;
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_blob_check(
        dnnl_engine_t engine, size_t size, const uint8_t *cache_blob);

/* Field number index (from 0) of an ID. The time of a call grows with the size
 * of the ID, because each call checks the whole ID: to read all fields, use
 * dnnl_cache_id_next_field(). Statuses: dnnl_success;
 * dnnl_not_required (no such field); dnnl_invalid_arguments (NULL, size 0, bad
 * struct_size); dnnl_cache_blob_corrupt (not an ID);
 * dnnl_cache_blob_unsupported. */
dnnl_status_t DNNL_API dnnl_cache_id_get_field(size_t size, const uint8_t *id,
        size_t index, dnnl_cache_id_field_t *field);

/* The next field of an ID, in the ID's order:
 *
 *     size_t position = 0;
 *     dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
 *     while (dnnl_cache_id_next_field(size, id, &position, &field)
 *             == dnnl_success)
 *         look_at(&field);
 *
 * *position is the caller's: 0 before the first field; each call that succeeds
 * moves it past the field that it returns. A copy of it continues from the same
 * field. It needs no release, and the library keeps nothing between the calls:
 * threads may read one ID at the same time, each with a position of its own.
 * The value points into the ID. A call with a position of 0 checks the whole
 * ID; a later one reads one field, whatever the number of fields, and needs the
 * same bytes again. Calls that fail write nothing. Statuses: dnnl_success;
 * dnnl_not_required (no more fields: the end of a loop);
 * dnnl_invalid_arguments (NULL, size 0, a position that is not of this ID, bad
 * struct_size); dnnl_cache_blob_corrupt (not an ID);
 * dnnl_cache_blob_unsupported. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_id_next_field(size_t size, const uint8_t *id,
        size_t *position, dnnl_cache_id_field_t *field);

/* The names of the ingredients in which two IDs differ, each once, separated by
 * ", ", as text with a trailing NUL: a size query; "" if the IDs are
 * equal. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, size 0, buffer
 * too small); dnnl_cache_blob_corrupt (one of them is not an ID);
 * dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_id_diff(size_t size_a, const uint8_t *id_a,
        size_t size_b, const uint8_t *id_b, size_t *size, char *names);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_BLOB_H */
