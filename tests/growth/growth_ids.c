/* SPDX-License-Identifier: Apache-2.0 */
/* IDs, two IDs that are compared, and reports of two machines. */
#include "growth.h"

#include "src/blob/id.h"
#include "stores/journal/record_id.h"
#include "stores/tree/tree_key.h"
#include "tools/common/id/difference.h"
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- One ID -------------------------------------------------------------- */

static void make_id(struct out *out, size_t wanted)
{
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    for (unsigned i = 0; id.bytes.size < wanted; i++)
        id_put_u64(&id, (enum id_tag)0x7001, i);
    put(out, id.bytes.data, id.bytes.size);
    id_builder_fini(&id);
}

static void read_id(char *text, size_t size)
{
    struct id_reader reader;
    struct id_field field;
    const char *names[4];
    char *other = malloc(size);
    must(other != NULL);
    memcpy(other, text, size);
    other[size - 1]++;
    must(id_reader_init(&reader, bytes_of(text), size) == dnnl_success);
    while (id_reader_next(&reader, &field))
        continue;
    must(id_diff(bytes_of(text), size, bytes_of(other), size, names, 4) > 0);
    free(other);
}

/* Ingredients of three groups of a tree store's, in turns. */
static void make_mixed_id(struct out *out, size_t wanted)
{
    static const enum id_tag tags[] = {
            id_driver_environment, id_header, id_application_key};
    struct id_builder id;
    char value[32];
    id_builder_init(&id, blob_kind_program);
    for (unsigned i = 0; id.bytes.size < wanted; i++) {
        (void)snprintf(value, sizeof value, "NAME%u=value", i);
        id_put_string(&id, tags[i % 3], value);
    }
    put(out, id.bytes.data, id.bytes.size);
    id_builder_fini(&id);
}

/* As inspect shows them, and refresh looks for some. */
static void read_fields(char *text, size_t size)
{
    const uint8_t *id = bytes_of(text);
    dnnl_cache_id_field_t field;
    size_t position = 0;
    size_t count = 0;
    while (fields_next(&field, &position, size, id))
        count++;
    must(count > size / 64);
    position = 0;
    while (refresh_id_find(&field, &position, size, id, REFRESH_ENVIRONMENT))
        count++;
    must(!refresh_id_has_variable(size, id, bytes_of("NONE"), 4));
    must(!refresh_id_is_of_layer(size, id));
    free(fields_get_text(size, id, "build_options"));
}

static uint64_t hash(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

static void read_tree_key(char *text, size_t size)
{
    uint64_t groups[tree_groups];
    must(tree_key_hash(groups, size, bytes_of(text), hash) == 0);
}

static void read_record_id(char *text, size_t size)
{
    const dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    struct journal_bytes bytes = {NULL, 0, 0, false};
    record_id_put(&bytes, &note, size, bytes_of(text));
    must(!bytes.failed && bytes.size > size / 4);
    free(bytes.data);
}

/* ---- Two IDs ------------------------------------------------------------- */

enum pair {
    of_variables,  /* of many names */
    of_a_variable, /* all of one name */
    of_long_name,  /* against many short ones */
    of_constants,
    of_headers,
    of_keys, /* which nothing but their value tells apart */
    of_all   /* kinds */
};

/* Number i of one of the two IDs. */
static void put_ingredient(
        struct id_builder *id, enum pair pair, unsigned i, bool is_first)
{
    const unsigned value = 2 * i + is_first;
    char text[64];
    uint8_t bytes[8] = {0};
    memcpy(bytes, &i, sizeof i);
    bytes[4] = (uint8_t)is_first;
    switch (pair) {
    case of_variables:
    case of_long_name:
        (void)snprintf(text, sizeof text, "A%u=%u", i, value);
        id_put_string(id, id_driver_environment, text);
        break;
    case of_a_variable:
        (void)snprintf(text, sizeof text, "A=%u", value);
        id_put_string(id, id_driver_environment, text);
        break;
    case of_constants:
        id_put(id, id_spec_constant, bytes, sizeof bytes);
        break;
    case of_headers:
        (void)snprintf(text, sizeof text, "h%u", i);
        id_put_string(id, id_header_name, text);
        id_put_u64(id, id_header, value);
        break;
    default:
        id_put_u64(id, id_application_key, value);
        break;
    }
}

static void make_one_of(
        struct id_builder *id, enum pair pair, size_t wanted, bool is_first)
{
    id_builder_init(id, blob_kind_program);
    if (pair == of_long_name && is_first) {
        char *name = malloc(wanted + 1);
        must(name != NULL);
        memset(name, 'Z', wanted);
        name[wanted - 1] = '=';
        name[wanted] = '\0';
        id_put_string(id, id_driver_environment, name);
        free(name);
        return;
    }
    for (unsigned i = 0; id->bytes.size < wanted; i++)
        put_ingredient(id, pair == of_all ? (enum pair)(i % of_all) : pair, i,
                is_first);
}

/* The size of the first, and both. */
static void make_pair(struct out *out, size_t wanted, enum pair pair)
{
    struct id_builder a;
    struct id_builder b;
    make_one_of(&a, pair, wanted / 2, true);
    make_one_of(&b, pair, wanted / 2, false);
    put_u32(out, (uint32_t)a.bytes.size);
    put(out, a.bytes.data, a.bytes.size);
    put(out, b.bytes.data, b.bytes.size);
    id_builder_fini(&a);
    id_builder_fini(&b);
}

#define MAKE_PAIR(name, pair)                        \
    static void name(struct out *out, size_t wanted) \
    {                                                \
        make_pair(out, wanted, pair);                \
    }
MAKE_PAIR(make_variables, of_variables)
MAKE_PAIR(make_a_variable, of_a_variable)
MAKE_PAIR(make_long_name, of_long_name)
MAKE_PAIR(make_constants, of_constants)
MAKE_PAIR(make_headers, of_headers)
MAKE_PAIR(make_keys, of_keys)
MAKE_PAIR(make_all, of_all)

static void see_row(void *user, const struct difference_value *a,
        const struct difference_value *b)
{
    char title[difference_title_size];
    size_t *rows = user;
    const size_t at = difference_position(a, b);
    difference_title(title, "name", a != NULL ? a : b, at);
    if (a != NULL) free(fields_show_part(&a->field, at));
    if (b != NULL) free(fields_show_part(&b->field, at));
    ++*rows;
}

static void see_difference(void *user, const char *name,
        const struct difference_values *a, const struct difference_values *b)
{
    (void)name;
    difference_for_each_row(a, b, see_row, user);
}

/* As why shows in what they differ. */
static void read_pair(char *text, size_t size)
{
    char names[difference_names_size];
    uint32_t size_a;
    size_t rows = 0;
    memcpy(&size_a, text, sizeof size_a);
    const struct difference_id a = {size_a, bytes_of(text) + sizeof size_a};
    const struct difference_id b = {
            size - sizeof size_a - size_a, a.bytes + size_a};
    must(difference_names(names, &a, &b) && names[0] != '\0');
    must(difference_for_each(names, &a, &b, see_difference, &rows));
    must(rows > size / 128);
}

/* ---- Reports of two machines --------------------------------------------- */

enum list { of_fields, of_parts, of_devices };

/* What is one of a list of the report's. */
static const char *const units[] = {
        ",{\"name\":\"driver_environment\",\"text\":\"A=%u\"}",
        ",{\"name\":\"a\",\"how\":\"file\",\"digest\":\"%u\"}",
        "]},{\"platform\":\"P\",\"device\":\"D%u\",\"fields\":["};

static const char *const heads[] = {
        "fields\":[0", "driver_parts\":[0", "fields\":["};

static void put_report(
        struct out *out, size_t wanted, enum list list, bool is_first)
{
    char unit[128];
    const size_t end = out->size + wanted;
    put_text(out, "{\"command\":\"identity\",\"devices\":[{\"platform\":\"P\","
                  "\"device\":\"D\",\"");
    put_text(out, heads[list]);
    for (unsigned i = 0; out->size < end; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(unit, sizeof unit, units[list],
                i % 2 == 0 ? i : 2 * i + is_first);
#pragma GCC diagnostic pop
        put_text(out, unit);
    }
    put_text(out, "]}]}");
}

static void make_reports(struct out *out, size_t wanted, enum list list)
{
    struct out a = {NULL, 0, 0};
    struct out b = {NULL, 0, 0};
    put_report(&a, wanted / 2, list, true);
    put_report(&b, wanted / 2, list, false);
    put_u32(out, (uint32_t)a.size);
    put(out, a.data, a.size);
    put(out, b.data, b.size);
    free(a.data);
    free(b.data);
}

static void make_reports_of_fields(struct out *out, size_t wanted)
{
    make_reports(out, wanted, of_fields);
}

static void make_reports_of_parts(struct out *out, size_t wanted)
{
    make_reports(out, wanted, of_parts);
}

static void make_reports_of_devices(struct out *out, size_t wanted)
{
    make_reports(out, wanted, of_devices);
}

/* As identity diff compares them. */
static void read_reports(char *text, size_t size)
{
    char *arguments[] = {(char[]){"diff"}, (char[]){"a"}, (char[]){"b"}};
    struct options options = {.arguments = arguments, .argument_count = 3};
    FILE *out = fopen("/dev/null", "w");
    struct tool tool = {.options = &options, .out = out, .err = stderr};
    uint32_t size_a;
    memcpy(&size_a, text, sizeof size_a);
    write_file("a", text + sizeof size_a, size_a);
    write_file(
            "b", text + sizeof size_a + size_a, size - sizeof size_a - size_a);
    must(out != NULL && command_identity.run(&tool) == exit_found);
    (void)fclose(out);
}

/* ---- All of them --------------------------------------------------------- */

const struct shape id_shapes[] = {
        BYTES("id", read_id, make_id),
        BYTES("id-fields", read_fields, make_mixed_id),
        BYTES("id-tree-key", read_tree_key, make_mixed_id),
        BYTES("id-record", read_record_id, make_mixed_id),
        BYTES("ids-variables", read_pair, make_variables),
        BYTES("ids-a-variable", read_pair, make_a_variable),
        BYTES("ids-long-name", read_pair, make_long_name),
        BYTES("ids-constants", read_pair, make_constants),
        BYTES("ids-headers", read_pair, make_headers),
        BYTES("ids-keys", read_pair, make_keys),
        BYTES("ids-all", read_pair, make_all),
        BYTES("reports-fields", read_reports, make_reports_of_fields),
        BYTES("reports-parts", read_reports, make_reports_of_parts),
        BYTES("reports-devices", read_reports, make_reports_of_devices),
};

const size_t id_shape_count = sizeof id_shapes / sizeof *id_shapes;
