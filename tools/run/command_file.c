/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/command_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool command_file_find(char path[PATH_MAX], const char *command)
{
    const char *folders = getenv("PATH");
    if (strchr(command, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX
               && access(path, X_OK) == 0;
    while (folders != NULL && *folders != '\0') {
        const size_t size = strcspn(folders, ":");
        const int length = snprintf(path, PATH_MAX, "%.*s/%s",
                size > 0 ? (int)size : 1, size > 0 ? folders : ".", command);
        if (length < PATH_MAX && access(path, X_OK) == 0) return true;
        folders += size + (folders[size] == ':');
    }
    return false;
}

/* The first line of a script, without "#!". */
static bool read_first_line(char line[PATH_MAX], const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, line, PATH_MAX - 1) : 0;
    if (fd >= 0) close(fd);
    if (size < 2 || memcmp(line, "#!", 2) != 0) return false;
    line[size] = '\0';
    line[strcspn(line, "\n")] = '\0';
    memmove(line, line + 2, strlen(line + 2) + 1);
    return true;
}

bool command_file_is_script(const char *path)
{
    char line[PATH_MAX];
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

bool command_file_find_program(char program[PATH_MAX], const char *path)
{
    enum { most_scripts = 4 }; /* as many as Linux allows */
    char line[PATH_MAX];
    if (snprintf(program, PATH_MAX, "%s", path) >= PATH_MAX) return false;
    for (int i = 0; read_first_line(line, program); i++) {
        const char *word = word_of(line);
        if (i == most_scripts || word == NULL
                || !command_file_find(program, word))
            return false;
    }
    return true;
}
