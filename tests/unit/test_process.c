/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are started, and channels to them. */
#include "src/platform/channel.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/process.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t in_ms(unsigned ms)
{
    return clock_ns() + ms * UINT64_C(1000000);
}

/* Only a failure comes near it. */
static uint64_t soon(void)
{
    return in_ms(60000);
}

static struct process_plan plan_of(char *arguments[4], char *script)
{
    static char shell[] = "/bin/sh";
    static char option[] = "-c";
    struct process_plan plan = PROCESS_PLAN_NONE;
    arguments[0] = shell;
    arguments[1] = option;
    arguments[2] = script;
    arguments[3] = NULL;
    plan.program = shell;
    plan.arguments = arguments;
    return plan;
}

static struct process_end run(const struct process_plan *plan)
{
    struct process process;
    struct process_end end = {.code = -1};
    EXPECT_EQ(0, process_start(&process, plan));
    EXPECT_TRUE(process_ended(&process, &end, soon()));
    EXPECT_EQ(0, process.number);
    return end;
}

TEST_C(Process, TellsHowItEnds)
{
    char exits[] = "exit 7";
    char dies[] = "kill -TERM $$";
    char *arguments[4];
    struct process_plan plan = plan_of(arguments, exits);
    struct process_end end = run(&plan);
    EXPECT_EQ(7, end.code);
    EXPECT_EQ(0, end.signal);
    EXPECT_FALSE(process_was_asked_to_end(&end));
    plan = plan_of(arguments, dies);
    end = run(&plan);
    EXPECT_EQ(-1, end.code);
    EXPECT_EQ(SIGTERM, end.signal);
    EXPECT_TRUE(process_was_asked_to_end(&end));
    EXPECT_FALSE(process_has_crashed(&end));
}

TEST_C(Process, TellsWhetherItCrashed)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static const int others[] = {0, SIGKILL, SIGTERM, SIGINT, SIGPIPE};
    for (size_t i = 0; i < COUNT(crashes); i++)
        EXPECT_TRUE(process_has_crashed(
                &(struct process_end){.code = -1, .signal = crashes[i]}));
    for (size_t i = 0; i < COUNT(others); i++)
        EXPECT_FALSE(process_has_crashed(
                &(struct process_end){.code = -1, .signal = others[i]}));
}

TEST_C(Process, ThatCannotBeRunIsNoProcess)
{
    char program[] = "/no/such/program";
    char *arguments[] = {program, NULL};
    struct process process;
    struct process_plan plan = PROCESS_PLAN_NONE;
    plan.program = program;
    plan.arguments = arguments;
    const int error = process_start(&process, &plan);
    /* ThreadSanitizer copies the memory: the status tells. */
    if (error != 0) {
        EXPECT_EQ(ENOENT, error);
        EXPECT_EQ(0, process.number);
    } else {
        struct process_end end;
        EXPECT_TRUE(process_ended(&process, &end, soon()));
        EXPECT_EQ(process_exit_not_found, end.code);
    }
    EXPECT_EQ(-1, waitpid(-1, NULL, WNOHANG));
}

TEST_C(Process, IsWaitedForUntilADeadlineAndKilledWithItsGroup)
{
    char script[] = "sleep 1000 & echo $! >&3; wait";
    char *arguments[4];
    char text[32] = "";
    int ends[2];
    struct process process;
    struct process_end end;
    struct process_plan plan = plan_of(arguments, script);
    ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
    plan.has_group = true;
    plan.file = ends[1];
    ASSERT_EQ(0, process_start(&process, &plan));
    close(ends[1]);
    EXPECT_TRUE(read(ends[0], text, sizeof text - 1) > 0);
    EXPECT_FALSE(process_ended(&process, &end, in_ms(20)));
    process_kill(&process);
    EXPECT_TRUE(process_ended(&process, &end, UINT64_MAX));
    EXPECT_EQ(SIGKILL, end.signal);
    /* The other one has the pipe, too, and has ended if nobody has it. */
    EXPECT_EQ(0, read(ends[0], text, sizeof text));
    close(ends[0]);
    process_kill(&process); /* none */
}

/* Nothing else is open there, and no signal blocked. */
TEST_C(Process, InheritsWhatThePlanSays)
{
    char script[] = "ls /proc/self/fd | tr '\\n' ' '; grep SigBlk "
                    "/proc/self/status; echo $ONE-$TWO-$OTHER; cat";
    static char one[] = "ONE=1";
    static char path[] = "PATH=/usr/bin:/bin";
    char *environment[] = {one, path, NULL};
    char *arguments[4];
    char text[512];
    size_t size = 0;
    ssize_t got = 0;
    int ends[2];
    sigset_t set;
    struct process process;
    struct process_end end;
    struct process_plan plan = plan_of(arguments, script);
    const int leaks = open("/dev/null", O_RDONLY); /* not closed on exec() */
    ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
    setenv("OTHER", "3", 1);
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    plan.output = ends[1];
    plan.environment = environment;
    ASSERT_EQ(0, process_start(&process, &plan));
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    close(ends[1]);
    while ((got = read(ends[0], text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)got;
    text[size] = '\0';
    EXPECT_TRUE(process_ended(&process, &end, soon()));
    EXPECT_EQ(0, end.code);
    /* 3 is that of ls. */
    EXPECT_TRUE(strncmp(text, "0 1 2 3 SigBlk:", 15) == 0);
    EXPECT_TRUE(strstr(text, "SigBlk:\t0000000000000000\n1--\n") != NULL);
    if (test_has_failed()) printf("%s\n", text);
    close(ends[0]);
    close(leaks);
}

/* A service may have closed some of its standard streams, or all. */
TEST_C(Process, IsStartedWithoutStandardStreams)
{
    char script[] = ": >&1 && : >&2 && "
                    "test \"$(readlink /proc/self/fd/0)\" = /dev/null";
    char *arguments[4];
    const struct process_plan plan = plan_of(arguments, script);
    for (int closed = 1; closed < 8; closed++) {
        int status = 1;
        const pid_t service = fork();
        if (service == 0) {
            for (int fd = 0; fd < 3; fd++)
                if ((closed >> fd & 1) != 0) close(fd);
            const struct process_end end = run(&plan);
            _exit(test_has_failed() || end.code != 0);
        }
        EXPECT_EQ(service, waitpid(service, &status, 0));
        EXPECT_EQ(0, status);
        if (status != 0) printf("closed: %d\n", closed);
    }
}

/* Whoever reaps all of its children does not have another process killed. */
TEST_C(Process, ThatTheApplicationHasReapedIsNone)
{
    char script[] = "exit 3";
    char *arguments[4];
    struct process process;
    struct process_end end;
    const struct process_plan plan = plan_of(arguments, script);
    ASSERT_EQ(0, process_start(&process, &plan));
    EXPECT_TRUE(waitpid(-1, NULL, 0) > 0);
    process_kill(&process);
    EXPECT_TRUE(process_ended(&process, &end, UINT64_MAX));
    EXPECT_EQ(-1, end.code);
    EXPECT_EQ(0, end.signal);
}

/* The parent is killed; what it had started holds a pipe as long as it lives.
 */
TEST_C(Process, DiesWithItsParentIfItShall)
{
    char script[] = "exec sleep 1000";
    char *arguments[4];
    char byte;
    int ends[2];
    struct process_plan plan = plan_of(arguments, script);
    ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
    plan.dies_with_parent = true;
    plan.file = ends[1];
    const pid_t parent = fork();
    if (parent == 0) {
        struct process process;
        if (process_start(&process, &plan) == 0) raise(SIGKILL);
        _exit(1);
    }
    close(ends[1]);
    EXPECT_EQ(parent, waitpid(parent, NULL, 0));
    EXPECT_EQ(0, read(ends[0], &byte, 1));
    close(ends[0]);
}

TEST_C(ProcessVariables, AreChangedWithoutThisProcesssOwn)
{
    struct process_variables v;
    setenv("KEEP_1", "a=b", 1);
    setenv("GONE_1", "x", 1);
    setenv("GONE_2", "y", 1);
    process_variables_init(&v);
    process_variables_remove(&v, "GONE_");
    process_variables_set(&v, "NEW", "1");
    process_variables_set(&v, "NEW", "2");
    process_variables_set(&v, "KEE", NULL); /* is the beginning of another */
    EXPECT_FALSE(v.has_failed);
    EXPECT_TRUE(strcmp("a=b", process_variables_get(&v, "KEEP_1")) == 0);
    EXPECT_TRUE(strcmp("2", process_variables_get(&v, "NEW")) == 0);
    EXPECT_TRUE(process_variables_get(&v, "GONE_1") == NULL);
    EXPECT_TRUE(process_variables_get(&v, "GONE_2") == NULL);
    process_variables_set(&v, "NEW", NULL);
    EXPECT_TRUE(process_variables_get(&v, "NEW") == NULL);
    EXPECT_TRUE(v.list[v.count] == NULL);
    process_variables_fini(&v);
    EXPECT_TRUE(strcmp("x", getenv("GONE_1")) == 0);
    EXPECT_TRUE(getenv("NEW") == NULL);
}

/* ---- Channels ------------------------------------------------------------ */

TEST_C(Channel, CarriesBytesToAProcessAndBack)
{
    char script[] = "head -c 5; head -c 2 | tr a-z A-Z";
    char *arguments[4];
    char text[8] = "";
    struct channel channel;
    struct process process;
    struct process_end end;
    struct process_plan plan = plan_of(arguments, script);
    ASSERT_EQ(0, channel_open(&channel, &plan.input));
    plan.output = plan.input;
    ASSERT_EQ(0, process_start(&process, &plan));
    close(plan.input);
    EXPECT_EQ(0, channel_send(&channel, "12345", 5, soon()));
    EXPECT_EQ(0, channel_receive(&channel, text, 5, soon()));
    EXPECT_TRUE(memcmp(text, "12345", 5) == 0);
    EXPECT_EQ(0, channel_send(&channel, "ab", 2, soon()));
    EXPECT_EQ(0, channel_receive(&channel, text, 2, soon()));
    EXPECT_TRUE(memcmp(text, "AB", 2) == 0);
    EXPECT_EQ(EPIPE, channel_receive(&channel, text, 1, soon()));
    EXPECT_TRUE(process_ended(&process, &end, soon()));
    channel_close(&channel);
    channel_close(&channel);
}

/* A signal would end this test. */
TEST_C(Channel, KeepsDeadlinesAndSendsNoSignal)
{
    static const char much[1 << 20];
    struct channel channel;
    char byte;
    bool ready[2];
    int other;
    ASSERT_EQ(0, channel_open(&channel, &other));
    const struct channel *const channels[] = {&channel};
    EXPECT_EQ(ETIMEDOUT, channel_receive(&channel, &byte, 1, in_ms(10)));
    EXPECT_EQ(ETIMEDOUT, channel_send(&channel, much, sizeof much, in_ms(10)));
    EXPECT_FALSE(channel_wait(ready, channels, 1, -1, 1));
    EXPECT_EQ(1, write(other, "x", 1));
    EXPECT_TRUE(channel_wait(ready, channels, 1, -1, 60000));
    EXPECT_TRUE(ready[0]);
    EXPECT_FALSE(ready[1]);
    close(other);
    EXPECT_EQ(EPIPE, channel_send(&channel, much, sizeof much, soon()));
    channel_close(&channel);
    EXPECT_FALSE(channel_is_open(&channel));
    EXPECT_FALSE(channel_wait(ready, channels, 1, -1, 1));
}

/* Its number may be a file of the application's meanwhile. */
TEST_C(Channel, ThatTheApplicationHasClosedIsNotUsed)
{
    struct channel channel;
    bool ready[2];
    int other;
    int ends[2];
    char byte;
    ASSERT_EQ(0, channel_open(&channel, &other));
    const struct channel *const channels[] = {&channel};
    ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    EXPECT_EQ(channel.kept.fd, dup2(ends[0], channel.kept.fd));
    const int number = channel.kept.fd;
    EXPECT_EQ(1, write(ends[1], "x", 1));
    EXPECT_EQ(EBADF, channel_send(&channel, "y", 1, soon()));
    EXPECT_EQ(EBADF, channel_receive(&channel, &byte, 1, soon()));
    EXPECT_FALSE(channel_wait(ready, channels, 1, -1, 1));
    channel_end(&channel);
    channel_close(&channel);
    EXPECT_EQ(1, read(number, &byte, 1));
    EXPECT_EQ('x', byte);
    close(number);
    close(ends[0]);
    close(ends[1]);
    close(other);
}

/* ---- A copy of this process ---------------------------------------------- */

/* The byte that comes as input; 1 for a file that is none of the plan's, and
 * for the end of the input. */
static int read_byte(void *user)
{
    const struct timespec moment = {0, 50000000};
    uint8_t byte;
    size_t got;
    (void)nanosleep(&moment, NULL);
    for (int fd = process_file; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0) return 1;
    if (file_read_some(&got, file_standard_input, &byte, 1) != 0 || got == 0)
        return 1;
    *(int *)user = byte; /* of the copy alone */
    return byte;
}

/* signal: what is sent to it before it reads; 0: none. */
static struct process_end end_of_copy(bool ignores_end, int signal)
{
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct process process;
    struct process_end end = {.code = -1};
    int writing;
    int value = 0;
    EXPECT_EQ(0, file_pipe(&plan.input, &writing));
    plan.ignores_end = ignores_end;
    EXPECT_EQ(0, process_start_copy(&process, &plan, read_byte, &value));
    EXPECT_EQ(0, file_close(plan.input));
    if (signal != 0) {
        const struct timespec moment = {0, 10000000};
        (void)nanosleep(&moment, NULL);
        EXPECT_EQ(0, kill((pid_t)process.number, signal));
    }
    if (signal == SIGSTOP) process_resume(&process);
    const int error = file_write_patiently(writing, "*", 1, 1000);
    EXPECT_TRUE(error == 0 || (signal != 0 && error == EPIPE));
    EXPECT_TRUE(process_ended(&process, &end, UINT64_MAX));
    EXPECT_EQ(0, file_close(writing));
    EXPECT_EQ(0, value);
    return end;
}

TEST_C(Process, CopyHasTheFilesOfItsPlanAlone)
{
    EXPECT_EQ('*', end_of_copy(false, 0).code);
    EXPECT_EQ('*', end_of_copy(false, SIGSTOP).code);
}

TEST_C(Process, CopyIgnoresBeingAskedToEndIfItIsToldTo)
{
    EXPECT_EQ('*', end_of_copy(true, SIGTERM).code);
    EXPECT_EQ('*', end_of_copy(true, SIGINT).code);
    const struct process_end end = end_of_copy(false, SIGTERM);
    EXPECT_EQ(SIGTERM, end.signal);
    EXPECT_TRUE(process_was_asked_to_end(&end));
}

/* A pipe that does not wait, as who shares it may have made it. */
TEST_C(File, IsWrittenPatientlyToOneThatDoesNotWait)
{
    static char text[256 << 10];
    struct process_plan plan = PROCESS_PLAN_NONE;
    int writing;
    ASSERT_EQ(0, file_pipe(&plan.input, &writing));
    ASSERT_EQ(0, fcntl(writing, F_SETFL, O_NONBLOCK));
    EXPECT_EQ(EAGAIN, file_write_all(writing, text, sizeof text));
    EXPECT_EQ(EAGAIN, file_write_patiently(writing, text, sizeof text, 1));
    EXPECT_EQ(0, file_close(plan.input));
    EXPECT_EQ(0, file_close(writing));
}

/* ---- Memory -------------------------------------------------------------- */

enum { large = 256 << 20 };

/* Begun by the next one. */
TEST_C(Process, HasAPeakOfItsOwnAsAChild)
{
    EXPECT_GT(process_peak_memory(), UINT64_C(1) << 20);
    if (getenv("TEST_PROCESS_CHILD") == NULL) return;
    EXPECT_LT(process_peak_memory(), (uint64_t)large / 2);
}

/* Memory that the process had which started it does not count. */
TEST_C(Process, HasAPeakOfItsOwn)
{
    char name[] = "test_process";
    char filter[] = "--gtest_filter=Process.HasAPeakOfItsOwnAsAChild";
    char *arguments[] = {name, filter, NULL};
    struct process_plan plan = PROCESS_PLAN_NONE;
    char *memory = malloc(large);
    ASSERT_NOT_NULL(memory);
    for (size_t at = 0; at < large; at += 1024)
        ((volatile char *)memory)[at] = 1;
    EXPECT_GT(process_peak_memory(), (uint64_t)large);
    EXPECT_EQ(0, setenv("TEST_PROCESS_CHILD", "1", 1));
    plan.arguments = arguments;
    const struct process_end end = run(&plan);
    EXPECT_EQ(0, unsetenv("TEST_PROCESS_CHILD"));
    free(memory);
    EXPECT_EQ(0, end.code);
}
