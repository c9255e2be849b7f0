/* SPDX-License-Identifier: Apache-2.0 */
#include "example_process.h"

#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct example_path example_path(const char *directory, const char *name)
{
    struct example_path path;
    snprintf(path.text, sizeof path.text, "%.300s/%.200s", directory, name);
    return path;
}

struct example_path example_file(
        const char *directory, const char *name, const char *ending)
{
    struct example_path path;
    snprintf(path.text, sizeof path.text, "%.300s/%.100s.%.100s", directory,
            name, ending);
    return path;
}

int example_run(const char *directory, const char *name, char *const *argv,
        void (*in_child)(const char *directory, const char *name))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (freopen(example_file(directory, name, "out").text, "w", stdout)
                        == NULL
                || freopen(example_file(directory, name, "err").text, "w",
                           stderr)
                           == NULL)
            _exit(126);
        if (in_child != NULL) in_child(directory, name);
        execv(argv[0], argv);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

char *example_contents(const char *path, size_t *size)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "rb");
    FILE *copy = open_memstream(&bytes, &length);
    int c;
    if (copy == NULL) abort();
    while (file != NULL && (c = getc(file)) != EOF)
        putc(c, copy);
    if (file != NULL) fclose(file);
    if (fclose(copy) != 0) abort();
    if (size != NULL) *size = length;
    return bytes;
}

bool example_says(const char *path, const char *text)
{
    char *contents = example_contents(path, NULL);
    const bool says = strstr(contents, text) != NULL;
    free(contents);
    return says;
}

void example_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    EXPECT_NOT_NULL(file);
    if (file == NULL) return;
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    EXPECT_EQ(0, fclose(file));
}

void example_flip_middle(const char *path)
{
    size_t size;
    char *bytes = example_contents(path, &size);
    bytes[size / 2] ^= 1;
    example_write(path, bytes, size);
    free(bytes);
}

void example_cut_in_half(const char *path)
{
    size_t size;
    char *bytes = example_contents(path, &size);
    example_write(path, bytes, size / 2);
    free(bytes);
}

/* ---- Trees of files ------------------------------------------------------ */

static void (*damage_one)(const char *path);
static size_t damaged;

static int visit_to_damage(
        const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
    (void)ftw;
    if (flag == FTW_F && status->st_size > 0) {
        damage_one(path);
        damaged++;
    }
    return 0;
}

size_t example_damage_files(const char *path, void (*damage)(const char *path))
{
    damage_one = damage;
    damaged = 0;
    nftw(path, visit_to_damage, 16, FTW_PHYS);
    return damaged;
}

static int visit_to_remove(
        const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
    (void)status;
    (void)flag;
    (void)ftw;
    return remove(path);
}

void example_remove(const char *path)
{
    nftw(path, visit_to_remove, 16, FTW_DEPTH | FTW_PHYS);
}
