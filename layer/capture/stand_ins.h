/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand_ins.h: files without code in a program's folder, so that PoCL compiles
 * nothing when it is asked for the binary (drivers/pocl_stand_ins.h).
 *
 * The folder is found, not guessed: this process has a shared object of it
 * mapped, of a kernel that no other program here has (programs/kernel_names.h);
 * or it was written while this program was compiled, and no other one that has
 * the kernel; or, if it was never launched, it is the only one that was written
 * then.
 * The binary names its folder, so what was found is verified afterwards. Only
 * where PoCL's own cache is off: each program has a folder of its own then,
 * which goes with the program.
 *
 * Nothing is put into a folder, and the build is the journal's, or is asked for
 * within the time at exit, if
 * - nothing was launched in the process; or of this program only kernels whose
 *   names another program has that was compiled at the same time; or nothing of
 *   it, and another program was compiled at the same time, also by another
 *   process with the same folder for PoCL;
 * - the context has several devices, or a destructor callback;
 * - the process loads binaries of its own, or links what the layer has no ID
 *   for;
 * - POCL_WORK_GROUP_SPECIALIZATION is 0, or POCL_BINARY_SPECIALIZE_WG is set;
 * - the address space is limited (pocl_stand_ins_suit_process());
 * - PoCL is of another version than those known, or of one before a release;
 * - DNNL_CACHE_CAPTURE_COMPILED is 0.
 */
#ifndef DNNL_CACHE_LAYER_STAND_INS_H
#define DNNL_CACHE_LAYER_STAND_INS_H

#include "layer/programs/build.h"
#include "src/drivers/pocl_stand_ins.h"

/* Can the driver be asked for the build in this way, as far as is known without
 * looking at the folder? Only what is in the journal, too. */
bool stand_ins_suit(const struct build *build);

/* May its folder be found later, and not yet? Nothing was launched of any
 * program so far. */
bool stand_ins_wait_for_folder(const struct build *build);

/* The folder of the driver's program that holds the build. False: it is not
 * known. */
bool stand_ins_find_folder(char folder[path_size], struct build *build);

/* Puts one in place of each kernel's function for all launches, into the folder
 * of the driver's program that holds the build. False: none are there, and the
 * driver is not to be asked. */
bool stand_ins_put(struct pocl_stand_ins *stand_ins, struct build *build,
        cl_program handle);

/* The binary of a blob, which is the caller's to free; NULL: no memory. *is_of:
 * it is of the program that has the folder. */
uint8_t *stand_ins_read_binary(const struct pocl_stand_ins *stand_ins,
        size_t blob_size, const uint8_t *blob, size_t *size, bool *is_of);

#endif /* DNNL_CACHE_LAYER_STAND_INS_H */
