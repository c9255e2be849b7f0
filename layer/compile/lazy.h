/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lazy.h: hits that the driver loads when it must.
 *
 * An application may build many programs and use a few. So a program that was
 * found in the storage, with its bytes read, verified and held in memory, is a
 * hit, and the driver gets the bytes when a kernel is made. Until then the
 * build has no substitute, and its facts answer queries.
 *
 * That is done for entries only that the driver has loaded before (loaded.h),
 * for programs that include no files: if the driver rejects the bytes later,
 * the program is compiled from the text that the layer has of it.
 *
 * A build that was loaded late is as one that was loaded at once. One that was
 * compiled instead is replaced, as if the program had been built again.
 */
#ifndef DNNL_CACHE_LAYER_COMPILE_LAZY_H
#define DNNL_CACHE_LAYER_COMPILE_LAZY_H

#include "layer/programs/build_call.h"

/* True if the call's build, all of which was found, need not be loaded now. */
bool lazy_is_allowed(const struct build_call *call);

/* A hit whose build is to be loaded later: counts it. */
void lazy_begin(const struct build_call *call);

/* Has the driver load the build of a program, or compile it, unless it has it,
 * and build one that a record of its failure answers for (failed.h).
 * Takes over a reference to the build, which may be NULL, and returns one to
 * the build to go on with: another one if it was compiled, and the same without
 * a substitute if that failed, too. Threads that come meanwhile wait. */
struct build *lazy_load(struct layer_program *program, struct build *build);

/* The same of what the program is now. */
void lazy_load_program(struct layer_program *program);
/* The same by the application's handle, which may be any. */
void lazy_load_handle(cl_program handle);
/* The same of all programs. */
void lazy_load_all(void);
/* And from now on nothing is lazy. */
void lazy_end(void);

/* False: a query for this (clGetProgramInfo()) cannot be answered as the loaded
 * program would before it is loaded. build may be NULL. */
bool lazy_answers(const struct build *build, cl_program_info what,
        size_t capacity, const void *value);

/* Around calls in which the driver may fork, on the application's thread: such
 * a fork loads nothing. */
void lazy_call_begin(void);
void lazy_call_end(void);

#endif /* DNNL_CACHE_LAYER_COMPILE_LAZY_H */
