/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_ask.h: asks the driver for the binaries of a build, and for what the
 * application will ask of it (collect.h).
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_ASK_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_ASK_H

#include "layer/programs/objects.h"

/* What the driver was asked for one device's program. */
struct captured {
    dnnl_cache_program_t adopted;
    struct bytes record;
    size_t kernels;
    uint64_t query_ns; /* of the driver, and of the form later */
    bool form_waits;   /* it is made after the entry was put without */
};

void captured_fini(struct captured *captured);

/* Which devices of the build are to have entries: of those that share one, that
 * on which most has been launched. The rest of their launches is in the
 * journal. Returns how many. */
size_t capture_choose(const struct build *build, bool chosen[most_devices]);

/* Asks about all devices of the build whose entry is to be put, with the
 * program's capture lock, but for a build that no other thread knows. Returns
 * what was read, one for each of the build's devices, malloc'ed; NULL: of none.
 * can_leave: the caller sees to forms that are left out. */
struct captured *capture_ask(
        cl_program handle, struct build *build, bool can_leave);

/* How many of the driver's programs it has references to. all may be NULL. */
unsigned captured_count(const struct build *build, const struct captured *all);

/* With the capture lock again: the application's references are counted. */
void captured_free(const struct build *build, struct captured *all);

/* Asks about one device all that is asked: the blob is made without the driver
 * then. finalised: dnnl_cache_program_set_finalised(). False: the driver or
 * memory failed. */
bool capture_ask_program(cl_program handle, struct build *build, size_t device,
        int finalised, struct captured *captured);

/* Kernels of the program that holds a build; 0: none, or not told. */
size_t capture_kernel_count(
        const struct layer_program *program, const struct build *build);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_ASK_H */
