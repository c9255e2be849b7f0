/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the command line of model_loader. */
#ifndef DNNL_CACHE_LOADER_OPTIONS_H
#define DNNL_CACHE_LOADER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Strings are argv's; NULL: not given. */
struct options {
    const char *model;
    const char *store;
    const char *remote;
    const char *platform; /* "": any */
    const char **inputs;  /* files or "ramp", in the order of the model's */
    int input_count;
    const char *weights; /* a file; NULL: the model's own, or random ones */
    bool is_random;
    uint64_t seed;
    const char *output;
    const char *expect;
    const char *json;
    const char *dump; /* a folder */
    int repeat;       /* runs after the first */
    int threads; /* to load with, or worker processes; 0: as many as CPUs */
    bool cached_only;
    const char *record; /* a file that takes down what is used */
    bool prepare;       /* the store, and nothing is run */
    bool help;
    int worker; /* the descriptor to answer on; -1: not one */
    int argc;   /* for those who start workers */
    char **argv;
};

/* False after a message to standard error. options_fini() is due in any case.
 */
bool options_parse(struct options *options, int argc, char **argv);
void options_fini(struct options *options);

void options_print_help(void);

#endif /* DNNL_CACHE_LOADER_OPTIONS_H */
