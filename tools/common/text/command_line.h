/* SPDX-License-Identifier: Apache-2.0 */
/* command_line.h: getopt_long(), which tells what is wrong in one way. */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_COMMAND_LINE_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_COMMAND_LINE_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

struct command_line {
    const char *program; /* as messages name it */
    FILE *err;
    int argc;
    char **argv;
    const char *letters; /* as getopt()'s, without a ':' at the start */
    const struct option *options;
};

/* The next option, with its value in optarg; -1: there are no more, operands
 * begin at optind; '?': a message was written. Begins anew where `first` is
 * true. Not for several threads at once: getopt()'s state is global. */
int command_line_next(const struct command_line *line, bool first);

/* "PROGRAM: WHATARGUMENT (see PROGRAM --help)"; false. The argument is
 * made printable. */
bool command_line_complain(const struct command_line *line, const char *what,
        const char *argument);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_COMMAND_LINE_H */
