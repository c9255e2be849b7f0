/* SPDX-License-Identifier: Apache-2.0 */
/* A writer dies before and after every system call it makes: what it leaves
 * opens at once, holds nothing that is damaged, and the next put clears up. */
#include "scenes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* More stops than any scene makes: a walk that long has no end. */
enum { most_stops = 5000 };

/* A traced child, stopped right before the scene's call; -1: no tracing. */
static pid_t start_scene(const struct store_kind *kind,
        const struct scene *scene, dnnl_cache_store_handle_t *store)
{
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
        raise(SIGSTOP);
        scene->act(kind, store);
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
static int walk(const struct store_kind *kind, const struct scene *scene,
        int from, int step, unsigned *deaths)
{
    for (int stops = from; stops < most_stops; stops += step) {
        const struct dnnl_cache_store_options options =
                scene_begin(kind, scene);
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        if (store == NULL) return 0;
        scene->prepare(kind, store);
        const pid_t pid = start_scene(kind, scene, store);
        const bool died = pid > 0 && kill_after(pid, stops);
        dnnl_cache_store_close(store);
        if (pid < 0) return -1;
        *deaths += died;
        scene_expect_usable(kind, scene, &options);
        if (test_has_failed()) {
            printf("in \"%s\", killed after %d stops\n", scene->name, stops);
            return stops;
        }
        if (!died) return stops;
    }
    test_fail(__FILE__, __LINE__, "\"%s\" does not end", scene->name);
    return most_stops;
}

STORE_TEST(Proof, DeathAtEverySystemCall)
{
    uint64_t seed = test_seed();
    const int step = is_long_run() ? 1 : 72;
    unsigned deaths = 0;
    unsigned walked = 0;
    for (unsigned i = 0; i < scene_count && !test_has_failed(); i++) {
        if (!scene_is_for(&scenes[i], kind)) continue;
        const int from = (int)(next_random(&seed) % (uint64_t)step);
        const int stops = walk(kind, &scenes[i], from, step, &deaths);
        if (stops < 0) SKIP_TEST("tracing is not allowed here");
        walked += stops > from;
        EXPECT_GT(stops, 8); /* or it did nothing worth dying in */
        printf("%-28s %4d stops, every %d\n", scenes[i].name, stops, step);
    }
    printf("%u deaths\n", deaths);
    EXPECT_GE(deaths, walked); /* each scene is long enough to die in */
}
