/* SPDX-License-Identifier: Apache-2.0 */
/* repair_lines.h: files of the state folder whose check-sums are made right. */
#ifndef DNNL_CACHE_TESTS_FUZZ_REPAIR_LINES_H
#define DNNL_CACHE_TESTS_FUZZ_REPAIR_LINES_H

#include "pieces.h"

#include "tools/common/state/state_lines.h"

#include <stdio.h>
#include <string.h>

/* Each line's text gets the check-sum that is its own. */
static inline struct piece repair_lines(const struct piece *list)
{
    struct piece made = {NULL, 0};
    char text[state_line_size];
    char line[state_line_size];
    FILE *out = open_memstream((char **)&made.data, &made.size);
    REQUIRE(out != NULL);
    for (size_t at = 0; at < list->size;) {
        const uint8_t *begin = list->data + at;
        const uint8_t *end = memchr(begin, '\n', list->size - at);
        const size_t size =
                end != NULL ? (size_t)(end - begin) : list->size - at;
        (void)snprintf(text, sizeof text, "%.*s", size < 200 ? (int)size : 200,
                (const char *)begin);
        const size_t n = state_line_make(line, text);
        REQUIRE(fwrite(line, 1, n, out) == n);
        at += size + 1;
    }
    REQUIRE(fclose(out) == 0);
    return made;
}

#endif /* DNNL_CACHE_TESTS_FUZZ_REPAIR_LINES_H */
