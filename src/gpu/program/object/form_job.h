/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form_job.h: a store's entry that is to get the finalised form of its program
 * (finalised_form.h).
 *
 * A job has the entry's bytes, and puts them again with the form. It does not
 * ask the store for the entry, which would count as a hit, so what was removed
 * or evicted in that moment comes back. It uses nothing of the program that the
 * entry was made from, only its context.
 */
#ifndef DNNL_CACHE_GPU_FORM_JOB_H
#define DNNL_CACHE_GPU_FORM_JOB_H

#include "src/gpu/engine/store.h"
#include "src/gpu/program/object/finalised_form.h"

struct form_job {
    struct form_job *next; /* of the queue */
    struct store *store;   /* retained, as context and device */
    cl_context context;
    cl_device_id device;
    uint8_t *blob; /* the entry; owned */
    size_t size;
    char *options;                    /* of the build; owned */
    struct finalised_kernel *kernels; /* owned; NULL: not known */
    uint64_t made;                    /* see store_has_fresher() */
    uint64_t compile_ns;              /* 0: not known */
    const void *driver;               /* device_driver() */
};

/* A job of what is given, all of which is copied or retained; NULL: out of
 * memory. next stays NULL. */
struct form_job *form_job_create(const struct form_job *given);
void form_job_destroy(struct form_job *job);

/* Makes the form and puts the entry with it in the place of the one without. If
 * there is no form, or the store has that entry no longer, nothing is changed.
 * Calls driver and store: with no lock held. */
void form_job_do(const struct form_job *job);

/* The form of a program, encoded as its binary is, from that binary. Nothing in
 * *form: there can be none. names: of the kernels, each with a NUL. Statuses:
 * dnnl_success; dnnl_out_of_memory. */
struct form_request {
    cl_context context;
    cl_device_id device;
    const char *options;
    const struct finalised_kernel *kernels;
    const struct blob_program *record;
    const char *names;
    uint32_t kernel_count;
};
struct encoded_form {
    struct buffer bytes; /* empty: none */
    uint64_t raw_size;
    char finaliser[BLOB_MAX_FINALISER_SIZE + 1];
};
dnnl_status_t form_make_encoded(
        const struct form_request *request, struct encoded_form *form);

#endif /* DNNL_CACHE_GPU_FORM_JOB_H */
