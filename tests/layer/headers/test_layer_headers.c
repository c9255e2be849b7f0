/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edited headers take effect under the layer, in the process that compiled them
 * and in the next ones, and what was compiled once is not compiled again.
 */
#include "test.h"
#include "test_platform.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { path_size = 600 };

/* ---- A process under the layer ------------------------------------------- */

struct run {
    char printed[200];
    char statistics[4000];
};

static void path_of(char path[path_size], const char *name)
{
    snprintf(path, path_size, "%s/%s", test_directory(), name);
}

/* Empty if there is no such file. */
static void read_text(const char *name, char *text, size_t size)
{
    char path[path_size];
    path_of(path, name);
    FILE *in = fopen(path, "re");
    text[0] = '\0';
    if (in == NULL) return;
    text[fread(text, 1, size - 1, in)] = '\0';
    (void)fclose(in);
}

static void set_path(const char *variable, const char *name)
{
    char path[path_size];
    path_of(path, name);
    setenv(variable, path, 1);
}

/* The driver's own cache is new for each process. */
static void set_environment(const char *layers, const char *driver_cache)
{
    setenv("OPENCL_LAYERS", layers, 1);
    set_path("DNNL_CACHE_DIR", "store");
    set_path("DNNL_CACHE_STATS", "statistics");
    setenv("DNNL_CACHE_HARVEST_SECONDS", "0", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    set_path("POCL_CACHE_DIR", driver_cache);
    setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    /* Drivers keep memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

/* Runs the client with commands, up to a NULL, in the test's directory. */
static struct run run_under(const char *layers, const char *const *commands)
{
    static int number;
    struct run run;
    char cache[40];
    char path[path_size];
    const char *arguments[40] = {CLIENT, test_platform_name()};
    size_t count = 2;
    int status = -1;
    snprintf(cache, sizeof cache, "driver%d", number++);
    path_of(path, cache);
    EXPECT_EQ(0, mkdir(path, 0700));
    while (*commands != NULL && count < 39)
        arguments[count++] = *commands++;
    path_of(path, "statistics");
    (void)unlink(path);
    path_of(path, "printed");
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0
                || chdir(test_directory()) != 0)
            _exit(126);
        set_environment(layers, cache);
        execv(CLIENT, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    read_text("printed", run.printed, sizeof run.printed);
    read_text("statistics", run.statistics, sizeof run.statistics);
    return run;
}

#define RUN(...) run_under(LAYER, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_EDITED(...) \
    run_under(EDIT_LAYER ":" LAYER, (const char *const[]){__VA_ARGS__, NULL})

/* A number of the statistics, in `part` (an object in it) or NULL; 0 if it is
 * not there. */
static long count_of(const struct run *run, const char *part, const char *name)
{
    char quoted[60];
    const char *from = run->statistics;
    const char *end = from + strlen(from);
    if (part != NULL) {
        snprintf(quoted, sizeof quoted, "\"%s\":{", part);
        from = strstr(from, quoted);
        EXPECT_NOT_NULL(from);
        if (from == NULL) return -1;
        end = strchr(from, '}');
    }
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(from, quoted);
    return at != NULL && at < end ? strtol(at + strlen(quoted), NULL, 10) : 0;
}

/* ---- Programs ------------------------------------------------------------ */

static const char by_name[] = "#include \"value.h\"\n"
                              "kernel void get(global int *out)\n"
                              "{ *out = VALUE; }\n";

static const char by_macro[] = "#define WHERE \"value.h\"\n"
                               "#include WHERE\n"
                               "kernel void get(global int *out)\n"
                               "{ *out = VALUE; }\n";

static const char by_option[] = "kernel void get(global int *out)\n"
                                "{ *out = VALUE; }\n";

/* A folder that is empty at first, one with a header that includes another. */
static const char options[] = "-I first -Isecond";

#define NUMBER(n) "write", "second/sub/number.h", "#define NUMBER " #n "\n"
#define BUILD "build", options, by_name

static void make_headers(void)
{
    static const char *const folders[] = {"first", "second", "second/sub"};
    char path[path_size];
    for (size_t i = 0; i < 3; i++) {
        path_of(path, folders[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
    path_of(path, "second/value.h");
    FILE *out = fopen(path, "we");
    ASSERT_NOT_NULL(out);
    (void)fputs("#include \"sub/number.h\"\n#define VALUE NUMBER\n", out);
    ASSERT_EQ(0, fclose(out));
}

#define EXPECT_PRINTS(text, run) EXPECT_STR_EQ(text, (run).printed)

/* Compilations, hits, programs kept. */
#define EXPECT_COUNTS(missing, found, new, run)                       \
    do {                                                              \
        EXPECT_EQ(missing, count_of(&(run), "misses_by", "missing")); \
        EXPECT_EQ(found, count_of(&(run), NULL, "hits"));             \
        EXPECT_EQ(new, count_of(&(run), NULL, "kept"));               \
    } while (0)

TEST_C(LayerHeaders, EditsTakeEffectAndUnchangedOnesAreHits)
{
    make_headers();
    const struct run cold = RUN(NUMBER(1), BUILD, NUMBER(2), BUILD);
    EXPECT_PRINTS("1\n2\n", cold);
    EXPECT_COUNTS(2, 0, 2, cold);

    const struct run warm = RUN(BUILD, NUMBER(1), BUILD, "write",
            "first/value.h", "#define VALUE 3\n", BUILD);
    EXPECT_PRINTS("2\n1\n3\n", warm);
    EXPECT_COUNTS(1, 2, 1, warm);

    /* A header in an earlier folder, and without it again. */
    const struct run shadowed = RUN(BUILD, "remove", "first/value.h", BUILD);
    EXPECT_PRINTS("3\n1\n", shadowed);
    EXPECT_COUNTS(0, 2, 0, shadowed);

    /* The working directory comes before all folders, then. */
    const struct run local =
            RUN("write", "value.h", "#define VALUE 4\n", BUILD);
    EXPECT_PRINTS("4\n", local);
    EXPECT_COUNTS(1, 0, 1, local);
}

TEST_C(LayerHeaders, NamesByMacroAreNeverKept)
{
    make_headers();
    const struct run run = RUN(NUMBER(1), "build", options, by_macro, NUMBER(2),
            "build", options, by_macro);
    EXPECT_PRINTS("1\n2\n", run);
    EXPECT_EQ(2, count_of(&run, "misses_by", "includes"));
    EXPECT_COUNTS(0, 0, 0, run);
}

/* Not every driver knows the option; then it stays an error. */
TEST_C(LayerHeaders, IncludesOfOptionsAreFollowed)
{
    static const char with_include[] = "-Isecond -include value.h";
    make_headers();
    const struct run cold = RUN(NUMBER(1), "build", with_include, by_option);
    const struct run warm = RUN("build", with_include, by_option, NUMBER(2),
            "build", with_include, by_option);
    if (strncmp(cold.printed, "error", 5) == 0) {
        char twice[2 * sizeof cold.printed];
        snprintf(twice, sizeof twice, "%s%s", cold.printed, cold.printed);
        EXPECT_PRINTS(twice, warm);
        EXPECT_EQ(0, count_of(&cold, NULL, "kept"));
        return;
    }
    EXPECT_PRINTS("1\n", cold);
    EXPECT_COUNTS(1, 0, 1, cold);
    EXPECT_PRINTS("1\n2\n", warm);
    EXPECT_COUNTS(1, 1, 1, warm);
}

/* The layer saw 1, the compiler read 2: nothing may be kept by the name of 1.
 */
TEST_C(LayerHeaders, EditsDuringABuildAreNoticed)
{
    make_headers();
    char path[path_size];
    path_of(path, "second/sub/number.h");
    setenv("EDIT_LAYER_FILE", path, 1);
    setenv("EDIT_LAYER_TEXT", "#define NUMBER 2\n", 1);
    const struct run edited = RUN_EDITED(NUMBER(1), BUILD);
    EXPECT_PRINTS("2\n", edited);
    EXPECT_EQ(1, count_of(&edited, "not_kept_by", "includes"));
    EXPECT_COUNTS(1, 0, 0, edited);

    const struct run after = RUN(NUMBER(1), BUILD);
    EXPECT_PRINTS("1\n", after);
    EXPECT_COUNTS(1, 0, 1, after);
}
