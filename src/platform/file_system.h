/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_system.h: what kind of file system a path is on, where that changes what
 * a folder of files can rely on: locks, renames, times, and who else has it.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_FILE_SYSTEM_H
#define DNNL_CACHE_SRC_PLATFORM_FILE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

enum file_system_kind {
    file_system_is_local = 0, /* or not known: as a disk of this machine */
    file_system_is_network,   /* a server's: other machines may use it, too */
    file_system_is_fuse,      /* a program's, which may do anything */
    file_system_is_union      /* folders over one another, as in containers */
};

/* Do a file's number and its change time show each change of it? */
enum file_stamps {
    file_stamps_are_loose = 0, /* or not known */
    /* No caller can set the change time, and no other file gets the number
     * while the system runs unless the change time says so. Not so of network
     * file systems, whose times are another machine's and are looked up late,
     * nor of FUSE, whose programs may say anything. */
    file_stamps_are_kept,
    /* As those of what is below, which is not told: file_stamp.c looks. */
    file_stamps_are_of_layers
};

struct file_system {
    enum file_system_kind kind;
    const char *name; /* "NFS"; static. Of a local one "" */
    /* Is each name that leads to something among those that its folder tells?
     * Not so of file systems that make what is asked for. False: not known. */
    bool tells_all_names;
    enum file_stamps stamps;
};

/* Of what has that name, or else of the nearest folder above that is there. Any
 * thread; errno stays. */
struct file_system file_system_of(const char *path);

/* Of an open file or folder. 0, or an errno value. */
int file_system_of_open(struct file_system *found, int fd);

/* What fstatfs() tells of an open file or folder; 0: nothing. */
uint64_t file_system_type(int fd);

/* The same by what statfs() tells (f_type), of 32 bits. */
struct file_system file_system_of_type(unsigned long type);

/* What is different there for files that programs share, in words that follow
 * "it is on NFS: ". Static; "" of a local one. */
const char *file_system_words(enum file_system_kind kind);

#endif /* DNNL_CACHE_SRC_PLATFORM_FILE_SYSTEM_H */
