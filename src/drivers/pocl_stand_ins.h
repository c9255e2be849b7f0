/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pocl_stand_ins.h: stand-ins (pocl_stand_in_file.h) in place of the functions
 * for all launches of a whole program, while PoCL is asked for its binary. It
 * compiles nothing then.
 *
 * PoCL's first answer is for ever, so they are only for programs whose binary
 * nobody else asks the driver for.
 */
#ifndef DNNL_CACHE_DRIVERS_POCL_STAND_INS_H
#define DNNL_CACHE_DRIVERS_POCL_STAND_INS_H

#include "src/drivers/pocl_folder.h"

#include <stddef.h>

/* Those of one program. */
struct pocl_stand_ins {
    int folder_fd; /* file_none: none are there */
    char folder[pocl_folder_name_size];
    char *kernels; /* owned; of those made here, each name with a NUL */
    size_t kernels_size;
    long process; /* that made them */
};

/* May a program of this process be asked for its binary so? Not if the driver
 * compiles no classes, or some when it is asked, or has its cache on, or may
 * lack the memory: PoCL 3.1 takes 256 MiB to write a binary, and does not look
 * whether it got them. */
bool pocl_stand_ins_suit_process(void);

/* Puts one in place of each kernel's function for all launches (names, each
 * with a NUL), into the program's folder. What the driver has compiled for all
 * launches stays, and is right. False: none are there. */
bool pocl_stand_ins_place(struct pocl_stand_ins *stand_ins, const char *folder,
        const char *kernels, size_t kernels_size);

/* Removes those that it made, in the process that made them: a child of fork()
 * has the same folder. The folder's name stays. One without any is fine. */
void pocl_stand_ins_clear(struct pocl_stand_ins *stand_ins);

/* Is the binary of the program that has the folder? The folder's name is in its
 * head. */
bool pocl_stand_ins_are_of(const struct pocl_stand_ins *stand_ins,
        const uint8_t *binary, size_t size);

#endif /* DNNL_CACHE_DRIVERS_POCL_STAND_INS_H */
