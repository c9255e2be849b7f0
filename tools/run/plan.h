/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: what a command line of dnnl-cache-run asks for. */
#ifndef DNNL_CACHE_TOOLS_RUN_PLAN_H
#define DNNL_CACHE_TOOLS_RUN_PLAN_H

#include "tools/run/permanent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { plan_variables_max = 14 };

struct plan_variable {
    const char *name; /* static */
    char *value;      /* the plan's */
};

struct plan {
    bool help;
    bool version;
    bool off;
    bool print;
    bool quiet;
    bool wait;    /* after the command, until all is stored */
    bool no_wait; /* the command replaces this process */
    bool verbose;
    const char *layer; /* of argv, or NULL */
    char **command;    /* in argv, ends with NULL; may be empty */
    struct permanent_request permanent; /* instead of a command */

    /* Of the environment: what the options set, each name once. */
    struct plan_variable variables[plan_variables_max];
    size_t count;
    /* Of --allow and --deny; a command gets them as variables. */
    struct permanent_setting *entries;
    size_t entry_count;
};

/* False: err was told why. Either way plan_fini() follows. */
bool plan_parse(struct plan *plan, int argc, char **argv, FILE *err);
void plan_fini(struct plan *plan);

/* Sets a variable; true if there is memory for it. value is the plan's from
 * then on, NULL: no memory. */
bool plan_set(struct plan *plan, const char *name, char *value);

/* Does an option set the variable? */
bool plan_sets(const struct plan *plan, const char *name);

void plan_print_help(FILE *out);

#endif /* DNNL_CACHE_TOOLS_RUN_PLAN_H */
