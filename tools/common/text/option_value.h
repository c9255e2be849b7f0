/* SPDX-License-Identifier: Apache-2.0 */
/* option_value.h: what options of a command line take, as rows of a table. */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_OPTION_VALUE_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With the type of the member that it goes to. */
enum option_takes {
    takes_nothing, /* bool: set */
    takes_text,    /* const char *: not empty */
    takes_number,  /* unsigned, or int */
    takes_size,    /* uint64_t: bytes (units.h) */
    takes_age,     /* uint64_t: seconds; "0" as well, if that is the least */
    takes_choice,  /* an enum: the least for the first of the names, ... */
    takes_list,    /* struct option_list: a text each time that it is given */
    takes_other    /* what parse() makes of it */
};

/* The values of an option that may be given several times. The caller frees the
 * array. */
struct option_list {
    int count;
    const char **values;
};

struct option_value {
    enum option_takes takes;
    size_t member;            /* of the struct of options */
    uint64_t least;           /* of a number, a size, an age, a choice */
    uint64_t most;            /* of a number */
    const char *const *names; /* of a choice; NULL behind the last */
    bool (*parse)(void *options, const char *text);
};

/* Reads the text (NULL: there is none) into the member. False: it is no such
 * value, or memory for a list ran out. */
bool option_value_take(
        const struct option_value *value, void *options, const char *text);

/* Decimal digits alone. */
bool option_value_number(uint64_t *number, const char *text, uint64_t most);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_OPTION_VALUE_H */
