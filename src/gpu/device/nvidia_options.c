/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/nvidia_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 1024, MOST_LEVEL = 3 };

/* Options of NVIDIA's that have a number. */
static const struct {
    const char *name;
    const char *theirs; /* what the PTX compiler calls it */
    unsigned long most;
} numbered[] = {
        {"-cl-nv-maxrregcount", "--maxrregcount", MOST_REGISTERS},
        {"-cl-nv-opt-level", "--opt-level", MOST_LEVEL},
};

static bool refuse(const char *word, size_t size, struct blob_reason *reason)
{
    snprintf(reason->text, sizeof reason->text,
            "what %.*s asks of the code is not known",
            (int)(size < 60 ? size : 60), word);
    return false;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Reads the number of an option, after '=' or blanks; NULL: there is none, or
 * it is too large. */
static const char *read_number(
        const char *at, unsigned long most, unsigned long *number)
{
    at = *at == '=' ? at + 1 : skip_blanks(at);
    if (*at < '0' || *at > '9') return NULL;
    char *end = NULL;
    *number = strtoul(at, &end, 10);
    if (*number > most || (*end != '\0' && strchr(" \t\r\n", *end) == NULL))
        return NULL;
    return end;
}

/* One of NVIDIA's, at *at; moves behind it. */
static bool read_own(const char **at, struct nvidia_options *options,
        struct blob_reason *reason)
{
    const char *word = *at;
    const size_t size = strcspn(word, " \t\r\n");
    const size_t name_size = strcspn(word, "= \t\r\n");
    static const char verbose[] = "-cl-nv-verbose";
    if (size == sizeof verbose - 1 && memcmp(word, verbose, size) == 0) {
        *at = word + size;
        return true;
    }
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++) {
        unsigned long number = 0;
        if (strlen(numbered[i].name) != name_size
                || memcmp(word, numbered[i].name, name_size) != 0)
            continue;
        const char *end =
                read_number(word + name_size, numbered[i].most, &number);
        if (end == NULL || options->count == NVIDIA_MOST_OPTIONS) break;
        snprintf(options->text[options->count++], NVIDIA_OPTION_SIZE, "%s=%lu",
                numbered[i].theirs, number);
        *at = end;
        return true;
    }
    return refuse(word, size, reason);
}

bool nvidia_options_read(const char *build_options,
        struct nvidia_options *options, struct blob_reason *reason)
{
    static const char own[] = "-cl-nv-";
    static const char plain[] = "-cl-opt-disable";
    options->count = 0;
    for (const char *at = skip_blanks(build_options); *at != '\0';
            at = skip_blanks(at)) {
        if (strncmp(at, own, sizeof own - 1) == 0) {
            if (!read_own(&at, options, reason)) return false;
            continue;
        }
        const size_t size = strcspn(at, " \t\r\n");
        if (size == sizeof plain - 1 && memcmp(at, plain, size) == 0)
            return refuse(at, size, reason);
        at += size;
    }
    return true;
}
