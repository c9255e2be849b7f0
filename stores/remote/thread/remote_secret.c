/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_secret.h"

#include "src/platform/file.h"
#include "src/platform/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_secret = 4096 };

static int refuse(const char *what, const char *path, int error,
        char why[remote_why_size])
{
    snprintf(why, remote_why_size, "%s %s: %s", what, path,
            error == EPERM     ? "other users may read it"
            : error == EISDIR  ? "not a regular file"
            : error == EXDEV   ? "it belongs to another user"
            : error == ENODATA ? "its first line is empty"
            : error == EILSEQ  ? "its first line has a control character"
            : error == EFBIG   ? "larger than 4096 bytes"
                               : strerror(error));
    return error;
}

static int open_secret(int *fd, const char *path)
{
    enum { others_may = 077 };
    struct file_facts facts;
    int error =
            file_open(fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error;
    error = file_facts(&facts, *fd);
    if (error == 0 && facts.kind != file_is_plain) error = EISDIR;
    if (error == 0 && !file_is_own(&facts) && facts.owner != 0) error = EXDEV;
    if (error == 0 && (facts.mode & others_may) != 0) error = EPERM;
    if (error != 0) (void)file_close(*fd);
    return error;
}

int remote_secret_check(
        const char *what, const char *path, char why[remote_why_size])
{
    int fd;
    const int error = open_secret(&fd, path);
    if (error != 0) return refuse(what, path, error, why);
    (void)file_close(fd);
    return 0;
}

int remote_secret_file(char **text, const char *what, const char *path,
        char why[remote_why_size])
{
    char bytes[most_secret + 2];
    size_t size = 0;
    int fd;
    int error = open_secret(&fd, path);
    if (error != 0) return refuse(what, path, error, why);
    error = file_read_up_to(&size, fd, bytes, most_secret + 1, 0);
    if (error == 0 && size > most_secret) error = EFBIG;
    (void)file_close(fd);
    if (error == 0) {
        bytes[size] = '\0';
        *text = strdup(bytes);
        if (*text == NULL) error = ENOMEM;
    }
    secret_clear(bytes, sizeof bytes);
    return error != 0 ? refuse(what, path, error, why) : 0;
}

static int check_line(const char *line)
{
    if (line[0] == '\0') return ENODATA;
    for (const char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) return EILSEQ;
    return 0;
}

int remote_secret_line(char **line, const char *what, const char *path,
        char why[remote_why_size])
{
    char *text = NULL;
    int error = remote_secret_file(&text, what, path, why);
    if (error != 0) return error;
    const size_t size = strcspn(text, "\r\n");
    secret_clear(text + size, strlen(text + size));
    error = check_line(text);
    if (error == 0) {
        *line = text;
        return 0;
    }
    remote_secret_free(text);
    return refuse(what, path, error, why);
}

int remote_secret_variable(char **value, const struct remote_url *url,
        enum remote_variable variable)
{
    const char *text = url->variables[variable];
    *value = NULL;
    if (text == NULL) return 0;
    *value = strdup(text);
    return *value != NULL ? 0 : ENOMEM;
}

void remote_secret_free(char *text)
{
    if (text == NULL) return;
    secret_clear(text, strlen(text));
    free(text);
}
