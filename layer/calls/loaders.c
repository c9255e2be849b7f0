/* SPDX-License-Identifier: Apache-2.0 */
#include "loaders.h"

#include <link.h>
#include <string.h>

static int count_loader(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char name[] = "libOpenCL";
    unsigned *count = user;
    const char *slash =
            info->dlpi_name != NULL ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (slash != NULL && strncmp(slash + 1, name, sizeof name - 1) == 0)
        ++*count;
    return 0;
}

unsigned loaders_count(void)
{
    unsigned count = 0;
    dl_iterate_phdr(count_loader, &count);
    return count;
}
