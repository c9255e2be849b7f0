/* SPDX-License-Identifier: Apache-2.0 */
#include "identity_process.h"

#include "test.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_VARIABLES = 512, MAX_ARGUMENTS = 8, READ_SIZE = 4096 };

static bool same_name(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

/* The test's environment with some variables set besides. */
static void merge_environment(
        char *merged[MAX_VARIABLES], const char *const *more)
{
    size_t n = 0;
    for (char **at = environ; *at != NULL; at++) {
        bool replaced = false;
        for (size_t i = 0; more[i] != NULL; i++)
            replaced = replaced || same_name(more[i], *at);
        if (!replaced && n < MAX_VARIABLES - 1) merged[n++] = *at;
    }
    for (size_t i = 0; more[i] != NULL && n < MAX_VARIABLES - 1; i++)
        merged[n++] = (char *)(uintptr_t)more[i];
    merged[n] = NULL;
}

static char *read_all(int fd)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t n;
    do {
        text = realloc(text, size + READ_SIZE + 1);
        if (text == NULL) abort();
        n = read(fd, text + size, READ_SIZE);
        if (n > 0) size += (size_t)n;
    } while (n > 0 || (n < 0 && errno == EINTR));
    text[size] = '\0';
    return text;
}

/* Runs a program; its output, malloc'ed. */
static char *run(const char *program, char *const *arguments,
        char *const *environment, int *status)
{
    int ends[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) abort();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (posix_spawn(&pid, program, &actions, NULL, arguments, environment) != 0)
        abort();
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char *output = read_all(ends[0]);
    close(ends[0]);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        continue;
    return output;
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static struct bytes bytes_of_line(const struct identity *x, const char *key)
{
    char *text = identity_value(x, key);
    struct bytes b = {NULL, 0};
    if (text == NULL) return b;
    b = bytes_copy(text, strlen(text) / 2);
    for (size_t i = 0; i < b.size; i++)
        b.data[i] = (uint8_t)(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
    free(text);
    return b;
}

void identity_init(struct identity *identity, const char *const *environment,
        const char *const *arguments)
{
    identity_init_of(PRINT_IDS, identity, environment, arguments);
}

void identity_init_of(const char *program, struct identity *identity,
        const char *const *environment, const char *const *arguments)
{
    char *merged[MAX_VARIABLES];
    char *argv[MAX_ARGUMENTS + 2] = {(char *)(uintptr_t) "print_ids"};
    int status = -1;
    merge_environment(merged, environment);
    for (size_t i = 0; arguments != NULL && arguments[i] != NULL; i++)
        if (i < MAX_ARGUMENTS) argv[i + 1] = (char *)(uintptr_t)arguments[i];
    memset(identity, 0, sizeof *identity);
    identity->output = run(program, argv, merged, &status);
    if (status != 0)
        test_fail(__FILE__, __LINE__, "print_ids ended with %d: %s", status,
                identity->output);
    identity->engine = bytes_of_line(identity, "engine");
    identity->program = bytes_of_line(identity, "program");
    identity->primitive = bytes_of_line(identity, "primitive");
}

void identity_fini(struct identity *identity)
{
    bytes_free(&identity->engine);
    bytes_free(&identity->program);
    bytes_free(&identity->primitive);
    free(identity->output);
    memset(identity, 0, sizeof *identity);
}

/* The value of the next line "key=value" at or after `at`, NULL if none. */
static const char *find_value(const char *at, const char *key)
{
    size_t length = strlen(key);
    while (*at != '\0') {
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return NULL;
}

char *identity_value(const struct identity *identity, const char *key)
{
    const char *value = find_value(identity->output, key);
    return value != NULL ? strndup(value, strcspn(value, "\n")) : NULL;
}

bool identity_says(
        const struct identity *identity, const char *key, const char *part)
{
    const char *at = identity->output;
    while ((at = find_value(at, key)) != NULL) {
        const char *found = strstr(at, part);
        if (found != NULL && found < at + strcspn(at, "\n")) return true;
        at += strcspn(at, "\n");
    }
    return false;
}
