/* SPDX-License-Identifier: Apache-2.0 */
/* example_process.h: one run of an example, and files to run it on. */
#ifndef DNNL_CACHE_TESTS_EXAMPLE_PROCESS_H
#define DNNL_CACHE_TESTS_EXAMPLE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Runs a program with arguments (NULL behind the last); its exit status, or
 * minus the signal that ended it. What it says goes to NAME.out and NAME.err
 * in a directory. in_child, which may be NULL, is called before the program
 * starts, in its process. */
int example_run(const char *directory, const char *name, char *const *argv,
        void (*in_child)(const char *directory, const char *name));

/* A path in a directory. */
struct example_path {
    char text[512];
};
struct example_path example_path(const char *directory, const char *name);
/* The same, of NAME with an ending. */
struct example_path example_file(
        const char *directory, const char *name, const char *ending);

/* The contents of a file, which the caller frees, with a NUL behind; an empty
 * one if there is no file. size may be NULL. */
char *example_contents(const char *path, size_t *size);

/* Does a file have a text in it? */
bool example_says(const char *path, const char *text);

/* Writes a file; a failure is the test's. */
void example_write(const char *path, const void *bytes, size_t size);

/* Calls damage for every file under a path that is not empty (a file is under
 * itself); how many those were. */
size_t example_damage_files(const char *path, void (*damage)(const char *path));

/* What can happen to a file. */
void example_flip_middle(const char *path);
void example_cut_in_half(const char *path);

void example_remove(const char *path);

#endif /* DNNL_CACHE_TESTS_EXAMPLE_PROCESS_H */
