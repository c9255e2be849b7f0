/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h: the ingredients of IDs, for people and for programs. */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_FIELDS_H
#define DNNL_CACHE_TOOLS_COMMON_ID_FIELDS_H

#include "tools/common/text/json.h"

#include <dnnl_cache.h>

/* The next ingredient; false behind the last, and if it is no ID. *position is
 * 0 at first. */
bool fields_next(dnnl_cache_id_field_t *field, size_t *position, size_t id_size,
        const uint8_t *id);

/* True if the bytes are an ID, as far as this library knows. */
bool fields_are_an_id(size_t id_size, const uint8_t *id);

/* The text under a name, NUL-terminated, "" if there is none; NULL if memory
 * ran out. The caller frees it. */
char *fields_get_text(size_t id_size, const uint8_t *id, const char *name);

/* The value for people: text in printable form, numbers, else hexadecimal
 * digits, of many bytes the first ones and how many there are, or all. The
 * caller frees it; NULL if memory ran out. */
char *fields_show(const dnnl_cache_id_field_t *field);
char *fields_show_whole(const dnnl_cache_id_field_t *field);

/* Too long for a column of a table? */
bool fields_is_long(const dnnl_cache_id_field_t *field);

/* The number of the first byte in which two values differ; the size of one that
 * the other begins with. */
size_t fields_first_difference(
        const dnnl_cache_id_field_t *a, const dnnl_cache_id_field_t *b);

/* As fields_show(), but of a long value the part around that byte, dots where
 * something is left out, and the size. */
char *fields_show_part(const dnnl_cache_id_field_t *field, size_t at);

/* Members "text", or "hex" for what is no text, of the object that was begun.
 */
void fields_write_value(struct json *json, const dnnl_cache_id_field_t *field);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_FIELDS_H */
