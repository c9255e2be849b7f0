/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_folder.h: a FUSE file system that shows a folder, served by a process of
 * the test's, in which changes can be made to fail. It speaks the kernel's
 * protocol itself (<linux/fuse.h>) and needs no library.
 */
#ifndef DNNL_CACHE_TESTS_FUSE_FOLDER_H
#define DNNL_CACHE_TESTS_FUSE_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

struct fuse_folder {
    pid_t server;
    volatile int *error; /* shared with the server, and so is what follows it */
    char mounted[4096];
};

/* Mounts it over `shown`, with the files of `behind`, in a mount namespace that
 * the caller has for itself. False: not allowed here, or no /dev/fuse; errno
 * says why. */
bool fuse_folder_begin(
        struct fuse_folder *folder, const char *shown, const char *behind);
void fuse_folder_end(struct fuse_folder *folder);

/* From now on whatever writes or makes something fails so; 0: nothing does. */
void fuse_folder_fail(const struct fuse_folder *folder, int error);

/* From now on names are the same whose letters differ in case alone, as on FAT:
 * all are kept in small letters. */
void fuse_folder_fold_case(const struct fuse_folder *folder);

#endif /* DNNL_CACHE_TESTS_FUSE_FOLDER_H */
