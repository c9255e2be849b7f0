/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failed.h: DNNL_CACHE_FAILED_BUILDS=1. A build that fails each time is
 * answered without the driver.
 *
 * The first failure is only noted. If another process sees the same one, a
 * minute later at the earliest, it is kept (failure.h): what the driver
 * answered about a program of which nothing else was built. From then on such a
 * program answers so, and the driver's object is never built: build->failure
 * says how.
 *
 * What the record does not say, the driver does: then it builds the program
 * after all, in the application's program, and answers from then on. So it is
 * before the program is linked, compiled or given a constant, before it is
 * built to something that fails, too, and for each query that is not in the
 * record. That was no hit.
 *
 * Only clBuildProgram() for all devices of a program of source is answered;
 * with a callback, if the driver calls back before it returns. Drivers that
 * build no program again of which a call has failed (quirk_never_recovers())
 * are left alone.
 */
#ifndef DNNL_CACHE_LAYER_COMPILE_FAILED_H
#define DNNL_CACHE_LAYER_COMPILE_FAILED_H

#include "layer/programs/build_call.h"

/* ---- In a build ---------------------------------------------------------- */

/* Looks for the failure of a named build that the storage has not. True: the
 * call's build has it. */
bool failed_find(struct build_call *call);

/* Counts and traces it: it took from start_ns to now. */
void failed_count(const struct build_call *call, uint64_t start_ns);

/* After the driver failed: true if that may be kept, as far as the call tells.
 * What the compiler read must not have changed meanwhile. */
bool failed_may_be_kept(const struct build_call *call, cl_int err);
/* Notes it, or keeps it. The driver's program has failed, and nothing else has
 * happened to it. */
void failed_keep(
        const struct build_call *call, cl_int err, uint64_t compile_ns);

/* After the driver compiled it: a failure that was kept is forgotten. */
void failed_forget(const struct build_call *call);

/* ---- Answers ------------------------------------------------------------- */

/* True if the build's record answers for it. build may be NULL. */
bool failed_is_answered(const struct build *build);

/* Has the driver build it, unless it has, or the program is another build by
 * now. build may be NULL. */
void failed_undo(struct layer_program *program, struct build *build);

/* From now on no failure is answered, and none stays so. */
void failed_end(void);

#endif /* DNNL_CACHE_LAYER_COMPILE_FAILED_H */
