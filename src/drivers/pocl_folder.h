/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pocl_folder.h: the folder that PoCL has for a program while its own cache is
 * off: "_UNCACHED_" and six characters, with "program.bc" and
 * "KERNEL/CLASS/KERNEL.so" for each class of launches (launch_class.h). It goes
 * with the program.
 *
 * A folder is found, not guessed: this process has a shared object of it
 * mapped. That says which kernel it is of, and not of which program: the caller
 * knows what else may have a kernel of that name. Or it must have been written
 * at a certain time, and no other was. Any thread.
 */
#ifndef DNNL_CACHE_DRIVERS_POCL_FOLDER_H
#define DNNL_CACHE_DRIVERS_POCL_FOLDER_H

#include "src/platform/library.h"

#include <stdbool.h>
#include <stdint.h>

/* Of its name, with its NUL. */
enum { pocl_folder_name_size = 17 };

/* The only folder, with files in it that this process has mapped, for which
 * is_of returns true; folder and kernel are a file's. False: there is none, or
 * there are several. */
bool pocl_folder_find(char path[path_size],
        bool (*is_of)(void *user, const char *folder, const char *kernel),
        void *user);

/* Was its intermediate code, which is written once, written after the first of
 * these times since the epoch, and until the second? No file is stamped later
 * than it is written, so what was written before is never taken for it. */
bool pocl_folder_is_of_time(
        const char *folder, uint64_t after_ns, uint64_t until_ns);

/* The only folder whose intermediate code was written from the first of these
 * times on, and until 10 ms after the second: of a program of which nothing was
 * launched. Files are stamped by a clock that is behind: the first time is that
 * clock's, so that what was compiled between them is among what is found, if
 * the clock was not set back by 5 ms meanwhile: the caller looks. All folders
 * of programs are in one, which is that of what this process has mapped. False:
 * there is none, or there are several, or nothing is mapped, or two PoCLs are
 * loaded, or files have times of another machine or in whole seconds. */
bool pocl_folder_find_written(
        char path[path_size], uint64_t from_ns, uint64_t until_ns);

/* Is anything mapped that tells where folders are? */
bool pocl_folder_place_is_known(void);

/* The last part of a path. */
const char *pocl_folder_name(const char *path);

/* Opens one that is this user's, who alone can write there. The caller closes
 * it; file_none: it is not so. */
int pocl_folder_open(const char *path);

#endif /* DNNL_CACHE_DRIVERS_POCL_FOLDER_H */
