/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h: what the library has no primitive for, as OpenCL programs of our
 * own. They go through the same store as primitives: dnnl_cache_program_*.
 */
#ifndef DNNL_CACHE_MODEL_PLAN_PROGRAMS_H
#define DNNL_CACHE_MODEL_PLAN_PROGRAMS_H

#include "model/plan/plan.h"

bool step_is_program(const struct step *step);

/* The program that a step runs; shapes are its kernel's arguments. The caller
 * destroys it. Statuses: those of dnnl_cache_program_desc_create(). */
dnnl_status_t program_describe(const struct step *step, dnnl_engine_t engine,
        dnnl_cache_program_desc_t *desc);

/* The name of its kernel. */
const char *program_kernel(const struct step *step);

/* False if a tensor of the step is too large to count in 32 bits. */
bool program_fits(const struct plan *plan, const struct step *step);

/* True if the kernel may meet an index that is out of range. Then it writes the
 * step's number to an int, its fault. */
bool step_can_fail(const struct step *step);

/* Sets the kernel's arguments; mems as step->args, fault of an int if
 * step_can_fail(), else not used. False if the driver refuses
 * one, or a tensor is too large for 32 bits. */
bool program_set_arguments(const struct plan *plan, const struct step *step,
        cl_kernel kernel, const cl_mem *mems, cl_mem fault);

/* Enqueues the kernel, whose arguments are set, for the result's elements. */
bool program_enqueue(
        const struct step *step, cl_kernel kernel, cl_command_queue queue);

/* Tells the library how the kernel is launched. */
dnnl_status_t program_note_launch(
        dnnl_cache_program_t program, const char *kernel);

/* Launches a kernel for no elements and waits: drivers that compile at the
 * first launch (PoCL) have done so then. */
bool program_warm_up(const struct step *step, cl_kernel kernel,
        cl_context context, cl_command_queue queue);

/* OpenCL C, programs_source.c. */
extern const char program_head[], program_functions[], program_map[],
        program_where[], program_remap[], program_take[], program_pick[],
        program_scatter[], program_line[], program_product[], program_window[],
        program_fold[];

#endif /* DNNL_CACHE_MODEL_PLAN_PROGRAMS_H */
