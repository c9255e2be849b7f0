/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/implied_header.h"

#include "src/drivers/option_words.h"
#include "src/gpu/device/driver_name.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What a driver looks for in the working directory, before it takes its own. */
static const struct file {
    const char *platform;
    const char *name;
    bool is_header; /* looked for in the folders of options, too */
} files[] = {
        {"rusticl", "opencl-c-base.h", true},
        {"Intel(R) OpenCL", "cl.cfg", false}, /* its CPU runtime's settings */
};

static bool is_in(const char *name, size_t size, const char *folder)
{
    char path[path_size];
    const int n =
            snprintf(path, sizeof path, "%.*s/%s", (int)size, folder, name);
    /* A longer path is no file's. */
    return n > 0 && (size_t)n < sizeof path && file_is_there(path);
}

static bool lacks_file(const char *folder, void *name)
{
    return !is_in(name, strlen(folder), folder);
}

const char *implied_header_misled(cl_device_id device, const char *options)
{
    char platform[driver_name_size];
    driver_name(platform, device);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct file *file = &files[i];
        if (strcmp(platform, file->platform) == 0
                && (is_in(file->name, 1, ".")
                        || (file->is_header
                                && !option_folders_are(options, lacks_file,
                                        (void *)(uintptr_t)file->name))))
            return file->name;
    }
    return NULL;
}
