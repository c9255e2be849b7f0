/* SPDX-License-Identifier: Apache-2.0 */
/* A writer dies before and after every system call it makes: what it leaves
 * opens at once, holds nothing that is damaged, and the next put clears up. */
#include "bucket_store.h"

#include "scenes.h"
#include "store_helpers.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* More stops than any scene makes: a walk that long has no end. */
enum { most_stops = 5000 };

/* A traced child, stopped right before the scene's call; -1: no tracing. */
static pid_t start_scene(const struct scene *scene, struct store *store)
{
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
        raise(SIGSTOP);
        scene->act(store);
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return -1;
    return pid;
}

/* Lets the child make `stops` stops at the entry or exit of system calls, then
 * kills it. False if it ended before. */
static bool kill_after(pid_t pid, int stops)
{
    int status = 0;
    for (int i = 0; i < stops; i++) {
        if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0) return false;
        if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            return false;
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return true;
}

/* Walks one scene, every step-th stop from `from` on; stops that there are, or
 * -1 without tracing. */
static int walk(const struct scene *scene, int from, int step)
{
    for (int stops = from; stops < most_stops; stops += step) {
        const struct store_options options = scene_begin(scene);
        struct store *store = open_store(&options);
        if (store == NULL) return 0;
        scene->prepare(store);
        const pid_t pid = start_scene(scene, store);
        const bool died = pid > 0 && kill_after(pid, stops);
        store_close(store);
        if (pid < 0) return -1;
        scene_expect_usable(scene, &options);
        if (test_has_failed()) {
            printf("in \"%s\", killed after %d stops\n", scene->name, stops);
            return stops;
        }
        if (!died) return stops;
    }
    test_fail(__FILE__, __LINE__, "\"%s\" does not end", scene->name);
    return most_stops;
}

TEST_C(BucketProof, DeathAtEverySystemCall)
{
    uint64_t seed = test_seed();
    const int step = is_long_run() ? 1 : 24;
    for (unsigned i = 0; i < scene_count && !test_has_failed(); i++) {
        const int from = (int)(next_random(&seed) % (uint64_t)step);
        const int stops = walk(&scenes[i], from, step);
        if (stops < 0) SKIP_TEST("tracing is not allowed here");
        EXPECT_GT(stops, 8); /* or it did nothing worth dying in */
        printf("%-28s %4d stops, every %d\n", scenes[i].name, stops, step);
    }
}
