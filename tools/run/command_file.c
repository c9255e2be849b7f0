/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/command_file.h"

#include "src/platform/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool command_file_find(char path[path_size], const char *command)
{
    const char *folders = getenv("PATH");
    if (strchr(command, '/') != NULL)
        return snprintf(path, path_size, "%s", command) < path_size
               && file_may_be_run(path);
    while (folders != NULL && *folders != '\0') {
        const size_t size = strcspn(folders, ":");
        const int length = snprintf(path, path_size, "%.*s/%s",
                size > 0 ? (int)size : 1, size > 0 ? folders : ".", command);
        if (length < path_size && file_may_be_run(path)) return true;
        folders += size + (folders[size] == ':');
    }
    return false;
}

/* The first line of a script, without "#!". */
static bool read_first_line(char line[path_size], const char *path)
{
    int fd;
    size_t size = 0;
    if (file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0)
            == 0)
        (void)file_read_some(&size, fd, line, path_size - 1);
    (void)file_close(fd);
    if (size < 2 || memcmp(line, "#!", 2) != 0) return false;
    line[size] = '\0';
    line[strcspn(line, "\n")] = '\0';
    memmove(line, line + 2, strlen(line + 2) + 1);
    return true;
}

bool command_file_is_script(const char *path)
{
    char line[path_size];
    return read_first_line(line, path);
}

static bool is_env(const char *word)
{
    const char *slash = strrchr(word, '/');
    return strcmp(slash != NULL ? slash + 1 : word, "env") == 0;
}

/* The program that a line names; env's options and variables are passed by. */
static const char *word_of(char *line)
{
    static const char spaces[] = " \t\r";
    char *rest = line;
    const char *word = strtok_r(line, spaces, &rest);
    if (word == NULL || !is_env(word)) return word;
    do
        word = strtok_r(NULL, spaces, &rest);
    while (word != NULL && (word[0] == '-' || strchr(word, '=') != NULL));
    return word;
}

bool command_file_find_program(char program[path_size], const char *path)
{
    enum { most_scripts = 4 }; /* as many as Linux allows */
    char line[path_size];
    if (snprintf(program, path_size, "%s", path) >= path_size) return false;
    for (int i = 0; read_first_line(line, program); i++) {
        const char *word = word_of(line);
        if (i == most_scripts || word == NULL
                || !command_file_find(program, word))
            return false;
    }
    return true;
}
