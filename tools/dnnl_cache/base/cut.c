/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/cut.h"

#include "tools/common/text/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char dots[] = "...";
static const char between[] = ", ";

enum { dots_width = sizeof dots - 1, between_size = sizeof between - 1 };

/* How many bytes the first characters of a text have. */
static size_t bytes_of(const char *text, size_t characters)
{
    size_t size = 0;
    while (text[size] != '\0' && characters-- > 0)
        do
            size++;
        while (((unsigned char)text[size] & 0xc0) == 0x80);
    return size;
}

char *cut_text(const char *text, size_t width)
{
    char *cut = NULL;
    if (text_width(text) <= width) return strdup(text);
    const size_t shown = width > dots_width ? width - dots_width : 0;
    if (asprintf(&cut, "%.*s%.*s", (int)bytes_of(text, shown), text,
                (int)(width - shown), dots)
            < 0)
        return NULL;
    return cut;
}

static size_t count_names(const char *list)
{
    size_t count = 1;
    while ((list = strstr(list, between)) != NULL) {
        list += between_size;
        count++;
    }
    return count;
}

/* The bytes of the first names, of which there are several, with which
 * ", ..." fits behind a head; at least those of one. */
static size_t names_that_fit(const char *list, size_t head, size_t width)
{
    const char *end = strstr(list, between);
    for (const char *next = end; next != NULL;
            next = strstr(next + between_size, between)) {
        const size_t size = (size_t)(next - list);
        if (head + size + between_size + dots_width > width) break;
        end = next;
    }
    return (size_t)(end - list);
}

char *cut_list(const char *list, const char *noun, size_t width)
{
    char head[64];
    char *all = NULL;
    const size_t count = count_names(list);
    if (count == 1 || text_width(list) <= width) return cut_text(list, width);
    (void)snprintf(head, sizeof head, "%zu %.32s: ", count, noun);
    const size_t size = names_that_fit(list, strlen(head), width);
    const bool fits = strlen(head) + size + between_size + dots_width <= width;
    if (asprintf(&all, "%s%.*s%s%s", head, (int)size, list, fits ? between : "",
                dots)
            < 0)
        return NULL;
    char *cut = cut_text(all, width);
    free(all);
    return cut;
}
