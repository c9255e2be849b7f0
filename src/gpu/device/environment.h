/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables of the environment that decide what a driver makes of a
 * program, and whether the application has changed one of them.
 *
 * A driver reads some of them once, when it starts or at its first build, and
 * others at each build. So a value that changes while the process runs is in
 * use from some unknown call on, or never: from then on nothing has an ID.
 */
#ifndef DNNL_CACHE_GPU_ENVIRONMENT_H
#define DNNL_CACHE_GPU_ENVIRONMENT_H

#include "dnnl_cache/base.h"
#include "src/blob/id.h"

/* Any thread may call any of these. The first call of one of them takes the
 * values that later ones compare with, so it comes before the first call that
 * is passed to a driver, where that is possible. */
void environment_start(void);

/* From now on variables that decide which programs and libraries a driver's
 * processes find count as well: for drivers that start programs. */
void environment_watch_tools(void);

/* Appends NAME=value for each variable of an ID that is set. Statuses:
 * dnnl_success; dnnl_out_of_memory; dnnl_runtime_error (one has changed). */
dnnl_status_t environment_put_id(struct id_builder *id);

/* A variable that has changed since the start; NULL: none. Once there is one it
 * remains that, whatever becomes of the variable: the driver may have read the
 * value in between. */
const char *environment_changed(void);

/* The same for calls that take nanoseconds: only compares pointers with those
 * that environment_changed() saw last. It misses a text that putenv() was given
 * and that is written to, and an entry that is replaced by hand; the next call
 * of environment_changed() finds these. */
const char *environment_changed_at_a_glance(void);

/* Why nothing is cacheable any more; "" as long as no variable has changed. */
const char *environment_doubt(void);

/* The variable whose value, options that a driver appends to a program's, may
 * make the compiler read a file; NULL: none. What it says is in every ID, what
 * the file holds is not. */
const char *environment_variable_that_reads_files(void);

/* True if a variable adds options to those that a program is built with: then
 * these are not all that its compiler is given. */
bool environment_adds_options(void);

#endif /* DNNL_CACHE_GPU_ENVIRONMENT_H */
