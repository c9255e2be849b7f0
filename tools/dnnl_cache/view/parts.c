/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/parts.h"

#include "src/common/array.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static dnnl_status_t keep(const dnnl_cache_blob_part_t *part, void *user)
{
    struct parts *parts = user;
    if (!array_grow(&parts->items, parts->count, sizeof *parts->items))
        return dnnl_out_of_memory;
    parts->items[parts->count++] = *part;
    return dnnl_success;
}

enum tool_exit parts_load(struct parts *parts, struct tool *tool,
        size_t blob_size, const uint8_t *blob)
{
    *parts = (struct parts){.blob_size = blob_size, .blob = blob};
    const dnnl_status_t st =
            dnnl_cache_blob_describe(blob_size, blob, keep, parts);
    if (st == dnnl_out_of_memory) return tool_no_memory(tool);
    return tool_check(tool, "describe", st);
}

void parts_fini(struct parts *parts)
{
    free(parts->items);
    *parts = (struct parts){0};
}

/* What a program's binary is; false: not known. */
static bool get_binary_text(char text[DNNL_CACHE_BINARY_TEXT_SIZE],
        const struct parts *parts, uint32_t program)
{
    return dnnl_cache_blob_get_binary_text(
                   parts->blob_size, parts->blob, program, text)
                   == dnnl_success
           && text[0] != '\0';
}

static const char *codec_name(dnnl_cache_compression_t compression)
{
    return compression == dnnl_cache_compression_none   ? "none"
           : compression == dnnl_cache_compression_zstd ? "zstd"
                                                        : "unknown";
}

/* ---- Text ---------------------------------------------------------------- */

static void add_section(struct table *table, const struct parts *parts,
        const dnnl_cache_blob_part_t *part)
{
    (void)parts;
    table_add(table, part->name);
    table_add_size(table, part->bytes);
}

static void add_program(struct table *table, const struct parts *parts,
        const dnnl_cache_blob_part_t *part)
{
    (void)parts;
    char name[catalog_name_size];
    entry_name(name, part->id_size, part->id);
    name[catalog_short_digits] = '\0';
    table_add_number(table, part->index);
    table_add_size(table, part->bytes);
    table_add_size(table, part->stored_bytes);
    table_add(table, codec_name(part->compression));
    table_add_size(table, part->build_log_size);
    table_add(table, name);
}

/* What a program's binary is, if that is known. */
static void add_binary(struct table *table, const struct parts *parts,
        const dnnl_cache_blob_part_t *part)
{
    char text[DNNL_CACHE_BINARY_TEXT_SIZE];
    if (!get_binary_text(text, parts, part->index)) return;
    table_add_number(table, part->index);
    table_add(table, text);
}

static void add_kernel(struct table *table, const struct parts *parts,
        const dnnl_cache_blob_part_t *part)
{
    (void)parts;
    table_add_number(table, part->program);
    table_add_size(table, part->bytes);
    table_add(table, part->name);
}

/* The finalised form of a program, if it has one. */
static void add_form(struct table *table, const struct parts *parts,
        const dnnl_cache_blob_part_t *part)
{
    (void)parts;
    char name[128];
    if (part->finaliser == NULL) return;
    snprintf(name, sizeof name, "%.*s", (int)part->finaliser_size,
            part->finaliser);
    table_add_number(table, part->index);
    table_add(table, part->finalised_bytes > 0 ? "beside the binary"
                                               : "the binary itself");
    table_add_size(table, part->finalised_bytes);
    table_add_size(table, part->finalised_stored_bytes);
    table_add(table, name);
}

static void add_file(struct table *table, const struct parts *parts,
        const dnnl_cache_blob_part_t *part)
{
    (void)parts;
    char hex[2 * DNNL_CACHE_INCLUDED_DIGEST_SIZE + 1];
    text_hex(hex, part->id, DNNL_CACHE_INCLUDED_DIGEST_SIZE);
    table_add(table, hex);
    table_add(table, part->name);
}

/* What is shown of one kind of part. */
struct view {
    dnnl_cache_blob_part_kind_t kind;
    size_t columns;
    const char *headers[6];
    void (*add)(struct table *table, const struct parts *parts,
            const dnnl_cache_blob_part_t *part);
};

static enum tool_exit write_table(
        const struct parts *parts, struct tool *tool, const struct view *view)
{
    struct table table;
    enum tool_exit code = exit_ok;
    table_init(&table, view->columns, view->headers);
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].kind == view->kind)
            view->add(&table, parts, &parts->items[i]);
    if (table.count > 0) {
        fputc('\n', tool->out);
        code = table_write(&table, tool);
    }
    table_fini(&table);
    return code;
}

enum tool_exit parts_write_tables(const struct parts *parts, struct tool *tool)
{
    static const struct view views[] = {
            {dnnl_cache_blob_part_section, 2, {"section", ">size"},
                    add_section},
            {dnnl_cache_blob_part_program, 6,
                    {">program", ">binary", ">as stored", "codec", ">build log",
                            "name of its ID"},
                    add_program},
            {dnnl_cache_blob_part_program, 2,
                    {">program", "what its binary is"}, add_binary},
            {dnnl_cache_blob_part_program, 5,
                    {">program", "finalised form", ">form", ">as stored",
                            "finaliser"},
                    add_form},
            {dnnl_cache_blob_part_kernel, 3,
                    {">program", ">launch facts", "kernel"}, add_kernel},
            {dnnl_cache_blob_part_file, 2, {"digest", "included file"},
                    add_file}};
    enum tool_exit code = exit_ok;
    for (size_t i = 0; code == exit_ok && i < sizeof views / sizeof *views; i++)
        code = write_table(parts, tool, &views[i]);
    return code;
}

/* Line by line, each after two blanks. */
static void write_log(const dnnl_cache_blob_part_t *program, FILE *out)
{
    const char *at = program->build_log;
    size_t left = program->build_log_size;
    fprintf(out, "\nbuild log of program %" PRIu32 "\n", program->index);
    while (left > 0) {
        const char *end = memchr(at, '\n', left);
        const size_t length = end != NULL ? (size_t)(end - at) : left;
        fputs("  ", out);
        text_print(out, at, length);
        fputc('\n', out);
        at += length + (end != NULL);
        left -= length + (end != NULL);
    }
}

void parts_write_logs(const struct parts *parts, FILE *out)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].build_log_size > 0)
            write_log(&parts->items[i], out);
}

/* ---- JSON ---------------------------------------------------------------- */

static void write_json_kernels(
        const struct parts *parts, struct json *json, uint32_t program)
{
    json_begin_array(json, "kernels");
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_blob_part_t *part = &parts->items[i];
        if (part->kind != dnnl_cache_blob_part_kernel
                || part->program != program)
            continue;
        json_begin_object(json, NULL);
        json_text(json, "name", part->name);
        json_number(json, "facts_bytes", part->bytes);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_json_program(const struct parts *parts, struct json *json,
        const dnnl_cache_blob_part_t *part)
{
    char name[catalog_name_size];
    char text[DNNL_CACHE_BINARY_TEXT_SIZE];
    entry_name(name, part->id_size, part->id);
    json_begin_object(json, NULL);
    json_text(json, "name", name);
    json_number(json, "binary_bytes", part->bytes);
    json_number(json, "stored_bytes", part->stored_bytes);
    json_text(json, "codec", codec_name(part->compression));
    if (get_binary_text(text, parts, part->index))
        json_text(json, "binary", text);
    json_bytes(json, "build_log",
            part->build_log_size > 0 ? part->build_log : "",
            part->build_log_size);
    if (part->finaliser != NULL) {
        json_bytes(json, "finaliser", part->finaliser, part->finaliser_size);
        json_number(json, "finalised_bytes", part->finalised_bytes);
        json_number(
                json, "finalised_stored_bytes", part->finalised_stored_bytes);
    }
    write_json_kernels(parts, json, part->index);
    json_end_object(json);
}

static void write_json_files(const struct parts *parts, struct json *json)
{
    json_begin_array(json, "included_files");
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_blob_part_t *part = &parts->items[i];
        if (part->kind != dnnl_cache_blob_part_file) continue;
        json_begin_object(json, NULL);
        json_text(json, "name", part->name);
        json_hex(json, "digest", part->id, part->id_size);
        json_end_object(json);
    }
    json_end_array(json);
}

void parts_write_json(const struct parts *parts, struct json *json)
{
    json_begin_array(json, "sections");
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_blob_part_t *part = &parts->items[i];
        if (part->kind != dnnl_cache_blob_part_section) continue;
        json_begin_object(json, NULL);
        json_text(json, "name", part->name);
        json_number(json, "tag", part->tag);
        json_number(json, "bytes", part->bytes);
        json_end_object(json);
    }
    json_end_array(json);
    json_begin_array(json, "programs");
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].kind == dnnl_cache_blob_part_program)
            write_json_program(parts, json, &parts->items[i]);
    json_end_array(json);
    write_json_files(parts, json);
}
