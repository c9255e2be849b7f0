/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/command_line.h"

#include "tools/common/text/text.h"

#include <string.h>

bool command_line_complain(
        const struct command_line *line, const char *what, const char *argument)
{
    fprintf(line->err, "%s: %s", line->program, what);
    text_print(line->err, argument, strlen(argument));
    fprintf(line->err, " (see %s --help)\n", line->program);
    return false;
}

/* The option that getopt_long() stopped at, and what is wrong with it. It goes
 * on from a long option to the next argument, but not from a letter that others
 * follow: then argv[optind - 1] is an argument of an earlier call. */
static void complain_of_option(
        const struct command_line *line, int code, int begun_at)
{
    const char *argument = line->argv[optind - 1];
    const bool is_long = optind != begun_at && strncmp(argument, "--", 2) == 0;
    const char letter[] = {(char)optopt, '\0'};
    const char *wrong = code == ':'              ? "requires an argument"
                        : is_long && optopt != 0 ? "doesn't allow an argument"
                                                 : NULL;
    fprintf(line->err, "%s: %s", line->program,
            wrong != NULL ? "option '"
            : is_long     ? "unrecognized option '"
                          : "invalid option -- '");
    if (is_long)
        text_print(line->err, argument, strcspn(argument, "="));
    else
        text_print(line->err, letter, strlen(letter));
    fprintf(line->err, "'%s%s (see %s --help)\n", wrong != NULL ? " " : "",
            wrong != NULL ? wrong : "", line->program);
}

int command_line_next(const struct command_line *line, bool first)
{
    char letters[32];
    /* '+' comes before ':'. */
    const bool stops = line->letters[0] == '+';
    snprintf(letters, sizeof letters, "%s:%s", stops ? "+" : "",
            line->letters + stops);
    opterr = 0;
    if (first) optind = 0;
    const int begun_at = first ? 1 : optind;
    const int code =
            getopt_long(line->argc, line->argv, letters, line->options, NULL);
    if (code != ':' && code != '?') return code;
    complain_of_option(line, code, begun_at);
    return '?';
}
