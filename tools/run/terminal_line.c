/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/terminal_line.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

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
    return isatty(fd) && term != NULL && term[0] != '\0'
           && strcmp(term, "dumb") != 0 && strcmp(term, "unknown") != 0
           && !is_set("CI");
}

static bool can_write(int fd)
{
    struct pollfd room = {fd, POLLOUT, 0};
    return poll(&room, 1, 0) > 0 && (room.revents & POLLOUT) != 0;
}

/* What is written from the background may stop the process, or appears in what
 * somebody else does. */
static bool is_in_foreground(int fd)
{
    return tcgetpgrp(fd) == getpgrp();
}

static bool edits_lines(int fd)
{
    struct termios modes;
    return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & ICANON) != 0
           && (modes.c_lflag & ECHO) != 0 && (modes.c_oflag & OPOST) != 0;
}

static int count_typed(int fd)
{
    int count = 0;
    return ioctl(fd, FIONREAD, &count) == 0 ? count : 0;
}

static struct winsize size_of(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    return size;
}

/* ---- Who writes ---------------------------------------------------------- */

/* Has anything been written since it was asked last? */
static bool was_written_to(const struct terminal_line *line)
{
    char events[4096];
    bool was = false;
    while (read(line->watch_fd, events, sizeof events) > 0)
        was = true;
    return was;
}

void terminal_line_init(struct terminal_line *line, int fd)
{
    char path[32];
    *line = (struct terminal_line){
            .fd = fd, .quiet_since_ns = clock_ns(), .quiet_ns = first_quiet_ns};
    line->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (line->watch_fd >= 0
            && inotify_add_watch(line->watch_fd, path, IN_MODIFY) < 0) {
        close(line->watch_fd);
        line->watch_fd = -1;
    }
    /* The same terminal, by its other name. */
    if (line->watch_fd >= 0)
        (void)inotify_add_watch(line->watch_fd, "/dev/tty", IN_MODIFY);
}

void terminal_line_fini(struct terminal_line *line)
{
    if (line->watch_fd >= 0) close(line->watch_fd);
    line->watch_fd = -1;
}

/* In one write: others write, too. */
static void write_text(struct terminal_line *line, const char *text)
{
    const char *at = text;
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t n = write(line->fd, at, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        at += n;
        left -= (size_t)n;
    }
    line->written_ns = clock_ns();
    if (line->watch_fd >= 0) (void)was_written_to(line); /* that was us */
}

/* The cursor has moved. If they ended a line, it is on ours. */
static void give_way(struct terminal_line *line)
{
    line->is_shown = false;
    if (can_write(line->fd) && is_in_foreground(line->fd)
            && edits_lines(line->fd))
        write_text(line, ERASE_DOWNWARDS);
    line->quiet_ns *= 2;
    if (line->quiet_ns > most_quiet_ns) line->quiet_ns = most_quiet_ns;
}

void terminal_line_look(struct terminal_line *line)
{
    if (line->watch_fd < 0 || !was_written_to(line)) return;
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
    const struct winsize size = size_of(line->fd);
    return size.ws_row >= least_rows && size.ws_col >= least_columns
           && is_in_foreground(line->fd) && edits_lines(line->fd)
           && can_write(line->fd);
}

void terminal_line_show(struct terminal_line *line, const char *text)
{
    char bytes[sizeof line->bytes];
    const uint64_t now = clock_ns();
    if (line->is_shown && now - line->written_ns < redraw_ns) return;
    /* The last column is left free: to write there may begin another line. */
    const int most = size_of(line->fd).ws_col - 1;
    if (snprintf(bytes, sizeof bytes, BELOW "%.*s" ERASE_REST BACK, most, text)
            >= (int)sizeof bytes)
        return;
    if (line->is_shown && strcmp(line->bytes, bytes) == 0) return;
    strcpy(line->bytes, bytes);
    if (!line->is_shown) {
        line->typed = count_typed(line->fd);
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
    if (!can_write(line->fd) || !is_in_foreground(line->fd)) return;
    write_text(line, count_typed(line->fd) != line->typed
                             ? ERASE_DOWNWARDS
                             : BELOW ERASE_ALL BACK);
}

void terminal_line_end_with(struct terminal_line *line, const char *text)
{
    char *bytes = NULL;
    terminal_line_clear(line);
    if (!is_in_foreground(line->fd)) return;
    /* Spaces to the end of the line, and back to the begin of the line where
     * they end: the next one, unless the cursor stood at the begin. */
    if (asprintf(&bytes, "%*s\r%s" ERASE_REST "\n",
                size_of(line->fd).ws_col - 1, "", text)
            < 0)
        return;
    write_text(line, bytes);
    free(bytes);
}
