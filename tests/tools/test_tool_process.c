/* SPDX-License-Identifier: Apache-2.0 */
/* The program as a process: what it does when its streams are terminals, full,
 * closed or gone, and when others use the store meanwhile. */
#include "test.h"
#include "tool_helpers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where a stream of a process goes: a descriptor, or nowhere. */
enum { closed = -1 };

static pid_t start(int in, int out, int err, const char *const *arguments)
{
    char *argv[16] = {(char *)(uintptr_t)DNNL_CACHE_TEST_TOOL};
    for (int i = 0; arguments[i] != NULL; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    fflush(NULL);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int streams[] = {in, out, err};
    for (int i = 0; i < 3; i++)
        if (streams[i] == closed)
            close(i);
        else
            dup2(streams[i], i);
    execv(argv[0], argv);
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs it with standard output as given, standard error into the test's file
 * "err". */
static int run_process(int out, const char *const *arguments)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int err =
            open(in_test("err"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int code = wait_for(start(null, out, err, arguments));
    close(null);
    close(err);
    return code;
}

static void expect_in_file(const char *path, const char *text)
{
    size_t size;
    uint8_t *bytes = read_whole(path, &size);
    if (strstr((const char *)bytes, text) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", text,
                (const char *)bytes);
    free(bytes);
}

static void expect_empty(const char *path)
{
    size_t size;
    uint8_t *bytes = read_whole(path, &size);
    EXPECT_STR_EQ("", (const char *)bytes);
    free(bytes);
}

/* ---- Standard output ----------------------------------------------------- */

TEST_SAMPLE_STORE(ToolProcess, NoticesThatItsOutputIsLost)
{
    char store[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    static const char *const commands[] = {"list", "stats", "verify"};
    for (size_t i = 0; i < 3; i++)
        for (int json = 0; json < 2; json++) {
            const char *const arguments[] = {"--store", store, commands[i],
                    json ? "--json" : NULL, NULL};
            const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
            EXPECT_EQ(exit_io, run_process(full, arguments));
            close(full);
            expect_in_file(in_test("err"),
                    "dnnl-cache: standard output: No space left on device\n");

            int ends[2];
            ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
            close(ends[0]);
            /* Who has read enough ("| head") loses nothing. */
            EXPECT_EQ(exit_ok, run_process(ends[1], arguments));
            close(ends[1]);
            expect_empty(in_test("err"));

            EXPECT_EQ(exit_io, run_process(closed, arguments));
            expect_in_file(in_test("err"),
                    "dnnl-cache: standard output: Bad file descriptor\n");
        }
    const char *const help[] = {"--help", NULL};
    EXPECT_EQ(exit_io, run_process(closed, help));
}

TEST_SAMPLE_STORE(ToolProcess, WritesNothingOfItsOwnIntoTheStore)
{
    /* With no standard streams at all, the first files of the store would get
     * their numbers. */
    char store[path_size];
    char archive[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    snprintf(archive, sizeof archive, "%s", in_test("archive"));
    const char *const export[] = {"--store", store, "export", archive, NULL};
    EXPECT_EQ(exit_io, wait_for(start(closed, closed, closed, export)));
    const char *const clear[] = {"--store", store, "clear", "--yes", NULL};
    EXPECT_EQ(exit_io, wait_for(start(closed, closed, closed, clear)));
    const char *const import[] = {
            "--store", store, "import", "--quiet", archive, NULL};
    EXPECT_EQ(exit_ok, wait_for(start(closed, closed, closed, import)));
    EXPECT_EQ(exit_ok, run_tool("verify", NULL)->code);
    EXPECT_EQ(3, count_entries("store"));
}

/* ---- Archives through pipes ---------------------------------------------- */

TEST_SAMPLE_STORE(ToolProcess, MovesAStoreThroughAPipe)
{
    char store[path_size];
    char other[path_size];
    char archive[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    snprintf(other, sizeof other, "%s", in_test("other"));
    snprintf(archive, sizeof archive, "%s", in_test("archive"));
    const char *const export[] = {"--store", store, "export", "-", NULL};
    const char *const import[] = {"--store", other, "import", "-", NULL};
    int ends[2];
    ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t from = start(null, ends[1], null, export);
    const pid_t to = start(ends[0], null, null, import);
    close(ends[0]);
    close(ends[1]);
    EXPECT_EQ(exit_ok, wait_for(from));
    EXPECT_EQ(exit_ok, wait_for(to));
    EXPECT_EQ(3, count_entries("other"));
    EXPECT_EQ(exit_ok, run_bare("--store", other, "verify", NULL)->code);

    /* The same bytes as into a file, and the report elsewhere. */
    size_t size;
    ASSERT_EQ(exit_ok, run_tool("export", archive, NULL)->code);
    uint8_t *bytes = read_whole(archive, &size);
    const struct run *run = run_tool("export", "-", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_BYTES_EQ(bytes, size, run->out, run->out_size);
    EXPECT_NOT_NULL(strstr(run->err, "3 exported"));
    free(bytes);
    EXPECT_EQ(exit_usage, run_tool("export", "-", "--json", NULL)->code);
    EXPECT_EQ(exit_found, wait_for(start(null, null, null, import)));
    close(null);
}

/* ---- Terminals ----------------------------------------------------------- */

/* Runs it with standard output and error on a terminal; input is typed there.
 * What appears on it goes to text. */
static int run_on_terminal(char *text, size_t capacity, const char *input,
        const char *const *arguments)
{
    size_t size = 0;
    text[0] = '\0';
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return -1;
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) return -1;
    const pid_t pid = start(slave, slave, slave, arguments);
    close(slave);
    if (write(master, input, strlen(input)) < 0) text[0] = '?';
    /* Reading fails once nobody has the other end. */
    while (size + 1 < capacity) {
        const ssize_t n = read(master, text + size, capacity - size - 1);
        if (n <= 0) break;
        size += (size_t)n;
    }
    text[size] = '\0';
    const int code = wait_for(pid);
    close(master);
    return code;
}

TEST_SAMPLE_STORE(ToolProcess, ShowsProgressAndBoldTypeOnATerminal)
{
    char text[8192];
    char store[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    const char *const verify[] = {"--store", store, "verify", NULL};
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    const int code = run_on_terminal(text, sizeof text, "", verify);
    if (code < 0) SKIP_TEST("no pseudo-terminals here");
    EXPECT_EQ(exit_ok, code);
    EXPECT_NOT_NULL(strstr(
            text, "\rreading [------------------------------]   0% 0/3\033[K"));
    EXPECT_NOT_NULL(strstr(text,
            "\rchecking [------------------------------]   0% 0/3\033[K"));
    EXPECT_NOT_NULL(strstr(text, "\r\033[Kintact             3\r\n"));

    char other[path_size];
    snprintf(other, sizeof other, "%s", in_test("other"));
    const char *const copy[] = {"copy", store, other, NULL};
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "", copy));
    EXPECT_NOT_NULL(strstr(
            text, "\rcopying [------------------------------]   0% 0/3\033[K"));
    EXPECT_NOT_NULL(strstr(text, "\r\033[K3 copied with"));

    const char *const quiet[] = {"--store", store, "--quiet", "verify", NULL};
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "", quiet));
    EXPECT_STR_EQ("", text);

    const char *const list[] = {"--store", store, "list", NULL};
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "", list));
    EXPECT_NOT_NULL(strstr(text, "\033[1mname "));
    setenv("NO_COLOR", "1", 1);
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "", list));
    EXPECT_NULL(strchr(text, '\033'));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "", list));
    EXPECT_NULL(strchr(text, '\033'));
}

static size_t longest_line(const char *text)
{
    size_t most = 0;
    while (*text != '\0') {
        const size_t size = strcspn(text, "\r\n");
        if (size > most) most = size;
        text += size + strspn(text + size, "\r\n");
    }
    return most;
}

TEST_SAMPLE_STORE(ToolProcess, ListsWhatFitsATerminal)
{
    char text[8192];
    char store[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    const char *const list[] = {
            "--store", store, "--quiet", "list", "--long", NULL};
    setenv("NO_COLOR", "1", 1);
    unsetenv("COLUMNS");
    const int code = run_on_terminal(text, sizeof text, "", list);
    if (code < 0) SKIP_TEST("no pseudo-terminals here");
    EXPECT_EQ(exit_ok, code);
    EXPECT_LE(longest_line(text), 80); /* it does not say */
    EXPECT_NOT_NULL(strstr(text, "  kernels"));
    EXPECT_NULL(strstr(text, "created"));
    setenv("COLUMNS", "300", 1);
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "", list));
    EXPECT_GT(longest_line(text), 80);
    EXPECT_NOT_NULL(strstr(text, "created"));
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
}

TEST_SAMPLE_STORE(ToolProcess, KeepsArchivesFromTerminals)
{
    char text[8192];
    char store[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    const char *const export[] = {"--store", store, "export", "-", NULL};
    const char *const import[] = {"--store", store, "import", "-", NULL};
    const int code = run_on_terminal(text, sizeof text, "", export);
    if (code < 0) SKIP_TEST("no pseudo-terminals here");
    EXPECT_EQ(exit_usage, code);
    EXPECT_NOT_NULL(strstr(text, "refusing to write an archive to a terminal"));
    EXPECT_EQ(exit_usage, run_on_terminal(text, sizeof text, "", import));
    EXPECT_NOT_NULL(
            strstr(text, "refusing to read an archive from a terminal"));
}

TEST_SAMPLE_STORE(ToolProcess, AsksBeforeItClears)
{
    char text[8192];
    char store[path_size];
    snprintf(store, sizeof store, "%s", in_test("store"));
    const char *const clear[] = {"--store", store, "clear", NULL};
    const int code = run_on_terminal(text, sizeof text, "n\n", clear);
    if (code < 0) SKIP_TEST("no pseudo-terminals here");
    EXPECT_EQ(exit_usage, code);
    EXPECT_NOT_NULL(strstr(text, "Remove all 3 entries of "));
    EXPECT_NOT_NULL(strstr(text, "nothing was removed"));
    EXPECT_EQ(3, count_entries("store"));
    EXPECT_EQ(exit_ok, run_on_terminal(text, sizeof text, "y\n", clear));
    EXPECT_NOT_NULL(strstr(text, "3 removed, 0 left with 0 B on disk"));
    EXPECT_EQ(0, count_entries("store"));
}

/* ---- Others ------------------------------------------------------------- */

enum { busy_entries = 8 };

struct busy {
    struct made made[busy_entries];
    atomic_bool stop;
};

/* Puts and removes all the time. */
static void *be_busy(void *user)
{
    struct busy *busy = user;
    dnnl_cache_store_handle_t *store = open_test_store("store");
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    for (unsigned i = 0; !atomic_load(&busy->stop); i++) {
        const struct made *m = &busy->made[i % busy_entries];
        if (i / busy_entries % 2 == 0)
            EXPECT_OK(
                    s->put(s->user, m->id_size, m->id, m->size, m->blob, NULL));
        else
            EXPECT_OK(s->remove(s->user, m->id_size, m->id));
    }
    dnnl_cache_store_close(store);
    return NULL;
}

TEST_C(ToolProcess, LooksIntoAStoreThatIsWrittenMeanwhile)
{
    struct busy busy = {.stop = false};
    struct sample_store s;
    pthread_t thread;
    sample_store_make(&s); /* these stay */
    for (int i = 0; i < busy_entries; i++) {
        char source[24];
        snprintf(source, sizeof source, "busy %d", i);
        busy.made[i] = make_large_program("GPU", source, 5000);
    }
    ASSERT_EQ(0, pthread_create(&thread, NULL, be_busy, &busy));
    for (int i = 0; i < 200 && !test_has_failed(); i++) {
        const struct run *run = run_tool("list", "--json", NULL);
        EXPECT_EQ(exit_ok, run->code);
        for (int j = 0; j < sample_entries; j++)
            EXPECT_NOT_NULL(strstr(run->out, s.made[j].name));
        run = run_tool("verify", NULL);
        EXPECT_STR_EQ("", run->err);
        EXPECT_EQ(exit_ok, run->code);
        run = run_tool("export", in_test("archive"), NULL);
        EXPECT_STR_EQ("", run->err);
        EXPECT_EQ(exit_ok, run->code);
        run = run_bare("--store", in_test("other"), "import",
                in_test("archive"), NULL);
        EXPECT_STR_EQ("", run->err);
        EXPECT_EQ(exit_ok, run->code);
        EXPECT_EQ(exit_ok, run_tool("stats", NULL)->code);
        EXPECT_EQ(exit_ok, run_tool("inspect", s.made[1].name, NULL)->code);
    }
    atomic_store(&busy.stop, true);
    pthread_join(thread, NULL);
    for (int i = 0; i < busy_entries; i++)
        made_fini(&busy.made[i]);
    sample_store_fini(&s);
}
