/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/scratch_files.h"

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <string.h>

static char scratch[path_size]; /* "": none */

void scratch_files_are_in(const char *folder)
{
    if (!path_resolve(scratch, folder)) scratch[0] = '\0';
}

/* By the name that the file has or had. */
static bool is_scratch(int fd)
{
    char path[path_size];
    const size_t size = strlen(scratch);
    return size > 0 && file_name_of(path, sizeof path, fd) == 0
           && strncmp(path, scratch, size) == 0
           && (path[size] == '/' || path[size] == '\0');
}

/* In place of the C library's, for libraries that are loaded later, too: the
 * program's own definition is found first (CMakeLists.txt exports them). */
int fsync(int fd);
int fdatasync(int fd);

__attribute__((visibility("default"))) int fsync(int fd)
{
    return is_scratch(fd) ? 0 : file_sync_by_system(fd, false);
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    return is_scratch(fd) ? 0 : file_sync_by_system(fd, true);
}
