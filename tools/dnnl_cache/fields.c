/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool fields_get(dnnl_cache_id_field_t *field, size_t id_size, const uint8_t *id,
        size_t index)
{
    *field = (dnnl_cache_id_field_t)DNNL_CACHE_ID_FIELD_INIT;
    return index < fields_max
           && dnnl_cache_id_get_field(id_size, id, index, field)
                      == dnnl_success;
}

bool fields_are_an_id(size_t id_size, const uint8_t *id)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    const dnnl_status_t st = dnnl_cache_id_get_field(id_size, id, 0, &field);
    return st == dnnl_success || st == dnnl_not_required;
}

char *fields_get_text(size_t id_size, const uint8_t *id, const char *name)
{
    dnnl_cache_id_field_t field;
    for (size_t i = 0; fields_get(&field, id_size, id, i); i++) {
        if (strcmp(field.name, name) != 0) continue;
        char *text = malloc(field.size + 1);
        if (text == NULL) return NULL;
        memcpy(text, field.value, field.size);
        text[field.size] = '\0';
        return text;
    }
    return strdup("");
}

char *fields_show(const dnnl_cache_id_field_t *field)
{
    enum { most = 32 }; /* a digest */
    char text[2 * most + 32];
    const uint8_t *v = field->value;
    if (field->is_text) return text_printable(v, field->size);
    if (field->size == 4) {
        const uint32_t number = (uint32_t)v[0] | (uint32_t)v[1] << 8
                                | (uint32_t)v[2] << 16 | (uint32_t)v[3] << 24;
        snprintf(text, sizeof text, "%" PRIu32, number);
        return strdup(text);
    }
    const size_t shown = field->size < most ? field->size : most;
    text_hex(text, v, shown);
    if (shown < field->size)
        snprintf(text + 2 * shown, sizeof text - 2 * shown, "... (%zu bytes)",
                field->size);
    return strdup(text);
}

void fields_write_value(struct json *json, const dnnl_cache_id_field_t *field)
{
    if (field->is_text && text_is_utf8(field->value, field->size))
        json_bytes(json, "text", field->value, field->size);
    else
        json_hex(json, "hex", field->value, field->size);
}
