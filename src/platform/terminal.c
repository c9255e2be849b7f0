/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/terminal.h"

#include "src/platform/file.h"
#include "src/platform/kept_descriptor.h"

#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

bool terminal_is(int fd)
{
    return isatty(fd) == 1;
}

bool terminal_can_write(int fd)
{
    struct pollfd room = {fd, POLLOUT, 0};
    return poll(&room, 1, 0) > 0 && (room.revents & POLLOUT) != 0;
}

bool terminal_is_in_foreground(int fd)
{
    return tcgetpgrp(fd) == getpgrp();
}

bool terminal_edits_lines(int fd)
{
    struct termios modes;
    return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & ICANON) != 0
           && (modes.c_lflag & ECHO) != 0 && (modes.c_oflag & OPOST) != 0;
}

int terminal_count_typed(int fd)
{
    int count = 0;
    return ioctl(fd, FIONREAD, &count) == 0 ? count : 0;
}

struct terminal_size terminal_size_of(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return (struct terminal_size){.rows = 24, .columns = 80};
    return (struct terminal_size){size.ws_row, size.ws_col};
}

/* Each write is an event of inotify's. */
void terminal_watch(int *watch, int fd)
{
    char path[32];
    *watch = kept_descriptor_raise(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (*watch >= 0 && inotify_add_watch(*watch, path, IN_MODIFY) < 0) {
        (void)close(*watch);
        *watch = file_none;
    }
    /* The same terminal, by its other name. */
    if (*watch >= 0) (void)inotify_add_watch(*watch, "/dev/tty", IN_MODIFY);
}

bool terminal_was_written_to(int watch)
{
    char events[4096];
    bool was = false;
    while (watch >= 0 && read(watch, events, sizeof events) > 0)
        was = true;
    return was;
}
