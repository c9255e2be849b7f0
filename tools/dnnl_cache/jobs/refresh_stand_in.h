/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_stand_in.h: files in place of machine code that nobody needs.
 *
 * Asked for a binary, PoCL compiles each kernel of the program for all launches
 * and for each class of POCL_BINARY_SPECIALIZE_WG, unless the program's folder
 * has the file already. An application launches each kernel in few classes, and
 * while the binary has intermediate code the function for all launches is never
 * used. So a worker, whose driver's folder is its own, puts shared objects
 * without code where that would be compiled. The library takes them out of the
 * binary (src/binaries/pocl_stand_in.h).
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_STAND_IN_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_STAND_IN_H

#include "tools/dnnl_cache/jobs/refresh_device.h"

struct refresh_stand_ins {
    int folder_fd; /* of the program; -1: none can be made */
};

/* Finds the folder of the program that was built last. Without effect if this
 * driver's version was not tested, or a stand-in could not be loaded. */
void refresh_stand_ins_open(
        struct refresh_stand_ins *stand_ins, const struct refresh_device *);
void refresh_stand_ins_close(struct refresh_stand_ins *stand_ins);

/* In place of a kernel's function for a class, "0-0-0" for all launches. Has no
 * effect if it cannot be written: then it is compiled. */
void refresh_stand_ins_put(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class);

/* Keeps what the driver has compiled for a class in another folder, which is
 * made, on the same file system; and puts it where it was, for a program that
 * was built again. False: it is not there. */
bool refresh_stand_ins_keep(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder);
bool refresh_stand_ins_put_back(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder);

/* Has a blob's binary one? A layer of an older release leaves them there. True
 * also if memory runs out. */
bool refresh_stand_ins_are_in(size_t blob_size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_STAND_IN_H */
