/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture asks the driver for. program.h decides when, and only once. */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_CAPTURE_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_CAPTURE_H

#include "src/gpu/program/object/program.h"

/* What compiling said before linking, then the driver's build log. */
dnnl_status_t program_read_log(const struct program *p, struct buffer *log);

/* Reads binary, log, kernels and launches, and what the finalised form is made
 * with; and drops that. For who has begun p->captured, as what follows. */
dnnl_status_t program_read(struct program *p);
void program_read_drop(struct program *p);

/* Adds code to the binary that was read; dnnl_invalid_arguments: none was. */
dnnl_status_t program_read_add(struct program *p, const struct pocl_code *code);

/* Makes the finalised form of what was read, or is read now, and puts all of it
 * into the program. What was read needs nothing more of the driver's program.
 * Without a form, what it is made with is kept (form_options), if there may be
 * one. */
dnnl_status_t program_read_capture(struct program *p, bool with_form);

/* Makes the form that a capture left out: for who has begun p->formed. */
dnnl_status_t program_make_form(struct program *p);

/* Undoes it, for the same: the next one reads anew. */
void program_drop_capture(struct program *p);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_CAPTURE_H */
