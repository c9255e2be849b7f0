/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as two IDs, after two bytes that say where to cut. What is an ID,
 * and what two of them differ in, is found out here once more, as plainly as
 * docs/reference/format.md and id.h say it. An ID that is read can be built
 * again from its fields.
 */
#include "fuzz.h"
#include "src/blob/id.h"
#include "src/common/byte_order.h"

#include <stdbool.h>
#include <string.h>

/* ---- A second opinion ---------------------------------------------------- */

/* Where the field at a place ends; 0 if it is not whole. */
static size_t field_end(const uint8_t *id, size_t size, size_t at)
{
    if (at + 8 > size || id[at + 2] != 0 || id[at + 3] != 0) return 0;
    uint64_t end = at + 8 + (uint64_t)load_le32(id + at + 4);
    return end <= size ? (size_t)end : 0;
}

static dnnl_status_t verdict(const uint8_t *id, size_t size)
{
    if (size == 0) return dnnl_invalid_arguments;
    if (size < 12 || memcmp(id, "DCID", 4) != 0) return dnnl_cache_blob_corrupt;
    if (load_le32(id + 4) > 1) return dnnl_cache_blob_unsupported;
    if (load_le32(id + 4) == 0 || load_le32(id + 8) == 0
            || load_le32(id + 8) > 3)
        return dnnl_cache_blob_corrupt;
    size_t at = 12;
    while (at != 0 && at != size)
        at = field_end(id, size, at);
    return at == size ? dnnl_success : dnnl_cache_blob_corrupt;
}

/* Appends the fields of a tag, or of every unknown tag. */
static void collect(struct buffer *to, const uint8_t *id, size_t size,
        uint32_t tag, bool unknown)
{
    size_t end;
    for (size_t at = 12; at < size; at = end) {
        end = field_end(id, size, at);
        uint16_t its = load_le16(id + at);
        bool wanted = unknown ? strcmp(id_field_name(its), "unknown") == 0
                              : its == tag;
        if (wanted) buffer_append(to, id + at, end - at);
    }
}

static bool differ(const uint8_t *a, size_t a_size, const uint8_t *b,
        size_t b_size, uint32_t tag, bool unknown)
{
    struct buffer in_a;
    struct buffer in_b;
    buffer_init(&in_a);
    buffer_init(&in_b);
    collect(&in_a, a, a_size, tag, unknown);
    collect(&in_b, b, b_size, tag, unknown);
    REQUIRE(buffer_status(&in_a) == dnnl_success);
    REQUIRE(buffer_status(&in_b) == dnnl_success);
    bool yes =
            in_a.size != in_b.size
            || (in_a.size != 0 && memcmp(in_a.data, in_b.data, in_a.size) != 0);
    buffer_fini(&in_a);
    buffer_fini(&in_b);
    return yes;
}

enum { most = 64 }; /* more names than there are */

/* The tags that have a name, by ascending tag; returns how many. */
static size_t known_tags(const uint16_t **tags)
{
    static uint16_t known[most];
    static size_t count;
    bool first = count == 0;
    for (uint32_t tag = 0; first && tag <= UINT16_MAX; tag++) {
        if (strcmp(id_field_name((uint16_t)tag), "unknown") == 0) continue;
        REQUIRE(count < most - 2);
        known[count++] = (uint16_t)tag;
    }
    *tags = known;
    return count;
}

/* What id_diff() shall say. */
static size_t differences(const uint8_t *a, size_t a_size, const uint8_t *b,
        size_t b_size, const char *names[most])
{
    size_t count = 0;
    if (a_size == b_size && memcmp(a, b, a_size) == 0) return 0;
    if (verdict(a, a_size) != dnnl_success
            || verdict(b, b_size) != dnnl_success) {
        names[0] = "format";
        return 1;
    }
    if (load_le32(a + 8) != load_le32(b + 8)) names[count++] = "kind";
    const uint16_t *tags;
    size_t tag_count = known_tags(&tags);
    for (size_t i = 0; i < tag_count; i++)
        if (differ(a, a_size, b, b_size, tags[i], false))
            names[count++] = id_field_name(tags[i]);
    if (differ(a, a_size, b, b_size, 0, true)) names[count++] = "unknown";
    if (count == 0) names[count++] = "order";
    return count;
}

/* ---- The properties ------------------------------------------------------ */

static void rebuild(const uint8_t *id, size_t size)
{
    struct id_reader reader;
    dnnl_status_t st = id_reader_init(&reader, id, size);
    REQUIRE(st == verdict(id, size));
    if (st != dnnl_success) return;
    REQUIRE((uint32_t)reader.kind == load_le32(id + 8));
    struct id_builder fields;
    struct id_builder whole;
    id_builder_init(&fields, reader.kind);
    id_builder_init(&whole, reader.kind);
    struct id_field field;
    for (;;) {
        struct id_reader other;
        const size_t at = (size_t)(reader.cursor - id);
        REQUIRE(id_reader_init_at(&other, id, size, at) == dnnl_success);
        REQUIRE(other.kind == reader.kind && other.cursor == reader.cursor
                && other.end == reader.end);
        if (!id_reader_next(&reader, &field)) break;
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

/* Begins anywhere: what it reads lies within the bytes. */
static void begin(const uint8_t *id, size_t size, size_t at)
{
    struct id_reader reader;
    struct id_field field;
    if (id_reader_init_at(&reader, id, size, at) != dnnl_success) return;
    if (!id_reader_next(&reader, &field)) return;
    REQUIRE(field.value >= id && field.size <= size);
    REQUIRE(field.value + field.size <= id + size);
}

static void compare(
        const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    const char *found[most];
    const char *expected[most];
    size_t count = differences(a, a_size, b, b_size, expected);
    REQUIRE(id_diff(a, a_size, b, b_size, found, most) == count);
    for (size_t i = 0; i < count; i++)
        REQUIRE(strcmp(found[i], expected[i]) == 0);
    REQUIRE(id_diff(b, b_size, a, a_size, found, most) == count);
    for (size_t i = 0; i < count; i++)
        REQUIRE(strcmp(found[i], expected[i]) == 0);
    /* With less room it says the same and writes the first names. */
    size_t room = count / 2;
    memset(found, 0, sizeof found);
    REQUIRE(id_diff(a, a_size, b, b_size, found, room) == count);
    for (size_t i = 0; i < room; i++)
        REQUIRE(strcmp(found[i], expected[i]) == 0);
    REQUIRE(found[room] == NULL);
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
    begin(a, cut, left);
    begin(b, left - cut, cut);
    compare(a, cut, b, left - cut);
    compare(a, cut, a, cut);
    return 0;
}
