/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as two IDs, after two bytes that say where to cut. An ID that is
 * read can be built again from its fields, and the differences of two are
 * there if and only if the bytes differ, whichever comes first.
 */
#include "blob/id.h"
#include "common/byte_order.h"
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

static void rebuild(const uint8_t *id, size_t size)
{
    struct id_reader reader;
    dnnl_status_t st = id_reader_init(&reader, id, size);
    if (st != dnnl_success) {
        REQUIRE((st == dnnl_invalid_arguments) == (size == 0));
        return;
    }
    struct id_builder fields;
    struct id_builder whole;
    id_builder_init(&fields, reader.kind);
    id_builder_init(&whole, reader.kind);
    struct id_field field;
    while (id_reader_next(&reader, &field)) {
        REQUIRE(id_field_name(field.tag)[0] != '\0');
        id_put(&fields, (enum id_tag)field.tag, field.value, field.size);
    }
    const uint8_t *all;
    size_t all_size;
    REQUIRE(id_fields(id, size, &all, &all_size) == dnnl_success);
    id_put_fields(&whole, all, all_size);
    REQUIRE(id_builder_status(&fields) == dnnl_success);
    REQUIRE(id_builder_status(&whole) == dnnl_success);
    REQUIRE(fields.bytes.size == size && whole.bytes.size == size);
    REQUIRE(memcmp(fields.bytes.data, id, size) == 0);
    REQUIRE(memcmp(whole.bytes.data, id, size) == 0);
    id_builder_fini(&fields);
    id_builder_fini(&whole);
}

static void compare(
        const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    enum { most = 64 };
    const char *one[most];
    const char *other[most];
    size_t count = id_diff(a, a_size, b, b_size, one, most);
    bool equal = a_size == b_size && memcmp(a, b, a_size) == 0;
    REQUIRE(count <= most);
    REQUIRE((count == 0) == equal);
    REQUIRE(id_diff(b, b_size, a, a_size, other, most) == count);
    for (size_t i = 0; i < count; i++)
        REQUIRE(strcmp(one[i], other[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    size_t left = size - 2;
    size_t cut = load_le16(data);
    if (cut > left) cut = left;
    const uint8_t *a = data + 2;
    const uint8_t *b = a + cut;
    rebuild(a, cut);
    rebuild(b, left - cut);
    compare(a, cut, b, left - cut);
    compare(a, cut, a, cut);
    return 0;
}
