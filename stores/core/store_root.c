/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_root.h"

#include "src/platform/fork.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/library.h"
#include "stores/core/store_owner.h"
#include "stores/core/store_recognise.h"
#include "stores/core/store_report.h"
#include "stores/files/store_file.h"
#include "stores/files/store_lock.h"
#include "stores/files/store_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRANGER(file) "a file of somebody else's is there (" file ")"

/* Why a root is not safe to run code from; NULL if it is. */
static const char *find_danger(
        const struct file_facts *facts, const dnnl_cache_store_handle_t *store)
{
    if (store->options.sharing != dnnl_cache_store_sharing_private) return NULL;
    /* root can do as he likes anyhow, and may have put a seed there. */
    const char *why = store_owner_objection(facts, store, store->options.path);
    if (why != NULL) return why;
    if ((facts->mode & file_others_write) != 0)
        return "others may write to it (chmod go-w, or open it as shared)";
    return NULL;
}

/* Stores of two types in one directory would take each other's unfinished files
 * away. An application may have a config.file of its own, of another size. */
static const char *find_other_kind(int fd, const char *size_file)
{
    static const struct {
        const char *size_file;
        uint64_t size; /* 0: any */
        const char *refusal;
    } kinds[] = {
            {STORE_BUCKET_FILE, 0,
                    "a bucket store is there (" STORE_BUCKET_FILE ")"},
            {STORE_TREE_FILE, 0, "a tree store is there (" STORE_TREE_FILE ")"},
            {STORE_FLAT_FILE, flat_size_bytes,
                    "a flat store is there (" STORE_FLAT_FILE ")"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct file_facts facts;
        if (strcmp(kinds[i].size_file, size_file) == 0) continue;
        if (file_facts_of_link(&facts, fd, kinds[i].size_file) == 0
                && facts.kind == file_is_plain
                && (kinds[i].size == 0 || facts.size == kinds[i].size))
            return kinds[i].refusal;
    }
    return NULL;
}

/* A store writes over its own files, but not over an application's of the same
 * names. Those that are damaged are ours if there are entries or totals. */
static const char *find_stranger(int fd, const char *size_file)
{
    static const struct {
        const char *size_file;
        const char *file;
        enum dnnl_cache_store_trace (*recognise)(int fd);
        const char *refusal;
    } files[] = {
            {STORE_FLAT_FILE, STORE_FLAT_FILE, store_recognise_flat,
                    STRANGER(STORE_FLAT_FILE)},
            {STORE_TREE_FILE, STORE_TREE_FILE, store_recognise_tree,
                    STRANGER(STORE_TREE_FILE)},
            {STORE_BUCKET_FILE, STORE_BUCKET_FILE, store_recognise_bucket,
                    STRANGER(STORE_BUCKET_FILE)},
            {STORE_BUCKET_FILE, STORE_BUCKET_SIZE_FILE, store_recognise_bucket,
                    STRANGER(STORE_BUCKET_SIZE_FILE)},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct file_facts facts;
        if (strcmp(files[i].size_file, size_file) == 0
                && file_facts_of_link(&facts, fd, files[i].file) == 0
                && facts.kind == file_is_plain && facts.size > 0
                && !store_recognise_totals(fd)
                && files[i].recognise(fd) == dnnl_cache_store_trace_none)
            return files[i].refusal;
    }
    return NULL;
}

struct store_root {
    const dnnl_cache_store_handle_t *store;
    const char *size_file;
    char *path; /* with no links, wherever the process goes; fixed */
    /* Guards what follows, also while the root is opened: others would open it
     * as well. A leaf. */
    struct fork_mutex lock;
    struct kept_descriptor kept;
    unsigned users; /* threads in calls */
    /* Those of folders that were removed while threads were in calls. */
    struct kept_descriptor former[8];
    unsigned former_count;
};

/* 0, EPERM (the log has been told), or an errno value. */
static int check_root(int fd, struct store_root *root)
{
    const dnnl_cache_store_handle_t *store = root->store;
    struct file_facts facts;
    const int error = file_facts(&facts, fd);
    if (error != 0) return error;
    const char *why = find_danger(&facts, store);
    if (why == NULL) why = find_other_kind(fd, root->size_file);
    if (why == NULL) why = find_stranger(fd, root->size_file);
    if (why == NULL) return 0;
    store_log(store, dnnl_cache_log_error, "%s: refused as a store: %s",
            store->options.path, why);
    return EPERM;
}

static int open_or_make(int *fd, const char *path,
        const struct dnnl_cache_store_options *options, bool make)
{
    int error = folder_open(fd, file_here, path);
    if (error != ENOENT || !make) return error;
    error = store_make_folders(path, options);
    return error != 0 ? error : folder_open(fd, file_here, path);
}

/* 0, EPERM (the log has been told), or an errno value; on success the caller
 * closes *fd. */
static int open_checked(
        int *fd, struct store_root *root, const char *path, bool make)
{
    int error = open_or_make(fd, path, &root->store->options, make);
    if (error == 0) error = check_root(*fd, root);
    if (error != 0) (void)file_close(*fd);
    return error;
}

/* ---- A new store --------------------------------------------------------- */

/* A file system without locks of directories has none to wait for. */
static int lock_root(int *claim_fd, int fd, unsigned timeout_ms)
{
    int error = folder_open(claim_fd, fd, ".");
    if (error != 0) return error;
    error = store_lock_descriptor(*claim_fd, timeout_ms);
    if (error == 0) return 0;
    (void)file_close(*claim_fd);
    *claim_fd = file_none;
    return error == ETIMEDOUT || error == ENOMEM ? error : 0;
}

int store_root_claim(int *claim_fd, int fd, struct store_root *root)
{
    struct file_facts facts;
    *claim_fd = file_none;
    if (file_facts_of_link(&facts, fd, root->size_file) == 0 && facts.size > 0)
        return 0;
    int error = lock_root(claim_fd, fd, root->store->options.lock_timeout_ms);
    if (error == 0) error = check_root(fd, root);
    if (error == 0) return 0;
    store_unlock_file(*claim_fd);
    *claim_fd = file_none;
    return error;
}

/* ---- Calls --------------------------------------------------------------- */

static void close_former_locked(struct store_root *root)
{
    while (root->former_count > 0)
        kept_descriptor_close(&root->former[--root->former_count]);
}

/* Threads in calls go on with the number, so that it must not become
 * another's. */
static void retire_locked(struct store_root *root)
{
    enum { most = sizeof root->former / sizeof root->former[0] };
    if (root->users > 0 && root->former_count < most
            && kept_descriptor_is_ours(&root->kept))
        root->former[root->former_count++] = root->kept;
    else if (root->users == 0)
        kept_descriptor_close(&root->kept);
    root->kept = KEPT_DESCRIPTOR_NONE;
}

static void lock(struct store_root *root)
{
    /* Threads that were in calls are not in a child. */
    if (fork_lock(&root->lock) != fork_same) {
        root->users = 0;
        close_former_locked(root);
    }
}

static bool is_there_locked(const struct store_root *root)
{
    struct file_facts facts;
    return kept_descriptor_look(&root->kept, &facts) && facts.links > 0;
}

static int open_anew_locked(struct store_root *root, bool make)
{
    int fd;
    int error = open_checked(&fd, root, root->path, make);
    if (error != 0) return error;
    retire_locked(root);
    return kept_descriptor_keep(&root->kept, fd);
}

int store_root_enter(int *fd, struct store_root *root, bool make)
{
    lock(root);
    const int error = is_there_locked(root) ? 0 : open_anew_locked(root, make);
    if (error == 0) root->users++;
    *fd = root->kept.fd;
    fork_unlock(&root->lock);
    return error;
}

void store_root_leave(struct store_root *root)
{
    lock(root);
    if (root->users > 0 && --root->users == 0) close_former_locked(root);
    fork_unlock(&root->lock);
}

/* ---- Begin and end ------------------------------------------------------- */

static int find_root(struct store_root *root, bool *read_only)
{
    const struct dnnl_cache_store_options *options = &root->store->options;
    int fd;
    int error = open_checked(&fd, root, options->path, !options->read_only);
    if (error != 0) return error;
    error = kept_descriptor_keep(&root->kept, fd);
    if (error != 0) return error;
    *read_only =
            options->read_only || !folder_may_be_changed(root->kept.fd, ".");
    root->path = path_absolute(options->path);
    return root->path != NULL ? 0 : errno;
}

dnnl_status_t store_root_create(struct store_root **root, bool *read_only,
        const dnnl_cache_store_handle_t *store, const char *size_file)
{
    struct store_root *found = calloc(1, sizeof *found);
    if (found == NULL) return dnnl_out_of_memory;
    found->store = store;
    found->size_file = size_file;
    found->kept = KEPT_DESCRIPTOR_NONE;
    (void)fork_mutex_init(&found->lock); /* cannot fail on Linux */
    const int error = find_root(found, read_only);
    if (error == 0) {
        *root = found;
        return dnnl_success;
    }
    if (error != EPERM)
        store_log(store, dnnl_cache_log_error, "%s: %s%s", store->options.path,
                store_cause(error), strerror(error));
    store_root_destroy(found);
    return store_status_of(error);
}

void store_root_destroy(struct store_root *root)
{
    if (root == NULL) return;
    lock(root);
    close_former_locked(root);
    kept_descriptor_close(&root->kept);
    fork_unlock(&root->lock);
    fork_mutex_fini(&root->lock);
    free(root->path);
    free(root);
}
