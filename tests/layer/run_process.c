/* SPDX-License-Identifier: Apache-2.0 */
#include "run_process.h"

#include "layer_process.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ended_fini(struct ended *ended)
{
    free(ended->out);
    free(ended->err);
}

/* Who starts the tests in the background may have them ignore signals. No shell
 * traps one that was ignored when it started. */
static void heed_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
            SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)sigaction(signals[i], &usual, NULL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn void run_become(const char *program, const char *const *variables,
        const char *const *arguments)
{
    heed_signals();
    const int out = open(in_test("out"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const int err = open(in_test("err"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    char *argv[arguments_max + 2] = {(char *)(uintptr_t)program};
    for (int i = 0; i < arguments_max && arguments[i] != NULL; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    unsetenv("OPENCL_LAYERS");
    for (; variables != NULL && *variables != NULL; variables++)
        putenv((char *)(uintptr_t)*variables);
    if (chdir(test_directory()) == 0 && dup2(out, STDOUT_FILENO) >= 0
            && dup2(err, STDERR_FILENO) >= 0)
        execv(program, argv);
    _exit(99);
}

struct ended run_program(const char *program, const char *const *variables,
        const char *const *arguments)
{
    struct ended ended;
    const char *directory =
            test_directory(); /* the parent's, not the child's */
    pid_t child;
    (void)directory;
    fflush(NULL);
    child = fork();
    if (child == 0) run_become(program, variables, arguments);
    ended.code = layer_process_wait(child);
    ended.out = layer_process_read_file(in_test("out"));
    ended.err = layer_process_read_file(in_test("err"));
    EXPECT_NOT_NULL(ended.out);
    EXPECT_NOT_NULL(ended.err);
    return ended;
}

void expect_said(const struct ended *ended, int code, const char *text)
{
    EXPECT_EQ(code, ended->code);
    if (strstr(ended->err, text) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", text, ended->err);
}

void copy_file(const char *from, const char *to)
{
    struct ended ended =
            run_program("/bin/cp", NULL, (const char *const[]){from, to, NULL});
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
}

void write_file(const char *path, mode_t mode, const char *text)
{
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_GE(fprintf(file, "%s", text), 0);
    EXPECT_EQ(0, fclose(file));
    EXPECT_EQ(0, chmod(path, mode));
}
