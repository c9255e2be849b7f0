/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/table.h"

#include "tools/common/text/text.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/base/cut.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_right(const char *header)
{
    return header[0] == '>';
}

static bool is_list(const char *header)
{
    return header[0] == '+';
}

static bool may_be_cut(const struct table *table, size_t column)
{
    return table->headers != NULL
           && (table->headers[column][0] == '~'
                   || is_list(table->headers[column]));
}

/* Without the character that says how it is shown. */
static const char *name_of(const char *header)
{
    return header + (strchr(">~+", header[0]) != NULL && header[0] != '\0');
}

void table_init(struct table *table, size_t columns, const char *const *headers)
{
    *table = (struct table){.columns = columns, .headers = headers};
    for (size_t i = 0; i < columns; i++)
        table->widths[i] = text_width(name_of(headers[i]));
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
    const size_t column = table->count++ % table->columns;
    const size_t width = text_width(text);
    if (width > table->widths[column]) table->widths[column] = width;
    if (width > table->cell_widths[column]) table->cell_widths[column] = width;
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

/* ---- Fitting ------------------------------------------------------------- */

enum { gap = 2, least_width = 16 };

/* What a column needs, or, with all, what it has. */
static size_t width_of(const struct table *table, size_t column, bool all)
{
    const size_t width = table->widths[column];
    return all || width < least_width || !may_be_cut(table, column)
                   ? width
                   : least_width;
}

static size_t width_of_line(const struct table *table, bool all)
{
    size_t width = 0;
    for (size_t i = 0; i < table->columns; i++)
        if (!table->left_out[i])
            width += width_of(table, i, all) + (width > 0 ? gap : 0);
    return width;
}

static void leave_out(struct table *table, struct tool *tool, size_t room,
        const size_t *order, size_t count)
{
    char names[256] = "";
    size_t size = 0;
    for (size_t i = 0; i < count && width_of_line(table, false) > room; i++) {
        table->left_out[order[i]] = true;
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%.32s",
                i > 0 ? ", " : "", name_of(table->headers[order[i]]));
    }
    if (size > 0)
        tool_warn(tool,
                "left out, since the terminal has %zu columns: %s (--json has "
                "all)",
                room, names);
}

/* What is more than each needs is shared. */
static void share(struct table *table, size_t room)
{
    size_t given[table_max_columns];
    bool is_given = true;
    const size_t least = width_of_line(table, false);
    size_t left = room > least ? room - least : 0;
    for (size_t i = 0; i < table->columns; i++)
        given[i] = width_of(table, i, false);
    while (left > 0 && is_given) {
        is_given = false;
        for (size_t i = 0; i < table->columns && left > 0; i++) {
            if (table->left_out[i] || given[i] == table->widths[i]) continue;
            given[i]++;
            left--;
            is_given = true;
        }
    }
    memcpy(table->widths, given, table->columns * sizeof *given);
}

/* A long header takes no room from what is below others. */
static void cut_headers(struct table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        if (may_be_cut(table, i) && table->widths[i] > least_width)
            table->widths[i] = table->cell_widths[i] > least_width
                                       ? table->cell_widths[i]
                                       : least_width;
}

void table_fit(struct table *table, struct tool *tool, size_t room,
        const size_t *order, size_t count)
{
    if (room == 0 || width_of_line(table, true) <= room) return;
    cut_headers(table);
    leave_out(table, tool, room, order, count);
    share(table, room);
}

/* ---- Writing ------------------------------------------------------------- */

static size_t last_column(const struct table *table)
{
    size_t last = table->columns - 1;
    while (last > 0 && table->left_out[last])
        last--;
    return last;
}

/* A text that is as wide as its column or less; false: no memory. */
static bool write_shown(
        const struct table *table, FILE *out, size_t column, const char *text)
{
    const bool last = column == last_column(table);
    const char *header = table->headers != NULL ? table->headers[column] : "";
    char *cut = NULL;
    if (text_width(text) > table->widths[column]) {
        cut = is_list(header) && text != name_of(header)
                      ? cut_list(text, name_of(header), table->widths[column])
                      : cut_text(text, table->widths[column]);
        if (cut == NULL) return false;
        text = cut;
    }
    const int room = (int)(table->widths[column] - text_width(text));
    if (is_right(header))
        fprintf(out, "%*s%s", room, "", text);
    else if (last) /* nothing behind it but the line's end */
        fputs(text, out);
    else
        fprintf(out, "%s%*s", text, room, "");
    fputs(last ? "\n" : "  ", out);
    free(cut);
    return true;
}

static bool write_cell(
        const struct table *table, FILE *out, size_t column, const char *text)
{
    return table->left_out[column] || write_shown(table, out, column, text);
}

static bool write_headers(const struct table *table, struct tool *tool)
{
    bool is_written = true;
    if (tool->colour) fputs("\033[1m", tool->out);
    for (size_t i = 0; i < table->columns; i++)
        is_written = write_cell(table, tool->out, i, name_of(table->headers[i]))
                     && is_written;
    if (tool->colour) fputs("\033[0m", tool->out);
    return is_written;
}

enum tool_exit table_write(const struct table *table, struct tool *tool)
{
    if (table->out_of_memory) return tool_no_memory(tool);
    bool is_written = table->headers == NULL || write_headers(table, tool);
    const char *cell = table->cells;
    for (size_t i = 0; i < table->count; i++) {
        is_written = write_cell(table, tool->out, i % table->columns, cell)
                     && is_written;
        cell += strlen(cell) + 1;
    }
    return is_written ? exit_ok : tool_no_memory(tool);
}
