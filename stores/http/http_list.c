/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/http/http_list.h"

#include "stores/http/http_sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No page is asked for by a token of the server's, which may be longer than a
 * cursor, but by the last name of the page before. */
char *http_list_query(const char *prefix, const char *cursor)
{
    static const char format[] = "encoding-type=url&list-type=2&max-keys=1000"
                                 "&prefix=%s%s%s";
    const size_t size = strlen(prefix) + strlen(cursor);
    char *after = malloc(size + 1);
    char *escaped_prefix = malloc(3 * size + 1);
    char *escaped_after = malloc(3 * size + 1);
    char *query = malloc(sizeof format + 6 * size + 32);
    if (after != NULL && escaped_prefix != NULL && escaped_after != NULL
            && query != NULL) {
        const bool goes_on = cursor[0] != '\0';
        (void)sprintf(after, "%s%s", prefix, cursor);
        (void)http_escape(escaped_prefix, prefix, strlen(prefix), "");
        (void)http_escape(escaped_after, after, size, "");
        (void)sprintf(query, format, escaped_prefix,
                goes_on ? "&start-after=" : "", goes_on ? escaped_after : "");
    } else {
        free(query);
        query = NULL;
    }
    free(after);
    free(escaped_prefix);
    free(escaped_after);
    return query;
}

static char *find(char *from, const char *end, const char *text)
{
    return memmem(from, (size_t)(end - from), text, strlen(text));
}

static bool has(char *from, const char *end, const char *text)
{
    return find(from, end, text) != NULL;
}

static bool is_our_name(const char *name, size_t size)
{
    enum { most = 127 };
    for (size_t i = 0; i < size; i++)
        if (strchr("0123456789abcdefghijklmnopqrstuvwxyz"
                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.",
                    name[i])
                        == NULL
                || name[i] == '\0')
            return false;
    return size > 0 && size <= most;
}

/* A longer name is cut, and all of that beginning is behind it: none of them is
 * ours. */
static void set_cursor(
        char cursor[http_cursor_size], const char *name, size_t size)
{
    const bool is_long = size >= http_cursor_size;
    const size_t kept = is_long ? http_cursor_size - 2 : size;
    memcpy(cursor, name, kept);
    cursor[kept] = is_long ? '~' : '\0';
    cursor[kept + is_long] = '\0';
}

static size_t decode(char *key, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (key[i] == '+') key[i] = ' ';
    return http_unescape(key, size);
}

bool http_list_parse(char *text, size_t size, const char *prefix,
        bool (*name)(void *user, const char *name, size_t size), void *user,
        char cursor[http_cursor_size])
{
    const char *end = text + size;
    const size_t prefix_size = strlen(prefix);
    if (!has(text, end, "<ListBucketResult")
            || !has(text, end, "</ListBucketResult>"))
        return false;
    const bool goes_on = has(text, end, "<IsTruncated>true</IsTruncated>");
    const bool is_escaped = has(text, end, "<EncodingType>url</EncodingType>");
    char *at = text;
    char *last = NULL;
    size_t last_size = 0;
    while ((at = find(at, end, "<Key>")) != NULL) {
        char *key = at + strlen("<Key>");
        char *key_end = find(key, end, "</Key>");
        if (key_end == NULL) return false;
        at = key_end + 1;
        size_t key_size = (size_t)(key_end - key);
        if (is_escaped) key_size = decode(key, key_size);
        if (key_size < prefix_size || memcmp(key, prefix, prefix_size) != 0)
            continue;
        last = key + prefix_size;
        last_size = key_size - prefix_size;
        if (is_our_name(last, last_size) && !name(user, last, last_size))
            return false;
    }
    cursor[0] = '\0';
    if (goes_on && last == NULL) return false; /* nothing to go on from */
    if (goes_on) set_cursor(cursor, last, last_size);
    return true;
}
