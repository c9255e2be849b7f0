/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process may do between and amid its builds: have children that exit or
 * become another program, let go of the compiler, and see another file system.
 */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_seconds = 300, not_allowed = 77 };

/* ---- A build that another thread is in ----------------------------------- */

struct amid {
    struct application application;
    cl_program program;
    pthread_t thread;
};

static void *build_amid(void *user)
{
    build(((const struct amid *)user)->program, "");
    return NULL;
}

/* Returns when the driver compiles. */
static void amid_begin(struct amid *amid)
{
    application_open(&amid->application, 1);
    amid->program = program_of_source(&amid->application,
            "kernel void outside(global float *x) { *x = 1.0f; }");
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&amid->thread, NULL, build_amid, amid));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
}

static void amid_end(struct amid *amid)
{
    const struct application *a = &amid->application;
    fake_opencl_block_builds(false);
    ASSERT_EQ(0, pthread_join(amid->thread, NULL));
    expect_built(amid->program, a->devices[0], "", "outside");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(amid->program));
    application_close(&amid->application);
}

static void expect_child(pid_t child, int expected)
{
    int status = -1;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(expected, WEXITSTATUS(status));
}

static void use_outside(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "outside", "");
    application_close(&a);
}

/* Its children have counted, too. */
static void expect_kept(void)
{
    EXPECT_EQ(1, counted_by_all("kept"));
    ASSERT_EQ(0, run_application(NULL, use_outside, NULL));
    EXPECT_EQ(1, counted("hits"));
}

/* ---- Children ------------------------------------------------------------ */

/* exit(): what the layer does at the end of a process is done in a child, too,
 * which has neither its thread nor the one that builds. */
static void exit_amid(void *user)
{
    struct amid amid;
    (void)user;
    amid_begin(&amid);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(most_seconds); /* instead of waiting for ever */
        exit(7);
    }
    expect_child(child, 7);
    amid_end(&amid);
}

TEST_C(LayerProcesses, MayHaveAChildThatExitsAmidABuild)
{
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("ThreadSanitizer ends a child that starts threads");
#endif
#ifdef DNNL_CACHE_TEST_ASAN
    SKIP_TEST("its malloc() would wait in the child for a lost thread");
#endif
    ASSERT_EQ(0, run_application(NULL, exit_amid, NULL));
    expect_kept();
}

/* The child's program finishes, is captured and kept, when it exits. */
static void build_and_exit_amid(void *user)
{
    struct amid amid;
    (void)user;
    amid_begin(&amid);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(most_seconds);
        fake_opencl_block_builds(false);
        use_program(&amid.application, "inside", "");
        exit(test_has_failed() ? 1 : 7);
    }
    expect_child(child, 7);
    amid_end(&amid);
}

TEST_C(LayerProcesses, MayHaveAChildThatBuildsAndExitsAmidABuild)
{
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("ThreadSanitizer ends a child that starts threads");
#endif
#ifdef DNNL_CACHE_TEST_ASAN
    SKIP_TEST("its malloc() would wait in the child for a lost thread");
#endif
    ASSERT_EQ(0, run_application(NULL, build_and_exit_amid, NULL));
    ASSERT_EQ(0, run_application(NULL, use_outside, NULL));
    EXPECT_EQ(1, counted("hits"));
}

/* How many descriptors another program would get. */
static int count_inherited(void)
{
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    const struct dirent *one;
    while (all != NULL && (one = readdir(all)) != NULL) {
        const int fd = (int)strtol(one->d_name, NULL, 10);
        const int flags = one->d_name[0] != '.' ? fcntl(fd, F_GETFD) : -1;
        count += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    if (all != NULL) (void)closedir(all);
    return count;
}

static void become_another_amid(void *user)
{
    struct amid amid;
    const int before = count_inherited();
    (void)user;
    amid_begin(&amid);
    EXPECT_EQ(before, count_inherited());
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(127);
    }
    expect_child(child, 7);
    amid_end(&amid);
}

TEST_C(LayerProcesses, MayHaveAChildThatBecomesAnotherAmidABuild)
{
    ASSERT_EQ(0, run_application(NULL, become_another_amid, NULL));
    expect_kept();
}

/* As a daemon does it: the parent ends in the midst, and the child goes on. */
static void end_amid_and_go_on(void *user)
{
    struct amid amid;
    int ends[2];
    char byte = 0;
    (void)user;
    ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
    amid_begin(&amid);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(most_seconds);
        (void)close(ends[0]);
        fake_opencl_block_builds(false);
        use_program(&amid.application, "inside", "");
        use_program(&amid.application, "inside", "-DA");
        const char result = test_has_failed() ? 'n' : 'y';
        (void)!write(ends[1], &result, 1);
        exit(0);
    }
    (void)close(ends[1]);
    EXPECT_EQ(1, read(ends[0], &byte, 1));
    EXPECT_EQ('y', byte);
    int status;
    (void)waitpid(child, &status, 0);
    EXPECT_EQ(0, status);
    _exit(test_has_failed()); /* the build is never over */
}

TEST_C(LayerProcesses, MayEndAmidABuildThatAChildDoesNotHave)
{
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("ThreadSanitizer ends a child that starts threads");
#endif
#ifdef DNNL_CACHE_TEST_ASAN
    SKIP_TEST("its malloc() would wait in the child for a lost thread");
#endif
    ASSERT_EQ(0, run_application(NULL, end_amid_and_go_on, NULL));
    ASSERT_EQ(0, run_application(NULL, use_outside, NULL));
    EXPECT_EQ(1, counted("misses"));
    EXPECT_EQ(1, counted("kept"));
}

/* ---- clUnloadPlatformCompiler() ------------------------------------------ */

enum { builders = 4, rounds = 30 };

struct unloader {
    cl_platform_id platform;
    atomic_bool is_over;
    unsigned calls;
};

static void *unload_always(void *user)
{
    struct unloader *u = user;
    while (!atomic_load(&u->is_over)) {
        EXPECT_EQ(CL_SUCCESS, clUnloadPlatformCompiler(u->platform));
        u->calls++;
        (void)sched_yield();
    }
    return NULL;
}

struct builder {
    const struct application *application;
    unsigned number;
    pthread_t thread;
};

static void *build_always(void *user)
{
    const struct builder *b = user;
    for (unsigned i = 0; i < rounds; i++) {
        char options[32];
        (void)snprintf(
                options, sizeof options, "-DN=%u", b->number % 2 * rounds + i);
        use_program(b->application, "one", options);
    }
    return NULL;
}

/* Two threads build each of the programs. */
static void build_while_unloading(void *user)
{
    struct application a;
    struct builder all[builders];
    struct unloader u = {.calls = 0};
    pthread_t thread;
    (void)user;
    application_open(&a, 1);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(a.devices[0], CL_DEVICE_PLATFORM,
                                  sizeof(cl_platform_id), &u.platform, NULL));
    ASSERT_EQ(0, pthread_create(&thread, NULL, unload_always, &u));
    for (unsigned i = 0; i < builders; i++) {
        all[i] = (struct builder){.application = &a, .number = i};
        ASSERT_EQ(
                0, pthread_create(&all[i].thread, NULL, build_always, &all[i]));
    }
    for (unsigned i = 0; i < builders; i++)
        ASSERT_EQ(0, pthread_join(all[i].thread, NULL));
    atomic_store(&u.is_over, true);
    ASSERT_EQ(0, pthread_join(thread, NULL));
    EXPECT_GT(u.calls, 0);
    application_close(&a);
}

TEST_C(LayerProcesses, MayUnloadTheCompilerWhileTheyBuild)
{
    static const char *const fast[] = {
            "FAKE_OPENCL_BUILD_MS=1", "DNNL_CACHE_CAPTURE_NOW=1", NULL};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(fast, build_while_unloading, NULL));
        EXPECT_EQ(builders * rounds, counted("hits") + counted("misses"));
    }
}

/* ---- Another file system ------------------------------------------------- */

/* A store of each type is used by one that is named in the storage's way. */
static const char *const types[] = {
        "DNNL_CACHE_STORE=flat", "DNNL_CACHE_STORE=pack"};

enum view { view_root, view_mount };

struct change {
    enum view view;
    const char *type;
};

static const char *root_path(void)
{
    return in_test("root");
}

/* From now on this process sees nothing of what it has opened. */
static bool change_view(enum view view)
{
    char place[512];
    if (view == view_root)
        return mkdir(root_path(), 0700) == 0 && chroot(root_path()) == 0
               && chdir("/") == 0;
    /* A pack is a file beside others of that name. */
    (void)snprintf(place, sizeof place, "%.480s", in_test("stores"));
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount("none", place, "tmpfs", 0, "mode=700") == 0;
}

static void build_before_and_after(void *user)
{
    const struct change *change = user;
    struct application a;
    application_open(&a, 1);
    use_program(&a, "one", "-DBEFORE");
    expect_no_programs();
    if (!change_view(change->view)) {
        perror("another view");
        _exit(not_allowed);
    }
    use_program(&a, "one", "-DBEFORE");
    use_program(&a, "one", "-DAFTER");
    use_program(&a, "one", "-DAFTER");
    application_close(&a);
}

static void build_both(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "one", "-DBEFORE");
    use_program(&a, "one", "-DAFTER");
    application_close(&a);
}

static void expect_empty(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *one;
    ASSERT_NOT_NULL(folder);
    while ((one = readdir(folder)) != NULL)
        if (one->d_name[0] != '.')
            test_fail(__FILE__, __LINE__, "%s is there", one->d_name);
    (void)closedir(folder);
}

/* What was kept before is found afterwards by a process that sees it. */
static void change_between_builds(enum view view)
{
    char command[600];
    for (size_t i = 0; i < COUNT(types); i++) {
        static char place[600];
        const char *const variables[] = {types[i], place, NULL};
        struct change change = {view, types[i]};
        (void)snprintf(place, sizeof place, "DNNL_CACHE_DIR=%.500s",
                in_test("stores/one"));
        (void)mkdir(in_test("stores"), 0700);
        const int result =
                run_application(variables, build_before_and_after, &change);
        if (result == not_allowed) SKIP_TEST("it is not allowed here");
        ASSERT_EQ(0, result);
        if (view == view_root) {
            expect_empty(root_path());
            EXPECT_EQ(0, rmdir(root_path()));
        }
        ASSERT_EQ(0, run_application(variables, build_both, NULL));
        EXPECT_GE(counted("hits"), 1);
        EXPECT_EQ(0, missed_by("damaged"));
        (void)snprintf(
                command, sizeof command, "rm -rf '%.500s'", in_test("stores"));
        EXPECT_EQ(0, system(command));
    }
}

TEST_C(LayerProcesses, MayChangeTheirRootBetweenBuilds)
{
#ifdef DNNL_CACHE_TEST_ASAN
    SKIP_TEST("LeakSanitizer finds no /proc below another root");
#endif
    change_between_builds(view_root);
}

TEST_C(LayerProcesses, MayEnterANamespaceBetweenBuilds)
{
    change_between_builds(view_mount);
}
