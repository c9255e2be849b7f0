/* SPDX-License-Identifier: Apache-2.0 */
#include "loader_probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find(char path[PATH_MAX])
{
    struct link_map *map = NULL;
    void *library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) return false;
    const bool good = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0
                      && realpath(map->l_name, path) != NULL;
    dlclose(library);
    return good;
}

bool loader_probe(struct loader_probe *probe)
{
    static const char variable[] = "OPENCL_LAYERS";
    static const char folder[] = "OPENCL_LAYER_PATH";
    struct stat st;
    *probe = (struct loader_probe){.reads_variable = false};
    if (!find(probe->path)) return false;
    const int fd = open(probe->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    void *bytes = fstat(fd, &st) == 0 && st.st_size > 0 ? mmap(NULL,
                          (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                                                        : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED) return false;
    const size_t size = (size_t)st.st_size;
    probe->reads_variable =
            memmem(bytes, size, variable, sizeof variable) != NULL;
    probe->reads_folder = memmem(bytes, size, folder, sizeof folder) != NULL;
    (void)munmap(bytes, size);
    return true;
}
