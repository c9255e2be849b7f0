/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h: what the application uses, for the record that DNNL_CACHE_RECORD
 * names (include/dnnl_cache/recording.h): with any driver, whether it is
 * compiled or loaded. Without that variable nothing happens here.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_RECORDS_H
#define DNNL_CACHE_LAYER_PROGRAMS_RECORDS_H

#include "layer/programs/link_inputs.h"
#include "src/drivers/launch_class.h"

bool records_are_on(void);

/* A build that has IDs. inputs: of a link; else NULL. */
void records_add_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs);

/* A kernel of a build; name: "" if it is not known. build may be NULL. */
void records_add_kernel(
        const struct build *build, cl_kernel kernel, const char *name);

void records_add_launch(const struct built_device *d, const char *kernel,
        uint32_t dimensions, const struct launch_class *class);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_RECORDS_H */
