/* SPDX-License-Identifier: Apache-2.0 */
/* command.h: what the parts of model_loader share. All calls of the library
 * that fail put its text into the failure. */
#ifndef DNNL_CACHE_MODEL_COMMAND_COMMAND_H
#define DNNL_CACHE_MODEL_COMMAND_COMMAND_H

#include "model/command/options.h"
#include "model/command/value.h"

#include <stdio.h>

enum {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,
    exit_wrong = 3,
    exit_unwritten = 4
};

struct layer_time {
    char *node; /* owned, as the next */
    char *kind;
    double ms; /* the shortest of the runs */
};

/* What runs took. */
struct measured {
    double began;                /* clock_ms() at the start */
    double first_at, first_ms;   /* after `began` */
    double steady_at, steady_ms; /* the fastest of the others */
    int count;
    double *ms; /* of `count` runs, sorted; owned */
    int layer_count;
    struct layer_time *layers; /* owned */
};

struct command {
    const struct options *options;
    dnnl_cache_model_t model;
    struct failure *failure;
    struct measured measured;
};

/* Notes what the library says if a call has failed. */
bool command_check(struct command *command, dnnl_status_t status);

/* ---- Parts --------------------------------------------------------------- */

/* listing.c: what a model declares, to standard output and, if asked for, as
 * JSON. An exit status. */
int command_list(struct command *command);
int command_list_devices(struct failure *failure);

/* inputs.c: sets shapes that the options give: those with a name before the
 * model starts, and all, with what is wrong with them, when it is loaded. */
bool command_set_named_shapes(struct command *command);
bool command_set_shapes(struct command *command);

/* What is to be written to the inputs. */
struct inputs {
    int count;
    struct value *values; /* without data: a ramp */
};

/* Reads the inputs' files, and gives the model the shapes that they have where
 * it leaves dimensions open. command_drop_inputs() is due in any case. */
bool command_read_inputs(struct command *command, struct inputs *inputs);
bool command_write_inputs(struct command *command, const struct inputs *inputs);
void command_drop_inputs(struct inputs *inputs);

/* measure.c: all runs; notes what they took. */
bool command_run(struct command *command);
bool command_profile(struct command *command);
void measured_fini(struct measured *measured);
/* The p-th percentile of the runs, 0 <= p <= 100. */
double measured_percentile(const struct measured *measured, double p);

/* results.c: reads an output. The caller ends it with value_fini(). */
bool command_read_output(
        struct command *command, int index, struct value *value);
/* That outputs which the options name are there, before anything is compiled.
 */
bool command_check_outputs(struct command *command);
/* Compares, prints and writes what the options say; an exit status. */
int command_finish(struct command *command);

/* top.c: prints classes. */
bool command_print_top(struct command *command, const struct value *value);

/* report_text.c: the start and the runs, for people and as JSON. */
void command_print_report(struct command *command);
bool command_write_report(struct command *command);

/* report_text.c: writes the file that the options name for JSON, all or
 * nothing. */
bool command_write_json(struct command *command, const void *what,
        void (*write)(struct command *command, const void *what, FILE *file));

/* dump.c: each layer in a file of a folder. *is_written is false if a file, and
 * not the run, has failed. */
bool command_dump(struct command *command, bool *is_written);

/* A name of the model's as that of a file, which leads to no other folder; the
 * room is that of the text. */
void command_file_name(size_t size, char *to, const char *name);

#endif /* DNNL_CACHE_MODEL_COMMAND_COMMAND_H */
