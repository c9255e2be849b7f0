/* SPDX-License-Identifier: Apache-2.0 */
#include "include_finds.h"

#include "src/common/buffer.h"
#include "src/includes/include_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was found, as text: "name" or <name>, ? for a name that is not known,
 * each with a blank after it. */
static void describe(const char *source, size_t size, struct buffer *text)
{
    struct include_scan scan;
    struct include_directive found;
    include_scan_init(&scan, source, size);
    while (include_scan_next(&scan, &found)) {
        ASSERT_TRUE(found.name >= source);
        ASSERT_TRUE(found.name_size <= size - (size_t)(found.name - source));
        if (found.form == include_macro) {
            buffer_append(text, "? ", 2);
            continue;
        }
        bool quoted = found.form == include_quoted;
        buffer_append(text, quoted ? "\"" : "<", 1);
        buffer_append(text, found.name, found.name_size);
        buffer_append(text, quoted ? "\" " : "> ", 2);
    }
}

bool include_finds(const char *expected, const char *source, size_t size)
{
    struct buffer text;
    char *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) abort();
    memcpy(copy, source, size);
    buffer_init(&text);
    describe(copy, size, &text);
    buffer_append(&text, "", 1);
    EXPECT_OK(buffer_status(&text));
    bool same = strcmp(expected, (const char *)text.data) == 0;
    if (!same)
        (void)fprintf(stderr, "found %s, not %s, in:\n%.*s\n",
                (const char *)text.data, expected, (int)size, source);
    buffer_fini(&text);
    free(copy);
    return same;
}
