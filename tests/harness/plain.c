/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the C tests of test.h without GoogleTest, for systems that have a C
 * library and no C++ library (DNNL_CACHE_TEST_PLAIN). Arguments are
 * GoogleTest's
 * --gtest_filter, with patterns and a part behind "-", and no others. Ends with
 * 1 if a test failed or none ran.
 */
#include "test.h"

#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_TESTS = 4096, MAX_ENDS = 64, PATHS = 8, PATH_SIZE = 512 };

static struct {
    const char *suite;
    const char *name;
    const char *file;
    void (*body)(void);
} tests[MAX_TESTS];
static size_t test_count;

static struct {
    void (*end)(void *thing);
    void *thing;
} ends[MAX_ENDS];
static size_t end_count;

/* Of the running test: assertions on any thread, failures, and whether it was
 * skipped. */
static atomic_ulong asserted;
static atomic_ulong failures;
static atomic_bool skipped;

/* The run's folder, and the running test's in it. */
static char temporary[PATH_SIZE];
static char directory[PATH_SIZE];

static _Noreturn void give_up(const char *what)
{
    perror(what);
    abort();
}

void test_register(const char *suite, const char *name, const char *file,
        int line, void (*body)(void))
{
    (void)line;
    if (test_count == MAX_TESTS) give_up("too many tests");
    tests[test_count].suite = suite;
    tests[test_count].name = name;
    tests[test_count].file = file;
    tests[test_count++].body = body;
}

void test_asserts(void)
{
    atomic_fetch_add_explicit(&asserted, 1, memory_order_relaxed);
}

void test_fail(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%s:%d: Failure\n%s\n", file, line, text);
    atomic_fetch_add(&failures, 1);
}

void test_skip(const char *file, int line, const char *reason)
{
    printf("%s:%d: Skipped\n%s\n", file, line, reason);
    atomic_store(&skipped, true);
}

bool test_has_failed(void)
{
    return atomic_load(&failures) > 0;
}

uint64_t test_seed(void)
{
    const char *given = getenv("DNNL_CACHE_TEST_SEED");
    uint64_t seed;
    if (given != NULL)
        seed = strtoull(given, NULL, 0);
    else if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        give_up("getrandom");
    printf("[   SEED   ] DNNL_CACHE_TEST_SEED=0x%llx\n",
            (unsigned long long)seed);
    fflush(stdout); /* a test that crashes should have told it */
    return seed;
}

bool is_in_sample(size_t number, uint64_t seed)
{
    if (getenv("DNNL_CACHE_TEST_SAMPLE") == NULL) return true;
    return number < 3 ? number == seed % 3 : number % 6 == seed % 6;
}

/* ---- Folders ------------------------------------------------------------- */

static void make_directory(char *path, const char *parent)
{
    snprintf(path, PATH_SIZE, "%s/dnnl_cache.XXXXXX", parent);
    if (mkdtemp(path) == NULL) give_up("mkdtemp");
}

static int remove_one(const char *path, const struct stat *status, int kind,
        struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    (void)remove(path);
    return 0;
}

static void remove_directory(char *path)
{
    if (path[0] != '\0') nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    path[0] = '\0';
}

const char *test_directory(void)
{
    if (directory[0] == '\0') make_directory(directory, temporary);
    return directory;
}

const char *in_test(const char *name)
{
    static _Thread_local char paths[PATHS][PATH_SIZE];
    static _Thread_local unsigned next;
    char *path = paths[next++ % PATHS];
    if (snprintf(path, PATH_SIZE, "%s/%s", test_directory(), name) >= PATH_SIZE)
        give_up("a path is too long");
    return path;
}

void test_at_end(void (*end)(void *thing), void *thing)
{
    if (end_count == MAX_ENDS) give_up("too many things to end");
    ends[end_count].end = end;
    ends[end_count++].thing = thing;
}

bool test_drop_capabilities(void)
{
    struct __user_cap_header_struct header = {
            .version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    return syscall(SYS_capset, &header, none) == 0;
}

/* ---- Comparisons --------------------------------------------------------- */

bool test_bytes_equal(const char *file, int line, const char *what,
        const void *expected, size_t expected_size, const void *actual,
        size_t actual_size)
{
    const unsigned char *a = expected, *b = actual;
    test_asserts();
    if (expected_size != actual_size) {
        test_fail(file, line, "%s: %zu and %zu bytes", what, expected_size,
                actual_size);
        return false;
    }
    for (size_t i = 0; i < expected_size; i++) {
        if (a[i] == b[i]) continue;
        test_fail(file, line, "%s differ first at byte %zu: %02x and %02x",
                what, i, a[i], b[i]);
        return false;
    }
    return true;
}

bool test_strings_equal(const char *file, int line, const char *what,
        const char *expected, const char *actual)
{
    test_asserts();
    if (expected != NULL && actual != NULL && strcmp(expected, actual) == 0)
        return true;
    test_fail(file, line, "%s: \"%s\" and \"%s\"", what,
            expected != NULL ? expected : "(null)",
            actual != NULL ? actual : "(null)");
    return false;
}

/* ---- The run ------------------------------------------------------------- */

/* Does a list of patterns with ':' between them name it? */
static bool is_named(const char *patterns, size_t size, const char *name)
{
    char pattern[256];
    for (const char *end = patterns + size; patterns < end;) {
        const char *colon = memchr(patterns, ':', (size_t)(end - patterns));
        const size_t length = (size_t)((colon ? colon : end) - patterns);
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0) return true;
        }
        patterns += length + 1;
    }
    return false;
}

static bool passes_filter(const char *filter, size_t test)
{
    char name[256];
    snprintf(name, sizeof name, "%s.%s", tests[test].suite, tests[test].name);
    const char *minus = strchr(filter, '-');
    const size_t size = minus ? (size_t)(minus - filter) : strlen(filter);
    if (size > 0 && !is_named(filter, size, name)) return false;
    return minus == NULL || !is_named(minus + 1, strlen(minus + 1), name);
}

/* Is it what a platform cannot run? (harness.cpp) */
static bool is_left_out(size_t test)
{
    char list[4096], name[256];
    const char *names = getenv("DNNL_CACHE_TEST_WITHOUT");
    if (names == NULL) return false;
    snprintf(list, sizeof list, ":%s:", names);
    snprintf(name, sizeof name, ":%s.%s:", tests[test].suite, tests[test].name);
    return strstr(list, name) != NULL;
}

/* Is its file among those of the entry of ctest? (harness.cpp) */
static bool is_of_entry(const char *sources, size_t test)
{
    char list[4096], name[256];
    if (sources == NULL) return true;
    const char *slash = strrchr(tests[test].file, '/');
    snprintf(list, sizeof list, ",%s,", sources);
    snprintf(name, sizeof name, ",%s,",
            slash != NULL ? slash + 1 : tests[test].file);
    return strstr(list, name) != NULL;
}

/* True unless it failed. */
static bool run(size_t test)
{
    atomic_store(&asserted, 0);
    atomic_store(&failures, 0);
    atomic_store(&skipped, false);
    printf("[ RUN      ] %s.%s\n", tests[test].suite, tests[test].name);
    fflush(stdout);
    tests[test].body();
    while (end_count > 0) {
        end_count--;
        ends[end_count].end(ends[end_count].thing);
    }
    remove_directory(directory);
    if (!skipped && !test_has_failed() && asserted == 0)
        test_fail(tests[test].file, 0, "the test ended without an assertion");
    printf("[ %s ] %s.%s\n",
            test_has_failed() ? " FAILED "
            : skipped         ? "SKIPPED "
                              : "      OK",
            tests[test].suite, tests[test].name);
    return !test_has_failed();
}

int main(int argc, char **argv)
{
    static const int heeded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    const char *option = "--gtest_filter=", *filter = "";
    const char *given = getenv("TMPDIR");
    char *sources = getenv("DNNL_CACHE_TEST_SOURCES");
    size_t ran = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], option, strlen(option)) != 0) return 2;
        filter = argv[i] + strlen(option);
    }
    for (size_t i = 0; i < COUNT(heeded); i++)
        signal(heeded[i], SIG_DFL);
    if (sources != NULL && (sources = strdup(sources)) == NULL)
        give_up("strdup");
    unsetenv("DNNL_CACHE_TEST_SOURCES"); /* not for processes of tests */
    make_directory(temporary, given != NULL ? given : "/tmp");
    chmod(temporary, 0711);
    setenv("TMPDIR", temporary, 1);
    for (size_t i = 0; i < test_count; i++) {
        if (!is_of_entry(sources, i) || !passes_filter(filter, i)
                || is_left_out(i))
            continue;
        ran++;
        if (!run(i)) failed++;
    }
    remove_directory(temporary);
    free(sources);
    printf("[==========] %zu tests ran, %zu failed.\n", ran, failed);
    return ran == 0 || failed > 0;
}
