/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/difference.h"

#include "src/common/array.h"
#include "tools/common/id/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------- */

bool difference_names(char names[difference_names_size],
        const struct difference_id *a, const struct difference_id *b)
{
    size_t size = difference_names_size;
    return dnnl_cache_id_diff(
                   a->size, a->bytes, b->size, b->bytes, &size, names)
           == dnnl_success;
}

bool difference_has(const char *names, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += size)
        if ((at == names || at[-1] == ' ')
                && (at[size] == '\0' || at[size] == ','))
            return true;
    return false;
}

static size_t count_names(const char *names)
{
    size_t count = names[0] != '\0';
    for (; *names != '\0'; names++)
        count += *names == ',';
    return count;
}

size_t difference_distance(const char *names)
{
    static const char *const objects[] = {
            "source", "il", "primitive_kind", "op_desc", "memory_desc"};
    size_t distance = count_names(names);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (difference_has(names, objects[i]))
            distance += difference_names_size;
    return distance;
}

/* ---- The values of one ingredient ---------------------------------------- */

static int compare_fields(
        const dnnl_cache_id_field_t *a, const dnnl_cache_id_field_t *b)
{
    const size_t both = a->size < b->size ? a->size : b->size;
    const int order = both > 0 ? memcmp(a->value, b->value, both) : 0;
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_values(const void *left, const void *right)
{
    const struct difference_value *a = left;
    const struct difference_value *b = right;
    const int order = compare_fields(&a->header_name, &b->header_name);
    return order != 0 ? order : compare_fields(&a->field, &b->field);
}

static dnnl_cache_id_field_t key_of(const struct difference_value *value)
{
    dnnl_cache_id_field_t key = value->field;
    const uint8_t *end = NULL;
    if (value->header_name.size > 0) return value->header_name;
    if (strcmp(key.name, "driver_environment") == 0 && key.size > 0)
        end = memchr(key.value, '=', key.size);
    if (end != NULL)
        key.size = (size_t)(end - key.value) + 1;
    else if (strcmp(key.name, "spec_constant") == 0 && key.size > 4)
        key.size = 4;
    else
        key.size = 0;
    return key;
}

/* All values under a name, sorted. False if memory ran out. */
static bool get_values(struct difference_values *values,
        const struct difference_id *id, const char *name)
{
    struct difference_value value = {.field = {0}};
    size_t position = 0;
    *values = (struct difference_values){NULL, 0};
    while (fields_next(&value.field, &position, id->size, id->bytes)) {
        if (strcmp(value.field.name, name) == 0) {
            value.key = key_of(&value);
            if (!array_grow(
                        &values->items, values->count, sizeof *values->items))
                return false;
            values->items[values->count++] = value;
        }
        value.header_name = (dnnl_cache_id_field_t){0};
        if (strcmp(value.field.name, "header_name") == 0)
            value.header_name = value.field;
    }
    if (values->count > 1)
        qsort(values->items, values->count, sizeof *values->items,
                compare_values);
    return true;
}

/* Takes what both have out of both. */
static void leave_differences(
        struct difference_values *a, struct difference_values *b)
{
    size_t i = 0;
    size_t j = 0;
    size_t kept_a = 0;
    size_t kept_b = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : -1;
        if (i < a->count && j < b->count)
            order = compare_values(&a->items[i], &b->items[j]);
        if (order < 0)
            a->items[kept_a++] = a->items[i++];
        else if (order > 0)
            b->items[kept_b++] = b->items[j++];
        else
            i++, j++;
    }
    a->count = kept_a;
    b->count = kept_b;
}

/* 0: they belong side by side, else which of the two comes first. */
static int compare_keys(
        const struct difference_value *a, const struct difference_value *b)
{
    return a->key.size > 0 && b->key.size > 0 ? compare_fields(&a->key, &b->key)
                                              : 0;
}

/* ---- Both sides ---------------------------------------------------------- */

bool difference_for_each(const char *names, const struct difference_id *a,
        const struct difference_id *b,
        void (*visit)(void *user, const char *name,
                const struct difference_values *a,
                const struct difference_values *b),
        void *user)
{
    bool good = true;
    while (good && *names != '\0') {
        struct difference_values of_a;
        struct difference_values of_b = {NULL, 0};
        char name[64];
        const size_t size = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, names);
        good = get_values(&of_a, a, name) && get_values(&of_b, b, name);
        if (good) {
            leave_differences(&of_a, &of_b);
            visit(user, name, &of_a, &of_b);
        }
        free(of_a.items);
        free(of_b.items);
        names += size + strspn(names + size, ", ");
    }
    return good;
}

void difference_for_each_row(const struct difference_values *a,
        const struct difference_values *b,
        void (*row)(void *user, const struct difference_value *a,
                const struct difference_value *b),
        void *user)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : 0;
        if (order == 0) order = compare_keys(&a->items[i], &b->items[j]);
        row(user, order <= 0 ? &a->items[i] : NULL,
                order >= 0 ? &b->items[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

size_t difference_position(
        const struct difference_value *a, const struct difference_value *b)
{
    if (a == NULL || b == NULL
            || (!fields_is_long(&a->field) && !fields_is_long(&b->field)))
        return 0;
    return fields_first_difference(&a->field, &b->field);
}

void difference_title(char title[difference_title_size], const char *name,
        const struct difference_value *value, size_t position)
{
    const int header_size = (int)value->header_name.size;
    char where[32] = "";
    if (position > 0) snprintf(where, sizeof where, " (byte %zu)", position);
    snprintf(title, difference_title_size, "%s%s%.*s%s", name,
            header_size > 0 ? " " : "", header_size > 256 ? 256 : header_size,
            header_size > 0 ? (const char *)value->header_name.value : "",
            where);
}
