/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h: writes one JSON document, indented or on one line. Names are our own,
 * and plain; texts may hold anything.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_JSON_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool is_line;
    bool filled; /* something is in the innermost object or array */
};

void json_init(struct json *json, FILE *out);
/* On one line, without spaces. */
void json_init_line(struct json *json, FILE *out);

/* name: the member's, NULL in an array and at the top. */
void json_begin_object(struct json *json, const char *name);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *name);
void json_end_array(struct json *json);

/* Bytes that are no UTF-8 become U+FFFD. NULL: null. */
void json_text(struct json *json, const char *name, const char *text);
void json_bytes(
        struct json *json, const char *name, const void *text, size_t size);
void json_hex(
        struct json *json, const char *name, const uint8_t *bytes, size_t size);
void json_number(struct json *json, const char *name, uint64_t number);
/* Nine digits; what is not a number: null. */
void json_real(struct json *json, const char *name, double number);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* Time since the epoch as units_print_utc() writes it; 0: null. */
void json_time(struct json *json, const char *name, uint64_t ns);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_JSON_H */
