/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_stand_in.h"

#include "src/drivers/pocl_stand_in_file.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_tested(const struct refresh_device *device)
{
    char version[256] = "";
    cl_platform_id platform;
    return device->is_pocl
           && clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform,
                      &platform, NULL)
                      == CL_SUCCESS
           && clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                      version, NULL)
                      == CL_SUCCESS
           && pocl_stand_ins_are_tested(version);
}

static bool has_folders(int folder_fd)
{
    const struct dirent *entry;
    struct stat st;
    bool has = false;
    const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL && fd >= 0) close(fd);
    while (dir != NULL && !has && (entry = readdir(dir)) != NULL)
        has = strcmp(entry->d_name, ".") != 0
              && strcmp(entry->d_name, "..") != 0
              && fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
              && S_ISDIR(st.st_mode);
    if (dir != NULL) closedir(dir);
    return has;
}

/* The folder of a program of which nothing was compiled for a launch, with
 * PoCL's cache off; -1: there is none, or more than one. */
static int open_new_folder(const char *parent)
{
    static const char prefix[] = "_UNCACHED_";
    const struct dirent *entry;
    int found = -1;
    bool is_only = true;
    DIR *dir = opendir(parent);
    if (dir == NULL) return -1;
    while (is_only && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) continue;
        const int fd = openat(dirfd(dir), entry->d_name,
                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && !has_folders(fd) && found < 0) {
            found = fd;
            continue;
        }
        is_only = fd >= 0 && has_folders(fd);
        if (fd >= 0) close(fd);
    }
    closedir(dir);
    if (is_only) return found;
    if (found >= 0) close(found);
    return -1;
}

void refresh_stand_ins_open(struct refresh_stand_ins *stand_ins,
        const struct refresh_device *device)
{
    char folder[PATH_MAX];
    stand_ins->folder_fd = -1;
    if (is_tested(device) && pocl_stand_ins_suit_environment()
            && refresh_driver_find_pocl(folder)
            && pocl_stand_in_is_loadable(folder))
        stand_ins->folder_fd = open_new_folder(folder);
}

void refresh_stand_ins_close(struct refresh_stand_ins *stand_ins)
{
    if (stand_ins->folder_fd >= 0) close(stand_ins->folder_fd);
    stand_ins->folder_fd = -1;
}

void refresh_stand_ins_put(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class)
{
    (void)pocl_stand_in_write(stand_ins->folder_fd, kernel, class);
}

static bool name_kept(char path[PATH_MAX], const char *folder,
        const char *kernel, const char *class)
{
    return (size_t)snprintf(path, PATH_MAX, "%s/%s,%s", folder, kernel, class)
           < PATH_MAX;
}

bool refresh_stand_ins_keep(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder)
{
    char kept[PATH_MAX];
    char path[pocl_stand_in_path_size];
    return pocl_stand_in_make_place(path, stand_ins->folder_fd, kernel, class)
           && name_kept(kept, folder, kernel, class)
           && (mkdir(folder, 0700) == 0 || errno == EEXIST)
           && linkat(stand_ins->folder_fd, path, AT_FDCWD, kept, 0) == 0;
}

bool refresh_stand_ins_put_back(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder)
{
    char kept[PATH_MAX];
    char path[pocl_stand_in_path_size];
    return name_kept(kept, folder, kernel, class) && access(kept, F_OK) == 0
           && pocl_stand_in_make_place(
                   path, stand_ins->folder_fd, kernel, class)
           && linkat(AT_FDCWD, kept, stand_ins->folder_fd, path, 0) == 0;
}

bool refresh_stand_ins_are_in(size_t blob_size, const uint8_t *blob)
{
    size_t size = 0;
    if (dnnl_cache_blob_get_program_binary(blob_size, blob, 0, &size, NULL)
            != dnnl_success)
        return false; /* it has no binary */
    uint8_t *binary = malloc(size + 1);
    const bool are_in = binary == NULL
                        || dnnl_cache_blob_get_program_binary(
                                   blob_size, blob, 0, &size, binary)
                                   != dnnl_success
                        || memmem(binary, size, pocl_stand_in_mark,
                                   sizeof pocl_stand_in_mark)
                                   != NULL;
    free(binary);
    return are_in;
}
