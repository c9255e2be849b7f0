/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_capture.h: programs that the application does not capture. Of an
 * automatic store (dnnl_cache_store_t) they are captured when it gives them up,
 * or when the process ends; of another, a message says how many are lost.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_EXIT_CAPTURE_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_EXIT_CAPTURE_H

#include "src/gpu/program/object/program.h"

/* A program with a store was made: sees to the end of the process. */
void exit_capture_watch(struct program *program);

/* The application has given up its last handle of the program, which the caller
 * still holds. */
void exit_capture_left(struct program *program);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_EXIT_CAPTURE_H */
