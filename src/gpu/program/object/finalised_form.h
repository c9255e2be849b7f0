/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finalised form of a program's binary (docs/how_it_works/finalisers.md):
 * made when the program is captured, tried before the binary when it is loaded.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_FINALISED_FORM_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_FINALISED_FORM_H

#include "src/blob/reader.h"
#include "src/common/buffer.h"
#include "src/gpu/device/finaliser.h"

struct finalised_form {
    struct buffer binary; /* as the finaliser made it; empty: there is none */
    char finaliser[BLOB_MAX_FINALISER_SIZE + 1]; /* "" if there is none */
    bool replaces;                               /* the driver's binary */
};

/* What a kernel must have from either form. */
struct finalised_kernel {
    cl_uint arguments;
    size_t group[3]; /* of reqd_work_group_size */
};

/* Asks a built program for that, by creating and releasing its kernels (names,
 * each with a NUL); *out is malloc'ed, NULL if the driver does not tell.
 * Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t finalised_form_read_kernels(cl_program cl, cl_device_id device,
        const char *names, uint32_t count, struct finalised_kernel **out);

/* Makes the form of a program whose binary was read, and its kernels; none,
 * with a message in the log, if there can be none. Called with no lock held.
 * Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t finalised_form_make(const struct finaliser_source *source,
        const struct finalised_kernel *kernels, struct finalised_form *form);
void finalised_form_fini(struct finalised_form *form);

/* Whether the finalised form of a blob's program, decoded, may go to the driver
 * of this device; else why not. has_known_launches: finaliser.h. */
bool finalised_form_is_usable(cl_device_id device,
        const struct blob_program *record, const uint8_t *form, size_t size,
        const char *kernels, uint32_t kernel_count, bool has_known_launches,
        struct blob_reason *reason);

/* Forms that the driver refused are not tried again in this process: known by a
 * hash of their bytes. */
void finalised_form_note_refused(const uint8_t *form, size_t size);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_FINALISED_FORM_H */
