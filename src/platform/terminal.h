/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h: the terminal that a descriptor leads to, which other processes
 * use as well. No call waits. Any thread; a watch belongs to one at a time.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_TERMINAL_H
#define DNNL_CACHE_SRC_PLATFORM_TERMINAL_H

#include <stdbool.h>

bool terminal_is(int fd);

/* Would a write be done at once? Not after Ctrl-S. */
bool terminal_can_write(int fd);

/* Is this process in its foreground? What is written from the background may
 * stop the process. */
bool terminal_is_in_foreground(int fd);

/* Is it in the mode in which it edits lines? An application that fills the
 * screen turns it off. */
bool terminal_edits_lines(int fd);

/* Bytes that were typed and that nobody has read. */
int terminal_count_typed(int fd);

struct terminal_size {
    int rows;
    int columns;
};

/* That of usual ones, where it does not say. */
struct terminal_size terminal_size_of(int fd);

/* Who writes to it; file_none: the system does not tell. The caller closes
 * *watch (file_close()). */
void terminal_watch(int *watch, int fd);

/* Has any process, this one included, since this was asked last? */
bool terminal_was_written_to(int watch);

#endif /* DNNL_CACHE_SRC_PLATFORM_TERMINAL_H */
