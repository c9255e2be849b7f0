/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache-run beside a command and after it: what is kept when, signals, and
 * how all of it ends. */
#include "layer_process.h"
#include "run_process.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- The end of a command ------------------------------------------------ */

/* A runner, with a tool beside it that notes how it was called; a store with a
 * journal. */
static const char *make_own_runner(const char *tool)
{
    static char runner[512];
    EXPECT_EQ(0, mkdir(in_test("own"), 0700));
    EXPECT_EQ(0, mkdir(in_test("store"), 0700));
    copy_file(RUNNER, in_test("own/runner"));
    if (tool != NULL) write_file(in_test("own/dnnl-cache"), 0700, tool);
    write_file(in_test("store/journal"), 0600, "");
    snprintf(runner, sizeof runner, "%s", in_test("own/runner"));
    return runner;
}

static const char noting_tool[] = "#!/bin/sh\n"
                                  "echo \"$@\" \"[${OPENCL_LAYERS-}]\" >>tool\n"
                                  "echo progress\n";

#define RUN_OWN(runner, ...)                                               \
    run_program(runner, NULL,                                              \
            (const char *const[]){"--layer", REAL_LAYER, "--dir", "store", \
                    __VA_ARGS__, NULL})

static void expect_tool_called(const char *expected)
{
    char *called = layer_process_read_file(in_test("tool"));
    EXPECT_STR_EQ(expected, called != NULL ? called : "not called");
    free(called);
    (void)remove(in_test("tool"));
}

TEST_C(Run, KeepsWhatACommandBuiltAfterItsEndIfToldTo)
{
    char expected[1024];
    const char *runner = make_own_runner(noting_tool);
    struct ended ended = RUN_OWN(runner, "--wait", "sh", "-c",
            "echo out; echo note >>store/journal; exit 7");
    EXPECT_EQ(7, ended.code);
    EXPECT_STR_EQ("out\n", ended.out);
    EXPECT_STR_EQ("", ended.err);
    snprintf(expected, sizeof expected,
            "refresh --store %s --read-files --journal-only --wait 10s "
            "--layer " REAL_LAYER " []\n",
            in_test("store"));
    expect_tool_called(expected);
    ended_fini(&ended);
    /* It left nothing: others are not waited for. */
    const char *const waits[] = {"DNNL_CACHE_RUN_WAIT=1", NULL};
    ended = run_program(runner, waits,
            (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                    "--quiet", "true", NULL});
    EXPECT_EQ(0, ended.code);
    snprintf(expected, sizeof expected,
            "refresh --store %s --read-files --journal-only --wait 0 --quiet "
            "--layer " REAL_LAYER " []\n",
            in_test("store"));
    expect_tool_called(expected);
    ended_fini(&ended);
}

TEST_C(Run, LeavesKeepingToOthersIfToldTo)
{
    const char *runner = make_own_runner(noting_tool);
    struct ended ended = RUN_OWN(runner, "--no-wait", "true");
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    ended = RUN_OWN(runner, "--off", "true");
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    ended = RUN_OWN(runner, "true"); /* what it leaves is for the next */
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    ended = RUN_OWN(runner, "--wait", "./not-there");
    expect_said(&ended, 127, "./not-there");
    ended_fini(&ended);
    EXPECT_EQ(0, remove(in_test("store/journal")));
    ended = RUN_OWN(runner, "--wait", "true"); /* there is nothing to keep */
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    expect_tool_called("not called");
}

TEST_C(Run, TellsThatTheToolFailed)
{
    const char *runner = make_own_runner("#!/bin/sh\nexit 3\n");
    struct ended ended = RUN_OWN(runner, "--wait", "sh", "-c", "exit 7");
    expect_said(&ended, 7, "exited with 3");
    ended_fini(&ended);
    EXPECT_EQ(0, remove(in_test("own/dnnl-cache")));
    const char *const no_path[] = {"PATH=/nowhere", NULL};
    ended = run_program(runner, no_path,
            (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                    "--wait", "/bin/true", NULL});
    expect_said(&ended, 0, "run dnnl-cache refresh --store");
    ended_fini(&ended);
}

/* ---- Beside a command ---------------------------------------------------- */

/* A journal with something in it: more than the head of one. */
static const char *make_runner_with_notes(const char *tool)
{
    const char *runner = make_own_runner(tool);
    write_file(in_test("store/journal"), 0600,
            "as long as the head of a journal, and longer\n");
    return runner;
}

/* What is done beside a command needs a processor besides. */
static bool has_two_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

/* It notes its priorities, and that it is there; then it lives until it is
 * ended, and notes how. */
static const char staying_tool[] =
        "#!/bin/sh\n"
        "trap 'kill $!; echo ended >>how; exit 0' TERM\n"
        "echo \"$@\" \"[${OPENCL_LAYERS-}]\" >>tool\n"
        "echo $(ps -o ni=,cls= -p $$) >>priority\n"
        "echo printed; echo complained >&2\n"
        "echo $$ >pid; echo >there\n"
        "while :; do sleep 1000 & wait $!; kill $!; done\n";

static void expect_file(const char *name, const char *expected)
{
    char *text = layer_process_read_file(in_test(name));
    EXPECT_STR_EQ(expected, text != NULL ? text : "not there");
    free(text);
}

/* Another process writes it: a shell makes the file first. */
static void await_file(const char *name, const char *expected)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct stat status = {.st_size = 0};
    for (int i = 0; i < 10000 && status.st_size == 0; i++) {
        if (stat(in_test(name), &status) != 0) status.st_size = 0;
        nanosleep(&pause, NULL);
    }
    expect_file(name, expected);
}

TEST_C(Run, KeepsWhatWasLeftBesideACommand)
{
    char expected[1024];
    if (!has_two_processors()) SKIP_TEST("one processor");
    const char *runner = make_runner_with_notes(staying_tool);
    EXPECT_EQ(0, mkfifo(in_test("there"), 0600));
    struct ended ended =
            RUN_OWN(runner, "sh", "-c", "read line <there; echo out; exit 7");
    EXPECT_EQ(7, ended.code);
    EXPECT_STR_EQ("out\n", ended.out);
    EXPECT_STR_EQ("", ended.err);
    snprintf(expected, sizeof expected,
            "refresh --store %s --read-files --journal-only --wait 0 --quiet "
            "--layer " REAL_LAYER " --jobs 1 --program-timeout 1h []\n",
            in_test("store"));
    expect_tool_called(expected);
    expect_file("priority", "- IDL\n");
    expect_file("how", "ended\n"); /* with the command, and not before */
    ended_fini(&ended);
}

TEST_C(Run, DoesNothingBesideACommandWithoutNotes)
{
    const char *runner = make_own_runner(noting_tool);
    write_file(in_test("store/journal"), 0600, "0123456789abcdef");
    struct ended ended = RUN_OWN(runner, "sleep", "0.2");
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    ended = RUN_OWN(runner, "--no-wait", "sleep", "0.2");
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    expect_tool_called("not called");
}

/* ---- Behind a command ---------------------------------------------------- */

/* What the command adds to the journal: a record without a payload. Printed by
 * printf(1). */
#define RECORD(kind)                                   \
    "dnjr\\" kind "\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"  \
    "\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0" \
    "\\0\\0\\0\\0\\0\\0\\0\\0"

static const char launch_then_made[] =
        "printf '" RECORD("3") RECORD("11") "' >>store/journal";
static const char launch_alone[] = "printf '" RECORD("3") "' >>store/journal";

/* Builds with a payload of twelve bytes; NVIDIA's finaliser has such a name. */
#define BUILD(text)                                    \
    "dnjr\\2\\0\\0\\0\\14\\0\\0\\0\\0\\0\\0\\0"        \
    "\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0" \
    "\\0\\0\\0\\0\\0\\0\\0\\0" text

static const char build_without_form[] =
        "printf '" BUILD("nvidia-ptx 1") "' >>store/journal";
static const char build_of_another[] =
        "printf '" BUILD("nvidia-and-1") "' >>store/journal";

static const char *make_runner_with_head(const char *tool)
{
    const char *runner = make_own_runner(tool);
    write_file(in_test("store/journal"), 0600, "0123456789abcdef");
    return runner;
}

TEST_C(Run, StoresBehindACommandWhatIsCompiled)
{
    char expected[1024];
    const char *runner = make_runner_with_head(noting_tool);
    struct ended ended = RUN_OWN(runner, "sh", "-c", launch_alone);
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    expect_tool_called("not called");
    write_file(in_test("store/journal"), 0600, "0123456789abcdef");
    ended = RUN_OWN(runner, "sh", "-c", launch_then_made);
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ("", ended.out);
    EXPECT_STR_EQ("", ended.err);
    ended_fini(&ended);
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; access(in_test("tool"), F_OK) != 0 && i < 10000; i++)
        nanosleep(&pause, NULL);
    snprintf(expected, sizeof expected,
            "refresh --store %s --read-files --journal-only --wait 0 --quiet "
            "--layer " REAL_LAYER " --compiled-only --jobs 1 []\n",
            in_test("store"));
    expect_tool_called(expected);
}

/* Their machine code is made then. */
TEST_C(Run, CompletesBehindACommandWhatIsStoredWithoutItsForm)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const char *runner = make_runner_with_head(noting_tool);
    struct ended ended = RUN_OWN(runner, "sh", "-c", build_of_another);
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    expect_tool_called("not called");
    write_file(in_test("store/journal"), 0600, "0123456789abcdef");
    ended = RUN_OWN(runner, "sh", "-c", build_without_form);
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    for (int i = 0; access(in_test("tool"), F_OK) != 0 && i < 10000; i++)
        nanosleep(&pause, NULL);
    char *called = layer_process_read_file(in_test("tool"));
    ASSERT_TRUE(called != NULL);
    EXPECT_TRUE(strstr(called, "--compiled-only") != NULL);
    free(called);
}

/* For all of them, and not for ever: the lock is held to the end. */
TEST_C(Run, WaitsForProgramsThatAreBeingStored)
{
    enum { programs = 9, least_ms = 400 };
    const char *runner = make_runner_with_head(noting_tool);
    FILE *journal = fopen(in_test("store/journal"), "a");
    ASSERT_TRUE(journal != NULL);
    for (int i = 0; i < programs; i++) {
        static const char record[40] = {'d', 'n', 'j', 'r', 9};
        EXPECT_EQ(1, fwrite(record, sizeof record, 1, journal));
    }
    EXPECT_EQ(0, fclose(journal));
    const int lock = open(
            in_test("store/journal.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(0, flock(lock, LOCK_EX | LOCK_NB));
    struct timespec began, ended_at;
    (void)clock_gettime(CLOCK_MONOTONIC, &began);
    struct ended ended = RUN_OWN(runner, "sh", "-c", "exit 3");
    (void)clock_gettime(CLOCK_MONOTONIC, &ended_at);
    EXPECT_EQ(3, ended.code);
    ended_fini(&ended);
    EXPECT_GE((ended_at.tv_sec - began.tv_sec) * 1000
                      + (ended_at.tv_nsec - began.tv_nsec) / 1000000,
            least_ms);
    close(lock);
}

/* It is not ended either. */
TEST_C(Run, DoesNotWaitForASlowToolBehindACommand)
{
    const char *runner = make_runner_with_head(
            "#!/bin/sh\nread line <go\necho done >>how\n");
    EXPECT_EQ(0, mkfifo(in_test("go"), 0600));
    struct ended ended = RUN_OWN(runner, "sh", "-c", launch_then_made);
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    EXPECT_NE(0, access(in_test("how"), F_OK));
    write_file(in_test("go"), 0600, "go\n");
    await_file("how", "done\n");
}

/* Whoever reads a pipe of the command's to its end is not kept waiting. */
TEST_C(Run, HoldsNoFileOfACommandBehindIt)
{
    enum { patience_ms = 10000 };
    const char *runner = make_runner_with_head(
            "#!/bin/sh\nread line <go\necho done >>how\n");
    int ends[2];
    char byte;
    EXPECT_EQ(0, mkfifo(in_test("go"), 0600));
    ASSERT_EQ(0, pipe(ends));
    struct ended ended = RUN_OWN(runner, "sh", "-c", launch_then_made);
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    close(ends[1]);
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    EXPECT_EQ(1, poll(&end, 1, patience_ms));
    if (end.revents != 0) EXPECT_EQ(0, read(ends[0], &byte, 1));
    close(ends[0]);
    EXPECT_NE(0, access(in_test("how"), F_OK));
    write_file(in_test("go"), 0600, "go\n");
    await_file("how", "done\n");
}

/* It would be taken from the command. */
TEST_C(Run, DoesNothingBesideACommandOnOneProcessor)
{
    cpu_set_t all;
    cpu_set_t one;
    const char *runner = make_runner_with_notes(noting_tool);
    ASSERT_EQ(0, sched_getaffinity(0, sizeof all, &all));
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    ASSERT_EQ(0, sched_setaffinity(0, sizeof one, &one));
    struct ended ended = RUN_OWN(runner, "sleep", "0.2");
    EXPECT_EQ(0, sched_setaffinity(0, sizeof all, &all));
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    expect_tool_called("not called");
}

TEST_C(Run, TellsThatTheToolFailedBesideACommand)
{
    if (!has_two_processors()) SKIP_TEST("one processor");
    /* Until the tool has been waited for. */
    static const char command[] =
            "read tool <there; for i in $(seq 200); do "
            "kill -0 $tool 2>/dev/null || break; sleep 0.05; done; exit 7";
    const char *runner =
            make_runner_with_notes("#!/bin/sh\necho $$ >there; exit 3\n");
    EXPECT_EQ(0, mkfifo(in_test("there"), 0600));
    struct ended ended = RUN_OWN(runner, "sh", "-c", command);
    expect_said(&ended, 7, "exited with 3");
    ended_fini(&ended);
    ended = RUN_OWN(runner, "--quiet", "sh", "-c", command);
    EXPECT_STR_EQ("", ended.err);
    ended_fini(&ended);
}

TEST_C(Run, KeepsALogIfToldTo)
{
    if (!has_two_processors()) SKIP_TEST("one processor");
    const char *runner = make_runner_with_notes(staying_tool);
    EXPECT_EQ(0, mkfifo(in_test("there"), 0600));
    struct ended ended = RUN_OWN(
            runner, "--verbose", "sh", "-c", "read line <there; echo out");
    expect_said(&ended, 0, in_test("store/layer/refresh.log"));
    EXPECT_STR_EQ("out\n", ended.out);
    EXPECT_NULL(strstr(ended.err, "complained"));
    char *log = layer_process_read_file(in_test("store/layer/refresh.log"));
    ASSERT_NOT_NULL(log);
    EXPECT_NOT_NULL(strstr(log, "printed\ncomplained\n"));
    EXPECT_NOT_NULL(strstr(log, " s of processor time\n"));
    free(log);
    ended_fini(&ended);
}

/* ---- Signals ------------------------------------------------------------- */

/* Starts the runner with a shell's script, which writes to the pipe `ready`
 * when it may be sent signals. In a process group of its own, with this process
 * as the parent in another one: the kernel drops a SIGTSTP to an orphaned
 * group, and the tests' own group is one if whoever started them is gone. */
static pid_t start_script(const char *runner, const char *script, bool waits)
{
    const char *directory = test_directory();
    char byte;
    (void)directory;
    EXPECT_EQ(0, mkfifo(in_test("ready"), 0600));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (setpgid(0, 0) != 0) _exit(98);
        run_become(runner, NULL,
                (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                        waits ? "--wait" : "--", "sh", "-c", script, NULL});
    }
    const int ready = open(in_test("ready"), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(1, read(ready, &byte, 1));
    close(ready);
    EXPECT_EQ(0, remove(in_test("ready")));
    return child;
}

/* What became of the child. One that neither ends nor stops in minutes is
 * ended, and fails the test. */
static int status_of(pid_t child, int options)
{
    enum { most_pauses = 5 * 60 * 100 };
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    int status = 0;
    int pauses = 0;
    pid_t found;
    while ((found = waitpid(child, &status, options | WNOHANG)) == 0
            && pauses++ < most_pauses)
        nanosleep(&pause, NULL);
    EXPECT_EQ(child, found);
    if (found == 0) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, &status, 0);
    }
    return status;
}

TEST_C(Run, ForwardsSignals)
{
    static const int signals[] = {
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
    static const char script[] =
            "for s in INT TERM HUP QUIT USR1 USR2 WINCH; do\n"
            "trap \"echo $s; kill \\$!; exit 9\" $s; done\n"
            "sleep 1000 & echo . >ready; wait $!\n";
    static const char *const names[] = {"INT\n", "TERM\n", "HUP\n", "QUIT\n",
            "USR1\n", "USR2\n", "WINCH\n"};
    const char *runner = make_own_runner(noting_tool);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const pid_t child = start_script(runner, script, true);
        EXPECT_EQ(0, kill(child, signals[i]));
        const int status = status_of(child, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9);
        char *out = layer_process_read_file(in_test("out"));
        EXPECT_STR_EQ(names[i], out);
        free(out);
        EXPECT_EQ(0, access(in_test("tool"), F_OK)); /* kept all the same */
        EXPECT_EQ(0, remove(in_test("tool")));
    }
}

TEST_C(Run, EndsBySignalsThatEndTheCommand)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGKILL, SIGSEGV};
    char script[64];
    const char *runner = make_own_runner(noting_tool);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        snprintf(script, sizeof script, "echo . >ready; kill -%d $$",
                signals[i]);
        const int status = status_of(start_script(runner, script, true), 0);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        EXPECT_EQ(0, access(in_test("tool"), F_OK));
        EXPECT_EQ(0, remove(in_test("tool")));
    }
}

/* The command's end shows in a pipe that it alone holds. */
TEST_C(Run, TakesTheCommandAlongWhenItIsKilled)
{
    char byte;
    const char *runner = make_own_runner(noting_tool);
    EXPECT_EQ(0, mkfifo(in_test("alive"), 0600));
    const int alive = open(in_test("alive"), O_RDWR | O_CLOEXEC);
    const pid_t child = start_script(
            runner, "exec 9>alive; echo . >ready; exec sleep 1000", true);
    const int reader = open(in_test("alive"), O_RDONLY | O_CLOEXEC);
    close(alive);
    EXPECT_EQ(0, kill(child, SIGKILL));
    EXPECT_TRUE(WIFSIGNALED(status_of(child, 0)));
    EXPECT_EQ(0, read(reader, &byte, 1)); /* ends with the command */
    close(reader);
}

/* So does what is done beside it: in good order, as it is asked to. */
TEST_C(Run, TakesTheToolAlongWhenItIsKilled)
{
    enum { most_pauses = 60 * 100 };
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    if (!has_two_processors()) SKIP_TEST("one processor");
    const char *runner = make_runner_with_notes(staying_tool);
    EXPECT_EQ(0, mkfifo(in_test("there"), 0600));
    const pid_t child = start_script(
            runner, "read line <there; echo . >ready; exec sleep 1000", false);
    EXPECT_EQ(0, kill(child, SIGKILL));
    EXPECT_TRUE(WIFSIGNALED(status_of(child, 0)));
    for (int i = 0; access(in_test("how"), F_OK) != 0 && i < most_pauses; i++)
        nanosleep(&pause, NULL);
    expect_file("how", "ended\n");
}

/* Whether or not it heeds that it is asked to end. */
TEST_C(Run, WaitsForNoToolThatDoesNotEnd)
{
    struct timespec begun;
    struct timespec ended_at;
    if (!has_two_processors()) SKIP_TEST("one processor");
    const char *runner = make_runner_with_notes(
            "#!/bin/sh\ntrap '' TERM\necho >there\nexec sleep 1000\n");
    EXPECT_EQ(0, mkfifo(in_test("there"), 0600));
    clock_gettime(CLOCK_MONOTONIC, &begun);
    struct ended ended = RUN_OWN(runner, "sh", "-c", "read line <there");
    clock_gettime(CLOCK_MONOTONIC, &ended_at);
    EXPECT_EQ(0, ended.code);
    EXPECT_GT(100, ended_at.tv_sec - begun.tv_sec);
    ended_fini(&ended);
}

TEST_C(Run, StopsAndGoesOnWithTheCommand)
{
    const char *runner = make_own_runner(noting_tool);
    const pid_t child = start_script(runner,
            "trap 'kill $!; exit 9' USR1; sleep 1000 & echo . >ready\n"
            "while :; do wait $!; done",
            true);
    EXPECT_EQ(0, kill(child, SIGTSTP));
    EXPECT_TRUE(WIFSTOPPED(status_of(child, WUNTRACED)));
    EXPECT_EQ(0, kill(child, SIGCONT));
    EXPECT_EQ(0, kill(child, SIGUSR1));
    const int status = status_of(child, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

/* ---- As a container's first process -------------------------------------- */

/* A child that becomes the first process of a PID namespace, and ends as that
 * does; 77: the machine allows no namespace. */
static pid_t start_first_process(const char *runner, const char *script)
{
    const char *directory = test_directory();
    (void)directory;
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0) return child;
    if (unshare(CLONE_NEWPID) != 0) _exit(77);
    const pid_t first = fork();
    if (first == 0)
        run_become(runner, NULL,
                (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                        "--wait", "sh", "-c", script, NULL});
    _exit(layer_process_wait(first));
}

/* The first process gets no signal that it does not handle, and its namespace
 * ends with it; orphans are its children. */
TEST_C(Run, IsTheFirstProcessOfAContainer)
{
    static const struct {
        const char *script;
        int code;
    } cases[] = {
            {"trap 'exit 9' TERM; kill -TERM 1; while :; do sleep 0.01; done",
                    9},
            {"kill -TERM 1; while :; do sleep 0.01; done", 128 + SIGTERM},
            {"(sleep 0.01 & echo $! >orphan)\n"
             "while kill -0 $(cat orphan) 2>/dev/null; do sleep 0.01; done",
                    0},
    };
    const char *runner = make_own_runner(noting_tool);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int code = layer_process_wait(
                start_first_process(runner, cases[i].script));
        if (code == 77) SKIP_TEST("no PID namespace may be made");
        EXPECT_EQ(cases[i].code, code);
        EXPECT_EQ(0, access(in_test("tool"), F_OK)); /* kept all the same */
        (void)remove(in_test("tool"));
    }
}

/* On a terminal, whose signals go to all: the command gets each once. */
TEST_C(Run, SendsNoSignalOfATerminalTwice)
{
    const char *runner = make_own_runner(noting_tool);
    const char *directory = test_directory();
    char name[128];
    char byte;
    (void)directory;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0
                && unlockpt(terminal) == 0
                && ptsname_r(terminal, name, sizeof name) == 0);
    EXPECT_EQ(0, mkfifo(in_test("ready"), 0600));
    EXPECT_EQ(0, mkfifo(in_test("heard"), 0600));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (setsid() < 0 || open(name, O_RDWR) < 0) _exit(98);
        run_become(runner, NULL,
                (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                        "sh", "-c",
                        "trap 'echo INT; echo . >heard' INT\n"
                        "trap 'exit 9' USR1; echo . >ready\n"
                        "while :; do sleep 1000 & wait $!; kill $!; done",
                        NULL});
    }
    const int ready = open(in_test("ready"), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(1, read(ready, &byte, 1));
    const int heard = open(in_test("heard"), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(1, write(terminal, "\x03", 1));
    EXPECT_EQ(1, read(heard, &byte, 1));
    /* The runner takes its own SIGINT before this one. */
    EXPECT_EQ(0, kill(child, SIGUSR1));
    const int status = status_of(child, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    char *out = layer_process_read_file(in_test("out"));
    EXPECT_STR_EQ("INT\n", out);
    free(out);
    close(heard);
    close(ready);
    close(terminal);
}
