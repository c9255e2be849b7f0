/* SPDX-License-Identifier: Apache-2.0 */
#include "put_trace.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

/* What a descriptor of the child refers to. */
static void descriptor_path(char path[path_size], pid_t pid, uint64_t fd)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%ld/fd/%d", (long)pid, (int)fd);
    const ssize_t n = readlink(link, path, path_size - 1);
    path[n > 0 ? n : 0] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The directory in which files may appear and go: that of the size file once it
 * is locked, and then one of an item while it is. */
struct held {
    char root[path_size];
    char directory[path_size];
};

static char step_of_flock(const struct unindexed_kind *kind, struct held *held,
        char *path, uint64_t operation)
{
    const bool unlock = (operation & LOCK_UN) != 0;
    const bool exclusive = (operation & LOCK_EX) != 0;
    if (!unlock && !exclusive) return '?';
    if (ends_with(path, kind->size_file)) {
        path[unlock ? 0 : strlen(path) - strlen(kind->size_file) - 1] = '\0';
        snprintf(held->root, path_size, "%s", path);
        return unlock ? 'U' : 'L';
    }
    snprintf(held->directory, path_size, "%s", unlock ? "" : path);
    return unlock ? 'u' : 'l';
}

/* The step if it is done in the directory that is locked. */
static char step_in(const struct held *held, const char *directory, char step)
{
    const bool in_item = held->directory[0] != '\0';
    return strcmp(directory, in_item ? held->directory : held->root) == 0 ? step
                                                                          : '!';
}

static char step_of(const struct unindexed_kind *kind, struct held *held,
        pid_t pid, const uint64_t call, const uint64_t *args)
{
    char path[path_size];
    char to[path_size];
    descriptor_path(path, pid, args[0]);
    const bool in_tmp = strstr(path, "/.tmp") != NULL;
    switch (call) {
    case SYS_flock:
        return step_of_flock(kind, held, path, args[1]);
    case SYS_openat:
        return (args[2] & O_EXCL) != 0 ? 'C' : '\0';
    case SYS_pwrite64:
        if (in_tmp) return 'W';
        return ends_with(path, kind->size_file) ? 'S' : '\0';
    case SYS_getdents64:
        return in_tmp ? '\0' : 'G';
    case SYS_unlinkat:
        if (in_tmp || (args[2] & AT_REMOVEDIR) != 0) return '\0';
        return step_in(held, path, 'E');
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2:
        descriptor_path(to, pid, args[2]);
        return in_tmp ? step_in(held, to, 'R') : step_in(held, path, 'E');
    default:
        return '\0';
    }
}

static void add_step(char steps[put_trace_size], char step)
{
    const size_t n = strlen(steps);
    if (step == '\0' || n + 1 == put_trace_size) return;
    if (n > 0 && steps[n - 1] == step) return;
    steps[n] = step;
    steps[n + 1] = '\0';
}

static void put_and_exit(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
    raise(SIGSTOP);
    _exit(put_number(store, number, size) == dnnl_success ? 0 : 1);
}

bool trace_put(char steps[put_trace_size], const struct unindexed_kind *kind,
        dnnl_cache_store_handle_t *store, unsigned number, size_t size)
{
    int status = 0;
    struct held held = {.root = ""};
    steps[0] = '\0';
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) put_and_exit(store, number, size);
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
    if (!WIFSTOPPED(status)) return false;
    EXPECT_EQ(0, ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD));
    while (WIFSTOPPED(status)) {
        struct ptrace_syscall_info info = {0};
        if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0) break;
        if (waitpid(pid, &status, 0) != pid) break;
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80))
            continue;
        const long got = ptrace(
                PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info);
        if (got > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY)
            add_step(steps, step_of(kind, &held, pid, info.entry.nr,
                                    (uint64_t *)info.entry.args));
    }
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(0, WEXITSTATUS(status));
    return true;
}
