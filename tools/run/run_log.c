/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/run_log.h"

#include "src/platform/file.h"
#include "tools/common/state/state_folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NAME "refresh.log"

enum { most_bytes = 1 << 20 };

/* Nothing but a file of this user's is written to. */
static int open_in(int *fd, int folder)
{
    struct file_facts facts;
    const int error = file_open(fd, folder, NAME,
            file_for_writing | file_for_appending | file_made_if_missing
                    | file_no_link | file_no_wait,
            0600);
    if (error != 0) return error;
    if (file_facts(&facts, *fd) == 0 && facts.kind == file_is_plain
            && file_is_own(&facts) && facts.links == 1) {
        if (facts.size > most_bytes) (void)file_set_size(*fd, 0);
        return 0;
    }
    (void)file_close(*fd);
    *fd = file_none;
    return EPERM;
}

int run_log_open(int *fd, char path[path_size], const char *store)
{
    struct file_facts facts;
    const bool is_pack = file_facts_at(&facts, file_here, store) == 0
                         && facts.kind == file_is_plain;
    const char *suffix = state_folder_suffix(is_pack);
    const int size = snprintf(path, path_size, "%s%s/" NAME, store, suffix);
    *fd = file_none;
    if (size < 0 || size >= path_size) return ENAMETOOLONG;
    const size_t folder_size = (size_t)size - sizeof "/" NAME + 1;
    path[folder_size] = '\0';
    const int folder = state_folder_open_path(path, true);
    path[folder_size] = '/';
    if (folder < 0) return errno;
    const int error = open_in(fd, folder);
    (void)file_close(folder);
    return error;
}

void run_log_print(int fd, const char *format, ...)
{
    va_list arguments;
    char when[32] = "";
    char *text = NULL;
    char *line = NULL;
    struct tm tm;
    const time_t now = time(NULL);
    if (localtime_r(&now, &tm) != NULL)
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    const int size = text != NULL ? asprintf(
                             &line, "%s dnnl-cache-run: %s\n", when, text)
                                  : -1;
    if (size >= 0) {
        (void)file_write_all(fd, line, (size_t)size);
        free(line);
    }
    free(text);
}
