/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a message: its text, and whether it is printed. The variables
 * are read once a process, so what is printed is printed by children. The
 * linker hands this binary's calls of malloc to the function here (--wrap).
 */
#include "src/common/log.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static bool malloc_fails;

void *__wrap_malloc(size_t size)
{
    return malloc_fails ? NULL : __real_malloc(size);
}

/* ---- The text ------------------------------------------------------------ */

enum { most = 4000 };

struct delivery {
    unsigned count;
    dnnl_cache_log_level_t level;
    size_t size;
    char text[most + 16];
};

static void receive(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct delivery *d = user;
    d->count++;
    d->level = level;
    d->size = strlen(text);
    (void)snprintf(d->text, sizeof d->text, "%s", text);
}

/* What a compiler says ends with newlines, and has some inside. */
TEST_C(Messages, EndWithoutANewline)
{
    static struct delivery d;
    d = (struct delivery){0};
    log_set_callback(receive, &d);
    log_message(dnnl_cache_log_error, "program", "%s", "one\ntwo\r\n \n");
    log_set_callback(NULL, NULL);
    EXPECT_EQ(1, d.count);
    EXPECT_STR_EQ("program: one\ntwo", d.text);
}

/* Sends a message whose text, after "blob: ", is `length` times x and y. */
static void send_long(struct delivery *d, size_t length)
{
    static char x[most];
    *d = (struct delivery){0};
    ASSERT_TRUE(length < most);
    memset(x, 'x', length);
    x[length] = '\0';
    log_set_callback(receive, d);
    log_message(dnnl_cache_log_error, "blob", "%sy", x);
    log_set_callback(NULL, NULL);
    EXPECT_EQ(1, d->count);
    EXPECT_EQ(dnnl_cache_log_error, d->level);
    EXPECT_TRUE(strncmp(d->text, "blob: ", 6) == 0);
    EXPECT_EQ(d->size - 6, strspn(d->text + 6, "xy"));
}

TEST_C(Messages, ComeWholeWhateverTheirLength)
{
    /* Around the 1024 bytes that need no memory. */
    for (size_t length = 0; length < most; length += length < 1000 ? 250 : 1) {
        struct delivery d;
        send_long(&d, length);
        EXPECT_EQ(6 + length + 1, d.size);
        EXPECT_EQ('y', d.text[d.size - 1]);
        if (test_has_failed()) return;
    }
}

TEST_C(Messages, AreCutWithoutMemory)
{
    struct delivery d;
    malloc_fails = true;
    send_long(&d, 1016); /* needs none yet */
    EXPECT_EQ(1023, d.size);
    EXPECT_EQ('y', d.text[d.size - 1]);
    send_long(&d, 3000);
    malloc_fails = false;
    EXPECT_EQ(1023, d.size);
    EXPECT_EQ('x', d.text[d.size - 1]);
}

/* ---- Without a callback -------------------------------------------------- */

/* Ends the child: a message of each level, and whether details are wanted. */
static void print_all(int to)
{
    (void)dup2(to, STDERR_FILENO);
    if (log_details()) (void)fprintf(stderr, "details\n");
    log_message(dnnl_cache_log_error, "a", "%d\nand more\n", 1);
    log_message(dnnl_cache_log_warning, "b", "%d", 2);
    log_message(dnnl_cache_log_info, "c", "%d", 3);
    exit(0);
}

static void set(const char *name, const char *value)
{
    if (value == NULL)
        (void)unsetenv(name);
    else
        (void)setenv(name, value, 1);
}

/* What is printed with these values of ONEDNN_VERBOSE and DNNL_VERBOSE. */
static void expect_prints(
        const char *expected, const char *onednn, const char *dnnl)
{
    char text[most];
    size_t size = 0;
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    (void)fflush(NULL);
    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        set("ONEDNN_VERBOSE", onednn);
        set("DNNL_VERBOSE", dnnl);
        print_all(ends[1]);
    }
    (void)close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + size, most - 1 - size)) > 0;)
        size += (size_t)got;
    (void)close(ends[0]);
    text[size] = '\0';
    int status = -1;
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_STR_EQ(expected, text);
    if (test_has_failed())
        (void)fprintf(stderr, "with %s and %s\n", onednn != NULL ? onednn : "-",
                dnnl != NULL ? dnnl : "-");
}

/* Of two lines, each with what a line begins with. */
#define ERROR_LINE                              \
    "onednn_verbose,v1,dnnl_cache,error,a: 1\n" \
    "onednn_verbose,v1,dnnl_cache,error,and more\n"
#define WARNING_LINE "onednn_verbose,v1,dnnl_cache,warn,b: 2\n"
/* Without oneDNN's variable, of a process that makes none of its calls. */
#define PLAIN_ERROR_LINE \
    "dnnl_cache: error: a: 1\ndnnl_cache: error: and more\n"
#define PLAIN_WARNING_LINE "dnnl_cache: warning: b: 2\n"
#define INFO_LINE "onednn_verbose,v1,dnnl_cache,info,c: 3\n"

TEST_C(Messages, AreErrorsAndWarningsByDefault)
{
    static const char *const values[] = {"", "0", "warn", "3", "12"};
    expect_prints(PLAIN_ERROR_LINE PLAIN_WARNING_LINE, NULL, NULL);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        expect_prints(ERROR_LINE WARNING_LINE, values[i], NULL);
}

TEST_C(Messages, AreFewerByNoneAndError)
{
    expect_prints("", "none", NULL);
    expect_prints(ERROR_LINE, "error", NULL);
}

TEST_C(Messages, AreMoreByInfoAndWhatIncludesIt)
{
    static const char *const values[] = {
            "info", "1", "2", "profile", "profile_exec", "error,info"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        expect_prints(ERROR_LINE WARNING_LINE INFO_LINE, values[i], NULL);
}

TEST_C(Messages, HaveDetailsByDebuginfoAndAll)
{
    static const char *const values[] = {"all", "debuginfo=1", "info,all"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        expect_prints(
                "details\n" ERROR_LINE WARNING_LINE INFO_LINE, values[i], NULL);
}

/* The first one is told of, before all else, unless nothing is to be told. */
TEST_C(Messages, TellOfAWordThatIsNotKnown)
{
#define UNKNOWN(name, word)                                                \
    "onednn_verbose,v1,dnnl_cache,warn,log: ignoring unknown word \"" word \
    "\" in " name                                                          \
    "; known words: none, error, warn, info, check, dispatch, profile, "   \
    "profile_create, profile_exec, profile_externals, all, debuginfo, "    \
    "debuginfo=, filter=\n"
    expect_prints(UNKNOWN("ONEDNN_VERBOSE", "porfile") ERROR_LINE WARNING_LINE,
            "porfile", NULL);
    expect_prints(UNKNOWN("ONEDNN_VERBOSE", "dispach")
                          ERROR_LINE WARNING_LINE INFO_LINE,
            "profile,dispach,chek", NULL);
    expect_prints(UNKNOWN("DNNL_VERBOSE", " info")
                          ERROR_LINE WARNING_LINE INFO_LINE,
            NULL, " info,,");
    expect_prints(ERROR_LINE WARNING_LINE INFO_LINE,
            "filter=matmul,profile_create,12,check", NULL);
}

TEST_C(Messages, FollowTheOlderVariableWithoutTheOther)
{
    expect_prints("", NULL, "none");
    expect_prints(ERROR_LINE WARNING_LINE INFO_LINE, NULL, "1");
    expect_prints("", "none", "all");
    expect_prints(ERROR_LINE WARNING_LINE INFO_LINE, "info", "none");
}

static bool uses_onednn; /* in the next process */

/* What goes to one of the two outputs, of a line and of a message. */
static void expect_on(int output, const char *expected)
{
    char text[most] = "";
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    (void)fflush(NULL);
    const pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        set("ONEDNN_VERBOSE", NULL);
        set("DNNL_VERBOSE", NULL);
        (void)dup2(ends[1], output);
        if (uses_onednn) log_note_onednn();
        log_profile("primitive,exec,x");
        log_message(dnnl_cache_log_warning, "b", "%d", 2);
        exit(0);
    }
    (void)close(ends[1]);
    int status = -1;
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_TRUE(read(ends[0], text, most - 1) > 0);
    (void)close(ends[0]);
    EXPECT_STR_EQ(expected, text);
}

TEST_C(Messages, LeaveStandardOutputToLinesOfOneDnn)
{
    expect_on(STDOUT_FILENO, "onednn_verbose,v1,primitive,exec,x\n");
    expect_on(STDERR_FILENO, PLAIN_WARNING_LINE);
    uses_onednn = true;
    expect_on(STDERR_FILENO, WARNING_LINE);
    uses_onednn = false;
}

/* ---- What else is asked for ---------------------------------------------- */

/* The answer of a process that asks nothing before. */
static bool first_answer(bool (*question)(void), const char *value, int level)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        set("ONEDNN_VERBOSE", value);
        set("DNNL_VERBOSE", NULL);
        if (level >= 0) log_set_verbosity(level);
        _exit(question() ? 1 : 0);
    }
    int status = -1;
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return WEXITSTATUS(status) == 1;
}

static const struct {
    const char *name;
    bool (*question)(void);
    const char *asked_by[6];
    const char *not_by[8];
    int asked_from_level; /* of dnnl_set_verbose(), 3: by none */
} questions[] = {
        {"details", log_details, {"debuginfo", "all", "debuginfo=2"},
                {"", "none", "1", "2", "info", "check"}, 3},
        {"creation", log_profiles_creation,
                {"profile_create", "profile", "all", "2",
                        "info,profile_create"},
                {"", "none", "1", "profile_exec", "profile_creates",
                        "xprofile_create", "12"},
                2},
        {"execution", log_profiles_execution,
                {"profile_exec", "profile", "all", "1", "2", "check,1"},
                {"", "none", "profile_create", "profile_execs", "xprofile_exec",
                        "11"},
                1},
        {"checks", log_tells_checks, {"check", "all", "x,check"},
                {"", "none", "1", "2", "dispatch", "checks", "recheck"}, 3},
        {"dispatch", log_tells_dispatch, {"dispatch", "all", "dispatch,x"},
                {"", "none", "1", "2", "check", "dispatcher", "redispatch"}, 3},
};

TEST_C(Messages, OfMoreKindsAreAskedForByTheVariable)
{
    for (size_t i = 0; i < COUNT(questions); i++) {
        for (size_t j = 0; j < COUNT(questions[i].asked_by); j++) {
            const char *value = questions[i].asked_by[j];
            if (value != NULL)
                EXPECT_TRUE(first_answer(questions[i].question, value, -1));
        }
        for (size_t j = 0; j < COUNT(questions[i].not_by); j++) {
            const char *value = questions[i].not_by[j];
            EXPECT_FALSE(first_answer(questions[i].question, value, -1));
        }
        if (test_has_failed()) {
            (void)fprintf(stderr, "about %s\n", questions[i].name);
            return;
        }
    }
}

/* A program's own level replaces what the variable says, in either order. */
TEST_C(Messages, OfMoreKindsAreAskedForByTheProgram)
{
    for (size_t i = 0; i < COUNT(questions); i++)
        for (int level = 0; level <= 2; level++) {
            const bool expected = level >= questions[i].asked_from_level;
            EXPECT_EQ(expected,
                    first_answer(questions[i].question, "all", level));
            EXPECT_EQ(
                    expected, first_answer(questions[i].question, NULL, level));
        }
}
