/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/fields.h"

#include "src/common/byte_order.h"
#include "tools/common/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool fields_next(dnnl_cache_id_field_t *field, size_t *position, size_t id_size,
        const uint8_t *id)
{
    *field = (dnnl_cache_id_field_t)DNNL_CACHE_ID_FIELD_INIT;
    return dnnl_cache_id_next_field(id_size, id, position, field)
           == dnnl_success;
}

bool fields_are_an_id(size_t id_size, const uint8_t *id)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    size_t position = 0;
    const dnnl_status_t st =
            dnnl_cache_id_next_field(id_size, id, &position, &field);
    return st == dnnl_success || st == dnnl_not_required;
}

char *fields_get_text(size_t id_size, const uint8_t *id, const char *name)
{
    dnnl_cache_id_field_t field;
    size_t position = 0;
    while (fields_next(&field, &position, id_size, id)) {
        if (strcmp(field.name, name) != 0) continue;
        char *text = malloc(field.size + 1);
        if (text == NULL) return NULL;
        memcpy(text, field.value, field.size);
        text[field.size] = '\0';
        return text;
    }
    return strdup("");
}

static char *show(const dnnl_cache_id_field_t *field, size_t most)
{
    const uint8_t *v = field->value;
    const size_t shown = field->size < most ? field->size : most;
    if (field->is_text) return text_printable(v, field->size);
    const size_t room = 2 * shown + 48;
    char *text = malloc(room);
    if (text == NULL) return NULL;
    if (field->size == 4) {
        snprintf(text, room, "%" PRIu32, load_le32(v));
        return text;
    }
    text_hex(text, v, shown);
    if (shown < field->size)
        snprintf(text + 2 * shown, room - 2 * shown, "... (%zu bytes)",
                field->size);
    return text;
}

char *fields_show(const dnnl_cache_id_field_t *field)
{
    enum { digest_size = 32 };
    return show(field, digest_size);
}

char *fields_show_whole(const dnnl_cache_id_field_t *field)
{
    return show(field, field->size);
}

/* What of a long value is shown, in bytes: of bytes each is two digits. */
enum {
    long_text = 48,
    long_bytes = 24,
    part_of_text = 48,
    part_of_bytes = 16,
    text_before = 16,
    bytes_before = 4
};

bool fields_is_long(const dnnl_cache_id_field_t *field)
{
    return field->size > (field->is_text ? long_text : long_bytes);
}

size_t fields_first_difference(
        const dnnl_cache_id_field_t *a, const dnnl_cache_id_field_t *b)
{
    const size_t both = a->size < b->size ? a->size : b->size;
    size_t at = 0;
    while (at < both && a->value[at] == b->value[at])
        at++;
    return at;
}

/* The start of the character that byte number at is in, or at if it is in
 * none. */
static size_t character_start(const uint8_t *text, size_t size, size_t at)
{
    uint32_t code;
    for (size_t back = 1; back < 4 && back <= at; back++) {
        const size_t length =
                text_character(&code, text + at - back, size - (at - back));
        if (length > back) return at - back;
    }
    return at;
}

char *fields_show_part(const dnnl_cache_id_field_t *field, size_t at)
{
    if (!fields_is_long(field)) return fields_show(field);
    const size_t most = field->is_text ? part_of_text : part_of_bytes;
    const size_t before = field->is_text ? text_before : bytes_before;
    const uint8_t *v = field->value;
    size_t start = at > before ? at - before : 0;
    size_t end = field->size - start > most ? start + most : field->size;
    if (field->is_text) {
        start = character_start(v, field->size, start);
        end = character_start(v, field->size, end);
    }
    char hex[2 * part_of_bytes + 1] = "";
    char *text = NULL;
    if (!field->is_text)
        text_hex(hex, v + start, end - start);
    else if ((text = text_printable(v + start, end - start)) == NULL)
        return NULL;
    const size_t size = strlen(text != NULL ? text : hex) + 48;
    char *part = malloc(size);
    if (part != NULL)
        snprintf(part, size, "%s%s%s (%zu bytes)", start > 0 ? "..." : "",
                text != NULL ? text : hex, end < field->size ? "..." : "",
                field->size);
    free(text);
    return part;
}

void fields_write_value(struct json *json, const dnnl_cache_id_field_t *field)
{
    if (field->is_text && text_is_utf8(field->value, field->size))
        json_bytes(json, "text", field->value, field->size);
    else
        json_hex(json, "hex", field->value, field->size);
}
