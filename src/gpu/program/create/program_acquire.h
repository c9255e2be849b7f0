/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How programs are come by: from memory, a blob, a store or the compiler.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_ACQUIRE_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_ACQUIRE_H

#include "src/gpu/program/describe/recipe.h"
#include "src/gpu/program/object/program.h"

/* How a cache of programs, or of what is made of them, is asked in a compile
 * mode. */
enum cache_way program_cache_way(
        bool is_cacheable, dnnl_cache_compile_mode_t mode);

/* The program of a recipe: from memory, else made. Obeys the engine's compile
 * mode. On failure *note is what the compiler said, the caller's, or as it was;
 * it may be NULL with a blob. Statuses: dnnl_success; dnnl_cache_miss;
 * dnnl_out_of_memory; dnnl_runtime_error; with a blob, dnnl_cache_blob_stale
 * (the driver refuses the binary), _corrupt (it does not decode) and
 * _unsupported. */
dnnl_status_t program_acquire(const struct program_recipe *recipe,
        struct program **out, struct program_trace *trace,
        struct shared_text **note);

/* Takes a program that turned out unusable out of the engine's cache, and out
 * of the store that it came from, so that the next one is built anew. */
void program_forget(struct dnnl_engine *engine, struct program *program);

/* Wraps a program the application built; retained. */
dnnl_status_t program_adopt(const struct program_recipe *recipe, cl_program cl,
        struct program **out);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_ACQUIRE_H */
