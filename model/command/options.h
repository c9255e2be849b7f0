/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the command line of model_loader. */
#ifndef DNNL_CACHE_MODEL_COMMAND_OPTIONS_H
#define DNNL_CACHE_MODEL_COMMAND_OPTIONS_H

#include "model/command/image.h"
#include "tools/common/text/option_value.h"

#include <stdbool.h>
#include <stdint.h>

/* Strings are argv's; NULL: not given. */
struct options {
    const char *model;
    const char *store;
    bool is_default_store; /* nobody has chosen it */
    const char *remote;
    const char *platform;         /* "": any */
    const char *device;           /* a number or a part of a name */
    struct option_list shapes;    /* "NAME=1x3" or "1x3" */
    struct option_list constants; /* "NAME=VALUE" */
    struct option_list inputs;  /* "NAME=FILE", or files or "ramp" in the order
                                 * of the model's inputs */
    struct option_list outputs; /* "NAME=FILE", or a file for the first */
    const char *output_dir;
    const char *output_format; /* "npy", "pb" or "raw" */
    struct image_options image;
    const char *preset;
    int top; /* classes to print; 0: none */
    const char *labels;
    const char *weights; /* a file; NULL: the model's own, or random ones */
    bool is_random;
    uint64_t seed;
    const char *expect;
    const char *json;
    const char *dump; /* a folder */
    int repeat;       /* runs after the first */
    int warm_up;      /* runs between the first and those that are measured */
    double duration;  /* seconds to go on for; 0: as often as `repeat` says */
    int threads; /* to load with, or helper processes; 0: as many as CPUs */
    bool cached_only;
    const char *record; /* a file that takes down what is used */
    bool prepare;       /* the store, and nothing is run */
    bool profile;
    bool list;
    bool list_devices;
    bool version;
    bool help;
};

/* False after a message to standard error. options_fini() is due in any case.
 */
bool options_parse(struct options *options, int argc, char **argv);
void options_fini(struct options *options);

/* The name's size and the number of a constant; false: it has none. */
bool options_constant(const char *text, size_t *name_size, double *value);

void options_print_help(void);

#endif /* DNNL_CACHE_MODEL_COMMAND_OPTIONS_H */
