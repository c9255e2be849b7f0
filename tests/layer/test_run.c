/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache-run as a process: what a command finds in its environment, and
 * how it ends. The layer that counts stands in for the one that caches. */
#include "layer_process.h"
#include "test.h"
#include "tools/run/layer_list.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Lists of layers ----------------------------------------------------- */

static void expect_with(const char *expected, const char *list)
{
    char *made = layer_list_with(list, "/new/layer.so");
    EXPECT_STR_EQ(expected, made);
    free(made);
}

TEST_C(LayerList, PutsTheLayerNextToTheDriver)
{
    expect_with("/new/layer.so", "");
    expect_with("/new/layer.so:a.so:/b/b.so", "a.so:/b/b.so");
    expect_with("/new/layer.so:a.so", "::a.so:");
    expect_with("/new/layer.so:/my/other_layer.so", "/my/other_layer.so");
}

TEST_C(LayerList, KeepsThePlaceOfTheLayer)
{
    expect_with("a.so:/new/layer.so:b.so", "a.so:layer.so:b.so");
    expect_with("a.so:/new/layer.so", "a.so:/old/layer.so:/new/layer.so");
}

static void expect_without(const char *expected, const char *list)
{
    char *made = layer_list_without(list, "layer.so");
    EXPECT_STR_EQ(expected, made);
    free(made);
}

TEST_C(LayerList, TakesTheLayerOut)
{
    expect_without("", "");
    expect_without("", "/any/layer.so");
    expect_without("a.so:b.so", "a.so:/any/layer.so:b.so:layer.so");
    expect_without("a.so", "a.so");
}

/* ---- The program --------------------------------------------------------- */

enum { arguments_max = 19 };

struct ended {
    int code;
    char *out;
    char *err;
};

static void ended_fini(struct ended *ended)
{
    free(ended->out);
    free(ended->err);
}

static const char *in_test(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_directory(), name);
    return path;
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

/* What the child of run() does: streams to files, and the program. */
static _Noreturn void become(const char *program, const char *const *variables,
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

/* Runs a program in the test's directory. */
static struct ended run_program(const char *program,
        const char *const *variables, const char *const *arguments)
{
    struct ended ended;
    const char *directory =
            test_directory(); /* the parent's, not the child's */
    pid_t child;
    (void)directory;
    fflush(NULL);
    child = fork();
    if (child == 0) become(program, variables, arguments);
    ended.code = layer_process_wait(child);
    ended.out = layer_process_read_file(in_test("out"));
    ended.err = layer_process_read_file(in_test("err"));
    EXPECT_NOT_NULL(ended.out);
    EXPECT_NOT_NULL(ended.err);
    return ended;
}

#define RUN(variables, ...)        \
    run_program(RUNNER, variables, \
            (const char *const[]){"--layer", LAYER, __VA_ARGS__, NULL})
#define RUN_ALONE(...) \
    run_program(RUNNER, NULL, (const char *const[]){__VA_ARGS__, NULL})

static void expect_line(const struct ended *ended, const char *line)
{
    const size_t size = strlen(line);
    const char *at = ended->out;
    while ((at = strstr(at, line)) != NULL) {
        if ((at == ended->out || at[-1] == '\n') && at[size] == '\n') return;
        at++;
    }
    test_fail(__FILE__, __LINE__, "no line \"%s\" in: %s", line, ended->out);
}

static void expect_said(const struct ended *ended, int code, const char *text)
{
    EXPECT_EQ(code, ended->code);
    if (strstr(ended->err, text) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", text, ended->err);
}

TEST_C(Run, SetsWhatOptionsSay)
{
    char line[1024];
    struct ended ended =
            RUN(NULL, "--dir", "kept", "--store=bucket", "--max-size", "1.5M",
                    "--seed", "image", "--remote", "redis://h?key_file=/k",
                    "--stats", "--trace=/t/trace", "--debug", "--", "env");
    EXPECT_EQ(0, ended.code);
    snprintf(line, sizeof line, "DNNL_CACHE_DIR=%s", in_test("kept"));
    expect_line(&ended, line);
    expect_line(&ended, "DNNL_CACHE_STORE=bucket");
    expect_line(&ended, "DNNL_CACHE_MAX_SIZE=1572864B");
    snprintf(line, sizeof line, "DNNL_CACHE_SEED=%s", in_test("image"));
    expect_line(&ended, line);
    expect_line(&ended, "DNNL_CACHE_REMOTE=redis://h?key_file=/k");
    expect_line(&ended, "DNNL_CACHE_STATS=1");
    expect_line(&ended, "DNNL_CACHE_TRACE=/t/trace");
    expect_line(&ended, "DNNL_CACHE_PRINT_DEBUG=1");
    expect_line(&ended, "OPENCL_LAYERS=" LAYER);
    expect_said(&ended, 0, " of env takes the layer in\n"); /* --debug */
    ended_fini(&ended);
}

/* What no option sets is the user's, an empty value included. */
TEST_C(Run, LeavesOtherVariablesAlone)
{
    const char *const variables[] = {"DNNL_CACHE_STORE=tree",
            "DNNL_CACHE_DIR=/elsewhere", "DNNL_CACHE_STATS=", NULL};
    struct ended ended = RUN(variables, "--store", "pack", "env");
    EXPECT_EQ(0, ended.code);
    expect_line(&ended, "DNNL_CACHE_STORE=pack");
    expect_line(&ended, "DNNL_CACHE_DIR=/elsewhere");
    expect_line(&ended, "DNNL_CACHE_STATS=");
    EXPECT_NULL(strstr(ended.out, "DNNL_CACHE_MAX_SIZE"));
    ended_fini(&ended);
}

TEST_C(Run, KeepsOtherLayers)
{
    const char *const variables[] = {"OPENCL_LAYERS=/a.so:b.so", NULL};
    struct ended ended = RUN(variables, "env");
    expect_line(&ended, "OPENCL_LAYERS=" LAYER ":/a.so:b.so");
    ended_fini(&ended);
}

TEST_C(Run, OffTakesTheLayerOut)
{
    const char *const others[] = {"OPENCL_LAYERS=/a.so:" LAYER, NULL};
    const char *const alone[] = {"OPENCL_LAYERS=" LAYER, NULL};
    struct ended ended = RUN(others, "--off", "env");
    EXPECT_EQ(0, ended.code);
    expect_line(&ended, "OPENCL_LAYERS=/a.so");
    ended_fini(&ended);
    ended = RUN(alone, "--off", "env");
    EXPECT_EQ(0, ended.code);
    EXPECT_NULL(strstr(ended.out, "OPENCL_LAYERS"));
    ended_fini(&ended);
}

/* Even where they look like options, and whatever they hold. */
TEST_C(Run, PassesArgumentsOn)
{
    struct ended ended =
            RUN(NULL, "printf", "<%s>\n", "--stats", "--", "", "a b");
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ("<--stats>\n<-->\n<>\n<a b>\n", ended.out);
    ended_fini(&ended);
}

TEST_C(Run, EndsAsTheCommandEnds)
{
    struct ended ended = RUN(NULL, "sh", "-c", "exit 7");
    EXPECT_EQ(7, ended.code);
    ended_fini(&ended);
    ended = RUN(NULL, "sh", "-c", "kill -TERM $$");
    EXPECT_EQ(128 + 15, ended.code);
    ended_fini(&ended);
}

TEST_C(Run, TellsThatACommandCannotRun)
{
    struct ended ended = RUN(NULL, "./not-there");
    expect_said(&ended, 127, "./not-there");
    ended_fini(&ended);
    ended = RUN(NULL, "./out"); /* a file, but no program */
    expect_said(&ended, 126, "./out");
    ended_fini(&ended);
}

TEST_C(Run, RefusesWrongUsage)
{
    static const struct {
        const char *arguments[4];
        const char *said;
    } wrong[] = {
            {{NULL}, "no command"},
            {{"--", NULL}, "no command"},
            {{"--nonsense", "true"}, "--nonsense"},
            {{"--debug=1", "true"}, "'--debug' doesn't allow an argument"},
            {{"--dir"}, "--dir"},
            {{"--dir", "", "true"}, "DNNL_CACHE_DIR"},
            {{"--stats=", "true"}, "DNNL_CACHE_STATS"},
            {{"--remote", "", "true"}, "DNNL_CACHE_REMOTE"},
            {{"--seed", "", "true"}, "DNNL_CACHE_SEED"},
            {{"--max-size", "many", "true"}, "many"},
            {{"--max-size", "-1", "true"}, "-1"},
            {{"--store", "redis", "true"}, "redis"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ended ended = run_program(RUNNER, NULL, wrong[i].arguments);
        expect_said(&ended, 125, wrong[i].said);
        EXPECT_STR_EQ("", ended.out);
        ended_fini(&ended);
    }
}

/* The loader would tell nobody: the command would just be slow. */
TEST_C(Run, RefusesWhatIsNoLayer)
{
    struct ended ended = RUN_ALONE("--layer", "not-there.so", "true");
    expect_said(&ended, 125, "not-there.so");
    ended_fini(&ended);
    ended = RUN_ALONE("--layer", RUNNER, "true");
    EXPECT_EQ(125, ended.code);
    ended_fini(&ended);
    ended = RUN_ALONE("--layer", NO_LAYER, "true");
    expect_said(&ended, 125, "not an OpenCL layer");
    ended_fini(&ended);
    EXPECT_EQ(0, mkdir(in_test("a:b"), 0700));
    EXPECT_EQ(0, symlink(LAYER, in_test("a:b/link.so")));
    ended = RUN_ALONE("--layer", "a:b/link.so", "--print");
    EXPECT_EQ(0, ended.code); /* the file it leads to can be named */
    ended_fini(&ended);
}

/* As a shell reads it, it says the same. */
TEST_C(Run, PrintsWhatAShellReads)
{
    char line[1024];
    const char *const set[] = {"OPENCL_LAYERS=" LAYER, NULL};
    struct ended ended = run_program("/bin/sh", NULL,
            (const char *const[]){"-c",
                    "eval \"$(" RUNNER " --layer " LAYER
                    " --dir \"it's \\$HOME\" --print)\" && env",
                    NULL});
    EXPECT_EQ(0, ended.code);
    snprintf(line, sizeof line, "DNNL_CACHE_DIR=%s", in_test("it's $HOME"));
    expect_line(&ended, line);
    expect_line(&ended, "OPENCL_LAYERS=" LAYER);
    ended_fini(&ended);
    ended = RUN(set, "--off", "--print");
    EXPECT_STR_EQ("unset OPENCL_LAYERS\n", ended.out);
    ended_fini(&ended);
}

static void copy_file(const char *from, const char *to)
{
    struct ended ended =
            run_program("/bin/cp", NULL, (const char *const[]){from, to, NULL});
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
}

/* Wherever a build or an installation was moved to. */
TEST_C(Run, FindsTheLayerBesideItself)
{
    char line[1024];
    struct ended ended;
    EXPECT_EQ(0, mkdir(in_test("bin"), 0700));
    EXPECT_EQ(0, mkdir(in_test("lib"), 0700));
    copy_file(RUNNER, in_test("bin/runner"));
    EXPECT_EQ(0, symlink("bin/runner", in_test("link")));
    ended = run_program(
            in_test("link"), NULL, (const char *const[]){"--print", NULL});
    expect_said(&ended, 125, "use --layer FILE");
    ended_fini(&ended);
    copy_file(LAYER, in_test("lib/libdnnl_cache_layer.so"));
    ended = run_program(
            in_test("link"), NULL, (const char *const[]){"--print", NULL});
    EXPECT_EQ(0, ended.code);
    snprintf(line, sizeof line, "export OPENCL_LAYERS='%s'",
            in_test("lib/libdnnl_cache_layer.so"));
    expect_line(&ended, line);
    ended_fini(&ended);
}

/* A program of OpenCL's runs under the layer, and a layer above it stays. */
TEST_C(Run, PutsACommandUnderTheLayer)
{
    const char *const variables[] = {
            "OCL_ICD_VENDORS=" FAKE_VENDORS, "BUILD_COUNTER_FILE=counts", NULL};
    struct ended ended = RUN(variables, CLIENT, "Fake");
    char *counts = layer_process_read_file(in_test("counts"));
    EXPECT_EQ(0, ended.code);
    EXPECT_NOT_NULL(counts);
    if (counts != NULL) EXPECT_NOT_NULL(strstr(counts, "\"source_builds\":1"));
    free(counts);
    ended_fini(&ended);
}

/* ---- Where nothing can be kept ------------------------------------------- */

#ifdef REAL_LAYER

#define RUN_REAL(variables, ...)   \
    run_program(RUNNER, variables, \
            (const char *const[]){"--layer", REAL_LAYER, __VA_ARGS__, NULL})

/* The command runs all the same; why: what is said before it, "" for nothing.
 */
static void expect_warning(struct ended ended, const char *why)
{
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ("done\n", ended.out);
    if (why[0] == '\0') {
        EXPECT_STR_EQ("", ended.err);
    } else {
        expect_said(&ended, 0, "dnnl-cache-run: warning: nothing ");
        expect_said(&ended, 0, why);
        EXPECT_PTR_EQ(strchr(ended.err, '\n') + 1, strchr(ended.err, '\0'));
    }
    ended_fini(&ended);
}

TEST_C(Run, WarnsOfAPlaceThatCannotBeUsed)
{
    static const char *const nowhere[] = {"HOME=", "XDG_CACHE_HOME=", NULL};
    static const char *const off[] = {
            "HOME=", "XDG_CACHE_HOME=", "DNNL_CACHE_PERSISTENT=0", NULL};
    EXPECT_EQ(0, mkdir(in_test("bucket"), 0700));
    copy_file("/dev/null", in_test("bucket/index.bin"));
    EXPECT_EQ(0, mkdir(in_test("two"), 0700));
    copy_file("/dev/null", in_test("two/index.bin"));
    copy_file("/dev/null", in_test("two/cache_size.txt"));
    expect_warning(RUN_REAL(NULL, "--dir", "out", "echo", "done"),
            "/out: Not a directory; fix this, or pass");
    expect_warning(RUN_REAL(NULL, "--dir", "two", "echo", "done"),
            "a tree store is there");
    expect_warning(RUN_REAL(nowhere, "echo", "done"), "pass --dir");
    expect_warning(RUN_REAL(off, "echo", "done"), "");
    expect_warning(
            RUN_REAL(NULL, "--dir", "out", "--quiet", "echo", "done"), "");
    expect_warning(RUN_REAL(NULL, "--dir", "out", "--off", "echo", "done"), "");
}

TEST_C(Run, SaysNothingOfAGoodPlaceAndLeavesItAsItIs)
{
    expect_warning(RUN_REAL(NULL, "--dir", "new/place", "echo", "done"), "");
    EXPECT_NE(0, access(in_test("new"), F_OK));
    expect_warning(RUN_REAL(NULL, "--dir", "bucket", "echo", "done"), "");
}

/* Once: the command's processes and dnnl-cache get the type that is used. */
TEST_C(Run, TellsOfATypeThatIsNone)
{
    static const char *const names[] = {"DNNL_CACHE_STORE=Flat", NULL};
    static const char text[] =
            "dnnl-cache-run: warning: DNNL_CACHE_STORE=Flat: expected bucket, "
            "flat, tree or pack; using flat\n";
    struct ended ended = RUN_REAL(names, "--dir", "new", "env");
    EXPECT_EQ(0, ended.code);
    EXPECT_STR_EQ(text, ended.err);
    expect_line(&ended, "DNNL_CACHE_STORE=flat");
    ended_fini(&ended);
    ended = RUN_REAL(names, "--dir", "new", "--print");
    EXPECT_STR_EQ(text, ended.err);
    EXPECT_NOT_NULL(strstr(ended.out, "export DNNL_CACHE_STORE='flat'\n"));
    ended_fini(&ended);
    /* Then it is left to the layer. */
    static const char *const quiet[] = {"--off", "--quiet"};
    for (int i = 0; i < 2; i++) {
        ended = RUN_REAL(names, "--dir", "new", quiet[i], "env");
        EXPECT_STR_EQ("", ended.err);
        expect_line(&ended, "DNNL_CACHE_STORE=Flat");
        ended_fini(&ended);
    }
    static const char *const empty[] = {"DNNL_CACHE_STORE=", NULL};
    expect_warning(RUN_REAL(empty, "--dir", "new", "echo", "done"), "");
}

/* On standard error: the shell reads the other. */
TEST_C(Run, WarnsWhenItPrints)
{
    struct ended ended = RUN_REAL(NULL, "--dir", "out", "--print");
    expect_said(&ended, 0, "Not a directory");
    EXPECT_EQ(0, strncmp(ended.out, "export ", 7));
    EXPECT_NULL(strstr(ended.out, "warning"));
    ended_fini(&ended);
}

/* ---- The end of a command ------------------------------------------------ */

static void write_file(const char *path, mode_t mode, const char *text)
{
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_GE(fprintf(file, "%s", text), 0);
    EXPECT_EQ(0, fclose(file));
    EXPECT_EQ(0, chmod(path, mode));
}

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

TEST_C(Run, KeepsWhatACommandBuiltAfterItsEnd)
{
    char expected[1024];
    const char *runner = make_own_runner(noting_tool);
    struct ended ended = RUN_OWN(
            runner, "sh", "-c", "echo out; echo note >>store/journal; exit 7");
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
    ended = RUN_OWN(runner, "--quiet", "true");
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
    ended = RUN_OWN(runner, "./not-there");
    expect_said(&ended, 127, "./not-there");
    ended_fini(&ended);
    EXPECT_EQ(0, remove(in_test("store/journal")));
    ended = RUN_OWN(runner, "true"); /* there is nothing to keep */
    EXPECT_EQ(0, ended.code);
    ended_fini(&ended);
    expect_tool_called("not called");
}

TEST_C(Run, TellsThatTheToolFailed)
{
    const char *runner = make_own_runner("#!/bin/sh\nexit 3\n");
    struct ended ended = RUN_OWN(runner, "sh", "-c", "exit 7");
    expect_said(&ended, 7, "exited with 3");
    ended_fini(&ended);
    EXPECT_EQ(0, remove(in_test("own/dnnl-cache")));
    const char *const no_path[] = {"PATH=/nowhere", NULL};
    ended = run_program(runner, no_path,
            (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                    "/bin/true", NULL});
    expect_said(&ended, 0, "run dnnl-cache refresh --store");
    ended_fini(&ended);
}

/* ---- Signals ------------------------------------------------------------- */

/* Starts the runner with a shell's script, which writes to the pipe `ready`
 * when it may be sent signals. In a process group of its own, with this process
 * as the parent in another one: the kernel drops a SIGTSTP to an orphaned
 * group, and the tests' own group is one if whoever started them is gone. */
static pid_t start_script(const char *runner, const char *script)
{
    const char *directory = test_directory();
    char byte;
    (void)directory;
    EXPECT_EQ(0, mkfifo(in_test("ready"), 0600));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (setpgid(0, 0) != 0) _exit(98);
        become(runner, NULL,
                (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                        "sh", "-c", script, NULL});
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
        const pid_t child = start_script(runner, script);
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
        const int status = status_of(start_script(runner, script), 0);
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
            runner, "exec 9>alive; echo . >ready; exec sleep 1000");
    const int reader = open(in_test("alive"), O_RDONLY | O_CLOEXEC);
    close(alive);
    EXPECT_EQ(0, kill(child, SIGKILL));
    EXPECT_TRUE(WIFSIGNALED(status_of(child, 0)));
    EXPECT_EQ(0, read(reader, &byte, 1)); /* ends with the command */
    close(reader);
}

TEST_C(Run, StopsAndGoesOnWithTheCommand)
{
    const char *runner = make_own_runner(noting_tool);
    const pid_t child = start_script(runner,
            "trap 'kill $!; exit 9' USR1; sleep 1000 & echo . >ready\n"
            "while :; do wait $!; done");
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
        become(runner, NULL,
                (const char *const[]){"--layer", REAL_LAYER, "--dir", "store",
                        "sh", "-c", script, NULL});
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
        become(runner, NULL,
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

#endif

TEST_C(Run, TellsWhatItIs)
{
    struct ended ended = RUN_ALONE("--help");
    EXPECT_EQ(0, ended.code);
    EXPECT_NOT_NULL(strstr(ended.out, "--max-size SIZE"));
    ended_fini(&ended);
    ended = RUN_ALONE("--version");
    EXPECT_EQ(0, ended.code);
    EXPECT_EQ(0, strncmp(ended.out, "dnnl-cache-run ", 15));
    ended_fini(&ended);
}
