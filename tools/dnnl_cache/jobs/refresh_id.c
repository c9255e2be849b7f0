/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_id.h"

#include "tools/common/id/fields.h"

#include <string.h>

bool refresh_id_find(dnnl_cache_id_field_t *field, size_t *position,
        size_t id_size, const uint8_t *id, const char *name)
{
    do
        if (!fields_next(field, position, id_size, id)) return false;
    while (strcmp(field->name, name) != 0);
    return true;
}

bool refresh_id_has_variable(size_t id_size, const uint8_t *id,
        const uint8_t *name, size_t name_size)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    while (refresh_id_find(&field, &at, id_size, id, REFRESH_ENVIRONMENT))
        if (field.size > name_size && field.value[name_size] == '='
                && memcmp(field.value, name, name_size) == 0)
            return true;
    return false;
}

bool refresh_id_is_of_layer(size_t id_size, const uint8_t *id)
{
    static const char key[] = "OpenCL layer"; /* layer/programs/identity.c */
    dnnl_cache_id_field_t field;
    size_t at = 0;
    while (refresh_id_find(&field, &at, id_size, id, REFRESH_KEY))
        if (field.size >= sizeof key - 1
                && memcmp(field.value, key, sizeof key - 1) == 0)
            return true;
    return false;
}

bool refresh_id_split_variable(char text[refresh_variable_size], char **value,
        const dnnl_cache_id_field_t *field)
{
    if (field->size >= refresh_variable_size
            || memchr(field->value, '\0', field->size) != NULL)
        return false;
    memcpy(text, field->value, field->size);
    text[field->size] = '\0';
    *value = strchr(text, '=');
    if (*value == NULL) return false;
    *(*value)++ = '\0';
    return true;
}
