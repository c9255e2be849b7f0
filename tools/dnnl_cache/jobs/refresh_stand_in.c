/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_stand_in.h"

#include "src/drivers/pocl_stand_in_file.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Another value than 0 for a folder. */
static int is_folder(void *fd, const char *name)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, *(const int *)fd, name) == 0
           && facts.kind == file_is_folder;
}

/* The folders of programs in a folder of PoCL's. */
struct search {
    int parent;
    int found;
};

/* Another value than 0 ends the search: there is more than one, or one that
 * cannot be looked into. */
static int look_into(void *user, const char *name)
{
    static const char prefix[] = "_UNCACHED_";
    struct search *search = user;
    int fd;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return 0;
    if (file_open(&fd, search->parent, name,
                file_for_reading | file_must_be_folder | file_no_link, 0)
            != 0)
        return 1;
    const bool has_folders = folder_each(fd, is_folder, &fd) == 1;
    if (!has_folders && search->found == file_none) {
        search->found = fd;
        return 0;
    }
    (void)file_close(fd);
    return !has_folders;
}

/* The folder of a program of which nothing was compiled for a launch, with
 * PoCL's cache off; file_none: there is none, or more than one. */
static int open_new_folder(const char *parent)
{
    struct search search = {.found = file_none};
    if (folder_open(&search.parent, file_here, parent) != 0) return file_none;
    const int rc = folder_each(search.parent, look_into, &search);
    (void)file_close(search.parent);
    if (rc == 0) return search.found;
    (void)file_close(search.found);
    return file_none;
}

void refresh_stand_ins_open(struct refresh_stand_ins *stand_ins,
        const struct refresh_device *device)
{
    char folder[path_size];
    stand_ins->folder_fd = file_none;
    if (!is_tested(device)) return;
    if (refresh_made_is_on() && pocl_stand_ins_suit_classes())
        stand_ins->folder_fd = refresh_made_open_folder();
    else if (pocl_stand_ins_suit_environment()
             && refresh_driver_find_pocl(folder)
             && pocl_stand_in_is_loadable(folder))
        stand_ins->folder_fd = open_new_folder(folder);
}

void refresh_stand_ins_close(struct refresh_stand_ins *stand_ins)
{
    (void)file_close(stand_ins->folder_fd);
    stand_ins->folder_fd = file_none;
}

void refresh_stand_ins_put(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class)
{
    (void)pocl_stand_in_write(stand_ins->folder_fd, kernel, class);
}

static bool name_kept(char path[path_size], const char *folder,
        const char *kernel, const char *class)
{
    return (size_t)snprintf(path, path_size, "%s/%s,%s", folder, kernel, class)
           < path_size;
}

bool refresh_stand_ins_keep(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder)
{
    char kept[path_size];
    char path[pocl_stand_in_path_size];
    return pocl_stand_in_make_place(path, stand_ins->folder_fd, kernel, class)
           && name_kept(kept, folder, kernel, class)
           && folder_make_all(folder, 0700, false) == 0
           && file_link(stand_ins->folder_fd, path, file_here, kept) == 0;
}

bool refresh_stand_ins_put_back(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder)
{
    char kept[path_size];
    char path[pocl_stand_in_path_size];
    return name_kept(kept, folder, kernel, class) && file_is_there(kept)
           && pocl_stand_in_make_place(
                   path, stand_ins->folder_fd, kernel, class)
           && file_link(file_here, kept, stand_ins->folder_fd, path) == 0;
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
