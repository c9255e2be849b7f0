/* SPDX-License-Identifier: Apache-2.0 */
#include "redis_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_secret = 4096 };

/* A secret is its file's first line. The messages name the file alone. */
static int read_line(char **line, const char *path, char why[remote_why_size])
{
    struct stat st;
    int error = 0;
    char text[most_secret + 1];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) error = errno;
    if (error == 0 && !S_ISREG(st.st_mode)) error = EINVAL;
    if (error == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) error = EPERM;
    const ssize_t size = error == 0 ? read(fd, text, most_secret) : 0;
    if (size < 0) error = errno;
    if (fd >= 0) (void)close(fd);
    if (error == 0) {
        text[size] = '\0';
        text[strcspn(text, "\r\n")] = '\0';
        if (text[0] == '\0') error = ENODATA;
    }
    if (error == 0 && (*line = strdup(text)) == NULL) error = ENOMEM;
    explicit_bzero(text, sizeof text);
    if (error != 0)
        snprintf(why, remote_why_size, "password file %s: %s", path,
                error == EPERM     ? "other users may read it"
                : error == ENODATA ? "its first line is empty"
                                   : strerror(error));
    return error;
}

static int copy_variable(char **value, const char *name)
{
    const char *text = getenv(name);
    if (text == NULL || text[0] == '\0') return 0;
    *value = strdup(text);
    return *value != NULL ? 0 : ENOMEM;
}

int redis_server_init(struct redis_server *server, const struct remote_url *url,
        char why[remote_why_size])
{
    int error = 0;
    *server = (struct redis_server){.url = url};
    snprintf(why, remote_why_size, "out of memory");
    if (url->password_file != NULL)
        error = read_line(&server->password, url->password_file, why);
    else
        error = copy_variable(&server->password, "DNNL_CACHE_REDIS_PASSWORD");
    if (error == 0 && url->user != NULL) {
        server->user = strdup(url->user);
        if (server->user == NULL) error = ENOMEM;
    } else if (error == 0) {
        error = copy_variable(&server->user, "DNNL_CACHE_REDIS_USER");
    }
    if (error == 0 && server->user != NULL && server->password == NULL) {
        snprintf(why, remote_why_size,
                "a user without a password: pass password_file= or set "
                "DNNL_CACHE_REDIS_PASSWORD");
        error = EINVAL;
    }
    if (error != 0) redis_server_fini(server);
    return error;
}

void redis_server_fini(struct redis_server *server)
{
    if (server->password != NULL)
        explicit_bzero(server->password, strlen(server->password));
    free(server->password);
    free(server->user);
    *server = (struct redis_server){.url = NULL};
}
