/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h: what the short examples share and do not show: their command
 * line, a device, a clock, and files.
 */
#ifndef DNNL_CACHE_EXAMPLES_EXAMPLE_H
#define DNNL_CACHE_EXAMPLES_EXAMPLE_H

#include "device.h"

/* One short example. */
struct example {
    const char *path_name; /* of its argument: "FOLDER" */
    const char *purpose;   /* for --help, whole lines */
    /* What it does on a device with blobs in a place; *right tells whether
     * what the device computed is. */
    dnnl_status_t (*run)(
            const struct device *device, const char *path, bool *right);
};

/* Runs it as "NAME [--platform TEXT] PATH" asks. What the process returns: 0
 * all is well; 1 the library or the driver failed; 2 wrong usage; 3 wrong
 * results. */
int example_main(const struct example *example, int argc, char **argv);

/* Milliseconds since some moment. */
double example_now_ms(void);

/* Tells how many programs were compiled, and when the result was there. */
void example_print_time(unsigned long long compiled, double ms);
/* The same, with the library's own count of programs. */
void example_print_library_time(double ms);

void example_print_result(double sum, bool right);

/* A log callback that prints warnings and errors to standard error. */
void example_log(dnnl_cache_log_level_t level, const char *text, void *user);

/* ---- Files --------------------------------------------------------------- */

enum { example_path_size = 4096 };

/* The file of a folder in which the blob of an ID is kept. It is named by a
 * hash; two IDs of one hash take turns in it, which costs compilations but
 * mixes nothing up, since the library takes no blob but the one it wants. ""
 * for an ID of size 0, of what cannot be kept. */
void example_blob_path(char path[example_path_size], const char *folder,
        size_t id_size, const uint8_t *id);

/* The contents of a file, which the caller frees. NULL if there are none, and
 * errno says why: ENOENT for no file (path "" included), which is no trouble;
 * after a warning ENODATA for an empty file, or whatever kept it from being
 * read. */
uint8_t *example_read_file(const char *path, size_t *size);

/* Replaces a file as a whole, and makes the folders that its path names and
 * that are missing: readers see the old bytes or the new ones, also if this
 * process dies halfway. What does not work is a warning. */
void example_write_file(const char *path, size_t size, const uint8_t *bytes);

/* "NAME: warning: PATH WHAT", to standard error. */
void example_warn(const char *path, const char *what);

#endif /* DNNL_CACHE_EXAMPLES_EXAMPLE_H */
