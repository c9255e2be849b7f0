/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "failure.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPEN_FOLDERS = 16 };

bool scratch_create(char *dir, size_t capacity)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] == '\0') parent = "/tmp";
    int length = snprintf(dir, capacity, "%s/dnnl_cache_bench.XXXXXX", parent);
    if (length > 0 && (size_t)length < capacity && mkdtemp(dir) != NULL)
        return true;
    failure_set("no folder can be made in %s", parent);
    return false;
}

static int remove_one(const char *path, const struct stat *status, int kind,
        struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void scratch_remove(const char *dir)
{
    nftw(dir, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
