/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pocl_stand_in_file.h: files in place of machine code that nobody needs.
 *
 * Asked for a binary, PoCL compiles each kernel for all launches, unless the
 * program's folder has the file already. While the binary has intermediate code
 * that function is never used. A stand-in is a shared object with the right
 * symbol and without code: to call it ends the process. The library takes them
 * out of binaries (src/binaries/pocl_stand_in.h).
 */
#ifndef DNNL_CACHE_DRIVERS_POCL_STAND_IN_FILE_H
#define DNNL_CACHE_DRIVERS_POCL_STAND_IN_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The last bytes of each, with a NUL. */
enum { pocl_stand_in_mark_size = 28 };
extern const char pocl_stand_in_mark[pocl_stand_in_mark_size];

/* Of paths of a kernel's code, from the program's folder. */
enum { pocl_stand_in_path_size = 640 };

/* The folder of the function for all launches. */
#define POCL_ALL_LAUNCHES "0-0-0"

/* True if PoCL, whose CL_PLATFORM_VERSION this is, was tested with them: not
 * what comes before a release ("7.1-pre"). */
bool pocl_stand_ins_are_tested(const char *platform_version);

/* Does the environment have the driver compile by classes of launches, and with
 * its own cache off? Else a stand-in could be used, or be there for ever. */
bool pocl_stand_ins_suit_environment(void);

/* The same but for the cache: for a process whose driver's cache is its own. */
bool pocl_stand_ins_suit_classes(void);

/* Does this process's loader take one? PoCL ends the process if not. Tries that
 * with a file in the folder, which is removed. */
bool pocl_stand_in_is_loadable(const char *folder);

/* Where the driver looks for a kernel's code of a class, whose folders are
 * made. False: it has no such place; names are not trusted. */
bool pocl_stand_in_make_place(char path[pocl_stand_in_path_size], int folder_fd,
        const char *kernel, const char *class);

/* Writes one there. False: it was not written; errno is EEXIST if there is a
 * file. */
bool pocl_stand_in_write(int folder_fd, const char *kernel, const char *class);

/* Removes one, and its folders, if they have nothing else. Any other file
 * stays. */
void pocl_stand_in_remove(int folder_fd, const char *kernel, const char *class);

#endif /* DNNL_CACHE_DRIVERS_POCL_STAND_IN_FILE_H */
