/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pocl_made.h: what PoCL's own cache has of a program that a process has built.
 *
 * With its cache on PoCL writes a program into a folder "AB/CDE..." of it,
 * named by a hash: "program.bc", and "KERNEL/CLASS/KERNEL.so" for each class of
 * launches (launch_class.h). The hash does not cover all that compiled code
 * depends on. So files are taken only if the process that notes them was seen
 * to make them, and only while they are what they were then: the same device,
 * inode and time of the last change. Nothing is ever written there.
 */
#ifndef DNNL_CACHE_DRIVERS_POCL_MADE_H
#define DNNL_CACHE_DRIVERS_POCL_MADE_H

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a file was, as notes have it: device, inode, seconds and nanoseconds of
 * the last change. */
enum { pocl_made_stamp_size = 32 };

/* The sizes of "AB" and of the rest of the name of a program's folder. */
enum { pocl_made_first_size = 2, pocl_made_rest_size = 37 };

/* Longer paths in a program's folder are not taken. */
enum { pocl_made_path_size = 640 };

#define POCL_MADE_PROGRAM "program.bc"

/* Is the driver's cache on, and are launches compiled by classes? */
bool pocl_made_suits_environment(void);

/* The folder of the driver's cache by the environment, without links. False:
 * there is none, or it is in a place of all users. */
bool pocl_made_find_cache(char path[path_size]);

/* Is it a part of the name of a program's folder? */
bool pocl_made_is_name(const char *name, size_t size);

/* Opens a folder of an absolute path, step by step: no part may be a link, and
 * none may be written by another user but root, nor by a group. A folder of all
 * users whose entries only their owners rename will do. The caller closes it;
 * file_none: it is not so. */
int pocl_made_open_folder(const char *path);

/* Opens a file of a program's folder in the same way, "program.bc" or
 * "KERNEL/CLASS/KERNEL.so": it must be this user's, who alone can write it.
 * file_none: it is not. */
int pocl_made_open_file(
        int folder_fd, const char *path, struct file_facts *facts);

void pocl_made_stamp(
        uint8_t stamp[pocl_made_stamp_size], const struct file_facts *facts);

/* The contents of a file, malloc'ed, if it was this when it was noted, did not
 * change meanwhile, and is whole: bitcode, or a shared object that has its
 * kernel's function. NULL: it is not. */
uint8_t *pocl_made_read(int folder_fd, const char *path,
        const uint8_t stamp[pocl_made_stamp_size], size_t *size);

#endif /* DNNL_CACHE_DRIVERS_POCL_MADE_H */
