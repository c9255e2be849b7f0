/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_runs.h"

#include "test.h"
#include "tool_helpers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_arguments = 24, most_variables = 20 };

static bool is_on_fake;
static size_t file_limit;         /* 0: none */
static unsigned descriptor_limit; /* 0: none */
static struct {
    const char *name;
    const char *value;
} variables[most_variables];

void use_fake(bool is_fake)
{
    is_on_fake = is_fake;
    memset(variables, 0, sizeof variables);
    file_limit = 0;
    descriptor_limit = 0;
}

void limit_descriptors(unsigned most)
{
    descriptor_limit = most;
}

void limit_files(size_t size)
{
    file_limit = size;
}

void use_variable(const char *name, const char *value)
{
    size_t i = 0;
    while (variables[i].name != NULL && strcmp(variables[i].name, name) != 0)
        i++;
    variables[i].name = name;
    variables[i].value = value;
}

const char *store_path(void)
{
    return in_test("store");
}

/* In the child. */
static void set_environment(void)
{
    char path[path_size];
    if (is_on_fake) {
        setenv("OCL_ICD_VENDORS", DNNL_CACHE_TEST_FAKE, 1);
        setenv("DNNL_CACHE_TEST_PLATFORM", "Fake OpenCL", 1);
    }
    snprintf(path, sizeof path, "%s/tmp", test_directory());
    (void)mkdir(path, 0700);
    setenv("TMPDIR", path, 1);
    snprintf(path, sizeof path, "%s/driver.XXXXXX", test_directory());
    if (mkdtemp(path) != NULL) setenv("POCL_CACHE_DIR", path, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    for (size_t i = 0; i < most_variables; i++)
        if (variables[i].name != NULL && variables[i].value != NULL)
            setenv(variables[i].name, variables[i].value, 1);
        else if (variables[i].name != NULL)
            unsetenv(variables[i].name);
}

static void redirect(int stream, const char *name)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, stream);
    close(fd);
}

static const char refresh_program[] = DNNL_CACHE_TEST_TOOL;

static pid_t start(const char *program, const char *const *arguments)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    char *argv[most_arguments + 2] = {(char *)(uintptr_t)program};
    for (int i = 0; i < most_arguments && arguments[i] != NULL; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    set_environment();
    if (file_limit > 0 && program == refresh_program) {
        const struct rlimit limit = {file_limit, file_limit};
        signal(SIGXFSZ, SIG_IGN); /* a write fails */
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    redirect(STDOUT_FILENO, "out");
    redirect(STDERR_FILENO, "err");
    if (descriptor_limit > 0 && program == refresh_program) {
        const struct rlimit limit = {descriptor_limit, descriptor_limit};
        (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0u);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    execv(program, argv);
    _exit(127);
}

static const char *read_text(char **text, const char *name)
{
    size_t size;
    free(*text);
    uint8_t *bytes = read_whole(in_test(name), &size);
    *text = calloc(1, size + 1);
    memcpy(*text, bytes, size);
    free(bytes);
    return *text;
}

struct outcome end_refresh(pid_t pid)
{
    static char *out, *err;
    struct outcome outcome;
    struct rusage usage = {.ru_maxrss = 0};
    int status = 0;
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    outcome.most_bytes = usage.ru_maxrss * 1024;
    outcome.code =
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_text(&out, "out");
    outcome.err = read_text(&err, "err");
    return outcome;
}

struct outcome run_client(const char *command, int count)
{
    char number[16];
    snprintf(number, sizeof number, "%d", count);
    const char *const arguments[] = {command, store_path(), number, NULL};
    return end_refresh(start(DNNL_CACHE_TEST_CLIENT, arguments));
}

static struct outcome run_layer(const char *name, int count)
{
    char number[16];
    static char path[path_size];
    snprintf(path, sizeof path, "%s", in_test(name));
    snprintf(number, sizeof number, "%d", count);
    const char *const arguments[] = {"plain", in_test("unused"), number, NULL};
    use_variable("OPENCL_LAYERS", DNNL_CACHE_TEST_LAYER);
    use_variable("DNNL_CACHE_DIR", path);
    const struct outcome outcome =
            end_refresh(start(DNNL_CACHE_TEST_CLIENT, arguments));
    use_variable("OPENCL_LAYERS", NULL);
    use_variable("DNNL_CACHE_DIR", NULL);
    return outcome;
}

struct outcome run_with_store(const char *name, int count)
{
    use_variable("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "0");
    /* What is kept at once leaves nothing to refresh. */
    use_variable("DNNL_CACHE_CAPTURE_COMPILED", "0");
    return run_layer(name, count);
}

struct outcome run_and_keep(const char *name, int count)
{
    use_variable("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", NULL);
    use_variable("DNNL_CACHE_CAPTURE_COMPILED", NULL);
    return run_layer(name, count);
}

struct outcome run_under_layer(int count)
{
    return run_with_store("store", count);
}

/* With what comes before: so many. */
static pid_t start_with(size_t count, const char *const before[],
        const char *first, va_list more)
{
    const char *arguments[most_arguments + 1] = {NULL};
    for (size_t i = 0; i < count; i++)
        arguments[i] = before[i];
    for (const char *argument = first;
            argument != NULL && count < most_arguments;
            argument = va_arg(more, const char *))
        arguments[count++] = argument;
    return start(refresh_program, arguments);
}

static pid_t start_refresh_with(const char *first, va_list more)
{
    const char *const before[] = {"refresh", "--store", store_path()};
    return start_with(3, before, first, more);
}

pid_t start_refresh(const char *first, ...)
{
    va_list more;
    va_start(more, first);
    const pid_t pid = start_refresh_with(first, more);
    va_end(more);
    return pid;
}

struct outcome run_refresh(const char *first, ...)
{
    va_list more;
    va_start(more, first);
    const pid_t pid = start_refresh_with(first, more);
    va_end(more);
    return end_refresh(pid);
}

pid_t start_program(const char *first, ...)
{
    va_list more;
    va_start(more, first);
    const pid_t pid = start_with(0, NULL, first, more);
    va_end(more);
    return pid;
}

struct outcome run_program(const char *first, ...)
{
    va_list more;
    va_start(more, first);
    const pid_t pid = start_with(0, NULL, first, more);
    va_end(more);
    return end_refresh(pid);
}

struct outcome run_file(const char *program, const char *const *arguments)
{
    return end_refresh(start(program, arguments));
}

/* Processes that pass on what workers print are in the command's group. */
static pid_t find_child(pid_t refresh, bool is_worker)
{
    char path[64];
    pid_t found = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)refresh,
            (int)refresh);
    while (found == 0) {
        FILE *file = fopen(path, "r");
        int child = 0;
        if (file == NULL) return 0; /* it has ended */
        while (found == 0 && fscanf(file, "%d", &child) == 1)
            if (!is_worker || getpgid(child) == child) found = child;
        fclose(file);
        if (found == 0) sched_yield();
    }
    return found;
}

pid_t find_worker(pid_t refresh)
{
    return find_child(refresh, true);
}

pid_t find_any_child(pid_t refresh)
{
    return find_child(refresh, false);
}

size_t await_files(
        pid_t refresh, const char *folder, const char *name, size_t count)
{
    enum { most_waits = 20000 };
    char pattern[2 * path_size];
    size_t there = 0;
    snprintf(pattern, sizeof pattern, "%s/%s", folder, name);
    for (int i = 0; i < most_waits && there < count && kill(refresh, 0) == 0;
            i++) {
        glob_t found = {0};
        if (glob(pattern, 0, NULL, &found) == 0) there = found.gl_pathc;
        globfree(&found);
        (void)usleep(1000);
    }
    return there;
}

int begin_silent_server(char url[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET,
            .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, bind(fd, (struct sockaddr *)&address, size));
    EXPECT_EQ(0, listen(fd, 16));
    EXPECT_EQ(0, getsockname(fd, (struct sockaddr *)&address, &size));
    snprintf(url, 64, "redis://127.0.0.1:%u?insecure=1",
            ntohs(address.sin_port));
    return fd;
}

long waiting(void)
{
    const struct outcome outcome = run_refresh("--dry-run", "--json", NULL);
    static const char name[] = "\"waiting\": ";
    const char *at = strstr(outcome.out, name);
    EXPECT_EQ(0, outcome.code);
    EXPECT_TRUE(json_is_valid(outcome.out, strlen(outcome.out)));
    return at != NULL ? strtol(at + sizeof name - 1, NULL, 10) : -1;
}

size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* ThreadSanitizer has a file for a moment when a program begins: one that is
 * killed then leaves it. */
static bool is_of_sanitizer(const char *name)
{
    return strncmp(name, "tsan.rodata.", 12) == 0;
}

static char left_behind[256]; /* the last name that was counted */

size_t count_temporary(void)
{
    const struct dirent *entry;
    size_t count = 0;
    DIR *dir = opendir(in_test("tmp"));
    if (dir == NULL) return 0;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.' || is_of_sanitizer(entry->d_name)) continue;
        (void)snprintf(left_behind, sizeof left_behind, "%s", entry->d_name);
        count++;
    }
    closedir(dir);
    return count;
}

void expect_no_temporary(void)
{
    left_behind[0] = '\0';
    EXPECT_EQ(0, (long long)count_temporary());
    EXPECT_STR_EQ("", left_behind);
}
