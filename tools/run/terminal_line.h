/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal_line.h: a line on a terminal on which other processes write.
 *
 * Where they have left the cursor, and what stands beside it, is not known. So
 * the line is written below the cursor's, and the cursor is put back: what
 * others write next goes on where they were. It is only written while they are
 * quiet, which the system tells (src/platform/terminal.h). If they write all
 * the same while the line is there, it is taken off at once, and comes back
 * later, each time later than before.
 *
 * Nothing is written if this process is in the background, if the terminal is
 * not in the mode in which it edits lines (an application that fills the screen
 * turns it off), or if it would have to wait, as after Ctrl-S.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_TERMINAL_LINE_H
#define DNNL_CACHE_TOOLS_RUN_TERMINAL_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct terminal_line {
    int fd;       /* of the terminal; not owned */
    int watch_fd; /* of who writes; file_none: nothing is ever shown */
    bool is_shown;
    char bytes[512];         /* that were written last */
    int typed;               /* bytes that nobody had read when it was shown */
    uint64_t quiet_since_ns; /* nobody else has written since */
    uint64_t quiet_ns;       /* so long they must have been quiet */
    uint64_t written_ns;
};

/* Can a line be shown on this descriptor at all? Not if it is no terminal, one
 * that only prints (TERM=dumb), or in continuous integration (CI). */
bool terminal_line_is_possible(int fd);

void terminal_line_init(struct terminal_line *line, int fd);
void terminal_line_fini(struct terminal_line *line);

/* Looks whether others have written: if so the line is taken off. */
void terminal_line_look(struct terminal_line *line);

/* As if others had written now. */
void terminal_line_disturb(struct terminal_line *line);

/* May it be written now? */
bool terminal_line_may_show(struct terminal_line *line);
/* Writes it, cut off where the terminal ends. What is shown is written again if
 * it changes, four times a second at most. */
void terminal_line_show(struct terminal_line *line, const char *text);
void terminal_line_clear(struct terminal_line *line);

/* Writes a line for good, at the begin of a line: below what others have not
 * ended. */
void terminal_line_end_with(struct terminal_line *line, const char *text);

#endif /* DNNL_CACHE_TOOLS_RUN_TERMINAL_LINE_H */
