/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_tmp.h"

#include "stores/files/store_file.h"

#include <errno.h>

static const char tmp_directory[] = ".tmp";

/* Depth of anything a writer may have left, with a margin for strangers'. */
enum { tree_depth = 8 };

int store_tmp_open(
        int *fd, int root_fd, const struct dnnl_cache_store_options *options)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        int error = store_make_folder(root_fd, tmp_directory, options);
        if (error != 0 && error != EEXIST) return error;
        const bool existed = error == EEXIST;
        error = folder_open_beneath(fd, root_fd, tmp_directory);
        if (error == 0 && existed) (void)folder_empty(*fd, tree_depth);
        if (error != ENOTDIR && error != ELOOP) return error;
        (void)file_remove(
                root_fd, tmp_directory); /* no directory: a stranger's */
    }
    return ENOTDIR;
}

void store_tmp_close(int fd, int root_fd)
{
    (void)file_close(fd);
    (void)folder_remove(root_fd, tmp_directory);
}

static bool is_removed(int fd)
{
    struct file_facts facts;
    return file_facts(&facts, fd) == 0 && facts.links == 0;
}

int store_tmp_discard(int fd, int dirfd, const char *name, int *left)
{
    char unique[file_unique_size];
    file_unique_name(unique, "");
    int error = file_rename(dirfd, name, fd, unique, true);
    /* overlayfs moves no folder that a lower layer has. There a reader may see
     * a part of it, and finds nothing. */
    if (error == EXDEV) {
        if (left != NULL) *left = 0;
        return folder_remove_tree(dirfd, name, tree_depth);
    }
    if (error != 0) return error == ENOENT && is_removed(fd) ? ESTALE : error;
    error = folder_remove_tree(fd, unique, tree_depth);
    if (left != NULL) *left = error;
    return 0;
}

void store_tmp_remove(int fd, const char *name)
{
    (void)folder_remove_tree(fd, name, tree_depth);
}
