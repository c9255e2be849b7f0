/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what S3 answers to ListObjectsV2: every name is one of ours, and
 * the cursor is one to go on from, or the end.
 */
#include "fuzz.h"
#include "stores/http/http_list.h"

#include <string.h>

static bool check_name(void *user, const char *name, size_t size)
{
    size_t *count = user;
    REQUIRE(size > 0 && size < http_cursor_size);
    for (size_t i = 0; i < size; i++)
        REQUIRE((name[i] >= 'a' && name[i] <= 'z')
                || (name[i] >= 'A' && name[i] <= 'Z')
                || (name[i] >= '0' && name[i] <= '9') || name[i] == '-'
                || name[i] == '_' || name[i] == '.');
    (*count)++;
    return true;
}

static void list(const uint8_t *data, size_t size, const char *prefix)
{
    char cursor[http_cursor_size];
    size_t count = 0;
    /* Exactly as large, so that a byte too far is seen. */
    char *text = malloc(size > 0 ? size : 1);
    REQUIRE(text != NULL);
    if (size > 0) memcpy(text, data, size);
    memset(cursor, 'x', sizeof cursor);
    if (http_list_parse(text, size, prefix, check_name, &count, cursor)) {
        REQUIRE(memchr(cursor, '\0', sizeof cursor) != NULL);
        char *query = http_list_query(prefix, cursor);
        REQUIRE(query != NULL && strchr(query, '<') == NULL);
        free(query);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    list(data, size, "");
    list(data, size, "a b/");
    return 0;
}
