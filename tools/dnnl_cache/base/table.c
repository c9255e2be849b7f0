/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/table.h"

#include "tools/common/text/text.h"
#include "tools/common/text/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_right(const char *header)
{
    return header[0] == '>';
}

void table_init(struct table *table, size_t columns, const char *const *headers)
{
    *table = (struct table){.columns = columns, .headers = headers};
    for (size_t i = 0; i < columns; i++)
        table->widths[i] = text_width(headers[i]) - is_right(headers[i]);
}

void table_init_plain(struct table *table, size_t columns)
{
    *table = (struct table){.columns = columns};
}

void table_fini(struct table *table)
{
    free(table->cells);
    *table = (struct table){0};
}

static bool make_room(struct table *table, size_t size)
{
    if (size <= table->capacity - table->size) return true;
    const size_t capacity = 2 * table->capacity + size;
    char *cells = realloc(table->cells, capacity);
    if (cells == NULL) return false;
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

void table_add_shown(struct table *table, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (table->out_of_memory || !make_room(table, size)) {
        table->out_of_memory = true;
        return;
    }
    memcpy(table->cells + table->size, text, size);
    table->size += size;
    size_t *width = &table->widths[table->count++ % table->columns];
    const size_t shown_width = text_width(text);
    if (shown_width > *width) *width = shown_width;
}

void table_add_bytes(struct table *table, const void *text, size_t size)
{
    char *shown = text_printable(text, size);
    if (shown != NULL)
        table_add_shown(table, shown);
    else
        table->out_of_memory = true;
    free(shown);
}

void table_add(struct table *table, const char *text)
{
    table_add_bytes(table, text, strlen(text));
}

void table_add_number(struct table *table, uint64_t number)
{
    char text[units_text_size];
    snprintf(text, sizeof text, "%" PRIu64, number);
    table_add(table, text);
}

void table_add_size(struct table *table, uint64_t bytes)
{
    char text[units_text_size];
    units_print_size(text, bytes);
    table_add(table, text);
}

void table_add_duration(struct table *table, uint64_t ns)
{
    char text[units_text_size];
    units_print_duration(text, ns);
    table_add(table, text);
}

void table_add_time(struct table *table, uint64_t ns)
{
    char text[units_text_size];
    units_print_time(text, ns);
    table_add(table, text);
}

/* ---- Writing ------------------------------------------------------------- */

static void write_cell(
        const struct table *table, FILE *out, size_t column, const char *text)
{
    const bool last = column + 1 == table->columns;
    const int room = (int)(table->widths[column] - text_width(text));
    if (table->headers != NULL && is_right(table->headers[column]))
        fprintf(out, "%*s%s", room, "", text);
    else if (last) /* nothing behind it but the line's end */
        fputs(text, out);
    else
        fprintf(out, "%s%*s", text, room, "");
    fputs(last ? "\n" : "  ", out);
}

enum tool_exit table_write(const struct table *table, struct tool *tool)
{
    if (table->out_of_memory) return tool_no_memory(tool);
    if (table->headers != NULL) {
        if (tool->colour) fputs("\033[1m", tool->out);
        for (size_t i = 0; i < table->columns; i++)
            write_cell(table, tool->out, i,
                    table->headers[i] + is_right(table->headers[i]));
        if (tool->colour) fputs("\033[0m", tool->out);
    }
    const char *cell = table->cells;
    for (size_t i = 0; i < table->count; i++) {
        write_cell(table, tool->out, i % table->columns, cell);
        cell += strlen(cell) + 1;
    }
    return exit_ok;
}
