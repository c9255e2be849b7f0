/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For LD_PRELOAD: appends the name of each environment variable that is asked
 * for to the file that TRACE_GETENV names, one a line, by one write() each. The
 * C library's own calls do not come here.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

char *getenv(const char *name);
char *secure_getenv(const char *name);

static char *find(const char *name)
{
    const size_t size = strlen(name);
    for (char **at = environ; at != NULL && *at != NULL; at++)
        if (strncmp(*at, name, size) == 0 && (*at)[size] == '=')
            return *at + size + 1;
    return NULL;
}

static char *tell(const char *name)
{
    char line[256];
    const char *path = find("TRACE_GETENV");
    const int size = snprintf(line, sizeof line, "%s\n", name);
    const int fd = path == NULL || size <= 0 || (size_t)size >= sizeof line
                           ? -1
                           : open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, line, (size_t)size) != size) _exit(99);
        close(fd);
    }
    return find(name);
}

#pragma GCC visibility push(default)
char *getenv(const char *name)
{
    return tell(name);
}

char *secure_getenv(const char *name)
{
    return tell(name);
}
#pragma GCC visibility pop
