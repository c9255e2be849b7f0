/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/state_lines.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

enum { sum_digits = 16 };

size_t state_line_make(char line[state_line_size], const char *text)
{
    const int n = snprintf(line, state_line_size, "%s %016" PRIx64 "\n", text,
            (uint64_t)XXH3_64bits(text, strlen(text)));
    return n > 0 && n < state_line_size ? (size_t)n : 0;
}

/* Is it what state_line_make() made? size: without the end of the line. */
static bool take_text(char text[state_line_size], const char *line, size_t size)
{
    char again[state_line_size];
    if (size <= sum_digits + 1 || size >= state_line_size) return false;
    memcpy(text, line, size - sum_digits - 1);
    text[size - sum_digits - 1] = '\0';
    return state_line_make(again, text) == size + 1
           && memcmp(again, line, size) == 0;
}

bool state_lines_next(char text[state_line_size], const char **at)
{
    while (**at != '\0') {
        const char *line = *at;
        const size_t size = strcspn(line, "\n");
        *at = line + size + (line[size] == '\n');
        if (line[size] == '\n' && take_text(text, line, size)) return true;
    }
    return false;
}
