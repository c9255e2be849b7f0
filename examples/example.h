/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h: what the short examples share: command line, device, clock and
 * files.
 */
#ifndef DNNL_CACHE_EXAMPLES_EXAMPLE_H
#define DNNL_CACHE_EXAMPLES_EXAMPLE_H

#include "support/clock.h"
#include "support/device.h"
#include "support/files.h"

/* One short example. */
struct example {
    const char *path_name; /* of its argument: "FOLDER" */
    const char *purpose;   /* for --help, whole lines */
    /* The example, on a device, with blobs at a path; *right receives whether
     * the device computed the right result. */
    dnnl_status_t (*run)(
            const struct device *device, const char *path, bool *right);
};

/* Runs the example as "NAME [--platform TEXT] PATH". Returns the exit status: 0
 * success; 1 the library or the driver failed; 2 wrong usage; 3 wrong results.
 */
int example_main(const struct example *example, int argc, char **argv);

/* Prints how many programs were compiled, and when the result was there. */
void example_print_time(unsigned long long compiled, double ms);
/* The same, with the library's own count of programs. */
void example_print_library_time(double ms);

void example_print_result(double sum, bool right);

/* A log callback that prints warnings and errors to standard error. */
void example_log(dnnl_cache_log_level_t level, const char *text, void *user);

/* ---- Where blobs are ----------------------------------------------------- */

/* The file in a folder that keeps the blob of an ID. Its name is a hash of the
 * ID. Two IDs with the same hash overwrite each other's blobs, which only costs
 * compilations, because the library accepts only a blob with the right ID. ""
 * for an ID of size 0, of an object that is not cacheable. */
void example_blob_path(char path[files_path_size], const char *folder,
        size_t id_size, const uint8_t *id);

/* ---- A kernel ------------------------------------------------------------ */

/* Runs kernel(__global uint *out, uint count), with one work-item for each of
 * the count numbers that are written to out, in work-groups of a size that
 * divides count; waits for the end. */
bool example_run(const struct device *device, cl_kernel kernel, cl_uint count,
        size_t group, cl_uint *out);

#endif /* DNNL_CACHE_EXAMPLES_EXAMPLE_H */
