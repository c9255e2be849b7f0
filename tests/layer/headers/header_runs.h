/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of header_client under the layer. */
#ifndef DNNL_CACHE_TESTS_LAYER_HEADER_RUNS_H
#define DNNL_CACHE_TESTS_LAYER_HEADER_RUNS_H

enum { path_size = 600 };

struct run {
    char printed[8000];
    char statistics[4000];
};

/* The path of a file in the test's directory. */
void path_of(char path[path_size], const char *name);

/* Which folder there the driver's cache of the next run is in. */
void name_driver_cache(char name[40]);

/* Runs the client with commands, up to a NULL, in the test's directory, with
 * the store there, below these layers; "library" as the last one is the library
 * (header_library.h). */
struct run run_under(const char *layers, const char *const *commands);

/* A number of the statistics, in `part` (an object in it) or NULL; 0 if it is
 * not there. */
long count_of(const struct run *run, const char *part, const char *name);

#endif /* DNNL_CACHE_TESTS_LAYER_HEADER_RUNS_H */
