/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/device/implied_header.h"

#include "gpu/device/driver_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char rusticl_header[] = "opencl-c-base.h";

static const char *const folder_options[] = {
        "-I", "-isystem", "-iquote", "-idirafter", NULL};

static const char blanks[] = " \t\n\v\f\r";
static const char blanks_and_quotes[] = " \t\n\v\f\r\"'";

static bool is_in(size_t size, const char *folder)
{
    char path[PATH_MAX];
    const int n = snprintf(
            path, sizeof path, "%.*s/%s", (int)size, folder, rusticl_header);
    /* A longer path is no file's. */
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

/* True if the header is in the folder that an option names at p: what ends at a
 * blank, or at a quote, behind which it may begin. */
static bool is_in_folder_at(const char *p)
{
    p += strspn(p, blanks);
    if (is_in(strcspn(p, blanks), p)) return true;
    const bool quoted = *p == '"';
    if (quoted) p++;
    return is_in(strcspn(p, quoted ? "\"" : blanks_and_quotes), p);
}

static bool is_in_folders(const char *options)
{
    for (const char *p = options; *p != '\0'; p++)
        for (size_t i = 0; folder_options[i] != NULL; i++) {
            const size_t size = strlen(folder_options[i]);
            if (strncmp(p, folder_options[i], size) == 0
                    && is_in_folder_at(p + size))
                return true;
        }
    return false;
}

const char *implied_header_misled(cl_device_id device, const char *options)
{
    return driver_is(device, "rusticl")
                           && (is_in(1, ".") || is_in_folders(options))
                   ? rusticl_header
                   : NULL;
}
