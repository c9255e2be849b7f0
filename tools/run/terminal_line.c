/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/terminal_line.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/platform/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS_NS UINT64_C(1000000)

static const uint64_t first_quiet_ns = 500 * MS_NS;
static const uint64_t most_quiet_ns = 60000 * MS_NS;
static const uint64_t redraw_ns = 250 * MS_NS;

/* Of VT100 and all that followed: one line down, by scrolling if need be, and
 * up again; the cursor kept and put back; erased. */
#define MAKE_ROOM "\033D\033M"
#define BELOW "\0337\033[B\r"
#define BACK "\0338"
#define ERASE_REST "\033[K"
#define ERASE_ALL "\033[2K"
#define ERASE_DOWNWARDS "\033[J"

/* ---- The terminal -------------------------------------------------------- */

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

bool terminal_line_is_possible(int fd)
{
    const char *term = getenv("TERM");
    return terminal_is(fd) && term != NULL && term[0] != '\0'
           && strcmp(term, "dumb") != 0 && strcmp(term, "unknown") != 0
           && !is_set("CI");
}

/* ---- Who writes ---------------------------------------------------------- */

void terminal_line_init(struct terminal_line *line, int fd)
{
    *line = (struct terminal_line){
            .fd = fd, .quiet_since_ns = clock_ns(), .quiet_ns = first_quiet_ns};
    terminal_watch(&line->watch_fd, fd);
}

void terminal_line_fini(struct terminal_line *line)
{
    (void)file_close(line->watch_fd);
    line->watch_fd = file_none;
}

/* In one write: others write, too. */
static void write_text(struct terminal_line *line, const char *text)
{
    (void)file_write_all(line->fd, text, strlen(text));
    line->written_ns = clock_ns();
    (void)terminal_was_written_to(line->watch_fd); /* that was us */
}

/* The cursor has moved. If they ended a line, it is on ours. */
static void give_way(struct terminal_line *line)
{
    line->is_shown = false;
    if (terminal_can_write(line->fd) && terminal_is_in_foreground(line->fd)
            && terminal_edits_lines(line->fd))
        write_text(line, ERASE_DOWNWARDS);
    line->quiet_ns *= 2;
    if (line->quiet_ns > most_quiet_ns) line->quiet_ns = most_quiet_ns;
}

void terminal_line_look(struct terminal_line *line)
{
    if (!terminal_was_written_to(line->watch_fd)) return;
    line->quiet_since_ns = clock_ns();
    if (line->is_shown) give_way(line);
}

void terminal_line_disturb(struct terminal_line *line)
{
    line->quiet_since_ns = clock_ns();
}

/* ---- The line ------------------------------------------------------------ */

bool terminal_line_may_show(struct terminal_line *line)
{
    enum { least_rows = 3, least_columns = 20 };
    if (line->watch_fd < 0
            || clock_ns() - line->quiet_since_ns < line->quiet_ns)
        return false;
    const struct terminal_size size = terminal_size_of(line->fd);
    return size.rows >= least_rows && size.columns >= least_columns
           && terminal_is_in_foreground(line->fd)
           && terminal_edits_lines(line->fd) && terminal_can_write(line->fd);
}

void terminal_line_show(struct terminal_line *line, const char *text)
{
    char bytes[sizeof line->bytes];
    const uint64_t now = clock_ns();
    if (line->is_shown && now - line->written_ns < redraw_ns) return;
    /* The last column is left free: to write there may begin another line. */
    const int most = terminal_size_of(line->fd).columns - 1;
    if (snprintf(bytes, sizeof bytes, BELOW "%.*s" ERASE_REST BACK, most, text)
            >= (int)sizeof bytes)
        return;
    if (line->is_shown && strcmp(line->bytes, bytes) == 0) return;
    strcpy(line->bytes, bytes);
    if (!line->is_shown) {
        line->typed = terminal_count_typed(line->fd);
        line->is_shown = true;
        write_text(line, MAKE_ROOM);
    }
    write_text(line, bytes);
}

/* Who types a line moves the cursor, too. */
void terminal_line_clear(struct terminal_line *line)
{
    if (!line->is_shown) return;
    terminal_line_look(line);
    if (!line->is_shown) return;
    line->is_shown = false;
    if (!terminal_can_write(line->fd) || !terminal_is_in_foreground(line->fd))
        return;
    write_text(line, terminal_count_typed(line->fd) != line->typed
                             ? ERASE_DOWNWARDS
                             : BELOW ERASE_ALL BACK);
}

void terminal_line_end_with(struct terminal_line *line, const char *text)
{
    char *bytes = NULL;
    terminal_line_clear(line);
    if (!terminal_is_in_foreground(line->fd)) return;
    /* Spaces to the end of the line, and back to the begin of the line where
     * they end: the next one, unless the cursor stood at the begin. */
    if (asprintf(&bytes, "%*s\r%s" ERASE_REST "\n",
                terminal_size_of(line->fd).columns - 1, "", text)
            < 0)
        return;
    write_text(line, bytes);
    free(bytes);
}
