/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

/* ---- Running ------------------------------------------------------------- */

static int remove_entry(
        const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

/* An empty folder. */
static void make_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(path, 0700);
}

static void set_or_unset(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* The drivers' own caches are off, or empty. */
static void child(const struct layer_run *run, const char *printed,
        const char *counts, const char *statistics, const char *folder)
{
    int out = open(printed, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (out < 0 || dup2(out, 1) < 0) _exit(126);
    set_or_unset("OPENCL_LAYERS", run->layers);
    set_or_unset("DNNL_CACHE_DIR", run->store);
    setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "unlimited", 1);
    setenv("BUILD_COUNTER_FILE", counts, 1);
    setenv("DNNL_CACHE_STATS", statistics, 1);
    setenv("POCL_KERNEL_CACHE", run->driver_cache != NULL ? "1" : "0", 1);
    setenv("POCL_CACHE_DIR",
            run->driver_cache != NULL ? run->driver_cache : folder, 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    /* Drivers keep memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    execv(run->argument[0], run->argument);
    _exit(127);
}

static char *read_file(const char *path, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size), *in = fopen(path, "r");
    int c;

    while (in != NULL && out != NULL && (c = getc(in)) != EOF)
        putc(c, out);
    if (in != NULL) fclose(in);
    if (out == NULL || fclose(out) != 0) abort();
    return text;
}

/* The first line of a file; "" if there is none. */
static void read_line(char *line, size_t size, const char *path)
{
    FILE *in = fopen(path, "r");

    line[0] = 0;
    if (in == NULL) return;
    if (fgets(line, (int)size, in) == NULL) line[0] = 0;
    fclose(in);
}

/* Several processes of a test may run programs at the same time. */
static void make_path(char *path, const char *name)
{
    snprintf(path, PATH_SIZE, "%s/%s%d", test_directory(), name, (int)getpid());
}

int run_program(struct layer_run *run)
{
    char folder[PATH_SIZE], printed[PATH_SIZE], counts[PATH_SIZE];
    char statistics[PATH_SIZE];
    int status = 0;
    pid_t pid;

    make_path(folder, "driver");
    make_folder(folder);
    make_path(printed, "printed");
    make_path(counts, "counts");
    make_path(statistics, "statistics");
    remove(counts);
    remove(statistics);
    pid = fork();
    if (pid == 0) child(run, printed, counts, statistics, folder);
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
    run->printed = read_file(printed, &run->printed_size);
    read_line(run->counts, sizeof(run->counts), counts);
    read_line(run->statistics, sizeof(run->statistics), statistics);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void run_free(struct layer_run *run)
{
    free(run->printed);
    run->printed = NULL;
}

/* The number of that name in a line of JSON; 0 if there is none. */
static unsigned long number_of(
        const char *line, const char *name, bool *is_there)
{
    char quoted[64];
    const char *at;

    snprintf(quoted, sizeof(quoted), "\"%s\":", name);
    at = strstr(line, quoted);
    *is_there = at != NULL;
    return at != NULL ? strtoul(at + strlen(quoted), NULL, 10) : 0;
}

unsigned long run_count(const struct layer_run *run, const char *name)
{
    bool is_there;
    const unsigned long number = number_of(run->counts, name, &is_there);

    EXPECT_TRUE(is_there);
    return number;
}

unsigned long run_deferred(const struct layer_run *run)
{
    bool is_there;
    const unsigned long number =
            number_of(run->statistics, "deferred", &is_there);

    EXPECT_TRUE(is_there);
    return number;
}

void expect_nothing_compiled(const struct layer_run *run)
{
    bool is_any;
    const unsigned long left =
            number_of(run->statistics, "driver_faster", &is_any);

    /* Shown if the test fails. */
    printf("%s", run->statistics);
    EXPECT_NOT_NULL(strstr(run->statistics, "\"misses_by\""));
    EXPECT_LE(run_count(run, "source_builds"), left);
    if (is_any) return; /* loading was no faster */
    EXPECT_EQ(0, run_count(run, "source_compiles"));
    EXPECT_EQ(0, run_count(run, "source_links"));
}

/* ---- Comparing ----------------------------------------------------------- */

struct line {
    const char *text;
    size_t size;
};

/* The next line, moved past; of size 0 at the end. */
static struct line next_line(const char **at, const char *end)
{
    struct line line = {*at, 0};
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));

    stop = stop != NULL ? stop + 1 : end;
    line.size = (size_t)(stop - *at);
    *at = stop;
    return line;
}

void expect_same_lines(const char *what, const struct layer_run *expected,
        const struct layer_run *actual)
{
    const char *a = expected->printed, *a_end = a + expected->printed_size;
    const char *b = actual->printed, *b_end = b + actual->printed_size;
    unsigned differences = 0, number = 0;

    EXPECT_GT(expected->printed_size, 0);
    while ((a < a_end || b < b_end) && differences < 10) {
        struct line wanted = next_line(&a, a_end), got = next_line(&b, b_end);

        number++;
        if (wanted.size == got.size
                && memcmp(wanted.text, got.text, got.size) == 0)
            continue;
        differences++;
        test_fail(__FILE__, __LINE__, "%s, line %u\n- %.*s+ %.*s", what, number,
                (int)wanted.size, wanted.text, (int)got.size, got.text);
    }
}

/* ---- Damaging ------------------------------------------------------------ */

static enum damage wanted_damage;
static unsigned damaged;

static void flip_middle(const char *path, off_t size)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    unsigned char byte = 0;

    EXPECT_EQ(1, pread(file, &byte, 1, size / 2));
    byte ^= 0x10;
    EXPECT_EQ(1, pwrite(file, &byte, 1, size / 2));
    close(file);
}

static int damage_entry(
        const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)walk;
    if (type != FTW_F || st->st_size == 0) return 0;
    if (wanted_damage == DAMAGE_CUT)
        EXPECT_EQ(0, truncate(path, st->st_size / 2));
    else
        flip_middle(path, st->st_size);
    damaged++;
    return 0;
}

unsigned damage_files(const char *folder, enum damage damage)
{
    wanted_damage = damage;
    damaged = 0;
    nftw(folder, damage_entry, 16, FTW_PHYS);
    return damaged;
}
