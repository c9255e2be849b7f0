/* SPDX-License-Identifier: Apache-2.0 */
#include "admission.h"

#include "applications.h"
#include "configuration.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As execvp() finds it, without links: so /proc/self/exe names it. */
static bool find(char path[PATH_MAX], const char *command)
{
    char candidate[2 * PATH_MAX];
    const char *folders = getenv("PATH");
    if (strchr(command, '/') != NULL) return realpath(command, path) != NULL;
    while (folders != NULL && *folders != '\0') {
        const size_t size = strcspn(folders, ":");
        (void)snprintf(candidate, sizeof candidate, "%.*s/%s",
                size > 0 ? (int)size : 1, size > 0 ? folders : ".", command);
        if (access(candidate, X_OK) == 0)
            return realpath(candidate, path) != NULL;
        folders += size + (folders[size] == ':');
    }
    return false;
}

static bool is_script(const char *path)
{
    char begin[2] = "";
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, begin, sizeof begin) : 0;
    if (fd >= 0) close(fd);
    return size == (ssize_t)sizeof begin
           && memcmp(begin, "#!", sizeof begin) == 0;
}

static const char *get_variable(void *user, const char *name)
{
    (void)user;
    return getenv(name);
}

/* The layer reports it in the command. */
static void ignore(void *user, const char *text)
{
    (void)user;
    (void)text;
}

static const char *get_list(
        const struct configuration *files, const char *name, const char **from)
{
    const char *value = getenv(name);
    *from = "the environment";
    return value != NULL && value[0] != '\0'
                   ? value
                   : configuration_get(files, name, from);
}

bool admission_check(const char *command, char why[], size_t why_capacity)
{
    const struct configuration_reader reader = {get_variable, ignore, NULL};
    struct configuration *files = configuration_read(&reader);
    char path[PATH_MAX];
    const char *allow_from;
    const char *deny_from;
    const char *allow = get_list(files, APPLICATIONS_ALLOW, &allow_from);
    const char *deny = get_list(files, APPLICATIONS_DENY, &deny_from);
    const bool good = (allow == NULL && deny == NULL) || !find(path, command)
                      || is_script(path)
                      || applications_admit(allow, deny, path);
    if (!good && applications_name(deny, path))
        (void)snprintf(why, why_capacity, APPLICATIONS_DENY " of %s names %s",
                deny_from, path);
    else if (!good)
        (void)snprintf(why, why_capacity,
                APPLICATIONS_ALLOW " of %s does not name %s", allow_from, path);
    configuration_free(files);
    return good;
}
