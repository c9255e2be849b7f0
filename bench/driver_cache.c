/* SPDX-License-Identifier: Apache-2.0 */
#include "driver_cache.h"

#include "bytes.h"
#include "device.h"
#include "failure.h"
#include "process.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Arguments of the process: this word, platform (empty: any). */
enum { ARG_WORD, ARG_PLATFORM };
static const char word[] = "prime";

/* ---- Priming ------------------------------------------------------------- */

bool driver_cache_use(const char *folder)
{
    return setenv("CUDA_CACHE_PATH", folder, 1) == 0
           && setenv("CUDA_CACHE_DISABLE", "0", 1) == 0;
}

/* Between fork and exec. */
static void set_environment(const void *folder)
{
    (void)driver_cache_use(folder);
}

static bool make_folder(const char *folder)
{
    if (mkdir(folder, 0700) == 0) return true;
    failure_set("%s cannot be made", folder);
    return false;
}

bool driver_cache_prime(const char *folder, const char *platform)
{
    const char *const arguments[] = {
            word, platform != NULL ? platform : "", NULL};
    struct stat st;
    double none;
    if (stat(folder, &st) == 0) return true;
    return make_folder(folder)
           && process_run(arguments, set_environment, folder, &none, 0);
}

bool driver_cache_is_child(char **argv)
{
    return strcmp(argv[ARG_WORD], word) == 0;
}

int driver_cache_main(char **argv)
{
    const char *platform = argv[ARG_PLATFORM];
    struct device device;
    cl_context context = NULL;
    if (device_find(platform[0] != '\0' ? platform : NULL, &device))
        context = device_context(&device);
    if (context != NULL) clReleaseContext(context);
    return process_answer(context != NULL, NULL, 0);
}

/* ---- Copies -------------------------------------------------------------- */

/* What nftw() has no argument for. */
static const char *target;
static size_t source_size;

static int copy_one(const char *path, const struct stat *status, int kind,
        struct FTW *place)
{
    char folder[PATH_MAX];
    struct bytes file = {NULL, 0};
    (void)status;
    if (kind != FTW_D && kind != FTW_F) return 0; /* no cache of a driver's */
    const char *below = path + source_size;
    if (kind == FTW_D) {
        (void)snprintf(folder, sizeof folder, "%s%s", target, below);
        return make_folder(folder) ? 0 : -1;
    }
    const int parent = place->base - (int)source_size;
    (void)snprintf(folder, sizeof folder, "%s%.*s", target, parent, below);
    const char *name = path + place->base;
    char from[PATH_MAX];
    (void)snprintf(from, sizeof from, "%.*s", place->base, path);
    const bool done = bytes_read(&file, from, name)
                      && bytes_write(file.data, file.size, folder, name);
    bytes_fini(&file);
    return done ? 0 : -1;
}

bool driver_cache_copy(const char *to, const char *from)
{
    enum { open_folders = 16 };
    target = to;
    source_size = strlen(from);
    return nftw(from, copy_one, open_folders, FTW_PHYS) == 0;
}
