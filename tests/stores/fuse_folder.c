/* SPDX-License-Identifier: Apache-2.0 */
#include "fuse_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_nodes = 4096, most_write = 128 * 1024, request_size = 256 * 1024 };

/* What the kernel has looked up; its number is the place in the table, and 1 is
 * the root. */
struct node {
    int fd; /* O_PATH; -1: the place is free */
    dev_t device;
    ino_t inode;
    uint64_t lookups;
};

static struct node nodes[most_nodes];
static const volatile int *failing; /* then whether names are folded */
static int device = -1;

/* ---- Answers ------------------------------------------------------------- */

static void answer(uint64_t unique, int error, const void *data, size_t size)
{
    static char reply[sizeof(struct fuse_out_header) + request_size];
    struct fuse_out_header head = {.unique = unique, .error = -error};
    if (error != 0) size = 0;
    head.len = (uint32_t)(sizeof head + size);
    memcpy(reply, &head, sizeof head);
    if (size > 0) memcpy(reply + sizeof head, data, size);
    (void)!write(device, reply, head.len);
}

static void fill_attributes(struct fuse_attr *attr, const struct stat *st)
{
    *attr = (struct fuse_attr){
            .ino = st->st_ino,
            .size = (uint64_t)st->st_size,
            .blocks = (uint64_t)st->st_blocks,
            .atime = (uint64_t)st->st_atim.tv_sec,
            .mtime = (uint64_t)st->st_mtim.tv_sec,
            .ctime = (uint64_t)st->st_ctim.tv_sec,
            .atimensec = (uint32_t)st->st_atim.tv_nsec,
            .mtimensec = (uint32_t)st->st_mtim.tv_nsec,
            .ctimensec = (uint32_t)st->st_ctim.tv_nsec,
            .mode = st->st_mode,
            .nlink = (uint32_t)st->st_nlink,
            .uid = st->st_uid,
            .gid = st->st_gid,
            .blksize = (uint32_t)st->st_blksize,
    };
}

static const char *path_of(int fd)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

/* ---- Nodes --------------------------------------------------------------- */

static int fd_of(uint64_t id)
{
    return id < most_nodes ? nodes[id].fd : -1;
}

static uint64_t enter(int fd, const struct stat *st)
{
    uint64_t empty = 0;
    for (uint64_t id = 1; id < most_nodes; id++) {
        if (nodes[id].fd < 0) {
            if (empty == 0) empty = id;
        } else if (nodes[id].inode == st->st_ino
                   && nodes[id].device == st->st_dev) {
            (void)close(fd);
            nodes[id].lookups++;
            return id;
        }
    }
    if (empty != 0) nodes[empty] = (struct node){fd, st->st_dev, st->st_ino, 1};
    return empty;
}

static void forget(uint64_t id, uint64_t count)
{
    if (id <= FUSE_ROOT_ID || fd_of(id) < 0) return;
    nodes[id].lookups -= count < nodes[id].lookups ? count : nodes[id].lookups;
    if (nodes[id].lookups > 0) return;
    (void)close(nodes[id].fd);
    nodes[id].fd = -1;
}

/* 0, or an errno value. */
static int look_up(
        struct fuse_entry_out *out, uint64_t parent, const char *name)
{
    struct stat st;
    const int fd = openat(fd_of(parent), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    if (fstatat(fd, "", &st, AT_EMPTY_PATH) != 0) {
        (void)close(fd);
        return EIO;
    }
    memset(out, 0, sizeof *out);
    out->nodeid = enter(fd, &st);
    fill_attributes(&out->attr, &st);
    return out->nodeid != 0 ? 0 : ENFILE;
}

static void answer_entry(uint64_t unique, uint64_t parent, const char *name)
{
    struct fuse_entry_out out;
    const int error = look_up(&out, parent, name);
    answer(unique, error, &out, sizeof out);
}

static void answer_attributes(uint64_t unique, uint64_t id)
{
    struct stat st;
    struct fuse_attr_out out = {.attr_valid = 0};
    const int rc = fstatat(fd_of(id), "", &st, AT_EMPTY_PATH);
    if (rc == 0) fill_attributes(&out.attr, &st);
    answer(unique, rc == 0 ? 0 : errno, &out, sizeof out);
}

/* ---- Operations ---------------------------------------------------------- */

static int set_times(int fd, const struct fuse_setattr_in *in)
{
    struct timespec times[2] = {
            {.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
    if ((in->valid & FATTR_ATIME) != 0)
        times[0] = (struct timespec){(time_t)in->atime, (long)in->atimensec};
    if ((in->valid & FATTR_MTIME) != 0)
        times[1] = (struct timespec){(time_t)in->mtime, (long)in->mtimensec};
    if ((in->valid & FATTR_ATIME_NOW) != 0) times[0].tv_nsec = UTIME_NOW;
    if ((in->valid & FATTR_MTIME_NOW) != 0) times[1].tv_nsec = UTIME_NOW;
    return utimensat(AT_FDCWD, path_of(fd), times, 0);
}

static void set_attributes(
        uint64_t unique, uint64_t id, const struct fuse_setattr_in *in)
{
    const int fd = fd_of(id);
    int rc = 0;
    if ((in->valid & FATTR_MODE) != 0) rc = chmod(path_of(fd), in->mode);
    if (rc == 0 && (in->valid & (FATTR_UID | FATTR_GID)) != 0)
        rc = chown(path_of(fd),
                (in->valid & FATTR_UID) != 0 ? in->uid : (uid_t)-1,
                (in->valid & FATTR_GID) != 0 ? in->gid : (gid_t)-1);
    if (rc == 0 && (in->valid & FATTR_SIZE) != 0)
        rc = (in->valid & FATTR_FH) != 0
                     ? ftruncate((int)in->fh, (off_t)in->size)
                     : truncate(path_of(fd), (off_t)in->size);
    if (rc == 0 && (in->valid & (FATTR_ATIME | FATTR_MTIME)) != 0)
        rc = set_times(fd, in);
    if (rc != 0)
        answer(unique, errno, NULL, 0);
    else
        answer_attributes(unique, id);
}

static void open_node(uint64_t unique, uint64_t id, int flags)
{
    struct fuse_open_out out = {.fh = 0};
    const int fd = open(path_of(fd_of(id)), (flags & ~O_NOFOLLOW) | O_CLOEXEC);
    out.fh = (uint64_t)fd;
    answer(unique, fd >= 0 ? 0 : errno, &out, sizeof out);
}

static void create(uint64_t unique, uint64_t parent,
        const struct fuse_create_in *in, const char *name)
{
    struct {
        struct fuse_entry_out entry;
        struct fuse_open_out open;
    } out = {{0}, {0}};
    const int fd = openat(fd_of(parent), name,
            (int)in->flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, in->mode);
    int error = fd >= 0 ? 0 : errno;
    if (error == 0) error = look_up(&out.entry, parent, name);
    if (error != 0 && fd >= 0) (void)close(fd);
    out.open.fh = (uint64_t)fd;
    answer(unique, error, &out, sizeof out);
}

static void read_bytes(uint64_t unique, const struct fuse_read_in *in)
{
    static char bytes[request_size];
    const size_t size = in->size < sizeof bytes ? in->size : sizeof bytes;
    const ssize_t n = pread((int)in->fh, bytes, size, (off_t)in->offset);
    answer(unique, n >= 0 ? 0 : errno, bytes, n > 0 ? (size_t)n : 0);
}

static void write_bytes(
        uint64_t unique, const struct fuse_write_in *in, const char *bytes)
{
    struct fuse_write_out out = {.size = 0};
    const ssize_t n = pwrite((int)in->fh, bytes, in->size, (off_t)in->offset);
    out.size = n > 0 ? (uint32_t)n : 0;
    answer(unique, n >= 0 ? 0 : errno, &out, sizeof out);
}

static void open_folder(uint64_t unique, uint64_t id)
{
    struct fuse_open_out out = {.fh = 0};
    DIR *folder = opendir(path_of(fd_of(id)));
    out.fh = (uint64_t)(uintptr_t)folder;
    answer(unique, folder != NULL ? 0 : errno, &out, sizeof out);
}

static void read_folder(uint64_t unique, const struct fuse_read_in *in)
{
    static char bytes[request_size];
    DIR *folder = (DIR *)(uintptr_t)in->fh;
    const struct dirent *entry;
    size_t used = 0;
    seekdir(folder, (long)in->offset);
    while ((entry = readdir(folder)) != NULL) {
        const size_t name_size = strlen(entry->d_name);
        const size_t size = FUSE_DIRENT_ALIGN(
                offsetof(struct fuse_dirent, name) + name_size);
        const struct fuse_dirent head = {.ino = entry->d_ino,
                .off = (uint64_t)telldir(folder),
                .namelen = (uint32_t)name_size,
                .type = entry->d_type};
        if (used + size > in->size || used + size > sizeof bytes) break;
        memset(bytes + used, 0, size);
        memcpy(bytes + used, &head, offsetof(struct fuse_dirent, name));
        memcpy(bytes + used + offsetof(struct fuse_dirent, name), entry->d_name,
                name_size);
        used += size;
    }
    answer(unique, 0, bytes, used);
}

static void tell_room(uint64_t unique)
{
    struct statvfs fs;
    struct fuse_statfs_out out = {.st = {0}};
    const int rc = fstatvfs(fd_of(FUSE_ROOT_ID), &fs);
    out.st.blocks = fs.f_blocks;
    out.st.bfree = fs.f_bfree;
    out.st.bavail = fs.f_bavail;
    out.st.files = fs.f_files;
    out.st.ffree = fs.f_ffree;
    out.st.bsize = (uint32_t)fs.f_bsize;
    out.st.frsize = (uint32_t)fs.f_frsize;
    out.st.namelen = (uint32_t)fs.f_namemax;
    answer(unique, rc == 0 ? 0 : errno, &out, sizeof out);
}

static void begin(uint64_t unique, const struct fuse_init_in *in)
{
    struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
            .minor = FUSE_KERNEL_MINOR_VERSION,
            .max_readahead = in->max_readahead,
            .max_write = most_write,
            .max_background = 16,
            .congestion_threshold = 12,
            .time_gran = 1};
    answer(unique, 0, &out, sizeof out);
}

static int rename_in(uint64_t from, uint64_t to, const char *name, unsigned how)
{
    const char *other = name + strlen(name) + 1;
    return (int)syscall(
            SYS_renameat2, fd_of(from), name, fd_of(to), other, how);
}

/* What changes something, and may be told to fail. */
static bool makes(uint32_t opcode)
{
    return opcode == FUSE_WRITE || opcode == FUSE_CREATE || opcode == FUSE_MKDIR
           || opcode == FUSE_RENAME || opcode == FUSE_RENAME2
           || opcode == FUSE_LINK;
}

static void finish(uint64_t unique, int rc)
{
    answer(unique, rc == 0 ? 0 : errno, NULL, 0);
}

/* Those that change names. False: it is none of these. As some file systems it
 * has no mknod(), but makes files by opening them. */
static bool serve_names(const struct fuse_in_header *head, const char *body)
{
    const uint64_t unique = head->unique;
    const uint64_t id = head->nodeid;
    const struct fuse_mkdir_in *folder = (const void *)body;
    const struct fuse_rename_in *move = (const void *)body;
    const struct fuse_rename2_in *move2 = (const void *)body;
    const struct fuse_link_in *link = (const void *)body;
    switch (head->opcode) {
    case FUSE_MKDIR:
        if (mkdirat(fd_of(id), body + sizeof *folder, folder->mode) != 0)
            finish(unique, -1);
        else
            answer_entry(unique, id, body + sizeof *folder);
        return true;
    case FUSE_UNLINK:
        finish(unique, unlinkat(fd_of(id), body, 0));
        return true;
    case FUSE_RMDIR:
        finish(unique, unlinkat(fd_of(id), body, AT_REMOVEDIR));
        return true;
    case FUSE_RENAME:
        finish(unique, rename_in(id, move->newdir, body + sizeof *move, 0));
        return true;
    case FUSE_RENAME2:
        finish(unique, rename_in(id, move2->newdir, body + sizeof *move2,
                               move2->flags));
        return true;
    case FUSE_LINK:
        if (linkat(AT_FDCWD, path_of(fd_of(link->oldnodeid)), fd_of(id),
                    body + sizeof *link, AT_SYMLINK_FOLLOW)
                != 0)
            finish(unique, -1);
        else
            answer_entry(unique, id, body + sizeof *link);
        return true;
    default:
        return false;
    }
}

/* Those of open files and folders. False: it is none of these. */
static bool serve_files(const struct fuse_in_header *head, const char *body)
{
    const uint64_t unique = head->unique;
    const uint64_t id = head->nodeid;
    const struct fuse_open_in *how = (const void *)body;
    const struct fuse_release_in *end = (const void *)body;
    const struct fuse_fsync_in *sync = (const void *)body;
    switch (head->opcode) {
    case FUSE_OPEN:
        open_node(unique, id, (int)how->flags);
        return true;
    case FUSE_CREATE:
        create(unique, id, (const void *)body,
                body + sizeof(struct fuse_create_in));
        return true;
    case FUSE_READ:
        read_bytes(unique, (const void *)body);
        return true;
    case FUSE_WRITE:
        write_bytes(unique, (const void *)body,
                body + sizeof(struct fuse_write_in));
        return true;
    case FUSE_RELEASE:
        finish(unique, close((int)end->fh));
        return true;
    case FUSE_FSYNC:
        finish(unique, fsync((int)sync->fh));
        return true;
    case FUSE_OPENDIR:
        open_folder(unique, id);
        return true;
    case FUSE_READDIR:
        read_folder(unique, (const void *)body);
        return true;
    case FUSE_RELEASEDIR:
        finish(unique, closedir((DIR *)(uintptr_t)end->fh));
        return true;
    default:
        return false;
    }
}

static void forget_all(const struct fuse_batch_forget_in *in)
{
    const struct fuse_forget_one *one = (const void *)(in + 1);
    for (uint32_t i = 0; i < in->count; i++)
        forget(one[i].nodeid, one[i].nlookup);
}

/* Where the names of a request begin in its body; 0 also for none. */
static size_t names_at(uint32_t opcode)
{
    switch (opcode) {
    case FUSE_MKDIR:
        return sizeof(struct fuse_mkdir_in);
    case FUSE_CREATE:
        return sizeof(struct fuse_create_in);
    case FUSE_RENAME:
        return sizeof(struct fuse_rename_in);
    case FUSE_RENAME2:
        return sizeof(struct fuse_rename2_in);
    case FUSE_LINK:
        return sizeof(struct fuse_link_in);
    default:
        return 0;
    }
}

static void fold_names(const struct fuse_in_header *head, char *body)
{
    const size_t from = names_at(head->opcode);
    const size_t size = head->len - sizeof *head;
    if (from == 0 && head->opcode != FUSE_LOOKUP && head->opcode != FUSE_UNLINK
            && head->opcode != FUSE_RMDIR)
        return;
    for (size_t i = from; i < size; i++)
        if (body[i] >= 'A' && body[i] <= 'Z') body[i] += 'a' - 'A';
}

static void serve(const struct fuse_in_header *head, char *body)
{
    const uint64_t unique = head->unique;
    const uint64_t id = head->nodeid;
    const int error = makes(head->opcode) ? *failing : 0;
    if (error != 0) {
        answer(unique, error, NULL, 0);
        return;
    }
    if (failing[1] != 0) fold_names(head, body);
    if (serve_names(head, body) || serve_files(head, body)) return;
    switch (head->opcode) {
    case FUSE_INIT:
        begin(unique, (const void *)body);
        return;
    case FUSE_LOOKUP:
        answer_entry(unique, id, body);
        return;
    case FUSE_FORGET:
        forget(id,
                ((const struct fuse_forget_in *)(const void *)body)->nlookup);
        return;
    case FUSE_BATCH_FORGET:
        forget_all((const void *)body);
        return;
    case FUSE_GETATTR:
        answer_attributes(unique, id);
        return;
    case FUSE_SETATTR:
        set_attributes(unique, id, (const void *)body);
        return;
    case FUSE_FSYNCDIR:
    case FUSE_ACCESS:
        answer(unique, 0, NULL, 0);
        return;
    case FUSE_STATFS:
        tell_room(unique);
        return;
    case FUSE_INTERRUPT:
        return;
    default:
        answer(unique, ENOSYS, NULL, 0);
    }
}

/* ---- The server ---------------------------------------------------------- */

/* Until it is no longer mounted. */
static _Noreturn void serve_all(const char *behind)
{
    static _Alignas(8) char request[request_size];
    const struct fuse_in_header *head = (const void *)request;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)umask(0);
    for (size_t i = 0; i < most_nodes; i++)
        nodes[i].fd = -1;
    nodes[FUSE_ROOT_ID].fd = open(behind, O_PATH | O_CLOEXEC);
    for (;;) {
        const ssize_t n = read(device, request, sizeof request);
        if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT))
            continue;
        if (n < (ssize_t)sizeof *head) _exit(0);
        serve(head, request + sizeof *head);
    }
}

bool fuse_folder_begin(
        struct fuse_folder *folder, const char *shown, const char *behind)
{
    char options[128];
    void *shared = mmap(NULL, 2 * sizeof(int), PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return false;
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0) return false;
    (void)snprintf(options, sizeof options,
            "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other", device,
            (unsigned)getuid(), (unsigned)getgid());
    if (mount("test", shown, "fuse.test", MS_NOSUID | MS_NODEV, options) != 0) {
        const int error = errno;
        (void)close(device);
        errno = error;
        return false;
    }
    *folder = (struct fuse_folder){.error = shared};
    failing = folder->error;
    (void)snprintf(folder->mounted, sizeof folder->mounted, "%s", shown);
    folder->server = fork();
    if (folder->server == 0) serve_all(behind);
    (void)close(device);
    return folder->server > 0;
}

void fuse_folder_end(struct fuse_folder *folder)
{
    int status;
    (void)umount2(folder->mounted, MNT_DETACH);
    (void)kill(folder->server, SIGKILL);
    (void)waitpid(folder->server, &status, 0);
}

void fuse_folder_fold_case(const struct fuse_folder *folder)
{
    folder->error[1] = 1;
}

void fuse_folder_fail(const struct fuse_folder *folder, int error)
{
    *folder->error = error;
}
