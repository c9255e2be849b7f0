/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: rows of cells, written with aligned columns. */
#ifndef DNNL_CACHE_TOOLS_BASE_TABLE_H
#define DNNL_CACHE_TOOLS_BASE_TABLE_H

#include "tools/dnnl_cache/base/tool.h"

enum { table_max_columns = 11 };

struct table {
    size_t columns;
    /* NULL: none. Before a name '>' is right, '~' a text that may be cut, '+'
     * a list, "a, b", that may be. */
    const char *const *headers;
    char *cells; /* one NUL-terminated text behind the other */
    size_t size;
    size_t capacity;
    size_t count;                          /* cells */
    size_t widths[table_max_columns];      /* characters */
    size_t cell_widths[table_max_columns]; /* the same without headers */
    bool left_out[table_max_columns];
    bool out_of_memory;
};

/* headers: as many as columns; they outlive the table. */
void table_init(
        struct table *table, size_t columns, const char *const *headers);
/* A table with columns, but without a line of headers. */
void table_init_plain(struct table *table, size_t columns);
void table_fini(struct table *table);

/* Adds the next cell, row by row. The text is shown as text_printable() does.
 */
void table_add(struct table *table, const char *text);
void table_add_bytes(struct table *table, const void *text, size_t size);
/* The same for text that is printable already. */
void table_add_shown(struct table *table, const char *text);
void table_add_number(struct table *table, uint64_t number);
void table_add_size(struct table *table, uint64_t bytes);
void table_add_duration(struct table *table, uint64_t ns);
void table_add_time(struct table *table, uint64_t ns);

/* Makes lines fit into so many characters (0: any), if they can: leaves out
 * columns of the order, the first first, until what is left has room, and cuts
 * what may be cut. Tells what is left out. After the last cell. */
void table_fit(struct table *table, struct tool *tool, size_t room,
        const size_t *order, size_t count);

/* Writes it; exit_io after a message if memory ran out on the way. */
enum tool_exit table_write(const struct table *table, struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_BASE_TABLE_H */
