/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binaries of programs for which PoCL compiles nothing when it is asked.
 *
 * Asked for a binary PoCL compiles each kernel once more, for all launches
 * (drivers/pocl_stand_ins.h says how that is avoided). The binary has then what
 * was compiled for launches, and the intermediate code. Only for programs that
 * the library has compiled and whose binary nobody else asks the driver for:
 * those of primitives, those whose owner promises it
 * (dnnl_cache_program_capture_launched()), and, for an automatic store, those
 * that nobody else has any more, or that are captured when the process ends.
 *
 * The program's folder is found as soon as its kernel was launched: it is the
 * only one of which this process has a kernel of that name mapped, and which
 * was written while the program was compiled. Where another thread compiles a
 * kernel of the same name meanwhile, none is found. The binary names its
 * folder, so what was found is verified afterwards.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_FOLDER_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_FOLDER_H

#include "src/gpu/program/object/program.h"

/* Looks for the folder of a program that was compiled here, and launched just
 * now. What is found is kept; without it the driver is asked as ever. For who
 * alone has the program, or has begun p->captured. */
void program_find_folder(struct program *p);

/* The same, before the driver may forget what it has of a launch: what is found
 * is not used until program_find_folder() is called. */
void program_remember_folder(struct program *p);

/* program_binary_read() of the program, whose kernels' names are given, each
 * with a NUL. */
dnnl_status_t program_ask_binary(struct program *p,
        const struct buffer *kernels, unsigned char **binary, size_t *size);

/* program_binary_size() of it: the driver compiles for that, too. */
size_t program_ask_size(const struct program *p);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_FOLDER_H */
