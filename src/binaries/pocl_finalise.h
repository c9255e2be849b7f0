/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL's binaries without intermediate code.
 *
 * A binary of PoCL has the program's intermediate code beside the machine code
 * of the classes of launches that were compiled before the binary was asked
 * for. PoCL reads that code at every load, and compiles it for a launch of
 * another class. Without it PoCL loads faster, and runs such a launch with the
 * kernel's work-group function for all launches, which the binary has, too. If
 * it has none (src/drivers/pocl_stand_ins.h), PoCL ends the process: then this
 * is for who knows all launches to come.
 *
 * A program that was loaded from such a binary must not be asked for its binary
 * (PoCL ends the process), nor be linked. So this is for programs that nobody
 * but the library can reach.
 */
#ifndef DNNL_CACHE_BINARIES_POCL_FINALISE_H
#define DNNL_CACHE_BINARIES_POCL_FINALISE_H

#include "src/blob/reader.h"
#include "src/common/buffer.h"

/* True if PoCL, whose CL_PLATFORM_VERSION this is, was tested with them. */
bool pocl_finalise_is_tested(const char *platform_version);

/* Which code a binary of PoCL's has beside its intermediate code. */
enum pocl_code_kind {
    pocl_code_other, /* neither, or its layout is not known */
    /* Of classes of launches, for each kernel; and all that pocl_finalise()
     * lacks is code for all launches. */
    pocl_code_of_launches,
    pocl_code_for_all /* of each kernel for all launches */
};
enum pocl_code_kind pocl_finalise_look(const uint8_t *binary, size_t size);

/* Appends the binary without its intermediate code. all_launches: it must have
 * code for all launches, not only for those that were made.
 * dnnl_unimplemented: the binary is not one that can do without, and reason
 * says why not; dnnl_success; dnnl_out_of_memory. */
dnnl_status_t pocl_finalise(const uint8_t *binary, size_t size,
        bool all_launches, struct buffer *out, struct blob_reason *reason);

/* True if the bytes are what pocl_finalise() may have made, with all of the
 * kernels (names, each with a NUL): PoCL will need no intermediate code. */
bool pocl_finalise_check(const uint8_t *form, size_t size, const char *kernels,
        uint32_t kernel_count, bool all_launches, struct blob_reason *reason);

#endif /* DNNL_CACHE_BINARIES_POCL_FINALISE_H */
