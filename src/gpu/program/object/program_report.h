/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_report.h: what the user asked to be told of: verbose lines of
 * programs (ONEDNN_VERBOSE), the trace (DNNL_CACHE_TRACE), and statistics when
 * the process ends (DNNL_CACHE_STATS). Called with no lock held.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_REPORT_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_REPORT_H

#include "src/gpu/program/describe/recipe.h"
#include "src/gpu/program/object/program.h"

/* Was anything of a program asked for? */
bool program_report_is_on(void);

/* How a program was come by, or, with another status than dnnl_success, why it
 * was not. doubt: why it is not cacheable, "" if it is. */
void program_report_creation(const struct program_recipe *recipe,
        dnnl_status_t status, const struct program_trace *trace,
        const char *doubt, uint64_t ns);

/* A program was captured, in so much time. */
void program_report_capture(const struct program *program, uint64_t ns);

/* A loaded program is used for something that its blob lacks: a kernel, or a
 * launch of it; NULL: not known. */
void program_report_incomplete(const struct program_id *id, const char *kernel,
        const struct launch_class *launch);

/* For other objects: a line of the trace with the same beginning; id_size 0:
 * it has no ID. */
bool report_traces(void);
void report_trace(size_t id_size, const uint8_t *id, const char *what,
        const char *reason);

/* Before the first object is made: has the statistics written at exit, if they
 * were asked for. */
void report_begin(void);

/* Why what was made by the compiler was not found. reason: of a blob that was
 * refused. "" if it was found. */
const char *report_reason(char *text, size_t size, struct dnnl_engine *engine,
        dnnl_cache_origin_t origin, dnnl_status_t blob_status,
        const char *reason, const char *doubt);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_REPORT_H */
