/* SPDX-License-Identifier: Apache-2.0 */
/* describe.h: the library's names for what a plan has. */
#ifndef DNNL_CACHE_MODEL_RUN_DESCRIBE_H
#define DNNL_CACHE_MODEL_RUN_DESCRIBE_H

#include "model/plan/plan.h"

/* The descriptor of a view in the buffer that really is there: for activations
 * the arena. The caller destroys it. Statuses: layout_describe()'s;
 * dnnl_unimplemented for elements that are no floats. */
dnnl_status_t describe_view(const struct plan *plan, const struct view *view,
        dnnl_memory_desc_t *md);

/* The primitive that a step is, which must be none of step_is_program(). The
 * caller destroys it. Statuses: those of the library's creation calls. */
dnnl_status_t describe_step(const struct plan *plan, const struct step *step,
        dnnl_engine_t engine, dnnl_primitive_desc_t *pd);

#endif /* DNNL_CACHE_MODEL_RUN_DESCRIBE_H */
