/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h: what the short examples share and do not show: their command
 * line, a device, a clock, and files.
 */
#ifndef DNNL_CACHE_EXAMPLES_EXAMPLE_H
#define DNNL_CACHE_EXAMPLES_EXAMPLE_H

#include "clock.h"
#include "device.h"
#include "files.h"
#include "messages.h"

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

/* Tells how many programs were compiled, and when the result was there. */
void example_print_time(unsigned long long compiled, double ms);
/* The same, with the library's own count of programs. */
void example_print_library_time(double ms);

void example_print_result(double sum, bool right);

/* ---- Where blobs are ----------------------------------------------------- */

/* The file of a folder in which the blob of an ID is kept. It is named by a
 * hash; two IDs of one hash take turns in it, which costs compilations but
 * mixes nothing up, since the library takes no blob but the one it wants. ""
 * for an ID of size 0, of what cannot be kept. */
void example_blob_path(char path[files_path_size], const char *folder,
        size_t id_size, const uint8_t *id);

/* ---- A kernel ------------------------------------------------------------ */

/* Runs kernel(__global uint *out, uint count), a work-item for each of count
 * numbers, which are written to out, in work-groups of a size that divides
 * count; waits for the end. */
bool example_run(const struct device *device, cl_kernel kernel, cl_uint count,
        size_t group, cl_uint *out);

#endif /* DNNL_CACHE_EXAMPLES_EXAMPLE_H */
