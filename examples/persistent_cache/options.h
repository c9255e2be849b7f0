/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the command line of persistent_cache. */
#ifndef DNNL_CACHE_EXAMPLES_OPTIONS_H
#define DNNL_CACHE_EXAMPLES_OPTIONS_H

#include <dnnl_cache/store_types.h>

/* What the process returns. */
enum exit_code {
    exit_ok = 0,
    exit_failed = 1, /* the library or the driver failed */
    exit_usage = 2,  /* the command line makes no sense */
    exit_wrong = 3,  /* --check found a wrong result */
    exit_output = 4  /* --json or --output could not be written */
};

/* Strings are those of argv, or "" where an option was not given. */
struct options {
    const char *store;
    const struct dnnl_cache_store_type *type; /* of a new store */
    uint64_t capacity;                        /* bytes */
    bool off;                                 /* --capacity off */
    enum dnnl_cache_store_policy policy;
    const char *platform;
    const char *json;
    const char *build_option;
    const char *output;
    bool check;
    bool help;
};

/* False, after a message to standard error, if the arguments make no sense. */
bool options_parse(struct options *options, int argc, char **argv);

void options_print_help(void);

#endif /* DNNL_CACHE_EXAMPLES_OPTIONS_H */
