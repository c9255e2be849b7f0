/* SPDX-License-Identifier: Apache-2.0 */
/* http_list.h: names of objects, from S3's answer to ListObjectsV2. */
#ifndef DNNL_CACHE_STORES_HTTP_LIST_H
#define DNNL_CACHE_STORES_HTTP_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { http_cursor_size = 128 };

/* The query for the names behind a prefix and behind the cursor, which is "" or
 * of the answer before; for http_sign(). The caller frees it; NULL: no memory.
 */
char *http_list_query(const char *prefix, const char *cursor);

/* Calls name() for each object whose name is one of ours, without the prefix,
 * and sets the cursor: "" at the end. The text is changed. False: it is not
 * such an answer, or name() said so. */
bool http_list_parse(char *text, size_t size, const char *prefix,
        bool (*name)(void *user, const char *name, size_t size), void *user,
        char cursor[http_cursor_size]);

#endif /* DNNL_CACHE_STORES_HTTP_LIST_H */
