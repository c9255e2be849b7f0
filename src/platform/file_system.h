/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_system.h: what kind of file system a path is on, where that changes what
 * a folder of files can rely on: locks, renames, times, and who else has it.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_FILE_SYSTEM_H
#define DNNL_CACHE_SRC_PLATFORM_FILE_SYSTEM_H

enum file_system_kind {
    file_system_is_local = 0, /* or not known: as a disk of this machine */
    file_system_is_network,   /* a server's: other machines may use it, too */
    file_system_is_fuse,      /* a program's, which may do anything */
    file_system_is_union      /* folders over one another, as in containers */
};

struct file_system {
    enum file_system_kind kind;
    const char *name; /* "NFS"; static. Of a local one "" */
};

/* Of what has that name, or else of the nearest folder above that is there. Any
 * thread; errno stays. */
struct file_system file_system_of(const char *path);

/* The same by what statfs() tells (f_type), of 32 bits. */
struct file_system file_system_of_type(unsigned long type);

/* What is different there for files that programs share, in words that follow
 * "it is on NFS: ". Static; "" of a local one. */
const char *file_system_words(enum file_system_kind kind);

#endif /* DNNL_CACHE_SRC_PLATFORM_FILE_SYSTEM_H */
