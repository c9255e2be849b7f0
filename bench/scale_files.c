/* SPDX-License-Identifier: Apache-2.0 */
#include "scale_files.h"

#include "failure.h"
#include "plain_file.h"
#include "samples.h"
#include "scale_blob.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 4200 };

static void name_path(
        char path[path_size], const struct scale_files *files, const char *name)
{
    snprintf(path, path_size, "%s/%s", files->folder, name);
}

static void number_path(
        char path[path_size], const struct scale_files *files, unsigned number)
{
    snprintf(path, path_size, "%s/%u", files->folder, number);
}

static bool failed(const char *what, const char *path)
{
    failure_set("%s: %.100s: %s", path, what, strerror(errno));
    return false;
}

static bool write_file(const char *path, unsigned number, size_t size)
{
    return plain_file_write(path, scale_blob(number), size);
}

bool scale_files_make(
        struct scale_files *files, const char *folder, unsigned entries)
{
    char path[path_size];
    *files = (struct scale_files){.entries = entries, .next = entries};
    snprintf(files->folder, sizeof files->folder, "%s", folder);
    if (mkdir(folder, 0700) != 0) return failed("mkdir", folder);
    for (unsigned i = 0; i < entries; i++) {
        const bool large = scale_is_large(i, entries);
        number_path(path, files, i);
        if (!write_file(path, i, large ? scale_large_size : scale_small_size))
            return failed("writing", path);
    }
    return true;
}

bool scale_files_make_small(struct scale_files *files)
{
    char path[path_size];
    for (unsigned i = 0; i < scale_large_count; i++) {
        number_path(path, files, scale_large_number(i, files->entries));
        if (unlink(path) != 0) return failed("removing", path);
        number_path(path, files, files->next);
        if (!write_file(path, files->next, scale_small_size))
            return failed("writing", path);
        files->next++;
    }
    return true;
}

/* ---- Sides --------------------------------------------------------------- */

bool scale_files_read(void *arg, double *value)
{
    struct scale_files *files = arg;
    char path[path_size];
    files->large = scale_next_large(files->large);
    const unsigned number = scale_large_number(files->large, files->entries);
    number_path(path, files, number);
    const uint64_t began = clock_ns();
    uint8_t *bytes = plain_file_read(path, scale_large_size);
    const bool done = bytes != NULL && scale_blob_is(bytes, number);
    free(bytes);
    *value = (double)(clock_ns() - began);
    return done || failed("reading", path);
}

/* What makes room is what was written first. */
static unsigned take_oldest(struct scale_files *files)
{
    while (files->oldest < files->entries
            && scale_is_large(files->oldest, files->entries))
        files->oldest++; /* they went when the others came */
    return files->oldest++;
}

bool scale_files_replace(void *arg, double *value)
{
    struct scale_files *files = arg;
    char new[path_size];
    char path[path_size];
    char old[path_size];
    name_path(new, files, "new");
    number_path(path, files, files->next);
    number_path(old, files, take_oldest(files));
    const uint64_t began = clock_ns();
    const bool done = write_file(new, files->next, scale_small_size)
                      && rename(new, path) == 0 && unlink(old) == 0;
    *value = (double)(clock_ns() - began);
    files->next++;
    return done || failed("replacing a file by", path);
}
