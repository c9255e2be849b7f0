/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_process.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Only what the child is told: the developer's own settings and store stay out.
 * DNNL_CACHE_TEST_RECORD is a record of all that is built. */
static void set_environment(const char *const *variables)
{
    char cache[512];
    const char *named = getenv("DNNL_CACHE_TEST_RECORD");
    char *record = named != NULL ? strdup(named) : NULL;
    for (char **at = environ; at != NULL && *at != NULL;) {
        char name[128];
        const size_t size = strcspn(*at, "=");
        if (strncmp(*at, "DNNL_CACHE_", 11) == 0 && size < sizeof name) {
            memcpy(name, *at, size);
            name[size] = '\0';
            (void)unsetenv(name);
            at = environ;
        } else {
            at++;
        }
    }
    (void)snprintf(cache, sizeof cache, "%s/cache", test_directory());
    (void)setenv("XDG_CACHE_HOME", cache, 1);
    (void)setenv("XDG_RUNTIME_DIR", test_directory(), 1); /* told.h */
    (void)setenv("DNNL_CACHE_CONFIG", "0", 1);
    /* A real driver's queries take seconds on a busy machine. */
    (void)setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "unlimited", 1);
    if (record != NULL) (void)setenv("DNNL_CACHE_RECORD", record, 1);
    free(record);
    for (; variables != NULL && *variables != NULL; variables++)
        (void)putenv((char *)(uintptr_t)*variables);
}

static pid_t start(int stderr_fd, const char *const *variables,
        int (*body)(void *user), void *user)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child != 0) return child;
    if (stderr_fd >= 0) (void)dup2(stderr_fd, STDERR_FILENO);
    set_environment(variables);
    const int result = body(user);
    (void)fflush(NULL);
    _exit(result);
}

pid_t layer_process_start(
        const char *const *variables, int (*body)(void *user), void *user)
{
    return start(-1, variables, body, user);
}

int layer_process_wait(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int layer_process_run(
        const char *const *variables, int (*body)(void *user), void *user)
{
    return layer_process_wait(layer_process_start(variables, body, user));
}

int layer_process_listen(char **said, const char *const *variables,
        int (*body)(void *user), void *user)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/stderr", test_directory());
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int result = layer_process_wait(start(fd, variables, body, user));
    if (fd >= 0) close(fd);
    *said = layer_process_read_file(path);
    return result;
}

char *layer_process_read_file(const char *path)
{
    enum { most = 1 << 20 };
    FILE *file = fopen(path, "re");
    char *text = malloc(most + 1);
    if (file == NULL || text == NULL) {
        if (file != NULL) (void)fclose(file);
        free(text);
        return NULL;
    }
    text[fread(text, 1, most, file)] = '\0';
    (void)fclose(file);
    return text;
}
