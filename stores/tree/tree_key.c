/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/tree/tree_key.h"

#include "dnnl_cache.h"
#include "src/common/byte_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is not named here tells of the device and its software. */
static const struct {
    const char *name;
    enum tree_group group;
} ingredients[] = {
        {"source", tree_group_image},
        {"il", tree_group_image},
        {"il_version", tree_group_image},
        {"header_name", tree_group_image},
        {"header", tree_group_image},
        {"includes", tree_group_image},
        {"primitive_kind", tree_group_image},
        {"implementation", tree_group_image},
        {"implementation_name", tree_group_image},
        {"op_desc", tree_group_image},
        {"memory_desc", tree_group_image},
        {"attributes", tree_group_image},
        {"post_ops", tree_group_image},
        {"spec_constant", tree_group_constants},
        {"build_options", tree_group_options},
        {"application_key", tree_group_options},
};

static enum tree_group group_of(const char *name)
{
    for (size_t i = 0; i < sizeof ingredients / sizeof ingredients[0]; i++)
        if (strcmp(name, ingredients[i].name) == 0) return ingredients[i].group;
    return tree_group_device;
}

/* The bytes of one group: each ingredient with its tag and its length, so that
 * no two lists have the same bytes. */
struct text {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
};

enum { head_size = 12 };

static int append(struct text *text, const dnnl_cache_id_field_t *field)
{
    const size_t wanted = text->size + head_size + field->size;
    if (wanted > text->capacity) {
        uint8_t *room = realloc(text->bytes, 2 * wanted);
        if (room == NULL) return ENOMEM;
        text->bytes = room;
        text->capacity = 2 * wanted;
    }
    uint8_t *bytes = text->bytes;
    store_le32(bytes + text->size, field->tag);
    store_le64(bytes + text->size + 4, field->size);
    if (field->size > 0)
        memcpy(bytes + text->size + head_size, field->value, field->size);
    text->size = wanted;
    return 0;
}

/* *readable is false if these bytes are no ID. */
static int collect(struct text groups[tree_groups], bool *readable,
        size_t id_size, const uint8_t *id)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    size_t position = 0;
    int error = 0;
    while (error == 0) {
        const dnnl_status_t st =
                dnnl_cache_id_next_field(id_size, id, &position, &field);
        *readable = st == dnnl_success || st == dnnl_not_required;
        if (st != dnnl_success) break;
        error = append(&groups[group_of(field.name)], &field);
    }
    return error;
}

int tree_key_hash(uint64_t group[tree_groups], size_t id_size,
        const uint8_t *id, uint64_t (*hash)(const void *data, size_t size))
{
    struct text groups[tree_groups] = {{NULL, 0, 0}};
    bool readable = false;
    const int error = collect(groups, &readable, id_size, id);
    for (int i = 0; i < tree_groups && error == 0; i++) {
        const bool whole = !readable && i == tree_group_image;
        const void *bytes = whole ? id : groups[i].bytes;
        const size_t size = whole ? id_size : groups[i].size;
        group[i] = hash(size > 0 ? bytes : "", size);
    }
    for (int i = 0; i < tree_groups; i++)
        free(groups[i].bytes);
    return error;
}
