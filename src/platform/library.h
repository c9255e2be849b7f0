/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h: code that is loaded while the process runs, and where code is.
 * Paths go into the caller's room of path_size bytes. Any thread; not under a
 * lock that a library's constructor may want.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_LIBRARY_H
#define DNNL_CACHE_SRC_PLATFORM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    path_size = 4096,
    path_name_size = 256 /* of one name in it */
};

struct library; /* never made: a name for what the system gives */

/* Loads it, with all of its symbols at once and for itself; a path without '/'
 * is searched as the system does. NULL: *why (may be NULL) says why, until the
 * next call of this thread. keep: it is never unloaded. */
struct library *library_open(const char *path, bool keep, const char **why);

/* The same, but what it needs of others is found when it is called first. */
struct library *library_open_lazily(const char *path, const char **why);

/* The same if it is loaded already; otherwise NULL. */
struct library *library_open_loaded(const char *path);

void library_close(struct library *library);

/* A function or an object of that name, into a pointer to one (NULL: all of the
 * process's libraries). False: there is none. */
bool library_find(struct library *library, const char *symbol, void *pointer);

/* Its path, without links. */
bool library_path(char path[path_size], struct library *library);

/* The file that the address is in, or the program's, from the root on: neither
 * the working directory nor what a program was started as tells which. False:
 * it is not known so. */
bool library_file_of(char path[path_size], const void *address);

/* It is not unloaded from now on. False: nothing has that address. */
bool library_keep(const void *address);

/* ---- Paths --------------------------------------------------------------- */

/* Absolute, and without links; false: errno says why. */
bool path_resolve(char resolved[path_size], const char *path);

/* The same in memory that the caller frees; NULL: errno says why. */
char *path_absolute(const char *path);

/* Of this program, without links; as the system was told where it does not say
 * (without /proc). */
bool path_of_program(char path[path_size]);

/* Its file for reading, whatever has its path by now. 0 or an errno value; the
 * caller closes *fd, file_none if it fails. */
int program_open(int *fd);

/* The first of these places that is there, without links: each an absolute
 * path, or one from the folder of the library (or program) that the address is
 * in (NULL: from that of this program). */
bool path_beside(char path[path_size], const void *address,
        const char *const *places, size_t count);

/* The working directory. */
bool path_working(char path[path_size]);
bool path_set_working(const char *path);

/* The path from the root on, with the links that are in it, in memory that the
 * caller frees; NULL: errno says why. */
char *path_from_root(const char *path);

#endif /* DNNL_CACHE_SRC_PLATFORM_LIBRARY_H */
