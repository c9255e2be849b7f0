/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_tmp.h"

#include "stores/files/store_fs.h"
#include "stores/files/store_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tmp_directory[] = ".tmp";

/* Depth of anything a writer may have left, with a margin for strangers'. */
enum { tree_depth = 8 };

int store_tmp_open(
        int *fd, int root_fd, const struct dnnl_cache_store_options *options)
{
    const mode_t mode = store_directory_mode(options);
    const bool exact = options->sharing != dnnl_cache_store_sharing_private;
    for (int attempt = 0; attempt < 2; attempt++) {
        int error =
                store_fs_make_directory(root_fd, tmp_directory, mode, exact);
        if (error != 0 && error != EEXIST) return error;
        const bool existed = error == EEXIST;
        error = store_fs_open_beneath(
                fd, root_fd, tmp_directory, O_RDONLY | O_DIRECTORY);
        if (error == 0 && existed)
            (void)store_fs_empty_directory(*fd, tree_depth);
        if (error != ENOTDIR && error != ELOOP) return error;
        unlinkat(root_fd, tmp_directory, 0); /* no directory: a stranger's */
    }
    return ENOTDIR;
}

void store_tmp_close(int fd, int root_fd)
{
    close(fd);
    unlinkat(root_fd, tmp_directory, AT_REMOVEDIR);
}

static bool is_removed(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_nlink == 0;
}

int store_tmp_discard(int fd, int dirfd, const char *name, int *left)
{
    char unique[store_fs_name_size];
    store_fs_unique_name(unique);
    if (renameat(dirfd, name, fd, unique) != 0) {
        const int failure = errno;
        return failure == ENOENT && is_removed(fd) ? ESTALE : failure;
    }
    const int error = store_fs_remove_tree(fd, unique, tree_depth);
    if (left != NULL) *left = error;
    return 0;
}

void store_tmp_remove(int fd, const char *name)
{
    (void)store_fs_remove_tree(fd, name, tree_depth);
}
