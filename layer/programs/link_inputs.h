/* SPDX-License-Identifier: Apache-2.0 */
/* What an application has linked, and the programs of the driver's that do the
 * work of it. */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_LINK_INPUTS_H
#define DNNL_CACHE_LAYER_PROGRAMS_LINK_INPUTS_H

#include "layer/programs/objects.h"

/* Three lists, with a reference to each that is not NULL. */
struct link_inputs {
    size_t count;
    cl_program *programs;  /* for the driver: substitutes, if there are any */
    struct build **builds; /* NULL: it is not known of what it was compiled */
    struct layer_program **owners; /* NULL: it is not one of ours */
    bool is_other_context;         /* one is another context's */
};

/* Of as many programs as count says, in the context. False: no memory. */
bool link_inputs_init(struct link_inputs *inputs, cl_context context,
        size_t count, const cl_program *programs);
void link_inputs_fini(struct link_inputs *inputs);

/* Whether all are objects that have an ID for each of the build's devices. */
bool link_inputs_are_objects(
        const struct link_inputs *inputs, const struct build *build);

/* Recompiles loaded objects for drivers that lose kernel argument info when
 * linking them (quirks.h), and what was loaded in a form that cannot be linked,
 * if the sources are still what they were. Each program is compiled once,
 * however often it is given. */
void link_inputs_compile_loaded(struct link_inputs *inputs);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_LINK_INPUTS_H */
