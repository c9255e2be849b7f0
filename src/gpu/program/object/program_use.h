/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program is used for, and how much of it its blob has: its kernels, and
 * the classes of launches (launch_class.h) that the application reports. What a
 * store's blob lacks is noted in the store's journal, and so are programs whose
 * capture is left to the journal (capture_cost.h).
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_USE_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_USE_H

#include "src/drivers/launch_class.h"
#include "src/gpu/engine/store.h"
#include "src/gpu/program/describe/program_key.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct kernel_use;
struct build_note;
struct blob_kernel;
struct blob_view;

struct program_use {
    const struct program_id *id; /* the program's, for reports */
    bool has_classes;            /* capture_has_classes(); fixed */
    bool is_loaded;              /* from a blob; fixed once others see it */
    bool is_noted;               /* the journal has its build; the same */
    atomic_bool is_lost;    /* the journal has not all that is to be noted */
    atomic_bool is_foreign; /* the application has the cl_program */
    atomic_bool is_incomplete;
    atomic_bool is_full; /* the blob has no room for more launches */
    /* For the journal; NULL: none. Set once, after store. */
    _Atomic(struct build_note *) build;
    struct store *store; /* with the journal, retained */
    /* With the application's record, retained; NULL: none. Set once. */
    _Atomic(struct store *) record;
    pthread_mutex_t lock; /* guards the rest; leaf; it allocates */
    struct kernel_use *kernels;
};

void program_use_init(struct program_use *use, const struct program_id *id,
        cl_device_id device);
void program_use_fini(struct program_use *use);

/* ---- The journal --------------------------------------------------------- */

/* Prepares notes of a program to the journal of a store, which has one. If the
 * program was compiled, its build is noted now, and others do not see it yet.
 * A failure is a program without notes. */
void program_use_attach(struct program_use *use, struct store *store,
        const struct program_id *id, const struct program_text *text,
        uint64_t compile_ns);

bool program_use_is_attached(struct program_use *use);

/* True if the journal has all that is needed to make the program's entry. */
bool program_use_is_noted(struct program_use *use);

/* ---- The record ---------------------------------------------------------- */

/* Records a program and, from now on, its kernels and launches, if the store
 * has a record. */
void program_use_record(struct program_use *use, struct store *store,
        dnnl_cache_note_origin_t origin, const struct program_id *id,
        const struct program_text *text, uint64_t compile_ns);

/* Records a launch that nobody reports. */
void program_use_record_launch(struct program_use *use, const char *name,
        const struct launch_class *launch, cl_uint work_dim);

/* ---- Uses ---------------------------------------------------------------- */

/* The application has the kernel of that name. What a loaded program's blob
 * lacks is reported (program_report.h), here and in the next: no lock is held.
 */
void program_use_kernel(struct program_use *use, const char *name);

/* The application launches a kernel. dnnl_success; dnnl_out_of_memory. */
dnnl_status_t program_use_launch(struct program_use *use, const char *name,
        const struct launch_class *launch, cl_uint work_dim);

/* ---- In the blob --------------------------------------------------------- */

/* Takes over what a blob's record of a kernel says about its launches.
 * binary_bytes: of the program's binary. */
dnnl_status_t program_use_take(struct program_use *use,
        const struct blob_kernel *kernel, uint64_t binary_bytes);

/* The record for a blob with this binary: appends the classes of a kernel, with
 * a NUL, to facts; nothing if there is nothing to say. */
void program_use_facts(struct program_use *use, const char *name,
        const uint8_t *binary, size_t size, struct buffer *facts);

/* Warns of a launch that was reported of a kernel whose name is not among those
 * of the program, each with a NUL. */
void program_use_tell_unknown(
        struct program_use *use, const struct buffer *names);

/* True if a program's blob has all that the program was used for. */
bool program_use_is_within(
        struct program_use *use, const struct blob_view *view);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_USE_H */
