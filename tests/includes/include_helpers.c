/* SPDX-License-Identifier: Apache-2.0 */
#include "include_helpers.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[4096];

void enter_files(void)
{
    if (getcwd(home, sizeof home) == NULL || chdir(test_directory()) != 0)
        abort();
}

void leave_files(void)
{
    if (chdir(home) != 0) abort();
}

static void make_folders(const char *path)
{
    char folder[4096];
    for (const char *slash = strchr(path, '/'); slash != NULL;
            slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (folder[0] != '\0') (void)mkdir(folder, 0777);
    }
}

void put_bytes(const char *path, const void *bytes, size_t size)
{
    make_folders(path);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size
            || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

void put_file(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

void remove_file(const char *path)
{
    if (unlink(path) != 0) abort();
}

struct includes follow(const char *options, const char *source)
{
    struct includes out;
    memset(&out, 0, sizeof out);
    if (!follow_sources(&out, 1, &source, NULL, options)) {
        test_fail(__FILE__, __LINE__, "%s\nrefused: %s", source, out.reason);
        memset(&out, 0, sizeof out);
    }
    return out;
}

static bool refuses_for(const char *reason, bool is_options,
        const char *options, const char *source)
{
    struct includes out;
    memset(&out, 0x5a, sizeof out);
    const struct includes before = out;
    if (follow_sources(&out, 1, &source, NULL, options)) {
        (void)fprintf(stderr, "not refused: %s\n", source);
        return false;
    }
    if (memcmp(out.digest, before.digest, sizeof out.digest) != 0
            || out.count != before.count) {
        (void)fprintf(stderr, "refused, but written: %s\n", source);
        return false;
    }
    if (strstr(out.reason, reason) != NULL && out.is_options == is_options)
        return true;
    (void)fprintf(stderr, "refused for%s: %s\n",
            out.is_options ? " options" : "", out.reason);
    return false;
}

bool refuses(const char *reason, const char *options, const char *source)
{
    return refuses_for(reason, false, options, source);
}

bool refuses_options(
        const char *reason, const char *options, const char *source)
{
    return refuses_for(reason, true, options, source);
}

bool same_digest(const struct includes *a, const struct includes *b)
{
    return memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

bool writing_changes(const char *path, const char *text, const char *options,
        const char *source)
{
    const struct includes before = follow(options, source);
    put_file(path, text);
    const struct includes after = follow(options, source);
    return !same_digest(&before, &after);
}
