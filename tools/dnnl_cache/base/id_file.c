/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/id_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void id_file_write(FILE *out, size_t id_size, const uint8_t *id)
{
    for (size_t i = 0; i < id_size; i++)
        fprintf(out, "%02x", id[i]);
    fputc('\n', out);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* In place: the bytes take the place of their digits. False: not an ID. */
static bool decode(char *line, size_t length)
{
    uint8_t *bytes = (uint8_t *)line;
    if (length % 2 != 0) return false;
    for (size_t i = 0; i < length; i += 2) {
        const int high = digit_of(line[i]);
        const int low = digit_of(line[i + 1]);
        if (high < 0 || low < 0) return false;
        bytes[i / 2] = (uint8_t)(16 * high + low);
    }
    return true;
}

static enum tool_exit read_lines(struct tool *tool, const char *path,
        FILE *file,
        enum tool_exit (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    enum tool_exit code = exit_ok;
    unsigned long number = 0;
    errno = 0;
    while (code == exit_ok && (length = getline(&line, &room, file)) >= 0) {
        number++;
        size_t size = (size_t)length;
        while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r'))
            size--;
        if (size == 0) continue;
        if (decode(line, size)) {
            code = visit(user, size / 2, (const uint8_t *)line);
        } else {
            tool_error(tool, "%s: line %lu is not an ID", path, number);
            code = exit_io;
        }
    }
    if (code == exit_ok && ferror(file)) {
        tool_error(tool, "%s: %s", path, strerror(errno));
        code = exit_io;
    }
    free(line);
    return code;
}

enum tool_exit id_file_read(struct tool *tool, const char *path,
        enum tool_exit (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user)
{
    if (strcmp(path, "-") == 0)
        return read_lines(tool, path, stdin, visit, user);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        tool_error(tool, "%s: %s", path, strerror(errno));
        return exit_io;
    }
    const enum tool_exit code = read_lines(tool, path, file, visit, user);
    (void)fclose(file);
    return code;
}
