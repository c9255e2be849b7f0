/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A descriptor, or -1 with errno. */
static int open_secret(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -1;
    int error = fstat(fd, &st) == 0 ? 0 : errno;
    if (error == 0 && !S_ISREG(st.st_mode)) error = EISDIR;
    if (error == 0 && st.st_uid != geteuid() && st.st_uid != 0) error = EXDEV;
    if (error == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) error = EPERM;
    if (error == 0) return fd;
    (void)close(fd);
    errno = error;
    return -1;
}

int remote_secret_check(
        const char *what, const char *path, char why[remote_why_size])
{
    const int fd = open_secret(path);
    if (fd < 0) return refuse(what, path, errno, why);
    (void)close(fd);
    return 0;
}

int remote_secret_file(char **text, const char *what, const char *path,
        char why[remote_why_size])
{
    char bytes[most_secret + 2];
    int error = 0;
    const int fd = open_secret(path);
    if (fd < 0) return refuse(what, path, errno, why);
    const ssize_t size = read(fd, bytes, most_secret + 1);
    if (size < 0) error = errno;
    if (size > most_secret) error = EFBIG;
    (void)close(fd);
    if (error == 0) {
        bytes[size] = '\0';
        *text = strdup(bytes);
        if (*text == NULL) error = ENOMEM;
    }
    explicit_bzero(bytes, sizeof bytes);
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
    explicit_bzero(text + size, strlen(text + size));
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
    explicit_bzero(text, strlen(text));
    free(text);
}
