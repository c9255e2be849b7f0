/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/json.h"

#include "tools/common/text/text.h"
#include "tools/common/text/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_init(struct json *json, FILE *out)
{
    *json = (struct json){.out = out};
}

void json_init_line(struct json *json, FILE *out)
{
    *json = (struct json){.out = out, .is_line = true};
}

static void new_line(const struct json *json)
{
    if (!json->is_line) fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

/* What stands before every value. */
static void begin(struct json *json, const char *name)
{
    if (json->filled) fputc(',', json->out);
    if (json->depth > 0) new_line(json);
    if (name != NULL)
        fprintf(json->out, json->is_line ? "\"%s\":" : "\"%s\": ", name);
    json->filled = true;
}

static void open_brace(struct json *json, const char *name, char brace)
{
    begin(json, name);
    fputc(brace, json->out);
    json->depth++;
    json->filled = false;
}

static void close_brace(struct json *json, char brace)
{
    json->depth--;
    if (json->filled) new_line(json);
    fputc(brace, json->out);
    if (json->depth == 0) fputc('\n', json->out);
    json->filled = true;
}

void json_begin_object(struct json *json, const char *name)
{
    open_brace(json, name, '{');
}

void json_end_object(struct json *json)
{
    close_brace(json, '}');
}

void json_begin_array(struct json *json, const char *name)
{
    open_brace(json, name, '[');
}

void json_end_array(struct json *json)
{
    close_brace(json, ']');
}

static void write_character(
        FILE *out, const uint8_t *text, size_t length, uint32_t code)
{
    if (length == 0)
        fputs("\\ufffd", out);
    else if (code == '"' || code == '\\')
        fprintf(out, "\\%c", (int)code);
    else if (code == '\n')
        fputs("\\n", out);
    else if (code == '\t')
        fputs("\\t", out);
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        fprintf(out, "\\u%04x", (unsigned)code);
    else
        (void)fwrite(text, 1, length, out);
}

void json_bytes(
        struct json *json, const char *name, const void *text, size_t size)
{
    const uint8_t *at = text;
    begin(json, name);
    fputc('"', json->out);
    while (size > 0) {
        uint32_t code = 0;
        const size_t length = text_character(&code, at, size);
        const size_t taken = length > 0 ? length : 1;
        write_character(json->out, at, length, code);
        at += taken;
        size -= taken;
    }
    fputc('"', json->out);
}

void json_text(struct json *json, const char *name, const char *text)
{
    if (text != NULL)
        json_bytes(json, name, text, strlen(text));
    else
        json_null(json, name);
}

void json_hex(
        struct json *json, const char *name, const uint8_t *bytes, size_t size)
{
    begin(json, name);
    fputc('"', json->out);
    for (size_t i = 0; i < size; i++) {
        char hex[3];
        text_hex(hex, bytes + i, 1);
        fputs(hex, json->out);
    }
    fputc('"', json->out);
}

void json_number(struct json *json, const char *name, uint64_t number)
{
    begin(json, name);
    fprintf(json->out, "%" PRIu64, number);
}

void json_real(struct json *json, const char *name, double number)
{
    begin(json, name);
    if (isfinite(number))
        fprintf(json->out, "%.9g", number);
    else
        fputs("null", json->out);
}

void json_bool(struct json *json, const char *name, bool value)
{
    begin(json, name);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *name)
{
    begin(json, name);
    fputs("null", json->out);
}

void json_time(struct json *json, const char *name, uint64_t ns)
{
    char text[units_text_size];
    units_print_utc(text, ns);
    json_text(json, name, ns != 0 ? text : NULL);
}
