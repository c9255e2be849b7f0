/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/device/implied_header.h"

#include "drivers/option_words.h"
#include "gpu/device/driver_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char rusticl_header[] = "opencl-c-base.h";

static bool is_in(size_t size, const char *folder)
{
    char path[PATH_MAX];
    const int n = snprintf(
            path, sizeof path, "%.*s/%s", (int)size, folder, rusticl_header);
    /* A longer path is no file's. */
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

static bool lacks_header(const char *folder, void *unused)
{
    (void)unused;
    return !is_in(strlen(folder), folder);
}

const char *implied_header_misled(cl_device_id device, const char *options)
{
    return driver_is(device, "rusticl")
                           && (is_in(1, ".")
                                   || !option_folders_are(
                                           options, lacks_header, NULL))
                   ? rusticl_header
                   : NULL;
}
